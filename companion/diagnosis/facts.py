"""What the package knows without checking anything: the editor, its windows, their clients and reviews.

Rule: pure, plain values. None of them is secret, so all of them may be shown.
"""

from __future__ import annotations

from typing import Mapping, NamedTuple, Optional, Tuple

from ..agents.agent import Agent
from ..protocol.serving import Address


class WindowFacts(NamedTuple):
    """One window's endpoint. `title` names it in sentences; `all_ports` are those of this editor's windows."""

    title: str
    is_this: bool  # the one in which the report is shown
    port: Optional[int]
    problem: Optional[str]
    folders: Tuple[str, ...]
    published_for: Tuple[str, ...]  # keys of agents
    sharing: bool
    clients: Tuple[str, ...]  # each in words, as are the reviews
    reviews: Tuple[str, ...]
    all_ports: Tuple[int, ...]
    addresses: Mapping[str, Address] = {}
    """Where its servers listen, by the key of their dialect. `port` is that of the first."""

    def address(self, agent: Agent) -> Address:
        """Where this agent would find it; both parts empty if it is not served."""
        return self.addresses.get(agent.dialect.key, Address())


class Facts(NamedTuple):
    """All facts. The window in which the report is shown comes first."""

    time: str
    versions: Tuple[Tuple[str, str], ...]
    windows: Tuple[WindowFacts, ...]
    active_file: Optional[str]
    problems: Tuple[str, ...]
