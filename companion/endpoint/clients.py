"""The clients of one window: who has come and gone, what each is called, what it hears, and what the status bar says.

    presence  what happens                              next presence
    --------  ----------------------------------------  -------------
    EXPECTED  it connects                               SHOWN
    EXPECTED  it connects, its program is switched off  HIDDEN
    SHOWN     the user switches its program off         HIDDEN
    HIDDEN    the user switches its program on          SHOWN

A client is expected if the window hears of it before it has connected: over HTTP, its process id comes with the request
that opens its session. Whatever its presence, one that goes is forgotten.

Rules: only the main thread changes a client. Other threads look up single clients, for their names and for nothing
else, and never go through all of them: the main thread may add or remove one meanwhile. A client hears only what is its
own, in the words of its dialect; one whose program is switched off hears nothing and is not shown. The text in the
status bar is pure and short: it fits however many clients there are and whatever they call themselves.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter, OrderedDict
from enum import Enum
from functools import partial
from itertools import count
from typing import Callable, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..agents.agent import Agent
from ..agents.dialect import Dialect, Mention
from ..agents.registry import AGENTS, agents_of, wanted_agents
from ..agents.window import NOTHING, RESTORES_ALL, Restored, SharedContext
from ..common.display_names import client_name, cut_middle
from ..context.tracker import ContextTracker
from ..protocol.tools import ClientSession
from ..review.decision import Owner
from ..review.manager import ReviewManager
from ..runtime import Runtime
from ..settings import Settings
from ..system.processes import is_alive
from .servers import PRIMARY, Servers, token_names

logger = logging.getLogger("gemini_companion.endpoint")

# The MCP SDK inside the CLIs gives its own name, not the name of the CLI. Then the token tells which CLI it is.
ANONYMOUS_CLIENTS = {"streamable-http-client": "CLI", "": "client"}
SELF_TEST = "gemini-companion-self-test-" + secrets.token_hex(16)
"""How our own trials introduce themselves to our servers, so that they are counted as no clients. It is of this run
alone, so that no client can make itself invisible by it."""


class Presence(Enum):
    """Whether a client has connected, and if so, whether the user wants it to know of the window."""

    EXPECTED = "expected"
    SHOWN = "shown"
    HIDDEN = "hidden"


TRANSITIONS: Dict[Presence, FrozenSet[Presence]] = {
    Presence.EXPECTED: frozenset({Presence.SHOWN, Presence.HIDDEN}),
    Presence.SHOWN: frozenset({Presence.HIDDEN}),
    Presence.HIDDEN: frozenset({Presence.SHOWN}),
}


class Client:
    """What is known of one client. Main thread only.

    `number` tells it from others of its `program`, as users call that, for as long as it is connected. `given_name` is
    what the client calls itself, or "". `informed` means that it knows of a file.
    """

    session: ClientSession
    dialect: Dialect
    """Both are set once it has connected; one that is expected has neither."""

    def __init__(self) -> None:
        self.presence = Presence.EXPECTED
        self.number = 0
        self.program = ""
        self.given_name = ""
        self.process_id: Optional[int] = None
        self.informed = False

    def go(self, presence: Presence) -> bool:
        """Change the presence. False if there is no way to it."""
        if presence not in TRANSITIONS[self.presence]:
            return False
        self.presence = presence
        return True

    def is_news(self, context: SharedContext) -> bool:
        """Whether the client needs this context: one that has heard of no file needs no empty one. Keeps account."""
        if not self.dialect.only_takes_back(context):
            self.informed = True
            return True
        return self.informed


def name_of(
    session: ClientSession, client: Optional[Client], agents: Sequence[Agent] = AGENTS, *, numbered: bool = False
) -> str:
    """The name that users know: what the client's program is called, one of `agents`, and what it calls itself. If it
    is to be `numbered`, it is not the one of another client.

    `client` is what is known of it, if anything is; its dialect tells the program only while it is shown. Any thread:
    the presence is read before the dialect, which is set before it, and the rest once.
    """
    if client is None:
        return display_name(session)
    name = program_of(session, client, agents)
    if numbered and client.number > 1:
        name = f"{name} {client.number}"
    given = client.given_name
    return f"{name}: {client_name(given)}" if given else name


def program_of(session: ClientSession, client: Client, agents: Sequence[Agent]) -> str:
    """What the client's program is called."""
    agent = agent_of(client.dialect, session, agents) if client.presence is Presence.SHOWN else None
    return agent.title if agent is not None else display_name(session)


