"""What waits in a window, and the texts of it, compared.

Rule: of what is no text, too long, or kept from agents by `context_exclude`, the page says so and shows nothing else.
What was read of the file of a proposal goes to its review, which may not be open yet: both show the same.

Main thread, except where noted.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ..agents.window import RESTORES_ALL, Restored
from ..context.model import Excluded, exclusion
from ..review.decision import Review
from ..review.display.panes import fallback_encoding, file_request
from ..review.document import disk
from ..review.document.analysis import analyse
from ..review.document.disk import original_of
from ..review.document.preparation import FileRequest, Preparation, changes_of_file
from ..review.document.preparation import read as read_file
from ..review.document.text import ProposedText
from ..review.reviews import Reviews
from ..settings import Settings
from ..unreviewed.content import portions
from ..unreviewed.model import ChangeScope, UnreviewedChange
from ..unreviewed.reviewing import ChangeReviews
from ..unreviewed.texts import TextPair, about, caveats, text_pair
from ..unreviewed.tracking import Tracking
from ..unreviewed.workspace import Workspace
from .model import Body, PageFile

MOST_CHARACTERS = 4000000  # of texts on a page
PORTION_FILES, PORTION_BYTES = 16, 1 << 18
"""So much is read before the page shows it; a single file may be longer."""

WorkspaceOf = Callable[[str], Optional[Workspace]]

NO_TEXT = "no text"
WITHHELD = "not shown here, because “context_exclude” names it"
TOO_LONG = "too long to be shown here"
NO_ROOM = "not shown here, because the page is long enough"
NO_CHANGE = "the texts are the same"


class FileAnswer(NamedTuple):
    """What was read of a file; `prepared` is for the review of a proposal."""

    file: PageFile
    body: Body
    prepared: Optional[Preparation] = None


class _Proposal(NamedTuple):
    """What the main thread knows of a proposal."""

    text: str
    restored: Restored
    request: FileRequest


class _Reading(NamedTuple):
    """How texts are read and judged, and how many characters the page has room for."""

    fallback_encoding: str
    excluded: Excluded
    room: int


class PageReader:
    """For one window."""

    def __init__(
        self,
        window: sublime.Window,
        settings: Callable[[], Settings],
        reviews: Reviews,
        changes: ChangeReviews,
        tracking: Tracking,
    ) -> None:
        self._window = window
        self._settings = settings
        self._reviews = reviews
        self._changes = changes
        self._tracking = tracking

    def waiting(self, scope: ChangeScope) -> List[PageFile]:
        """All that waits, the oldest first: the proposals, and the changes of this scope."""
        opened, lists = self._reviews.open_reviews, self._changes.lists
        proposals = [review for review in opened.pending() if review.source is not self._changes]
        files = [PageFile(review.path, opened.label(review.path), review) for review in proposals]
        changes = lists.last_turn if scope is ChangeScope.LAST_TURN else (*lists.changes, *lists.outside)
        files += [PageFile(each.full_path, opened.label(each.full_path), None, each) for each in changes]
        return sorted(files, key=lambda file: file.number)

    def text_of(self, review: Review) -> str:
        """What a proposal is now, the user's edits included."""
        return self._reviews.open_reviews.text_of(review)

    def read(self, files: Sequence[PageFile], length: int, then: Callable[[List[FileAnswer]], None]) -> None:
        """Read the first of these files, as many as make a portion. `length` is how many characters the page has by
        now. `then` is called on the main thread."""
        settings, view = self._settings(), self._window.active_view()
        reading = _Reading(fallback_encoding(view), exclusion(settings.context_exclude), MOST_CHARACTERS - length)
        some = next(portions(files[:PORTION_FILES], _size, PORTION_BYTES), [])
        proposals: Dict[PageFile, _Proposal] = {}
        for file in some:
            if file.review is not None:
                restored = RESTORES_ALL if file.review.orphaned else file.review.proposal.restored
                request = file_request(file.path, settings, view)
                proposals[file] = _Proposal(self.text_of(file.review), restored, request)

        def read(answers: List[FileAnswer]) -> None:
            for answer in answers:
                if answer.file.review is not None and answer.prepared is not None:
                    self._reviews.open_reviews.note_read(answer.file.review, answer.prepared)
            then(answers)

        self._tracking.use_disk(partial(_read, some, proposals, reading, self._tracking.workspace_of), read)


def _size(file: PageFile) -> int:
    return file.change.before.size + file.change.now.size if file.change is not None else 0


# -- the texts ---------------------------------------------------------------------------------------------------------
# Disk threads.


def _read(
    files: Sequence[PageFile],
    proposals: Dict[PageFile, _Proposal],
    reading: _Reading,
    workspace_of: WorkspaceOf,
) -> List[FileAnswer]:
    answers: List[FileAnswer] = []
    left = reading.room
    for file in files:
        known, prepared = proposals.get(file), None
        if known is not None:
            pair, prepared = _proposal_pair(known)
        elif file.change is not None:
            pair = _change_pair(file.change, reading, workspace_of)
        body = _body(file, pair, reading, left)._replace(proposed=known.text if known is not None else "")
        left -= sum(len(row.text) for row in body.rows)
        answers.append(FileAnswer(file, body, prepared))
    return answers


def _proposal_pair(known: _Proposal) -> Tuple[TextPair, Preparation]:
    proposal = ProposedText(known.text, known.restored)
    prepared = read_file(known.request, proposal)
    is_text = prepared.original.comparable and not proposal.format.binary
    return TextPair(prepared.original, proposal if is_text else None, by_lines=True), prepared


def _change_pair(change: UnreviewedChange, reading: _Reading, workspace_of: WorkspaceOf) -> TextPair:
    workspace = workspace_of(change.folder)
    sides = workspace.all_data([change.before, change.now]) if workspace is not None else [None, None]
    decoded = partial(
        original_of, change.full_path, limits=disk.LIMITS, encoding="", fallback=reading.fallback_encoding
    )
    return text_pair(change, sides, decoded)


def _body(file: PageFile, pair: TextPair, reading: _Reading, room: int) -> Body:
    """What the page shows of two texts."""
    change, left, right, limits = file.change, pair.left.text, pair.right, disk.LIMITS
    body = Body(pair, change=change)
    if reading.excluded(file.path) or reading.excluded(os.path.realpath(file.path)):
        return body._replace(notes=(WITHHELD,))
    if right is None:
        return body._replace(notes=((change.obstacle if change is not None else "") or NO_TEXT,))
    if any(len(each) > limits.length or each.count("\n") > limits.lines for each in (left, right.shown)):
        return body._replace(notes=(TOO_LONG,))
    if room < 0:
        return body._replace(notes=(NO_ROOM,))
    body = body.compared(analyse(left, right.shown))
    return body._replace(notes=tuple(_notes(change, pair, right, not body.changed_texts)))


def _notes(change: Optional[UnreviewedChange], pair: TextPair, right: ProposedText, equal: bool) -> Iterator[str]:
    """What is to be known beside the lines, in sentences."""
    if change is not None:
        yield from filter(None, [about(change), *change.whole_file, *caveats(change)])
    else:
        notes = changes_of_file(pair.left, right)
        yield from notes
        if equal and not notes:
            yield NO_CHANGE
