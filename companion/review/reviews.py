"""The reviews of one window: what clients ask for, how a review ends, and what is left of it when the window changes.

Theory of operation: a review (the decision) and its presentation (the views) are opened and ended together. The
decision comes first: only the first that ends a review gets an outcome, and only then is the client told and are the
views closed.

Rules: everything runs on the main thread, and nothing in here looks at the disk. What the user owns is given back as it
was.
"""

from __future__ import annotations

import logging
from typing import Callable, List, Optional, Sequence, Union

import sublime

from ..comparison import Hunk, put_together, split_lines
from ..editor import marks
from ..editor.scope import Scope
from ..runtime import Runtime
from ..settings import Settings
from .accepted_texts import AcceptedTexts, Expect
from .closed import ClosedReviews
from .commands import Commands
from .decision import Outcome, Owner, Review, ReviewError, Source, Ticket, Words, Writer, takes_reason
from .display.panes import file_request
from .document.preparation import FileRequest, Preparation
from .document.text import ProposedText
from .document.writing import Guard, IsInside
from .open_reviews import LAST_ROW, OpenReviews
from .window import views
from .window.split import project_of, put_layout_back

logger = logging.getLogger("gemini_companion.review")


class Reviews:
    """One window's reviews. Main thread only, except where noted."""

    def __init__(
        self,
        window: sublime.Window,
        *,
        runtime: Runtime,
        settings: Callable[[], Settings],
        notify: Callable[[Review, Outcome], None],
        is_connected: Callable[[Owner], bool],
        on_count: Callable[[], None] = lambda: None,
        expect: Expect = lambda path, text, agreed: None,
        find_elsewhere: Callable[[sublime.View], Optional[Reviews]] = lambda view: None,
        reason: Callable[[Review, str], str] = lambda review, said: said,
        is_inside: IsInside = lambda path: True,
    ) -> None:
        """`notify` is called with every outcome, once each, unless the client that asked is known to have gone.
        `is_connected` says whether the client of a review is still there. `on_count` is called, a moment later, when a
        review was opened or has ended. `expect` is called with what the user has accepted for which file, before it may
        be written. `find_elsewhere` finds the reviews of any window to which a view belongs: the user may drag a view
        from one window into another. `reason` makes the reason of a rejection of what the user has said, "" if there is
        none; it is called only where the client can be told. `is_inside` says whether a path lies in a workspace folder
        that exists; disk thread."""
        self._window = window
        self._runtime = runtime
        self._settings = settings
        self._notify = notify
        self._find_elsewhere = find_elsewhere
        self._reason = reason
        self._project = project_of(window)
        self._proposals = Proposals(self)
        self.open_reviews = OpenReviews(
            Scope(window, runtime, settings),
            self._proposals,
            on_link=lambda review, href: self.commands.follow(review, href),  # noqa: PLW0108 - made later
            on_count=on_count,
        )
        self.shown = self.open_reviews.presentations
        """The reviews that have views, and what shows each."""
        self.accepted_texts = AcceptedTexts(
            window, runtime, self.open_reviews, self.end, is_connected, expect, is_inside
        )
        self.commands = Commands(self.open_reviews, runtime, self.refuse)
        self.closed = ClosedReviews(self.open_reviews, runtime, self.end)
        self.expect = expect

    def of_view(self, view: sublime.View) -> Optional[Reviews]:
        """The reviews to which a view belongs: these, or those of the window it was dragged here from."""
        return self if self.open_reviews.review_of(view) is not None else self._find_elsewhere(view)

    # -- files that clients have opened -------------------------------------------------------------------------------

    def when_free(self, act: Callable[[], None]) -> None:
        """Call `act`, which moves the focus, as soon as the user types into no list or panel."""
        self.open_reviews.arrangement.focus.when_free(act)

    def show_file(self, path: str, in_front: bool, preview: bool) -> Optional[sublime.Sheet]:
        """Show a file as `Arrangement.open_file` does; behind the other tabs while the user types, as a diff is."""
        self._runtime.assert_main_thread()
        in_front = in_front and not self.open_reviews.user_types
        return self.open_reviews.arrangement.open_file(path, in_front, preview)

    # -- which there are ----------------------------------------------------------------------------------------------

    def pending(self) -> List[Review]:
        """The proposals that the user can still decide, the oldest first."""
        return [each for each in self.open_reviews.order.reviews if each.source is self._proposals and each.pending]

    def held(self) -> List[str]:
        """The names of the clients that wait for a decision of the user, one for each session."""
        owners = {each.owner: None for each in self.pending() if self.accepted_texts.waits(each)}
        return [owner.client_name for owner in owners]

    def file_request(self, path: str) -> FileRequest:
        """What the main thread knows of a file that is to be reviewed, for the disk thread."""
        self._runtime.assert_main_thread()
        view = self._window.active_view() if self._window.is_valid() else None
        return file_request(path, self._settings(), view)

    # -- what clients ask for -----------------------------------------------------------------------------------------

    def open_diff(
        self,
        owner: Owner,
        path: str,
        proposed: Union[str, ProposedText],
        prepared: Optional[Preparation] = None,
        ticket: Optional[Ticket] = None,
        draft: Optional[ProposedText] = None,
    ) -> None:
        """Show what `owner` proposes for `path`. A newer proposal for the same file replaces the older one.

        With a `ticket` the review is known by the ticket's name instead of the file, and the decision answers the
        ticket; nothing is shown if that has been settled meanwhile. `prepared` is what has just been found out about
        the file; without it the file is read now, and shown a moment later. `draft` is what the user has made of the
        proposal. Raises `ReviewError` with a sentence for the client; the window is unchanged then.
        """
        self._runtime.assert_main_thread()
        if ticket is not None:
            if not ticket.waiting:
                return
            self._withdraw(
                lambda whose, each: (
                    each is not ticket and (whose.session_id, each.name) == (owner.session_id, ticket.name)
                )
            )
        self.open_reviews.propose(owner, path, proposed, prepared, ticket, unasked=True, draft=draft)

    def confirm(self, ticket: Ticket, text: str, told: Optional[str]) -> bool:
        """End the review whose accepted text its client has looked at. It writes what is `told`, None if the file is to
        go; where that is not `text`, we save `text` over it. False if the review has ended already."""
        self._runtime.assert_main_thread()
        review = self.open_reviews.of_ticket(ticket)
        if review is not None:
            self.accepted_texts.tell(review, text, told)
        return review is not None

    def close_diff(self, owner: Owner, path: str, *, suppress_notification: bool) -> Optional[str]:
        """Take a proposal back and return its text, the user's edits included; None if there is no such review."""
        self._runtime.assert_main_thread()
        review = self.open_reviews.find(owner, path)
        if review is None:
            return None
        text = self.open_reviews.text_of(review)
        self.end(review, review.reject(), tell=not suppress_notification)
        return text

    def withdraw(self, session: str, name: Optional[str] = None) -> int:
        """Close this client's review of that name, or all that its calls wait for, and return how many. The client is
        not told."""
        return self._withdraw(lambda owner, ticket: owner.session_id == session and name in (None, ticket.name))

    def end_all(self, of: Callable[[Owner], bool]) -> None:
        """Close all reviews of these clients, who hear that they are rejected; where calls wait, that they are closed.
        What the user has accepted before is no client's any more."""
        self._withdraw(lambda owner, ticket: of(owner))
        for review in self._waiting_first():
            if not review.orphaned and of(review.owner):
                self.end(review, review.reject())

    def take_back(self, ticket: Ticket) -> None:
        """Close the review of this ticket, if there is one. The client is not told."""
        self._withdraw(lambda owner, each: each is ticket)

    def _withdraw(self, fits: Callable[[Owner, Ticket], bool]) -> int:
        self._runtime.assert_main_thread()
        count = 0
        for review in self._waiting_first():
            if review.ticket is not None and fits(review.owner, review.ticket):
                outcome = review.reject()
                review.ticket.settle(None)
                self.end(review, outcome, tell=False)
                count += 1
        return count

    def _waiting_first(self) -> List[Review]:
        """The pending proposals, those that are not shown first: so none is shown just to be closed with the others."""
        return sorted(self.pending(), key=lambda review: review in self.shown)

    def path_of(self, owner: Owner, path: str) -> str:
        """The path that accepting this client's diff would write. Raises `ReviewError` with a sentence for the client.

        It may be spelled in another way than `path`, and so lead elsewhere through links.
        """
        return self._required(owner, path).path

    def accept_by_client(self, owner: Owner, path: str, done: Callable[[str], None], guard: Guard) -> None:
        """Accept for the client, write the file and tell it. Raises `ReviewError` with a sentence for the client.

        `done` is called on the main thread with an empty string once the file is written, else with what went wrong.
        `guard` may refuse the file.
        """
        self._runtime.assert_main_thread()
        review = self._required(owner, path)
        self.accepted_texts.write(review, self.open_reviews.text_of(review), done, guard)

    def reject_by_client(self, owner: Owner, path: str) -> None:
        """Reject for the client and tell it. Raises `ReviewError` with a sentence for the client."""
        self._runtime.assert_main_thread()
        review = self._required(owner, path)
        self.end(review, review.reject())

    def _required(self, owner: Owner, path: str) -> Review:
        review = self.open_reviews.find(owner, path)
        if review is None:
            raise ReviewError("No diff is open for this file.")
        return review

    def owner_gone(self, owner_id: str) -> None:
        """The session with this id has ended: its reviews stay, and from now on Accept writes the file."""
        self._runtime.assert_main_thread()
        self.accepted_texts.owner_gone(owner_id)
        for review in self.open_reviews.all():
            if review.owner.session_id == owner_id:
                self.open_reviews.set_writer(
                    review, Writer.OUT_OF_REACH if review.owner.elsewhere else Writer.CLIENT_GONE
                )
                if review.ticket is not None:
                    review.ticket.settle(None)

    # -- what its client tells, and how it ends ----------------------------------------------------------------------

    def refuse(self, review: Review, said: str = "") -> bool:
        """Reject a review with a reason: what the user has `said`, and comments on its file. False if there is none, or
        the client cannot be told."""
        ticket = review.ticket
        if ticket is None or ticket.refuse is None or not takes_reason(review):
            return False
        reason = self._reason(review, said)
        if reason:
            ticket.refuse(reason)
            self.take_back(ticket)
        return bool(reason)

    def note(self, ticket: Ticket, sentence: str) -> None:
        """Say something in the header of the review of this ticket, now or once it is open."""
        review = self.open_reviews.of_ticket(ticket)
        if ticket.note(sentence) and review is not None:
            self.open_reviews.update_header(review)

    def refuse_by(self, ticket: Ticket, refuse: Optional[Callable[[str], None]]) -> None:
        """The client of this ticket can be told why the user rejects its proposal, or cannot any more."""
        ticket.refuse = refuse
        review = self.open_reviews.of_ticket(ticket)
        if review is not None:
            self.open_reviews.update_header(review)

    def end(self, review: Review, outcome: Optional[Outcome], tell: bool = True) -> None:
        """Close a review that has been decided. With `tell` the client hears the `outcome`, if there is one."""
        if tell:
            self.tell(review, outcome)
        # A review whose tab is closed while its file is being written is not pending, and is closed as well.
        if not review.pending:
            self.open_reviews.close(review)
        self.accepted_texts.given_up(review)

    def tell(self, review: Review, outcome: Optional[Outcome]) -> None:
        """Tell the client what the user has decided, if it waits for that."""
        if outcome is not None and not review.orphaned:
            self._notify(review, outcome)

    # -- life ---------------------------------------------------------------------------------------------------------

    def is_abandoned(self, view: sublime.View) -> bool:
        """Whether the view is one of ours whose review has ended."""
        return marks.role_of(view) is not None and self.of_view(view) is None

    def recover(self) -> None:
        """Close the views of reviews that have ended, and give the window back.

        The editor brings such views back when it restarts, and with a workspace that was stored with them.
        """
        if not self._window.is_valid():
            return
        remains = [view for view in self._window.views() if self.is_abandoned(view)]
        for view in remains:
            views.close(view)
        is_divided = self.open_reviews.arrangement.split.open  # then it is given back without the note in its settings
        if (not is_divided and put_layout_back(self._window)) or remains:
            logger.info("closed what was left of earlier reviews")
        self.accepted_texts.recover()

    def project_has_changed(self) -> bool:
        """Whether the window has, or may have, another project than at the last call: there may have been no event.

        The palette and plugins switch projects without a word, perhaps to another one and back between two calls.
        Such a switch closes the tabs of the reviews, and brings them back as tabs that belong to no review.
        """
        self.open_reviews.note_project()
        self.open_reviews.arrangement.focus.go_on()
        before, self._project = self._project, project_of(self._window)
        return self.closed.may_be_a_switch() or before != self._project

    def leave_project(self) -> None:
        """Another project, or none, is about to take the window: end all reviews while this one still has it."""
        if self.open_reviews.all():
            logger.info("the window changes its project: %d reviews end", len(self.pending()))
            self.shutdown()

    def shutdown(self) -> None:
        """Reject everything, tell the clients, and give the window back. Nothing is left to be done later.

        Waits for what is being written, `writing.WRITE_SECONDS` at most.
        """
        self._runtime.assert_main_thread()
        closed = self.open_reviews.views()
        self.accepted_texts.finish()
        self._reject_all()
        self.open_reviews.close_all(closed)

    def exit(self) -> None:
        """Reject everything and tell the clients when the editor's API may no longer be used: the window is left alone.

        Main thread, or any other once the editor has ended.
        """
        self.accepted_texts.wait()
        self._reject_all()

    def _reject_all(self) -> None:
        """Tell every client that waits for a decision; it would wait for ever."""
        for review in self.pending():
            if review.ticket is not None:
                review.reject()
                review.ticket.settle(None)  # the question that its program asks in the terminal goes on
            else:
                self.tell(review, review.reject())


