"""The text in the status bar: whether the window is served, who is connected, and what waits for the user.

Rules: pure, and short. However many clients there are and whatever they call themselves, the text fits.
"""

from __future__ import annotations

from collections import Counter
from typing import List, Optional, Sequence

from ..common.display_names import cut_middle

MOST = 5
"""How many names are shown: as many as there are programs that people commonly run side by side."""
LONGEST = 30
"""How many columns of a name are shown."""
STARTING = "the server is starting: try again in a moment"


def status_text(
    *,
    port: Optional[int] = None,
    problem: Optional[str] = None,
    clients: Sequence[str] = (),
    sharing: bool = True,
    pending: int = 0,
    changed: int = 0,
) -> str:
    """What the status bar says about one window's endpoint. `port` is None while it does not listen; `clients` are
    their names; `pending` counts the reviews that wait for an answer, `changed` the files that were changed outside the
    editor."""
    if problem is not None:
        return "Companion: " + problem
    if port is None:
        return "Companion: starting"
    parts: List[str] = [listed(clients) if clients else "no client"]
    if not sharing:
        parts.append("sharing paused")
    if pending:
        parts.append(f"{pending} to review")
    if changed:
        parts.append("1 changed file" if changed == 1 else f"{changed:,} changed files")
    return "Companion: " + ", ".join(parts)


def listed(names: Sequence[str]) -> str:
    """The first few names, equal ones once with their count, each cut to a readable length; then how many more."""
    counted = sorted(Counter(names).items())
    shown = [f"{count} " * (count > 1) + cut_middle(name, LONGEST) for name, count in counted[:MOST]]
    more = sum(count for _, count in counted[MOST:])
    return " + ".join(shown) + (f" and {more} more" if more else "")
