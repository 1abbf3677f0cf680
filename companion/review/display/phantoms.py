"""What stands between the lines: the header, the fillers that keep equal lines level, and removed lines.

Rules:
* The editor draws a block below a line, never above the first. So the header stands under the first line, and an equal
  number of empty rows stands under the original's first line. What should be above the first line stands there too.
* Blocks are kept in sets of a few, so that one update never takes long.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional, Sequence, Tuple

import sublime

from ..document.carrying import TextState

BLOCKS = "gemini_companion.blocks"
_SET_SIZE = 25

Block = Tuple[int, str]  # a point in the line above, and the document


class Blocks:
    """The blocks of one view. Main thread only."""

    def __init__(self, view: sublime.View, key: str) -> None:
        self._view = view
        self._key = key
        self._sets: List[sublime.PhantomSet] = []
        self._shown: List[List[Block]] = []  # what each set was given last
        self._counts: List[int] = []  # the view's change count then

    @property
    def documents(self) -> List[str]:
        """What is shown, without where."""
        return [document for part in self._shown for _, document in part]

    def update(self, blocks: Sequence[Block], text: TextState) -> Iterator[None]:
        """Show exactly these blocks. A generator of small steps; blocks that are there already are not drawn anew."""
        parts = [list(blocks[start : start + _SET_SIZE]) for start in range(0, len(blocks), _SET_SIZE)]
        parts += [[] for _ in self._sets[len(parts) :]]
        for number, part in enumerate(parts):
            if number == len(self._sets):
                self._sets.append(sublime.PhantomSet(self._view, f"{self._key}.{number}"))
                self._shown.append([])
                self._counts.append(-1)
            before, count = self._shown[number], self._counts[number]
            self._shown[number], self._counts[number] = part, text.change_count
            if [html for _, html in before] == [html for _, html in part]:
                if text.has([(point, point) for point, _ in part], [(point, point) for point, _ in before], count):
                    continue
                if not part:
                    continue
            self._sets[number].update(
                [sublime.Phantom(sublime.Region(point), html, sublime.LAYOUT_BLOCK) for point, html in part]
            )
            yield

    def clear(self) -> None:
        """Remove all blocks."""
        for phantoms in self._sets:
            phantoms.update([])
        self._shown = [[] for _ in self._sets]


class Top:
    """The block under the first line of one view: the header, or what stands level with it. Main thread only."""

    def __init__(self, view: sublime.View, on_navigate: Optional[Callable[[str], None]] = None) -> None:
        self._view = view
        self._phantoms = sublime.PhantomSet(view, "gemini_companion.top")
        self._on_navigate = on_navigate
        self.document = ""

    def show(self, document: str) -> None:
        """Show `document`, or nothing if it is empty."""
        if document == self.document or not self._view.is_valid():
            return
        self.document = document
        phantoms = []
        if document:
            phantoms = [sublime.Phantom(sublime.Region(0), document, sublime.LAYOUT_BLOCK, self._on_navigate)]
        self._phantoms.update(phantoms)