# -- proposals ---------------------------------------------------------------------------------------------------------


class Proposals(Source):
    """What the reviews of clients' proposals are about. Their hunks are taken back in the text. Main thread only."""

    words = Words("Accept", "Reject", "", "Revert", "on disk", "proposal")
    editable = True

    def __init__(self, reviews: Reviews) -> None:
        self._reviews = reviews

    def accept(self, review: Review, text: str) -> None:
        """The client writes the text, or we do."""
        self._reviews.accepted_texts.accept(review, text)

    def reject(self, review: Review) -> None:
        """Reject it. Comments on the file are the reason, where the client can be told one."""
        if not self._reviews.refuse(review):
            self._reviews.end(review, review.reject())

    def closed(self, review: Review) -> None:
        """That rejects it; for a minute it can be opened again."""
        outcome, reviews = review.reject(), self._reviews
        if outcome is not None:
            reviews.closed.note(review, reviews.open_reviews.text_of(review))
            reviews.tell(review, outcome)

    def reject_hunks(self, review: Review, hunks: Sequence[Hunk]) -> None:
        """Take them back in the text, whether a view shows it or not."""
        shown, original = self._reviews.shown.get(review), self._reviews.open_reviews.original_of(review)
        if shown is not None:
            shown.hunks.revert(hunks)
        elif original is not None:
            back = [Hunk(*hunk[2:], *hunk[:2]) for hunk in hunks]
            text = "".join(put_together(split_lines(review.draft.shown), split_lines(original.text), back))
            review.draft = ProposedText(review.draft.restore(text), review.draft.restored)

    def walk(self, review: Review, forward: bool, around: bool = False) -> bool:
        """To the one that its client has proposed next, or before it."""
        opened = self._reviews.open_reviews
        files = [each for each in opened.order.together(review) if each is review or each.pending]
        at = files.index(review) + (1 if forward else -1)
        if len(files) == 1 or not (around or 0 <= at < len(files)):
            return False
        opened.show_at(files[at % len(files)], 0 if forward else LAST_ROW)
        return True
