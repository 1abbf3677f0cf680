"""The agents at work in one window: one table, with a row for each agent, however the window knows of it.

It holds the connections, the sessions that hooks tell of, and what was started in terminals; `agent_row` puts the rows
together.

Rules: only the main thread changes the table. Other threads look up single connections, for their names and for nothing
else, and never go through all of them: the main thread may add or remove one meanwhile. An agent receives only what is
its own, in the words of its dialect; one that is disabled receives nothing and is not shown.
"""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from functools import partial
from itertools import count
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..agents.dialect import Dialect, Mention
from ..agents.registry import agents_of, wanted_agents
from ..agents.window import NOTHING, RESTORES_ALL, Restored, SharedContext
from ..common.clock import clock
from ..context.tracker import ContextTracker
from ..protocol.tools import ClientSession
from ..review.decision import Owner
from ..review.reviews import Reviews
from ..runtime import Runtime
from ..settings import Settings
from ..system.processes import is_alive
from .agent_row import (
    AgentAtWork,
    Client,
    HookedAgent,
    Presence,
    Waiting,
    agent_of,
    display_name,
    has_gone,
    joined,
    name_of,
)
from .servers import PRIMARY, Servers, token_names

logger = logging.getLogger("gemini_companion.endpoint")

SELF_TEST = "gemini-companion-self-test-" + secrets.token_hex(16)
"""The name under which our own trials connect to our servers, so that they get no row. It is made anew in each run, so
that no client can make itself invisible by it."""
ENDING_MILLISECONDS = 2000  # that an agent needs to end after it has closed its connection


