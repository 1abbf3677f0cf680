"""Reviews whose tab was closed: they are shown again, or ended, and for a minute the user can open them again.

*Close Unmodified Tabs*, and packages that limit tabs, do not ask the user. The client hears that the review was closed,
and does not write the file any more. So for a minute such a review can be opened again, and Accept writes the file.

Rule: a tab that was closed at once after its review came to the front was meant for another one: that is shown again.
Main thread only.
"""

from __future__ import annotations

import os
from typing import Callable, List, NamedTuple, Optional

import sublime

from ..runtime import Runtime
from .decision import Outcome, Owner, Review, Writer
from .document.text import ProposedText
from .open_reviews import OpenReviews
from .window import views

_DOUBTFUL_LOOKS = 2  # after a tab was closed: one may come when the editor has put the tabs in place and not the name
SECONDS = 60.0  # in which a review whose tab was closed can be opened again
AGAIN = "closed and rejected the diff of {}: for a minute “Show Pending Diffs” opens it again"
TOO_LATE = "that diff was closed more than a minute ago"


class ClosedReview(NamedTuple):
    """What is left of a review."""

    path: str
    client_name: str
    text: str


class ClosedReviews:
    """The closed tabs of one window's reviews."""

    def __init__(
        self, open_reviews: OpenReviews, runtime: Runtime, end: Callable[[Review, Optional[Outcome]], None]
    ) -> None:
        """`end` closes a review that has been decided."""
        self._open = open_reviews
        self._runtime = runtime
        self._end = end
        self._closed: List[ClosedReview] = []
        self._closing = False  # whether the tab of a review was closed in this turn of the main loop
        self._doubtful_looks = 0

    # -- a tab is closed ----------------------------------------------------------------------------------------------

    def tab_closes(self, review: Review, view: sublime.View) -> None:
        """`view`, one of the views of the review, is being closed, which ends it.

        If that was meant for another review, this one is shown again, unless both were closed in the same turn.
        """
        for clone in view.clones():
            self._runtime.on_main(views.close, clone)
        self._doubtful_looks = _DOUBTFUL_LOOKS
        if review.pending and not self._closing and self._open.ignores(review):
            self._keep_edits(review)
            self._open.retire(review)
            self._runtime.on_main(self._show_anew, review)
            return
        review.source.closed(review)
        self._open.retire(review)
        self._closing = True
        self._runtime.on_main(self._has_closed, review)

    def may_be_a_switch(self) -> bool:
        """Whether a tab was closed a moment ago, so that a look has to take the project for another one."""
        doubtful, self._doubtful_looks = self._doubtful_looks > 0, max(0, self._doubtful_looks - 1)
        return doubtful

    def _has_closed(self, review: Review) -> None:
        self._closing = False
        self._end(review, None)

    def saved_under_a_name(self, review: Review) -> None:
        """A view of the review was saved as a file, which is the user's: the review goes on in another view."""
        self._keep_edits(review)
        self._show_anew(review)

    def _show_anew(self, review: Review) -> None:
        """Show a review again whose view has gone; where its window or project has gone, reject it."""
        if not review.pending or not self._open.show_anew(review):
            self._end(review, review.reject())

    def _keep_edits(self, review: Review) -> None:
        """Let the review go on in other views with the user's edits."""
        text = self._open.text_of(review)
        if text != review.draft.exact:  # making a text ready takes time, and this is the main thread
            review.draft = ProposedText(text)

    # -- the user opens it again --------------------------------------------------------------------------------------

    def note(self, review: Review, text: str) -> None:
        """Remember a review for a minute, and tell the user so."""
        closed = ClosedReview(review.path, review.owner.client_name, text)
        self._closed.append(closed)
        self._runtime.later_on_main(int(SECONDS * 1000), self._forget, closed)
        self._open.say(review, AGAIN.format(os.path.basename(review.path)))

    def recent(self) -> List[ClosedReview]:
        """Those that can be opened again, the oldest first."""
        return list(self._closed)

    def reopen(self, closed: ClosedReview) -> str:
        """Show one again; Accept writes its file. Returns a sentence for the user if that cannot be done any more."""
        if not any(each is closed for each in self._closed):
            return TOO_LATE
        owner = Owner(f"closed {id(closed)}", closed.client_name)  # no client is connected as that
        review = self._open.propose(owner, closed.path, closed.text)
        self._forget(closed)
        self._open.set_writer(review, Writer.CLOSED_BEFORE)
        return ""

    def _forget(self, closed: ClosedReview) -> None:
        self._closed = [each for each in self._closed if each is not closed]  # another one may be equal
