"""What the proposal goes through again and again: it is compared, the result is drawn, it is edited.

Theory of operation: as soon as both texts are in their views, they are compared on a computing thread (`comparing`),
and the result is drawn in slices (`drawing`). After an edit of the proposal both are repeated. `phase` says how far
that has come, and what may come next.

Rule: a result is drawn only if the view still holds the text it was made from.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Callable, Iterator, List, NamedTuple, Optional, Sequence

from ...common.debounce import Debounce
from ...editor import file_views
from ..document.disk import Original
from .analysis import Analysis
from .carrying import State
from .comparing import Compared, Comparing, Limits
from .drawing import Drawing
from .hunks import Hunks
from .panes import ProposalPane
from .phase import Phase, following
from .slices import Slices
from .whitespace import WhitespaceChoice

if TYPE_CHECKING:
    from ...runtime import Runtime
    from ...settings import Settings

logger = logging.getLogger("gemini_companion.review")

# Milliseconds without an edit before the texts are compared again, and at the most; the same for very long ones, which
# it takes a tenth of a second to ask the editor for, and for the caret's change.
_AFTER_EDIT, _LONGEST_EDITING = 40, 500
_AFTER_LONG_EDIT, _LONGEST_LONG_EDITING = 500, 5000
_AFTER_CARET, _LONGEST_WALK = 20, 100


class Found(NamedTuple):
    """What the last comparison came to. Without an `analysis` there was none yet, or the texts are not compared."""

    analysis: Optional[Analysis]
    too_large: bool  # the proposal, for a comparison
    failed: bool


class DrawnText(NamedTuple):
    """A text that was drawn on, by the view's change count. `text` is None if it was not compared."""

    change_count: int
    text: Optional[str] = None


_NOTHING = DrawnText(-1)


