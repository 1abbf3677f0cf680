"""What it means to decide a client's proposal: the client is told, and writes the file, or we do.

A review also ends when a tab of its is closed, by the user or by *Close Unmodified Tabs* or a package that limits tabs,
which ask nobody. The client has been told then, and does not write the file any more. So for a minute it can be opened
again, and Accept writes the file.

Rules: the file is written only for a client that has gone, because one that is connected writes it itself. What was
closed is held for that minute, though nobody asks. Main thread only.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, List, NamedTuple, Optional

import sublime

from ..editor.status_bar import say
from .accepted_texts import AcceptedTexts
from .decision import Outcome, Owner, Review, ReviewError
from .open_reviews import OpenReviews

if TYPE_CHECKING:
    from ..runtime import Runtime

SECONDS = 60.0  # in which it can be opened again


class ClosedReview(NamedTuple):
    """What is left of a review."""

    path: str
    client_name: str
    text: str


class ClosedReviews:
    """The reviews of one window that ended because a tab of theirs was closed."""

    def __init__(self, open_reviews: OpenReviews, runtime: Runtime) -> None:
        self._open = open_reviews
        self._runtime = runtime
        self._closed: List[ClosedReview] = []

    def note(self, review: Review, text: str) -> str:
        """A tab of the review was closed. Returns a sentence for the user."""
        closed = ClosedReview(review.path, review.owner.client_name, text)
        self._closed.append(closed)
        self._runtime.later_on_main(int(SECONDS * 1000), self._forget, closed)
        name = os.path.basename(review.path)
        return f"closed and rejected the diff of {name}: for a minute “Show Pending Diffs” opens it again"

    def recent(self) -> List[ClosedReview]:
        """Those that can be opened again, the oldest first."""
        return list(self._closed)

    def reopen(self, closed: ClosedReview) -> str:
        """Show one again; Accept writes its file. Returns a sentence for the user if that cannot be done any more."""
        if not any(each is closed for each in self._closed):
            return "that diff was closed more than a minute ago"
        owner = Owner(f"closed {id(closed)}", closed.client_name)  # nobody is connected as that
        try:
            review = self._open.propose(owner, closed.path, closed.text)
        except ReviewError as error:
            return str(error)
        self._forget(closed)
        review.closed_before = True
        self._open.orphan(review)
        return ""

    def _forget(self, closed: ClosedReview) -> None:
        self._closed = [each for each in self._closed if each is not closed]  # another one may be equal


class ProposalDecisions:
    """The decisions about the proposals of one window."""

    def __init__(
        self,
        window: sublime.Window,
        open_reviews: OpenReviews,
        accepted_texts: AcceptedTexts,
        closed: ClosedReviews,
        end: Callable[[Review, Optional[Outcome]], None],
        is_connected: Callable[[Owner], bool],
        expect: Callable[[str, str], None],
    ) -> None:
        """`end` closes a review that has been decided, and tells its client. `is_connected`: whether a client is
        there. `expect` is told what the user has accepted for which file."""
        self._window = window
        self._open = open_reviews
        self._accepted_texts = accepted_texts
        self._closed = closed
        self._end = end
        self._is_connected = is_connected
        self._expect = expect

    def accept(self, review: Review, text: str) -> None:
        """Accept `text`. If nobody else will write it, it is written first."""
        ticket = review.ticket
        self._expect(review.path, text)
        if self._is_ours_to_write(review):
            written = f"wrote {os.path.basename(review.path)}"
            self._accepted_texts.write(review, text, lambda problem: say(self._window, problem or written))
        else:
            edits_return = ticket is None or ticket.edits_return
            if not edits_return:
                self._expect(review.path, review.proposal.exact)  # and then the text over it
            self._accepted_texts.tell(review, text, text if edits_return else review.proposal.exact)

    def _is_ours_to_write(self, review: Review) -> bool:
        """Whether nobody else will write what is accepted."""
        if review.orphaned or not self._is_connected(review.owner):
            return True
        return review.ticket is not None and not review.ticket.waiting

    def reject(self, review: Review) -> None:
        """Reject the proposal."""
        self._end(review, review.reject())

    def closed(self, review: Review, text: str) -> Optional[Outcome]:
        """Reject the proposal, which can be opened again."""
        outcome = review.reject()
        if outcome is not None:
            say(self._open.window_of(review), self._closed.note(review, text))
        return outcome
