"""Comparing the texts of one review on a computing thread.

Rule: at most one comparison is under way. One that was cancelled, or followed by another, never reports a result.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Callable, NamedTuple, Optional, Sequence

from ...comparison import Lines, Whitespace
from ..document.disk import COARSE_FACTOR
from .analysis import Analysis, analyse, analyse_coarsely
from .carrying import Carried, carried

if TYPE_CHECKING:
    from ...common.workers import Computation
    from ...runtime import Runtime

_LONG = 0.3  # seconds after which a comparison shows itself


class Limits(NamedTuple):
    """The longest text of which each character is compared, and the most lines. Longer ones are compared coarsely."""

    length: int
    lines: int

    @property
    def longest(self) -> int:
        """The length above which texts are not compared at all."""
        return self.length * COARSE_FACTOR


class Compared(NamedTuple):
    """A result. `text` is the proposal's text of that change count; `edit` made it of the text that was drawn last.

    There is no `analysis` of texts that are too long even for a coarse one.
    """

    change_count: int
    text: str
    analysis: Optional[Analysis]
    edit: Optional[Carried] = None


class Comparing:
    """Main thread only. `done` is called with each result, `failed` with each error."""

    def __init__(self, runtime: Runtime, done: Callable[[Compared], None], failed: Callable[[Exception], None]) -> None:
        self._runtime = runtime
        self._done = done
        self._failed = failed
        self._computation: Optional[Computation] = None
        self._since = 0.0  # on the monotonic clock

    @property
    def takes_long(self) -> bool:
        """Whether a comparison is under way that the user should hear of."""
        return self._computation is not None and time.monotonic() - self._since > _LONG

    def begin(
        self,
        change_count: int,
        original: str,
        text: Sequence[str],
        drawn: Optional[str],
        ignored: Whitespace,
        limits: Limits,
    ) -> None:
        """Compare `original` with `text`, the proposal at this change count, instead of what is being compared.

        The text comes in portions. `drawn` is the text that was drawn last, if a single edit made `text` of it.
        """
        self.cancel()
        self._since = time.monotonic()
        self._computation = self._runtime.compute(
            partial(_compare, change_count, ignored, limits),
            drawn,
            original,
            text,
            then=self._end,
            failed=self._fail,
        )

    def cancel(self) -> None:
        """Stop comparing."""
        if self._computation is not None:
            self._computation.cancel()
            self._computation = None

    def _end(self, found: Compared) -> None:
        self._computation = None
        self._done(found)

    def _fail(self, error: Exception) -> None:
        self._computation = None
        self._failed(error)


def _compare(
    change_count: int,
    ignored: Whitespace,
    limits: Limits,
    before: Optional[str],
    left: str,
    portions: Sequence[str],
    cancelled: Callable[[], bool],
) -> Compared:
    """The comparison, and the edit that made the right text of the one `before`. Computing thread."""
    right = portions[0] if len(portions) == 1 else "".join(portions)
    if all(len(text) <= limits.length and text.count("\n") <= limits.lines for text in (left, right)):
        analysis = analyse(left, right, cancelled, ignored=ignored)
        return Compared(change_count, right, analysis, carried(before, right) if before is not None else None)
    if max(len(left), len(right)) > limits.longest:
        return Compared(change_count, right, None)
    left_lines, right_lines = Lines(left, cancelled), Lines(right, cancelled)
    if max(len(left_lines), len(right_lines)) > limits.lines * COARSE_FACTOR:
        return Compared(change_count, right, None)
    return Compared(change_count, right, analyse_coarsely(left_lines, right_lines, cancelled))