def display_name(session: ClientSession) -> str:
    """The name that a client introduces itself with, as the user reads it: short, hidden characters made visible."""
    name = client_name(session.client_name)
    if name in ANONYMOUS_CLIENTS:
        return session.token_name or ANONYMOUS_CLIENTS[name]
    return name


def agent_of(dialect: Dialect, session: ClientSession, agents: Sequence[Agent] = AGENTS) -> Optional[Agent]:
    """Which of these programs it is: one of a user's row by its token, others of one dialect by the names that they
    introduce themselves with."""
    same = [agent for agent in agents if agent.dialect is dialect]
    by_token = (agent for agent in same if agent.is_own and agent.title == session.token_name)
    return next(by_token, next((agent for agent in same if session.client_name in agent.client_names), None))


class Coverage(NamedTuple):
    """The names of a window's programs, where every write is reviewed: those whose hooks have been heard, those whose
    hooks lead to this editor but have not been heard yet, and those without hooks."""

    reviewed: Tuple[str, ...] = ()
    unknown: Tuple[str, ...] = ()
    not_reviewed: Tuple[str, ...] = ()


class Waiting(NamedTuple):
    """An agent's session that waits for its user: it is done, or it asks something."""

    title: str
    is_done: bool = False
    tool: str = ""
    """The tool that it asks about, by the agent's own name; "" if it does not say."""
    writes: bool = False
    """Whether that tool writes the files that its arguments name."""


class HookedPrograms(NamedTuple):
    """The programs at work in one window whose hooks tell of it: one for each session, and those that wait for their
    user."""

    programs: Tuple[Agent, ...] = ()
    waiting: Tuple[Waiting, ...] = ()

    def not_among(self, connected: Sequence[str]) -> List[str]:
        """What those are called that are no clients. `connected` has the keys of the clients' programs."""
        titles = {agent.key: agent.title for agent in self.programs}
        return [titles[key] for key in (self._keys() - Counter(connected)).elements()]

    def coverage(self, clients: Sequence[Tuple[str, str]], leading: FrozenSet[str]) -> Coverage:
        """Sort the programs by whether every write of theirs is reviewed. `clients` are the key and the name of each
        client's program, `leading` the keys of those whose hooks lead to this editor."""
        titles, sessions = {agent.key: agent.title for agent in self.programs}, self._keys()
        reviewed: List[str] = []
        unknown: List[str] = []
        not_reviewed: List[str] = []
        for key, name in clients:
            if key not in leading:
                not_reviewed.append(name)
            else:
                (reviewed if sessions[key] > 0 else unknown).append(name)
            sessions[key] -= 1
        for key in (+sessions).elements():
            (reviewed if key in leading else not_reviewed).append(titles[key])
        return Coverage(tuple(reviewed), tuple(unknown), tuple(not_reviewed))

    def include(self, connected: Sequence[str]) -> bool:
        """Whether all clients are among them."""
        return not Counter(connected) - self._keys()

    def _keys(self) -> Counter[str]:
        return Counter(agent.key for agent in self.programs)


# -- all of a window's clients -----------------------------------------------------------------------------------------

ENDING_MILLISECONDS = 2000  # that a program needs to end after it has closed its connection


