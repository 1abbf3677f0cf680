"""The text of *Review Changes*: which rows it has, and what each row stands for.

Theory of operation: a file becomes rows, a row becomes a line of text. The rows of a long file are cut into parts, so
that no step which puts a part into the view, or draws its marks, takes long. `PageLayout` has the parts that the view
holds, and finds the row of a line, the line of a row, and the change that comes next.

Rule: nothing of a file's text is changed. A row knows where it comes from, so that no line has to be read back.

Pure. Any thread.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from enum import Enum
from itertools import accumulate
from typing import Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..comments.model import TextSide
from ..common.display_names import client_name, shown
from ..common.transitions import may_step
from ..comparison import unified
from ..review.decision import Review
from ..review.document.analysis import Analysis, Moved, Span, moved_on_left, moved_on_right
from ..unreviewed.model import ChangeKind, UnreviewedChange
from ..unreviewed.texts import OUTSIDE, TextPair, doing, file_count

PART_ROWS = 400
PART_CHARACTERS = 1 << 17


class RowKind(Enum):
    """What a row says."""

    INTRODUCTION = "how much there is, and which keys there are"
    FILE = "which file, how much of it has changed, and who has changed it"
    NOTE = "something about the file"
    DECIDED = "what the user has decided of the file"
    HUNK = "which lines follow"
    LINE = "a line of the file"
    END = "the line before has no end"
    REMARK = "a line of a comment"
    BLANK = "nothing"


class PageRow(NamedTuple):
    """A line of the page.

    `hunk` is the index of the change that it belongs to, or belongs next to, -1 if there is none. A `LINE` is on one
    `side`, at this `row` of that text; an equal one is on the new side, unless it `is_equal` it has changed. `sign` is
    the kind of mark in the gutter, and `parts` are the changed characters, in columns.
    """

    kind: RowKind
    text: str
    hunk: int = -1
    side: TextSide = TextSide.NEW
    row: int = -1
    is_equal: bool = True
    sign: str = ""
    parts: Tuple[Span, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether it is a line that was added or removed."""
        return self.kind is RowKind.LINE and not self.is_equal


class Remark(NamedTuple):
    """Lines of text that stand below a line of a file, which is counted from 1."""

    side: TextSide
    line: int
    texts: Tuple[str, ...]


BLANK = PageRow(RowKind.BLANK, "")


def with_remarks(rows: Sequence[PageRow], remarks: Sequence[Remark]) -> Iterator[PageRow]:
    """The rows of a file, with remarks below their lines. Those on a line that is not shown stand at the top."""
    below: Dict[Tuple[TextSide, int], List[str]] = {}
    for remark in remarks:
        below.setdefault((remark.side, remark.line - 1), []).extend(remark.texts)
    places = {(row.side, row.row) for row in rows if row.kind is RowKind.LINE} if below else set()
    for place in [each for each in below if each not in places]:
        yield from (PageRow(RowKind.REMARK, text) for text in below.pop(place))
    for row in rows:
        yield row
        texts = below.pop((row.side, row.row), ()) if below and row.kind is RowKind.LINE else ()
        yield from (PageRow(RowKind.REMARK, text, row.hunk, row.side, row.row) for text in texts)


def _diff_rows(analysis: Analysis) -> Iterator[PageRow]:
    left_moved, right_moved = _Rows(moved_on_left(analysis.moves)), _Rows(moved_on_right(analysis.moves))
    changes = analysis.changes
    left, right = analysis.left_lines, analysis.right_lines
    for line in unified.unified(left, right, [change.hunk for change in changes]):
        if line.sign in (unified.HEADER, unified.END):
            kind = RowKind.HUNK if line.sign == unified.HEADER else RowKind.END
            yield PageRow(kind, line.text, line.hunk, row=line.row)
        elif line.sign == unified.EQUAL:
            yield PageRow(RowKind.LINE, line.text, line.hunk, row=line.row)
        else:
            change, is_left = changes[line.hunk], line.sign == unified.REMOVED
            start = (analysis.left_starts if is_left else analysis.right_starts)[line.row] - 1  # behind the sign
            parts = _within(change.left_parts if is_left else change.right_parts, start + 1, start + len(line.text))
            moved = (left_moved if is_left else right_moved).has(line.row)
            yield PageRow(
                RowKind.LINE,
                line.text,
                line.hunk,
                TextSide.OLD if is_left else TextSide.NEW,
                line.row,
                is_equal=False,
                sign="moved" if moved else change.hunk.kind.value,
                parts=tuple((first - start, last - start) for first, last in parts),
            )


