"""The decision: a review is pending until it is accepted or rejected, and that happens once.

    state      what happens                     next state
    ---------  -------------------------------  ----------
    PENDING    the client writes the file       ACCEPTED
    PENDING    the client looks before it does  OFFERED
    OFFERED    it writes the file               ACCEPTED
    OFFERED    the file has changed             PENDING
    PENDING    we begin to write the file       WRITING
    PENDING    the user, or a closing tab       REJECTED
    PENDING    the client takes it back         REJECTED
    WRITING    the file is written              ACCEPTED
    WRITING    it could not be written          PENDING

What is OFFERED can be decided otherwise as if it were PENDING. While the file is being written it cannot be decided.

Rule: every end of a review goes through this class, and only the first one gets an outcome. What comes later (a click
that races with the client's own answer, a tab that closes because the review ended) gets None, and no client hears of
it.

The editor is not known here. Main thread only.
"""

from __future__ import annotations

from enum import Enum
from typing import Callable, Dict, FrozenSet, NamedTuple, Optional, Sequence, Tuple, Union

from ..agents.window import CannotDo
from ..common.arrivals import numbers
from ..common.transitions import may_step
from ..comparison import Hunk
from .document.disk import Original
from .document.text import ProposedText


class Owner(NamedTuple):
    """Who asked for a review: the client's session, the name that the user reads, and that of the token it showed."""

    session_id: str
    client_name: str
    token_name: str = ""
    elsewhere: str = ""
    """The name of the machine where it runs, "" if it is this one."""


class Outcome(NamedTuple):
    """What we tell the client that proposed. `content` is the accepted text, None when the proposal was rejected."""

    path: str
    content: Optional[str]


class FileChange(NamedTuple):
    """What becomes of the file itself: it goes, or it has come from another path."""

    deletes: bool = False
    moved_from: str = ""

    @property
    def word(self) -> str:
        """What was done to the file; empty if only its text changes."""
        return "deleted" if self.deletes else "renamed" if self.moved_from else ""


class ReviewError(CannotDo):
    """A review cannot do what a client asks of it."""