class Clients(Mapping[str, ClientSession]):
    """The sessions of the clients that are connected to one window and shown, by id, the oldest first. Main thread
    only, except where noted."""

    def __init__(
        self,
        runtime: Runtime,
        settings: Callable[[], Settings],
        reviews: ReviewManager,
        tracker: ContextTracker,
        servers: Callable[[], Servers],
        *,
        any_changed: Callable[[], None],
        changed: Callable[[], None],
    ) -> None:
        """`any_changed` is called when the first client has connected or the last one has gone, `changed` whenever the
        names that the user sees may have changed."""
        self._runtime = runtime
        self._settings = settings
        self._reviews = reviews
        self._tracker = tracker
        self._servers = servers
        self._any_changed = any_changed
        self._changed = changed
        self._stopped = False
        # Of which something is known, by session; the one that has had its presence longest first.
        self._clients: OrderedDict[str, Client] = OrderedDict()
        self._numbers: Set[Tuple[str, int]] = set()  # those that are taken, each with the name of the program

    def stop(self) -> None:
        """The endpoint ends: from now on nothing is done for clients that connect or go."""
        self._stopped = True

    # -- coming and going ---------------------------------------------------------------------------------------------

    def came(self, session: ClientSession, dialect: Dialect = PRIMARY) -> None:
        """A client has connected."""
        self._runtime.assert_main_thread()
        if self._stopped or session.client_name == SELF_TEST:
            return
        client = self._clients.setdefault(session.id, Client())
        if client.presence is Presence.SHOWN:
            return
        client.session, client.dialect = session, dialect
        if not self.is_wanted(dialect, session):
            logger.info("%.80r is connected and told nothing: that is switched off", session.client_name)
            self._go(client, Presence.HIDDEN)
            return
        first = not self
        self._go(client, Presence.SHOWN)
        if not client.number:
            self._number(client)
        if first:
            self._any_changed()
            self._tracker.set_listening(True)  # which publishes the context to all that are there
        else:
            self._tracker.when_current(partial(self._send_context, session.id))
        self._changed()

    def went(self, session: ClientSession) -> None:
        """A client's session has ended."""
        self._runtime.assert_main_thread()
        client = self._clients.pop(session.id, None)
        if client is None or self._stopped:
            return
        self._numbers.discard((client.program, client.number))
        self._reviews.owner_gone(session.id)
        if client.presence is not Presence.SHOWN:
            return
        self._fall_silent_if_nobody_is_left()
        if client.process_id is not None:
            self._runtime.later_on_main(ENDING_MILLISECONDS, self._look_for_program, client.process_id, session.id)
        self._changed()

    def _number(self, client: Client) -> None:
        """Give a client the smallest number that no other one of its program has."""
        client.program = program_of(client.session, client, self._agents())
        client.number = next(number for number in count(1) if (client.program, number) not in self._numbers)
        self._numbers.add((client.program, client.number))

    def _go(self, client: Client, presence: Presence) -> None:
        if client.go(presence):
            self._clients.move_to_end(client.session.id)

    def wanted_has_changed(self) -> None:
        """The switches of the programs may have been changed: show those that wait for it, hide others, and end
        the diffs of these."""
        for client in self._all(Presence.HIDDEN):
            if self.is_wanted(client.dialect, client.session):
                self.came(client.session, client.dialect)
        for client in self._all(Presence.SHOWN):
            if not self.is_wanted(client.dialect, client.session):
                self._hide(client)
        self._reviews.end_all(self.hides)

    def _hide(self, client: Client) -> None:
        """Take back what a client has heard. This reaches it before its session ends, if that is to end."""
        logger.info("%.80r is told nothing any more: that is switched off", client.session.client_name)
        self._send_context(client.session.id, NOTHING)
        client.informed = False
        self._go(client, Presence.HIDDEN)
        self._fall_silent_if_nobody_is_left()
        self._changed()

    def _fall_silent_if_nobody_is_left(self) -> None:
        if not self:
            self._tracker.set_listening(False)
            self._any_changed()

    def _look_for_program(self, pid: int, session: str) -> None:
        """Withdraw the reviews of a program that still runs: it asks its question in the terminal now."""

        def found(alive: bool) -> None:
            if alive:
                self._reviews.withdraw_all(session)

        self._runtime.use_disk(lambda cancelled: is_alive(pid), then=found)

    def listed(self, session: ClientSession, dialect: Dialect) -> None:
        """A client has the list of tools: from some moment later on it takes notice of what it is sent."""
        for seconds in dialect.attentive_after_seconds:
            self._runtime.later_on_main(int(seconds * 1000), self._send_context_again, session.id)

    def _send_context_again(self, session: str) -> None:
        if self._shown(session) is not None:
            self._tracker.when_current(partial(self._send_context, session))

    def process_known(self, session: ClientSession, process_id: int) -> None:
        """A client has told the id of its process, maybe before it is said to have connected."""
        self._clients.setdefault(session.id, Client()).process_id = process_id

    def rename(self, session: str, name: str) -> None:
        """Show a client under the name that it has given itself."""
        self._clients.setdefault(session, Client()).given_name = name
        self._changed()

    # -- what they hear ------------------------------------------------------------------------------------------------

    def publish_context(self, context: SharedContext) -> None:
        """Tell everybody who listens, each in its own words."""
        clients: List[Tuple[Dialect, Optional[str]]] = [(PRIMARY, None)]
        for client in self._all(Presence.SHOWN):
            if client.dialect is not PRIMARY and client.is_news(context):
                clients.append((client.dialect, client.session.id))
        self._servers().publish(context, clients)

    def _send_context(self, session: str, context: SharedContext) -> None:
        client = self._shown(session)
        if client is not None and client.is_news(context):
            self._servers().publish(context, [(client.dialect, session)])

    def take_mentions(self) -> bool:
        """Whether one of them can be sent mentions."""
        return any(client.dialect.takes_mentions for client in self._all(Presence.SHOWN))

    def mention(self, mention: Mention, key: str = "") -> Optional[str]:
        """Put a mention into the prompt of the program that connected last, of the one with this `key` if one is named.

        Returns the program's name, or None if none can be sent this mention.
        """
        for client in reversed(self._all(Presence.SHOWN)):
            session, dialect = client.session, client.dialect
            program = agent_of(dialect, session, self._agents())
            if key and (program is None or program.key != key):
                continue
            needs_lines = program is not None and program.needs_lines
            place = mention.spelled_out() if needs_lines else mention
            message = dialect.mention(place) if place is not None else None
            if message is not None:
                self._servers().notify(dialect, message, session.id)
                return name_of(session, client, self._agents(), numbered=True)
        return None

    # -- who they are -------------------------------------------------------------------------------------------------

    def __getitem__(self, session: str) -> ClientSession:
        client = self._shown(session)
        if client is None:
            raise KeyError(session)
        return client.session

    def __iter__(self) -> Iterator[str]:
        return iter([client.session.id for client in self._all(Presence.SHOWN)])

    def __len__(self) -> int:
        return len(self._all(Presence.SHOWN))

    def __bool__(self) -> bool:
        """Whether there is one. Thousands may come and go in a second, so none is counted for this."""
        return any(client.presence is Presence.SHOWN for client in self._clients.values())

    def hides(self, owner: Owner) -> bool:
        """Whether the user has switched the client's program off, be it connected or not."""
        client = self._clients.get(owner.session_id)
        if client is not None:
            return client.presence is Presence.HIDDEN
        own = {agent.token_name for agent in wanted_agents(self._settings())}
        return bool(owner.token_name) and owner.token_name not in own

    def _all(self, presence: Presence) -> List[Client]:
        """Those of this presence, the one that has had it longest first."""
        return [client for client in self._clients.values() if client.presence is presence]

    def _shown(self, session: str) -> Optional[Client]:
        """The client if it is connected, and shown."""
        client = self._clients.get(session)
        return client if client is not None and client.presence is Presence.SHOWN else None

    def names(self, *, numbered: bool = False) -> List[str]:
        """What they are called, in their order; if `numbered`, each differently."""
        agents = self._agents()
        return [name_of(client.session, client, agents, numbered=numbered) for client in self._all(Presence.SHOWN)]

    def programs(self) -> List[str]:
        """The keys of their programs, one for each client; "" for one that is not known."""
        return [self._key(client) for client in self._all(Presence.SHOWN)]

    def _key(self, client: Client) -> str:
        """The key of its program; "" if that is not known."""
        agent = self._agent(client)
        return agent.key if agent is not None else ""

    def _agent(self, client: Client) -> Optional[Agent]:
        """Its program, if that is known. Some do not introduce themselves by name, but show a token of their own."""
        session, agents = client.session, self._agents()
        same = (each for each in agents if each.dialect is client.dialect and each.has_own_token)
        by_token = next((each for each in same if each.token_name == session.token_name), None)
        return agent_of(client.dialect, session, agents) or by_token

    def processes(self, key: str) -> List[Optional[int]]:
        """The ids of the processes of this program, by its key, one for each client; None where it is not known."""
        return [client.process_id for client in self._all(Presence.SHOWN) if self._key(client) == key]

    def is_of(self, owner: Owner, key: str, process: Optional[int]) -> bool:
        """Whether this client is of this program, and of this process if both are known."""
        client = self._shown(owner.session_id)
        if client is None or self._key(client) != key:
            return False
        return process is None or client.process_id is None or process == client.process_id

    def owner_of(self, session: ClientSession) -> Owner:
        """The client, by the name that users know: what its program is called, and what it calls itself. Any thread:
        looks up this client and no other."""
        name = name_of(session, self._clients.get(session.id), self._agents(), numbered=True)
        return Owner(session.id, name, session.token_name)

    def restored_by(self, session: ClientSession) -> Restored:
        """What the client's program restores of a file when it writes an accepted text. Any thread, as `owner_of`."""
        client = self._shown(session.id)
        agent = self._agent(client) if client is not None else None
        return agent.restored if agent is not None else RESTORES_ALL

    def _agents(self) -> Sequence[Agent]:
        return agents_of(self._settings())

    def wanted_dialects(self) -> List[Dialect]:
        """The dialects of the programs that the user wants to find this window."""
        return [agent.dialect for agent in wanted_agents(self._settings())]

    def is_wanted(self, dialect: Dialect, session: ClientSession) -> bool:
        """Whether the user wants this client to know of the window: a program that comes by its token is switched on,
        and it is none that is switched off. Any thread: no client is looked up."""
        settings = self._settings()
        if session.token_name not in token_names(dialect, wanted_agents(settings)):
            return False
        agent = agent_of(dialect, session, agents_of(settings))
        return agent is None or agent.is_wanted(settings)


