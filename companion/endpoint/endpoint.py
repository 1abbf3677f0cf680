"""One window's endpoint: its server, its context, its reviews and its discovery files, brought together.

Rule: nothing in here is shared with another window. Everything runs on the main thread; the server is told what to do
through the runtime and answers the same way.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import sublime

from ..agents.agent import Connection
from ..agents.registry import AGENTS
from ..context.tracker import ContextTracker
from ..diagnosis import SELF_TEST
from ..editor.status_bar import StatusBar, say
from ..pacing import Paced
from ..review.decision import ACCEPTED, Outcome, Owner, Review
from ..review.deliveries import Deliveries
from ..review.manager import ReviewManager
from ..system.editor_process import EDITOR_PID
from ..transport.security import new_token
from .discovery_updates import DiscoveryUpdater
from .server_task import Listener, ServerState, ServerTask
from .status_text import State, status_text
from .tool_calls import ToolCalls, display_name
from .window_settings import WindowSettings

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..protocol.tools import ClientSession
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.endpoint")

CONTEXT = "ide/contextUpdate"


class Endpoint:
    """What one window offers to clients."""

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        libraries: Libraries,
        version: str,
        clients_changed: Callable[[], None],
        server_state: Optional[ServerState] = None,
    ) -> None:
        """`clients_changed` is called when the first client has come or the last one has gone. `inheritance` is what
        the window's endpoint left before the package was replaced, if that was just now."""
        self.window = window
        self.port: Optional[int] = None
        self.problem: Optional[str] = None
        self.clients: Dict[str, ClientSession] = {}
        self.settings = WindowSettings(window)
        self._runtime = runtime
        self._clients_changed = clients_changed
        self._server_state = server_state
        # Each agent shows a token of its own, because by the name that it gives itself it cannot be told from another.
        if server_state is not None:
            self._token, self._agent_tokens = server_state.token, server_state.agent_tokens
        else:
            self._token = new_token()
            self._agent_tokens = {agent.title: new_token() for agent in AGENTS}
        self._stopped = False
        self._status_bar = StatusBar(window)
        self._clients_seen = Paced(self.show_status, runtime.later_on_main)  # thousands may come and go in a second
        self.reviews = ReviewManager(
            window, runtime=runtime, settings=self.settings, notify=self._tell_outcome, is_connected=self._is_connected
        )
        self.tracker = ContextTracker(window, runtime=runtime, settings=self.settings, publish=self._publish_context)
        self._deliveries = Deliveries(self.reviews, runtime, lambda: self._stopped)
        self._discovery_updater = DiscoveryUpdater(
            window, runtime, self.settings, self.tracker.active_path, self._set_problem
        )
        self._server_task = ServerTask(
            runtime,
            libraries,
            Listener(self._serving, self._client_came, self._client_went, self._deliveries.unread, self._set_problem),
            ToolCalls(self.reviews, runtime, self.folders),
            token=self._token,
            agent_tokens=self._agent_tokens,
            version=version,
            body_mebibytes=self.settings().maximum_body_mebibytes,
        )

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve. Returns at once; `port` is None until the server listens."""
        self._runtime.assert_main_thread()
        self.settings_changed()
        self.reviews.recover()
        self._runtime.spawn(self._server_task.run, self._server_state)
        self._server_state = None

    def stop(self) -> Future[Optional[ServerState]]:
        """Reject what is pending, give the window back and say goodbye to the clients.

        The discovery files are gone when this returns; the future holds what a successor can go on with.
        """
        self._runtime.assert_main_thread()
        self.reviews.shutdown()
        self._stopped = True
        self.tracker.stop()
        self._discovery_updater.withdraw()
        self._status_bar.clear()
        return self._runtime.spawn(self._server_task.stop)

    def exit(self) -> Future[Optional[ServerState]]:
        """The same for an editor that is quitting, or has ended, when its API may no longer be used.

        Main thread, or any other once the editor has ended.
        """
        self._discovery_updater.withdraw()
        self.reviews.wait_for_writes()
        # A client that waits for an answer would wait for ever.
        for review in self.reviews.pending():
            self._tell_outcome(review, Outcome("rejected", review.path, None))
        self._stopped = True
        return self._runtime.spawn(self._server_task.stop)

    def restart_server(self) -> None:
        """Serve anew, on the same port and with the same sessions if that can be."""
        self._runtime.spawn(self._server_task.restart)

    def loop_lost(self) -> None:
        """Serve anew after the event loop was replaced, for the same clients if they come back. Loop thread."""
        self._server_task.loop_lost()

    def disconnect_clients(self) -> None:
        """End every client's session; the clients say so and offer to connect again."""
        self._runtime.on_loop(self._server_task.disconnect)

    def settings_changed(self) -> None:
        """Take the settings as they are now, and say in the status bar which of them are wrong."""
        self._runtime.assert_main_thread()
        for complaint in self.settings.refresh():
            logger.warning("%s", complaint)
            say(self.window, complaint)
        self._runtime.on_loop(self._server_task.settings_changed, self.settings().maximum_body_mebibytes)
        self.tracker.refresh()
        self.show_status()

    def workspace_changed(self) -> None:
        """Announce the window's folders anew if they are not the ones announced."""
        self._runtime.assert_main_thread()
        if self.port is not None and not self._stopped:
            self._discovery_updater.announce(self.port, self._token, tuple(self._agent_tokens.items()))

    # -- what others ask ----------------------------------------------------------------------------------------------

    def folders(self) -> Tuple[str, ...]:
        """The workspace folders as announced; empty while no client can find this window."""
        return self._discovery_updater.folders

    def connection(self) -> Optional[Connection]:
        """How a client in a terminal finds this window, or None while none can."""
        if self.port is None or not self.folders():
            return None
        return Connection(self.port, self.folders(), EDITOR_PID, os.pathsep)

    def secrets(self) -> Tuple[str, ...]:
        """The tokens that its server takes, its own first. Never to be shown or written down."""
        return (self._token, *self._agent_tokens.values())

    def client_names(self) -> List[str]:
        """The connected clients by the names that users know."""
        return [display_name(client) for client in self.clients.values()]

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
        )
        self._status_bar.show(status_text(state))

    # -- what the server tells ----------------------------------------------------------------------------------------

    def _serving(self, port: int, token: str, agent_tokens: Dict[str, str]) -> None:
        self._runtime.assert_main_thread()
        if self._stopped:
            return
        self.port, self._token, self._agent_tokens = port, token, agent_tokens
        self._discovery_updater.look_again()
        logger.info("window %s is served on port %s", self.window.id(), port)
        self.workspace_changed()
        self.show_status()

    def _client_came(self, session: ClientSession) -> None:
        self._runtime.assert_main_thread()
        if self._stopped or session.id in self.clients or session.client_name == SELF_TEST:
            return
        first = not self.clients
        self.clients[session.id] = session
        if first:
            self._clients_changed()
            self.tracker.set_listening(True)  # which publishes the context to whoever is there
        else:
            self.tracker.when_current(lambda context: self._send(CONTEXT, context, session.id, CONTEXT))
        self._clients_seen.call()

    def _client_went(self, session: ClientSession, unread: List[object]) -> None:
        self._runtime.assert_main_thread()
        if self.clients.pop(session.id, None) is None or self._stopped:
            return
        if not self.clients:
            self.tracker.set_listening(False)
            self._clients_changed()
        self.reviews.owner_gone(session.id)
        for tag in unread:
            self._deliveries.unread(tag, Owner(session.id, display_name(session)))
        self._clients_seen.call()

    def _set_problem(self, problem: Optional[str]) -> None:
        self._runtime.assert_main_thread()
        if self._stopped:
            return
        if problem != self.problem and problem is not None:
            say(self.window, problem)
        self.problem = problem
        self.show_status()

    # -- what the window tells the clients ----------------------------------------------------------------------------

    def _send(self, method: str, params: Dict[str, Any], session: Optional[str], collapse: Optional[str]) -> None:
        self._runtime.on_loop(self._server_task.notify, method, params, session, collapse)

    def _publish_context(self, context: Dict[str, Any]) -> None:
        self._send(CONTEXT, context, None, CONTEXT)

    def _tell_outcome(self, review: Review, outcome: Outcome) -> None:
        params: Dict[str, Any] = {"filePath": outcome.path}
        method, delivery = "ide/diffRejected", None
        if outcome.kind == ACCEPTED:
            params["content"] = outcome.content
            method, delivery = "ide/diffAccepted", self._deliveries.begin(review.owner, outcome)
        self._runtime.on_loop(self._server_task.notify, method, params, review.owner.session_id, None, delivery)

    def _is_connected(self, owner: Owner) -> bool:
        return owner.session_id in self.clients
