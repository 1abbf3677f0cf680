"""The marks of changes: lines, characters, and the gutter.

Rules:
* Colours come from the colour scheme. Schemes that colour diffs have `diff.inserted` and `diff.deleted` with a
  background; with others the editor's own `region.greenish` and `region.redish` outline the lines. Blocks that moved
  have the editor's `region.purplish` instead, on both sides.
* The minimap shows what the gutter shows, in the same colours. It draws regions that have neither fill nor outline in
  the foreground of their scope, as GitGutter's `show_in_minimap` has it; a background would be hard to see there. It
  draws no empty region, so what was removed from a text is the line that stands at its place.
* Marks are no part of the undo history: every one has `NO_UNDO`. Otherwise the editor would take back with an edit
  what was drawn after it, and bring back what was erased (sublimehq/sublime_text 1121).
* The scroll bar cannot be drawn on: there is no API for it (sublimehq/sublime_text 2072).
"""

from __future__ import annotations

from typing import AbstractSet, Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import sublime

from ..document.analysis import Analysis, Change, Moved, Span, moved_on_left, moved_on_right, parted
from ..document.carrying import TextState

LINES = "gemini_companion.lines"
CHARACTERS = "gemini_companion.characters"
MOVED = "gemini_companion.moved"
MOVED_CAPTIONS = "gemini_companion.moved_captions"
GUTTER = {kind: "gemini_companion.gutter." + kind for kind in ("added", "removed", "changed", "moved")}

_GUTTER_LOOK = {
    "added": ("region.greenish", "dot"),
    "removed": ("region.redish", "dot"),
    "changed": ("region.yellowish", "dot"),
    "moved": ("region.purplish", "dot"),
}
UNSEEN = sublime.DRAW_NO_FILL | sublime.DRAW_NO_OUTLINE  # in the text; the gutter, the minimap and annotations show
_MOVED_LOOK = ("region.purplish", "", sublime.DRAW_NO_FILL | sublime.HIDE_ON_MINIMAP)
_SINGLE_LINES = 2000  # up to so many lines each gets its own mark; beyond, each hunk does


Look = Tuple[str, sublime.RegionFlags]  # a scope and how to draw it


class Side(NamedTuple):
    """How one of the two views is marked: the scopes for lines and characters, and the outline that replaces them."""

    lines: str
    characters: str
    outline: str


LEFT = Side("diff.deleted", "diff.deleted.char", "region.redish")
RIGHT = Side("diff.inserted", "diff.inserted.char", "region.greenish")


class Styles:
    """What a view's colour scheme makes of scopes. It is asked seldom: each call crosses into another process."""

    def __init__(self, view: sublime.View) -> None:
        self._view = view
        self._known: Dict[str, Mapping[str, Any]] = {}

    def of(self, scope: str) -> Mapping[str, Any]:
        """The style of a scope."""
        if scope not in self._known:
            self._known[scope] = self._view.style_for_scope(scope)
        return self._known[scope]

    def foreground(self, scope: str) -> str:
        """The colour of annotations of this scope."""
        return str(self.of(scope).get("foreground") or self._view.style().get("foreground", ""))

    def forget(self) -> None:
        """The colour scheme may be another one."""
        self._known.clear()


class Drawn(NamedTuple):
    """What a key of regions was drawn with, and the change count of the text then."""

    spans: List[Span]
    look: object
    change_count: int


