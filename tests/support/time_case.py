"""An in-editor test to which the package's time belongs.

Rule: what waits in the package is not waited for; `later` moves the clock on, in any editor. What the test has frozen
goes on when it is over.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterator
from unittest import mock

from unittesting import DeferrableTestCase

from ...companion.common.clock import clock
from ...companion.common.workers import Computation
from ..host.waiting import NEVER_SECONDS


class TimeCase(DeferrableTestCase):
    """May move the package's clock on, and freeze it."""

    def later(self, seconds: float) -> None:
        """Let so many seconds pass at once: whatever is due by then runs soon, as one that comes too late would."""
        clock.advance(seconds)

    @contextmanager
    def patient(self, *before: Callable[[], object]) -> Iterator[None]:
        """Give each wait for another thread all the time that a slow machine needs, and call `before` at its start."""
        wait = Computation.wait

        def waits(computation: Computation, seconds: float) -> bool:
            for act in before:
                act()
            return wait(computation, NEVER_SECONDS if seconds else 0)

        with mock.patch.object(Computation, "wait", waits):
            yield

    def freeze(self) -> None:
        """Let no timer of the package go off but by `later`, so that what waits for one cannot happen."""
        clock.freeze()
        self.addCleanup(clock.thaw)
