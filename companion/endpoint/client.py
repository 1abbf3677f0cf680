"""One client of a window: what is known of it, whether it is shown, and what users call it.

    presence  what happens                              next presence
    --------  ----------------------------------------  -------------
    EXPECTED  it connects                               SHOWN
    EXPECTED  it connects, its program is switched off  HIDDEN
    SHOWN     the user switches its program off         HIDDEN
    HIDDEN    the user switches its program on          SHOWN

A client is expected if something is told of it before it is said to have connected: over HTTP, its process id comes
with the request that opens its session. Whatever its presence, one that goes is forgotten.

Rule: only the main thread changes a client. Other threads ask for its name, and for nothing else.
"""

from __future__ import annotations

import secrets
from enum import Enum
from typing import TYPE_CHECKING, Dict, FrozenSet, Optional, Sequence

from ..agents.agent import Agent
from ..agents.dialect import Dialect
from ..agents.registry import AGENTS
from ..agents.shared_context import SharedContext
from ..common.display_names import client_name

if TYPE_CHECKING:
    from ..protocol.tools import ClientSession

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
        """Whether it has to be told: nothing is taken back from one that was told nothing. Keeps account."""
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
    by_token = (agent for agent in same if agent.words and agent.title == session.token_name)
    return next(by_token, next((agent for agent in same if session.client_name in agent.client_names), None))
