"""The two texts of one review: they come into the views, and are compared there again and again.

Theory of operation: a proposal mostly comes with its file and the comparison of both (`preparation`): then all this is
one turn of the main thread. Otherwise a disk thread reads the file (`FileWatch`), and a computing thread compares what
takes long. Long texts are put into the views in slices.

Rule: nothing is compared while a text is on its way, and a result counts only if the view still holds the text that it
was made from. Main thread only.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Callable, Iterator, Optional, Protocol

import sublime

from ...common.clock import clock
from ...common.transitions import step
from ...common.waiting import Debounce
from ...common.workers import Computation
from ...editor import file_views
from ...runtime import Runtime
from ...settings import Settings
from ..decision import Review
from ..document import disk
from ..document.analysis import NO_EDIT, Carried, Compared, ComparisonQuestion, WhitespaceChoice, compare
from ..document.disk import Kind, Original
from ..document.preparation import Preparation
from ..window import views
from .pacing import TRANSITIONS, Phase, Slices
from .panes import FileWatch, OriginalPane, ProposalPane

logger = logging.getLogger("gemini_companion.review")

# Milliseconds without an edit before the texts are compared again, and at the most; the same for very long ones, which
# it takes a tenth of a second to ask the editor for.
_AFTER_EDIT, _AFTER_LONG_EDIT = (40, 500), (500, 5000)
_LONG = 0.3  # seconds after which a comparison shows itself


class Shows(Protocol):
    """What draws the comparison."""

    def outdate(self) -> None:
        """One of the two texts is about to be another one."""

    def draw_compared(self, edit: Optional[Carried]) -> None:
        """There is another comparison, or none is made. `edit` made its text of the one before; None if that is not
        certain."""

    def comparison_failed(self) -> None:
        """The texts could not be compared."""

    def update_header(self) -> None:
        """Something is known of the file that was not before."""

    def look_at_caret(self) -> None:
        """Something has happened in the view that leaves the text as it was compared."""


class ComparedTexts:
    """The texts of one review. `original_view` is None in the inline presentation."""

    def __init__(
        self,
        review: Review,
        original_view: Optional[sublime.View],
        proposal_view: sublime.View,
        runtime: Runtime,
        settings: Callable[[], Settings],
        shows: Shows,
        original_filled: Callable[[], None],
    ) -> None:
        """`original_filled` is called once the text of the file is in its view."""
        self._review = review
        self._runtime = runtime
        self._settings = settings
        self._shows = shows
        self._original_filled = original_filled
        self._view = proposal_view
        self._original_pane = OriginalPane(original_view, review.words) if original_view is not None else None
        self.file = FileWatch(review, runtime, loaded=self._loaded, failed=self._not_loaded, news=shows.update_header)
        self.proposal = ProposalPane(proposal_view, review)
        self.whitespace = WhitespaceChoice(settings)
        self.slices = Slices(runtime)
        self.phase = Phase.GATHERING
        self.count = -1  # the change count of the text that was compared last
        self.found: Optional[Compared] = None  # the comparison of that text; None if there was none
        self._original: Optional[Original] = None  # the file, while its text is in its view
        self._in_hand: Optional[Compared] = None  # came with the texts
        self._computation: Optional[Computation] = None
        self._since = 0.0  # when that began, on the monotonic clock
        self._long = False  # so is the proposal that the editor gives its text in portions
        later = runtime.later_on_main
        self._edits = Debounce(later, self._compare_after_edits, *_AFTER_EDIT)
        self._long_edits = Debounce(later, self._compare_after_edits, *_AFTER_LONG_EDIT)

    @property
    def retired(self) -> bool:
        """Whether nothing is compared or drawn any more: the views are closed, or about to be."""
        return self.phase is Phase.RETIRED

    @property
    def is_current(self) -> bool:
        """Whether the view still holds the text that was compared last."""
        return self._view.change_count() == self.count

    @property
    def edits_pending(self) -> bool:
        """Whether the user has edited the text since it was compared."""
        return self._edits.pending or self._long_edits.pending

    @property
    def takes_long(self) -> bool:
        """Whether a comparison has been under way for so long that the user should know."""
        return self._computation is not None and clock.now() - self._since > _LONG

    # -- the texts come -----------------------------------------------------------------------------------------------

    def show_proposal(self, prepared: Optional[Preparation]) -> None:
        """Put the review's proposal, the first or a newer one, into its view, and begin to compare. `prepared` is the
        file, if it was read already."""
        self.stop(Phase.GATHERING)
        self._shows.outdate()
        self.proposal.await_another()
        if prepared is None:
            self.slices.run(self._fill())
            self.load()
        else:
            self.file.read_again()
            self._loaded(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self.file.load(self._settings(), self._view)

    def _loaded(self, prepared: Preparation) -> None:
        if self.retired:
            return
        review, before, original = self._review, self.file.original, prepared.original
        review.same_files, review.whole_file = prepared.same_files, prepared.whole_file
        if before is None and not file_views.views_of_file(review.path, review.same_files):
            for view in (self._view, *([self._original_pane.view] if self._original_pane is not None else [])):
                if file_views.is_open(view):
                    views.indent_as(view, original.text or review.proposal.shown)
        if before is None or before.text != original.text:
            self._shows.outdate()
        self.file.take(original)
        self._original, self._in_hand = None, prepared.compared
        if self.proposal.filled or not self.slices.busy:  # else that goes on with the file
            self.stop(Phase.GATHERING)
            self.slices.run(self._fill())

    def _not_loaded(self) -> None:
        """If it never was, show the proposal as beside a file that cannot be read."""
        if self.file.original is None:
            self._loaded(Preparation(Original(self._review.path, Kind.UNREADABLE), self._review.same_files))
        else:
            self._shows.update_header()

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
                yield from pane.fill(original, self._review.same_files, longest)
                self._original_filled()
            self._original = original
            self.file.check()
        self.compare()

    def _forget_filling(self) -> None:
        if not self.retired and self.proposal.forget_filling():
            self.compare()  # else the comparison would be taken for one of an older text

    def edited(self) -> None:
        """The user has edited the proposal: compare again as soon as they pause. Called for every keystroke."""
        if self.proposal.filled:
            (self._long_edits if self._long else self._edits).mark()

    def _compare_after_edits(self) -> None:
        count = self._view.change_count()
        if self.proposal.untouched_at(count):
            self._shows.look_at_caret()  # what we put into the view ourselves has been compared already
        else:
            self.compare(count)

    # -- comparing ----------------------------------------------------------------------------------------------------

    def compare(self, count: int = -1) -> None:
        """Begin to compare what the view holds. `count` is its change count, where that is known already."""
        self._cancel()
        original = self._original
        if self.retired or original is None or not self.proposal.filled:
            return  # a text is still on its way
        count = self._view.change_count() if count < 0 else count
        if not original.comparable or self._review.proposal.format.binary:
            self._use(count, None)
            return
        self.phase = step(TRANSITIONS, self.phase, Phase.COMPARING)
        self.slices.run(self._begin(count, original), lambda: self._view.change_count() == count)

    def _begin(self, count: int, original: Original) -> Iterator[None]:
        """Ask the editor for the text, a very long one in portions, and compare it."""
        portions = yield from self.proposal.read(count, disk.LIMITS.length)
        self._long = sum(map(len, portions)) > disk.LIMITS.length
        # Marks that have moved with a single edit are left alone. Each edit counts, so that none can be overlooked.
        drawn = self.found.text if self.found is not None and count - self.count == 1 else None
        question = ComparisonQuestion(original.text, portions, self.whitespace.ignored, disk.LIMITS, drawn)
        in_hand, self._in_hand = self._in_hand, None
        if in_hand is not None and in_hand.question == question:
            self._compared(count, in_hand)
            return
        self._since = clock.now()
        then = partial(self._compared, count)
        self._computation = self._runtime.compute(compare, question, then=then, failed=self._failed)

    def _compared(self, count: int, found: Compared) -> None:
        self._computation = None
        if self._view.change_count() == count:  # else it was edited: it is compared again in a moment
            self.proposal.hold(found.text, count)
            self._use(count, found)

    def _use(self, count: int, found: Optional[Compared]) -> None:
        edit = NO_EDIT if count == self.count else found.edit if found is not None else None
        self.count, self.found = count, found
        self._shows.draw_compared(edit)

    def _failed(self, error: Exception) -> None:
        logger.error("a comparison failed", exc_info=(type(error), error, error.__traceback__))
        self._computation = None
        self.phase = step(TRANSITIONS, self.phase, Phase.FAILED)
        self._shows.comparison_failed()

    def stop(self, phase: Phase) -> None:
        """Go to this phase. Nothing that is under way counts any more."""
        self.phase = step(TRANSITIONS, self.phase, phase)
        self._cancel()
        self.slices.stop()
        if phase is Phase.RETIRED:
            self._edits.cancel()
            self._long_edits.cancel()

    def _cancel(self) -> None:
        if self._computation is not None:
            self._computation.cancel()
            self._computation = None
