"""What the status bar says about one window: which agents are at work, who waits for the user, and for what.

Rule: pure, and short: the text fits however many agents there are and whatever they call themselves.
"""

from __future__ import annotations

from collections import Counter
from typing import AbstractSet, List, Optional, Sequence

from ..common.display_names import cut_middle
from .agent_row import AgentAtWork, Waiting

MOST = 5
"""How many names are shown: as many as there are agents that people commonly run side by side."""
LONGEST = 30
"""How many columns of a name are shown."""
STARTING = "the server is starting: try again in a moment"


def status_text(
    agents: Sequence[AgentAtWork] = (),
    *,
    problem: Optional[str] = None,
    sharing: bool = True,
    pending: int = 0,
    held: Sequence[str] = (),
    changed: int = 0,
    sending: Sequence[str] = (),
    elsewhere: Sequence[str] = (),
    leading: Optional[AbstractSet[str]] = None,
) -> str:
    """The text for a window with these agents; "" while none has been heard of and nothing waits for the user.

    `pending` counts the reviews that wait for an answer, and `held` names the agents that can only go on after it, once
    for each; `changed` counts the files to keep or undo; `sending` says which reviews are on their
    way to agents; `elsewhere` says who waits in other windows. `leading` has the
    keys of the agents whose hooks lead to this editor; None if not every write is reviewed.
    """
    if problem is not None:
        return problem
    left, quiet, waiting = Counter(held), [], []
    for each in sorted(agents, key=lambda agent: agent.hooked is None):  # only one with hooks is held, or waits
        waits = each.waits
        title = each.title
        if left[title] > 0 and (waits is None or _is_answered_by_review(waits)):
            left[title] -= 1  # it is named with the reviews
        elif waits is not None:
            waiting.append(waits)
        elif each.is_heard_of:
            quiet.append(each)
    parts = [join_names([each.name for each in quiet])] if leading is None else _covered(quiet, leading)
    parts.append(who_waits(waiting))
    if any(parts) and not sharing:
        parts.append("sharing paused")
    if pending:
        stopped = f"{join_names(held)} {'waits' if len(held) == 1 else 'wait'}: " if held else ""
        parts.append(f"{stopped}{pending} to review")
    if changed:
        parts.append(f"{changed:,} to keep or undo")
    return ", ".join(filter(None, [*sending, *parts, *elsewhere]))


def _is_answered_by_review(waits: Waiting) -> bool:
    """Whether its question is whether a write may be written, which the review of a held write answers."""
    return not waits.is_done and (waits.writes or not waits.tool)


def _covered(agents: Sequence[AgentAtWork], leading: AbstractSet[str]) -> List[str]:
    """Whose writes are reviewed, of whom it is not known as their hooks have not been heard yet, and whose are not."""
    reviewed = [each.name for each in agents if each.key in leading and each.hooked is not None]
    unknown = [each.name for each in agents if each.key in leading and each.hooked is None]
    not_reviewed = [each.name for each in agents if each.key not in leading]
    parts = [f"{join_names(reviewed)}: every write is reviewed"] if reviewed else []
    parts.append(join_names(unknown))
    if not_reviewed:
        parts.append(f"{join_names(not_reviewed)}: {'' if reviewed else 'writes are '}not reviewed (no hooks)")
    return parts


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