class AgentsAtWork:
    """The agents of one window. Main thread only, except where noted."""

    def __init__(
        self,
        runtime: Runtime,
        settings: Callable[[], Settings],
        reviews: Reviews,
        tracker: ContextTracker,
        servers: Callable[[], Servers],
        *,
        any_changed: Callable[[], None],
        changed: Callable[[], None],
        changed_soon: Callable[[], None],
        attention_changed: Callable[[], None],
        has_terminal: Callable[[], bool],
    ) -> None:
        """`any_changed` is called when the first client has connected or the last one has gone, `changed` when the rows
        have changed, `changed_soon` where that may happen thousands of times in a second, `attention_changed` when
        other agents wait for their user. `has_terminal` tells whether a terminal with an agent is open."""
        self.hooked: Tuple[HookedAgent, ...] = ()
        """The sessions whose hooks tell of them."""
        self._runtime = runtime
        self._settings = settings
        self._reviews = reviews
        self._tracker = tracker
        self._servers = servers
        self._any_changed = any_changed
        self._changed = changed
        self._changed_soon = changed_soon
        self._attention_changed = attention_changed
        self._has_terminal = has_terminal
        self._stopped = False
        # The connections, by session; the one that has had its presence longest first.
        self._clients: OrderedDict[str, Client] = OrderedDict()
        self._asking: Dict[str, Client] = {}  # those of them that only ask for the context
        self._numbers: Set[Tuple[str, int]] = set()  # those that are taken, each with what the connection is called
        self._started: Set[str] = set()  # the keys of agents that run in terminals as far as is known

    def stop(self) -> None:
        """The endpoint ends: from now on nothing is done for agents that come or go."""
        self._stopped = True

    # -- what is known -------------------------------------------------------------------------------------------------

    def rows(self) -> List[AgentAtWork]:
        """All agents at work: the connected ones first, the oldest of them first; then those known by their hooks
        alone; then those that were started and have not been heard of."""
        rows = joined(self.connected, self.hooked)
        heard_of = {row.key for row in rows}
        return rows + [AgentAtWork(key, key) for key in sorted(self._started - heard_of)]

    @property
    def connected(self) -> List[Client]:
        """The clients that are connected and shown, the oldest first."""
        return self._all(Presence.SHOWN)

    @property
    def any_connected(self) -> bool:
        """Whether there is one. Thousands may come and go in a second, so they are not counted for this."""
        return any(client.presence is Presence.SHOWN for client in self._clients.values())

    @property
    def any_at_work(self) -> bool:
        """Whether there is any row."""
        return bool(self._started or self.hooked) or self.any_connected

    @property
    def waiting(self) -> List[Waiting]:
        """What the agents wait for that wait for their user."""
        return [each.waits for each in self.hooked if each.waits is not None]

    def _all(self, presence: Presence) -> List[Client]:
        return [client for client in self._clients.values() if client.presence is presence]

    def client(self, session: str) -> Optional[Client]:
        """The client of this session if it is connected and shown. Any thread."""
        client = self._clients.get(session)
        return client if client is not None and client.presence is Presence.SHOWN else None

    def of(self, key: str) -> List[Client]:
        """The connected clients of the agent with this key."""
        return [client for client in self.connected if client.key == key]

    def owner_of(self, session: ClientSession) -> Owner:
        """The client as the owner of a review, by the name that users know. Any thread."""
        client = self._clients.get(session.id)
        elsewhere = client.elsewhere if client is not None else ""
        return Owner(session.id, name_of(session, client, numbered=True), session.token_name, elsewhere)

    def restored_by(self, session: ClientSession) -> Restored:
        """What the client's agent restores of a file when it writes an accepted text. Any thread."""
        client = self.client(session.id)
        return client.agent.restored if client is not None and client.agent is not None else RESTORES_ALL

    def hides(self, owner: Owner) -> bool:
        """Whether the user has disabled the client's agent, be it connected or not."""
        client = self._clients.get(owner.session_id)
        if client is not None:
            return client.presence is Presence.HIDDEN
        own = {agent.token_name for agent in wanted_agents(self._settings())}
        return bool(owner.token_name) and owner.token_name not in own

    def is_wanted(self, dialect: Dialect, session: ClientSession) -> bool:
        """Whether this client may know of the window: an agent that comes by its token is enabled, and its own agent is
        not disabled. Any thread: no client is looked up."""
        settings = self._settings()
        if session.token_name not in token_names(dialect, wanted_agents(settings)):
            return False
        agent = agent_of(dialect, session, agents_of(settings))
        return agent is None or agent.is_wanted(settings)

    # -- agents come and go --------------------------------------------------------------------------------------------

    def started(self, key: str = "") -> None:
        """The agent of this key was started in a terminal of the window, and may never connect."""
        self._started.add(key)
        self._changed()

    def terminal_closed(self) -> None:
        """A terminal was closed, maybe the last one in which an agent runs that was started here."""
        if self._started and not self.any_connected and not self._has_terminal():
            self._started.clear()
        self._changed()

    def hooks_told(self, hooked: Sequence[HookedAgent]) -> None:
        """These are now all agents whose hooks tell of them."""
        former, self.hooked = self.hooked, tuple(hooked)
        if self._stopped or self.hooked == former:
            return
        if [each.waits for each in former if each.waits] != self.waiting:
            self._attention_changed()
        self.rows_changed()

    def rows_changed(self) -> None:
        """Agents have come or gone: without one that is heard of, look whether a terminal is still open."""
        if self.hooked or self.any_connected:
            self._changed()
        else:
            self.terminal_closed()

    def came(self, session: ClientSession, dialect: Dialect = PRIMARY) -> None:
        """A client has connected."""
        self._runtime.assert_main_thread()
        if self._stopped or session.client_name == SELF_TEST:
            return
        client = self._clients.setdefault(session.id, Client())
        if client.presence is Presence.SHOWN:
            return
        client.session, client.dialect = session, dialect
        client.agent = agent_of(dialect, session, agents_of(self._settings()))
        if not self.is_wanted(dialect, session):
            logger.info("%.80r is connected and receives nothing: it is disabled", session.client_name)
            self._go(client, Presence.HIDDEN)
            return
        first = not self.any_connected
        self._go(client, Presence.SHOWN)
        if not client.number:
            self._number(client)
        if first:
            self._any_changed()
            self._tracker.set_listening(True)  # which publishes the context to all that are there
        else:
            self._tracker.when_current(partial(self._send_context, session.id))
        self._changed_soon()

    def asked(self, session: ClientSession, dialect: Dialect, process: Optional[int]) -> None:
        """An agent asks for the context without connecting: it is there until it `has_gone`."""
        client = self._clients.setdefault(session.id, Client())
        client.session, client.process, client.asked = session, process, clock.now()
        self._asking[session.id] = client
        self.came(session, dialect)

    def drop_gone(self) -> None:
        """Forget the agents that only ask and have gone: nothing else tells of that. Any thread."""
        for client in list(self._asking.values()):
            if client.asked is not None and has_gone(client.process, client.asked):
                self._runtime.on_main(self.went, client.session)

    def went(self, session: ClientSession) -> None:
        """A client's session has ended."""
        self._runtime.assert_main_thread()
        self._asking.pop(session.id, None)
        client = self._clients.pop(session.id, None)
        if client is None or self._stopped:
            return
        self._numbers.discard((client.called, client.number))
        self._reviews.owner_gone(session.id)
        if client.presence is not Presence.SHOWN:
            return
        self._stop_listening_without_clients()
        if client.process is not None:
            self._runtime.later_on_main(ENDING_MILLISECONDS, self._withdraw_if_alive, client.process, session.id)
        self._changed_soon()

    def _number(self, client: Client) -> None:
        """Give a client the smallest number that no other one has that is called the same."""
        client.called = display_name(client.session, client.agent)
        client.number = next(number for number in count(1) if (client.called, number) not in self._numbers)
        self._numbers.add((client.called, client.number))

    def _go(self, client: Client, presence: Presence) -> None:
        if client.go(presence):
            self._clients.move_to_end(client.session.id)

    def wanted_has_changed(self) -> None:
        """The user may have enabled or disabled agents: show the clients of the former, hide those of the latter, and
        end their diffs."""
        for client in self._all(Presence.HIDDEN):
            if self.is_wanted(client.dialect, client.session):
                self.came(client.session, client.dialect)
        for client in self.connected:
            client.agent = agent_of(client.dialect, client.session, agents_of(self._settings()))
            if not self.is_wanted(client.dialect, client.session):
                self._hide(client)
        self._reviews.end_all(self.hides)

    def _hide(self, client: Client) -> None:
        """Take back what a client has received. This reaches it before its session ends, if that is to end."""
        logger.info("%.80r receives nothing any more: it is disabled", client.session.client_name)
        self._send_context(client.session.id, NOTHING)
        client.informed = False
        self._go(client, Presence.HIDDEN)
        self._stop_listening_without_clients()
        self._changed_soon()

    def _stop_listening_without_clients(self) -> None:
        if not self.any_connected:
            self._tracker.set_listening(False)
            self._any_changed()

    def _withdraw_if_alive(self, process: int, session: str) -> None:
        """Withdraw the reviews of an agent that still runs: it asks its question in the terminal now."""

        def found(alive: bool) -> None:
            if alive:
                self._reviews.withdraw(session)

        self._runtime.use_disk(lambda cancelled: is_alive(process), then=found)

    def process_known(self, session: ClientSession, process: int) -> None:
        """A client has sent the id of its process, maybe before it has connected."""
        self._clients.setdefault(session.id, Client()).process = process

    def rename(self, session: str, name: str) -> None:
        """Show a client under the name that it has given itself."""
        self._clients.setdefault(session, Client()).given_name = name
        self._changed_soon()

    # -- what they receive ---------------------------------------------------------------------------------------------

    def listed(self, session: ClientSession, dialect: Dialect) -> None:
        """A client has received the list of tools: it takes notice of what it is sent from some moment later on."""
        for seconds in dialect.attentive_after_seconds:
            self._runtime.later_on_main(int(seconds * 1000), self._send_context_again, session.id)

    def _send_context_again(self, session: str) -> None:
        if self.client(session) is not None:
            self._tracker.when_current(partial(self._send_context, session))

    def publish_context(self, context: SharedContext) -> None:
        """Send the context to all that are connected, to each in its own words."""
        clients: List[Tuple[Dialect, Optional[str]]] = [(PRIMARY, None)]
        for client in self.connected:
            if client.dialect is not PRIMARY and client.is_news(context):
                clients.append((client.dialect, client.session.id))
        self._servers().publish(context, clients)

    def _send_context(self, session: str, context: SharedContext) -> None:
        client = self.client(session)
        if client is not None and client.is_news(context):
            self._servers().publish(context, [(client.dialect, session)])

    def take_mentions(self) -> bool:
        """Whether one of them can be sent mentions."""
        return any(client.dialect.takes_mentions for client in self.connected)

    def mention(self, mention: Mention, key: str = "") -> Optional[str]:
        """Put a mention into the prompt of the agent that connected last, of the one with this `key` if one is named.

        Returns the agent's name, or None if none can be sent this mention.
        """
        for client in reversed(self.connected):
            if key and client.key != key:
                continue
            needs_lines = client.agent is not None and client.agent.needs_lines
            place = mention.spelled_out() if needs_lines else mention
            message = client.dialect.mention(place) if place is not None else None
            if message is not None:
                self._servers().notify(client.dialect, message, client.session.id)
                return client.name(numbered=True)
        return None
