"""A text buffer: the text itself, its lines and its file.

Rule kept here: the text changes through `replace` only, which carries every watcher's positions with it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from .undo import UndoStack

_LINE_FEED = re.compile("\n")
_FEW_LINES = 10000  # behind an edit, whose starts are carried with it at once


class Change(NamedTuple):
    """At `start`, `removed` characters gave way to `inserted` characters."""

    start: int
    removed: int
    inserted: int


def move_point(point: int, change: Change) -> int:
    """Carry a point over a change.

    An insertion pushes the point it happens at. A replacement leaves its own two ends where they are,
    and moves what was inside to its end.
    """
    start, removed, inserted = change
    if removed == 0:
        return point + inserted if point >= start else point
    if point <= start:
        return point
    if point >= start + removed:
        return point + inserted - removed
    return start + inserted


def utf16_length(text: str) -> int:
    """The number of UTF-16 code units of `text`."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class BufferModel:
    """One text, shown by one view or by several clones. Changes are made under `lock`, the host's."""

    def __init__(self, buffer_id: int, lock: Any):
        self.id = buffer_id
        self.lock = lock
        self.text = ""
        self.file_name = ""
        self.name = ""
        self.encoding = "UTF-8"
        self.line_endings = "Unix"
        self.read_only = False
        self.scratch = False
        self.loading = False
        self.change_count = 0
        self.disk_state: Any = None
        self.deleted_on_disk = False
        self.views: list = []
        self.undo = UndoStack()
        self._starts: Optional[List[int]] = None

    # -- state -----------------------------------------------------------------------------------
    @property
    def dirty(self) -> bool:
        """Whether closing would lose something. Scratch buffers never are."""
        return not self.scratch and not self.undo.is_at_saved()

    def size(self) -> int:
        return len(self.text)

    def clamp(self, point: int) -> int:
        return max(0, min(point, len(self.text)))

    # -- changing --------------------------------------------------------------------------------
    def replace(self, start: int, end: int, text: str, *, record: bool = True) -> None:
        """Put `text` in place of the characters from `start` to `end`; `record` makes it undoable."""
        with self.lock:
            self._replace(start, end, text, record)

    def _replace(self, start: int, end: int, text: str, record: bool) -> None:
        removed = self.text[start:end]
        if not removed and not text:
            return
        self.text = self.text[:start] + text + self.text[end:]
        self._carry_starts(start, end, text)
        self.change_count += 1
        change = Change(start, end - start, len(text))
        if record:
            self.undo.record(start, removed, text)
        for view in self.views:
            view.carry(change)

    def load(self, text: str) -> None:
        """Set the whole text as a freshly loaded file has it: not dirty, nothing to undo."""
        with self.lock:
            self.text = text
            self._starts = None
            self.change_count += 1
            self.undo.clear(saved=True)

    # -- positions -------------------------------------------------------------------------------
    def starts(self) -> List[int]:
        """The offset at which each line starts."""
        if self._starts is None:
            starts = [0]
            find, position = self.text.find, -1
            while True:
                position = find("\n", position + 1)
                if position < 0:
                    break
                starts.append(position + 1)
            self._starts = starts
        return self._starts

    def _carry_starts(self, start: int, end: int, text: str) -> None:
        """Keep what is known of the lines where that costs little: a long text is often filled piece by piece."""
        starts = self._starts
        if starts is None:
            return
        kept, behind = bisect_right(starts, start), bisect_right(starts, end)
        if len(starts) - behind > _FEW_LINES:
            self._starts = None
            return
        moved = [point + len(text) - (end - start) for point in starts[behind:]]
        starts[kept:] = [start + match.end() for match in _LINE_FEED.finditer(text)] + moved

    def line_count(self) -> int:
        return len(self.starts())

    def row(self, point: int) -> int:
        return bisect_right(self.starts(), self.clamp(point)) - 1

    def line_bounds(self, row: int) -> Tuple[int, int]:
        """The ends of a line, its line feed left out."""
        starts = self.starts()
        end = starts[row + 1] - 1 if row + 1 < len(starts) else len(self.text)
        return starts[row], end

    def rowcol(self, point: int, measure: Callable[[str], int] = len) -> Tuple[int, int]:
        point = self.clamp(point)
        row = self.row(point)
        return row, measure(self.text[self.starts()[row] : point])

    def text_point(self, row: int, column: int, clamp: bool = False) -> int:
        """The point `column` characters into `row`.

        A column beyond the end of its line runs on into the next ones unless `clamp`; a row beyond the end gives
        the size.
        """
        if row < 0:
            return 0
        if row >= self.line_count():
            return len(self.text)
        start, end = self.line_bounds(row)
        point = start + max(0, column)
        return min(point, end) if clamp else min(point, len(self.text))
