"""An in-editor test to which the package's time belongs.

Rule: what waits in the package is not waited for; `later` moves the clock on, in any editor. What the test has frozen
goes on when it is over.
"""

from __future__ import annotations

from unittesting import DeferrableTestCase

from ...companion.common.clock import clock


class TimeCase(DeferrableTestCase):
    """May move the package's clock on, and freeze it."""

    def later(self, seconds: float) -> None:
        """Let so many seconds pass at once: whatever is due by then runs soon, as one that comes too late would."""
        clock.advance(seconds)

    def freeze(self) -> None:
        """Let no timer of the package go off but by `later`, so that what waits for one cannot happen."""
        clock.freeze()
        self.addCleanup(clock.thaw)
