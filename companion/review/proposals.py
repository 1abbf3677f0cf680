"""What it means to decide a client's proposal: the client is told, and writes the file, or we do.

Rule: the file is written only for a client that has gone, because one that is connected writes it itself. Main thread
only.
"""

from __future__ import annotations

import os
from typing import Callable, Optional

import sublime

from ..editor.status_bar import say
from .accepted_texts import AcceptedTexts
from .decision import Outcome, Owner, Review
from .open_reviews import OpenReviews
from .reopening import ClosedReviews


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