# -- the text in the status bar ----------------------------------------------------------------------------------------

MOST = 5
"""How many names are shown: as many as there are programs that people commonly run side by side."""
LONGEST = 30
"""How many columns of a name are shown."""
STARTING = "the server is starting: try again in a moment"


def status_text(
    *,
    problem: Optional[str] = None,
    clients: Sequence[str] = (),
    sharing: bool = True,
    pending: int = 0,
    held: Sequence[str] = (),
    changed: int = 0,
    waiting: Sequence[Waiting] = (),
    elsewhere: Sequence[str] = (),
    coverage: Optional[Coverage] = None,
) -> str:
    """What the status bar says about one window's endpoint: nothing while nobody is connected and nothing waits for the
    user. `clients` are their names; `pending` counts the reviews that wait for an answer, and `held` are those who can
    only go on after it; `changed` counts the files to keep or undo; `waiting` are the agents that wait for their user.
    Both are not named among the clients once more. `elsewhere` says who waits in other windows; `coverage` says whose
    writes the user sees before they happen; None if not every write is reviewed."""
    if problem is not None:
        return problem
    waiting = _unless_held(waiting, held)
    left = Counter([*held, *(each.title for each in waiting)])
    others: List[List[str]] = []
    for names in coverage if coverage is not None else (clients,):
        others.append(list((Counter(names) - left).elements()))
        left -= Counter(names)
    parts = _covered(*others) if coverage is not None else [join_names(names) for names in others if names]
    if waiting:
        parts.append(who_waits(waiting))
    if parts and not sharing:
        parts.append("sharing paused")
    if pending:
        stopped = f"{join_names(held)} {'waits' if len(held) == 1 else 'wait'}: " if held else ""
        parts.append(f"{stopped}{pending} to review")
    if changed:
        parts.append(f"{changed:,} to keep or undo")
    parts.extend(elsewhere)
    return ", ".join(parts)


