"""One review on the screen: the comparison that is drawn in its views, its header, and its links.

Theory of operation: the views are made at once. The texts come into them and are compared (`ComparedTexts`), and each
result is drawn in slices. The header is made of how things stand.

Rules: a result is drawn only if the view still holds the text that it was made from. Once a review is retired, nothing
in its views is touched but to close them. The header says nothing before the file was read, and the status bar gets
only what it does not show yet.
"""

from __future__ import annotations

import logging
import os
from typing import Callable, Iterator, List, Optional, Tuple

import sublime

from ...common.clock import clock
from ...common.transitions import step
from ...common.waiting import Debounce
from ...editor import file_views
from ...editor.key_bindings import KeyBindings
from ...runtime import Runtime
from ...settings import Settings
from ..decision import Review, ReviewState, takes_reason
from ..document.analysis import NOTHING, Analysis, Carried
from ..document.disk import Kind, Original
from ..document.preparation import Preparation
from ..window import views
from .compared_texts import ComparedTexts
from .drawing import Drawing
from .header import FORMAT_ONLY, Header, age_text, columns_of, contents_notice, counts_text, place_of, status_text
from .inline import Inline
from .mark_style import MarkStyle
from .markup import parse_link, unstamped
from .pacing import TRANSITIONS, Phase
from .proposal_hunks import ProposalHunks
from .side_by_side import SideBySide

logger = logging.getLogger("gemini_companion.review")

STATUS = "gemini_companion.review"

_AFTER_CARET = (20, 100)  # milliseconds without a movement of the caret, and at the most


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
        if original_view is not None:
            self.buffers.add(original_view.buffer_id())
        self._runtime = runtime
        self._settings = settings
        self._on_link = on_link
        self._drawing: Drawing
        style = MarkStyle.of(settings())
        if original_view is None:
            self._drawing = Inline(proposal_view, self._link, self._redraw, style, settings().review_fold)
        else:
            both = original_view, proposal_view
            self._drawing = SideBySide(*both, self._link, self._redraw, style, settings().review_fold)
        filled = self._drawing.original_filled
        self._texts = ComparedTexts(review, original_view, proposal_view, runtime, settings, self, filled)
        self.file, self.proposal = self._texts.file, self._texts.proposal
        self.edited = self._texts.edited  # called for every keystroke
        self.hunks = ProposalHunks(proposal_view, review.words, self._link, self._drawing.regions)
        self._ever_shown = False
        self._caret = Debounce(runtime.later_on_main, self.look_at_caret, *_AFTER_CARET)
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
        return self._texts.file.original

    @property
    def analysis(self) -> Optional[Analysis]:
        """The last comparison; None if there was none yet, or the texts are not compared."""
        found = self._texts.found
        return found.analysis if found is not None else None

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return self._texts.phase is Phase.SHOWN and self._texts.is_current

    @property
    def has_changes(self) -> bool:
        """Whether a change is marked."""
        return self.analysis is not None and bool(self.analysis.changes)

    @property
    def failed(self) -> bool:
        """Whether the last comparison failed, so that none is to be waited for."""
        return self._texts.phase is Phase.FAILED

    @property
    def retired(self) -> bool:
        """Whether nothing is compared or drawn any more: the views are closed, or about to be."""
        return self._texts.retired

    @property
    def visible(self) -> bool:
        """Whether the proposal is in front in its group."""
        window = self.proposal_view.window()
        if window is None:
            return False
        group = window.get_view_index(self.proposal_view)[0]
        return group >= 0 and window.active_view_in_group(group) == self.proposal_view

    # -- the texts come -----------------------------------------------------------------------------------------------

    def show_proposal(self, prepared: Optional[Preparation]) -> None:
        """Put the review's proposal, be it the first or a newer one, into its view, and begin to compare.

        Long texts follow a moment later. `prepared` is the file, if it was read already.
        """
        self._runtime.assert_main_thread()
        self.freeze(False)
        self._generation += 1
        self._problem = ""
        if not self.retired and file_views.is_open(self.proposal_view):
            self.hunks.forget_reverted()
            self._texts.show_proposal(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self._runtime.assert_main_thread()
        self._problem = ""
        self._texts.load()

    def outdate(self) -> None:
        """One of the two texts is about to be another one: what is drawn, or deferred, names nothing any more."""
        self.hunks.outdate()
        self._drawing.folding.another_text()

    # -- the user and the window --------------------------------------------------------------------------------------

    def caret_may_have_moved(self) -> None:
        """The selection of one of the views has changed. Called for every keystroke."""
        if not self._texts.edits_pending:
            self._caret.mark()  # else the comparison looks where the caret is

    def look_at_caret(self) -> None:
        """Open what is folded where a caret is, and let the header say in which change it is."""
        if self.retired or self._texts.edits_pending or self.analysis is None:
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
        self._texts.whitespace.toggle()
        self._texts.compare()

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
        if self._texts.whitespace.settings_changed():
            self._texts.compare()

    def freeze(self, frozen: bool) -> None:
        """Make the proposal read-only while it is being written, and always where the text can only be decided."""
        if file_views.is_open(self.proposal_view):
            editable = self.review.state is ReviewState.PENDING and self.review.source.editable
            self.proposal_view.set_read_only(frozen or not editable)

    def tick(self) -> bool:
        """Follow scrolling while the review is visible. True if something moved."""
        if self._texts.takes_long:
            self._show_status("Comparing… (close the diff to stop)")
        moved = not self.retired and self._drawing.tick()
        if self._header_in_sight != self._drawing.header_in_sight:
            self._header_in_sight = not self._header_in_sight
            self.update_header()
        return moved

    def retire(self) -> None:
        """Stop all work, and let the editor forget us."""
        if not self.retired:
            self._texts.stop(Phase.RETIRED)
            self._caret.cancel()
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

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _redraw(self) -> None:
        """What is drawn, or being drawn, does not fit the screen any more."""
        self._drawing.note_top()
        if self._texts.phase in (Phase.SHOWN, Phase.DRAWING) and self._texts.is_current:
            self._draw()  # else it will be drawn for the screen as it is then

    def draw_compared(self, edit: Optional[Carried]) -> None:
        """Draw the last comparison, or that there is none. `edit` made its text of the one that is drawn."""
        self._drawing.carry(edit)
        self.hunks.use(self.analysis, self._texts.count)
        self._draw()

    def comparison_failed(self) -> None:
        """Say in the header that the texts could not be compared."""
        self.hunks.drop_deferred()
        self.update_header()

    def _draw(self) -> None:
        texts = self._texts
        texts.phase = step(TRANSITIONS, texts.phase, Phase.DRAWING)
        self._show_header()
        texts.slices.run(self._steps(), lambda: self._drawing.valid and texts.is_current)

    def _steps(self) -> Iterator[object]:
        yield from self._drawing.steps(self.analysis, self._texts.count)
        self._end_drawing()

    def _end_drawing(self) -> None:
        self._texts.phase = step(TRANSITIONS, self._texts.phase, Phase.SHOWN)
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
            whitespace_shown=self._texts.whitespace.shown_here and analysis is not None and not found.coarse,
            whole_file=self._whole_file,
            coarse=found.coarse,
            too_large=self._texts.found is not None and analysis is None,
            comparison_failed=self.failed,
            problem=self._problem or (ticket.problem if ticket is not None else ""),
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
        if self._texts.phase is Phase.SHOWN:
            self.hunks.link(self._drawing.room, anew=True)
