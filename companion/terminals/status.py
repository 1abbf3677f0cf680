"""The words in the status bar: whether the window is served, who is connected, and what waits for the user.

Rule: pure, short, and empty rather than noisy: a window that is served and has no client says only that.
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence


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
        words.append("{} to review".format(state.pending))
    return "Companion: " + ", ".join(words)


def _clients(names: Sequence[str]) -> str:
    if not names:
        return "no client"
    counted: List[str] = []
    for name in sorted(set(names)):
        count = list(names).count(name)
        counted.append(name if count == 1 else "{} {}".format(count, name))
    return " + ".join(counted)
