"""How far a review has come, from its texts on their way into the views to the comparison on the screen.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import logging
import time
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, Iterator, Optional

import sublime

from ...common.debounce import Debounce
from ...editor import file_views
from ..decision import Review
from ..document.analysis import NO_EDIT, Analysis, Compared, ComparisonQuestion, WhitespaceChoice, compare
from ..document.disk import Kind, Original, ReadLimits
from ..document.preparation import Preparation
from ..window import views
from .drawing import Drawing
from .panes import FileWatch, OriginalPane, ProposalPane
from .proposal_hunks import ProposalHunks
from .slices import Slices

if TYPE_CHECKING:
    from ...common.workers import Computation
    from ...runtime import Runtime
    from ...settings import Settings


class Phase(Enum):
    """How far a review has come."""

    GATHERING = "gathering"  # the file is being read, or the texts are being put into the views
    COMPARING = "comparing"  # on a computing thread
    DRAWING = "drawing"  # the comparison, or the lack of one
    SHOWN = "shown"  # what is drawn is the comparison of what was in the views
    FAILED = "failed"  # the comparison has
    RETIRED = "retired"  # the review has ended; nothing happens any more

    def to(self, phase: Phase) -> Phase:
        """The next phase. Raises `ValueError` if there is no way to it."""
        if phase not in TRANSITIONS[self]:
            raise ValueError(f"a review that is {self.value} cannot become {phase.value}")
        return phase


_ALWAYS = frozenset({Phase.GATHERING, Phase.COMPARING, Phase.DRAWING, Phase.RETIRED})
TRANSITIONS: Dict[Phase, FrozenSet[Phase]] = {
    Phase.GATHERING: _ALWAYS,
    Phase.COMPARING: _ALWAYS | {Phase.FAILED},
    Phase.DRAWING: _ALWAYS | {Phase.SHOWN},
    Phase.SHOWN: _ALWAYS,
    Phase.FAILED: _ALWAYS,
    Phase.RETIRED: frozenset(),
}


# JOINED cycle
# The loop of one review: its texts come into the views, are compared, and the result is drawn, again and again.
#
# Theory of operation: a proposal mostly comes with its file and the comparison of both (`preparation`): then all this is
# one turn of the main thread. Otherwise the file is read on a disk thread (`file_watch`), and what takes long is compared
# on a computing thread. Long texts are put into the views, and results are drawn, in slices.
#
# Rules: nothing is compared while a text is on its way. A result is drawn only if the view still holds the text that it
# was made from.

logger = logging.getLogger("gemini_companion.review")

# Milliseconds without an edit before the texts are compared again, and at the most; the same for very long ones, which
# it takes a tenth of a second to ask the editor for, and for the caret's change.
_AFTER_EDIT, _AFTER_LONG_EDIT, _AFTER_CARET = (40, 500), (500, 5000), (20, 100)
_LONG = 0.3  # seconds after which a comparison shows itself


class Cycle:
    """The loop of one review. Main thread only.

    `original_view` is None in the inline presentation. `on_link` gets the addresses of clicked links. `show_header` is
    called with each drawing, `update_header` when the header has something else to say in between.
    """

    def __init__(
        self,
        review: Review,
        original_view: Optional[sublime.View],
        proposal_view: sublime.View,
        *,
        runtime: Runtime,
        settings: Callable[[], Settings],
        on_link: Callable[[str], None],
        show_header: Callable[[], None],
        update_header: Callable[[], None],
    ) -> None:
        self._review = review
        self._view = proposal_view
        self._runtime = runtime
        self._settings = settings
        self._show_header = show_header
        self._update_header = update_header
        self.whitespace = WhitespaceChoice(settings)
        self.file = FileWatch(review, runtime, loaded=self._loaded, failed=self._not_loaded, news=update_header)
        self.proposal = ProposalPane(proposal_view, review)
        self.drawing = Drawing(original_view, proposal_view, on_link, self.redraw)
        self.hunks = ProposalHunks(proposal_view, on_link, self.drawing.regions)
        self._original_pane: Optional[OriginalPane] = None
        if original_view is not None:
            self._original_pane = OriginalPane(original_view, review.words)
        self._phase = Phase.GATHERING
        self._limits = ReadLimits.of(settings())  # when the file was read
        self._original: Optional[Original] = None  # the file, while its text is in its view
        self._in_hand: Optional[Compared] = None  # came with the texts
        self.too_large = False  # the proposal, for a comparison
        self._long = False  # so is its text that only the portions of it are asked for
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

    # -- how far it is ------------------------------------------------------------------------------------------------

    @property
    def analysis(self) -> Optional[Analysis]:
        """The last comparison; None if there was none yet, or the texts are not compared."""
        return self._found.analysis if self._found is not None else None

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return self._phase is Phase.SHOWN and self._holds(self._count)

    @property
    def failed(self) -> bool:
        """Whether the last comparison failed, so that none is to be waited for."""
        return self._phase is Phase.FAILED

    @property
    def retired(self) -> bool:
        """Whether nothing is compared or drawn any more."""
        return self._phase is Phase.RETIRED

    @property
    def takes_long(self) -> bool:
        """Whether a comparison is under way that the user should hear of."""
        return self._computation is not None and time.monotonic() - self._since > _LONG

    def retire(self) -> None:
        """Stop all work, and let the editor forget us."""
        self._stop(Phase.RETIRED)
        for debounce in (self._edits, self._long_edits, self._caret):
            debounce.cancel()
        self.drawing.unlink()

    def _stop(self, phase: Phase) -> None:
        """Nothing that is under way counts any more."""
        self._phase = self._phase.to(phase)
        self._cancel()
        self._slices.stop()

    def _cancel(self) -> None:
        if self._computation is not None:
            self._computation.cancel()
            self._computation = None

    def _holds(self, count: int) -> bool:
        """Whether the view still holds the text that it had at this change count."""
        return self._view.change_count() == count

    # -- the texts come -----------------------------------------------------------------------------------------------

    def show_proposal(self, prepared: Optional[Preparation]) -> None:
        """Put the review's proposal into its view. `prepared` is the file, if it was read already."""
        if self.retired or not file_views.is_open(self._view):
            return
        self._stop(Phase.GATHERING)
        self.hunks.outdate()
        self.hunks.forget_reverted()
        self.proposal.await_another()
        if prepared is None:
            self._gather()
            self.load()
        else:
            self._limits = ReadLimits.of(self._settings())
            self.file.read_again()
            self._loaded(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self._limits = ReadLimits.of(self._settings())
        self.file.load(self._settings(), self._view)

    @property
    def limits_changed(self) -> bool:
        """Whether the settings have other limits for what is compared than when the file was read."""
        return ReadLimits.of(self._settings()) != self._limits

    def _loaded(self, prepared: Preparation) -> None:
        if self.retired:
            return
        before, original, self._review.same_files = self.file.original, prepared.original, prepared.same_files
        if before is None and not file_views.views_of_file(self._review.path, self._review.same_files):
            for pane in (self._original_pane, self.proposal):
                if pane is not None and file_views.is_open(pane.view):
                    views.indent_as(pane.view, original.text or self._review.proposal.shown)
        if before is None or before.text != original.text:
            self.hunks.outdate()
        self.file.take(original)
        self._original, self._in_hand = None, prepared.compared
        if self.proposal.filled or not self._slices.busy:  # else that goes on with the file
            self._gather()

    def _not_loaded(self) -> None:
        """If it never was, the proposal is shown as beside one that nobody may read."""
        if self.file.original is None:
            self._loaded(Preparation(Original(self._review.path, Kind.UNREADABLE), self._review.same_files))
        else:
            self._update_header()

    def _gather(self) -> None:
        self._stop(Phase.GATHERING)
        self._slices.run(self._fill())

    def _fill(self) -> Iterator[None]:
        """Put into the views what is not there yet, and compare when both texts are."""
        longest = self._limits.length  # with a syntax, which costs the editor more
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
                self.drawing.original_filled()
            self._original = original
            self.file.check()
        self.compare()

    def _forget_filling(self) -> None:
        if not self.retired and self.proposal.forget_filling():
            self.compare()  # else the comparison would be taken for one of an older text

    # -- the user -----------------------------------------------------------------------------------------------------

    def edited(self) -> None:
        """The proposal was edited: compare again as soon as the user pauses. Called for every keystroke."""
        if self.proposal.filled:
            (self._long_edits if self._long else self._edits).mark()

    def caret_may_have_moved(self) -> None:
        """The proposal's selection has changed. Called for every keystroke."""
        if not self._edits_pending:
            self._caret.mark()  # else the comparison looks where the caret is

    @property
    def _edits_pending(self) -> bool:
        return self._edits.pending or self._long_edits.pending

    def _compare_after_edits(self) -> None:
        count = self._view.change_count()
        if self.proposal.untouched_at(count):
            self._look_at_caret()  # what we put into the view ourselves has been compared already
        else:
            self.compare(count)

    def _look_at_caret(self) -> None:
        """Let the header say in which change the caret is."""
        if self.retired or self._edits_pending or self.analysis is None:
            return
        if self.hunks.ready and self.hunks.caret_moved():
            self._update_header()

    # -- comparing ----------------------------------------------------------------------------------------------------

    def compare(self, count: int = -1) -> None:
        """Begin to compare what the view holds. `count` is its change count, for whoever has asked for it already."""
        self._cancel()
        original = self._original
        if self.retired or original is None or not self.proposal.filled:
            return  # a text is still on its way
        count = self._view.change_count() if count < 0 else count
        if not original.comparable or self._review.proposal.format.binary:
            self._use(count, None)
            return
        self._phase = self._phase.to(Phase.COMPARING)
        self._slices.run(self._begin(count, original), lambda: self._holds(count))

    def _begin(self, count: int, original: Original) -> Iterator[None]:
        """Ask the editor for the text, a very long one in portions, and compare it."""
        limits = ReadLimits.of(self._settings())
        portions = yield from self.proposal.read(count, limits.length)
        self._long = sum(map(len, portions)) > limits.length
        # Marks that have moved with a single edit are left alone. Each edit counts, so that none can be overlooked.
        drawn = self._found.text if self._found is not None and count - self._count == 1 else None
        question = ComparisonQuestion(original.text, portions, self.whitespace.ignored, limits, drawn)
        in_hand, self._in_hand = self._in_hand, None
        if in_hand is not None and in_hand.question == question:
            self._compared(count, in_hand)
            return
        self._since = time.monotonic()
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
        self.hunks.drop_asked()
        self._update_header()

    # -- drawing ------------------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """What is drawn, or being drawn, does not fit the screen any more."""
        self.drawing.note_top()
        if self._phase in (Phase.SHOWN, Phase.DRAWING) and self._holds(self._count):
            self._draw()  # else it will be drawn for the screen as it is then

    def link_again(self) -> None:
        """Draw all links anew: the editor may show older ones."""
        self.drawing.show_again()
        if self._phase is Phase.SHOWN:
            self.hunks.outdate_links()
            self.hunks.link(self.drawing.room)

    def _use(self, count: int, found: Optional[Compared]) -> None:
        """Draw a comparison of the text of this change count, or that there is none."""
        self.drawing.carry(NO_EDIT if count == self._count else found.edit if found is not None else None)
        self._count, self._found = count, found
        self.too_large = found is not None and found.analysis is None
        self.hunks.use(self.analysis, count)
        self._draw()

    def _draw(self) -> None:
        self._phase = self._phase.to(Phase.DRAWING)
        self._show_header()
        self._slices.run(self._steps(), lambda: self.drawing.valid and self._holds(self._count))

    def _steps(self) -> Iterator[object]:
        yield from self.drawing.steps(self.analysis)
        self._end_drawing()

    def _end_drawing(self) -> None:
        self._phase = self._phase.to(Phase.SHOWN)
        self.hunks.link(self.drawing.room)
        self.hunks.scroll()
        if not self._ever_shown:
            self._ever_shown = True
            if self.proposal.pristine:  # else the user was quicker, and works somewhere else already
                self.hunks.show_first()
            if self.hunks.caret_moved():
                self._update_header()
