"""Puts a comparison onto the proposal's view: marks, header, and what stands between the lines.

How the original is shown is the matter of two classes: between the proposal's lines (`inline`), or in a view beside
(`side_by_side`).

Rule: drawing changes no text and no selection, and the caret's line stays where it is on the screen.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional, Tuple

import sublime

from ..document.analysis import NOTHING, Analysis, Carried
from .decorations import Blocks, Regions, Side, Styles, Top, mark
from .folding import Folding
from .header import Header, HeaderRow, header_html, header_rows
from .mark_style import MarkStyle
from .pacing import TURN
from .proposal_hunks import REVERT_LINKS, UNDO_LINKS
from .screen import Room, SizeCheck, Sizes, Watch, back_to_top, caret_line_kept

_TURNS_FOR_A_SIZE = 20  # at the most, each of a millisecond
_SCROLLED_PAST = 1.5  # rows, with which half of the header's first one is out of sight


class Drawing:
    """What is drawn for one review. Main thread only.

    `on_outdated` is called when what is drawn does not fit the screen any more. `fold` says whether what is equal in
    long texts is folded.
    """

    def __init__(
        self,
        original_view: Optional[sublime.View],
        proposal_view: sublime.View,
        on_link: Callable[[str], None],
        on_outdated: Callable[[], None],
        mark_style: MarkStyle,
        fold: bool,
    ) -> None:
        self._view = proposal_view
        self.mark_style = mark_style
        self._on_outdated = on_outdated
        self._styles = Styles(proposal_view)
        self.regions = Regions(proposal_view, self._styles)
        self._watch = Watch(original_view, proposal_view)
        self._top = Top(proposal_view, on_link)
        self._blocks = Blocks(proposal_view, keep_caret=True)
        self.folding = Folding(original_view, proposal_view, fold)
        self._header: Optional[Header] = None
        self._rows: List[HeaderRow] = []  # of the header
        self._header_height: object = None  # what makes it as high as it is shown
        self._was_at_top = False  # before what was drawn did not fit any more

    # -- what depends on where the original is shown ------------------------------------------------------------------

    def _draw_original(self, analysis: Optional[Analysis]) -> Iterator[object]:
        """Show what `analysis` says of the original, and the header. In small steps."""
        raise NotImplementedError

    def original_filled(self) -> None:
        """The original's view was given another text, with which nothing that is drawn has moved."""

    def _refolded(self) -> None:
        """Lines were folded or opened."""

    @property
    def header_level(self) -> bool:
        """Whether as many rows stand beside the header as it has."""
        return True

    @property
    def _position(self) -> Tuple[float, float]:
        """Where the proposal's view is scrolled to, as far as that was looked at."""
        return self._watch.position

    def _below_header(self) -> Tuple[int, str]:
        """How many pixels belong below the header, and the caption that says what they stand for."""
        return 0, ""

    def _still_level(self) -> bool:
        """Whether the two texts are as level as they were, as far as that is known."""
        return True

    # -- drawing ------------------------------------------------------------------------------------------------------

    def carry(self, edit: Optional[Carried]) -> None:
        """The user has edited the proposal, all at once; None if it is not certain how."""
        self.regions.carry(edit)
        self._blocks.carry(edit)
        self.folding.carry(edit)

    def steps(self, analysis: Optional[Analysis], count: int) -> Iterator[object]:
        """Draw `analysis`, of the text that the view had at this change count, or nothing but the header if it is None.
        In small steps, after which `valid` may change."""
        self._watch.note()
        for step in self.folding.steps(analysis, count):
            self._refolded()
            yield step
        yield from mark(self.regions, Side.RIGHT, analysis or NOTHING, self.mark_style)
        yield from self._await_size()
        yield from self._draw_original(analysis)
        if self._was_at_top:
            self._was_at_top = False
            back_to_top(self._view)
        yield None

    def _await_size(self) -> Iterator[object]:
        """Let the editor lay out a view that was just made. What is drawn before is drawn anew for the first size."""
        window = self._view.window() if not self._watch.sizes.right.extent else None
        if window is None or window.active_view_in_group(window.get_view_index(self._view)[0]) != self._view:
            return  # it is not in front, and has no size before it is
        for _ in range(_TURNS_FOR_A_SIZE):
            if self._watch.sized():
                return
            yield TURN

    @property
    def valid(self) -> bool:
        """Whether the views are still there."""
        return self._view.is_valid()

    @property
    def sizes(self) -> Sizes:
        """The sizes of the proposal's view, at most a second old."""
        self._watch.note()
        return self._watch.sizes.right

    @property
    def room(self) -> Room:
        """What fits into a row of the proposal's view."""
        return self._watch.room

    def show_header(self, header: Header) -> None:
        """Show this header."""
        if header != self._header:
            self._header, self._rows = header, header_rows(header)
        self._draw_header()

    def _draw_header(self) -> None:
        sizes, (below, caption) = self.sizes, self._below_header()
        html = header_html(self._rows, sizes.line_height, self.mark_style, sizes.width, sizes.em_width, below, caption)
        height = (len(self._rows), below, sizes)
        if html != self._top.document:
            # At the top the header itself is what stays in sight: it grows downwards.
            scrolled = height != self._header_height and self._view.viewport_position()[1] > 0
            self._header_height = height
            with caret_line_kept(self._view, scrolled):
                self._top.show(html)

    @property
    def header_in_sight(self) -> bool:
        """Whether the decisions can be seen where the view is scrolled to: the header stands below its first line."""
        sizes, (x, y) = self._watch.sizes.right, self._position
        return x <= sizes.em_width and y <= _SCROLLED_PAST * sizes.line_height

    def draw_header_again(self) -> None:
        """Draw the header although it has not changed: the editor may show an older one."""
        self._top.show("")
        self._draw_header()

    def note_top(self) -> None:
        """Keep a view at its top when its text is about to be drawn in another way."""
        if self._view.viewport_position()[1] <= 0:  # else a drawing that is overtaken may have scrolled it
            self._was_at_top = True

    def open_under_carets(self) -> None:
        """Open what is folded where a caret is."""
        if self.folding.open_under_carets():
            self._refolded()

    def tick(self) -> bool:
        """Look whether the screen has changed. True if something moved."""
        sizes = self._watch.check_sizes()
        if self.folding.follow_editor(at_once=sizes is not SizeCheck.UNKNOWN):
            self._refolded()
            return True
        if sizes is SizeCheck.CHANGED or (sizes is SizeCheck.UNCHANGED and not self._still_level()):
            self._outdate()
            self._on_outdated()
            return True
        return False

    def _outdate(self) -> None:
        """Draw anew what is there already: the screen may show it in another way."""
        self._styles.forget()

    def unlink(self) -> None:
        """Take every link off the proposal's view. The editor would keep what they call, and so this review, alive."""
        self._watch.stop()
        if self._view.is_valid():
            self.regions.clear(REVERT_LINKS, UNDO_LINKS)
            self._top.show("")

    def clear(self) -> None:
        """Take everything off the views."""
        self.unlink()
        self.regions.clear()
        self._blocks.clear()
        self.folding.clear()
