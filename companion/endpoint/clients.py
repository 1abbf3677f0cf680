"""The clients of one window: who has come and gone, what each is called, and what they are told.

Rule: everything runs on the main thread, except where noted. A client hears only what is its own, in the words of its
dialect; one that the user does not want to know of the window is told nothing and not shown.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Protocol, Sequence, Set, Tuple

from ..agents.agent import Agent
from ..agents.dialect import Dialect, Mention, Message
from ..agents.registry import AGENTS
from ..agents.shared_context import SharedContext
from ..display_names import client_name
from ..review.decision import Outcome, Owner, Review, Verdict
from ..system.processes import is_alive
from .self_test import SELF_TEST
from .servers import PRIMARY

if TYPE_CHECKING:
    from ..context.tracker import ContextTracker
    from ..protocol.tools import ClientSession
    from ..review.deliveries import Deliveries, Delivery
    from ..review.manager import ReviewManager
    from ..runtime import Runtime
    from ..settings import Settings

logger = logging.getLogger("gemini_companion.endpoint")

ENDING_MILLISECONDS = 2000  # that a program needs to end after it has closed its connection
ANSWER_SECONDS = 5.0  # in which a program that was answered writes the file

# The MCP SDK inside the CLIs gives its own name, not the name of the CLI. Then the token tells which CLI it is.
ANONYMOUS_CLIENTS = {"streamable-http-client": "CLI", "": "client"}

Recipients = Sequence[Tuple[Dialect, Optional[str]]]
"""Clients, each by its dialect and session; without a session, all of a dialect."""


class Notify(Protocol):
    """Sends a message to one client of a dialect or, without a session, to all. `tag` is as in `ServerTask.notify`."""

    def __call__(
        self, dialect: Dialect, message: Message, session: Optional[str], tag: Optional[object] = None
    ) -> None: ...


Publish = Callable[[SharedContext, Recipients], None]
"""Tells clients a context."""


class Clients:
    """The clients connected to one window. Main thread only, except where noted."""

    def __init__(
        self,
        runtime: Runtime,
        settings: Callable[[], Settings],
        reviews: ReviewManager,
        tracker: ContextTracker,
        deliveries: Deliveries,
        *,
        notify: Notify,
        publish: Publish,
        any_changed: Callable[[], None],
        changed: Callable[[], None],
    ) -> None:
        """`any_changed` is called when the first client has connected or the last one has gone, `changed` whenever the
        names that the user sees may have changed."""
        self.sessions: Dict[str, ClientSession] = {}
        """Those that are connected and shown, by id, the oldest first."""
        self._runtime = runtime
        self._settings = settings
        self._reviews = reviews
        self._tracker = tracker
        self._deliveries = deliveries
        self._notify = notify
        self._publish = publish
        self._any_changed = any_changed
        self._changed = changed
        self._stopped = False
        self._dialects: Dict[str, Dialect] = {}  # by session
        self._names: Dict[str, str] = {}  # that clients have given themselves, by session
        self._pids: Dict[str, int] = {}  # of those that have told it, by session
        self._hidden: Dict[str, Tuple[ClientSession, Dialect]] = {}  # connected, and switched off by the user
        self._informed: Set[str] = set()  # sessions that know of a file
        self._answered: List[Tuple[float, str, Delivery]] = []  # accepted by a result just now: when, session, delivery

    def stop(self) -> None:
        """The endpoint ends: from now on nothing is done for clients that connect or go."""
        self._stopped = True

    # -- coming and going ---------------------------------------------------------------------------------------------

    def came(self, session: ClientSession, dialect: Dialect = PRIMARY) -> None:
        """A client has connected."""
        self._runtime.assert_main_thread()
        if self._stopped or session.id in self.sessions or session.client_name == SELF_TEST:
            return
        if not self.is_wanted(dialect, session):
            logger.info("%.80r is connected and told nothing: that is switched off", session.client_name)
            self._hidden[session.id] = session, dialect
            return
        first = not self.sessions
        self.sessions[session.id] = session
        self._dialects[session.id] = dialect
        if first:
            self._any_changed()
            self._tracker.set_listening(True)  # which publishes the context to whoever is there
        else:
            self._tracker.when_current(partial(self._send_context, session.id))
        self._changed()

    def went(self, session: ClientSession, unread: List[object]) -> None:
        """A client's session has ended. `unread` has the tags of the messages that it is not known to have read."""
        self._runtime.assert_main_thread()
        pid = self._pids.pop(session.id, None)
        self._hidden.pop(session.id, None)
        if self.sessions.pop(session.id, None) is None or self._stopped:
            return
        if not self.sessions:
            self._tracker.set_listening(False)
            self._any_changed()
        self._reviews.owner_gone(session.id)
        owner = self.owner_of(session)
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
        self._changed()

    def wanted_has_changed(self) -> None:
        """The switches of the programs may have been changed: show those that wait for it, and hide others."""
        for session, dialect in list(self._hidden.values()):
            if self.is_wanted(dialect, session):
                del self._hidden[session.id]
                self.came(session, dialect)
        for session in list(self.sessions.values()):
            dialect = self._dialects[session.id]
            if not self.is_wanted(dialect, session):
                self._hide(session, dialect)

    def _hide(self, session: ClientSession, dialect: Dialect) -> None:
        """Take back what a client was told; what it asks for goes on in its terminal."""
        logger.info("%.80r is told nothing any more: that is switched off", session.client_name)
        self._send_context(session.id, SharedContext({}))
        self._informed.discard(session.id)
        self._reviews.withdraw_all(session.id)
        del self.sessions[session.id], self._dialects[session.id]
        self._hidden[session.id] = session, dialect
        if not self.sessions:
            self._tracker.set_listening(False)
            self._any_changed()
        self._changed()

    def _look_for_program(self, pid: int, session: str) -> None:
        """Withdraw the reviews of a program that still runs: it asks its question in the terminal now."""

        def found(alive: bool) -> None:
            if alive:
                self._reviews.withdraw_all(session)

        self._runtime.use_disk(lambda cancelled: is_alive(pid), then=found)

    def listed(self, dialect: Dialect, session: ClientSession) -> None:
        """A client was told the tools: from some moment later on it takes notice of what it is sent."""
        for seconds in dialect.attentive_after_seconds:
            self._runtime.later_on_main(int(seconds * 1000), self._send_context_again, session.id)

    def _send_context_again(self, session: str) -> None:
        if session in self.sessions and not self._stopped:
            self._tracker.when_current(partial(self._send_context, session))

    def process_known(self, session: ClientSession, process_id: int) -> None:
        """A client has told the id of its process."""
        self._pids[session.id] = process_id

    def rename(self, session: str, name: str) -> None:
        """Show a client under the name that it has given itself."""
        self._names[session] = name
        self._changed()

    # -- what they are told -------------------------------------------------------------------------------------------

    def publish_context(self, context: SharedContext) -> None:
        """Tell everybody who listens, each in its own words."""
        clients: List[Tuple[Dialect, Optional[str]]] = [(PRIMARY, None)]
        for session, dialect in self._dialects.items():
            if dialect is not PRIMARY and self._is_news(session, dialect, context):
                clients.append((dialect, session))
        self._publish(context, clients)

    def _send_context(self, session: str, context: SharedContext) -> None:
        dialect = self._dialects.get(session)
        if dialect is not None and self._is_news(session, dialect, context):
            self._publish(context, [(dialect, session)])

    def _is_news(self, session: str, dialect: Dialect, context: SharedContext) -> bool:
        """Whether a client has to be told: nothing is taken back from one that was told nothing. Keeps account."""
        if not dialect.only_takes_back(context):
            self._informed.add(session)
            return True
        return session in self._informed

    def tell_outcome(self, review: Review, outcome: Outcome) -> None:
        """Tell the client that asked for a review what came of it."""
        followed = outcome.kind is Verdict.ACCEPTED and not outcome.saved_over
        delivery = self._deliveries.begin(review.owner, outcome) if followed else None
        if review.ticket is not None:
            review.ticket.settle(outcome)
            if delivery is not None:
                now = time.monotonic()
                self._answered = [each for each in self._answered if now - each[0] < ANSWER_SECONDS]
                self._answered.append((now, review.owner.session_id, delivery))
            return
        params: Dict[str, Any] = {"filePath": outcome.path}
        if outcome.kind is Verdict.ACCEPTED:
            params["content"] = outcome.content
        method = "ide/diffAccepted" if outcome.kind is Verdict.ACCEPTED else "ide/diffRejected"
        self._notify(PRIMARY, Message(method, params), review.owner.session_id, delivery)

    def take_mentions(self) -> bool:
        """Whether one of them can be sent mentions."""
        return any(dialect.takes_mentions for dialect in self._dialects.values())

    def mention(self, mention: Mention, agent: Optional[Agent] = None) -> Optional[str]:
        """Put a mention into the prompt of the program that connected last, of this `agent` if one is named.

        Returns the program's name, or None if none can be sent mentions.
        """
        for session, client in reversed(list(self.sessions.items())):
            dialect = self._dialects[session]
            if agent is not None and (agent.dialect is not dialect or client.client_name not in agent.client_names):
                continue
            message = dialect.mention(mention)
            if message is not None:
                self._notify(dialect, message, session)
                return self.owner_of(client).client_name
        return None

    # -- who they are -------------------------------------------------------------------------------------------------

    def names(self) -> List[str]:
        """What they are called, in the order of `sessions`."""
        return [self.owner_of(client).client_name for client in self.sessions.values()]

    def is_connected(self, owner: Owner) -> bool:
        """Whether this client is connected, and shown."""
        return owner.session_id in self.sessions

    def owner_of(self, session: ClientSession) -> Owner:
        """The client, by the name that users know: what its program is called, and what it calls itself. Any thread."""
        agent = _agent_of(self._dialects.get(session.id), session)
        name = agent.title if agent is not None else display_name(session)
        given = self._names.get(session.id)
        return Owner(session.id, f"{name}: {client_name(given)}" if given else name)

    def wanted_dialects(self) -> List[Dialect]:
        """The dialects of the programs that the user wants to find this window."""
        settings = self._settings()
        return [agent.dialect for agent in AGENTS if agent.is_wanted(settings)]

    def is_wanted(self, dialect: Dialect, session: ClientSession) -> bool:
        """Whether the user wants this client to know of the window. Any thread."""
        agent = _agent_of(dialect, session)
        return agent is None or agent.is_wanted(self._settings())


def display_name(session: ClientSession) -> str:
    """The name that a client introduces itself with, as the user reads it: short, hidden characters made visible."""
    name = client_name(session.client_name)
    if name in ANONYMOUS_CLIENTS:
        return session.token_name or ANONYMOUS_CLIENTS[name]
    return name


def _agent_of(dialect: Optional[Dialect], session: ClientSession) -> Optional[Agent]:
    """Which program it is, where programs of one dialect introduce themselves by names of their own."""
    for agent in AGENTS:
        if agent.dialect is dialect and session.client_name in agent.client_names:
            return agent
    return None
