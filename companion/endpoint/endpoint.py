"""One window's endpoint: its server, its context, its reviews and its discovery files, brought together.

Rule: windows share nothing in here. Everything runs on the main thread; the server is told what to do through the
runtime, and answers the same way.
"""

from __future__ import annotations

import logging
import os
import time
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, List, Optional, Sequence, Tuple

import sublime

from ..agents.agent import Agent, Connection
from ..agents.dialect import AnsweredBy, Dialect, Mention, Message
from ..agents.registry import AGENTS
from ..agents.shared_context import SharedContext
from ..context.tracker import ContextTracker
from ..display_names import client_name
from ..editor.status_bar import StatusBar, say
from ..pacing import Paced
from ..review.decision import ACCEPTED, Outcome, Owner, Review
from ..review.deliveries import Deliveries
from ..review.manager import ReviewManager
from ..system.editor_process import EDITOR_PID
from ..system.processes import is_alive
from .address import Address
from .agent_window import EndpointWindow, Hooks
from .discovery_updates import DiscoveryUpdater
from .self_test import SELF_TEST
from .server_task import Listener, ServerTask
from .servers import DIALECTS, PRIMARY, Servers, Service, States
from .status_text import State, status_text
from .tool_calls import ToolCalls, display_name
from .window_settings import WindowSettings

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..protocol.tools import ClientSession, ToolCall, ToolResult
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.endpoint")

ENDING_MILLISECONDS = 2000  # that a program needs to end after it has closed its connection
ANSWER_SECONDS = 5.0  # in which a program that was answered writes the file
HIDDEN = "The user does not share this window with your program."


