"""The clock of the visible reviews: scrolling, and a look at the file now and then.

Rule: it ticks only while a review is visible, fast while something moves and slower the longer nothing does. Whoever
makes a review visible starts it. A tick asks the editor for the position and the size of each view and nothing else:
whether the reviews are still visible is asked once a second, and the caret reports itself.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable, List

if TYPE_CHECKING:
    from ...runtime import Runtime
    from .presentation import Presentation

_FAST, _CALM, _SLOW = 16, 100, 150  # milliseconds between two ticks
_CALM_AFTER, _SLOW_AFTER = 1.0, 20.0  # seconds without a movement
_LOOK_EVERY = 1.0  # seconds between two looks at what is visible, and at the files on disk
_LOOKS_PER_FILE_CHECK = 10  # tabs with unsaved edits report themselves, but for those that open with them


class Poller:
    """Main thread only."""

    def __init__(self, runtime: Runtime, presentations: Callable[[], List[Presentation]]) -> None:
        self._runtime = runtime
        self._presentations = presentations
        self._visible: List[Presentation] = []
        self._round = 0
        self._ticking = False
        self._moved = 0.0
        self._look_at = 0.0  # when to look again, on the monotonic clock
        self._looks = 0

    def start(self) -> None:
        """Tick as long as a review is visible. Which ones are is found out with the next tick."""
        self._moved = time.monotonic()
        self._visible = []
        self._look_at = 0.0
        if not self._ticking:
            self._ticking = True
            self._round += 1
            self._runtime.later_on_main(_FAST, self._tick, self._round)

    def stop(self) -> None:
        """Tick no more."""
        self._ticking = False
        self._visible = []
        self._round += 1

    def _tick(self, number: int) -> None:
        if number != self._round:
            return
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + _LOOK_EVERY
            self._look()
        if not self._visible:
            self._ticking = False
            return
        for presentation in self._visible:
            if presentation.tick():
                self._moved = now
        still = now - self._moved
        pause = _FAST if still < _CALM_AFTER else _CALM if still < _SLOW_AFTER else _SLOW
        self._runtime.later_on_main(pause, self._tick, number)

    def _look(self) -> None:
        self._visible = [presentation for presentation in self._presentations() if presentation.visible]
        self._looks += 1
        for presentation in self._visible:
            if self._looks % _LOOKS_PER_FILE_CHECK == 0:
                presentation.file.check()
            else:
                presentation.file.check_disk()
