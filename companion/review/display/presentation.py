"""One review on the screen: its two views are filled, their texts compared, and the result drawn.

Theory of operation: the views are made at once. The file is read on a disk thread (`file_watch`), the two texts are
compared on a computing thread (`comparing`), and the result is drawn in slices (`drawing`). After an edit of the
proposal the last two steps are repeated. `phase` says how far that has come, and what may come next.

Rule: a result is drawn only if the view still holds the text it was made from.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Callable, Iterator, List, NamedTuple, Optional, Tuple

import sublime

from ...debounce import Debounce
from ...editor import file_views
from ..decision import Review
from ..document.disk import Kind, Original
from ..document.preparation import Preparation
from ..window import views
from .analysis import Analysis
from .carrying import State
from .comparing import Compared, Comparing
from .drawing import Drawing
from .file_watch import FileWatch
from .header import status_text
from .heading import Standing, age_text, columns_of, header_of, place_of
from .hunks import Hunks
from .markup import REVERT, UNDO, parse_link, unstamped
from .panes import ProposalPane, show_original
from .phase import Phase, following
from .slices import Slices
from .whitespace import WhitespaceChoice

if TYPE_CHECKING:
    from ...runtime import Runtime
    from ...settings import Settings

logger = logging.getLogger("gemini_companion.review")

STATUS = "gemini_companion.review"
# Milliseconds without an edit before the texts are compared again, and at the most; the same for the caret's change.
_AFTER_EDIT, _LONGEST_EDITING = 40, 500
_AFTER_CARET, _LONGEST_WALK = 20, 100


class DrawnText(NamedTuple):
    """A text that was drawn on, by the view's change count. `text` is None if it was not compared."""

    change_count: int
    text: Optional[str] = None


