"""The words in the status bar: whether the window is served, who is connected, and what waits for the user.

Rule: pure, short, and empty rather than noisy: a window that is served and has no client says only that. However many
clients there are and whatever they call themselves, it fits.
"""

from __future__ import annotations

from collections import Counter
from typing import List, NamedTuple, Optional, Sequence

MOST = 4
"""Names."""
LONGEST = 30
"""Characters of a name."""


class State(NamedTuple):
    """One window's endpoint. `clients` are their names; `pending` counts the reviews that wait for an answer."""

    port: Optional[int] = None  # None: not listening yet
    problem: Optional[str] = None
    clients: Sequence[str] = ()
    sharing: bool = True
    pending: int = 0


def status_text(state: State) -> str:
    """What the status bar says about `state`."""
    if state.problem is not None:
        return "Companion: " + state.problem
    if state.port is None:
        return "Companion: starting"
    words: List[str] = [_clients(state.clients)]
    if not state.sharing:
        words.append("sharing paused")
    if state.pending:
        words.append(f"{state.pending} to review")
    return "Companion: " + ", ".join(words)


def _clients(names: Sequence[str]) -> str:
    return listed(names) if names else "no client"


def listed(names: Sequence[str]) -> str:
    """The names, equal ones once with their number: a few, each cut to a readable length, then how many more."""
    counted = sorted(Counter(names).items())
    shown = [f"{count} " * (count > 1) + shortened(name) for name, count in counted[:MOST]]
    more = sum(count for _, count in counted[MOST:])
    return " + ".join(shown) + (f" and {more} more" if more else "")


def shortened(name: str) -> str:
    """The name, without its end if it is too long."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "\u2026"
