"""What stands between the lines: the header, the fillers that keep equal lines level, and removed lines.

Rules:
* The editor draws a block below a line, never above the first. So the header stands under the first line, and an equal
  number of empty rows stands under the original's first line. What should be above the first line stands there too.
* Blocks are kept in sets of a few, so that one update never takes long.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional, Sequence, Tuple

import sublime

from ..document.carrying import Carried
from .screen import CaretLine

BLOCKS = "gemini_companion.blocks"
_SET_SIZE = 25

Block = Tuple[int, str]  # a point in the line above, and the document


class Blocks:
    """The blocks of one view. Main thread only. Where they change, the line of the caret stays, if `keep_caret`."""

    def __init__(self, view: sublime.View, keep_caret: bool) -> None:
        self._view = view
        self._keep_caret = keep_caret
        self._sets: List[sublime.PhantomSet] = []
        self._shown: List[Optional[List[Block]]] = []  # what each set shows; None if it is not certain where

    def update(self, blocks: Sequence[Block]) -> Iterator[None]:
        """Show exactly these blocks. A generator of small steps; blocks that are there already are not drawn anew."""
        parts = [list(blocks[start : start + _SET_SIZE]) for start in range(0, len(blocks), _SET_SIZE)]
        parts += [[] for _ in self._sets[len(parts) :]]
        for number, part in enumerate(parts):
            if number == len(self._sets):
                self._sets.append(sublime.PhantomSet(self._view, f"{BLOCKS}.{number}"))
                self._shown.append([])
            if self._shown[number] == part:
                continue
            self._shown[number] = part
            caret = CaretLine(self._view) if self._keep_caret else None
            self._sets[number].update(
                [sublime.Phantom(sublime.Region(point), html, sublime.LAYOUT_BLOCK) for point, html in part]
            )
            if caret is not None:
                caret.keep()
            yield

    def carry(self, edit: Optional[Carried]) -> None:
        """The text was edited, all at once; None if it is not certain how."""
        for number, part in enumerate(self._shown):
            if part:
                spans = edit.spans([(point, point) for point, _ in part]) if edit is not None else None
                moved = zip(spans, part) if spans is not None else ()
                self._shown[number] = [(point, html) for (point, _), (_, html) in moved] or None

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