class ComparisonCycle:
    """The comparisons of one review. Main thread only.

    `show_header` is called with each drawing, `update_header` when the header has something else to say in between.
    """

    def __init__(
        self,
        pane: ProposalPane,
        drawing: Drawing,
        hunks: Hunks,
        whitespace: WhitespaceChoice,
        *,
        runtime: Runtime,
        settings: Callable[[], Settings],
        show_header: Callable[[], None],
        update_header: Callable[[], None],
    ) -> None:
        self._pane = pane
        self._view = pane.view
        self._drawing = drawing
        self._hunks = hunks
        self._whitespace = whitespace
        self._settings = settings
        self._show_header = show_header
        self._update_header = update_header
        self._phase = Phase.GATHERING
        self._original: Optional[Original] = None  # the file, while its text is in its view
        self._too_large = self._long = False
        self._found: Optional[Compared] = None  # None if what is drawn is no comparison
        self._drawn = self._being_drawn = _NOTHING
        self._comparing = Comparing(runtime, self._compared, self._failed)
        self._slices = Slices(runtime)
        self._edits = Debounce(runtime.later_on_main, self._compare_after_edits, _AFTER_EDIT, _LONGEST_EDITING)
        self._long_edits = Debounce(
            runtime.later_on_main, self._compare_after_edits, _AFTER_LONG_EDIT, _LONGEST_LONG_EDITING
        )
        self._caret = Debounce(runtime.later_on_main, self._look_at_caret, _AFTER_CARET, _LONGEST_WALK)

    # -- how far it is ------------------------------------------------------------------------------------------------

    @property
    def found(self) -> Found:
        """What the header says of the comparison."""
        return Found(self._found.analysis if self._found is not None else None, self._too_large, self.failed)

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return self._phase is Phase.SHOWN and self._drawn.change_count == self._view.change_count()

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
        return self._comparing.takes_long

    # -- the texts ----------------------------------------------------------------------------------------------------

    def await_proposal(self) -> None:
        """Another proposal is about to be put into its view. `compare` says that it is there."""
        self._enter(Phase.GATHERING)
        self._comparing.cancel()
        self._slices.stop()

    def await_original(self) -> None:
        """Another text of the file is about to be put into its view. `compare_with` says that it is there."""
        self.await_proposal()
        self._original = None

    def compare_with(self, original: Original) -> None:
        """Compare with this file from now on."""
        self._original = original
        self.compare()

    def retire(self) -> None:
        """Stop all work."""
        self._enter(Phase.RETIRED)
        self._slices.stop()
        self._edits.cancel()
        self._long_edits.cancel()
        self._caret.cancel()
        self._comparing.cancel()

    def _enter(self, phase: Phase) -> None:
        self._phase = following(self._phase, phase)

    # -- the user -----------------------------------------------------------------------------------------------------

    def edited(self) -> None:
        """The proposal was edited: compare again as soon as the user pauses. Called for every keystroke."""
        if self._pane.filled:
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
        if self.retired:
            return
        if self._pane.untouched_at(count):
            self._look_at_caret()  # what we put into the view ourselves has been compared already
            return
        if self._phase is not Phase.GATHERING:
            self._enter(Phase.STALE)
        self.compare(count)

    def _look_at_caret(self) -> None:
        """Let the header say in which change the caret is."""
        if self.retired or self._edits_pending or self._found is None:
            return
        if self._found.change_count == self._view.change_count() and self._hunks.caret_moved():
            self._update_header()

    # -- comparing ----------------------------------------------------------------------------------------------------

    def compare(self, count: int = -1) -> None:
        """Begin to compare what the view holds. `count` is its change count, for whoever has asked for it already."""
        self._comparing.cancel()
        original = self._original
        if self.retired or original is None or not self._pane.filled:
            return  # a text is still on its way
        count = self._view.change_count() if count < 0 else count
        if not count and not file_views.is_open(self._view):
            return  # a view that is gone answers like one that is empty
        if not original.comparable or self._pane.binary:
            self._draw_plainly(count, too_large=False)
            return
        limits = Limits(self._settings().review_maximum_bytes, self._settings().review_maximum_lines)
        text = self._pane.read(count, limits.length)
        self._long = text is None or len(text) > limits.length
        if text is not None:
            self._enter(Phase.COMPARING)
            self._begin(count, original, [text], limits)
        elif self._view.size() > limits.longest:
            self._draw_plainly(count, too_large=True)
        else:
            self._enter(Phase.COMPARING)
            self._slices.run(self._read(count, original, limits), lambda: self._holds(count))

    def _read(self, count: int, original: Original, limits: Limits) -> Iterator[None]:
        """Ask the editor for a very long text, and compare it."""
        portions: List[str] = []
        for portion in self._pane.portions():
            portions.append(portion)
            yield None
        self._begin(count, original, portions, limits)

    def _begin(self, count: int, original: Original, portions: Sequence[str], limits: Limits) -> None:
        # Marks that have moved with a single edit are left alone. Each edit counts, so that none can be overlooked.
        before = self._drawn.text if count - self._drawn.change_count == 1 else None
        self._comparing.begin(count, original.text, portions, before, self._whitespace.ignored, limits)

    def _holds(self, count: int) -> bool:
        """Whether the view still holds the text that it had at this change count."""
        return self._view.is_valid() and self._view.change_count() == count

    def _compared(self, found: Compared) -> None:
        if self.retired:
            return
        count = found.change_count
        if self._view.change_count() != count:
            if not self._edits_pending:
                self.compare()
            return
        self._pane.hold(found.text, count)
        if found.analysis is None:
            self._draw_plainly(count, too_large=True)
            return
        self._found, self._too_large = found, False
        self._hunks.use(found.analysis, count)
        self._draw(DrawnText(count, found.text), State(count, self._drawn.change_count, found.edit))

    def _failed(self, error: Exception) -> None:
        logger.error("a comparison failed", exc_info=(type(error), error, error.__traceback__))
        if self._phase in (Phase.COMPARING, Phase.STALE):
            self._enter(Phase.FAILED)
            self._hunks.drop_asked()
            self._update_header()

    # -- drawing ------------------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """What is drawn, or being drawn, does not fit the screen any more."""
        if self._phase not in (Phase.SHOWN, Phase.DRAWING) or not file_views.is_open(self._view):
            return  # it will be drawn for the screen as it is then
        count = self._view.change_count()
        if count == self._being_drawn.change_count:  # else it was edited: it is compared, and drawn, in a moment
            self._draw(self._being_drawn, State(count, self._drawn.change_count))

    def link_again(self) -> None:
        """Draw the links beside the changes anew: the editor may show older ones."""
        if self._phase is Phase.SHOWN:
            self._hunks.outdate_links()
            self._hunks.link(State(self._drawn.change_count), self._drawing.room)

    def _draw_plainly(self, count: int, *, too_large: bool) -> None:
        """Draw no comparison."""
        self._found, self._too_large = None, too_large
        self._draw(DrawnText(count), State(count))

    def _draw(self, text: DrawnText, state: State) -> None:
        self._enter(Phase.DRAWING)
        analysis = self.found.analysis
        if analysis is None:
            self._hunks.use(None, text.change_count)
        self._show_header()
        self._being_drawn = text
        self._slices.run(
            self._drawing.steps(analysis, state, partial(self._end_drawing, text, state)),
            lambda: self._drawing.valid and self._holds(text.change_count),
        )

    def _end_drawing(self, text: DrawnText, state: State) -> None:
        if self._phase not in (Phase.DRAWING, Phase.STALE):
            return  # it is compared again already
        self._enter(Phase.SHOWN)
        before, self._drawn = self._drawn, text
        self._hunks.link(state, self._drawing.room)
        if before is _NOTHING:
            if self._pane.pristine:  # else the user was quicker, and works somewhere else already
                self._hunks.show_first()
            if self._hunks.caret_moved():
                self._update_header()
