"""Leaves the editor its turn, however much is to be done at once.

Rules: the display is updated ten times per second. The first call acts at once; calls during the pause that follows act
once at its end, so that the display is always up to date in the end. Calls that move to another thread are handed over
one at a time.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Callable, Deque

PAUSE_SECONDS = 0.1

Call = Callable[[], None]


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


class Turns:
    """Calls to another thread, each handed over when the one before is over and not sooner: between two of them that
    thread can do everything else. Loop thread. `there` has a call made on the other thread, `back` on this one."""

    def __init__(self, there: Callable[[Call], None], back: Callable[[Call], None]) -> None:
        self._there = there
        self._back = back
        self._waiting: Deque[Call] = deque()

    def add(self, call: Call) -> None:
        """Make this call, which raises nothing, after those that were added before."""
        self._waiting.append(call)
        if len(self._waiting) == 1:
            self._there(self._take)

    def _take(self) -> None:
        """The other thread."""
        self._waiting[0]()
        self._back(self._over)

    def _over(self) -> None:
        self._waiting.popleft()
        if self._waiting:
            self._there(self._take)
