"""One check of the report, and its outcome.

Rules: pure. A check that failed says what to do about it. "ok" stands only before what was checked and is so.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..protocol.serving import Address

LOG = "See “Gemini Companion: Show Log”. If it happens again, please report it and include this page."
RESTART = "Run “Gemini Companion: Restart Server” from the command palette."


class Outcome(Enum):
    """What came of a check, as the report shows it."""

    OK = "ok"
    FAILED = "FAILED"
    NOTE = "note"
    """Nothing was checked, but there is something to say."""
    NOT_TRIED = "not tried"
    """It needs something that is known to be missing."""


class Check(NamedTuple):
    """`name` says what should be the case, `detail` what was found, `advice` what to do; empty unless it failed."""

    name: str
    outcome: Outcome
    detail: str = ""
    advice: str = ""


def passed(name: str, detail: str = "") -> Check:
    """A check that passed."""
    return Check(name, Outcome.OK, detail)


def failed(name: str, detail: str, advice: str) -> Check:
    """A check that failed. `advice` is a sentence: what the user can do."""
    return Check(name, Outcome.FAILED, detail, advice)


def noted(name: str, detail: str) -> Check:
    """Something to know where there was nothing to check."""
    return Check(name, Outcome.NOTE, detail)


def not_tried(name: str, reason: str) -> Check:
    """A check that would fail for a reason that the report gives already."""
    return Check(name, Outcome.NOT_TRIED, reason)


def broken_off(name: str, error: BaseException) -> Check:
    """A check that could not be carried out, because of an `error` that nobody expected."""
    return failed(name, f"the check itself ended in an error ({type(error).__name__}: {error})", LOG)


def too_slow(name: str, seconds: float) -> Check:
    """A check that had no answer after so many `seconds`."""
    advice = "A slow disk, a slow start-up file of the shell, or a busy machine may hold it up. Try once more."
    return failed(name, f"no answer within {seconds:g} seconds", advice)


def summary(checks: Sequence[Check], waiting: int) -> str:
    """The outcome of all checks in one sentence. `waiting` is the number of topics still under way."""
    counts = Counter(check.outcome for check in checks)
    failures, carried_out = counts[Outcome.FAILED], counts[Outcome.FAILED] + counts[Outcome.OK]
    if failures:
        untried = f", and {counts[Outcome.NOT_TRIED]} could not be tried" if counts[Outcome.NOT_TRIED] else ""
        found = f"{failures} of {carried_out} checks failed{untried}: see “what to do” below each failure."
    elif carried_out:
        found = f"All {carried_out} checks passed." if carried_out > 1 else "The check passed."
    else:
        found = ""
    return f"{found} More are on their way …".strip() if waiting else found


# JOINED facts
# What the package knows without checking anything: the editor, its windows, their clients and reviews.
#
# Rule: pure, plain values. None of them is secret, so all of them may be shown.


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
