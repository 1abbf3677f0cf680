"""Accepted texts that the companion writes itself, because their client has gone, asked for it, or takes no edits back.

Rules: everything runs on the main thread; files are written on a disk thread. While a file is being written, its review
can be neither decided nor changed. What the user accepted is written, or else shown again; it is never lost silently.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import TYPE_CHECKING, Callable, Optional

import sublime

from ..editor.status_bar import say
from .after_client import SaveAfterClient
from .decision import Outcome, Owner, Review, ReviewError
from .document.apply import Guard
from .document.disk import ChangedError, DiskError
from .document.preparation import FileRequest
from .document.writes import Writes
from .open_reviews import OpenReviews

if TYPE_CHECKING:
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.review")


class AcceptedTexts:
    """Those of one window. Main thread only, except where noted."""

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        open_reviews: OpenReviews,
        end: Callable[[Review, Optional[Outcome]], None],
    ) -> None:
        """`end` closes a review whose file has been written, and tells its client the outcome."""
        self._window = window
        self._runtime = runtime
        self._open = open_reviews
        self._end = end
        self._writes = Writes(runtime)

    def write(self, review: Review, text: str, done: Callable[[str], None], guard: Optional[Guard] = None) -> None:
        """Write the file of an open review, then end the review with `text`.

        `done` gets an empty string once the file is written, else a sentence for the user; the review is open then.
        `guard` may refuse the file.
        """
        presentation = self._open.presentations[review]
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
        presentation = self._open.presentations.get(review)
        if presentation is not None and not presentation.retired:
            presentation.freeze(False)
            presentation.complain(str(error), look_again=isinstance(error, ChangedError))
        elif self._window.is_valid():
            # The user has closed its tab meanwhile.
            self._open.presentations.pop(review, None)
            self._reopen(review.owner, review.path, text, orphaned=review.orphaned)
        done(str(error))

    def save_after_client(self, review: Review, request: FileRequest, text: str) -> None:
        """Save `text` over the proposal as soon as the client has written that. `request` names the file."""

        def done(problem: str) -> None:
            if problem:
                say(self._window, problem)
                self._reopen(review.owner, review.path, text, orphaned=True)
            else:
                name = os.path.basename(review.path)
                say(self._window, f"saved your edits of {name}; {review.owner.client_name} does not know of them")

        SaveAfterClient(self._runtime, request, review.proposal.exact, text, done).start()

    def write_or_reopen(self, owner: Owner, outcome: Outcome) -> None:
        """Write what the user accepted, because the client went before it read the answer.

        If the file is no longer what was reviewed, or cannot be written, the review is opened again.
        """
        if outcome.original is None:
            self._reopen_for_lost_client(owner, outcome)
            return
        # The key of the write; no view shows it.
        review = Review(owner, outcome.path, outcome.content or "")
        done = partial(self._written_for_lost_client, owner, outcome)
        self._writes.begin(review, outcome.original, outcome.content or "", done)

    def _written_for_lost_client(
        self, owner: Owner, outcome: Outcome, error: Optional[DiskError], closed: bool
    ) -> None:
        if error is None:
            name = os.path.basename(outcome.path)
            say(self._window, f"{owner.client_name} went away before it wrote {name}: written")
        elif closed:
            logger.error("an accepted text that its client did not read could not be written: %s", error)
        else:
            logger.info("an accepted text that its client did not read is shown again: %s", error)
            self._reopen_for_lost_client(owner, outcome)

    def _reopen_for_lost_client(self, owner: Owner, outcome: Outcome) -> None:
        if self._reopen(owner, outcome.path, outcome.content or "", orphaned=True):
            name = os.path.basename(outcome.path)
            say(self._window, f"{owner.client_name} went away before it wrote {name}: accept again to write it")

    def _reopen(self, owner: Owner, path: str, text: str, *, orphaned: bool) -> bool:
        """Show an accepted text as a review again. If that is `orphaned`, Accept writes it. False if it cannot be."""
        try:
            review = self._open.propose(owner, path, text)
        except ReviewError as error:
            logger.error("an accepted text could be neither written nor shown again: %s", error)
            return False
        if orphaned:
            self._open.orphan(review)
        return True

    def finish(self) -> None:
        """Wait for what is being written, `writes.WRITE_SECONDS` at most."""
        self._writes.finish()

    def wait(self) -> None:
        """The same when the editor's API may no longer be used; nobody is told. Any thread."""
        self._writes.wait()