NOTHING_DRAWN = DrawnText(-1)


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
        self.buffers = (
            {self.proposal_buffer} if original_view is None else {self.proposal_buffer, original_view.buffer_id()}
        )
        self.original: Optional[Original] = None
        self.problem = ""  # why the text could not be written, once that happened
        self._runtime = runtime
        self._settings = settings
        self._on_link = on_link
        self._slices = Slices(runtime)
        self._filling, self._filling_original = Slices(runtime), Slices(runtime)
        self._phase = Phase.GATHERING
        self._whitespace = WhitespaceChoice(settings)
        self._too_large = False  # the proposal, for a comparison
        self._comparing = Comparing(runtime, self._compared, self._failed)
        self._status = ""  # as the status bar has it
        self._original_shown: Optional[Original] = None
        self._compared_last: Optional[Compared] = None  # None if what is drawn is no comparison
        self._drawn_text = self._being_drawn = NOTHING_DRAWN
        self._read_with = self._limits()  # the largest file that is compared
        self._place = ""  # of the file in the workspace
        self._opened = time.monotonic()
        self._proposals = 0  # that were put into the view
        self._first_change_shown = False
        self._edits = Debounce(runtime.later_on_main, self._compare_after_edits, _AFTER_EDIT, _LONGEST_EDITING)
        self._caret = Debounce(runtime.later_on_main, self.look_at_caret, _AFTER_CARET, _LONGEST_WALK)
        self.file = FileWatch(review, runtime, self.update_header)
        self._pane = ProposalPane(proposal_view, review)
        self._drawing = Drawing(original_view, proposal_view, self._link, self._redraw)
        self.hunks = Hunks(proposal_view, self._link, self._drawing.styles)

    # -- life ---------------------------------------------------------------------------------------------------------

    @property
    def views(self) -> List[sublime.View]:
        """Our views that are still open."""
        return [
            view for view in (self.original_view, self.proposal_view) if view is not None and file_views.is_open(view)
        ]

    @property
    def retired(self) -> bool:
        """Whether its views are closed, or about to be."""
        return self._phase is Phase.RETIRED

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return self._phase is Phase.SHOWN and self._drawn_text.change_count == self.proposal_view.change_count()

    @property
    def failed(self) -> bool:
        """Whether the last comparison failed, so that none is to be waited for."""
        return self._phase is Phase.FAILED

    @property
    def _analysis(self) -> Optional[Analysis]:
        return self._compared_last.analysis if self._compared_last is not None else None

    @property
    def summary(self) -> str:
        """How much it changes, as far as that is known, and how long it has been waiting."""
        age = age_text(time.monotonic() - self._opened)
        analysis = self._analysis
        if analysis is None:
            return age
        if analysis.hidden_count and not analysis.changes:
            return f"only whitespace changes, {age}"
        return f"+{analysis.added} \u2212{analysis.removed}, {age}"

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

    def open(self, prepared: Optional[Preparation]) -> None:
        """Put the texts into the views and begin to compare. Long texts follow a moment later.

        `prepared` is what was found out about the file, if that was done already.
        """
        self._runtime.assert_main_thread()
        self._begin_filling()
        self._take(prepared)

    def complain(self, problem: str, look_again: bool) -> None:
        """Say in the header why the text could not be written; with `look_again` compare with the file as it is now."""
        self.problem = problem
        self.update_header()
        if look_again:
            self.load()

    def replaced(self, prepared: Optional[Preparation]) -> None:
        """Show the newer proposal that the review has got. `prepared` is the file if it was read already."""
        self._runtime.assert_main_thread()
        self.problem = ""
        self._begin_filling()
        self._take(prepared)

    def toggle_whitespace(self) -> None:
        """Mark the changes of whitespace that are hidden, or hide them, in this review."""
        self._whitespace.toggle()
        self._compare()

    def settings_changed(self) -> None:
        """Compare again if the settings hide other changes, and read the file again if they have other limits."""
        other_whitespace, limits = self._whitespace.settings_changed(), self._limits()
        if limits != self._read_with:
            self.load()
        elif other_whitespace:
            self._compare()

    def _limits(self) -> Tuple[int, int]:
        settings = self._settings()
        return settings.review_maximum_bytes, settings.review_maximum_lines

    def freeze(self, frozen: bool) -> None:
        """Let nobody edit the proposal while it is being written."""
        if file_views.is_open(self.proposal_view):
            self.proposal_view.set_read_only(frozen)

    def _take(self, prepared: Optional[Preparation]) -> None:
        if prepared is None:
            self.load()
        else:
            self._read_with = self._limits()
            self.file.read_again()
            self._loaded(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self._runtime.assert_main_thread()
        self._read_with = self._limits()
        fallback = self.proposal_view.settings().get("fallback_encoding")
        self.file.load(self._settings(), fallback, self._loaded, self._reading_failed)

    def _enter(self, phase: Phase) -> None:
        self._phase = following(self._phase, phase)

    def retire(self) -> None:
        """Stop all work, and let the editor forget us."""
        if self._phase is Phase.RETIRED:
            return
        self._enter(Phase.RETIRED)
        for slices in (self._slices, self._filling, self._filling_original):
            slices.stop()
        self._edits.cancel()
        self._caret.cancel()
        self._comparing.cancel()
        self.file.stop()
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

    def _begin_filling(self) -> None:
        if self._phase is Phase.RETIRED or not file_views.is_open(self.proposal_view):
            return
        self._enter(Phase.GATHERING)
        self._comparing.cancel()
        self._slices.stop()
        self._proposals += 1
        self.hunks.outdate()
        self.hunks.forget_reverted()
        self._filling.run(self._fill(not self._pane.filled))

    def _fill(self, first: bool) -> Iterator[None]:
        yield from self._pane.fill(len(self.review.proposal.shown) <= self._settings().review_maximum_bytes)
        if first:
            self._runtime.on_main(self._forget_filling)
        self._compare()

    def _forget_filling(self) -> None:
        if self._phase is Phase.RETIRED or not file_views.is_open(self.proposal_view):
            return
        before = self.proposal_view.change_count()
        self._pane.forget_filling()
        if self.proposal_view.change_count() != before:
            self._compare()  # else the comparison would be taken for one of an older text

    # -- reading, comparing, drawing ----------------------------------------------------------------------------------

    def _loaded(self, prepared: Preparation) -> None:
        """The file was read."""
        if self._phase is Phase.RETIRED:
            return
        original, self.review.same_files = prepared.original, prepared.same_files
        if self.original is None and not file_views.views_of_file(self.review.path, self.review.same_files):
            for view in self.views:
                views.indent_as(view, original.text or self.review.proposal.shown)
        window = self.proposal_view.window() if views.is_open(self.proposal_view) else None
        self._place = place_of(self.review.path, window.folders() if window is not None else [])
        if self.original is None or self.original.text != original.text:
            self.hunks.outdate()
        self.original = original
        self.file.take(original)
        self._enter(Phase.GATHERING)
        self._comparing.cancel()
        self._slices.stop()
        self._filling_original.run(self._show_original(original))

    def _reading_failed(self) -> None:
        """The file could not be read. If it never was, the proposal is shown as beside one that nobody may read."""
        if self._phase is Phase.RETIRED:
            return
        if self.original is None:
            self._loaded(Preparation(Original(self.review.path, Kind.UNREADABLE), self.review.same_files))
        else:
            self.update_header()

    def _show_original(self, original: Original) -> Iterator[None]:
        if self.original_view is not None and file_views.is_open(self.original_view):
            first = self._original_shown is None
            yield from show_original(self.original_view, original, self.review.same_files, first)
            self._drawing.original_filled()
        self._original_shown = original
        self.file.check()
        self._compare()

    def edited(self) -> None:
        """The proposal was edited: compare again as soon as the user pauses. Called for every keystroke."""
        if self._pane.filled:
            self._edits.mark()

    def _compare_after_edits(self) -> None:
        count = self.proposal_view.change_count()
        if self._phase is Phase.RETIRED:
            return
        if self._pane.untouched_at(count):
            self.look_at_caret()  # what we put into the view ourselves has been compared already
            return
        if self._phase is not Phase.GATHERING:
            self._enter(Phase.STALE)
        self._compare(count)

    def _compare(self, count: int = -1) -> None:
        """Begin to compare what the view holds. `count` is its change count, for whoever has asked for it already."""
        self._comparing.cancel()
        original = self.original
        if self._phase is Phase.RETIRED or original is None:
            return
        if not self._pane.filled or self._original_shown is not original:
            return  # a long text is still on its way
        count = self.proposal_view.change_count() if count < 0 else count
        if not count and not file_views.is_open(self.proposal_view):
            return  # a view that is gone answers like one that is empty
        limits = self._settings()
        text = self._pane.read(count, limits.review_maximum_bytes)
        self._too_large = text is None or text.count("\n") > limits.review_maximum_lines
        if text is None or not original.comparable or self._too_large or self.review.proposal.format.binary:
            self._compared_last = None
            self._draw(DrawnText(count), State(count))
            return
        self._enter(Phase.COMPARING)
        # Marks that have moved with a single edit are left alone. Each edit counts, so that none can be overlooked.
        before = self._drawn_text.text if count - self._drawn_text.change_count == 1 else None
        self._comparing.begin(count, original.text, text, before, self._whitespace.ignored)

    def _compared(self, found: Compared) -> None:
        if self._phase is Phase.RETIRED:
            return
        count = found.change_count
        if self.proposal_view.change_count() != count:
            self._compare()
            return
        self._compared_last = found
        self.hunks.use(found.analysis, count)
        self._draw(DrawnText(count, found.text), State(count, self._drawn_text.change_count, found.edit))

    def _failed(self, error: Exception) -> None:
        logger.error("a comparison failed", exc_info=(type(error), error, error.__traceback__))
        if self._phase in (Phase.COMPARING, Phase.STALE):
            self._enter(Phase.FAILED)
            self.hunks.drop_asked()
            self.update_header()

    def _draw(self, text: DrawnText, state: State) -> None:
        self._enter(Phase.DRAWING)
        if self._analysis is None:
            self.hunks.use(None, text.change_count)
        self._show_header()
        self._being_drawn = text
        self._slices.run(
            self._drawing.steps(self._analysis, state, partial(self._drawn, text, state)),
            lambda: self._drawing.valid and self.proposal_view.change_count() == text.change_count,
        )

    def _redraw(self) -> None:
        """What is drawn, or being drawn, does not fit the screen any more."""
        if self._phase not in (Phase.SHOWN, Phase.DRAWING) or not views.is_open(self.proposal_view):
            return  # it will be drawn for the screen as it is then
        count = self.proposal_view.change_count()
        if count == self._being_drawn.change_count:  # else it was edited: it is compared, and drawn, in a moment
            self._draw(self._being_drawn, State(count, self._drawn_text.change_count))

    def _drawn(self, text: DrawnText, state: State) -> None:
        if self._phase not in (Phase.DRAWING, Phase.STALE):
            return  # it is compared again already
        self._enter(Phase.SHOWN)
        self._drawn_text = text
        self.hunks.link(state)
        if not self._first_change_shown:
            self._first_change_shown = True
            if self._pane.pristine:  # else the user was quicker, and works somewhere else already
                self.hunks.show_first()
            if self.hunks.caret_moved():
                self.update_header()

    # -- the header ---------------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """Follow scrolling while the review is visible. True if something moved."""
        if self._comparing.takes_long:
            self._show_status("Comparing… (close the diff to stop)")
        return self._phase is not Phase.RETIRED and self._drawing.tick()

    def caret_may_have_moved(self) -> None:
        """The proposal's selection has changed. Called for every keystroke."""
        if not self._edits.pending:
            self._caret.mark()  # else the comparison looks where the caret is

    def look_at_caret(self) -> None:
        """Say in the header in which change the caret is."""
        if self._phase is Phase.RETIRED or self._edits.pending:
            return
        found = self._compared_last
        if found is not None and found.change_count == self.proposal_view.change_count() and self.hunks.caret_moved():
            self.update_header()

    def check_file(self) -> None:
        """Look whether the file has unsaved edits in a tab or has changed on disk, and say so in the header."""
        self.file.check()

    def check_disk(self) -> None:
        """Look whether the file has changed on disk, and say so in the header. The editor is asked nothing."""
        self.file.check_disk()

    def update_header(self) -> None:
        """Say in the header and in the status bar how things stand."""
        if self._phase is not Phase.RETIRED and file_views.is_open(self.proposal_view):
            self._show_header()

    def _show_header(self) -> None:
        if self.original is None:
            return
        standing = Standing(
            review=self.review,
            original=self.original,
            file=self.file,
            analysis=self._analysis,
            current=self.hunks.current,
            problem=self.problem,
            too_large=self._too_large,
            emptied=self._pane.emptied and self.review.ticket is None,
            edits_stay=self._edits_stay,
            whitespace_shown=self._whitespace.shown_here,
            comparison_failed=self.failed,
        )
        sizes = self._drawing.sizes
        header = header_of(standing, columns_of(sizes.em_width, sizes.width))._replace(
            generation=self._proposals, place=self._place
        )
        self._drawing.show_header(header)
        self._show_status(status_text(header))

    def _show_status(self, text: str) -> None:
        if text != self._status:
            self._status = text
            self.proposal_view.set_status(STATUS, text)

    @property
    def _edits_stay(self) -> bool:
        """Whether the user has edited what the client will write as it proposed it."""
        ticket = self.review.ticket
        return ticket is not None and not ticket.edits_return and ticket.waiting and self._pane.differs

    def _link(self, href: str) -> None:
        """A link was clicked. It must not take away its view while the editor still handles the click."""
        self._runtime.on_main(self._follow, href)

    def _follow(self, href: str) -> None:
        """Do what a link says. One that the editor still shows but that was drawn for something else only redraws."""
        if self._phase is Phase.RETIRED:
            return
        plain, generation = unstamped(href)
        beside_a_change = parse_link(plain)[0] in (REVERT, UNDO)
        if generation == (self.hunks.generation if beside_a_change else self._proposals):
            self._on_link(self.review, plain)
            return
        logger.info("a link of an older state was clicked: drawn again")
        self._drawing.show_again()
        if self._phase is Phase.SHOWN:
            self.hunks.outdate_links()
            self.hunks.link(State(self._drawn_text.change_count))
