"""The clients of one window: who has come and gone, what each is called, and what they are told.

Rule: everything runs on the main thread, except where noted. A client hears only what is its own, in the words of its
dialect; one that the user does not want to know of the window is told nothing and not shown.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple

from ..agents.agent import Agent
from ..agents.dialect import Dialect, Message
from ..agents.registry import AGENTS
from ..agents.shared_context import SharedContext
from ..display_names import client_name
from ..review.decision import ACCEPTED, Outcome, Owner, Review
from ..system.processes import is_alive
from .self_test import SELF_TEST
from .servers import PRIMARY
from .tool_calls import display_name

if TYPE_CHECKING:
    from ..context.tracker import ContextTracker
    from ..pacing import Paced
    from ..protocol.tools import ClientSession
    from ..review.deliveries import Deliveries, Delivery
    from ..review.manager import ReviewManager
    from ..runtime import Runtime
    from .servers import Servers
    from .window_settings import WindowSettings

logger = logging.getLogger("gemini_companion.endpoint")

ENDING_MILLISECONDS = 2000  # that a program needs to end after it has closed its connection
ANSWER_SECONDS = 5.0  # in which a program that was answered writes the file


class EndpointClients:
    """The part of an endpoint that deals with clients; the endpoint itself is made of it."""

    settings: WindowSettings
    clients: Dict[str, ClientSession]
    reviews: ReviewManager
    tracker: ContextTracker
    _runtime: Runtime
    _servers: Servers
    _deliveries: Deliveries
    _clients_changed: Callable[[], None]
    _clients_seen: Paced
    _stopped: bool
    _dialects: Dict[str, Dialect]
    _names: Dict[str, str]
    _pids: Dict[str, int]
    _hidden: Dict[str, Tuple[ClientSession, Dialect]]
    _informed: Set[str]
    _answered: List[Tuple[float, str, Delivery]]

    def _client_came(self, session: ClientSession, dialect: Dialect = PRIMARY) -> None:
        self._runtime.assert_main_thread()
        if self._stopped or session.id in self.clients or session.client_name == SELF_TEST:
            return
        if not self._is_wanted(dialect, session):
            logger.info("%.80r is connected and told nothing: that is switched off", session.client_name)
            self._hidden[session.id] = session, dialect
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
        self._hidden.pop(session.id, None)
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
        self._informed.discard(session.id)
        if pid is not None:
            self._runtime.later_on_main(ENDING_MILLISECONDS, self._look_for_program, pid, session.id)
        self._clients_seen.call()

    def _wanted_has_changed(self) -> None:
        """The switches of the programs may have been changed: show those that wait for it, and hide others."""
        for session, dialect in list(self._hidden.values()):
            if self._is_wanted(dialect, session):
                del self._hidden[session.id]
                self._client_came(session, dialect)
        for session in list(self.clients.values()):
            dialect = self._dialects[session.id]
            if not self._is_wanted(dialect, session):
                self._hide(session, dialect)

    def _hide(self, session: ClientSession, dialect: Dialect) -> None:
        """Take back what a client was told; what it asks for goes on in its terminal."""
        logger.info("%.80r is told nothing any more: that is switched off", session.client_name)
        self._send_context(session.id, SharedContext({}))
        self._informed.discard(session.id)
        self.reviews.withdraw_all(session.id)
        del self.clients[session.id], self._dialects[session.id]
        self._hidden[session.id] = session, dialect
        if not self.clients:
            self.tracker.set_listening(False)
            self._clients_changed()
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

    def _publish_context(self, context: SharedContext) -> None:
        """Tell everybody who listens, each in its own words."""
        clients: List[Tuple[Dialect, Optional[str]]] = [(PRIMARY, None)]
        for session, dialect in self._dialects.items():
            if dialect is not PRIMARY and self._is_news(session, dialect, context):
                clients.append((dialect, session))
        self._servers.publish(context, clients)

    def _send_context(self, session: str, context: SharedContext) -> None:
        dialect = self._dialects.get(session)
        if dialect is not None and self._is_news(session, dialect, context):
            self._servers.publish(context, [(dialect, session)])

    def _is_news(self, session: str, dialect: Dialect, context: SharedContext) -> bool:
        """Whether a client has to be told: nothing is taken back from one that was told nothing. Keeps account."""
        if not dialect.only_takes_back(context):
            self._informed.add(session)
            return True
        return session in self._informed

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
