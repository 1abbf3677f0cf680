"""Waits for a burst of events to end, but only for a limited time.

Rule: `mark` is called for every caret movement of the user, so it does next to nothing: it notes the time, and sets a
timer only if none is running.
"""

from __future__ import annotations

import time
from typing import Callable, Optional

Schedule = Callable[[int, Callable[[], None]], None]  # milliseconds, function

# A timer may fire this much early by its own rounding, in seconds.
_TOLERANCE = 0.002


class Debounce:
    """Calls `act` `quiet` milliseconds after the last `mark`, at the latest `longest` after the first.

    One thread only.
    """

    __slots__ = ("_act", "_clock", "_first", "_last", "_longest", "_quiet", "_schedule", "_ticking")

    def __init__(
        self,
        schedule: Schedule,
        act: Callable[[], None],
        quiet: int = 50,
        longest: int = 200,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._schedule = schedule
        self._act = act
        self._quiet = quiet / 1000.0
        self._longest = longest / 1000.0
        self._clock = clock
        self._first: Optional[float] = None  # of the burst under way, if there is one
        self._last = 0.0
        self._ticking = False

    def mark(self) -> None:
        """Something happened."""
        self._last = now = self._clock()
        if self._first is None:
            self._first = now
            if not self._ticking:
                self._ticking = True
                self._schedule(int(self._quiet * 1000), self._tick)

    @property
    def pending(self) -> bool:
        """Whether a burst is under way."""
        return self._first is not None

    def cancel(self) -> None:
        """Forget the burst under way."""
        self._first = None

    def _tick(self) -> None:
        self._ticking = False
        if self._first is None:
            return
        now = self._clock()
        due = min(self._last + self._quiet, self._first + self._longest)
        if now + _TOLERANCE >= due:
            self._first = None
            self._act()
            return
        self._ticking = True
        self._schedule(max(1, int((due - now) * 1000 + 0.5)), self._tick)
