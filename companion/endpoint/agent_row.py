"""One row of the table of agents: what is known of an agent at work, from its connection, its hooks, or its start.

A connection and a session with hooks are one agent if they name one process; where one of the two names none, the kind
of agent decides. An agent that was started in a terminal and has done neither has a row as well.

    presence  what happens                                   next presence
    --------  ---------------------------------------------  -------------
    EXPECTED  it connects                                    SHOWN
    EXPECTED  it connects, but the user has disabled it      HIDDEN
    SHOWN     the user disables it                           HIDDEN
    HIDDEN    the user enables it                            SHOWN

A connection is expected if something of it is known before it is made: over HTTP, the process id comes with the request
that opens the session. A connection that ends is forgotten, whatever its presence.

Rule: nothing here asks the editor.
"""

from __future__ import annotations

from enum import Enum
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Sequence

from ..agents.agent import Agent
from ..agents.dialect import Dialect
from ..agents.window import SharedContext
from ..common.clock import clock
from ..common.display_names import client_name
from ..common.transitions import may_step
from ..protocol.tools import ClientSession
from ..system.processes import is_alive

# The MCP SDK inside the CLIs gives its own name, not the name of the CLI. Then the token tells which CLI it is.
ANONYMOUS_CLIENTS = {"streamable-http-client": "CLI", "stdio-client": "CLI", "": "client"}
FORGOTTEN_SECONDS = 1800.0
"""After so long without a sign an agent has gone if its process is not known and it is not connected."""


def has_gone(process: Optional[int], heard: float) -> bool:
    """Whether an agent without a connection has gone. `heard` is its last sign, on the monotonic clock. Any thread."""
    return clock.now() - heard >= FORGOTTEN_SECONDS if process is None else not is_alive(process)


class Presence(Enum):
    """Whether a client has connected, and if so, whether its agent is enabled."""

    EXPECTED = "expected"
    SHOWN = "shown"
    HIDDEN = "hidden"


TRANSITIONS: Dict[Presence, FrozenSet[Presence]] = {
    Presence.EXPECTED: frozenset({Presence.SHOWN, Presence.HIDDEN}),
    Presence.SHOWN: frozenset({Presence.HIDDEN}),
    Presence.HIDDEN: frozenset({Presence.SHOWN}),
}


class Client:
    """One connection. Main thread only; other threads read `agent`, `number` and `given_name`."""

    session: ClientSession
    dialect: Dialect
    """Both are known once it has connected."""

    def __init__(self) -> None:
        self.presence = Presence.EXPECTED
        self.agent: Optional[Agent] = None
        """None if it is not known which agent it is."""
        self.number = 0
        """Tells it from other connections that are `called` the same. 0 until it is shown for the first time."""
        self.called = ""
        self.given_name = ""
        """What it calls itself, beside the agent's name."""
        self.process: Optional[int] = None
        self.informed = False
        """Whether it has received a file."""
        self.asked: Optional[float] = None
        """When it last asked for the context, on the monotonic clock, if asking is all it does."""

    @property
    def key(self) -> str:
        """The agent's key; "" if it is not known. On another machine it is none of those whose hooks are heard here."""
        key = self.agent.key if self.agent is not None else ""
        return f"{key} on {self.elsewhere}" if self.elsewhere else key

    @property
    def elsewhere(self) -> str:
        """The name of the machine where it runs, "" if that is this one."""
        return self.dialect.elsewhere if self.presence is not Presence.EXPECTED else ""

    def go(self, presence: Presence) -> bool:
        """Change the presence. False if there is no way to it."""
        if not may_step(TRANSITIONS, self.presence, presence):
            return False
        self.presence = presence
        return True

    def may_be(self, key: str, process: Optional[int]) -> bool:
        """Whether it may be this agent in this process: unless both processes are known, the agent decides."""
        return self.key == key and (None in (self.process, process) or self.process == process)

    def is_surely(self, key: str, process: Optional[int]) -> bool:
        """Whether it is this agent in this process, which is known of both."""
        return process is not None and self.process == process and self.key == key

    def name(self, *, numbered: bool = False) -> str:
        """The name that users know. `numbered`: no other connection has the same one."""
        return name_of(self.session, self, numbered=numbered)

    def is_news(self, context: SharedContext) -> bool:
        """Whether the client needs this context: until it has received a file it needs no empty one. Remembers that."""
        if not self.dialect.only_takes_back(context):
            self.informed = True
            return True
        return self.informed


