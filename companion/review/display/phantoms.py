"""What stands between the lines: the header, the fillers that keep equal lines level, and removed lines.

Rules:
* The editor draws a block below a line, never above the first. So the header stands under the first line, and an equal
  number of empty rows stands under the original's first line. What should be above the first line stands there too.
* Blocks are kept in sets of a few, so that one update never takes long.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import sublime

from ...comparison import Filler

_SET_SIZE = 25

Block = Tuple[int, str]  # a point in the line above, and the document


class Blocks:
    """The blocks of one view. Main thread only."""

    def __init__(self, view: sublime.View, key: str) -> None:
        self._view = view
        self._key = key
        self._sets: List[sublime.PhantomSet] = []

    def update(self, blocks: Sequence[Block]) -> Iterator[None]:
        """Show exactly these blocks. A generator of small steps; blocks that are there already are not drawn anew."""
        number = 0
        for start in range(0, len(blocks), _SET_SIZE):
            if number == len(self._sets):
                self._sets.append(sublime.PhantomSet(self._view, f"{self._key}.{number}"))
            self._sets[number].update(
                [
                    sublime.Phantom(sublime.Region(point), document, sublime.LAYOUT_BLOCK)
                    for point, document in blocks[start : start + _SET_SIZE]
                ]
            )
            number += 1
            yield
        for unused in self._sets[number:]:
            unused.update([])
            yield

    def clear(self) -> None:
        """Remove all blocks."""
        for phantoms in self._sets:
            phantoms.update([])


class Top:
    """The block under the first line of one view: the header, or what stands level with it. Main thread only."""

    def __init__(self, view: sublime.View, on_navigate: Optional[Callable[[str], None]] = None) -> None:
        self._phantoms = sublime.PhantomSet(view, "gemini_companion.top")
        self._on_navigate = on_navigate
        self.document = ""

    def show(self, document: str) -> None:
        """Show `document`, or nothing if it is empty."""
        if document == self.document:
            return
        self.document = document
        phantoms = []
        if document:
            phantoms = [sublime.Phantom(sublime.Region(0), document, sublime.LAYOUT_BLOCK, self._on_navigate)]
        self._phantoms.update(phantoms)


def rows_below_lines(fillers: Sequence[Filler]) -> Dict[int, int]:
    """How many empty rows stand below which line. Those above the first line move below it."""
    result: Dict[int, int] = {}
    for filler in fillers:
        line = max(0, filler.after)
        result[line] = result.get(line, 0) + filler.rows
    return result
