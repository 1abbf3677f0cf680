"""What the user does while a review comes to the front by itself: it was meant for what was there before.

Rules: for a moment nothing decides such a review, be it a key, a click, a command or a closing tab, and nothing edits
it; the user is told so. Where somebody types nothing comes to the front at all.
"""

from __future__ import annotations

import time
from typing import Callable, Dict, Optional
from weakref import ReferenceType, ref

from ..decision import Review

# Seconds. A key that is held repeats after up to 0.66, as the systems come.
_AFTER_COMING = 0.7
_AFTER_A_REPEAT = 0.3
TYPING = 1.5  # so long after an edit its author is still typing
_SAME_MOMENT = 0.25  # an edit so close to a look at the disk is not the user's
_MOST = 100  # views of which the times are remembered: widgets are views, too, each with a new id


class InputGuard:
    """The guard of one window's reviews. Main thread only. Views are named by their ids."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._review: Optional[ReferenceType[Review]] = None
        self._until = float("-inf")
        self._edited: Dict[int, float] = {}
        self._reloaded: Dict[int, float] = {}

    def edited(self, view: int) -> None:
        """A view was edited, in whatever window. Called for every keystroke."""
        self._note(self._edited, view)

    def reloaded(self, view: int) -> None:
        """The editor has read a view's file again: such an edit is nobody's."""
        self._note(self._reloaded, view)

    def _note(self, times: Dict[int, float], view: int) -> None:
        if len(times) > _MOST:
            times.clear()
        times[view] = self._now()

    def typed_in(self, view: int) -> bool:
        """Whether the user is typing in the view, which has the focus."""
        edited = self._edited.get(view, float("-inf"))
        by_disk = abs(edited - self._reloaded.get(view, float("-inf"))) < _SAME_MOMENT
        return self._now() - edited < TYPING and not by_disk

    def came(self, review: Optional[Review] = None, typing: bool = False) -> None:
        """The review, or whichever it will be, has come to the front, and the user has not asked for that."""
        self._review = ref(review) if review is not None else None
        self._until = self._now() + (TYPING if typing else _AFTER_COMING)

    def asked_for(self, review: Review) -> None:
        """The user has gone to the review."""
        if self.ignores(review):
            self._until = float("-inf")

    def ignores(self, review: Review) -> bool:
        """Whether what is done now does not decide this review."""
        return (self._review is None or self._review() is review) and self._now() < self._until

    def pressed(self, review: Review) -> bool:
        """The user has asked to decide the review. True if that is to be ignored, as are the repeats of a held key."""
        ignored = self.ignores(review)
        if ignored:
            self._until = max(self._until, self._now() + _AFTER_A_REPEAT)
        return ignored
