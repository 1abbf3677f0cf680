"""One check of the report, and its outcome.

Rule: pure. A check that failed says what to do about it.
"""

from __future__ import annotations

from typing import List, NamedTuple, Sequence

LOG = "Look into “Gemini Companion: Show Log”, and report it with this page if it happens again."
RESTART = "Run “Gemini Companion: Restart Server” from the command palette."


class Check(NamedTuple):
    """`name` says what should be the case, `detail` what was found, `advice` what to do; empty if nothing is wrong."""

    name: str
    ok: bool
    detail: str = ""
    advice: str = ""


def passed(name: str, detail: str = "") -> Check:
    """A check that passed."""
    return Check(name, True, detail)


def failed(name: str, detail: str, advice: str) -> Check:
    """A check that failed. `advice` is a sentence: what the user can do."""
    return Check(name, False, detail, advice)


def not_tried(name: str, error: BaseException) -> Check:
    """A check that could not be carried out, because of `error`."""
    return failed(name, f"could not be tried: {type(error).__name__}: {error}", LOG)


def too_slow(name: str, seconds: float) -> Check:
    """A check that had no answer after so many `seconds`."""
    advice = "Something holds it up: a slow disk, a slow start-up file of the shell, or a busy machine. Try once more."
    return failed(name, f"no answer within {seconds:g} seconds", advice)


def summary(checks: Sequence[Check], waiting: int) -> str:
    """The outcome of all checks in one sentence. `waiting` is the number of topics still under way."""
    failures: List[Check] = [check for check in checks if not check.ok]
    if failures:
        found = f"{len(failures)} of {len(checks)} checks failed: see “what to do” below each."
    else:
        found = f"All {len(checks)} checks passed."
    return f"{found} More are on their way …" if waiting else found
