"""The marks of changes: lines, characters, the gutter, and the links beside changes.

Rules:
* Colours come from the colour scheme. Schemes that colour diffs have `diff.inserted` and `diff.deleted` with a
  background; with others the editor's own `region.greenish` and `region.redish` outline the lines. Blocks that moved
  have the editor's `region.purplish` instead, on both sides.
* The minimap shows what the gutter shows, in the same colours. It draws regions that have neither fill nor outline in
  the foreground of their scope, as GitGutter's `show_in_minimap` has it; a background would be hard to see there. It
  draws no empty region, so what was removed from a text is the line that stands at its place.
* The scroll bar cannot be drawn on: there is no API for it (sublimehq/sublime_text 2072).
"""

from __future__ import annotations

import time
from typing import AbstractSet, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import sublime

from ...comparison import Move
from .analysis import Analysis, Change, Span
from .markup import REVERT, UNDO, link_html
from .moved import Moved, moved_on_left, moved_on_right, parted

LINES = "gemini_companion.lines"
CHARACTERS = "gemini_companion.characters"
MOVED = "gemini_companion.moved"
MOVED_CAPTIONS = "gemini_companion.moved_captions"
GUTTER = {kind: "gemini_companion.gutter." + kind for kind in ("added", "removed", "changed", "moved")}
REVERT_LINKS = "gemini_companion.revert"
UNDO_LINKS = "gemini_companion.undo"

_GUTTER_LOOK = {
    "added": ("region.greenish", "dot"),
    "removed": ("region.redish", "dot"),
    "changed": ("region.yellowish", "dot"),
    "moved": ("region.purplish", "dot"),
}
_UNSEEN = sublime.DRAW_NO_FILL | sublime.DRAW_NO_OUTLINE  # in the text; the gutter, the minimap and annotations show
_MOVED_LOOK = ("region.purplish", "", sublime.DRAW_NO_FILL | sublime.HIDE_ON_MINIMAP)
_LOOK_AGAIN = 2.0  # seconds after which the colour scheme is asked again
_SINGLE_LINES = 2000  # up to so many lines each gets its own mark; beyond, each hunk does


Look = Tuple[str, sublime.RegionFlags]  # a scope and how to draw it


class Side(NamedTuple):
    """How one of the two views is marked: the scopes for lines and characters, and the outline that replaces them."""

    lines: str
    characters: str
    outline: str


LEFT = Side("diff.deleted", "diff.deleted.char", "region.redish")
RIGHT = Side("diff.inserted", "diff.inserted.char", "region.greenish")


