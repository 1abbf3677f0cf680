"""One review on the screen: its views, and the circle of text, comparison and drawing.

Theory of operation: the views are made at once. The file is read on a worker thread and the two texts are compared
there; what comes back is drawn in slices. Every edit of the proposal starts the circle again from the comparison.

Rule: a result is drawn only if the view still holds the text it was made from.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Callable, List, Optional

import sublime

from ..context.debounce import Debounce
from . import disk, views
from .analysis import Analysis, analyse
from .disk import Original
from .drawing import Drawing
from .header import Header, status_text
from .hunks import Hunks
from .notices import Circumstances, notices
from .panes import ProposalPane, show_original, whole_text
from .review import Review
from .slices import Slices

if TYPE_CHECKING:
    from ..runtime import Computation, Runtime
    from ..settings import Settings

logger = logging.getLogger("gemini_companion.review")

STATUS = "gemini_companion.review"
# Milliseconds without an edit before the texts are compared again, and at the most; the same for the caret's change.
_AFTER_EDIT, _LONGEST_EDITING = 40, 500
_AFTER_CARET, _LONGEST_WALK = 20, 100
_LONG = 300  # milliseconds after which a comparison shows itself
_FEWEST_COLUMNS, _USUAL_COLUMNS = 6, 60
_CERTAIN = 0.95  # of a row's width
_AT_ONCE = 1 << 18  # characters that are put into a view without waiting for the next slice


class Presentation:
    """Main thread only. `original_view` is None in the inline presentation. `on_link` is told of clicked links."""

    def __init__(
        self,
        review: Review,
        original_view: Optional[sublime.View],
        proposal_view: sublime.View,
        *,
        runtime: Runtime,
        settings: Callable[[], Settings],
        on_link: Callable[[Review, str], None],
    ) -> None:
        self.review = review
        self.original_view = original_view
        self.proposal_view = proposal_view
        self.proposal_buffer = proposal_view.buffer_id()
        self.buffers = {self.proposal_buffer} if original_view is None else {
            self.proposal_buffer, original_view.buffer_id()
        }
        self.original: Optional[Original] = None
        self.problem = ""  # why the text could not be written, once that happened
        self._runtime = runtime
        self._settings = settings
        self._on_link = on_link
        self._slices = Slices(runtime)
        self._computation: Optional[Computation] = None
        self._analysis: Optional[Analysis] = None
        self._analysed = self._drawn_count = -1  # the change counts of the texts that were analysed and drawn
        self._loads = 0
        self._edits = Debounce(runtime.later_on_main, self._compare_after_edits, _AFTER_EDIT, _LONGEST_EDITING)
        self._caret = Debounce(runtime.later_on_main, self.look_at_caret, _AFTER_CARET, _LONGEST_WALK)
        self._unsaved = self._changed = self._too_large = self._shown = self._closed = False
        self._pane = ProposalPane(proposal_view, review)
        self._drawing = Drawing(original_view, proposal_view, self._link)
        self.hunks = Hunks(proposal_view, self._link)

    # -- life ---------------------------------------------------------------------------------------------------------

    @property
    def views(self) -> List[sublime.View]:
        """Our views that are still open."""
        return [view for view in (self.original_view, self.proposal_view) if view is not None and views.is_open(view)]

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return not self._slices.busy and self._drawn_count == self.proposal_view.change_count()

    @property
    def header_document(self) -> str:
        """The header as it is shown, or an empty text before the file was read."""
        return self._drawing.header_document

    @property
    def visible(self) -> bool:
        """Whether the proposal is in front in its group."""
        window = self.proposal_view.window() if self.proposal_view.is_valid() else None
        if window is None:
            return False
        group = window.get_view_index(self.proposal_view)[0]
        return group >= 0 and window.active_view_in_group(group) == self.proposal_view

    def open(self, original: Optional[Original]) -> None:
        """Put the texts into the views and begin to compare. Long texts follow a moment later.

        `original` is the file if it was read already.
        """
        self._soon(len(self.review.proposal.shown), self._fill)
        self._take(original)

    def complain(self, problem: str, look_again: bool) -> None:
        """Say in the header why the text could not be written; with `look_again` compare with the file as it is now."""
        self.problem = problem
        self.update_header()
        if look_again:
            self.load()

    def replaced(self, original: Optional[Original]) -> None:
        """Show the newer proposal that the review has got. `original` is the file if it was read already."""
        self.problem = ""
        self._fill()
        self._take(original)

    def _take(self, original: Optional[Original]) -> None:
        """Use the file as it was read, unless a tab shows it in another encoding."""
        encoding = self._encoding_in_tab()
        if original is None or (encoding and encoding != original.encoding):
            self.load()
            return
        self._changed = False
        self._loads += 1
        self._soon(len(original.text), self._loaded, original)

    def _soon(self, characters: int, function: Callable[..., None], *arguments: Any) -> None:
        """Call `function` at once if that many characters are quickly put into a view, else in the next slice."""
        if characters <= _AT_ONCE:
            function(*arguments)
        else:
            self._runtime.on_main(function, *arguments)

    def _encoding_in_tab(self) -> str:
        user_views = views.views_of_file(self.review.path)
        return user_views[0].encoding() if user_views and not user_views[0].is_loading() else ""

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        settings = self._settings()
        self._changed = False
        self._loads += 1
        number = self._loads
        self._runtime.compute(
            _read,
            self.review.path,
            settings.review_maximum_bytes,
            settings.review_maximum_lines,
            self._encoding_in_tab(),
            self.proposal_view.settings().get("fallback_encoding") or disk.DEFAULT_FALLBACK,
            then=lambda original: self._loaded(original) if number == self._loads else None,
            failed=self._failed,
        )

    def retire(self) -> None:
        """Stop all work, and let the editor forget us."""
        if self._closed:
            return
        self._closed = True
        self._slices.stop()
        self._edits.cancel()
        self._caret.cancel()
        if self._computation is not None:
            self._computation.cancel()
        self._drawing.unlink()

    def close(self) -> None:
        """Retire and close the views."""
        self.retire()
        for view in self.views:
            if view.file_name() is not None:
                self._drawing.clear()
                self.hunks.clear()
                view.erase_status(STATUS)
            views.close(view)

    # -- text ---------------------------------------------------------------------------------------------------------

    def current_text(self) -> str:
        """The text as it would be accepted now: exactly what was proposed, with what the user edited."""
        return self._pane.current_text()

    def _fill(self) -> None:
        if self._closed or not views.is_open(self.proposal_view):
            return
        self._drawn_count = -1
        first = not self._pane.filled
        self._pane.fill(len(self.review.proposal.shown) <= self._settings().review_maximum_bytes)
        if first:
            self._runtime.on_main(self._forget_filling)
        self._compare()

    def _forget_filling(self) -> None:
        if self._closed or not views.is_open(self.proposal_view):
            return
        before = self.proposal_view.change_count()
        self._pane.forget_filling()
        if self.proposal_view.change_count() != before:
            self._compare()  # else the comparison would be taken for one of an older text

    # -- the circle ---------------------------------------------------------------------------------------------------

    def _loaded(self, original: Original) -> None:
        if self._closed:
            return
        if self.original is None and not views.views_of_file(self.review.path):
            for view in self.views:
                views.indent_as(view, original.text or self.review.proposal.shown)
        self.original = original
        self._drawn_count = -1
        if self.original_view is not None and views.is_open(self.original_view):
            show_original(self.original_view, original)
        self.check_file()
        self._compare()

    def edited(self) -> None:
        """The proposal was edited: compare again as soon as the user pauses. Called for every keystroke."""
        if self._pane.filled:
            self._edits.mark()

    def _compare_after_edits(self) -> None:
        # What we put into the view ourselves has been compared already.
        if not self._closed and views.is_open(self.proposal_view) and not self._pane.untouched:
            self._compare()

    def _compare(self) -> None:
        if self._computation is not None:
            self._computation.cancel()
            self._computation = None
        original = self.original
        if self._closed or original is None or not self._pane.filled or not views.is_open(self.proposal_view):
            return
        limits = self._settings()
        text = whole_text(self.proposal_view)
        self._too_large = len(text) > limits.review_maximum_bytes or text.count("\n") > limits.review_maximum_lines
        if not original.comparable or self._too_large:
            self._analysis = None
            self._draw()
            return
        count = self.proposal_view.change_count()
        computation = self._runtime.compute(
            analyse,
            original.text,
            text,
            then=lambda analysis: self._compared(count, analysis),
            failed=self._failed,
        )
        self._computation = computation
        self._runtime.later_on_main(_LONG, self._show_long, computation)

    def _show_long(self, computation: Computation) -> None:
        if computation is self._computation and views.is_open(self.proposal_view):
            self.proposal_view.set_status(STATUS, "Comparing… (close the diff to stop)")

    def _compared(self, count: int, analysis: Analysis) -> None:
        self._computation = None
        if self._closed or not views.is_open(self.proposal_view):
            return
        if self.proposal_view.change_count() != count:
            self._compare()
            return
        self._analysis, self._analysed = analysis, count
        self.hunks.use(analysis, count)
        self._draw()

    def _failed(self, error: Exception) -> None:
        self._computation = None
        logger.error("a comparison failed", exc_info=(type(error), error, error.__traceback__))
        if not self._closed:
            self.problem = "The comparison failed, see the log."
            self.update_header()

    def _draw(self) -> None:
        if self._analysis is None:
            self.hunks.use(None, -1)
        self.update_header()
        count = self.proposal_view.change_count()
        self._slices.run(
            self._drawing.steps(self._analysis, lambda: self.proposal_view.change_count() == count, self._drawn)
        )

    def _drawn(self) -> None:
        self._drawn_count = self.proposal_view.change_count()
        self.hunks.link()
        if not self._shown:
            self._shown = True
            self.hunks.show_first()
            if self.hunks.caret_moved():
                self.update_header()

    # -- the header ---------------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Follow scrolling while the review is visible. True if something moved."""
        return not self._closed and self._drawing.tick()

    def caret_may_have_moved(self) -> None:
        """The proposal's selection has changed. Called for every keystroke."""
        self._caret.mark()

    def look_at_caret(self) -> None:
        """Say in the header in which change the caret is."""
        if self._closed or not self.proposal_view.is_valid():
            return
        if self._analysed == self.proposal_view.change_count() and self.hunks.caret_moved():
            self.update_header()

    def check_file(self) -> None:
        """Look whether the file has unsaved edits in a tab or has changed on disk, and say so in the header."""
        if self._closed:
            return
        self._unsaved = any(view.is_dirty() for view in views.views_of_file(self.review.path))
        self.check_disk()
        self.update_header()

    def check_disk(self) -> None:
        """Look whether the file has changed on disk, and say so in the header. The editor is asked nothing."""
        if self._closed:
            return
        if self.original is not None and not self._changed:
            number = self._loads
            self._runtime.compute(
                _changed, self.original, then=lambda changed: self._checked(changed, number), failed=self._failed
            )

    def _checked(self, changed: bool, number: int) -> None:
        if changed and not self._closed and number == self._loads:
            self._changed = True
            self.update_header()

    def update_header(self) -> None:
        """Say in the header and in the status bar how things stand."""
        if self._closed or self.original is None or not views.is_open(self.proposal_view):
            return
        analysis, current = self._analysis, self.hunks.current
        header = Header(
            name=os.path.basename(self.review.path),
            client=self.review.owner.client_name,
            new_file=self.original.kind is disk.Kind.NEW,
            compared=analysis is not None,
            added=analysis.added if analysis else 0,
            removed=analysis.removed if analysis else 0,
            current=current + 1 if current is not None else 0,
            changes=len(analysis.changes) if analysis else 0,
            notices=notices(self._circumstances()),
            columns=self._columns(),
        )
        self._drawing.show_header(header)
        self.proposal_view.set_status(STATUS, status_text(header))

    def _columns(self) -> int:
        """How many characters of the header fit side by side. Its letters may be a little wider than the text's."""
        em_width = self.proposal_view.em_width()
        width = self.proposal_view.viewport_extent()[0]
        return max(_FEWEST_COLUMNS, int(width / em_width * _CERTAIN)) if em_width and width else _USUAL_COLUMNS

    def _circumstances(self) -> Circumstances:
        assert self.original is not None
        return Circumstances(
            name=os.path.basename(self.review.path),
            client=self.review.owner.client_name,
            problem=self.problem,
            original_notice=self.original.notice,
            proposal_too_large=self._too_large,
            unsaved=self._unsaved,
            changed_on_disk=self._changed,
            orphaned=self.review.orphaned,
            emptied=self._pane.emptied,
        )

    def _link(self, href: str) -> None:
        if not self._closed:
            self._on_link(self.review, href)


def _read(
    path: str,
    maximum_bytes: int,
    maximum_lines: int,
    encoding: str,
    fallback: str,
    cancelled: Callable[[], bool],
) -> Original:
    return disk.read(
        path, maximum_bytes=maximum_bytes, maximum_lines=maximum_lines, encoding=encoding, fallback=fallback
    )


def _changed(original: Original, cancelled: Callable[[], bool]) -> bool:
    return disk.changed(original)
