"""The review manager: one window's reviews, from a client's request to the user's decision.

Theory of operation: a review (the decision) and its presentation (the views) are opened and ended together. Whoever
ends a review asks the decision first; only if it says yes is the client told and are the views closed. After the last
one the window is given back.

Rules: everything runs on the main thread, and nothing in here looks at the disk. The file is written only for a client
that has gone, because one that is connected writes it itself, or for one that asks for it. While it is being written
the review stays as it is; a window that closes waits for that. What the user owns is given back as it was.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict, List, Optional, Tuple, Union
from weakref import WeakSet

import sublime

from ..editor import view_roles
from ..editor.edits import COMMAND
from .after_client import SaveAfterClient
from .controls import SAVE, follow_link
from .decision import ACCEPTED, Outcome, Owner, Review, ReviewError, State, Ticket
from .display.file_watch import file_request
from .display.poller import Poller
from .display.presentation import Presentation
from .document.apply import Guard
from .document.disk import ChangedError, DiskError
from .document.preparation import FileRequest, Preparation
from .document.text import ProposedText
from .document.writes import Writes
from .open_reviews import OpenReviews
from .window import views
from .window.arrangement import Arrangement
from .window.split import close_abandoned, put_layout_back

if TYPE_CHECKING:
    from ..runtime import Runtime
    from ..settings import Settings

logger = logging.getLogger("gemini_companion.review")


class ReviewManager(OpenReviews):
    """One window's reviews. Main thread only.

    `notify` is told of every outcome, once each, as long as the client that asked was not known to be gone.
    `is_connected` says whether the client of a review is still there.
    """

    _managers: ClassVar[WeakSet[ReviewManager]] = WeakSet()

    def __init__(
        self,
        window: sublime.Window,
        *,
        runtime: Runtime,
        settings: Callable[[], Settings],
        notify: Callable[[Review, Outcome], None],
        is_connected: Callable[[Owner], bool],
    ) -> None:
        super().__init__(window, runtime)
        self._settings = settings
        self._notify = notify
        self._is_connected = is_connected
        self._writes = Writes(runtime)
        self._managers.add(self)
        self._arrangement = Arrangement(window, runtime, settings)
        self._poller = Poller(runtime, lambda: list(self._presentations.values()))

    # -- what clients ask for -----------------------------------------------------------------------------------------

    def file_request(self, path: str) -> FileRequest:
        """A snapshot of what the main thread knows of a file that is to be reviewed."""
        self._runtime.assert_main_thread()
        view = self._window.active_view() if self._window.is_valid() else None
        return file_request(
            path, self._settings(), view.settings().get("fallback_encoding") if view is not None else None
        )

    def open_diff(
        self,
        owner: Owner,
        path: str,
        proposed: Union[str, ProposedText],
        prepared: Optional[Preparation] = None,
        ticket: Optional[Ticket] = None,
    ) -> None:
        """Show what `owner` proposes for `path`. A newer proposal for the same file takes the place of the older one.

        With a `ticket` the review is known by its name, not by the file, and its decision answers the ticket; nothing
        is shown if that has been settled meanwhile. `prepared` is what has just been found out about the file; without
        it that is done now, and shown a moment later. Raises `ReviewError` with a sentence for the client; the window
        is unchanged then.
        """
        self._runtime.assert_main_thread()
        if not os.path.isabs(path):
            raise ReviewError("filePath must be an absolute path, but a relative one came.")
        if not self._window.is_valid():
            raise ReviewError("The editor window has been closed.")
        if ticket is not None:
            if not ticket.waiting:
                return
            self.withdraw(owner.session_id, ticket.name)
        review = self._find(owner, path) if ticket is None else None
        if review is not None:
            review.replace(proposed)
            self._presentations[review].replaced(prepared)
            self._show(review, None)
            return
        review = Review(owner, path, proposed, ticket)
        if prepared is not None:
            review.same_files = prepared.same_files
        ours = [view for shown in self._presentations.values() for view in shown.views]
        presentation = Presentation(
            review,
            *self._arrangement.make_views(review, ours),
            runtime=self._runtime,
            settings=self._settings,
            on_link=self._follow_link,
        )
        self._presentations[review] = presentation
        presentation.open(prepared)
        self._poller.start()

    def close_diff(self, owner: Owner, path: str, *, suppress_notification: bool) -> Optional[str]:
        """Take a proposal back and return its text, the user's edits included; None if there is no such review."""
        self._runtime.assert_main_thread()
        review = self._find(owner, path)
        if review is None:
            return None
        text = self._presentations[review].current_text()
        self._end(review, review.close(), tell=not suppress_notification)
        return text

    def withdraw(self, session: str, name: str) -> bool:
        """Close this client's review of that name without a word to it. False if there is none."""
        return bool(self._withdraw(session, lambda ticket: ticket.name == name))

    def withdraw_all(self, session: str) -> int:
        """Close all reviews that calls of this client wait for, without a word to it; returns how many."""
        return self._withdraw(session, lambda ticket: True)

    def take_back(self, ticket: Ticket) -> None:
        """Close the review of this ticket, if there is one, without a word to its client."""
        for review in self.pending():
            if review.ticket is ticket:
                self._end(review, review.close(), tell=False)

    def _withdraw(self, session: str, fits: Callable[[Ticket], bool]) -> int:
        self._runtime.assert_main_thread()
        found = [
            review
            for review in self.pending()
            if review.owner.session_id == session and review.ticket is not None and fits(review.ticket)
        ]
        for review in found:
            outcome = review.close()
            if review.ticket is not None:
                review.ticket.settle(None)
            self._end(review, outcome, tell=False)
        return len(found)

    def path_of(self, owner: Owner, path: str) -> str:
        """The path that accepting this client's diff would write. Raises `ReviewError` with a sentence for the client.

        It may be spelled in another way than `path`, and so lead elsewhere through links.
        """
        return self._required(owner, path).path

    def accept_by_client(
        self,
        owner: Owner,
        path: str,
        done: Callable[[str], None] = lambda problem: None,
        guard: Optional[Guard] = None,
    ) -> None:
        """Accept for the client, write the file and tell it. Raises `ReviewError` with a sentence for the client.

        `done` is called on the main thread with what went wrong, or an empty text once the file is written. `guard`
        says where the client may write.
        """
        self._runtime.assert_main_thread()
        review = self._required(owner, path)
        self._write(review, self._presentations[review].current_text(), done, guard)

    def reject_by_client(self, owner: Owner, path: str) -> None:
        """Reject for the client and tell it. Raises `ReviewError` with a sentence for the client."""
        self._runtime.assert_main_thread()
        review = self._required(owner, path)
        self._end(review, review.reject())

    def owner_gone(self, owner_id: str) -> None:
        """The session with this id has ended: its reviews stay, and from now on Accept writes the file."""
        self._runtime.assert_main_thread()
        for review, presentation in self._presentations.items():
            if review.owner.session_id == owner_id and review.orphan():
                if review.ticket is not None:
                    review.ticket.settle(None)
                presentation.update_header()

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

    def _written_unasked(self, review: Review, text: str, error: Optional[DiskError], closed: bool) -> None:
        if closed and error is not None:
            logger.error("an accepted text that its client did not read could not be written: %s", error)
        elif error is None:
            self._say(f"{review.owner.client_name} went away before it wrote {os.path.basename(review.path)}: written")
        else:
            logger.info("an accepted text that its client did not read is shown again: %s", error)
            self.reopen(review.owner, review.path, text)

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

    # -- what the user decides ----------------------------------------------------------------------------------------

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

    def reject(self, review: Review) -> None:
        """Reject the proposal."""
        self._runtime.assert_main_thread()
        if review.state is State.WRITING:
            self._say(f"{os.path.basename(review.path)} is being written")
        else:
            self._end(review, review.reject())

    def show(self, review: Review) -> None:
        """Bring a review to the front and give it the focus."""
        self._show(review, True)

    def preview(self, review: Review) -> None:
        """Bring a review to the front and leave the focus where it is."""
        self._show(review, False)

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

    # -- what happens in the editor -----------------------------------------------------------------------------------

    def on_activated(self, view: sublime.View) -> None:
        """A tab or a panel of the window was activated."""
        self._runtime.assert_main_thread()
        self._arrangement.note_activated(view)
        if self._arrangement.busy:
            return
        if self._is_abandoned(view):
            self._runtime.on_main(self.recover)
        if not self._presentations:
            return
        review = self.review_of(view)
        if review is not None:
            self._poller.start()
            if self._window.active_view() == view:
                self._arrangement.pair_up(self._presentations[review].views, view)

    def on_pre_close(self, view: sublime.View) -> None:
        """A view is about to be closed. Closing either view of a review rejects the proposal."""
        self._runtime.assert_main_thread()
        review = self.review_of(view)
        self._buffers.pop(view.id(), None)
        if review is None or view not in self._presentations[review].views:
            return
        self._tell(review, review.reject())
        for clone in view.clones():
            self._runtime.on_main(views.close, clone)
        # The view that is closing is still there; the rest waits until it is gone.
        self._arrangement.note_closing(self._presentations[review].views)
        self._presentations[review].retire()
        self._runtime.on_main(self._end, review, None)

    def on_text_command(
        self, view: sublime.View, name: str, arguments: Optional[Dict[str, Any]]
    ) -> Optional[Tuple[str, Dict[str, Any]]]:
        """Saving a proposal accepts it; saving the original's view means nothing. None lets the command pass."""
        if name != SAVE or view.file_name() is not None or view_roles.role_of(view) is None:
            return None
        review = self.review_of(view)
        if review is None:
            elsewhere = self._manager_of(view)
            return elsewhere.on_text_command(view, name, arguments) if elsewhere is not None else None
        if view_roles.role_of(view) == view_roles.PROPOSAL:
            self._runtime.on_main(self.accept, review)
        return COMMAND, {}  # which without edits does nothing

    def on_window_command(self, name: str, arguments: Optional[Dict[str, Any]]) -> Optional[Tuple[str, Dict[str, Any]]]:
        """The same for a window's command."""
        view = self._window.active_view() if name == SAVE else None
        return self.on_text_command(view, name, arguments) if view is not None else None

    # -- life ---------------------------------------------------------------------------------------------------------

    def recover(self) -> None:
        """Close what was left of reviews that nobody can decide any more, and give the window back.

        A restart of the editor brings such views back, and so does a workspace that was stored with them.
        """
        if not self._window.is_valid():
            return
        found = close_abandoned(self._window, self._is_abandoned)
        if not self._presentations:
            found = put_layout_back(self._window) or found
        if found:
            logger.info("closed what was left of earlier reviews")

    def leave_project(self) -> None:
        """Another project, or none, is about to take the window: end all reviews while this one still has it."""
        if self._presentations:
            logger.info("the window changes its project: %d reviews end", len(self.pending()))
            self.shutdown()

    def shutdown(self) -> None:
        """Reject everything, tell the clients, and give the window back. Nothing is left to be done later.

        What is being written is waited for, a moment at most.
        """
        self._runtime.assert_main_thread()
        closed = [view for presentation in self._presentations.values() for view in presentation.views]
        self._writes.finish()
        for review in self.pending():
            if review.ticket is not None:
                review.close()
                review.ticket.settle(None)  # its program's own question in the terminal goes on
            else:
                self._tell(review, review.reject())
        self._poller.stop()
        if closed:
            self._arrangement.note_closing(closed)
            presentations, self._presentations = self._presentations, {}
            self._buffers.clear()
            for presentation in presentations.values():
                presentation.close()
            self._arrangement.restore(closed, lambda: False, tries=0)

    def wait_for_writes(self) -> None:
        """Wait for what is being written, when the editor's API may no longer be used."""
        self._writes.wait()

    # -- inside -------------------------------------------------------------------------------------------------------

    @classmethod
    def _manager_of(cls, view: sublime.View) -> Optional[ReviewManager]:
        """The manager of a view that the user has dragged into another window."""
        return next((reviews for reviews in cls._managers if reviews.review_of(view) is not None), None)

    def _is_abandoned(self, view: sublime.View) -> bool:
        if view_roles.role_of(view) is None:
            return False
        # One that was dragged here belongs to another window's manager.
        return views.is_left_over(view) or self._manager_of(view) is None

    def _show(self, review: Review, focus: Optional[bool]) -> None:
        presentation = self._presentations.get(review)
        if presentation is not None:
            self._arrangement.show(presentation.views, presentation.proposal_view, focus)
            self._poller.start()

    def _follow_link(self, review: Review, href: str) -> None:
        if review in self._presentations:
            # A link must not take away the view that it was clicked in while the editor still handles the click.
            self._runtime.on_main(follow_link, self, review, href)

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