class Waiting(NamedTuple):
    """An agent that waits for its user: it is done, or it asks something."""

    title: str
    is_done: bool = False
    tool: str = ""
    """The tool that it asks about, by the agent's own name; "" if it does not say."""
    writes: bool = False
    """Whether that tool writes the files that its arguments name."""


class HookedAgent(NamedTuple):
    """One session of an agent whose hooks tell the editor what it does."""

    agent: Agent
    process: Optional[int] = None
    waits: Optional[Waiting] = None


class AgentAtWork(NamedTuple):
    """One row. Without a client and without hooks it is an agent that was started in a terminal."""

    name: str
    """As users call it, with the name that it gives itself."""
    key: str
    """"" if it is not known which agent it is."""
    client: Optional[Client] = None
    hooked: Optional[HookedAgent] = None

    @property
    def title(self) -> str:
        """What all agents of its kind are called."""
        return self.hooked.agent.title if self.hooked is not None else self.name

    @property
    def is_heard_of(self) -> bool:
        """Whether it has connected, or its hooks have told of it."""
        return self.client is not None or self.hooked is not None

    @property
    def waits(self) -> Optional[Waiting]:
        """What it waits for; None if it does not wait, or its hooks do not tell."""
        return self.hooked.waits if self.hooked is not None else None


def name_of(session: ClientSession, client: Optional[Client], *, numbered: bool = False) -> str:
    """The name of a connection that users know: the agent's, and what it calls itself. Any thread."""
    if client is None:
        return display_name(session)
    name, number, given = display_name(session, client.agent), client.number, client.given_name
    if numbered and number > 1:
        name = f"{name} {number}"
    if client.elsewhere:
        name = f"{name} on {client.elsewhere}"
    return f"{name}: {client_name(given)}" if given else name


def display_name(session: ClientSession, agent: Optional[Agent] = None) -> str:
    """What users call the client, short and with hidden characters made visible: by its agent, or as it introduces
    itself where that is neither its agent's way nor a name that says nothing."""
    if agent is not None and (agent.is_own or session.client_name in agent.client_names):
        return agent.title
    name = client_name(session.client_name)
    if name in ANONYMOUS_CLIENTS:
        return session.token_name or ANONYMOUS_CLIENTS[name]
    return name


def agent_of(dialect: Dialect, session: ClientSession, agents: Sequence[Agent]) -> Optional[Agent]:
    """Which of these agents has connected. The token of a user's own agent tells, then the name that the client
    introduces itself with, then the token of any other agent that has one of its own."""
    same = [agent for agent in agents if agent.dialect is dialect.spoken]
    by_token = next((each for each in same if each.has_own_token and each.token_name == session.token_name), None)
    if by_token is not None and by_token.is_own:
        return by_token
    return next((agent for agent in same if session.client_name in agent.client_names), by_token)


def joined(clients: Sequence[Client], hooked: Sequence[HookedAgent]) -> List[AgentAtWork]:
    """A row for each client, in their order, and for each hooked agent that is none of them."""
    left = list(hooked)
    found: Dict[Client, HookedAgent] = {}
    for fits in (Client.is_surely, Client.may_be):
        for client in clients if left else ():
            fitting = (each for each in left if client not in found and fits(client, each.agent.key, each.process))
            one = next(fitting, None)
            if one is not None:
                left.remove(one)
                found[client] = one
    rows = [AgentAtWork(client.name(), client.key, client, found.get(client)) for client in clients]
    return rows + [AgentAtWork(each.agent.title, each.agent.key, None, each) for each in left]
