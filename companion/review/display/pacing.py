"""When the work of a review is done: its phases, long work in slices, and the clock of the visible reviews.

Rule: nothing in here takes the main thread for long. A review goes through the phases in the ways of one table.
"""

from __future__ import annotations

import time
from enum import Enum
from typing import Callable, Dict, FrozenSet, Iterator, List, Optional, Protocol, Sequence

from ...common.clock import clock
from ...runtime import Runtime
from .panes import FileWatch


class Phase(Enum):
    """How far a review has come."""

    GATHERING = "gathering"  # the file is being read, or the texts are being put into the views
    COMPARING = "comparing"  # on a computing thread
    DRAWING = "drawing"  # the comparison, or the lack of one
    SHOWN = "shown"  # what is drawn is the comparison of what was in the views
    FAILED = "failed"  # the comparison has
    RETIRED = "retired"  # the review has ended; nothing happens any more


_ALWAYS = frozenset({Phase.GATHERING, Phase.COMPARING, Phase.DRAWING, Phase.RETIRED})
TRANSITIONS: Dict[Phase, FrozenSet[Phase]] = {
    Phase.GATHERING: _ALWAYS,
    Phase.COMPARING: _ALWAYS | {Phase.FAILED},
    Phase.DRAWING: _ALWAYS | {Phase.SHOWN},
    Phase.SHOWN: _ALWAYS,
    Phase.FAILED: _ALWAYS,
    Phase.RETIRED: frozenset(),
}


# -- slices -----------------------------------------------------------------------------------------------------------

SLICE_SECONDS = 0.006
TURN = object()  # yielded to let the editor have a turn, for instance to lay out what it was given


class Slices:
    """Long work on the main thread, cut in slices so that the editor never stutters: one generator at a time.

    A generator does a little between two `yield`s and may be dropped at any of them. Its author makes each piece small
    and checks whether what it started from (views, texts) is still there. Main thread only.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._steps: Optional[Iterator[object]] = None
        self._current: Callable[[], bool] = lambda: True

    def run(self, steps: Iterator[object], current: Callable[[], bool] = lambda: True) -> None:
        """Drop what is running and begin with `steps`; the first slice is run at once.

        Each slice but the first begins with `current`: if it says no, the rest is dropped. Within a slice
        nothing can happen.
        """
        self._steps = steps
        self._current = current
        self._go_on(steps)

    def stop(self) -> None:
        """Drop what is running."""
        self._steps = None

    @property
    def busy(self) -> bool:
        """Whether something is still running."""
        return self._steps is not None

    def _go_on(self, steps: Iterator[object], resumed: bool = False) -> None:
        if steps is not self._steps:
            return
        if resumed and not self._current():
            self._steps = None
            return
        end = time.perf_counter() + SLICE_SECONDS
        for result in steps:
            if steps is not self._steps:
                return
            if result is TURN or time.perf_counter() >= end:
                self._runtime.later_on_main(1, self._go_on, steps, True)
                return
        if steps is self._steps:
            self._steps = None


# -- the clock --------------------------------------------------------------------------------------------------------

_FAST, _CALM, _SLOW = 16, 100, 150  # milliseconds between two ticks
_CALM_AFTER, _SLOW_AFTER = 1.0, 20.0  # seconds without a movement
_LOOK_EVERY = 1.0  # seconds between two looks at what is visible, and at the files on disk
_LOOKS_PER_FILE_CHECK = 10  # tabs with unsaved edits report themselves, but for those that open with them


class Polled(Protocol):
    """What the clock asks of a presentation."""

    file: FileWatch

    @property
    def visible(self) -> bool:
        """Whether it is in front."""

    def tick(self) -> bool:
        """Follow what has moved. True if something has."""


class Poller:
    """The clock of the visible reviews: scrolling, and a look at the file now and then. Main thread only.

    It ticks only while a review is visible, fast while something moves and slower the longer nothing does. What makes a
    review visible starts it. A tick asks the editor for the position and the size of each view and nothing else: which
    reviews are still visible it asks once a second, and the caret reports itself.
    """

    def __init__(self, runtime: Runtime, presentations: Callable[[], Sequence[Polled]]) -> None:
        self._runtime = runtime
        self._presentations = presentations
        self._visible: List[Polled] = []
        self._round = 0
        self._ticking = False
        self._moved = 0.0
        self._look_at = 0.0  # when to look again, on the monotonic clock
        self._looks = 0

    def start(self) -> None:
        """Tick as long as a review is visible. Which ones are is found out with the next tick."""
        self._moved = clock.now()
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
        now = clock.now()
        if now >= self._look_at:
            self._look_at = now + _LOOK_EVERY
            self._find_visible()
        if not self._visible:
            self._ticking = False
            return
        for presentation in self._visible:
            if presentation.tick():
                self._moved = now
        still = now - self._moved
        pause = _FAST if still < _CALM_AFTER else _CALM if still < _SLOW_AFTER else _SLOW
        self._runtime.later_on_main(pause, self._tick, number)

    def _find_visible(self) -> None:
        self._visible = [presentation for presentation in self._presentations() if presentation.visible]
        self._looks += 1
        for presentation in self._visible:
            if self._looks % _LOOKS_PER_FILE_CHECK == 0:
                presentation.file.check()
            else:
                presentation.file.check_disk()
