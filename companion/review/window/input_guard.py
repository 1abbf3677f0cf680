"""Keys and clicks that reach a review which has just come to the front by itself: they were meant for what was there
before, such as the second click of a double click.

Rule: for a moment our key bindings and links decide nothing, and the user is told so. Menus, the palette and whatever
else runs a command decide at any time, for whoever uses them has looked.
"""

from __future__ import annotations

import time
from typing import Callable, Optional
from weakref import ReferenceType, ref

from ..decision import Review

# Seconds. A key that is held repeats after up to 0.66, as the systems come.
_AFTER_COMING = 0.7
_AFTER_A_REPEAT = 0.3
_TYPING = 1.0  # so long after an edit the next key is still meant for the edited text


class InputGuard:
    """The guard of one window's reviews. Main thread only."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._review: Optional[ReferenceType[Review]] = None
        self._until = self._edited = float("-inf")

    def edited(self) -> None:
        """The user typed somewhere else. Called for every keystroke."""
        self._edited = self._now()

    def came(self, review: Optional[Review] = None) -> None:
        """The review, or whichever it will be, has come to the front, and the user has not asked for that."""
        self._review, self._until = ref(review) if review is not None else None, self._now() + _AFTER_COMING

    def opened(self, review: Review) -> None:
        """A review that has just been opened has got the focus: that matters to whoever is typing."""
        if self._now() - self._edited < _TYPING:
            self.came(review)

    def asked_for(self, review: Review) -> None:
        """The user has gone to the review."""
        if self.ignores(review):
            self._until = float("-inf")

    def ignores(self, review: Review) -> bool:
        """Whether a key that is pressed now, or a click, does not decide this review."""
        return (self._review is None or self._review() is review) and self._now() < self._until

    def pressed(self, review: Review) -> bool:
        """A key was pressed, or a link clicked, to decide the review. True if that is to be ignored, as are the repeats
        of a key that is held."""
        ignored = self.ignores(review)
        if ignored:
            self._until = max(self._until, self._now() + _AFTER_A_REPEAT)
        return ignored
