"""The reviews that ended because a tab of theirs was closed.

*Close Unmodified Tabs*, and packages that limit tabs, ask nobody. The client has been told then, and does not write the
file any more. So for a minute such a review can be opened again, and Accept writes the file.

Rule: it is held for that minute, though nobody asks. Main thread only.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, List, NamedTuple

from .decision import Owner, Review, Writer
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
        review = self._open.propose(owner, closed.path, closed.text)
        self._forget(closed)
        self._open.set_writer(review, Writer.CLOSED_BEFORE)
        return ""

    def _forget(self, closed: ClosedReview) -> None:
        self._closed = [each for each in self._closed if each is not closed]  # another one may be equal
