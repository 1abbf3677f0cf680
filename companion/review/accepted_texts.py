"""Accepted texts that the companion writes itself, because their client has gone, asked for it, or takes no edits back.

Rules: everything runs on the main thread; files are written on a disk thread. While a file is being written, its review
can be neither decided nor changed. What the user accepted is written, or else shown again; it is never lost silently.
What is neither when the window, the package or the editor ends is kept on the disk, and shown again later.
"""

from __future__ import annotations

import logging
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, List, Optional
from weakref import WeakSet

import sublime

from ..editor.status_bar import say
from .after_client import ClientState, SaveAfterClient
from .decision import Outcome, Owner, Review, ReviewError
from .document.apply import Guard
from .document.disk import ChangedError, DiskError
from .document.kept_texts import KeptText
from .document.preparation import FileRequest
from .document.writes import WRITE_SECONDS, Writes
from .keeping import Keeping
from .open_reviews import OpenReviews

if TYPE_CHECKING:
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.review")

AGAIN = "accept again to write it"
WRITTEN = "the companion has written it"


class AcceptedTexts:
    """The accepted texts of one window. Main thread only, except where noted."""

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
        self._keeping = Keeping(window, runtime, self._show_left_over)
        self._saves: Dict[SaveAfterClient, Owner] = {}
        self._under_way: Dict[Review, str] = {}  # what the user accepted and is being written
        self._kept: Dict[object, KeptText] = {}  # by the save, or the review, whose text it is
        self._shown_again: WeakSet[Review] = WeakSet()  # what they hold was accepted before
        self._ending = False

    def write(self, review: Review, text: str, done: Callable[[str], None], guard: Optional[Guard] = None) -> None:
        """Write the file of an open review, then end the review with `text`.

        `done` gets an empty string once the file is written, else a sentence for the user; the review is open then.
        `guard` may refuse the file; it stands for a client that has asked for this.
        """
        presentation = self._open.presentations[review]
        if presentation.original is None:
            done("The file is still being read, try again.")
            return
        if not review.begin_writing():
            return
        presentation.freeze(True)
        by_user = guard is None
        if by_user:
            self._under_way[review] = text
        written = partial(self._written, review, text, by_user, done)
        self._writes.begin(review, presentation.original, text, written, guard)

    def _written(
        self,
        review: Review,
        text: str,
        by_user: bool,
        done: Callable[[str], None],
        error: Optional[DiskError],
        closed: bool,
    ) -> None:
        self._under_way.pop(review, None)
        if closed:
            self._written_too_late(review, error)
            done(str(error or ""))
            return
        if error is None:
            self._end(review, review.accept(text))
            done("")
            return
        review.writing_failed()
        if by_user and self._ending:
            self._shown_again.add(review)
        presentation = self._open.presentations.get(review)
        if presentation is not None and not presentation.retired:
            presentation.freeze(False)
            presentation.complain(str(error), look_again=isinstance(error, ChangedError))
        else:
            # The user has closed its tab meanwhile.
            self._open.presentations.pop(review, None)
            self._reopen(
                review.owner,
                review.path,
                text,
                orphaned=review.orphaned or by_user,
                accepted_before=by_user and not review.orphaned,
            )
        done(str(error))

    def save_after_client(self, review: Review, request: FileRequest, text: str) -> None:
        """Accept the proposal, and save `text` over it as soon as the client has written it. `request` is the file."""
        original = self._open.presentations[review].original
        outcome = review.accept(review.proposal.exact)
        if outcome is None:
            return
        self._end(review, outcome._replace(saved_over=True))
        save = SaveAfterClient(
            self._runtime,
            request,
            review.proposal.exact,
            text,
            lambda problem: self._saved(save, review, text, problem),
            original,
        )
        self._saves[save] = review.owner
        self._kept[save] = self._keep(review, text)
        save.start()

    def _saved(self, save: SaveAfterClient, review: Review, text: str, problem: str) -> None:
        del self._saves[save]
        name, client = os.path.basename(review.path), review.owner.client_name
        gone = save.client is ClientState.GONE
        if not problem:
            saved = f"saved your edits of {name}; {client} does not know of them"
            say(self._window, _went_away(client, review.path, WRITTEN) if gone else saved)
        elif self._reopen(review.owner, review.path, text, orphaned=True, accepted_before=not gone):
            say(self._window, _went_away(client, review.path, AGAIN) if gone else problem)
        self._keeping.drop(self._kept.pop(save))

    def owner_gone(self, owner_id: str) -> None:
        """The session with this id has ended: what its client has not written in a moment it will not write."""
        for save, owner in self._saves.items():
            if owner.session_id == owner_id:
                save.client_gone()

    def write_or_reopen(self, owner: Owner, outcome: Outcome) -> None:
        """Write what the user accepted, because the client went before it read the answer.

        If the file is no longer what was reviewed, or cannot be written, the review is opened again.
        """
        if outcome.original is None:
            self._reopen_for_lost_client(owner, outcome)
            return
        # The key of the write; no view shows it.
        review = Review(owner, outcome.path, outcome.content or "")
        self._under_way[review] = outcome.content or ""
        done = partial(self._written_for_lost_client, review, outcome)
        self._writes.begin(review, outcome.original, outcome.content or "", done)

    def _written_for_lost_client(
        self, review: Review, outcome: Outcome, error: Optional[DiskError], closed: bool
    ) -> None:
        self._under_way.pop(review, None)
        if closed:
            self._written_too_late(review, error)
        elif error is None:
            say(self._window, _went_away(review.owner.client_name, outcome.path, WRITTEN))
        else:
            logger.info("an accepted text that its client did not read is shown again: %s", error)
            self._reopen_for_lost_client(review.owner, outcome)

    def _reopen_for_lost_client(self, owner: Owner, outcome: Outcome) -> None:
        if self._reopen(owner, outcome.path, outcome.content or "", orphaned=True):
            say(self._window, _went_away(owner.client_name, outcome.path, AGAIN))

    def _reopen(self, owner: Owner, path: str, text: str, *, orphaned: bool, accepted_before: bool = False) -> bool:
        """Show an accepted text as a review again. If that is `orphaned`, Accept writes it.

        False if it cannot be shown, because the window has been closed: then it is kept, and shown elsewhere.
        """
        try:
            review = self._open.propose(owner, path, text)
        except ReviewError as error:
            logger.error("an accepted text could be neither written nor shown again here: %s", error)
            if orphaned:
                self._keeping.leave(self._keeping.keep(path, owner.client_name, text))
            return False
        if orphaned:
            self._shown_again.add(review)
            review.accepted_before = accepted_before
            self._open.orphan(review)
        return True

    # -- the end ------------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Wait for what is being written, `writes.WRITE_SECONDS` at most, and keep what is not."""
        end = time.monotonic() + WRITE_SECONDS
        self._ending = True
        self._writes.finish()
        for save in list(self._saves):
            if not save.finish(max(0.0, end - time.monotonic())):
                logger.error("edits could not be saved before their window closed: they are kept")
                del self._saves[save]
                self._keeping.leave(self._kept.pop(save))
        for review, text in self._under_way.items():
            self._kept[review] = self._keep(review, text)
        for review in self._to_be_kept():
            text = self._open.presentations[review].current_text()
            self._keeping.leave(self._keep(review, text))
        self._keeping.wait()
        self._ending = False  # a window may go on, with another project

    def wait(self) -> None:
        """The same when the editor's API may no longer be used; nobody is told. Any thread."""
        end = time.monotonic() + WRITE_SECONDS
        for review, text in list(self._under_way.items()):
            self._keep(review, text)
        for review in self._to_be_kept():
            self._keep(review, review.proposal.exact)
        saves = list(self._saves)
        for save in saves:
            save.go_on_alone(end)
        self._writes.wait()
        for save in saves:
            save.wait(max(0.0, end - time.monotonic()))
        self._keeping.wait()

    def _keep(self, review: Review, text: str) -> KeptText:
        return self._keeping.keep(review.path, review.owner.client_name, text)

    def _to_be_kept(self) -> List[Review]:
        return [review for review in self._open.pending() if review in self._shown_again]

    def _written_too_late(self, review: Review, error: Optional[DiskError]) -> None:
        """A text was kept when its window closed, and now its writing has ended."""
        kept = self._kept.pop(review, None)
        if kept is None:
            return
        if error is None:
            self._keeping.drop(kept)
        else:
            self._keeping.leave(kept)

    def recover(self) -> None:
        """Show again what was kept and belongs to this window."""
        self._keeping.recover()

    def _show_left_over(self, kept: KeptText) -> None:
        owner = Owner(kept.name, kept.text.client)  # nobody is connected as that
        self._reopen(owner, kept.text.path, kept.text.content, orphaned=True, accepted_before=True)
        name = os.path.basename(kept.text.path)
        say(self._window, f"your accepted text for {name} is not saved yet: {AGAIN}")


def _went_away(client: str, path: str, what: str) -> str:
    return f"{client} went away before it wrote {os.path.basename(path)}: {what}"
