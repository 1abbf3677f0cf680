"""The tab of *Review Changes*: puts parts of the page into its view, marks them, and keeps the carets where they were.

Theory of operation: the page says which parts are wanted. What differs is put in batch by batch, each with its marks,
in slices of the main thread. The `PageLayout` tells at each moment what the view holds, so keys are always answered.

A caret stays on its line as long as the page has it, wherever that has moved. If not, it goes to the change that
follows, and the page hears of it.

Main thread only.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import sublime

from ..comments.model import TextSide
from ..editor import marks
from ..editor.edits import MOVE_CARET, Edit, apply_edits, difference, first_caret, move_caret, some_selections
from ..editor.file_views import is_open
from ..review.display import decorations
from ..review.display.decorations import CHARACTERS, GUTTER, LINES, Look, Regions, Side, Styles
from ..review.display.mark_style import MarkStyle
from ..review.display.pacing import Slices
from ..review.window import views
from ..runtime import Runtime
from .model import PageFile, PageLayout, Part, PlacedRow, RowKind

TITLE = "Review Changes"
FILE_NAME = "changes.diff"  # of which it has the syntax
BATCH_PARTS, BATCH_EDITS, BATCH_CHARACTERS = 40, 3, 1 << 15
_SETTINGS: Mapping[str, Any] = {
    marks.PAGE_KEYS: True,
    "lsp_uri": "gemini-companion:page",  # for LSP, as in the views of a review
    "draw_indent_guides": False,
    "line_numbers": False,  # they would be taken for those of the files
    "rulers": [],
    "gutter": True,
    "__vi_external_disable": True,
}
_SIDES = {TextSide.OLD: Side.LEFT, TextSide.NEW: Side.RIGHT}
_FILES = "gemini_companion.page.files"
_FILE_LOOK = Look("region.bluish", decorations.UNSEEN | sublime.DRAW_SOLID_UNDERLINE)

Wanted = Iterable[Tuple[Optional[PageFile], Iterable[Part]]]
"""The files in their order, with their parts, made as they are needed; first what belongs to none."""


class _Replacement(NamedTuple):
    """A part, or none, that comes in the place of one, or of none; `at` is the index of that before the batch."""

    at: int
    former: Optional[Part]
    part: Optional[Part]


def _side_by_side(former: Sequence[Part], wanted: Wanted) -> Iterator[_Replacement]:
    """For each part what comes in its place, file by file."""
    at = 0
    for file, parts in wanted:
        end = next((number for number in range(at, len(former)) if former[number].file is not file), len(former))
        for old, part in zip_longest(former[at:end], parts):
            yield _Replacement(at, old, part)
            at += old is not None
    yield from (_Replacement(number, old, None) for number, old in enumerate(former[at:], at))


def _is_full(batch: Sequence[_Replacement]) -> bool:
    """Whether so much is to be put in that the editor should have a turn. What comes in at one place is one edit."""
    length = sum(len(each.part.text) for each in batch if each.part is not None)
    return len(batch) >= BATCH_PARTS or length >= BATCH_CHARACTERS or len({each.at for each in batch}) >= BATCH_EDITS


class _Anchor(NamedTuple):
    """A point of the text: a row, and the column."""

    placed: PlacedRow
    column: int


class PageTab:
    """The page's tab in one window. `lost` is called once the line of the first caret has gone, with where that was and
    where it is now."""

    def __init__(self, runtime: Runtime, lost: Callable[[PlacedRow, Optional[PlacedRow]], None]) -> None:
        self._slices = Slices(runtime)
        self._lost = lost
        self.view: Optional[sublime.View] = None
        self.layout = PageLayout()
        self._regions: Optional[Regions] = None
        self._undrawn: Dict[Part, None] = {}

    def open(self, window: sublime.Window) -> sublime.View:
        """Make the view, or go to it."""
        if self.view is None or not self.is_open:
            view = self.view = window.new_file()
            view.set_scratch(True)
            view.set_name(TITLE)
            marks.take_role(view, marks.PAGE)
            for key, value in _SETTINGS.items():
                view.settings().set(key, value)
            syntax = sublime.find_syntax_for_file(FILE_NAME)
            if syntax is not None:
                view.assign_syntax(syntax)
            view.set_read_only(True)
            self.layout, self._regions = PageLayout(), Regions(view, Styles(view))
            self._undrawn.clear()
        home = self.view.window()
        if home is not None:
            home.focus_view(self.view)
        return self.view

    @property
    def is_open(self) -> bool:
        """Whether the view is there, and still ours."""
        return self.view is not None and is_open(self.view) and marks.is_page(self.view)

    @property
    def has_focus(self) -> bool:
        """Whether the view, or a clone of it, has the focus in its window."""
        window = self.view.window() if self.view is not None and self.is_open else None
        return window is not None and self.shows(window.active_view())

    @property
    def busy(self) -> bool:
        """Whether something is still to be put in."""
        return self._slices.busy

    def shows(self, view: Optional[sublime.View]) -> bool:
        """Whether this is the view, or a clone of it."""
        mine = self.view
        return mine is not None and view is not None and (view == mine or view.buffer_id() == mine.buffer_id())

    def leave(self) -> None:
        """Close the view."""
        self._slices.stop()
        view, self.view = self.view, None
        if view is not None and is_open(view) and marks.is_page(view):
            views.close(view)

    # -- the text -----------------------------------------------------------------------------------------------------

    def show(self, wanted: Wanted, style: MarkStyle, then: Callable[[], None]) -> None:
        """Show these parts; `then` is called once all are there, unless others are wanted before that."""
        self._slices.run(self._steps(wanted, style, then), lambda: self.is_open)

    def _steps(self, wanted: Wanted, style: MarkStyle, then: Callable[[], None]) -> Iterator[None]:
        batch: List[_Replacement] = []
        shift = 0  # of the parts that follow
        for at, former, part in _side_by_side(list(self.layout.parts), wanted):
            if part is None or former is None or part.body is not former.body or part.rows != former.rows:
                batch.append(_Replacement(at + shift, former, part))
            if _is_full(batch):
                shift += self._put(batch)
                batch = []
                yield from self._draw(style)
        self._put(batch)
        yield from self._draw(style)
        then()

    def _put(self, batch: Sequence[_Replacement]) -> int:
        """Make these replacements. By how many parts there are more now."""
        view = self.view
        if not batch or view is None:
            return 0
        carets = [(self._anchor(each.a, batch), self._anchor(each.b, batch)) for each in some_selections(view)]
        edits: Dict[int, Edit] = {}  # by where they begin: what comes in at one point is one edit
        for index, former, part in batch:
            start = self.layout.start(index)
            edit = difference(former.text if former is not None else "", part.text if part is not None else "")
            if edit is not None:
                start, end = start + edit.start, start + edit.end
                before = edits[start].text if start in edits else ""
                edits[start] = Edit(start, end, before + edit.text)
        if edits:
            apply_edits(view, list(edits.values()))
        for index, former, part in reversed(batch):
            self.layout.put(index, part, former is not None)
            if former is not None:
                self._erase(former)
            if part is not None:
                self._undrawn[part] = None
        self._restore(view, carets)
        return sum((each.part is not None) - (each.former is not None) for each in batch)

    # -- carets -------------------------------------------------------------------------------------------------------

    def _anchor(self, point: int, batch: Sequence[_Replacement]) -> Optional[_Anchor]:
        """Where a point lies, if that is about to be replaced."""
        placed = self.layout.at(point)
        if placed is None or not any(each.at == placed.part and each.former is not None for each in batch):
            return None
        return _Anchor(placed, point - self.layout.point(placed))

    def _restore(self, view: sublime.View, carets: Sequence[Tuple[Optional[_Anchor], Optional[_Anchor]]]) -> None:
        if not any(a or b for a, b in carets):
            return
        regions = []
        for number, (region, (a, b)) in enumerate(zip(some_selections(view), carets)):
            first, last = self._again(region.a, a), self._again(region.b, b)
            if first is None or last is None:
                there = self._change_from(region.begin())
                first = last = self.layout.point(there) if there is not None else region.begin()
                gone = b or a
                if number == 0 and gone is not None:
                    self._lost(gone.placed, there)
                    view.show(first, True, False, False)
            regions.append([first, last])
        view.run_command(MOVE_CARET, {"regions": regions})

    def _again(self, point: int, anchor: Optional[_Anchor]) -> Optional[int]:
        """Where a point is now, by the row that it was in: the same line of the same change. None if that has gone."""
        if anchor is None:
            return point

        def key(each: PlacedRow) -> Tuple[object, ...]:
            is_head = each.row.kind in (RowKind.FILE, RowKind.INTRODUCTION)
            return (each.row.kind, "" if is_head else each.row.text, each.row.side, each.changed_text)

        wanted = key(anchor.placed)
        found = [each for each in self.layout.rows_of(anchor.placed.file) if key(each) == wanted]
        if not found:
            return None
        best = min(found, key=lambda each: abs(each.row.row - anchor.placed.row.row))
        return self.layout.point(best) + min(anchor.column, len(best.row.text))

    def _change_from(self, point: int) -> Optional[PlacedRow]:
        """The change in which a point lies, or the next one; after the last one the one before."""
        here = self.layout.at(point)
        if here is not None and here.row.changed:
            return here
        return self.layout.next_change(point) or self.layout.previous_change(point)

    def go_to(self, placed: PlacedRow) -> None:
        """Put the caret to a row, and scroll there."""
        if self.view is not None:
            point = self.layout.point(placed)
            move_caret(self.view, point)
            self.view.show(point, True, False, False)

    @property
    def caret(self) -> int:
        """Where the first caret is."""
        return first_caret(self.view) if self.view is not None else 0

    def selections(self) -> List[sublime.Region]:
        """What is selected in the view."""
        return some_selections(self.view) if self.view is not None else []

    # -- marks --------------------------------------------------------------------------------------------------------

    def _draw(self, style: MarkStyle) -> Iterator[None]:
        """Mark what was put in. In small steps."""
        yield
        while self._undrawn and self._regions is not None:
            part = next(iter(self._undrawn))
            del self._undrawn[part]
            if part in self.layout.parts:
                self._mark(self._regions, part, self.layout.start(self.layout.parts.index(part)), style)
                yield

    @staticmethod
    def _mark(regions: Regions, part: Part, start: int, style: MarkStyle) -> None:
        gutter: Dict[str, List[Tuple[int, int]]] = {}
        characters: Dict[TextSide, List[Tuple[int, int]]] = {}
        files: List[Tuple[int, int]] = []
        lines: Dict[TextSide, List[Tuple[int, int]]] = {}
        for number, row in enumerate(part.rows):
            first, end = start + part.start(number), start + part.start(number + 1)
            if row.sign:
                gutter.setdefault(row.sign, []).append((first, end))
                block = lines.setdefault(row.side, [])
                begin = block.pop()[0] if block and block[-1][1] == first else first  # one outline around all
                block.append((begin, end))
                spans = [(first + a, first + b) for a, b in row.parts]
                characters.setdefault(row.side, []).extend(spans)
            elif row.kind is RowKind.FILE:
                files.append((first, end - 1))
        for kind, spans in gutter.items():
            regions.show(f"{GUTTER[kind]}.{part.number}", spans, decorations.gutter_look(kind, style))
        for side, spans in lines.items():
            look = decorations.line_look(regions.styles, _SIDES[side], style)
            regions.show(f"{LINES}.{side.value}.{part.number}", spans, look)
        for side, spans in characters.items():
            look = decorations.character_look(regions.styles, _SIDES[side], style)
            if spans:
                regions.show(f"{CHARACTERS}.{side.value}.{part.number}", spans, look)
        if files:
            regions.show(f"{_FILES}.{part.number}", files, _FILE_LOOK)

    def _erase(self, part: Part) -> None:
        self._undrawn.pop(part, None)
        if self._regions is not None:
            sides = [f"{key}.{side.value}" for key in (LINES, CHARACTERS) for side in TextSide]
            keys = [*GUTTER.values(), *sides, _FILES]
            self._regions.clear(*(f"{key}.{part.number}" for key in keys))
