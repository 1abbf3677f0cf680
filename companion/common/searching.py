"""Finds one long text in another, in time that grows with both and no faster, whatever they hold.

Theory of operation: Python's own search is as fast as can be with what occurs in practice. Up to Python 3.9 a hostile
or merely repetitive text makes it compare nearly all of one text at each place of the other, in one call during which
no other thread runs. So it is asked for a short piece alone, in a portion of the text at a time. Where that stands the
rest is compared. What was compared in vain is counted. Once that is too much for the way gained, the search goes on by
a table of the text's own repetitions (Knuth, Morris, Pratt): in Python, which lets other threads run, and with two
steps a character at most.

Rule: no call into C works on more than a portion. Pure. Any thread; megabytes take a while.
"""

from __future__ import annotations

from array import array
from typing import Iterator, Optional

MOST_WORK = 1 << 31
"""What the searches for one request may take together: some seconds. What takes more is for the caller to refuse."""
_PIECE = 24
"""Characters that Python's own search is asked for: in the worst case it compares as many at each place."""
_SAMPLES = 8
"""So many pieces are considered; the one with the most different characters stands in the fewest places."""
_PORTION = 1 << 16
_STEP, _PLACE = 1 << 8, 1 << 10
"""What a character costs that is looked up in the table, and a place that is looked at; one of those that are compared
or searched through by Python costs 1."""
_AT_FIRST = 1 << 10  # characters are compared at a place


class Needle:
    """A text that is looked for in others."""

    def __init__(self, text: str) -> None:
        """Raises ValueError for the empty text, which stands everywhere."""
        if not text:
            raise ValueError("the empty text cannot be looked for")
        self.text = text
        last = max(0, len(text) - _PIECE)
        starts = {last * number // (_SAMPLES - 1) for number in range(_SAMPLES)}
        self._offset = max(sorted(starts), key=lambda start: len(set(text[start : start + _PIECE])))
        self._piece = text[self._offset : self._offset + _PIECE]
        self._table: Optional[array[int]] = None
        self.work = 0
        """The work of all searches so far."""

    def find(self, text: str, start: int = 0, end: Optional[int] = None) -> int:
        """The first place in `text[start:end]`, counted from the beginning of `text`; -1 if there is none."""
        end = len(text) if end is None else min(end, len(text))
        place, in_vain = self._next(text, start, end), 0
        while place >= 0:
            same = self._same(text, place)
            self.work += _PLACE + same
            if same == len(self.text):
                return place
            in_vain += _PLACE + same
            if in_vain > _STEP * (place - start + len(self.text)):
                return self._find_by_table(text, place + 1, end)
            place = self._next(text, place + 1, end)
        return -1

    def places(self, text: str) -> Iterator[int]:
        """All places in `text` that do not overlap, from its beginning on."""
        place = self.find(text)
        while place >= 0:
            yield place
            place = self.find(text, place + len(self.text))

    def _next(self, text: str, start: int, end: int) -> int:
        """The first place from `start` on where the piece is as it should be, and the rest has room; else -1."""
        last = end - len(self.text) + self._offset  # for the piece
        at = start + self._offset
        while at <= last:
            behind = min(at + _PORTION, last + 1)
            found = text.find(self._piece, at, behind + len(self._piece) - 1)
            self.work += (found if found >= 0 else behind) - at
            if found >= 0:
                return found - self._offset
            at = behind
        return -1

    def _same(self, text: str, place: int) -> int:
        """How many characters are equal there at least, from the first one on: all, or rounded down."""
        same, size = 0, _AT_FIRST
        while same < len(self.text):
            if not text.startswith(self.text[same : same + size], place + same):
                return same
            same, size = same + size, min(2 * size, _PORTION)
        return len(self.text)

    def _find_by_table(self, text: str, start: int, end: int) -> int:
        wanted, table, same = self.text, self._repetitions(), 0
        for begin in range(start, end, _PORTION):
            self.work += _STEP * min(_PORTION, end - begin)
            for at, character in enumerate(text[begin : min(begin + _PORTION, end)], begin + 1):
                while same and wanted[same] != character:
                    same = table[same - 1]
                if wanted[same] == character:
                    same += 1
                    if same == len(wanted):
                        return at - same
        return -1

    def _repetitions(self) -> array[int]:
        """For each beginning of the text: how long the longest shorter beginning is with which it ends."""
        if self._table is None:
            wanted, same = self.text, 0
            self.work += _STEP * len(wanted)
            self._table = table = array("l", [0])
            for character in wanted[1:]:
                while same and wanted[same] != character:
                    same = table[same - 1]
                same += wanted[same] == character
                table.append(same)
        return self._table
