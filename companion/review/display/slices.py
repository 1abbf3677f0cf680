"""Long work on the main thread, cut in slices so that the editor never stutters.

Rule: a generator does a little between two `yield`s and may be dropped at any of them; whoever writes one makes each
piece small and checks whether what it started from (views, texts) is still there.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable, Iterator, Optional

if TYPE_CHECKING:
    from ...runtime import Runtime

SLICE_SECONDS = 0.006
TURN = object()  # yielded to let the editor have a turn, for instance to lay out what it was given


class Slices:
    """Runs one generator at a time. Main thread only."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._steps: Optional[Iterator[object]] = None
        self._current: Callable[[], bool] = lambda: True

    def run(self, steps: Iterator[object], current: Callable[[], bool] = lambda: True) -> None:
        """Drop what is running and begin with `steps`; the first slice is run at once.

        `current` is asked at the start of each slice but the first: if it says no, the rest is dropped. Within a slice
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
        for step in steps:
            if steps is not self._steps:
                return
            if step is TURN or time.perf_counter() >= end:
                self._runtime.later_on_main(1, self._go_on, steps, True)
                return
        if steps is self._steps:
            self._steps = None
