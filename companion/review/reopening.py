"""The reviews that ended because a tab of theirs was closed: for a minute each can be opened again.

A tab may be closed by *Close Unmodified Tabs* or a package that limits tabs, which ask nobody. The client has been told
then, and does not write the file any more: Accept does.

Rule: main thread only.
"""

from __future__ import annotations

import os
import time
from typing import Callable, List, NamedTuple

from .decision import Owner, Review, ReviewError
from .open_reviews import OpenReviews

SECONDS = 60.0


class ClosedReview(NamedTuple):
    """What is left of a review, and when it was closed, on the clock of `ClosedReviews`."""

    path: str
    client_name: str
    text: str
    closed_at: float


class ClosedReviews:
    """Those of one window."""

    def __init__(self, open_reviews: OpenReviews, now: Callable[[], float] = time.monotonic) -> None:
        self._open = open_reviews
        self._now = now
        self._closed: List[ClosedReview] = []

    def note(self, review: Review, text: str) -> str:
        """A tab of the review was closed. Returns a sentence for the user."""
        self._closed = [*self.recent(), ClosedReview(review.path, review.owner.client_name, text, self._now())]
        name = os.path.basename(review.path)
        return f"closed and rejected the diff of {name}: for a minute “Show Pending Diffs” opens it again"

    def recent(self) -> List[ClosedReview]:
        """Those that can be opened again, the oldest first."""
        self._closed = [closed for closed in self._closed if self._now() - closed.closed_at < SECONDS]
        return list(self._closed)

    def reopen(self, closed: ClosedReview) -> str:
        """Show one again; Accept writes its file. Returns a sentence for the user if that cannot be done any more."""
        if closed not in self.recent():
            return "that diff was closed more than a minute ago"
        owner = Owner(f"closed {id(closed)}", closed.client_name)  # nobody is connected as that
        try:
            review = self._open.propose(owner, closed.path, closed.text)
        except ReviewError as error:
            return str(error)
        self._closed.remove(closed)
        review.closed_before = True
        self._open.orphan(review)
        return ""
