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
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict, Optional, Tuple, Union
from weakref import WeakSet

import sublime

from ..editor import view_roles
from ..editor.edits import COMMAND
from .controls import SAVE, follow_link
from .decision import Outcome, Owner, Review, ReviewError, Ticket
from .decisions import ReviewDecisions
from .display.presentation import Presentation
from .document.apply import Guard
from .document.preparation import Preparation
from .document.text import ProposedText
from .window import views
from .window.split import close_abandoned, put_layout_back

if TYPE_CHECKING:
    from ..runtime import Runtime
    from ..settings import Settings

logger = logging.getLogger("gemini_companion.review")


class ReviewManager(ReviewDecisions):
    """One window's reviews. Main thread only.

    `notify` is told of every outcome, once each, as long as the client that asked was not known to be gone.
    `is_connected` says whether the client of a review is still there. `on_count` is called, a moment later, when a
    review was opened or has ended.
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
        on_count: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(window, runtime, settings, notify, is_connected, on_count)
        self._managers.add(self)

    # -- what clients ask for -----------------------------------------------------------------------------------------

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
        self._runtime.on_main(self._on_count)

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

    # -- on the screen ------------------------------------------------------------------------------------------------

    def show(self, review: Review) -> None:
        """Bring a review to the front and give it the focus."""
        self._show(review, True)

    def preview(self, review: Review) -> None:
        """Bring a review to the front and leave the focus where it is."""
        self._show(review, False)

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
