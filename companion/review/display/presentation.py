"""One review on the screen: what shows it is put together, is told what happens, and is taken away.

Theory of operation: the views are made at once. The texts are put into them (`filling`), compared and drawn
(`comparison_cycle`), and the header tells how things stand (`header_updates`).

Rule: once a review is retired, nothing in its views is touched but to close them.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Callable, List, Optional

import sublime

from ...editor import file_views
from ..decision import Review
from ..window import views
from .comparison_cycle import ComparisonCycle
from .drawing import Drawing
from .file_watch import FileWatch
from .filling import Filling
from .header_updates import STATUS, HeaderUpdates
from .hunks import Hunks
from .markup import REVERT, UNDO, parse_link, unstamped
from .panes import OriginalPane, ProposalPane
from .whitespace import WhitespaceChoice

if TYPE_CHECKING:
    from ...runtime import Runtime
    from ...settings import Settings
    from ..document.disk import Original
    from ..document.preparation import Preparation

logger = logging.getLogger("gemini_companion.review")


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
        self._runtime = runtime
        self._on_link = on_link
        self._whitespace = WhitespaceChoice(settings)
        self.file = FileWatch(review, runtime, self.update_header)
        self._pane = ProposalPane(proposal_view, review)
        self._drawing = Drawing(original_view, proposal_view, self._link, self._redraw)
        self.hunks = Hunks(proposal_view, self._link, self._drawing.styles)
        self._header = HeaderUpdates(
            review, self._pane, self.file, self._drawing, self.hunks, self._whitespace, lambda: self._cycle.found
        )
        self._cycle = ComparisonCycle(
            self._pane,
            self._drawing,
            self.hunks,
            self._whitespace,
            runtime=runtime,
            settings=settings,
            show_header=self._header.show,
            update_header=self._header.update,
        )
        self._filling = Filling(
            review,
            OriginalPane(original_view, review.words, self._drawing.original_filled)
            if original_view is not None
            else None,
            self._pane,
            self.file,
            cycle=self._cycle,
            header=self._header,
            hunks=self.hunks,
            runtime=runtime,
            settings=settings,
        )

    # -- how things stand ---------------------------------------------------------------------------------------------

    @property
    def views(self) -> List[sublime.View]:
        """Our views that are still open."""
        return [
            view for view in (self.original_view, self.proposal_view) if view is not None and file_views.is_open(view)
        ]

    @property
    def original(self) -> Optional[Original]:
        """The file as it was read last; None before that."""
        return self.file.original

    @property
    def retired(self) -> bool:
        """Whether its views are closed, or about to be."""
        return self._cycle.retired

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return self._cycle.settled

    @property
    def failed(self) -> bool:
        """Whether the last comparison failed, so that none is to be waited for."""
        return self._cycle.failed

    @property
    def untouched(self) -> bool:
        """Whether the proposal is as we have put it into its view."""
        return self._pane.untouched

    @property
    def summary(self) -> str:
        """How much it changes, as far as that is known, and how long it has been waiting."""
        return self._header.summary

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

    def current_text(self) -> str:
        """The text as it would be accepted now: exactly what was proposed, with what the user edited."""
        return self._pane.current_text()

    # -- life ---------------------------------------------------------------------------------------------------------

    def show_proposal(self, prepared: Optional[Preparation]) -> None:
        """Put the review's proposal, be it the first or a newer one, into its view, and begin to compare.

        Long texts follow a moment later. `prepared` is what was found out about the file, if that was done already.
        """
        self._runtime.assert_main_thread()
        self.freeze(False)
        self._filling.show_proposal(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self._runtime.assert_main_thread()
        self._filling.load()

    def complain(self, problem: str, look_again: bool) -> None:
        """Say in the header why the text could not be written; with `look_again` compare with the file as it is now."""
        if not self.retired:
            self._header.complain(problem)
            if look_again:
                self.load()

    def toggle_whitespace(self) -> None:
        """Mark the changes of whitespace that are hidden, or hide them, in this review."""
        self._whitespace.toggle()
        self._cycle.compare()

    def settings_changed(self) -> None:
        """Compare again if the settings hide other changes, and read the file again if they have other limits."""
        other_whitespace = self._whitespace.settings_changed()
        if self._filling.limits_changed:
            self.load()
        elif other_whitespace:
            self._cycle.compare()

    def freeze(self, frozen: bool) -> None:
        """Let nobody edit the proposal while it is being written, and never what can only be decided."""
        if file_views.is_open(self.proposal_view):
            self.proposal_view.set_read_only(frozen or self.review.decisions is not None)

    def retire(self) -> None:
        """Stop all work, and let the editor forget us."""
        if self.retired:
            return
        self._cycle.retire()
        self._filling.stop()
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

    # -- what happens -------------------------------------------------------------------------------------------------

    def edited(self) -> None:
        """The proposal was edited. Called for every keystroke."""
        self._cycle.edited()

    def caret_may_have_moved(self) -> None:
        """The proposal's selection has changed. Called for every keystroke."""
        self._cycle.caret_may_have_moved()

    def tick(self) -> bool:
        """Follow scrolling while the review is visible. True if something moved."""
        if self._cycle.takes_long:
            self._header.show_status("Comparing… (close the diff to stop)")
        return not self.retired and self._drawing.tick()

    def check_file(self) -> None:
        """Look whether the file has unsaved edits in a tab or has changed on disk, and say so in the header."""
        self.file.check()

    def check_disk(self) -> None:
        """Look whether the file has changed on disk, and say so in the header. The editor is asked nothing."""
        self.file.check_disk()

    def update_header(self) -> None:
        """Say in the header and in the status bar how things stand."""
        if not self.retired:
            self._header.update()

    def _redraw(self) -> None:
        self._cycle.redraw()

    def _link(self, href: str) -> None:
        """A link was clicked. It must not take away its view while the editor still handles the click."""
        self._runtime.on_main(self._follow, href)

    def _follow(self, href: str) -> None:
        """Do what a link says. One that the editor still shows but that was drawn for something else only redraws."""
        if self.retired:
            return
        plain, generation = unstamped(href)
        beside_a_change = parse_link(plain)[0] in (REVERT, UNDO)
        if generation == (self.hunks.generation if beside_a_change else self._header.generation):
            self._on_link(self.review, plain)
            return
        logger.info("a link of an older state was clicked: drawn again")
        self._drawing.show_again()
        self._cycle.link_again()