class Ticket:
    """A client's call that waits for the decision about a review. The first to settle it decides what we answer.

    `name` is the client's own name for the review, by which it takes it back. `edits_return` says whether the answer
    carries the user's edits; without it the client writes what it has proposed. `deliver` gets the outcome, or None if
    the client needs no answer of ours any more. `notes` are sentences for the header.
    """

    refuse: Optional[Callable[[str], None]] = None
    """Tells the client why the user rejects the proposal, so that it needs no other answer; None if it cannot be told
    that. Main thread."""
    consider: Optional[Callable[[str, Optional[Original]], None]] = None
    """Where the client looks before it takes an accepted text: tells it the text, and the file as the user sees it. It
    then has the review end, or be shown again. Main thread."""
    problem = ""
    """Why what was accepted is shown again, as a sentence for the header."""
    file_change = FileChange()
    call: object = None
    """What the tickets of a call of several files have in common: its end is theirs, so a rejection opens none of them.
    None where a call is about one file."""

    def __init__(
        self, name: str, edits_return: bool, deliver: Callable[[Optional[Outcome]], None], notes: Tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.edits_return = edits_return
        self.notes = notes
        self.waiting = True
        self._deliver = deliver

    def note(self, sentence: str) -> bool:
        """Add a sentence for the header, whether the review is open yet or not. False if it has that already."""
        if sentence in self.notes:
            return False
        self.notes = (*self.notes, sentence)
        return True

    def written(self, proposed: str, text: str) -> str:
        """What the client writes once this text of the user is accepted."""
        return text if self.edits_return else proposed

    def settle(self, outcome: Optional[Outcome]) -> bool:
        """Answer the call. False if that was done before."""
        if not self.waiting:
            return False
        self.waiting = False
        self._deliver(outcome)
        return True


class Position(NamedTuple):
    """The place of a review among the files that belong together.

    `number` counts from 1, those that are decided already included, and so does `total`. `following` is the path that
    the user reads of the file that comes next, empty if there is none. It may hold anything.
    """

    number: int = 1
    total: int = 1
    following: str = ""

    @property
    def file_words(self) -> str:
        """Which file it is; empty if there is only one."""
        return f"file {self.number:,} of {self.total:,}" if self.total > 1 else ""

    @property
    def next_words(self) -> str:
        """What comes next; empty if nothing does."""
        return f"Next: {self.following}" if self.following else ""


class Words(NamedTuple):
    """What the decisions are called, of all and of one hunk, and what the two texts are. `accept_hunk` is empty where
    hunks are not accepted one by one, `reject_hunk` where they are not decided by themselves at all, and `right` where
    the title says enough without it."""

    accept: str
    reject: str
    accept_hunk: str
    reject_hunk: str
    left: str
    right: str


class Source:
    """What a review is about: a client's proposal, or a change that is in its file already. It says what the decisions
    mean; the review draws what is to be decided, and asks nothing else.

    `editable` is whether the user may edit the text, where a hunk is taken back; otherwise hunks are decided one by
    one, at once. Main thread. A source ends the review, now or later, or says in its header why not; it leaves out what
    cannot be decided of it.
    """

    words: Words
    editable: bool

    def accept(self, review: Review, text: str) -> None:
        """Accept the review with this text."""

    def reject(self, review: Review) -> None:
        """Reject it."""

    def closed(self, review: Review) -> None:
        """The user closes its tab."""

    def accept_hunks(self, review: Review, hunks: Sequence[Hunk]) -> None:
        """Accept these, and leave the others to be decided."""

    def reject_hunks(self, review: Review, hunks: Sequence[Hunk]) -> None:
        """Reject these, and leave the others to be decided."""

    def take_back(self, review: Review) -> bool:
        """Take back what the user has decided last. False if the editor's own undo does that."""
        return False

    def walk(self, review: Review, forward: bool, around: bool = False) -> bool:
        """Go to the first change of the next file that belongs together with this one, or to the last change of the one
        before it; with `around` from the last file to the first, and back. False if there is none."""
        return False


class ReviewState(Enum):
    """Where a review stands."""

    PENDING = "pending"
    OFFERED = "offered"
    WRITING = "writing"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


TRANSITIONS: Dict[ReviewState, FrozenSet[ReviewState]] = {
    ReviewState.PENDING: frozenset(ReviewState) - {ReviewState.PENDING},
    ReviewState.OFFERED: frozenset(ReviewState) - {ReviewState.OFFERED},
    ReviewState.WRITING: frozenset({ReviewState.ACCEPTED, ReviewState.PENDING}),
    ReviewState.ACCEPTED: frozenset(),
    ReviewState.REJECTED: frozenset(),
}


class Writer(Enum):
    """Who writes the file of an accepted review, and if it is not the client that asked: why."""

    CLIENT = "the client"
    CLIENT_GONE = "we do, because the client has gone"
    OUT_OF_REACH = "no one: the client is on another machine, which the editor cannot reach"
    ACCEPTED_BEFORE = "we do, because the text was accepted before and is not saved yet"
    CLOSED_BEFORE = "we do, because a tab was closed, and the client told so"


class Review:
    """One text for one file, which the user accepts or rejects: what a client proposes, or what its `source` says.

    `path` is what the client sent, letter by letter, because clients compare it as text. `same_files` are the names by
    which tabs called the file when the disk was last asked. `ticket` is the call that the decision answers, if it is
    not told by a notification. `draft` is what a view of the review is filled with: the proposal, or what the user had
    made of it in a view before that one. `before` is what the text is compared with, if that is not the file on disk.
    `whole_file` says what changes in all of the file, as far as that is known by now.
    `file_change` says what becomes of the file itself. `number` grows from review to review. `notes` are sentences for
    its header, `position` is its place among other files. `row` of the text is gone to when it is shown first: to the
    change there.
    """

    def __init__(
        self,
        owner: Owner,
        path: str,
        proposed: Union[str, ProposedText],
        source: Source,
        ticket: Optional[Ticket] = None,
        before: Optional[Original] = None,
        whole_file: Tuple[str, ...] = (),
        draft: Optional[ProposedText] = None,
    ) -> None:
        self.owner = owner
        self.path = path
        self.ticket = ticket
        self.proposal = _made_ready(proposed)
        self.draft = draft or self.proposal
        self.same_files: FrozenSet[str] = frozenset()
        self.state = ReviewState.PENDING
        self.writer = Writer.CLIENT
        self.source = source
        self.before = before
        self.whole_file = whole_file
        self.file_change = ticket.file_change if ticket is not None else FileChange()
        self.notes: Tuple[str, ...] = ()
        self.position = Position()
        self.row = 0
        self.number = next(numbers)

    @property
    def words(self) -> Words:
        """What its decisions and its texts are called."""
        return self.source.words

    @property
    def orphaned(self) -> bool:
        """Whether no client hears of the decision, so that we write the file."""
        return self.writer is not Writer.CLIENT

    @property
    def pending(self) -> bool:
        """Whether the user can still decide."""
        return self.state in (ReviewState.PENDING, ReviewState.OFFERED)

    def replace(self, proposed: Union[str, ProposedText], draft: Optional[ProposedText] = None) -> None:
        """Take a newer proposal of the same client for the same file, and show `draft` if there is one.

        We tell the client nothing about the older one. Its notifications name only the file, so "rejected" would reach
        it as the answer to the newer proposal.
        """
        self.proposal = _made_ready(proposed)
        self.draft = draft or self.proposal
        self._go(ReviewState.PENDING)

    def offer(self) -> bool:
        """Note that the client looks at an accepted text. False if it does so already, or the review has ended."""
        return self._go(ReviewState.OFFERED)

    def begin_writing(self) -> bool:
        """Note that the accepted text is being written. False if the review is not pending."""
        return self._go(ReviewState.WRITING)

    def writing_failed(self) -> bool:
        """Note that the file holds its old text, and the user can decide again. False if they could already, or if the
        review has ended."""
        return self._go(ReviewState.PENDING)

    def accept(self, text: str) -> Optional[Outcome]:
        """End the review with `text`. None if it has already ended."""
        return Outcome(self.path, text) if self._go(ReviewState.ACCEPTED) else None

    def reject(self) -> Optional[Outcome]:
        """End the review without a text. None if it has already ended."""
        return Outcome(self.path, None) if self._go(ReviewState.REJECTED) else None

    def _go(self, state: ReviewState) -> bool:
        if not may_step(TRANSITIONS, self.state, state):
            return False
        self.state = state
        return True


def takes_reason(review: Review) -> bool:
    """Whether the client that waits for the decision can be told why the user rejects."""
    return review.pending and review.ticket is not None and review.ticket.waiting and review.ticket.refuse is not None


def _made_ready(proposed: Union[str, ProposedText]) -> ProposedText:
    """A long text is made ready on a worker thread before."""
    return proposed if isinstance(proposed, ProposedText) else ProposedText(proposed)
