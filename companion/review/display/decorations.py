"""The marks of changes (lines, characters, gutter), and what stands between the lines: header, fillers, removed lines.

Rules:
* Colours come from the colour scheme. A region that is filled replaces the syntax colours of its text
  (sublimehq/sublime_text 3729), and without a background in the scheme its foreground fills (3035). So the lines of a
  change have an outline around them; only changed characters are filled, where the scheme has a background for them,
  and else underlined. If the user asks for it, lines are filled with the scheme's `diff.inserted` and `diff.deleted`.
  Blocks that moved have a purple outline on both sides.
* The minimap shows what the gutter shows, in the same colours. It draws regions that have neither fill nor outline in
  the foreground of their scope, as GitGutter's `show_in_minimap` has it; a background would be hard to see there. It
  draws no empty region, so what was removed from a text is the line that stands at its place.
* Marks are no part of the undo history: every one has `NO_UNDO`. Otherwise the editor would take back with an edit
  what was drawn after it, and bring back what was erased (sublimehq/sublime_text 1121).
* The editor draws marks in the order in which their keys first came, also after they were erased: the last one is on
  top, and of the icons on a line the first one shows (sublimelsp/LSP 1593, 1928). So `mark` shows its keys in one
  order, and each comes to the editor then, even if there is nothing to mark with it yet.
* The scroll bar cannot be drawn on: there is no API for it (sublimehq/sublime_text 2072).
* The editor draws a block below a line, never above the first. So the header stands under the first line, and an equal
  number of empty rows under the original's first line. What should be above the first line stands there too, at the
  end of that line: nothing says in which order the editor draws blocks of one point.
* Blocks are kept in sets of a few, so that one update never takes long.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import sublime

from ..document.analysis import Analysis, Carried, Span, moved_on_left, moved_on_right, parted
from .mark_style import ICONS, KINDS, MarkStyle
from .screen import caret_line_kept

LINES = "gemini_companion.lines"
CHARACTERS = "gemini_companion.characters"
MOVED = "gemini_companion.moved"
MOVED_CAPTIONS = "gemini_companion.moved_captions"
GUTTER = {kind: "gemini_companion.gutter." + kind for kind in KINDS}

UNSEEN = sublime.DRAW_NO_FILL | sublime.DRAW_NO_OUTLINE  # in the text; the gutter, the minimap and annotations show
_UNDERLINED = UNSEEN | sublime.DRAW_SOLID_UNDERLINE
_SINGLE_LINES = 2000  # up to so many lines each gets its own mark; beyond, each hunk does


class Look(NamedTuple):
    """How regions are drawn: a scope, what of the editor's looks, and an icon in the gutter."""

    scope: str = ""
    flags: sublime.RegionFlags = UNSEEN
    icon: str = ""


_MOVED_LOOK = Look("region.purplish", sublime.DRAW_NO_FILL | sublime.HIDE_ON_MINIMAP)


class Side(Enum):
    """One of the two views: what colour schemes call its part of a diff."""

    LEFT = "diff.deleted"
    RIGHT = "diff.inserted"


class Styles:
    """What a view's colour scheme makes of scopes. Asked for seldom: each call crosses into another process."""

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
    """What a key of regions was drawn with. `spans` are where it stands now; None if that is not certain."""

    spans: Optional[List[Span]]
    look: object
    annotations: Sequence[str]


class Regions:
    """The regions that we draw in one view. What is drawn already, and has moved with the text, is left alone.

    Main thread only.
    """

    def __init__(self, view: sublime.View, styles: Styles) -> None:
        self._view = view
        self.styles = styles
        self._drawn: Dict[str, Drawn] = {}
        self._ordered: Set[str] = set()  # keys that have their place in the order of drawing

    def show(
        self,
        key: str,
        spans: List[Span],
        look: Look,
        annotations: Sequence[str] = (),
        annotation_scope: str = "",
        on_navigate: Optional[Callable[[str], None]] = None,
    ) -> None:
        """Draw exactly these regions, with an annotation beside each if there are any."""
        if look.scope and key not in self._ordered:
            self._ordered.add(key)
            if not spans:
                self._view.add_regions(key, [sublime.Region(0)], flags=sublime.HIDDEN | sublime.NO_UNDO)
                self._view.erase_regions(key)
        color = self.styles.foreground(annotation_scope) if annotations else ""
        drawn, wanted = self._drawn.get(key), Drawn(spans, (look, color), annotations)
        if wanted == drawn or not (spans or drawn):
            return
        self._drawn[key] = wanted
        if not spans:
            del self._drawn[key]
        more: Dict[str, Any] = {}
        if annotations:
            more = {"annotations": list(annotations), "annotation_color": color, "on_navigate": on_navigate}
        regions = [sublime.Region(*span) for span in spans]
        self._view.add_regions(key, regions, look.scope, look.icon, look.flags | sublime.NO_UNDO, **more)

    def annotations(self, key: str) -> List[str]:
        """What stands beside the regions of a key."""
        return list(self._drawn[key].annotations) if key in self._drawn else []

    def carry(self, edit: Optional[Carried]) -> None:
        """The text was edited, all at once; None if it is not certain how."""
        for key, drawn in self._drawn.items():
            spans = edit.spans(drawn.spans) if edit is not None and drawn.spans is not None else None
            self._drawn[key] = drawn._replace(spans=spans)

    def clear(self, *keys: str) -> None:
        """Take these keys off the view, without any all of them."""
        for key in keys or list(self._drawn):
            if self._drawn.pop(key, None):
                self._view.erase_regions(key)


