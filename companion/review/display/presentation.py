"""One review on the screen: its views, its header, and what the user and the window do with them.

Theory of operation: the views are made at once. Their texts, comparisons and marks are the matter of the `Cycle`; here
it is told what happens, and the header is made of how things stand.

Rules: once a review is retired, nothing in its views is touched but to close them. The header says nothing before the
file was read, and the status bar is only told what it does not show yet.
"""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING, Callable, List, Optional

import sublime

from ...editor import file_views
from ..decision import Review
from ..document.analysis import NOTHING
from ..document.disk import Kind, Original
from ..window import views
from .cycle import Cycle
from .header import Header, age_text, columns_of, contents_notice, counts_text, place_of, status_text
from .markup import REVERT, UNDO, parse_link, unstamped

if TYPE_CHECKING:
    from ...runtime import Runtime
    from ...settings import Settings
    from ..document.preparation import Preparation

logger = logging.getLogger("gemini_companion.review")

STATUS = "gemini_companion.review"


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
        self.cycle = Cycle(
            review,
            original_view,
            proposal_view,
            runtime=runtime,
            settings=settings,
            on_link=self._link,
            show_header=self._show_header,
            update_header=self.update_header,
        )
        self.hunks = self.cycle.hunks
        self.file = self.cycle.file
        self._drawing = self.cycle.drawing
        self._generation = 0  # of the proposal: how many were put into the view
        self._problem = ""  # why the text could not be written, once that happened
        window = proposal_view.window()
        self._place = place_of(review.path, window.folders() if window is not None else [])
        self._status = ""  # as the status bar has it
        self._opened = time.monotonic()

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
        return self.cycle.retired

    @property
    def settled(self) -> bool:
        """Whether what is drawn is the comparison of the text that the view holds now."""
        return self.cycle.settled

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
        return self.cycle.proposal.current_text()

    # -- life ---------------------------------------------------------------------------------------------------------

    def show_proposal(self, prepared: Optional[Preparation]) -> None:
        """Put the review's proposal, be it the first or a newer one, into its view, and begin to compare.

        Long texts follow a moment later. `prepared` is what was found out about the file, if that was done already.
        """
        self._runtime.assert_main_thread()
        self.freeze(False)
        self._generation += 1
        self._problem = ""
        self.cycle.show_proposal(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self._runtime.assert_main_thread()
        self._problem = ""
        self.cycle.load()

    def complain(self, problem: str, look_again: bool) -> None:
        """Say in the header why the text could not be written; with `look_again` compare with the file as it is now."""
        if not self.retired:
            if look_again:
                self.load()
            self._problem = problem
            self.update_header()

    def toggle_whitespace(self) -> None:
        """Mark the changes of whitespace that are hidden, or hide them, in this review."""
        self.cycle.whitespace.toggle()
        self.cycle.compare()

    def settings_changed(self) -> None:
        """Compare again if the settings hide other changes, and read the file again if they have other limits."""
        other_whitespace = self.cycle.whitespace.settings_changed()
        if self.cycle.limits_changed:
            self.load()
        elif other_whitespace:
            self.cycle.compare()

    def freeze(self, frozen: bool) -> None:
        """Let nobody edit the proposal while it is being written, and never what can only be decided."""
        if file_views.is_open(self.proposal_view):
            self.proposal_view.set_read_only(frozen or not self.review.pending or not self.review.source.editable)

    def retire(self) -> None:
        """Stop all work, and let the editor forget us."""
        if not self.retired:
            self.cycle.retire()

    def close(self) -> None:
        """Retire and close the views."""
        self.retire()
        if any(view.file_name() is not None for view in self.views):  # it is the user's now, and is not closed
            self._drawing.clear()
            self.hunks.clear()
        for view in self.views:
            view.erase_status(STATUS)
            views.close(view)

    def tick(self) -> bool:
        """Follow scrolling while the review is visible. True if something moved."""
        if self.cycle.takes_long:
            self._show_status("Comparing… (close the diff to stop)")
        return not self.retired and self._drawing.tick()

    # -- the header ---------------------------------------------------------------------------------------------------

    @property
    def summary(self) -> str:
        """How much it changes, as far as that is known, and how long it has been waiting."""
        age = age_text(time.monotonic() - self._opened)
        analysis = self.cycle.analysis
        if analysis is None:
            return age
        if analysis.hidden_count and not analysis.changes:
            return f"only whitespace changes, {age}"
        return f"{counts_text(analysis.added, analysis.removed)}, {age}"

    def update_header(self) -> None:
        """Say in the header and in the status bar how things stand."""
        if not self.retired and file_views.is_open(self.proposal_view):
            self._show_header()
            if not self._drawing.header_level:
                self.cycle.redraw()

    def _show_header(self) -> None:
        original = self.original
        if original is not None:
            header = self._header(original)
            self._drawing.show_header(header)
            self._show_status(status_text(header))

    def _header(self, original: Original) -> Header:
        review, cycle, analysis = self.review, self.cycle, self.cycle.analysis
        sizes, found = self._drawing.sizes, analysis or NOTHING
        ticket = review.ticket
        edits_stay = ticket is not None and not ticket.edits_return and ticket.waiting and cycle.proposal.differs
        return Header(
            name=os.path.basename(review.path),
            client=review.owner.client_name,
            columns=columns_of(sizes.em_width, sizes.width),
            place=self._place,
            generation=self._generation,
            accept=review.words.accept,
            reject=review.words.reject,
            notes=review.notes,
            new_file=original.kind is Kind.NEW,
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
            whitespace_shown=cycle.whitespace.shown_here and analysis is not None and not found.coarse,
            coarse=found.coarse,
            too_large=cycle.too_large,
            comparison_failed=cycle.failed,
            problem=self._problem,
            writer=review.writer,
            emptied=cycle.proposal.emptied and ticket is None,
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
        beside_a_change = parse_link(plain)[0] in (REVERT, UNDO)
        if generation == (self.hunks.generation if beside_a_change else self._generation):
            self._on_link(self.review, plain)
            return
        logger.info("a link of an older state was clicked: drawn again")
        self.cycle.link_again()


# JOINED poller
# The clock of the visible reviews: scrolling, and a look at the file now and then.
#
# Rule: it ticks only while a review is visible, fast while something moves and slower the longer nothing does. Whoever
# makes a review visible starts it. A tick asks the editor for the position and the size of each view and nothing else:
# whether the reviews are still visible is asked once a second, and the caret reports itself.

_FAST, _CALM, _SLOW = 16, 100, 150  # milliseconds between two ticks
_CALM_AFTER, _SLOW_AFTER = 1.0, 20.0  # seconds without a movement
_LOOK_EVERY = 1.0  # seconds between two looks at what is visible, and at the files on disk
_LOOKS_PER_FILE_CHECK = 10  # tabs with unsaved edits report themselves, but for those that open with them


class Poller:
    """Main thread only."""

    def __init__(self, runtime: Runtime, presentations: Callable[[], List[Presentation]]) -> None:
        self._runtime = runtime
        self._presentations = presentations
        self._visible: List[Presentation] = []
        self._round = 0
        self._ticking = False
        self._moved = 0.0
        self._look_at = 0.0  # when to look again, on the monotonic clock
        self._looks = 0

    def start(self) -> None:
        """Tick as long as a review is visible. Which ones are is found out with the next tick."""
        self._moved = time.monotonic()
        self._visible = []
        self._look_at = 0.0
        if not self._ticking:
            self._ticking = True
            self._round += 1
            self._runtime.later_on_main(_FAST, self._tick, self._round)

    def stop(self) -> None:
        """Tick no more."""
        self._ticking = False
        self._visible = []
        self._round += 1

    def _tick(self, number: int) -> None:
        if number != self._round:
            return
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + _LOOK_EVERY
            self._look()
        if not self._visible:
            self._ticking = False
            return
        for presentation in self._visible:
            if presentation.tick():
                self._moved = now
        still = now - self._moved
        pause = _FAST if still < _CALM_AFTER else _CALM if still < _SLOW_AFTER else _SLOW
        self._runtime.later_on_main(pause, self._tick, number)

    def _look(self) -> None:
        self._visible = [presentation for presentation in self._presentations() if presentation.visible]
        self._looks += 1
        for presentation in self._visible:
            if self._looks % _LOOKS_PER_FILE_CHECK == 0:
                presentation.file.check()
            else:
                presentation.file.check_disk()