class Marks:
    """The marks of one view. Main thread only. What is drawn already, and has moved with the text, is left alone."""

    def __init__(self, view: sublime.View, side: Side, styles: Styles) -> None:
        self._view = view
        self._side = side
        self._styles = styles
        self._drawn: Dict[str, Drawn] = {}
        self.captions: List[str] = []  # beside moved blocks

    def draw(self, analysis: Analysis, text: TextState) -> Iterator[None]:
        """Mark the changes in the view, which holds the analysed text. A generator of small steps."""
        left = self._side is LEFT
        starts = analysis.left_starts if left else analysis.right_starts
        rows = [
            (change, change.hunk.left_start, change.hunk.left_end)
            if left
            else (change, change.hunk.right_start, change.hunk.right_end)
            for change in analysis.changes
        ]
        scope, flags = self._look(self._side.lines)
        character_scope, _ = self._look(self._side.characters)
        # Outlines go around a whole hunk.
        filled = flags != sublime.DRAW_NO_FILL
        single = sum(last - first for _, first, last in rows) <= _SINGLE_LINES
        blocks = moved_on_left(analysis.moves) if left else moved_on_right(analysis.moves)
        lines: List[Span] = []
        gutter: Dict[str, List[Span]] = {kind: [] for kind in GUTTER}
        for change, first, last in rows:
            if first == last and not left:
                gutter[change.hunk.kind.value].append(_place(starts, first))
            for start, end, moved in parted(first, last, blocks):
                gutter["moved" if moved else change.hunk.kind.value].extend(_lines(starts, start, end, single))
                if not moved:
                    lines.extend(_lines(starts, start, end, single and filled))
        yield
        self._add(text, LINES, lines, scope, "", flags | sublime.HIDE_ON_MINIMAP)
        yield
        self._add_moved(text, blocks, starts, set() if left else {first for _, first, _ in rows})
        yield
        for kind, spans in gutter.items():
            self._add(text, GUTTER[kind], spans, *_GUTTER_LOOK[kind], UNSEEN)
            yield
        parts = list(_parts(analysis.changes, left))
        self._add(text, CHARACTERS, parts, character_scope, "", sublime.DRAW_NO_OUTLINE | sublime.HIDE_ON_MINIMAP)
        yield

    def clear(self) -> None:
        """Take all marks off the view."""
        for key in [LINES, CHARACTERS, MOVED, MOVED_CAPTIONS, *GUTTER.values()]:
            self._view.erase_regions(key)
        self._drawn.clear()

    def _look(self, scope: str) -> Look:
        """The scope and flags to draw with: filled if the colour scheme has a background for it, else outlined."""
        if self._styles.of(scope).get("background"):
            return scope, sublime.DRAW_NO_OUTLINE
        return self._side.outline, sublime.DRAW_NO_FILL

    def _add_moved(
        self, text: TextState, blocks: Sequence[Moved], starts: Sequence[int], links: AbstractSet[int]
    ) -> None:
        """Outline moved blocks and say where else they stand, but for rows where a link says so."""
        self._add(text, MOVED, [(starts[block.start], starts[block.end]) for block in blocks], *_MOVED_LOOK)
        said = [block for block in blocks if block.start not in links]
        places = [(starts[block.start], starts[block.start]) for block in said]
        self.captions = [block.caption for block in said]
        self._add(text, MOVED_CAPTIONS, places, "", "", UNSEEN, self.captions)

    def _add(
        self,
        text: TextState,
        key: str,
        spans: List[Span],
        scope: str,
        icon: str,
        flags: sublime.RegionFlags,
        annotations: Sequence[str] = (),
    ) -> None:
        before = self._drawn.get(key)
        if not spans and (before is None or not before.spans):
            return
        color = self._styles.foreground(_MOVED_LOOK[0]) if annotations else ""
        look = (scope, flags, annotations, color)
        self._drawn[key] = Drawn(spans, look, text.change_count)
        if before is not None and before.look == look and text.has(spans, before.spans, before.change_count):
            return
        regions = [sublime.Region(*span) for span in spans]
        if annotations:
            more = list(annotations)
            self._view.add_regions(key, regions, scope, icon, flags | sublime.NO_UNDO, more, annotation_color=color)
        else:
            self._view.add_regions(key, regions, scope, icon, flags | sublime.NO_UNDO)


def _lines(starts: Sequence[int], first: int, last: int, single: bool) -> List[Span]:
    """The lines `first` to `last`, with their ends so that empty ones show too."""
    if first == last:
        return []
    if not single:
        return [(starts[first], starts[last])]
    return [(starts[row], starts[row + 1]) for row in range(first, last)]


def _place(starts: Sequence[int], row: int) -> Span:
    """The line that stands where lines were removed; the last one for those that stood behind it."""
    row = min(row, max(0, len(starts) - 2))
    return (starts[row], starts[min(row + 1, len(starts) - 1)])


def _parts(changes: Sequence[Change], left: bool) -> Iterator[Span]:
    for change in changes:
        yield from change.left_parts if left else change.right_parts