def _covered(reviewed: Sequence[str], unknown: Sequence[str], not_reviewed: Sequence[str]) -> List[str]:
    """Whose writes are reviewed, and whose are not."""
    parts = [f"{join_names(reviewed)}: every write is reviewed"] if reviewed else []
    if unknown:
        parts.append(join_names(unknown))
    if not_reviewed:
        parts.append(f"{join_names(not_reviewed)}: {'' if reviewed else 'writes are '}not reviewed (no hooks)")
    return parts


def _unless_held(waiting: Sequence[Waiting], held: Sequence[str]) -> List[Waiting]:
    """Without the questions that a review answers: whether a write that is held may be written."""
    left, found = Counter(held), []
    for each in waiting:
        if left[each.title] > 0 and not each.is_done and (each.writes or not each.tool):
            left[each.title] -= 1
        else:
            found.append(each)
    return found


def who_waits(waiting: Sequence[Waiting], place: str = "") -> str:
    """Which agents ask their user, about which tools, and which are done. `place` names a window, if it is another."""
    where = f" in {place}" if place else ""
    asking, done = ([each for each in waiting if each.is_done is is_done] for is_done in (False, True))
    parts: List[str] = []
    if asking:
        tools = join_names(sorted({each.tool for each in asking if each.tool}))
        verb = "asks" if len(asking) == 1 else "ask"
        parts.append(f"{join_names([each.title for each in asking])} {verb}{where}" + (f": {tools}" if tools else ""))
    if done:
        parts.append(f"{join_names([each.title for each in done])} {'is' if len(done) == 1 else 'are'} done{where}")
    return ", ".join(parts)


def join_names(names: Sequence[str]) -> str:
    """The first few names, equal ones once with their count, each cut to a readable length; then how many more."""
    counted = sorted(Counter(names).items())
    shown = [f"{count} " * (count > 1) + cut_middle(name, LONGEST) for name, count in counted[:MOST]]
    more = sum(count for _, count in counted[MOST:])
    return " + ".join(shown) + (f" and {more} more" if more else "")