def mark(regions: Regions, side: Side, analysis: Analysis, style: MarkStyle) -> Iterator[None]:
    """Mark the changes on one side, in the view of `regions`, which holds the analysed text. In small steps."""
    left = side is Side.LEFT
    starts = analysis.left_starts if left else analysis.right_starts
    rows = [change.hunk[:2] if left else change.hunk[2:] for change in analysis.changes]
    look = line_look(regions.styles, side, style)
    each_line = not look.flags & sublime.DRAW_NO_FILL  # an outline goes around a whole hunk
    single = sum(last - first for first, last in rows) <= _SINGLE_LINES
    blocks = moved_on_left(analysis.moves) if left else moved_on_right(analysis.moves)
    lines: List[Span] = []
    gutter: Dict[str, List[Span]] = {kind: [] for kind in GUTTER}
    for change, (first, last) in zip(analysis.changes, rows):
        kind = change.hunk.kind.value
        if first == last and not left:
            gutter[kind].append(_place(starts, first))
        for start, end, moved in parted(first, last, blocks):
            gutter["moved" if moved else kind].extend(_lines(starts, start, end, single))
            if not moved:
                lines.extend(_lines(starts, start, end, single and each_line))
    yield
    regions.show(LINES, lines, look)
    yield
    regions.show(MOVED, [(starts[block.start], starts[block.end]) for block in blocks], _MOVED_LOOK)
    links = set() if left else {first for first, _ in rows}  # there a link says where else the block stands
    captioned = [block for block in blocks if block.start not in links]
    places = [(starts[block.start], starts[block.start]) for block in captioned]
    regions.show(MOVED_CAPTIONS, places, Look(), [block.caption for block in captioned], _MOVED_LOOK.scope)
    yield
    for kind, spans in gutter.items():
        regions.show(GUTTER[kind], spans, gutter_look(kind, style))
        yield
    parts = [part for change in analysis.changes for part in (change.left_parts if left else change.right_parts)]
    regions.show(CHARACTERS, parts, character_look(regions.styles, side, style))
    yield


def line_look(styles: Styles, side: Side, style: MarkStyle) -> Look:
    """How changed lines are marked: with an outline, or filled."""
    look = Look("region." + (style.removed if side is Side.LEFT else style.added), sublime.DRAW_NO_FILL)
    look = _filled(styles, side.value, look) if style.filled else look
    return look._replace(flags=look.flags | sublime.HIDE_ON_MINIMAP)


def gutter_look(kind: str, style: MarkStyle) -> Look:
    """How the lines of a kind of change are marked in the gutter and the minimap."""
    colors = {"added": style.added, "removed": style.removed, "changed": "yellowish", "moved": "purplish"}
    return Look("region." + colors[kind], UNSEEN, ICONS[kind])


def character_look(styles: Styles, side: Side, style: MarkStyle) -> Look:
    """How changed characters are marked."""
    look = Look("region." + (style.removed if side is Side.LEFT else style.added), _UNDERLINED)
    look = _filled(styles, side.value + ".char", look) if style.own_scopes else look
    return look._replace(flags=look.flags | sublime.HIDE_ON_MINIMAP)


def _filled(styles: Styles, scope: str, otherwise: Look) -> Look:
    """How to fill with a scope; `otherwise` if the colour scheme has no background for it."""
    return Look(scope, sublime.DRAW_NO_OUTLINE) if styles.of(scope).get("background") else otherwise


def _lines(starts: Sequence[int], first: int, last: int, single: bool) -> List[Span]:
    """The lines `first` to `last`, with their ends so that empty ones show too."""
    if not single:
        return [(starts[first], starts[last])]
    return [(starts[row], starts[row + 1]) for row in range(first, last)]


def _place(starts: Sequence[int], row: int) -> Span:
    """The line that stands where lines were removed; the last one for those that stood behind it."""
    row = min(row, max(0, len(starts) - 2))
    return (starts[row], starts[min(row + 1, len(starts) - 1)])


# -- between the lines ------------------------------------------------------------------------------------------------

BLOCKS = "gemini_companion.blocks"
_SET_SIZE = 25

PlacedBlock = Tuple[int, str]  # a point in the line above, and the document


class Blocks:
    """The blocks of one view. Main thread only. Where they change, the line of the caret stays, if `keep_caret`."""

    def __init__(self, view: sublime.View, keep_caret: bool) -> None:
        self._view = view
        self._keep_caret = keep_caret
        self._sets: List[sublime.PhantomSet] = []
        self._shown: List[Optional[List[PlacedBlock]]] = []  # what each set shows; None if it is not certain where

    def update(self, blocks: Sequence[PlacedBlock]) -> Iterator[None]:
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
            phantoms = [sublime.Phantom(sublime.Region(point), html, sublime.LAYOUT_BLOCK) for point, html in part]
            with caret_line_kept(self._view, self._keep_caret):
                self._sets[number].update(phantoms)
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
        phantom = sublime.Phantom(sublime.Region(0), document, sublime.LAYOUT_BLOCK, self._on_navigate)
        self._phantoms.update([phantom] if document else [])
