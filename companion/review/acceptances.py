"""Remembers what the user has accepted in the last ten minutes, with what each file held before.

Rule: nothing in here looks at the disk, or says what a file holds now. Who takes an Accept back (*Undo Accept*) finds
that out, in `unreviewed/undo_accept.py`. Main thread only.
"""

from __future__ import annotations

import math
import os
from typing import List, Optional

import sublime

from ..common.clock import clock
from ..editor.file_views import same_key
from ..editor.status_bar import say
from ..runtime import Runtime
from .decision import Review
from .document.disk import Original

UNDO_SECONDS = 600.0  # in which an Accept can be taken back
MOST = 50  # texts that are remembered
WAY_BACK = "{}: “Undo Accept” takes that back"
TOO_LATE = "{} was accepted more than ten minutes ago: nothing was undone"
NONE = "there is no Accept to undo"


class Acceptance:
    """One Accept: the file was `original`, None if that is not known, and is to hold `text`; None: it is to go.

    `old_path` is what the file was called before, if it was renamed. `fingerprint` is that of the file as it was found
    with the text, "" until then.
    """

    def __init__(
        self, path: str, text: Optional[str], original: Optional[Original], client: str, old_path: str = ""
    ) -> None:
        self.path = path
        self.name = os.path.basename(path)
        self.text = text
        self.original = original
        self.client = client
        self.old_path = old_path
        self.fingerprint = ""
        self.since = clock.now()

    @property
    def too_late(self) -> bool:
        """Whether it is too old to be taken back."""
        return clock.now() - self.since >= UNDO_SECONDS

    def is_of(self, path: str, text: Optional[str]) -> bool:
        """Whether it is about this text for this file."""
        return self.text == text and same_key(self.path) == same_key(path)


class Acceptances:
    """Those of one window, the newest last."""

    def __init__(self, window: sublime.Window, runtime: Runtime) -> None:
        self._window = window
        self._runtime = runtime
        self._known: List[Acceptance] = []
        self._forgotten = ""  # the name of the file of the last one that is too old
        self._awaited = False  # whether a timer is to forget the oldest

    def note(self, review: Review, text: Optional[str], original: Optional[Original], did: str = "") -> None:
        """The user has accepted `text` for the file of a review, which was `original`. The status bar says what that
        `did`, and how to take it back."""
        former, client = review.file_change.moved_from, review.owner.client_name
        accepted = Acceptance(review.path, text, original, client, former)
        others = [each for each in self._known if not (each.is_of(accepted.path, text) and each.original == original)]
        self._known = [*others, accepted][-MOST:]
        if not self._awaited:
            self._await_expiry()
        say(self._window, WAY_BACK.format(did or f"accepted {accepted.name}"))

    def arrived(self, path: str, text: str, found: Original) -> None:
        """The file was `found` with the text that was accepted."""
        for each in self._known:
            if each.is_of(path, text):
                each.fingerprint = found.fingerprint

    def _await_expiry(self) -> None:
        """Keep the texts no longer than they are of use: one timer, that of the oldest."""
        self._expire()
        self._awaited = bool(self._known)
        if self._awaited:
            left = self._known[0].since + UNDO_SECONDS - clock.now()
            self._runtime.later_on_main(max(1, math.ceil(left * 1000)), self._await_expiry)

    def _expire(self) -> None:
        for each in self._known:
            self._forgotten = each.name if each.too_late else self._forgotten
        self._known = [each for each in self._known if not each.too_late]

    @property
    def any(self) -> bool:
        """Whether the user has accepted anything since the window was opened that was not taken back."""
        return bool(self._known or self._forgotten)

    def last(self) -> Optional[Acceptance]:
        """The newest that can be taken back. If there is none the user learns why."""
        self._expire()
        if not self._known:
            say(self._window, TOO_LATE.format(self._forgotten) if self._forgotten else NONE)
        return self._known[-1] if self._known else None

    def undone(self, accepted: Acceptance) -> None:
        """It was taken back: the next to be taken back is the one before it."""
        self._known = [each for each in self._known if each is not accepted]
