"""Keeps the header of a proposal, and the status bar, saying how things stand.

Rule: nothing is said before the file was read, and the status bar is only told what it does not show yet.
"""

from __future__ import annotations

import time
from typing import Callable

from ...editor import file_views
from ..decision import Review
from .comparison_cycle import Found
from .drawing import Drawing
from .file_watch import FileWatch
from .header import status_text
from .heading import Standing, age_text, columns_of, header_of, place_of
from .hunks import Hunks
from .panes import ProposalPane
from .whitespace import WhitespaceChoice

STATUS = "gemini_companion.review"


class HeaderUpdates:
    """The header of one review. Main thread only. `found` says what the last comparison came to."""

    def __init__(
        self,
        review: Review,
        pane: ProposalPane,
        file: FileWatch,
        drawing: Drawing,
        hunks: Hunks,
        whitespace: WhitespaceChoice,
        found: Callable[[], Found],
    ) -> None:
        self.generation = 0  # of the proposal: how many were put into the view
        self._review = review
        self._pane = pane
        self._view = pane.view
        self._file = file
        self._drawing = drawing
        self._hunks = hunks
        self._whitespace = whitespace
        self._found = found
        self._problem = ""  # why the text could not be written, once that happened
        self._place = ""  # of the file in the workspace
        self._status = ""  # as the status bar has it
        self._opened = time.monotonic()

    @property
    def summary(self) -> str:
        """How much the proposal changes, as far as that is known, and how long it has been waiting."""
        age = age_text(time.monotonic() - self._opened)
        analysis = self._found().analysis
        if analysis is None:
            return age
        if analysis.hidden_count and not analysis.changes:
            return f"only whitespace changes, {age}"
        return f"+{analysis.added:,} \u2212{analysis.removed:,}, {age}"

    def proposal_comes(self) -> None:
        """Another proposal takes the place of the one that is shown: its problems and its links are none any more."""
        self.generation += 1
        self._problem = ""

    def file_read(self) -> None:
        """The file was read: say where the workspace has it."""
        window = self._view.window() if file_views.is_open(self._view) else None
        self._place = place_of(self._review.path, window.folders() if window is not None else [])

    def complain(self, problem: str) -> None:
        """The text could not be written; `problem` is a sentence that says why."""
        self._problem = problem
        self.update()

    def update(self) -> None:
        """Say in the header and in the status bar how things stand."""
        if file_views.is_open(self._view):
            self.show()

    def show(self) -> None:
        """The same, for whoever knows that the view is open."""
        if self._file.original is None:
            return
        found = self._found()
        standing = Standing(
            review=self._review,
            original=self._file.original,
            file=self._file,
            analysis=found.analysis,
            current=self._hunks.current,
            problem=self._problem,
            too_large=found.too_large,
            emptied=self._pane.emptied and self._review.ticket is None,
            edits_stay=self._edits_stay,
            whitespace_shown=self._whitespace.shown_here,
            comparison_failed=found.failed,
        )
        sizes = self._drawing.sizes
        header = header_of(standing, columns_of(sizes.em_width, sizes.width))._replace(
            generation=self.generation, place=self._place
        )
        self._drawing.show_header(header)
        self.show_status(status_text(header))

    def show_status(self, text: str) -> None:
        """Say something in the status bar, until the header has something to say."""
        if text != self._status:
            self._status = text
            self._view.set_status(STATUS, text)

    @property
    def _edits_stay(self) -> bool:
        """Whether the user has edited what the client will write as it proposed it."""
        ticket = self._review.ticket
        return ticket is not None and not ticket.edits_return and ticket.waiting and self._pane.differs
