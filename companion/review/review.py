"""The decision: a review is pending until it is accepted, rejected or closed, and that happens once.

Rule: whoever ends a review asks this class, and only the first one gets an outcome. Everybody who comes later (a click
that races with the client's own answer, a tab that closes because the review ended) gets None and has nothing to tell.

The editor is not known here. Main thread only.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Optional

from .disk import Original
from .text import ProposedText

ACCEPTED = "accepted"
REJECTED = "rejected"


class Owner(NamedTuple):
    """Who asked for a review: the client's session, and the name that the user reads."""

    session_id: str
    client_name: str


class Outcome(NamedTuple):
    """What the client that asked is told. `content` is the accepted text, None when the proposal was rejected.

    `original` is the file that an accepted text was compared with, if it had been read.
    """

    kind: str
    path: str
    content: Optional[str]
    original: Optional[Original] = None


class ReviewError(Exception):
    """What was asked for cannot be done. The message is a sentence for whoever asked."""


class State(Enum):
    """Where a review stands. Only `PENDING` can change."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CLOSED = "closed"


class Review:
    """One proposal for one file, from one client.

    `path` is what the client sent, letter by letter, because clients compare it as text. `orphaned` means that the
    client has gone and nobody but us is left to write the file.
    """

    def __init__(self, owner: Owner, path: str, proposed: str) -> None:
        self.owner = owner
        self.path = path
        self.proposal = ProposedText(proposed)
        self.state = State.PENDING
        self.orphaned = False

    @property
    def pending(self) -> bool:
        """Whether the user can still decide."""
        return self.state is State.PENDING

    def replace(self, proposed: str) -> None:
        """Take a newer proposal of the same client for the same file.

        The client is told nothing about the older one. Its notifications name only the file, so "rejected" would reach
        it as the answer to the newer proposal.
        """
        self.proposal = ProposedText(proposed)

    def accept(self, text: str) -> Optional[Outcome]:
        """End the review with `text`. None if it has already ended."""
        return Outcome(ACCEPTED, self.path, text) if self._end(State.ACCEPTED) else None

    def reject(self) -> Optional[Outcome]:
        """End the review without a text. None if it has already ended."""
        return Outcome(REJECTED, self.path, None) if self._end(State.REJECTED) else None

    def close(self) -> Optional[Outcome]:
        """End the review because the client took it back. None if it has already ended.

        The outcome is what the client is told unless it asked for silence.
        """
        return Outcome(REJECTED, self.path, None) if self._end(State.CLOSED) else None

    def orphan(self) -> bool:
        """Note that the client has gone. True if that is news."""
        if self.orphaned or not self.pending:
            return False
        self.orphaned = True
        return True

    def _end(self, state: State) -> bool:
        if not self.pending:
            return False
        self.state = state
        return True
