"""The changes of the open reviews, as the user goes through them, takes them back and brings them back.

Rule: everything runs on the main thread. A command that finds nothing to do says so in the status bar.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, List, Optional, Sequence, Tuple

import sublime

from ..comparison import Hunk
from ..editor.key_bindings import KeyBindings, KeyNames
from .decision import Review, Words
from .display.presentation import Presentation
from .open_reviews import LAST_ROW, OpenReviews

WHOLE_SELECTION = -1
"""Stands for the changes that are selected, where a link's number stands for one change."""

NONE = "this diff shows no changes"  # none that are marked: it may be too large, or no text
NOTHING_TO_FOLD = "this diff has no long runs of unchanged lines"
NONE_AT_CURSOR = "there is no change at the cursor"
NO_LONGER_THERE = "that change is no longer there"
NOTHING_TO_BRING_BACK = "there is no reverted change to bring back"
NOT_ACCEPTED = "the diff of {} was not accepted: look, then decide"
ONLY_AS_A_WHOLE = "this diff can only be accepted or rejected as a whole"


def last_words(words: Words, keys: KeyNames) -> str:
    """Say that the last change is reached, and what the keys do that the user has."""
    does = {"next_change": "starts again", "accept": f"{words.accept.lower()}s"}
    said = ", ".join(f"{keys[command]} {what}" for command, what in does.items() if command in keys)
    return f"last change: {said}" if said else "last change"


