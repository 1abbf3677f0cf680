"""Long work on the main thread, cut in slices so that the editor never stutters.

Rule: a generator does a little between two `yield`s and may be dropped at any of them; whoever writes one makes each
piece small and checks that the world is still the one it started in.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Iterator, Optional

if TYPE_CHECKING:
    from ...runtime import Runtime

SLICE_SECONDS = 0.010


class Slices:
    """Runs one generator at a time. Main thread only."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._steps: Optional[Iterator[None]] = None

    def run(self, steps: Iterator[None]) -> None:
        """Drop what is running and begin with `steps`; the first slice is run at once."""
        self._steps = steps
        self._go_on(steps)

    def stop(self) -> None:
        """Drop what is running."""
        self._steps = None

    @property
    def busy(self) -> bool:
        """Whether something is still running."""
        return self._steps is not None

    def _go_on(self, steps: Iterator[None]) -> None:
        if steps is not self._steps:
            return
        end = time.perf_counter() + SLICE_SECONDS
        for _ in steps:
            if steps is not self._steps:
                return
            if time.perf_counter() >= end:
                self._runtime.later_on_main(1, self._go_on, steps)
                return
        self._steps = None
