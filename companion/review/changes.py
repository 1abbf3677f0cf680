"""The changes of the open reviews, as the user goes through them, takes them back and brings them back.

Rule: everything runs on the main thread. A command that finds nothing to do says so in the status bar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, List, Sequence

import sublime

from ..comparison import Hunk
from ..editor.status_bar import say
from .decision import Review
from .open_reviews import OpenReviews

if TYPE_CHECKING:
    from .display.presentation import Presentation

WHOLE_SELECTION = -1
"""Stands for the changes that are selected, where a link's number stands for one change."""

NONE = "this diff shows no changes"  # none that are marked: it may be too large, or no text
NONE_AT_CURSOR = "there is no change at the cursor"
NOTHING_TO_BRING_BACK = "there is no reverted change to bring back"
ONLY_FOR_PROPOSALS = "that command is for proposals: use “Keep Hunk”, “Revert Hunk” or “Reject Diff” here"
NOT_FOR_PROPOSALS = "“Keep Hunk” is for changes that are in the file: use “Accept This Hunk Only” here"


class Changes:
    """What a user does with the changes of a window's reviews.

    Main thread only. For a review that is not open every method does nothing.
    """

    def __init__(self, open_reviews: OpenReviews) -> None:
        self._open = open_reviews

    def next_change(self, review: Review) -> None:
        """Go to the next change of the proposal."""
        self._go(review, lambda presentation: presentation.hunks.go_next())

    def previous_change(self, review: Review) -> None:
        """Go to the previous change of the proposal."""
        self._go(review, lambda presentation: presentation.hunks.go_previous())

    def _go(self, review: Review, step: Callable[[Presentation], bool]) -> None:
        presentation = self._open.presentations.get(review)
        if presentation is not None and not step(presentation):
            self._say(review, NONE)

    def reload(self, review: Review) -> None:
        """Read the file again and compare with what it is now."""
        if review in self._open.presentations:
            self._open.presentations[review].load()

    def toggle_whitespace(self, review: Review) -> None:
        """Mark the changes of whitespace that are hidden in this review, or hide them."""
        if review in self._open.presentations:
            self._open.presentations[review].toggle_whitespace()

    def revert_hunk(self, review: Review, number: int = WHOLE_SELECTION) -> None:
        """Take back the changes that the selection touches, or the one whose link has this number."""
        presentation = self._open.presentations.get(review)
        if presentation is None or not review.pending:
            return
        hunks = presentation.hunks
        if review.decisions is not None:
            self._decide(presentation, number, review.decisions.reject_hunks)
        elif number == WHOLE_SELECTION:
            self._act_or_say(presentation, hunks.revert, NONE_AT_CURSOR)
        else:
            rows = hunks.linked(number)
            self._act_or_say(presentation, lambda places: hunks.revert_linked(rows), "that change is no longer there")

    def keep_hunk(self, review: Review) -> None:
        """Accept the changes that the selection touches, where each can be decided by itself."""
        presentation = self._open.presentations.get(review)
        if presentation is None or not review.pending:
            return
        if review.decisions is None:
            self._say(review, NOT_FOR_PROPOSALS)
        else:
            self._decide(presentation, WHOLE_SELECTION, review.decisions.accept_hunks)

    def _decide(
        self, presentation: Presentation, number: int, decide: Callable[[Review, Sequence[Hunk]], None]
    ) -> None:
        """Decide the changes that the selection touches, or the one whose link has this number."""
        review, shown = presentation.review, presentation.hunks
        if self._open.input_guard.pressed(review):
            self._say(review, "that diff has just come to the front: look, then decide")
            return
        rows = shown.linked(number)

        def decide_some(places: List[sublime.Region]) -> bool:
            hunks = shown.at(places) if number == WHOLE_SELECTION else shown.of_link(rows)
            if hunks:
                decide(review, hunks)
            return bool(hunks)

        self._act_or_say(presentation, decide_some, NONE_AT_CURSOR)

    def revert_all_hunks(self, review: Review) -> None:
        """Take back all changes that are left."""
        presentation = self._open.presentations.get(review)
        if presentation is not None and review.decisions is not None:
            self._say(review, ONLY_FOR_PROPOSALS)
        elif presentation is not None and review.pending:
            hunks = presentation.hunks
            self._act_or_say(presentation, lambda places: hunks.revert_all(), NONE)

    def keep_only_selected(self, review: Review, then: Callable[[], None]) -> None:
        """Take back all changes but the selected ones, and call `then` if there are any of these."""
        presentation = self._open.presentations.get(review)
        if presentation is None or not review.pending:
            return
        if review.decisions is not None:
            self._say(review, ONLY_FOR_PROPOSALS)
            return
        hunks = presentation.hunks

        def keep_only(places: List[sublime.Region]) -> bool:
            kept = hunks.keep_only(places)
            if kept:
                then()
            return kept

        self._act_or_say(presentation, keep_only, NONE_AT_CURSOR)

    def undo_revert_hunk(self, review: Review, number: int = WHOLE_SELECTION) -> None:
        """Bring back what the last command took back, or the change whose link has this number."""
        presentation = self._open.presentations.get(review)
        if presentation is None or not review.pending:
            return
        if review.decisions is not None:
            review.decisions.bring_back(review)
            return
        hunks = presentation.hunks

        self._act_or_say(presentation, lambda places: bool(places) and hunks.undo_revert(number), NOTHING_TO_BRING_BACK)

    def wait(self, review: Review, then: Callable[[], None]) -> bool:
        """Whether something was asked for that waits for a comparison: `then` is called after it, unless all is off."""
        presentation = self._open.presentations.get(review)
        if presentation is None or not presentation.hunks.asked:
            return False
        presentation.hunks.when_ready(presentation.hunks.selected(), lambda places: then() if places else None)
        return True

    def _act_or_say(
        self, presentation: Presentation, act: Callable[[List[sublime.Region]], bool], nothing: str
    ) -> None:
        """Call `act` with the selected places, after typing once the texts are compared; say `nothing` if it fails."""

        def act_or_say(places: List[sublime.Region]) -> None:
            if not act(places):
                self._say(presentation.review, nothing)

        self._when_ready(presentation, act_or_say)

    def _when_ready(self, presentation: Presentation, act: Callable[[List[sublime.Region]], None]) -> None:
        """Call `act` with the selected places, which are none if another text has come meanwhile."""
        hunks = presentation.hunks
        places = hunks.selected()
        if hunks.ready and not hunks.asked:
            act(places)
        elif presentation.cycle.failed:
            act([])
        else:
            hunks.when_ready(places, act)

    def _say(self, review: Review, sentence: str) -> None:
        """In the status bar of the window where the user sees the review."""
        say(self._open.window_of(review), sentence)
