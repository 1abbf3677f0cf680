"""What becomes of a review once it is decided: who is told, who writes the file, and what is closed.

Rules: everything runs on the main thread. A review is decided once. The file is written here only for a client that has
gone, because one that is connected writes it itself, or for one that asks for it; while it is being written the review
stays as it is. What the user accepted is written, delivered, or shown again.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import TYPE_CHECKING, Callable, List, Optional, Union

import sublime

from .after_client import SaveAfterClient
from .decision import ACCEPTED, Outcome, Owner, Review, ReviewError, State, Ticket
from .display.file_watch import file_request
from .display.poller import Poller
from .document.apply import Guard
from .document.disk import ChangedError, DiskError
from .document.preparation import FileRequest, Preparation
from .document.text import ProposedText
from .document.writes import Writes
from .open_reviews import OpenReviews
from .window.arrangement import Arrangement

if TYPE_CHECKING:
    from ..runtime import Runtime
    from ..settings import Settings

logger = logging.getLogger("gemini_companion.review")


class ReviewDecisions(OpenReviews):
    """Main thread only. What opens a review stands in the class that is made of this one."""

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        settings: Callable[[], Settings],
        notify: Callable[[Review, Outcome], None],
        is_connected: Callable[[Owner], bool],
        on_count: Callable[[], None],
    ) -> None:
        super().__init__(window, runtime)
        self._on_count = on_count
        self._settings = settings
        self._notify = notify
        self._is_connected = is_connected
        self._writes = Writes(runtime)
        self._arrangement = Arrangement(window, runtime, settings)
        self._poller = Poller(runtime, lambda: list(self._presentations.values()))

    def open_diff(
        self,
        owner: Owner,
        path: str,
        proposed: Union[str, ProposedText],
        prepared: Optional[Preparation] = None,
        ticket: Optional[Ticket] = None,
    ) -> None:
        """Show a proposal. Raises `ReviewError` with a sentence for the client."""
        raise NotImplementedError

    def owner_gone(self, owner_id: str) -> None:
        """The session with this id has ended: its reviews stay, and from now on Accept writes the file."""
        raise NotImplementedError

    def file_request(self, path: str) -> FileRequest:
        """A snapshot of what the main thread knows of a file that is to be reviewed."""
        self._runtime.assert_main_thread()
        view = self._window.active_view() if self._window.is_valid() else None
        return file_request(
            path, self._settings(), view.settings().get("fallback_encoding") if view is not None else None
        )

    def accept(self, review: Review) -> None:
        """Accept the text as it stands in the view. If nobody else will write it, it is written first."""
        self._runtime.assert_main_thread()
        presentation = self._presentations.get(review)
        if presentation is None or not review.pending:
            return
        text = presentation.current_text()
        ticket = review.ticket
        if self._is_ours_to_write(review):
            self._write(review, text, partial(self._say_written, review))
        elif ticket is not None and not ticket.edits_return and text != review.proposal.exact:
            self._accept_then_save(review, text)
        else:
            self._end(review, review.accept(text))

    def accept_as_proposed(self, review: Review) -> None:
        """Accept what the client proposed; what the user changed of it is given up."""
        self._runtime.assert_main_thread()
        if review not in self._presentations or not review.pending:
            return
        if self._is_ours_to_write(review):
            self._write(review, review.proposal.exact, partial(self._say_written, review))
        else:
            self._end(review, review.accept(review.proposal.exact))

    def accept_only_hunk(self, review: Review) -> None:
        """Accept the selected changes and take back all others."""
        presentation = self._presentations.get(review)
        if presentation is None or not review.pending:
            return
        hunks = presentation.hunks

        def accept_only(places: List[sublime.Region]) -> bool:
            kept = hunks.keep_only(places)
            if kept:
                self._runtime.on_main(self.accept, review)
            return kept

        self._on_hunks(hunks, -1, accept_only)

    def reject(self, review: Review) -> None:
        """Reject the proposal."""
        self._runtime.assert_main_thread()
        if review.state is State.WRITING:
            self._say(f"{os.path.basename(review.path)} is being written")
        else:
            self._end(review, review.reject())

    def write_or_reopen(self, owner: Owner, outcome: Outcome) -> None:
        """Write what the user accepted, because the client went before it read the answer.

        If the file is no longer what was reviewed, or cannot be written, the review is opened again.
        """
        text = outcome.content or ""
        if outcome.original is None:
            self.reopen(owner, outcome.path, text)
            return
        review = Review(owner, outcome.path, text)  # shown only if it cannot be written
        self._writes.begin(review, outcome.original, text, partial(self._written_unasked, review, text))

    def reopen(self, owner: Owner, path: str, text: str) -> None:
        """Bring back what the user accepted, because the client went before it heard of it. Now Accept writes it."""
        try:
            self.open_diff(owner, path, text)
        except ReviewError as error:
            logger.error("an accepted text could be neither delivered nor shown again: %s", error)
            return
        self.owner_gone(owner.session_id)
        sentence = "{} went away before it wrote {}: accept again to write it"
        self._say(sentence.format(owner.client_name, os.path.basename(path)))

    def _is_ours_to_write(self, review: Review) -> bool:
        """Whether nobody else will write what is accepted."""
        if review.orphaned or not self._is_connected(review.owner):
            return True
        return review.ticket is not None and not review.ticket.waiting

    def _accept_then_save(self, review: Review, text: str) -> None:
        """Accept for a client that writes its own proposal, and put the user's text in its place afterwards."""
        proposed = review.proposal.exact
        request = self.file_request(review.path)
        self._end(review, review.accept(proposed))

        def done(problem: str) -> None:
            name = os.path.basename(review.path)
            if not problem:
                self._say(f"saved your edits of {name}; {review.owner.client_name} does not know of them")
                return
            self._say(problem)
            self._open_orphan(review.owner, review.path, text)

        SaveAfterClient(self._runtime, request, proposed, text, done).start()

    def _say_written(self, review: Review, problem: str) -> None:
        self._say(problem or f"wrote {os.path.basename(review.path)}")

    def _write(self, review: Review, text: str, done: Callable[[str], None], guard: Optional[Guard] = None) -> None:
        """Write the file ourselves. `done` gets a sentence for the user if that failed; the review is open then."""
        presentation = self._presentations[review]
        if presentation.original is None:
            done("The file is still being read, try again.")
            return
        if not review.begin_writing():
            return
        presentation.freeze(True)
        self._writes.begin(review, presentation.original, text, partial(self._written, review, text, done), guard)

    def _written(
        self, review: Review, text: str, done: Callable[[str], None], error: Optional[DiskError], closed: bool
    ) -> None:
        if closed:
            done(str(error or ""))
            return
        if error is None:
            self._end(review, review.accept(text))
            done("")
            return
        review.writing_failed()
        presentation = self._presentations.get(review)
        if presentation is not None and not presentation.retired:
            presentation.freeze(False)
            presentation.complain(str(error), look_again=isinstance(error, ChangedError))
        elif self._window.is_valid():
            # Its tab was closed meanwhile: what was accepted is not lost with it.
            self._presentations.pop(review, None)
            self.open_diff(review.owner, review.path, text)
            if review.orphaned:
                self.owner_gone(review.owner.session_id)
        done(str(error))

    def _written_unasked(self, review: Review, text: str, error: Optional[DiskError], closed: bool) -> None:
        if closed and error is not None:
            logger.error("an accepted text that its client did not read could not be written: %s", error)
        elif error is None:
            self._say(f"{review.owner.client_name} went away before it wrote {os.path.basename(review.path)}: written")
        else:
            logger.info("an accepted text that its client did not read is shown again: %s", error)
            self.reopen(review.owner, review.path, text)

    def _open_orphan(self, owner: Owner, path: str, text: str) -> None:
        """Show a text that nobody but us will write, whatever else its client has open."""
        try:
            self.open_diff(owner, path, text)
        except ReviewError as error:
            logger.error("an edited text could be neither saved nor shown again: %s", error)
            return
        review = self._find(owner, path)
        if review is not None and review.orphan():
            self._presentations[review].update_header()

    def _tell(self, review: Review, outcome: Optional[Outcome]) -> None:
        if outcome is not None and not review.orphaned:
            if outcome.kind == ACCEPTED and review in self._presentations:
                outcome = outcome._replace(original=self._presentations[review].original)
            self._notify(review, outcome)

    def _end(self, review: Review, outcome: Optional[Outcome], tell: bool = True) -> None:
        """Close a review that has been decided. The client hears of `outcome`, if there is one."""
        if tell:
            self._tell(review, outcome)
        if review not in self._presentations or review.pending:
            return  # that of a review whose tab is closed while it is being written goes as well
        presentation = self._presentations.pop(review)
        closed = presentation.views
        if not self._presentations:
            self._buffers.clear()
        self._arrangement.note_closing(closed)
        presentation.close()
        if self._presentations:
            left = list(self._presentations.values())[-1]
            self._arrangement.go_on(left.views, left.proposal_view)
            self._poller.start()
        else:
            self._arrangement.restore(closed, lambda: bool(self._presentations))
        self._runtime.on_main(self._on_count)
