"""Throttles updates of the display to ten per second.

Rule: the first call acts at once. Calls during the pause that follows act once at its end, so that the display is
always up to date in the end.
"""

from __future__ import annotations

import time
from typing import Any, Callable

PAUSE_SECONDS = 0.1


class Paced:
    """Calls `function` at once if it was not called just now, else once when the pause is over. Main thread only."""

    def __init__(
        self,
        function: Callable[[], Any],
        later: Callable[[int, Callable[[], Any]], Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`later` calls a function in so many milliseconds."""
        self._function = function
        self._later = later
        self._clock = clock
        self._next = float("-inf")
        self._waiting = False

    def call(self) -> None:
        """Call the function, now or at the end of the pause."""
        if self._waiting:
            return
        left = self._next - self._clock()
        if left <= 0:
            self._run()
        else:
            self._waiting = True
            self._later(int(left * 1000) + 1, self._run)

    def _run(self) -> None:
        self._waiting = False
        try:
            self._function()
        finally:
            # From its end: on a slow machine it may take longer than the pause, and would be called every time.
            self._next = self._clock() + PAUSE_SECONDS
