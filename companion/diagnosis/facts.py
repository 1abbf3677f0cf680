"""What the package knows without trying anything: the editor, its windows, their clients and reviews.

Rule: pure, plain values. No secret is among them, so any of them may be shown.
"""

from __future__ import annotations

from typing import Mapping, NamedTuple, Optional, Tuple

from ..agents.agent import Agent
from ..endpoint.address import Address


class ClientFacts(NamedTuple):
    """A connected client."""

    name: str
    version: str
    protocol: str
    since: str


class ReviewFacts(NamedTuple):
    """A review that waits for an answer."""

    path: str
    client: str
    orphaned: bool


class WindowFacts(NamedTuple):
    """One window's endpoint. `title` names it in sentences; `all_ports` are those of this editor's windows."""

    title: str
    is_this: bool  # the one that asked
    port: Optional[int]
    problem: Optional[str]
    folders: Tuple[str, ...]
    published_for: Tuple[str, ...]  # keys of agents
    sharing: bool
    clients: Tuple[ClientFacts, ...]
    reviews: Tuple[ReviewFacts, ...]
    all_ports: Tuple[int, ...]
    addresses: Mapping[str, Address] = {}
    """Where its servers listen, by the key of their dialect. `port` is that of the first."""

    def address(self, agent: Agent) -> Address:
        """Where this agent would find it; both parts empty if it is not served."""
        return self.addresses.get(agent.dialect.key, Address(self.port or 0))


class Facts(NamedTuple):
    """Everything. The window that asked comes first."""

    time: str
    versions: Tuple[Tuple[str, str], ...]
    windows: Tuple[WindowFacts, ...]
    active_file: Optional[str]
    problems: Tuple[str, ...]
