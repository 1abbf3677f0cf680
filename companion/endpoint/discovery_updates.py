"""Keeps one endpoint's discovery files up to date. Only the latest request counts; a failure is retried.

Rule: the files are written on a disk thread, one request at a time, and are gone when `withdraw` returns.
"""

from __future__ import annotations

import logging
import os
from typing import Callable, List, NamedTuple, Optional, Tuple

from ..agents.agent import Agent, Announcement
from ..agents.registry import wanted_agents
from ..common.clock import clock
from ..common.waiting import Latest
from ..discovery.files import DiscoveryError, Publisher
from ..discovery.workspace import resolved_folders, unusable_folders, workspace_folders
from ..editor.scope import Scope
from ..system.processes import EDITOR_PID
from .servers import DIALECTS, Service

logger = logging.getLogger("gemini_companion.discovery")

RETRY_MILLISECONDS = 5000
CHECK_SECONDS = 60  # systems clean their temporary directories; a file removed so is written again


class PublishRequest(NamedTuple):
    """What the discovery files depend on."""

    services: Tuple[Service, ...]
    folders: Tuple[str, ...]
    project_file: Optional[str]  # None while the window has folders: then it does not matter
    active_file: Optional[str]  # None while the window has folders or a project: then it does not matter
    fallback: str
    agents: Tuple[Agent, ...]


class DiscoveryUpdater:
    """Main thread only. `report` gets a sentence for the user, or None once all is well again."""

    def __init__(
        self, scope: Scope, active_file: Callable[[], Optional[str]], report: Callable[[Optional[str]], None]
    ) -> None:
        self.folders: Tuple[str, ...] = ()  # as last announced
        self.all_folders: Tuple[str, ...] = ()  # these, and with links resolved
        self._window, self._runtime, self._settings = scope
        self._active_file = active_file
        self._report = report
        self._publishers = {dialect.key: Publisher() for dialect in DIALECTS}
        self._request: Optional[PublishRequest] = None
        self._announced: Optional[PublishRequest] = None  # of which `folders` are
        self._publishing = Latest(self._begin)
        self._checked = 0.0  # on the monotonic clock

    def announce(self, services: Tuple[Service, ...]) -> None:
        """Bring the discovery files up to date. Cheap when nothing has changed."""
        settings = self._settings()
        folders = tuple(self._window.folders())
        project_file = None if folders else self._window.project_file_name()
        active_file = None if folders or project_file else self._active_file()
        fallback, agents = settings.workspace_fallback, wanted_agents(settings)
        request = PublishRequest(services, folders, project_file, active_file, fallback, agents)
        if request != self._request or clock.now() - self._checked > CHECK_SECONDS:
            self._request = request
            self._publishing.ask()

    @property
    def has_announced(self) -> bool:
        """Whether `folders` was announced at all; the window may have others by now."""
        return self._announced is not None

    @property
    def is_current(self) -> bool:
        """Whether `folders` are those of the last `announce`."""
        return self.has_announced and self._announced == self._request

    @property
    def window_folders(self) -> Tuple[str, ...]:
        """The window's folders as of the last `announce`; if it had none, those announced instead, without the home
        folder: a single file in it makes no project of it."""
        if self._request is not None and self._request.folders:
            return self._request.folders
        return tuple(folder for folder in self.folders if folder != os.path.expanduser("~"))

    def expire(self) -> None:
        """Have the next `announce` check the files even if nothing has changed."""
        self._checked = float("-inf")

    def withdraw(self) -> None:
        """Remove the files for good. Any thread, also after the editor's API has shut down."""
        for publisher in self._publishers.values():
            publisher.close()

    def _begin(self) -> None:
        request = self._request
        assert request is not None
        self._checked = clock.now()
        self._runtime.use_disk(
            self._publish,
            request,
            then=lambda result: self._done(request, *result),
            failed=lambda error: self._done(request, self.folders, error),
        )

    def _publish(
        self, request: PublishRequest, cancelled: Callable[[], bool]
    ) -> Tuple[Tuple[str, ...], Optional[Exception]]:
        """Returns the announced folders and what went wrong. One agent may find the window while another does not. Disk
        thread."""
        _, chosen, project_file, active_file, fallback, _ = request
        folders = workspace_folders(chosen, project_file=project_file, active_file=active_file, fallback=fallback)
        real_folders = resolved_folders(folders)
        self.all_folders = tuple(dict.fromkeys((*folders, *real_folders)))
        problems: List[str] = []
        for service in request.services:
            announcement = Announcement(
                port=service.address.port,
                token=service.tokens.get("", ""),
                folders=folders,
                editor_pid=EDITOR_PID,
                agent_tokens=service.tokens,
                socket=service.address.socket,
                began=service.began,
                real_folders=real_folders,
            )
            speaking = [agent for agent in request.agents if agent.dialect is service.dialect]
            agents = [agent for agent in speaking if agent.token_name in service.tokens]  # the others have theirs soon
            try:
                self._publishers[service.dialect.key].publish(announcement, agents)
            except DiscoveryError as error:
                problems.append(str(error))
        return folders, DiscoveryError("; ".join(problems)) if problems else None

    def _done(self, request: PublishRequest, folders: Tuple[str, ...], error: Optional[Exception]) -> None:
        if folders != self.folders:
            for folder in unusable_folders(request.folders):
                logger.warning('agents cannot find the folder %s: its name contains "%s"', folder, os.pathsep)
        self.folders, self._announced = folders, request
        if error is not None:
            logger.warning("%s", error, exc_info=None if isinstance(error, DiscoveryError) else error)
        self._report(None if error is None else str(error))
        if self._publishing.answered() and error is not None:
            self._runtime.later_on_main(RETRY_MILLISECONDS, self._publishing.ask)