def _within(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """What of these spans, which are in order, lies between two points."""
    for number in range(max(0, bisect_right(spans, (start, start)) - 1), len(spans)):
        first, last = spans[number]
        if first >= end:
            return
        if last > start:
            yield max(first, start), min(last, end)


class _Rows:
    """Which rows lie in blocks that moved."""

    def __init__(self, blocks: Sequence[Moved]) -> None:
        self._blocks = blocks
        self._starts = [block.start for block in blocks]

    def has(self, row: int) -> bool:
        """Whether this one does."""
        index = bisect_right(self._starts, row) - 1
        return index >= 0 and row < self._blocks[index].end


# -- files -------------------------------------------------------------------------------------------------------------


class PageFileState(Enum):
    """Where a file of the page stands."""

    WAITS = "waits for the user"
    DECIDING = "a decision is being carried out"
    DECIDED = "nothing of it waits any more"


TRANSITIONS: Dict[PageFileState, FrozenSet[PageFileState]] = {
    PageFileState.WAITS: frozenset({PageFileState.DECIDING, PageFileState.DECIDED}),
    PageFileState.DECIDING: frozenset({PageFileState.WAITS, PageFileState.DECIDED}),
    PageFileState.DECIDED: frozenset({PageFileState.WAITS}),  # the user has taken the decision back
}


class Body(NamedTuple):
    """What was read of a file: its texts, `rows` that show them, and what else is to be known, in sentences. There is
    no `analysis` where they are not shown. It is about this `change`, or about a proposal that was `proposed` then.

    `changed_texts` are for each change what it removes and what it adds: by that it is known again in a newer body.
    """

    pair: TextPair
    notes: Tuple[str, ...] = ()
    analysis: Optional[Analysis] = None
    rows: Tuple[PageRow, ...] = ()
    changed_texts: Tuple[Tuple[str, str], ...] = ()
    change: Optional[UnreviewedChange] = None
    proposed: str = ""

    def compared(self, analysis: Analysis) -> Body:
        """This one with its texts compared."""
        return self._replace(
            analysis=analysis, rows=tuple(_diff_rows(analysis)), changed_texts=tuple(_changed_texts(analysis))
        )

    def shows_same(self, other: Body) -> bool:
        """Whether both are about the same texts."""
        mine, theirs = self.pair, other.pair
        texts = (mine.left.text, self.proposed, self.change) == (theirs.left.text, other.proposed, other.change)
        return texts and self.notes == other.notes


def _changed_texts(analysis: Analysis) -> Iterator[Tuple[str, str]]:
    left, right = analysis.left_lines, analysis.right_lines
    for hunk in (change.hunk for change in analysis.changes):
        yield "".join(left[hunk.left_start : hunk.left_end]), "".join(right[hunk.right_start : hunk.right_end])


class PageFile:
    """A file on the page: a proposal, which has a `review`, or a `change` that its file holds already.

    `label` is what the user reads it called. `body` is None until it was read. `words` are what was decided of it.
    """

    def __init__(
        self, path: str, label: str, review: Optional[Review] = None, change: Optional[UnreviewedChange] = None
    ) -> None:
        self.path = path
        self.label = label
        self.review = review
        self.change = change
        self.body: Optional[Body] = None
        self.state = PageFileState.WAITS
        self.words: List[str] = []

    def go(self, state: PageFileState) -> bool:
        """Go to another state. False if there is no way to it."""
        if not may_step(TRANSITIONS, self.state, state):
            return False
        self.state = state
        return True

    @property
    def subject(self) -> Tuple[str, Optional[Review]]:
        """The proposal that it is about, or the file: two of one subject are one file of the page."""
        return self.path, self.review

    @property
    def number(self) -> int:
        """When it came, compared with others."""
        return self.review.number if self.review is not None else self.change.number if self.change is not None else 0

    @property
    def words_of_decision(self) -> str:
        """What was decided, in a word or two."""
        if len(set(self.words)) > 1:
            return "decided in part: " + ", ".join(dict.fromkeys(self.words))
        return self.words[0] if self.words else GONE


GONE = "nothing left to decide:"
OLD_TEXT = {ChangeKind.NEW: "new", ChangeKind.DELETED: "deleted"}


def rows_of(file: PageFile, number: int, total: int, remarks: Sequence[Remark] = ()) -> Iterator[PageRow]:
    """All rows of a file, which is the one with this number."""
    label = shown(file.label)
    if file.state is PageFileState.DECIDED:
        yield PageRow(RowKind.DECIDED, f"\u2713 {file.words_of_decision} {label}")
        return
    head = [f"{number} of {total}", label, *_head(file)]
    yield PageRow(RowKind.FILE, "  ".join(filter(None, head)))
    if file.body is not None:
        yield from (PageRow(RowKind.NOTE, f"# {shown(note)}") for note in file.body.notes)
        yield from with_remarks(file.body.rows, remarks)
    yield BLANK


def _head(file: PageFile) -> Iterator[str]:
    """How much has changed, what happened to the file, and who did it."""
    change, review = file.change, file.review
    analysis = file.body.analysis if file.body is not None else None
    if analysis is not None:
        added, removed = analysis.added, analysis.removed
    else:
        added, removed = (change.added, change.removed) if change is not None else (0, 0)
    yield f"+{added:,} \u2212{removed:,}" if added or removed else ""
    if change is not None:
        yield OLD_TEXT.get(change.kind, "")
        yield doing(change.origin) or ("" if change.origin.counted else OUTSIDE)
    elif review is not None:
        yield f"proposed by {client_name(review.owner.client_name)}"


def introduction(count: int, last_turn: bool, help_rows: Sequence[str]) -> Iterator[PageRow]:
    """The rows above the first file."""
    which = " of the last turn" if last_turn else ""
    yield PageRow(RowKind.INTRODUCTION, f"{file_count(count)}{which} to review. ? lists the keys.")
    yield from (PageRow(RowKind.INTRODUCTION, text) for text in help_rows)
    yield BLANK


# -- where rows are ----------------------------------------------------------------------------------------------------


_numbers = itertools.count(1)


class Part:
    """Some rows of a file, or the introduction, which belongs to none. A part never changes. `body` is what was read of
    the file when it was made: decisions are about that."""

    __slots__ = ("_starts", "body", "file", "number", "rows", "text")

    def __init__(self, file: Optional[PageFile], rows: Sequence[PageRow]) -> None:
        self.file = file
        self.body = file.body if file is not None else None
        self.number = next(_numbers)
        self.rows = tuple(rows)
        self.text = "".join(row.text + "\n" for row in rows)
        self._starts = [0, *accumulate(len(row.text) + 1 for row in rows)]

    def start(self, row: int) -> int:
        """Where a row begins, from the start of the part on."""
        return self._starts[row]

    def row_at(self, offset: int) -> int:
        """The row in which a point lies."""
        return min(bisect_right(self._starts, offset) - 1, len(self.rows) - 1)


def parts_of(file: Optional[PageFile], rows: Iterable[PageRow]) -> Iterator[Part]:
    """Cut rows into parts."""
    some: List[PageRow] = []
    length = 0
    for row in rows:
        if some and (len(some) == PART_ROWS or length + len(row.text) > PART_CHARACTERS):
            yield Part(file, some)
            some, length = [], 0
        some.append(row)
        length += len(row.text)
    if some:
        yield Part(file, some)


class PlacedRow(NamedTuple):
    """A row of the page: in which part, which row of that, and what it is."""

    part: int
    line: int
    file: Optional[PageFile]
    body: Optional[Body]
    row: PageRow

    @property
    def change(self) -> Optional[Tuple[PageFile, int]]:
        """The change that it belongs to."""
        return (self.file, self.row.hunk) if self.file is not None and self.row.hunk >= 0 else None

    @property
    def changed_text(self) -> Optional[Tuple[str, str]]:
        """What that change removes and adds."""
        has_one = self.body is not None and 0 <= self.row.hunk < len(self.body.changed_texts)
        return self.body.changed_texts[self.row.hunk] if has_one and self.body is not None else None


class PageLayout:
    """The parts that a view holds, in their order."""

    def __init__(self) -> None:
        self.parts: List[Part] = []
        self._starts: List[int] = [0]

    def put(self, index: int, part: Optional[Part], count: int) -> None:
        """Put a part, or nothing, in the place of so many."""
        self.parts[index : index + count] = [part] if part is not None else []
        self._starts = [0, *accumulate(len(each.text) for each in self.parts)]

    def start(self, index: int) -> int:
        """Where a part begins; the end of the text for the one behind the last."""
        return self._starts[index]

    def point(self, placed: PlacedRow) -> int:
        """Where a row begins."""
        return self._starts[placed.part] + self.parts[placed.part].start(placed.line)

    def at(self, point: int) -> Optional[PlacedRow]:
        """The row in which a point lies; None while there is no text."""
        if not self.parts:
            return None
        index = min(bisect_right(self._starts, point) - 1, len(self.parts) - 1)
        row = self.parts[index].row_at(point - self._starts[index])
        return self._placed(index, row)

    def _placed(self, index: int, row: int) -> PlacedRow:
        part = self.parts[index]
        return PlacedRow(index, row, part.file, part.body, part.rows[row])

    def rows(self, point: int, forward: bool = True) -> Iterator[PlacedRow]:
        """The row in which a point lies, and all behind it, or all before it."""
        found = self.at(point)
        if found is None:
            return
        part, index = found[:2]
        while 0 <= part < len(self.parts):
            last = len(self.parts[part].rows) - 1
            order = range(index, last + 1) if forward else range(min(index, last), -1, -1)
            yield from (self._placed(part, each) for each in order)
            part, index = part + (1 if forward else -1), 0 if forward else PART_ROWS

    def rows_of(self, file: Optional[PageFile]) -> Iterator[PlacedRow]:
        """All rows of a file, or those above the first one."""
        for index, part in enumerate(self.parts):
            if part.file is file:
                yield from (self._placed(index, row) for row in range(len(part.rows)))

    def between(self, start: int, end: int) -> Iterator[PlacedRow]:
        """The rows that a selection touches. One that ends at the start of a row does not reach into it."""
        for placed in self.rows(start):
            if self.point(placed) > max(start, end - 1):
                return
            yield placed

    def next_change(self, point: int) -> Optional[PlacedRow]:
        """The first row of the change behind the one in which a point lies; None behind the last."""
        here = self.at(point)
        inside = here.change if here is not None and here.row.changed else None
        found = (each for each in self.rows(point) if each.row.changed)
        return next((each for each in found if each.change != inside), None)

    def previous_change(self, point: int) -> Optional[PlacedRow]:
        """The first row of the change before the one in which a point lies; None before the first."""
        here = self.at(point)
        inside = here.change if here is not None and here.row.changed else None
        first: Optional[PlacedRow] = None
        for each in self.rows(point, forward=False):
            if first is not None and not (each.row.changed and each.change == first.change):
                break
            if each.row.changed and each.change != inside:
                first = each
        return first

    def next_file(self, point: int, forward: bool) -> Optional[PlacedRow]:
        """The first row of the next file that waits, or of the one before; None if there is none."""
        here = self.at(point)
        if here is None:
            return None
        for index in range(here.part + 1, len(self.parts)) if forward else range(here.part - 1, -1, -1):
            placed = self._placed(index, 0)
            if placed.row.kind is RowKind.FILE and placed.file is not here.file:
                return placed
        return None
