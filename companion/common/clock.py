"""Tells the time by which the package waits; tests can move the clock on and freeze it.

`Runtime` is its only timer source: timers of the main thread and of the loop thread are due by this clock, so a test
that moves it on by a minute has whatever is due within that minute run at once, in any editor.

Rule: no other module of the package asks for the monotonic time. The clock never goes back.
"""

from __future__ import annotations

import time
from typing import Callable, List, Optional


class Clock:
    """Counts seconds. Any thread may ask. `advance`, `freeze` and `thaw` are for tests, on one thread at a time."""

    def __init__(self) -> None:
        self._ahead = 0.0  # of the machine's monotonic clock; what was frozen is behind it
        self._advanced = 0.0
        self._frozen_at: Optional[float] = None
        self._listeners: List[Callable[[], object]] = []

    def now(self) -> float:
        """Seconds since some moment; only differences mean anything. Sleep of the machine may or may not count."""
        frozen_at = self._frozen_at
        return time.monotonic() + self._ahead if frozen_at is None else frozen_at

    def date(self) -> float:
        """The date, in seconds since 1970. The user may set it back. It is not frozen, for files have real dates."""
        return time.time() + self._advanced

    # -- tests --------------------------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Let so many seconds pass. What is due then runs on its own thread, soon."""
        self._advanced += seconds
        if self._frozen_at is None:
            self._ahead += seconds
        else:
            self._frozen_at += seconds
        self._tell()

    def freeze(self) -> None:
        """Stand still but for `advance`, until `thaw`: no timer goes off by itself."""
        self._frozen_at = self.now()

    def thaw(self) -> None:
        """Go on from where the clock stands, if it was frozen."""
        if self._frozen_at is not None:
            self._ahead = self._frozen_at - time.monotonic()
            self._frozen_at = None
            self._tell()

    @property
    def frozen(self) -> bool:
        """Whether it stands still."""
        return self._frozen_at is not None

    # -- timers -------------------------------------------------------------------------------------------------------

    def listen(self, moved: Callable[[], object]) -> None:
        """Have `moved()` called, on the thread of the test, when the clock was moved on or goes on. Any thread."""
        self._listeners.append(moved)

    def forget(self, moved: Callable[[], object]) -> None:
        """Call this listener no more. Any thread."""
        if moved in self._listeners:
            self._listeners.remove(moved)

    def _tell(self) -> None:
        for moved in list(self._listeners):
            moved()


clock = Clock()
"""The clock of the package."""