class Endpoint:
    """What one window offers to clients."""

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        libraries: Libraries,
        version: str,
        clients_changed: Callable[[], None],
        states: Optional[States] = None,
    ) -> None:
        """`clients_changed` is called when the first client has come or the last one has gone. `states` are what
        the window's endpoint left before the package was replaced, if that was just now."""
        self.window = window
        self.port: Optional[int] = None
        self.problem: Optional[str] = None
        self.clients: Dict[str, ClientSession] = {}
        self.settings = WindowSettings(window)
        self._runtime = runtime
        self._clients_changed = clients_changed
        self._dialects: Dict[str, Dialect] = {}  # of the clients, by session
        self._names: Dict[str, str] = {}  # that clients have given themselves, by session
        self._pids: Dict[str, int] = {}  # of those that have told it, by session
        self._answered: List[Tuple[float, str, object]] = []  # accepted by a result just now: when, session, delivery
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
        hooks = Hooks(
            owner_of=self._owner_of, is_connected=self._is_connected, rename=self._rename, folders=self.folders
        )
        self._agent_window = EndpointWindow(window, runtime, self.reviews, self.tracker, hooks)
        self._tool_calls = ToolCalls(self.reviews, runtime, self.folders)
        self._servers = Servers(
            runtime,
            libraries,
            version,
            self.settings().maximum_body_mebibytes,
            states=states or {},
            listener_of=self._listener_of,
            calls_of=self._calls_of,
        )

    @property
    def _server_task(self) -> ServerTask:
        """That of the primary dialect."""
        return self._servers.task_of(PRIMARY)

    def _listener_of(self, dialect: Dialect) -> Listener:
        return Listener(
            partial(self._serving, dialect),
            partial(self._client_came, dialect=dialect),
            self._client_went,
            self._deliveries.unread,
            self._set_problem if dialect is PRIMARY else partial(self._note_problem, dialect),
            partial(self._attentive_soon, dialect),
            self._process_known,
        )

    def _calls_of(self, dialect: Dialect) -> Callable[[ToolCall], Awaitable[ToolResult]]:
        return self._tool_calls if dialect.answered_by is AnsweredBy.NOTIFICATION else partial(self._call, dialect)

    async def _call(self, dialect: Dialect, call: ToolCall) -> ToolResult:
        """Carry out a call. Loop thread."""
        from ..protocol.tools import error_result

        if not self._is_wanted(dialect, call.session):
            return error_result(HIDDEN)
        return await dialect.call(call, self._agent_window)

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve. Returns at once; `port` is None until the server listens."""
        self._runtime.assert_main_thread()
        self.settings_changed()
        self.reviews.recover()
        self._servers.start(self._wanted_dialects())

    def stop(self) -> Future[States]:
        """Reject what is pending, give the window back and say goodbye to the clients.

        The discovery files are gone when this returns; the future holds the state that a successor can take over.
        """
        self._runtime.assert_main_thread()
        self.reviews.shutdown()
        self._stopped = True
        self.tracker.stop()
        self._discovery_updater.withdraw()
        self._status_bar.clear()
        return self._servers.stop()

    def exit(self) -> Future[States]:
        """The same for an editor that is quitting, or has ended, when its API may no longer be used.

        Main thread, or any other once the editor has ended.
        """
        self._discovery_updater.withdraw()
        self.reviews.wait_for_writes()
        # A client would wait for its answer for ever.
        for review in self.reviews.pending():
            if review.ticket is not None:
                review.ticket.settle(None)  # the program's own question goes on
            else:
                self._tell_outcome(review, Outcome("rejected", review.path, None))
        self._stopped = True
        return self._servers.stop()

    def restart_server(self) -> None:
        """Serve anew, on the same port and with the same sessions if that can be."""
        self._servers.restart()

    def loop_lost(self) -> None:
        """Serve anew after the event loop was replaced, for the same clients if they come back. Loop thread."""
        self._servers.loop_lost()

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
        if self.port is not None and not self._stopped:
            self._servers.start(self._wanted_dialects())
        self.tracker.refresh()
        self.show_status()

    def workspace_changed(self) -> None:
        """Announce the window's folders again if they have changed."""
        self._runtime.assert_main_thread()
        if self.port is not None and not self._stopped:
            self._discovery_updater.announce(tuple(self._servers.services.values()))

    # -- questions ----------------------------------------------------------------------------------------------------

    def folders(self) -> Tuple[str, ...]:
        """The workspace folders as announced; empty while no client can find this window."""
        return self._discovery_updater.folders

    def connection(self) -> Optional[Connection]:
        """How a client in a terminal finds this window, or None while none can."""
        if self.port is None or not self.folders():
            return None
        return Connection(self.port, self.folders(), EDITOR_PID, os.pathsep, self._servers.ports())

    def services(self) -> Dict[str, Service]:
        """Its servers that listen, by the key of their dialect. They hold secrets."""
        return self._servers.services

    def secrets(self) -> Tuple[str, ...]:
        """The tokens that its first server takes, its own first. Never to be shown or written down."""
        return self._servers.secrets(PRIMARY)

    def all_secrets(self) -> Tuple[str, ...]:
        """The tokens that any of its servers takes. Never to be shown or written down."""
        return tuple(secret for dialect in DIALECTS for secret in self._servers.secrets(dialect))

    def client_names(self) -> List[str]:
        """The connected clients by the names that users know."""
        return [self._owner_of(client).client_name for client in self.clients.values()]

    def takes_mentions(self) -> bool:
        """Whether a program has an ear for mentions."""
        return any(dialect.takes_mentions for dialect in self._dialects.values())

    def mention(self, mention: Mention, agent: Optional[Agent] = None) -> Optional[str]:
        """Put a mention into the prompt of the program that connected last, of this `agent` if one is named.

        Returns the program's name, or None if none has an ear for mentions.
        """
        for session, client in reversed(list(self.clients.items())):
            dialect = self._dialects[session]
            if agent is not None and (agent.dialect is not dialect or client.client_name not in agent.client_names):
                continue
            message = dialect.mention(mention)
            if message is not None:
                self._servers.notify(dialect, message, session)
                return self._owner_of(client).client_name
        return None

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

    def _client_came(self, session: ClientSession, dialect: Dialect = PRIMARY) -> None:
        self._runtime.assert_main_thread()
        if self._stopped or session.id in self.clients or session.client_name == SELF_TEST:
            return
        if not self._is_wanted(dialect, session):
            logger.info("%.80r is connected and told nothing: that is switched off", session.client_name)
            return
        first = not self.clients
        self.clients[session.id] = session
        self._dialects[session.id] = dialect
        if first:
            self._clients_changed()
            self.tracker.set_listening(True)  # which publishes the context to whoever is there
        else:
            self.tracker.when_current(partial(self._send_context, session.id))
        self._clients_seen.call()

    def _client_went(self, session: ClientSession, unread: List[object]) -> None:
        self._runtime.assert_main_thread()
        pid = self._pids.pop(session.id, None)
        if self.clients.pop(session.id, None) is None or self._stopped:
            return
        if not self.clients:
            self.tracker.set_listening(False)
            self._clients_changed()
        self.reviews.owner_gone(session.id)
        owner = self._owner_of(session)
        for tag in unread:
            self._deliveries.unread(tag, owner)
        for answered, of, delivery in self._answered:
            if of == session.id and time.monotonic() - answered < ANSWER_SECONDS:
                self._deliveries.unread(delivery)
        self._dialects.pop(session.id, None)
        self._names.pop(session.id, None)
        if pid is not None:
            self._runtime.later_on_main(ENDING_MILLISECONDS, self._look_for_program, pid, session.id)
        self._clients_seen.call()

    def _look_for_program(self, pid: int, session: str) -> None:
        """A program that lives on after its connection broke asks in its terminal: its reviews go."""

        def found(alive: bool) -> None:
            if alive:
                self.reviews.withdraw_all(session)

        self._runtime.use_disk(lambda cancelled: is_alive(pid), then=found)

    def _attentive_soon(self, dialect: Dialect, session: ClientSession) -> None:
        """A client was told the tools: from a moment later on it takes notice of what it is sent."""
        if dialect.attentive_after_seconds is not None:
            milliseconds = int(dialect.attentive_after_seconds * 1000)
            self._runtime.later_on_main(milliseconds, self._send_context_again, session.id)

    def _send_context_again(self, session: str) -> None:
        if session in self.clients and not self._stopped:
            self.tracker.when_current(partial(self._send_context, session))

    def _process_known(self, session: ClientSession, process_id: int) -> None:
        self._pids[session.id] = process_id

    def _rename(self, session: str, name: str) -> None:
        self._names[session] = name
        self._clients_seen.call()

    def _note_problem(self, dialect: Dialect, problem: Optional[str]) -> None:
        """Users of other programs need not be told all the time."""
        if problem is not None:
            logger.warning("%s is not served: %s", dialect.key, problem)

    def _set_problem(self, problem: Optional[str]) -> None:
        self._runtime.assert_main_thread()
        if self._stopped:
            return
        if problem != self.problem and problem is not None:
            say(self.window, problem)
        self.problem = problem
        self.show_status()

    # -- what the window tells the clients ----------------------------------------------------------------------------

    def _publish_context(self, context: SharedContext) -> None:
        """Tell everybody who listens, each in its own words."""
        for message in PRIMARY.messages(context):
            self._servers.notify(PRIMARY, message, None)
        words: Dict[str, Sequence[Message]] = {}  # the same for all who speak a dialect
        for session, dialect in self._dialects.items():
            if dialect is PRIMARY:
                continue
            if dialect.key not in words:
                words[dialect.key] = dialect.messages(context)
            for message in words[dialect.key]:
                self._servers.notify(dialect, message, session)

    def _send_context(self, session: str, context: SharedContext) -> None:
        dialect = self._dialects.get(session)
        for message in dialect.messages(context) if dialect is not None else ():
            self._servers.notify(dialect or PRIMARY, message, session)

    def _tell_outcome(self, review: Review, outcome: Outcome) -> None:
        delivery = self._deliveries.begin(review.owner, outcome) if outcome.kind == ACCEPTED else None
        if review.ticket is not None:
            review.ticket.settle(outcome)
            if delivery is not None:
                now = time.monotonic()
                self._answered = [each for each in self._answered if now - each[0] < ANSWER_SECONDS]
                self._answered.append((now, review.owner.session_id, delivery))
            return
        params: Dict[str, Any] = {"filePath": outcome.path}
        if outcome.kind == ACCEPTED:
            params["content"] = outcome.content
        method = "ide/diffAccepted" if outcome.kind == ACCEPTED else "ide/diffRejected"
        self._send(method, params, review.owner.session_id, None, delivery)

    def _send(
        self,
        method: str,
        params: Dict[str, Any],
        session: Optional[str],
        collapse: Optional[str],
        tag: Optional[object] = None,
    ) -> None:
        """Send a notification to one client of the first dialect, or to all of them."""
        self._servers.notify(PRIMARY, Message(method, params, collapse), session, tag)

    # -- who is who ---------------------------------------------------------------------------------------------------

    def _is_connected(self, owner: Owner) -> bool:
        return owner.session_id in self.clients

    def _owner_of(self, session: ClientSession) -> Owner:
        """The client, by the name that users know: what its program is called, and what it calls itself. Any thread."""
        agent = _agent_of(self._dialects.get(session.id), session)
        name = agent.title if agent is not None else display_name(session)
        given = self._names.get(session.id)
        return Owner(session.id, f"{name}: {client_name(given)}" if given else name)

    def _wanted_dialects(self) -> List[Dialect]:
        settings = self.settings()
        return [agent.dialect for agent in AGENTS if agent.is_wanted(settings)]

    def _is_wanted(self, dialect: Dialect, session: ClientSession) -> bool:
        """Whether the user wants this client to know of the window. Any thread."""
        agent = _agent_of(dialect, session)
        return agent is None or agent.is_wanted(self.settings())


def _agent_of(dialect: Optional[Dialect], session: ClientSession) -> Optional[Agent]:
    """Which program it is, where programs of one dialect introduce themselves by names of their own."""
    for agent in AGENTS:
        if agent.dialect is dialect and session.client_name in agent.client_names:
            return agent
    return None
