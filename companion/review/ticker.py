"""The clock of the visible reviews: scrolling, the caret, and a look at the file now and then.

Rule: it ticks only while a review is visible, fast while something moves and slower the longer nothing does. Who makes
a review visible starts it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable, List

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .presentation import Presentation

_FAST, _CALM, _SLOW = 16, 60, 150  # milliseconds between two ticks
_CALM_AFTER, _SLOW_AFTER = 1.0, 20.0  # seconds without a movement
_FILE_EVERY = 1.0  # seconds


class Ticker:
    """Main thread only."""

    def __init__(self, runtime: Runtime, presentations: Callable[[], List[Presentation]]) -> None:
        self._runtime = runtime
        self._presentations = presentations
        self._round = 0
        self._ticking = False
        self._moved = 0.0
        self._looked = 0.0

    def start(self) -> None:
        """Tick as long as a review is visible. Does nothing if that is already so."""
        self._moved = time.monotonic()
        if not self._ticking:
            self._ticking = True
            self._round += 1
            self._runtime.later_on_main(_FAST, self._tick, self._round)

    def stop(self) -> None:
        """Tick no more."""
        self._ticking = False
        self._round += 1

    def _tick(self, number: int) -> None:
        if number != self._round:
            return
        visible = [presentation for presentation in self._presentations() if presentation.visible]
        if not visible:
            self._ticking = False
            return
        now = time.monotonic()
        for presentation in visible:
            if presentation.tick():
                self._moved = now
        if now - self._looked >= _FILE_EVERY:
            self._looked = now
            for presentation in visible:
                presentation.check_file()
        still = now - self._moved
        pause = _FAST if still < _CALM_AFTER else _CALM if still < _SLOW_AFTER else _SLOW
        self._runtime.later_on_main(pause, self._tick, number)
