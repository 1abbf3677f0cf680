"""One review on the screen: its views, the comparison that is drawn in them, and its header.

Theory of operation: the views are made at once. The texts come into them, are compared, and the result is drawn, again
and again. A proposal mostly comes with its file and the comparison of both (`preparation`): then all this is one turn
of the main thread. Otherwise a disk thread reads the file (`FileWatch`), and a computing thread compares what takes
long. Long texts are put into the views, and results are drawn, in slices. The header is made of how things stand.

Rules: nothing is compared while a text is on its way. A result is drawn only if the view still holds the text that it
was made from. Once a review is retired, nothing in its views is touched but to close them. The header says nothing
before the file was read, and the status bar gets only what it does not show yet.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import Callable, Iterator, List, Optional, Tuple

import sublime

from ...common.clock import clock
from ...common.waiting import Debounce
from ...common.workers import Computation
from ...editor import file_views
from ...editor.key_bindings import KeyBindings
from ...runtime import Runtime
from ...settings import Settings
from ..decision import Review, ReviewState, takes_reason
from ..document import disk
from ..document.analysis import NO_EDIT, NOTHING, Analysis, Compared, ComparisonQuestion, WhitespaceChoice, compare
from ..document.disk import Kind, Original
from ..document.preparation import Preparation
from ..window import views
from .drawing import Drawing
from .header import FORMAT_ONLY, Header, age_text, columns_of, contents_notice, counts_text, place_of, status_text
from .inline import Inline
from .mark_style import MarkStyle
from .markup import parse_link, unstamped
from .pacing import Phase, Slices
from .panes import FileWatch, OriginalPane, ProposalPane
from .proposal_hunks import ProposalHunks
from .side_by_side import SideBySide

logger = logging.getLogger("gemini_companion.review")

STATUS = "gemini_companion.review"

# Milliseconds without an edit before the texts are compared again, and at the most; the same for very long ones, which
# it takes a tenth of a second to ask the editor for, and for the caret's change.
_AFTER_EDIT, _AFTER_LONG_EDIT, _AFTER_CARET = (40, 500), (500, 5000), (20, 100)
_LONG = 0.3  # seconds after which a comparison shows itself


class Presentation:
    """Main thread only. `original_view` is None in the inline presentation. `on_link` gets the addresses of links that
    the user clicks."""

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
        self.buffers = {self.proposal_buffer}
        self._original_pane: Optional[OriginalPane] = None
        if original_view is not None:
            self.buffers.add(original_view.buffer_id())
            self._original_pane = OriginalPane(original_view, review.words)
        self._runtime = runtime
        self._settings = settings
        self._on_link = on_link
        self._whitespace = WhitespaceChoice(settings)
        self.file = FileWatch(review, runtime, loaded=self._loaded, failed=self._not_loaded, news=self.update_header)
        self.proposal = ProposalPane(proposal_view, review)
        self._drawing: Drawing
        style = MarkStyle.of(settings())
        if original_view is None:
            self._drawing = Inline(proposal_view, self._link, self._redraw, style, settings().review_fold)
        else:
            both = original_view, proposal_view
            self._drawing = SideBySide(*both, self._link, self._redraw, style, settings().review_fold)
        self.hunks = ProposalHunks(proposal_view, review.words, self._link, self._drawing.regions)
        self._phase = Phase.GATHERING
        self._original: Optional[Original] = None  # the file, while its text is in its view
        self._in_hand: Optional[Compared] = None  # came with the texts
        self._long = False  # so is the proposal that the editor gives its text in portions
        self._count = -1  # the change count of the text that is drawn on, or being drawn on
        self._found: Optional[Compared] = None  # the comparison of that text; None if there was none
        self._ever_shown = False
        self._computation: Optional[Computation] = None
        self._since = 0.0  # when that began, on the monotonic clock
        self._slices = Slices(runtime)
        later = runtime.later_on_main
        self._edits = Debounce(later, self._compare_after_edits, *_AFTER_EDIT)
        self._long_edits = Debounce(later, self._compare_after_edits, *_AFTER_LONG_EDIT)
        self._caret = Debounce(later, self._look_at_caret, *_AFTER_CARET)
        self._generation = 0  # of the proposal: how many were put into the view
        self._problem = ""  # why the text could not be written, once that happened
        window = proposal_view.window()
        self._place = place_of(review.path, window.folders() if window is not None else [])
        self._status = ""  # as the status bar has it
        self._header_in_sight = True
        self._opened = clock.now()
        KeyBindings.read(runtime.use_disk, then=self.update_header)

    # -- how things stand ---------------------------------------------------------------------------------------------

    @property
    def views(self) -> List[sublime.View]:
        """Our views that are still open."""
        both = (self.original_view, self.proposal_view)
        return [view for view in both if view is not None and file_views.is_open(view)]

    @property
    def original(self) -> Optional[Original]:
        """The file as it was read last; None before that."""
        return self.file.original

    @property
    def analysis(self) -> Optional[Analysis]:
        """The last comparison; None if there was none yet, or the texts are not compared."""
        return self._found.analysis if self._found is not None else None

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return self._phase is Phase.SHOWN and self._holds(self._count)

    @property
    def has_changes(self) -> bool:
        """Whether a change is marked."""
        return self.analysis is not None and bool(self.analysis.changes)

    @property
    def failed(self) -> bool:
        """Whether the last comparison failed, so that none is to be waited for."""
        return self._phase is Phase.FAILED

    @property
    def retired(self) -> bool:
        """Whether nothing is compared or drawn any more: the views are closed, or about to be."""
        return self._phase is Phase.RETIRED

    @property
    def visible(self) -> bool:
        """Whether the proposal is in front in its group."""
        window = self.proposal_view.window()
        if window is None:
            return False
        group = window.get_view_index(self.proposal_view)[0]
        return group >= 0 and window.active_view_in_group(group) == self.proposal_view

    def current_text(self) -> str:
        """The text as it would be accepted now: exactly what was proposed, with what the user edited."""
        return self.proposal.current_text()

    def _holds(self, count: int) -> bool:
        """Whether the view still holds the text that it had at this change count."""
        return self.proposal_view.change_count() == count

    # -- the texts come -----------------------------------------------------------------------------------------------

    def show_proposal(self, prepared: Optional[Preparation]) -> None:
        """Put the review's proposal, be it the first or a newer one, into its view, and begin to compare.

        Long texts follow a moment later. `prepared` is the file, if it was read already.
        """
        self._runtime.assert_main_thread()
        self.freeze(False)
        self._generation += 1
        self._problem = ""
        if self.retired or not file_views.is_open(self.proposal_view):
            return
        self._stop(Phase.GATHERING)
        self.hunks.outdate()
        self.hunks.forget_reverted()
        self._drawing.folding.another_text()
        self.proposal.await_another()
        if prepared is None:
            self._gather()
            self.load()
        else:
            self.file.read_again()
            self._loaded(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self._runtime.assert_main_thread()
        self._problem = ""
        self.file.load(self._settings(), self.proposal_view)

    def _loaded(self, prepared: Preparation) -> None:
        if self.retired:
            return
        before, original, self.review.same_files = self.file.original, prepared.original, prepared.same_files
        self.review.whole_file = prepared.whole_file
        if before is None and not file_views.views_of_file(self.review.path, self.review.same_files):
            for view in self.views:
                views.indent_as(view, original.text or self.review.proposal.shown)
        if before is None or before.text != original.text:
            self.hunks.outdate()
            self._drawing.folding.another_text()
        self.file.take(original)
        self._original, self._in_hand = None, prepared.compared
        if self.proposal.filled or not self._slices.busy:  # else that goes on with the file
            self._gather()

    def _not_loaded(self) -> None:
        """If it never was, the proposal is shown as beside one that nobody may read."""
        if self.file.original is None:
            self._loaded(Preparation(Original(self.review.path, Kind.UNREADABLE), self.review.same_files))
        else:
            self.update_header()

    def _gather(self) -> None:
        self._stop(Phase.GATHERING)
        self._slices.run(self._fill())

    def _fill(self) -> Iterator[None]:
        """Put into the views what is not there yet, and compare when both texts are."""
        longest = disk.LIMITS.length  # with a syntax, which costs the editor more
        if not self.proposal.filled:
            first = yield from self.proposal.fill(longest)
            if first:
                self._runtime.on_main(self._forget_filling)
        original, pane = self.file.original, self._original_pane
        if original is None:
            return  # it is being read
        if self._original is None:
            if pane is not None and file_views.is_open(pane.view):
                yield from pane.fill(original, self.review.same_files, longest)
                self._drawing.original_filled()
            self._original = original
            self.file.check()
        self._compare()

    def _forget_filling(self) -> None:
        if not self.retired and self.proposal.forget_filling():
            self._compare()  # else the comparison would be taken for one of an older text

    # -- the user and the window --------------------------------------------------------------------------------------

    def edited(self) -> None:
        """The user has edited the proposal: compare again as soon as they pause. Called for every keystroke."""
        if self.proposal.filled:
            (self._long_edits if self._long else self._edits).mark()

    def caret_may_have_moved(self) -> None:
        """The selection of one of the views has changed. Called for every keystroke."""
        if not self._edits_pending:
            self._caret.mark()  # else the comparison looks where the caret is

    @property
    def _edits_pending(self) -> bool:
        return self._edits.pending or self._long_edits.pending

    def _compare_after_edits(self) -> None:
        count = self.proposal_view.change_count()
        if self.proposal.untouched_at(count):
            self._look_at_caret()  # what we put into the view ourselves has been compared already
        else:
            self._compare(count)

    def _look_at_caret(self) -> None:
        """Open what is folded where a caret is, and let the header say in which change it is."""
        if self.retired or self._edits_pending or self.analysis is None:
            return
        if self.hunks.ready:
            self._drawing.open_under_carets()
            if self.hunks.caret_moved():
                self.update_header()

    def complain(self, problem: str, look_again: bool) -> None:
        """Say in the header why the text could not be written; with `look_again` compare with the file as it is now."""
        if not self.retired:
            if look_again:
                self.load()
            self._problem = problem
            self.update_header()

    def toggle_whitespace(self) -> None:
        """Mark the changes of whitespace that are hidden, or hide them, in this review."""
        self._whitespace.toggle()
        self._compare()

    @property
    def folds(self) -> Optional[bool]:
        """Whether unchanged lines are folded; None if there are none to fold."""
        return self._drawing.folding.state

    def toggle_folds(self) -> None:
        """Open what is folded, or fold what is equal."""
        self._drawing.folding.toggle()
        self._redraw()

    def settings_changed(self) -> None:
        """Draw again if the settings mark changes otherwise, or fold what they did not, and compare again if they hide
        other changes."""
        style, fold = MarkStyle.of(self._settings()), self._settings().review_fold
        if (style, fold) != (self._drawing.mark_style, self._drawing.folding.by_itself):
            self._drawing.mark_style = style
            self._drawing.folding.switch(fold)
            self._redraw()
        if self._whitespace.settings_changed():
            self._compare()

    def freeze(self, frozen: bool) -> None:
        """Make the proposal read-only while it is being written, and always where the text can only be decided."""
        if file_views.is_open(self.proposal_view):
            editable = self.review.state is ReviewState.PENDING and self.review.source.editable
            self.proposal_view.set_read_only(frozen or not editable)

    def tick(self) -> bool:
        """Follow scrolling while the review is visible. True if something moved."""
        if self._computation is not None and clock.now() - self._since > _LONG:
            self._show_status("Comparing… (close the diff to stop)")
        moved = not self.retired and self._drawing.tick()
        if self._header_in_sight != self._drawing.header_in_sight:
            self._header_in_sight = not self._header_in_sight
            self.update_header()
        return moved

    def retire(self) -> None:
        """Stop all work, and let the editor forget us."""
        if not self.retired:
            self._stop(Phase.RETIRED)
            for debounce in (self._edits, self._long_edits, self._caret):
                debounce.cancel()
            self._drawing.unlink()

    def close(self) -> None:
        """Retire and close the views."""
        self.retire()
        if any(view.file_name() is not None for view in self.views):  # it is the user's now, and is not closed
            self._drawing.clear()
            self.hunks.drop_deferred()
            self.hunks.forget_reverted()
        for view in self.views:
            view.erase_status(STATUS)
            views.close(view)

    def _stop(self, phase: Phase) -> None:
        """Nothing that is under way counts any more."""
        self._phase = self._phase.to(phase)
        self._cancel()
        self._slices.stop()

    def _cancel(self) -> None:
        if self._computation is not None:
            self._computation.cancel()
            self._computation = None

    # -- comparing ----------------------------------------------------------------------------------------------------

    def _compare(self, count: int = -1) -> None:
        """Begin to compare what the view holds. `count` is its change count, where that is known already."""
        self._cancel()
        original = self._original
        if self.retired or original is None or not self.proposal.filled:
            return  # a text is still on its way
        count = self.proposal_view.change_count() if count < 0 else count
        if not original.comparable or self.review.proposal.format.binary:
            self._use(count, None)
            return
        self._phase = self._phase.to(Phase.COMPARING)
        self._slices.run(self._begin(count, original), lambda: self._holds(count))

    def _begin(self, count: int, original: Original) -> Iterator[None]:
        """Ask the editor for the text, a very long one in portions, and compare it."""
        portions = yield from self.proposal.read(count, disk.LIMITS.length)
        self._long = sum(map(len, portions)) > disk.LIMITS.length
        # Marks that have moved with a single edit are left alone. Each edit counts, so that none can be overlooked.
        drawn = self._found.text if self._found is not None and count - self._count == 1 else None
        question = ComparisonQuestion(original.text, portions, self._whitespace.ignored, disk.LIMITS, drawn)
        in_hand, self._in_hand = self._in_hand, None
        if in_hand is not None and in_hand.question == question:
            self._compared(count, in_hand)
            return
        self._since = clock.now()
        then = partial(self._compared, count)
        self._computation = self._runtime.compute(compare, question, then=then, failed=self._failed)

    def _compared(self, count: int, found: Compared) -> None:
        self._computation = None
        if self._holds(count):  # else it was edited: it is compared again in a moment
            self.proposal.hold(found.text, count)
            self._use(count, found)

    def _failed(self, error: Exception) -> None:
        logger.error("a comparison failed", exc_info=(type(error), error, error.__traceback__))
        self._computation = None
        self._phase = self._phase.to(Phase.FAILED)
        self.hunks.drop_deferred()
        self.update_header()

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _redraw(self) -> None:
        """What is drawn, or being drawn, does not fit the screen any more."""
        self._drawing.note_top()
        if self._phase in (Phase.SHOWN, Phase.DRAWING) and self._holds(self._count):
            self._draw()  # else it will be drawn for the screen as it is then

    def _use(self, count: int, found: Optional[Compared]) -> None:
        """Draw a comparison of the text of this change count, or that there is none."""
        self._drawing.carry(NO_EDIT if count == self._count else found.edit if found is not None else None)
        self._count, self._found = count, found
        self.hunks.use(self.analysis, count)
        self._draw()

    def _draw(self) -> None:
        self._phase = self._phase.to(Phase.DRAWING)
        self._show_header()
        self._slices.run(self._steps(), lambda: self._drawing.valid and self._holds(self._count))

    def _steps(self) -> Iterator[object]:
        yield from self._drawing.steps(self.analysis, self._count)
        self._end_drawing()

    def _end_drawing(self) -> None:
        self._phase = self._phase.to(Phase.SHOWN)
        self.hunks.link(self._drawing.room)
        self.hunks.scroll()
        if not self._ever_shown:
            self._ever_shown = True
            if self.proposal.pristine:  # else the user was quicker, and works somewhere else already
                self.hunks.show_first(self.review.row)
            if self.hunks.caret_moved():
                self.update_header()

    # -- the header ---------------------------------------------------------------------------------------------------

    @property
    def summary(self) -> str:
        """How much it changes, as far as that is known, and how long it has been waiting."""
        age, analysis = age_text(clock.now() - self._opened), self.analysis
        if analysis is None:
            return age
        if analysis.hidden_count and not analysis.changes:
            return f"only whitespace changes, {age}"
        if not analysis.changes and (self._whole_file or self.review.file_change.word):
            return f"{self.review.file_change.word or FORMAT_ONLY}, {age}"
        return f"{counts_text(analysis.added, analysis.removed)}, {age}"

    @property
    def _whole_file(self) -> Tuple[str, ...]:
        """What changes in all of the file; what we write ourselves keeps its format."""
        return () if self.review.orphaned else self.review.whole_file

    def update_title(self) -> None:
        """Call the proposal's tab what it is now."""
        if not self.retired and file_views.is_open(self.proposal_view):
            self.proposal_view.set_name(views.proposal_name(self.review))

    def update_header(self) -> None:
        """Say in the header and in the status bar how things stand."""
        if not self.retired and file_views.is_open(self.proposal_view):
            self._show_header()
            if not self._drawing.header_level:
                self._redraw()

    def _show_header(self) -> None:
        original = self.original
        if original is not None:
            header = self._header(original)
            self._drawing.show_header(header)
            self._show_status(status_text(header, not self._header_in_sight))

    def _header(self, original: Original) -> Header:
        review, analysis = self.review, self.analysis
        sizes, found = self._drawing.sizes, analysis or NOTHING
        ticket = review.ticket
        edits_stay = ticket is not None and not ticket.edits_return and ticket.waiting and self.proposal.differs
        return Header(
            name=os.path.basename(review.path),
            client=review.owner.client_name,
            columns=columns_of(sizes.em_width, sizes.width),
            place=self._place,
            generation=self._generation,
            accept=review.words.accept,
            reject=review.words.reject,
            reasons=takes_reason(review),
            keys=KeyBindings.known,
            notes=(*(ticket.notes if ticket is not None else ()), *review.notes),
            position=review.position,
            new_file=original.kind is Kind.NEW,
            file_change=review.file_change.word,
            contents=contents_notice(original, review.proposal),
            original_notice="" if original.format.binary else original.notice,
            unreadable=original.kind in (Kind.UNREADABLE, Kind.UNDECODABLE),
            unsaved=self.file.unsaved,
            changed_on_disk=self.file.changed,
            reading_failed=self.file.reading_failed,
            compared=analysis is not None,
            added=found.added,
            removed=found.removed,
            current=self.hunks.current + 1 if self.hunks.current is not None else 0,
            changes=len(found.changes),
            hidden=found.hidden_count,
            whitespace_shown=self._whitespace.shown_here and analysis is not None and not found.coarse,
            whole_file=self._whole_file,
            coarse=found.coarse,
            too_large=self._found is not None and analysis is None,
            comparison_failed=self.failed,
            problem=self._problem or review.problem,
            writer=review.writer,
            emptied=self.proposal.emptied and ticket is None,
            edits_stay=edits_stay,
        )

    def _show_status(self, text: str) -> None:
        """Say something in the status bar, until the header has something to say."""
        if text != self._status:
            self._status = text
            self.proposal_view.set_status(STATUS, text)

    # -- links --------------------------------------------------------------------------------------------------------

    def _link(self, href: str) -> None:
        """A link was clicked. It must not take away its view while the editor still handles the click."""
        self._runtime.on_main(self._follow, href)

    def _follow(self, href: str) -> None:
        """Do what a link says. One that the editor still shows but that was drawn for something else only redraws."""
        plain, generation = unstamped(href)
        beside_a_change = parse_link(plain)[1] >= 0
        if generation == (self.hunks.generation if beside_a_change else self._generation):
            self._on_link(self.review, plain)
            return
        logger.info("a link of an older state was clicked: drawn again")
        self._drawing.draw_header_again()
        if self._phase is Phase.SHOWN:
            self.hunks.link(self._drawing.room, anew=True)
