"""Comparing the texts of one review on a computing thread.

Rule: at most one comparison is under way. One that was cancelled, or followed by another, never reports a result.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Callable, NamedTuple, Optional, Tuple

from ...comparison import Whitespace
from .analysis import Analysis, analyse
from .carrying import Carried, carried

if TYPE_CHECKING:
    from ...common.workers import Computation
    from ...runtime import Runtime

_LONG = 0.3  # seconds after which a comparison shows itself


class Compared(NamedTuple):
    """A result. `text` is the proposal's text of that change count; `edit` made it of the text that was drawn last."""

    change_count: int
    text: str
    analysis: Analysis
    edit: Optional[Carried]


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

    def begin(self, change_count: int, original: str, text: str, drawn: Optional[str], ignored: Whitespace) -> None:
        """Compare `original` with `text`, the proposal at this change count, instead of what is being compared.

        `drawn` is the text that was drawn last, if a single edit made `text` of it.
        """
        self.cancel()
        self._since = time.monotonic()
        self._computation = self._runtime.compute(
            partial(_analyse_edit, ignored),
            drawn,
            original,
            text,
            then=partial(self._end, change_count, text),
            failed=self._fail,
        )

    def cancel(self) -> None:
        """Stop comparing."""
        if self._computation is not None:
            self._computation.cancel()
            self._computation = None

    def _end(self, change_count: int, text: str, found: Tuple[Analysis, Optional[Carried]]) -> None:
        self._computation = None
        self._done(Compared(change_count, text, *found))

    def _fail(self, error: Exception) -> None:
        self._computation = None
        self._failed(error)


def _analyse_edit(
    ignored: Whitespace, before: Optional[str], left: str, right: str, cancelled: Callable[[], bool]
) -> Tuple[Analysis, Optional[Carried]]:
    """The comparison, and the edit that made the right text of the one `before`. Computing thread."""
    analysis = analyse(left, right, cancelled, ignored=ignored)
    return analysis, carried(before, right) if before is not None else None