class Marks:
    """The marks of one view. Main thread only. What is drawn already is not drawn again where nobody edits."""

    def __init__(self, view: sublime.View, side: Side) -> None:
        self._view = view
        self._side = side
        self._drawn: Dict[str, object] = {}  # the regions of each key, and how they look
        self._count = -1  # the original's change count then
        self._looks: Tuple[Look, Look] = (("", sublime.HIDDEN), ("", sublime.HIDDEN))
        self.captions: List[str] = []  # beside moved blocks
        self._looked = -_LOOK_AGAIN  # when the colour scheme was asked, on the monotonic clock

    def draw(self, analysis: Analysis) -> Iterator[None]:
        """Mark the changes in the view, which holds the analysed text. A generator of small steps."""
        left = self._side is LEFT
        if left and self._count != self._view.change_count():
            self._count = self._view.change_count()
            self._drawn = dict.fromkeys(self._drawn)
        starts = analysis.left_starts if left else analysis.right_starts
        rows = [
            (change, change.hunk.left_start, change.hunk.left_end)
            if left
            else (change, change.hunk.right_start, change.hunk.right_end)
            for change in analysis.changes
        ]
        if time.monotonic() - self._looked >= _LOOK_AGAIN:
            self._looked = time.monotonic()
            side = self._side
            lines_look = _look(self._view, side.lines, side.outline)
            self._looks = (lines_look, _look(self._view, side.characters, side.outline))
        (scope, flags), (character_scope, _) = self._looks
        # Outlines go around a whole hunk.
        filled = flags != sublime.DRAW_NO_FILL
        single = sum(last - first for _, first, last in rows) <= _SINGLE_LINES
        blocks = moved_on_left(analysis.moves) if left else moved_on_right(analysis.moves)
        lines: List[Span] = []
        gutter: Dict[str, List[Span]] = {kind: [] for kind in GUTTER}
        for change, first, last in rows:
            if first == last and not left:
                gutter[change.hunk.kind].append(_place(starts, first))
            for start, end, moved in parted(first, last, blocks):
                gutter["moved" if moved else change.hunk.kind].extend(_lines(starts, start, end, single))
                if not moved:
                    lines.extend(_lines(starts, start, end, single and filled))
        yield
        self._add(LINES, lines, scope, "", flags | sublime.HIDE_ON_MINIMAP)
        yield
        self._add_moved(blocks, starts, set() if left else {first for _, first, _ in rows})
        yield
        for kind, spans in gutter.items():
            self._add(GUTTER[kind], spans, *_GUTTER_LOOK[kind], _UNSEEN)
            yield
        parts = list(_parts(analysis.changes, left))
        self._add(CHARACTERS, parts, character_scope, "", sublime.DRAW_NO_OUTLINE | sublime.HIDE_ON_MINIMAP)
        yield

    def clear(self) -> None:
        """Take all marks off the view, and the links."""
        for key in [LINES, CHARACTERS, MOVED, MOVED_CAPTIONS, *GUTTER.values()]:
            self._view.erase_regions(key)
        self._drawn.clear()
        unlink(self._view)

    def _add_moved(self, blocks: Sequence[Moved], starts: Sequence[int], links: AbstractSet[int]) -> None:
        """Outline moved blocks and say where else they stand, but for rows where a link says so."""
        self._add(MOVED, [(starts[block.start], starts[block.end]) for block in blocks], *_MOVED_LOOK)
        said = [block for block in blocks if block.start not in links]
        places = [(starts[block.start], starts[block.start]) for block in said]
        self.captions = [block.caption for block in said]
        self._add(MOVED_CAPTIONS, places, "", "", _UNSEEN, self.captions)

    def _add(
        self,
        key: str,
        spans: List[Span],
        scope: str,
        icon: str,
        flags: sublime.RegionFlags,
        annotations: Sequence[str] = (),
    ) -> None:
        # Regions move with edits, in ways of their own; only the original is never edited once it is filled.
        wanted = (spans, scope, flags, annotations)
        if self._drawn.get(key) == wanted and (self._side is LEFT or not spans):
            return
        if not spans and key not in self._drawn:
            return
        self._drawn[key] = wanted
        regions = [sublime.Region(*span) for span in spans]
        if annotations:
            color = _color(self._view, _MOVED_LOOK[0])
            self._view.add_regions(key, regions, scope, icon, flags, list(annotations), annotation_color=color)
        else:
            self._view.add_regions(key, regions, scope, icon, flags)


def link_changes(
    view: sublime.View,
    changes: Sequence[Change],
    moves: Sequence[Move],
    generation: int,
    on_navigate: Callable[[str], None],
) -> List[str]:
    """Put a link beside each change of the proposal that takes it back. Returns the links.

    Where a moved block begins the change, it is said behind the link: two annotations of one line get into each other's
    way.
    """
    moved = {block.start: f" \u00b7 {block.caption}" for block in moved_on_right(moves)}
    links = [
        link_html(REVERT, number, "Revert", generation) + moved.get(change.hunk.right_start, "")
        for number, change in enumerate(changes)
    ]
    regions = [sublime.Region(change.right[0]) for change in changes]
    _annotate(view, REVERT_LINKS, regions, links, "region.bluish", on_navigate)
    return links


def link_reverted(
    view: sublime.View,
    places: Sequence[Tuple[int, sublime.Region]],
    generation: int,
    on_navigate: Callable[[str], None],
) -> List[str]:
    """Put a link beside each place (its number, its region) where a change was taken back, which undoes that."""
    links = [link_html(UNDO, number, "Reverted: undo", generation) for number, _ in places]
    regions = [sublime.Region(region.begin()) for _, region in places]
    _annotate(view, UNDO_LINKS, regions, links, "region.yellowish", on_navigate)
    return links


def unlink(view: sublime.View) -> None:
    """Take the links beside changes off the view."""
    for key in (REVERT_LINKS, UNDO_LINKS):
        view.erase_regions(key)


def _annotate(
    view: sublime.View,
    key: str,
    regions: List[sublime.Region],
    annotations: List[str],
    scope: str,
    on_navigate: Callable[[str], None],
) -> None:
    if not regions:
        view.erase_regions(key)
        return
    color = _color(view, scope)
    view.add_regions(key, regions, "", "", _UNSEEN, annotations, annotation_color=color, on_navigate=on_navigate)


def _color(view: sublime.View, scope: str) -> str:
    """The colour of annotations of this scope."""
    return str(view.style_for_scope(scope).get("foreground") or view.style().get("foreground", ""))


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


def _look(view: sublime.View, scope: str, outline: str) -> Look:
    """The scope and flags to draw with: filled if the colour scheme has a background for it, else outlined."""
    if view.style_for_scope(scope).get("background"):
        return scope, sublime.DRAW_NO_OUTLINE
    return outline, sublime.DRAW_NO_FILL