class Changes:
    """What a user does with the changes of a window's reviews.

    Main thread only. For a review that is not open every method does nothing.
    """

    def __init__(self, open_reviews: OpenReviews) -> None:
        self._open = open_reviews
        self._at_end: Optional[Tuple[Review, int]] = None  # where it was said that this is the last change

    def next_change(self, review: Review) -> None:
        """Go to the next change, after the last one of a file to the first one of the next file. After the last of all
        it is said, and only then gone to the first of all."""
        presentation = self._open.presentations.get(review)
        if presentation is None or presentation.hunks.go_next() or review.source.walk(review, forward=True):
            return
        at_end = review, presentation.hunks.caret
        if at_end == self._at_end:
            self._at_end = None
            self._go_around(presentation, forward=True)
        elif presentation.has_changes:
            self._at_end = at_end
            presentation.hunks.look()
            self._open.say(review, last_words(review.words, KeyBindings.known))
        else:
            self._go_around(presentation, forward=True)

    def previous_change(self, review: Review) -> None:
        """Go to the previous change, before the first one of a file to the last one of the file before it."""
        presentation = self._open.presentations.get(review)
        if presentation is None or presentation.hunks.go_previous() or review.source.walk(review, forward=False):
            return
        self._go_around(presentation, forward=False)

    def _go_around(self, presentation: Presentation, forward: bool) -> None:
        """From the last change of all to the first, or back; say that there is none, if so."""
        review = presentation.review
        if not review.source.walk(review, forward, around=True):
            if presentation.has_changes:
                presentation.hunks.show_first(0 if forward else LAST_ROW)
            else:
                self._open.say(review, NONE)

    def reload(self, review: Review) -> None:
        """Read the file again and compare with what it is now."""
        if review in self._open.presentations:
            self._open.presentations[review].load()

    def toggle_whitespace(self, review: Review) -> None:
        """Mark the changes of whitespace that are hidden in this review, or hide them."""
        if review in self._open.presentations:
            self._open.presentations[review].toggle_whitespace()

    def folds(self, review: Review) -> Optional[bool]:
        """Whether unchanged lines of this review are folded; None if there are none to fold."""
        return self._open.presentations[review].folds if review in self._open.presentations else None

    def toggle_folds(self, review: Review) -> None:
        """Fold the unchanged lines of this review, or open them."""
        if self.folds(review) is None:
            self._open.say(review, NOTHING_TO_FOLD)
        else:
            self._open.presentations[review].toggle_folds()

    def revert_hunk(self, review: Review, number: int = WHOLE_SELECTION) -> None:
        """Take back the changes that the selection touches, or the one whose link has this number."""
        self._decide(review, number, review.source.reject_hunks)

    def keep_hunk(self, review: Review, number: int = WHOLE_SELECTION) -> None:
        """Accept the changes that the selection touches, or the one whose link has this number, where each can be
        decided by itself."""
        self._decide(review, number, review.source.accept_hunks)

    def keep_only_selected(self, review: Review, then: Callable[[], None]) -> None:
        """Take back all changes but the selected ones, and call `then` if there are any of these."""
        presentation = self._decidable(review)
        if presentation is None:
            return
        hunks = presentation.hunks

        def keep_only(places: List[sublime.Region]) -> bool:
            kept = hunks.keep_only(places)
            if kept:
                then()
            return kept

        self._act_or_say(presentation, keep_only, NONE_AT_CURSOR)

    def bring_back(self, review: Review, number: int) -> None:
        """Bring back the change that was taken back in the text, and whose link has this number."""
        presentation = self._decidable(review)
        if presentation is not None:
            undo = presentation.hunks.undo_revert
            self._act_or_say(presentation, lambda places: bool(places) and undo(number), NOTHING_TO_BRING_BACK)

    def _decidable(self, review: Review) -> Optional[Presentation]:
        """What shows the review, if the user can decide it now."""
        presentation = self._open.presentations.get(review)
        if presentation is not None and review.pending and not review.words.reject_hunk:
            self._open.say(review, ONLY_AS_A_WHOLE)
            return None
        return presentation if review.pending else None

    def _decide(self, review: Review, number: int, decide: Callable[[Review, Sequence[Hunk]], None]) -> None:
        """Decide hunks, unless that cannot be taken back and the user has meant another review."""
        presentation = self._decidable(review)
        if presentation is not None and (review.source.editable or not self._open.ignores(review)):
            self._with_hunks(presentation, number, partial(decide, review))

    def _with_hunks(self, presentation: Presentation, number: int, act: Callable[[List[Hunk]], object]) -> None:
        """Call `act` with the hunks that the selection touches, or the one whose link has this number."""
        shown = presentation.hunks
        rows = shown.linked(number)

        def act_on(places: List[sublime.Region]) -> bool:
            hunks = shown.at(places) if number == WHOLE_SELECTION else shown.of_link(rows)
            if hunks:
                act(hunks)
            return bool(hunks)

        self._act_or_say(presentation, act_on, NONE_AT_CURSOR if number == WHOLE_SELECTION else NO_LONGER_THERE)

    def wait(self, review: Review, then: Callable[[], None]) -> bool:
        """Whether a command of the user waits for a comparison: `then` is called after it, or the user learns that
        nothing was accepted."""
        presentation = self._open.presentations.get(review)
        if presentation is None or not presentation.hunks.has_deferred:
            return False
        dropped = partial(self.not_accepted, review)
        presentation.hunks.when_ready(presentation.hunks.selected(), lambda places: then() if places else dropped())
        return True

    def not_accepted(self, review: Review) -> None:
        """Tell the user that an Accept came to nothing, because the diff shows another text by now."""
        if review.pending:
            self._open.say(review, NOT_ACCEPTED.format(os.path.basename(review.path)))

    def _act_or_say(
        self, presentation: Presentation, act: Callable[[List[sublime.Region]], bool], nothing: str
    ) -> None:
        """Call `act` with the selected places, after typing once the texts are compared; say `nothing` if it fails.

        There are no places if another text has come meanwhile.
        """

        def act_or_say(places: List[sublime.Region]) -> None:
            if not act(places):
                self._open.say(presentation.review, nothing)

        hunks = presentation.hunks
        places = hunks.selected()
        if hunks.ready and not hunks.has_deferred:
            act_or_say(places)
        elif presentation.failed:
            act_or_say([])
        else:
            hunks.when_ready(places, act_or_say)
