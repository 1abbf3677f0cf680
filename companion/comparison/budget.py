"""How much work a comparison may do, and how it is stopped.

Rule: the budget counts cells, never seconds. A cell is one pair of elements looked at, which is one bit in a handful of
integer operations; touching an element by itself counts as many cells as take the same time. A comparison that has
spent its budget goes on with coarser means, so its time is bounded and its result is the same on every machine.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, Sequence, Tuple, TypeVar

CELLS = 2_000_000_000
"""What one comparison may spend: about 0.4 seconds."""

CELLS_PER_PIECE = 1000
"""What looking at one element once is worth: about 0.2 microseconds."""

_SLICE = 1 << 13

Element = TypeVar("Element")


class Cancelled(Exception):
    """The caller asked to stop. There is no partial result."""


def never() -> bool:
    """The default for `cancelled`: the comparison is never cancelled."""
    return False


class Budget:
    """The cells that a comparison may still use, and whether it was cancelled. Used by one thread at a time."""

    def __init__(self, cancelled: Callable[[], bool] = never, cells: int = CELLS) -> None:
        self._cancelled = cancelled
        self.cells = cells

    def poll(self) -> None:
        """Raise `Cancelled` if the caller wants no result any more. Called every few milliseconds."""
        if self._cancelled():
            raise Cancelled

    def slices(self, elements: Sequence[Element], size: int = _SLICE) -> Iterator[Tuple[int, Sequence[Element]]]:
        """Cut a long loop: slices of `elements` with their starts, polling before each."""
        for start in range(0, len(elements), size):
            self.poll()
            yield start, elements[start : start + size]

    def spend(self, cells: int) -> None:
        """Take `cells` from what is left."""
        self.cells -= cells


def number_pieces(left: Sequence[str], right: Sequence[str], budget: Budget) -> Tuple[List[int], List[int]]:
    """Give equal elements equal numbers, so that later steps compare small integers instead of long texts."""
    numbers: Dict[str, int] = {}

    def numbered(elements: Sequence[str]) -> List[int]:
        return [numbers.setdefault(each, len(numbers)) for _, part in budget.slices(elements) for each in part]

    return numbered(left), numbered(right)
