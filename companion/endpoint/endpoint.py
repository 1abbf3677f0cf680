"""One window's endpoint: its server, its context, its reviews and its discovery files, brought together.

Rule: windows share nothing in here. Everything runs on the main thread; the server is told what to do through the
runtime, and answers the same way.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Awaitable, Callable, Dict, List, Optional, Tuple

import sublime

from ..agents.agent import Connection
from ..agents.dialect import Dialect, Mention, Message
from ..agents.registry import agents_of
from ..agents.shared_context import SharedContext
from ..common.pacing import Paced
from ..context.tracker import ContextTracker
from ..editor.status_bar import StatusBar, say
from ..protocol.serving import Address
from ..protocol.tools import error_result
from ..review.decision import Outcome, Owner, Review, Verdict
from ..review.events import ReviewEvents
from ..review.manager import ReviewManager
from ..system.processes import EDITOR_PID
from .agent_window import EndpointWindow, Hooks
from .changes import WindowChanges
from .clients import Clients, Recipients
from .discovery_updates import DiscoveryUpdater
from .server_task import Listener
from .servers import DIALECTS, PRIMARY, Servers, Service, States
from .status_text import STARTING, State, status_text
from .tab_origins import TabOrigins
from .window_settings import WindowSettings

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..protocol.tools import ClientSession, ToolCall, ToolResult
    from ..runtime import Runtime
    from ..unreviewed.tracking import Tracking

logger = logging.getLogger("gemini_companion.endpoint")

HIDDEN = "The user does not share this window with your program."


class Endpoint:
    """What one window offers to clients."""

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        libraries: Libraries,
        origins: TabOrigins,
        version: str,
        *,
        clients_changed: Callable[[], None],
        reviews_of: Callable[[sublime.View], Optional[ReviewManager]],
        tracking: Tracking,
        states: Optional[States] = None,
    ) -> None:
        """`clients_changed` is called when the first client has come or the last one has gone. `reviews_of` finds the
        reviews of any window to which a view belongs. `tracking` knows what is unreviewed in its folders. `states` are
        what the window's endpoint left before the package was replaced, if that was just now."""
        self.window = window
        self.port: Optional[int] = None
        self._libraries = libraries
        self._problems: Dict[str, Optional[str]] = {}  # by what has them
        self.settings = WindowSettings(window)
        self._runtime = runtime
        self._stopped = False
        self._status_bar = StatusBar(window)
        self.reviews = ReviewManager(
            window,
            runtime=runtime,
            settings=self.settings,
            notify=self._tell_outcome,
            is_connected=self._is_connected,
            on_count=self.show_status,
            find_elsewhere=reviews_of,
            expect=tracking.expect,
        )
        self.changes = WindowChanges(
            window, runtime, self.settings, self.reviews, tracking, lambda: self._clients.sessions
        )
        self.review_events = ReviewEvents(window, runtime, self.reviews)
        self.tracker = ContextTracker(
            window,
            runtime=runtime,
            settings=self.settings,
            look_at_project=self.look_at_project,
            publish=self._publish_context,
        )
        # Thousands may come and go in a second.
        clients_changed_soon = Paced(self._names_changed, runtime.later_on_main)
        self._clients = Clients(
            runtime,
            self.settings,
            self.reviews,
            self.tracker,
            notify=self._notify,
            publish=self._publish,
            any_changed=clients_changed,
            changed=clients_changed_soon.call,
        )
        self._discovery_updater = DiscoveryUpdater(
            window, runtime, self.settings, self.tracker.active_path, self._announced
        )
        hooks = Hooks(
            owner_of=self._clients.owner_of,
            is_connected=self._clients.is_connected,
            rename=self._clients.rename,
            folders=self.folders,
        )
        self._agent_window = EndpointWindow(window, runtime, self.reviews, self.tracker, origins, hooks)
        self._servers = Servers(
            runtime,
            libraries,
            version,
            self.settings().maximum_body_mebibytes,
            states=states or {},
            listener_of=self._listener_of,
            calls_of=self._calls_of,
        )

    # The parts need each other, so what they call of those that are made after them goes through these methods.

    def _names_changed(self) -> None:
        if not self._stopped:
            self.changes.clients_changed()
        self.show_status()

    def _announced(self, problem: Optional[str]) -> None:
        self._set_problem("discovery", problem)
        if not self._stopped:
            self.changes.update(self._discovery_updater.window_folders)

    def _tell_outcome(self, review: Review, outcome: Outcome) -> None:
        """Tell the client that asked for a review what came of it."""
        self.changes.sign()
        if review.ticket is not None:
            review.ticket.settle(outcome)
            return
        accepted = outcome.content if outcome.kind is Verdict.ACCEPTED else None
        self._servers.notify(PRIMARY, PRIMARY.decided(outcome.path, accepted), review.owner.session_id)

    def _is_connected(self, owner: Owner) -> bool:
        return self._clients.is_connected(owner)

    def _publish_context(self, context: SharedContext) -> None:
        self._clients.publish_context(context)

    def _notify(self, dialect: Dialect, message: Message, session: Optional[str]) -> None:
        self._servers.notify(dialect, message, session)

    def _publish(self, context: SharedContext, clients: Recipients) -> None:
        self._servers.publish(context, clients)

    def _listener_of(self, dialect: Dialect) -> Listener:
        return Listener(
            partial(self._serving, dialect),
            partial(self._clients.came, dialect=dialect),
            self._clients.went,
            partial(self._set_problem, "server") if dialect is PRIMARY else partial(self._note_problem, dialect),
            partial(self._clients.listed, dialect),
            self._clients.process_known,
        )

    def _calls_of(self, dialect: Dialect) -> Callable[[ToolCall], Awaitable[ToolResult]]:
        return partial(self._call, dialect)

    async def _call(self, dialect: Dialect, call: ToolCall) -> ToolResult:
        """Carry out a call, which is a sign that its program is at work. Loop thread."""
        self._runtime.assert_loop_thread()
        if not self._clients.is_wanted(dialect, call.session):
            return error_result(HIDDEN)
        name = self._clients.owner_of(call.session).client_name
        if call.name == dialect.turn_begins:
            self.changes.turn_begins()
        self.changes.sign(call.session.id, name)
        try:
            return await dialect.call(call, self._agent_window)
        finally:
            self.changes.sign(call.session.id, name)

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve. Returns at once; `port` is None until the server listens."""
        self._runtime.assert_main_thread()
        self.settings_changed()
        self.reviews.recover()
        self._servers.start(self._clients.wanted_dialects())

    def stop(self, *, for_good: bool) -> Future[States]:
        """Reject what is pending, give the window back and end the servers. `for_good`: the window closes.

        The discovery files are gone when this returns; the future holds the state that a successor can take over.
        """
        self._runtime.assert_main_thread()
        self.reviews.shutdown()
        self._stopped = True
        self._clients.stop()
        self.changes.stop()
        self.tracker.stop()
        self._discovery_updater.withdraw()
        self._status_bar.clear()
        return self._servers.stop(for_good=for_good)

    def exit(self) -> Future[States]:
        """The same for an editor that is quitting, or has ended, when its API may no longer be used.

        Main thread, or any other once the editor has ended.
        """
        self._discovery_updater.withdraw()
        self.reviews.exit()
        self._stopped = True
        self._clients.stop()
        return self._servers.stop(for_good=True)

    def restart_server(self) -> None:
        """Serve anew, on the same port and with the same sessions if that can be."""
        self._servers.restart()

    def loop_lost(self) -> None:
        """Serve anew after the event loop was replaced, for the same clients if they come back. Loop thread."""
        self._servers.loop_lost()

    def renew_sockets(self) -> None:
        """Make sockets in the file system again that somebody has removed. Loop thread."""
        self._servers.renew_sockets()

    def disconnect_clients(self) -> None:
        """End every client's session; the clients say so and offer to connect again."""
        self._servers.disconnect()

    def settings_changed(self) -> None:
        """Read the settings again, and say in the status bar which of them are wrong."""
        self._runtime.assert_main_thread()
        for complaint in self.settings.refresh():
            logger.warning("%s", complaint)
            say(self.window, complaint)
        self._servers.settings_changed(self.settings().maximum_body_mebibytes)
        self._servers.admit(agents_of(self.settings()))
        if self.port is not None and not self._stopped:
            self._servers.start(self._clients.wanted_dialects())
        self.changes.settings_changed()
        self.reviews.open_reviews.settings_changed()
        self._clients.wanted_has_changed()
        self.tracker.settings_changed()
        self.show_status()

    def workspace_changed(self) -> None:
        """Announce the window's folders again if they have changed."""
        self._runtime.assert_main_thread()
        if self.port is not None and not self._stopped:
            self._discovery_updater.announce(tuple(self._servers.services.values()))
            self.changes.update(self._discovery_updater.window_folders)

    def changes_listed(self) -> None:
        """What is unreviewed was listed anew."""
        before = self.changes.count
        self.changes.reviews.listed_anew()
        if self.changes.count != before:
            self.show_status()

    def project_changed(self) -> None:
        """The window has another project, or other settings in it."""
        self.settings_changed()
        self.workspace_changed()
        self.reviews.open_reviews.note_project()
        self.reviews.recover()

    def look_at_project(self) -> None:
        """Look whether the window has another project, or other settings in it: no event may have told of that."""
        if self.reviews.project_has_changed():
            self.project_changed()
        elif self.settings.project_has_changed():
            self.settings_changed()

    # -- questions ----------------------------------------------------------------------------------------------------

    @property
    def problem(self) -> Optional[str]:
        """The first of all problems, as a sentence for the user; None if all is well. Libraries come first."""
        return next((each for each in (self._libraries.problem, *self._problems.values()) if each is not None), None)

    def folders(self) -> Tuple[str, ...]:
        """The workspace folders as announced; empty while no client can find this window. Any thread."""
        return self._discovery_updater.folders

    def all_folders(self) -> Tuple[str, ...]:
        """The workspace folders, each by the names that it has with and without links. Any thread."""
        return self._discovery_updater.all_folders

    def client_came(self, session: ClientSession, dialect: Dialect) -> None:
        """A program that no server of the window serves wants to hear of it."""
        self._clients.came(session, dialect)

    def client_went(self, session: ClientSession) -> None:
        """Such a program has ended."""
        self._clients.went(session)

    def connection(self) -> Optional[Connection]:
        """How a client in a terminal finds this window, or None while none can."""
        if self.port is None or not self.folders():
            return None
        return Connection(self.port, self.folders(), EDITOR_PID, os.pathsep, self._servers.ports())

    def why_unreachable(self) -> str:
        """Why there is no `connection` and what to do, in a sentence for the status bar."""
        if self.problem is not None:
            return self.problem
        if self.port is None or not self._discovery_updater.has_announced:
            return STARTING
        return "clients cannot reach this window: open a folder or a file in it first"

    def services(self) -> Dict[str, Service]:
        """Its servers that listen, by the key of their dialect. They hold secrets."""
        return self._servers.services

    def secrets(self) -> Tuple[str, ...]:
        """The tokens that its first server takes, its own first. Never to be shown or written down."""
        return self._servers.secrets(PRIMARY)

    def all_secrets(self) -> Tuple[str, ...]:
        """The tokens that any of its servers takes. Never to be shown or written down."""
        return tuple(secret for dialect in DIALECTS for secret in self._servers.secrets(dialect))

    @property
    def clients(self) -> Dict[str, ClientSession]:
        """The sessions of the connected clients, by id, the oldest first. Main thread."""
        return self._clients.sessions

    def client_names(self, *, numbered: bool = False) -> List[str]:
        """The connected clients by the names that users know; if `numbered`, each has its own."""
        return self._clients.names(numbered=numbered)

    def takes_mentions(self) -> bool:
        """Whether a connected program can be sent mentions."""
        return self._clients.take_mentions()

    def mention(self, mention: Mention, key: str = "") -> Optional[str]:
        """Put a mention into the prompt of the program that connected last, of the one with this `key` if one is named.

        Returns the program's name, or None if none can be sent mentions.
        """
        return self._clients.mention(mention, key)

    def show_status(self) -> None:
        """Bring the status bar up to date."""
        if self._stopped:
            return
        if not self.settings().show_status:
            self._status_bar.clear()
            return
        state = State(
            port=self.port,
            problem=self.problem,
            clients=self.client_names(),
            sharing=self.tracker.sharing,
            pending=len(self.reviews.pending()),
            changed=self.changes.count,
        )
        self._status_bar.show(status_text(state))

    # -- what the server tells ----------------------------------------------------------------------------------------

    def _serving(self, dialect: Dialect, address: Address, token: str, agent_tokens: Dict[str, str]) -> None:
        self._runtime.assert_main_thread()
        if self._stopped:
            return
        self._servers.listens(dialect, address, token, agent_tokens)
        if dialect is PRIMARY:
            self.port = address.port
            logger.info("window %s is served on port %s", self.window.id(), address.port)
        self._discovery_updater.look_again()
        self.workspace_changed()
        self.show_status()

    def _note_problem(self, dialect: Dialect, problem: Optional[str]) -> None:
        """Only log it: most users have no program that speaks this dialect."""
        if problem is not None:
            logger.warning("%s is not served: %s", dialect.key, problem)

    def _set_problem(self, source: str, problem: Optional[str]) -> None:
        """Note what is wrong with `source`, or None once nothing is."""
        self._runtime.assert_main_thread()
        if self._stopped:
            return
        if problem is not None and problem != self._problems.get(source):
            say(self.window, problem)
        self._problems[source] = problem
        self.show_status()
