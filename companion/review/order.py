"""The open reviews of one window in their order, and which of them belong together.

Rules: the oldest review comes first. The proposals of one session belong together: one of them is shown at a time, and
the one that came next takes its place; after the last one it is the first that is left.

The editor is not known here. Main thread only.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from .decision import Review, ReviewState


class ReviewOrder:
    """Which reviews are open, whether they are shown or not."""

    def __init__(self) -> None:
        self.reviews: Dict[Review, None] = {}
        """Every one, the oldest first; those that wait, or have ended and are about to be closed, included."""
        self._gone: Dict[str, int] = {}  # by session: how many have ended while others of it were undecided

    def add(self, review: Review) -> None:
        """A review is open from now on, or is still."""
        self.reviews[review] = None

    def remove(self, review: Review) -> None:
        """A review is not open any more."""
        session = review.owner.session_id
        if review in self.reviews:
            self._gone[session] = self._gone.get(session, 0) + 1
            if not any(each.pending for each in self.together(review) if each is not review):
                del self._gone[session]
            del self.reviews[review]

    def clear(self) -> None:
        """None is open any more."""
        self.reviews.clear()
        self._gone.clear()

    def together(self, review: Review) -> List[Review]:
        """The reviews that belong together with a proposal, and this one, the oldest first."""
        session = review.owner.session_id
        return [each for each in self.reviews if each.source is review.source and each.owner.session_id == session]

    def following(self, review: Review) -> Optional[Review]:
        """The undecided review that comes after a proposal. After a rejection that ends its call, none of that call."""
        files, call = self.together(review), review.ticket.call if review.ticket is not None else None
        at, ends_call = files.index(review), call is not None and review.state is ReviewState.REJECTED
        for each in (*files[at + 1 :], *files[:at]):
            is_over = ends_call and each.ticket is not None and each.ticket.call is call
            if each.pending and not is_over:
                return each
        return None

    def place(self, review: Review) -> Tuple[int, int]:
        """Which of several files a proposal is, counted from 1, and how many there are. Those that were decided count
        until all are."""
        files, gone = self.together(review), self._gone.get(review.owner.session_id, 0)
        return gone + files.index(review) + 1, gone + len(files)
