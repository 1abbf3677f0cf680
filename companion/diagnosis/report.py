"""The command Diagnose: opens the report at once and completes it as results come in.

Rules: the facts are collected in one step on the main thread, which never waits for a check. If a check cannot be
carried out, or is too slow, the report says so.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from typing import Any, Awaitable, Callable, Dict, List, Optional, Sequence, Tuple

import sublime

from ..agents.agent import Agent
from ..agents.dialect import Transport
from ..agents.registry import agents_of, wanted_agents
from ..common.display_names import client_name
from ..editor.edits import move_caret, set_text
from ..editor.file_views import is_open
from ..editor.key_bindings import PREFIX
from ..editor.pages import show_links
from ..endpoint.agents_at_work import SELF_TEST
from ..endpoint.endpoint import Endpoint
from ..endpoint.endpoints import Endpoints
from ..endpoint.servers import PRIMARY, SHARED
from ..log import shortened
from ..remotes.remote import Remote
from ..runtime import Runtime
from ..settings import Settings
from ..system.platform import WINDOWS, Platform
from ..system.processes import EDITOR_PID
from . import discovery, programs
from .checks import (
    LOG,
    TITLE,
    Check,
    CheckOutcome,
    Facts,
    WindowFacts,
    failed,
    links,
    not_tried,
    noted,
    render,
    too_slow,
)
from .remotes import check_remote

logger = logging.getLogger("gemini_companion.diagnosis")

SYNTAX = "Packages/Markdown/Markdown.sublime-syntax"
MOST_PROBLEMS = 20
MOST_CHARACTERS = 2000  # of one problem: the rest of a long traceback is in the log
LIMIT_SECONDS = 30.0  # for everything, login shells included
LIBRARIES, SERVERS, DISCOVERY = "the libraries", "the servers", "the discovery files"
WITHOUT_LIBRARIES = "without the libraries there are none"


# -- facts ------------------------------------------------------------------------------------------------------------


def gather(
    endpoints: List[Endpoint], problems: List[str], window: sublime.Window, version: str, hooks: Sequence[str] = ()
) -> Facts:
    """What is known now. `problems` are the log's warnings and errors; `hooks` says what is known of those. Main
    thread."""
    ports = tuple(each.address.port for on in endpoints for each in on.servers.services.values() if each.address.port)
    shown = sorted(open_endpoints(endpoints), key=lambda endpoint: (endpoint.window != window, endpoint.window.id()))
    view = window.active_view()
    # It is no problem that our own check with a wrong token was refused.
    problems = [problem for problem in problems if SELF_TEST not in problem]
    return Facts(
        time=time.strftime("%Y-%m-%d %H:%M:%S %z"),
        versions=(
            ("Gemini Companion", f"{version}, {_package_place()}"),
            ("Sublime Text", f"{sublime.version()} ({sublime.channel()})"),
            ("System", f"{sublime.platform()} {sublime.arch()}, {_system_release()}"),
            ("Python", sys.version.split()[0]),
        ),
        windows=tuple(_window(endpoint, endpoint.window == window, ports) for endpoint in shown),
        active_file=view.file_name() if view is not None else None,
        problems=tuple(shortened(problem, MOST_CHARACTERS) for problem in problems[-MOST_PROBLEMS:]),
        hooks=tuple(hooks),
    )


def open_endpoints(endpoints: List[Endpoint]) -> List[Endpoint]:
    """The endpoints whose windows are open. Main thread.

    The endpoint of a closed window may listen for a moment longer. A check of it would fail for no good reason.
    """
    return [endpoint for endpoint in endpoints if endpoint.window.is_valid()]


def title_of(window: sublime.Window, is_this: bool) -> str:
    """The name of a window in the report."""
    return "this window" if is_this else f"window {window.id()}"


def _window(endpoint: Endpoint, is_this: bool, ports: Tuple[int, ...]) -> WindowFacts:
    settings = endpoint.settings()
    clients: List[str] = []
    for client in endpoint.agents.connected:
        name, session = client.name(numbered=True), client.session
        version, since = client_name(session.client_version), _clock(session.opened_at)
        clients.append(f"{name} {version}, MCP {session.protocol_version}, connected at {since}")
    return WindowFacts(
        title=title_of(endpoint.window, is_this),
        is_this=is_this,
        port=endpoint.port,
        problem=endpoint.problem,
        folders=endpoint.folders(),
        published_for=tuple(agent.key for agent in wanted_agents(settings)),
        sharing=endpoint.tracker.sharing,
        clients=tuple(clients),
        all_ports=ports,
        addresses={key: service.address for key, service in endpoint.servers.services.items()},
    )


def _hooks(endpoints: Endpoints) -> List[str]:
    """Where hooks of programs are answered, and which came last of each program."""
    port = endpoints.hook_answers.port
    last = [f"{title}: {name} at {_clock(came)}" for title, (name, came) in dict(endpoints.hook_sessions.last).items()]
    outside = [
        f"{title} writes in {folder}, which is in no window: none of that is reviewed or listed"
        for title, folder in dict(endpoints.hook_sessions.outside).items()
    ]
    problem = endpoints.hook_answers.problem
    found = [f"agents do not find this editor: {problem}"] if problem else []
    return found + ([f"answered on port {port}", *(last or ["none has come"]), *outside] if port else [])


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def _system_release() -> str:
    # On old Pythons the module `platform` starts a process to find this out.
    if sys.platform == "win32":
        return f"build {sys.getwindowsversion().build}"
    return os.uname().release


def _package_place() -> str:
    # Package Control installs a package as one file. A module that is imported from it need not have a `__file__`.
    place = globals().get("__file__") or getattr(__spec__, "origin", None) or ""
    return "installed" if ".sublime-package" in place else "from a folder"


# -- the report -------------------------------------------------------------------------------------------------------


class Diagnosis:
    """One report. Main thread, except where noted."""

    def __init__(
        self,
        endpoints: Endpoints,
        remotes: Sequence[Remote],
        runtime: Runtime,
        problems: List[str],
        window: sublime.Window,
        version: str,
    ) -> None:
        """`remotes` are those of the window; `problems` are the log's warnings and errors."""
        self._window = window
        self._runtime = runtime
        self._version = version
        self._platform = Platform.current()
        self._facts: Facts = gather(endpoints.all(), problems, window, version, _hooks(endpoints))
        self._secrets = [secret for endpoint in endpoints.all() for secret in endpoint.servers.secrets()]
        self._secrets.append(endpoints.hook_answers.secret)
        self._remotes = remotes
        self._secrets += [secret for remote in remotes for secret in remote.secrets()]
        self._tokens = {
            title_of(endpoint.window, endpoint.window == window): next(iter(endpoint.servers.secrets([PRIMARY])), "")
            for endpoint in open_endpoints(endpoints.all())
        }
        self._context_answers = endpoints.context_answers
        self._missing = endpoints.missing is not None
        endpoint = endpoints.of(window)
        self._settings = endpoint.settings() if endpoint is not None else Settings()
        self._agents = agents_of(self._settings)
        self._checks: Dict[str, Optional[List[Check]]] = {}
        self._files: Sequence[str] = ()
        self._view = self._new_view()  # not before: the file in front is a fact

    def run(self) -> None:
        """Start the checks."""
        self._try(LIBRARIES, self._try_libraries)
        self._try(SERVERS, self._try_servers)
        self._try(DISCOVERY, self._try_discovery)
        for remote in self._remotes:
            self._try(remote.row.name, check_remote, self._runtime, remote)
        for agent in self._agents:
            self._try(agent.title, self._try_agent, agent)
        self._show()
        self._runtime.later_on_main(int(LIMIT_SECONDS * 1000), self._end)

    # -- the view -----------------------------------------------------------------------------------------------------

    def _new_view(self) -> sublime.View:
        view = self._window.new_file()
        view.set_scratch(True)
        view.set_name(TITLE)
        view.settings().set("word_wrap", True)
        if sublime.find_resources("Markdown.sublime-syntax"):
            view.assign_syntax(SYNTAX)
        view.set_read_only(True)
        return view

    def _show(self) -> None:
        if not is_open(self._view):
            return  # the user has closed it
        first = not self._view.size()
        text = render(self._facts, self._checks, self._files, os.path.expanduser("~"), self._secrets)
        set_text(self._view, text)
        show_links(self._view, links(text), lambda name: self._window.run_command(PREFIX + name))
        if first:
            move_caret(self._view, 0)

    # -- trials -------------------------------------------------------------------------------------------------------

    def _try(self, name: str, trial: Callable[..., Awaitable[List[Check]]], *arguments: Any) -> None:
        self._checks[name] = None
        self._runtime.spawn(self._await, name, trial, *arguments)

    async def _await(self, name: str, trial: Callable[..., Awaitable[List[Check]]], *arguments: Any) -> None:
        """Loop thread."""
        try:
            checks = await trial(*arguments)
        except Exception as error:
            logger.exception("could not try %s", name)
            checks = [failed(name, f"the check itself ended in an error ({type(error).__name__}: {error})", LOG)]
        self._runtime.on_main(self._take, name, checks)

    def _take(self, name: str, checks: List[Check]) -> None:
        if self._checks[name] is None:
            self._checks[name] = checks
            self._show()

    def _end(self) -> None:
        for name, checks in self._checks.items():
            if checks is None:
                self._checks[name] = [too_slow(name, LIMIT_SECONDS)]
        self._show()

    # Each of these runs on the loop thread and hands what blocks to a disk thread.

    async def _try_libraries(self) -> List[Check]:
        return [await self._runtime.in_worker(programs.check_libraries)]

    async def _try_servers(self) -> List[Check]:
        if self._missing:
            return [not_tried(SERVERS, WITHOUT_LIBRARIES)]
        from . import client  # which imports aiohttp

        checks: List[Check] = []
        if not any(window.is_this for window in self._facts.windows):
            problem = "the package has not begun to serve it"
            checks.append(failed("this window is served", problem, "Try once more. " + LOG))
        for window in self._facts.windows:
            checks += await client.try_server(window, self._tokens[window.title], self._version)
        return checks

    async def _try_discovery(self) -> List[Check]:
        in_worker = self._runtime.in_worker
        snapshot, self._files = await in_worker(discovery.read_snapshot, self._platform, EDITOR_PID, self._agents)
        if self._missing:
            return [not_tried(DISCOVERY, WITHOUT_LIBRARIES)]
        from . import client

        checks: List[Check] = []
        for window in self._facts.windows:
            for agent in (each for each in self._agents if each.dialect.transport is not SHARED):
                check, entry = await in_worker(discovery.check_window, window, agent, snapshot)
                if entry is not None and entry.content is not None and self._can_be_tried(agent):
                    # The client would use what stands in the file, so that is what is tried.
                    tried = await client.check_agent_server(check.name, agent, entry.content, self._version)
                    check = tried if tried.outcome is CheckOutcome.FAILED else check
                checks.append(check)
        checks += [await client.check_answers(each) for each in self._context_answers]
        for window in self._facts.windows:
            if window.is_this:
                active_file = self._facts.active_file
                checks.append(await in_worker(discovery.check_active_file, active_file, window, snapshot))
        return checks

    def _can_be_tried(self, agent: Agent) -> bool:
        """Whether we can connect as the agent does: aiohttp's client reaches named pipes by another kind of loop."""
        return agent.dialect.transport is not Transport.HTTP_ON_SOCKET or self._platform.name != WINDOWS

    async def _try_agent(self, agent: Agent) -> List[Check]:
        words, unwanted = agent.command(self._settings), lambda: self._runtime.stopped
        folders = next((window.folders for window in self._facts.windows if window.is_this), ())
        found = await self._runtime.in_worker(programs.check_agent, agent, words, self._platform, folders, unwanted)
        why = agent.why_no_diffs
        return [found, noted(f"why {agent.title} may show no diffs", why)] if why else [found]
