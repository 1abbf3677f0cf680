"""The files of a held call: what the call would make of them, and what becomes of that if they change.

Theory of operation: the files are read when the call comes, each again when the user accepts it, and all of them before
the agent is answered. What the user accepts is accepted for the text that the file has at that time. If the file
changes later, the user's edits are made in what the call would make of it then: `rebased`.

Rules: which files are reviewed, and which are withheld from agents, is decided by their real paths. A file that cannot
be read as text has no proposal.

Disk threads: these functions read files, and take a while for a long text.
"""

from __future__ import annotations

import logging
import os
import re
from enum import Enum
from typing import Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.hook_proposals import FileProposal, HandedBack
from ..agents.hooks import HookDialect, HookEvent
from ..context.model import exclusion
from ..discovery.workspace import place_inside
from ..protocol.limits import TEXT_BYTES
from ..review.document import disk
from ..review.document.disk import Original
from ..settings import Settings
from ..system import files
from ..system.paths import path_below
from ..unreviewed.texts import merged

logger = logging.getLogger("gemini_companion.endpoint")


_OF_ITS_PROCESS = re.compile(r"//?(?:proc/(?:self|thread-self)|dev/(?:fd|std(?:in|out|err)))(?:/|$)")


class ReviewedFile(NamedTuple):
    """A file of a call that the user reviews, and its absolute path."""

    proposal: FileProposal
    path: str
    source: str
    """The absolute path of the file before the call: another one if the call moves it."""


class CallFiles(NamedTuple):
    """The files of a call as they were read: their texts by the names that the call has for them, its proposals (None
    if there are none) and the files that the user has to review."""

    texts: Mapping[str, Optional[str]] = {}
    proposals: Optional[Tuple[FileProposal, ...]] = None
    reviewed: Tuple[ReviewedFile, ...] = ()
    let_pass: bool = False
    """Whether the call was understood and needs no review."""
    withheld: FrozenSet[str] = frozenset()
    """The paths of proposals whose files `context_exclude` names."""

    def of(self, texts: Mapping[str, Optional[str]]) -> CallFiles:
        """Apply the call to files that now have these texts."""
        now = {e.path: e._replace(before=texts.get(e.moved_from or e.path)) for e in self.proposals or ()}
        reviewed = tuple(file._replace(proposal=now[file.proposal.path]) for file in self.reviewed)
        return self._replace(texts=texts, proposals=tuple(now.values()), reviewed=reviewed)

    def file(self, path: str) -> Optional[ReviewedFile]:
        """The reviewed file with this absolute path."""
        return next((file for file in self.reviewed if file.path == path), None)


class Standing(Enum):
    """Whether a file has changed when the user accepts what is shown for it."""

    SAME = "as it was when the call was read, and as it is shown"
    SHOWN = "as it is shown"
    CHANGED = "otherwise"


def to_review(event: HookEvent, folders: Sequence[str], skip: Tuple[str, ...]) -> Optional[List[str]]:
    """The files of a call that the user has to review; None if the call names no files."""
    skipped, found = exclusion(skip), []
    for path in event.paths:
        place = place_inside(path, folders)
        if _is_of_no_file(path) or (place is not None and not skipped("/" + _below(place, folders))):
            found.append(path)
    return found if event.paths else None


def read_files(dialect: HookDialect, event: HookEvent, folders: Sequence[str], settings: Settings) -> CallFiles:
    """Read the files of a call, and work out what the call would make of them."""
    writes, wanted = dialect.writes, to_review(event, folders, settings.review_skip)
    if wanted == []:
        return CallFiles(let_pass=True)
    if any(map(_is_of_no_file, event.paths)):
        return CallFiles()
    texts: Dict[str, Optional[str]] = {}
    try:
        for name in writes.paths(event.tool, event.arguments):
            data = _bytes_of(event.path(name), TEXT_BYTES)
            texts[name] = None if data is None else data.decode("utf-8")
    except (OSError, ValueError) as error:
        logger.info("a file that an agent is about to write could not be read: %s", type(error).__name__)
        return CallFiles()
    proposals = writes.proposals(event.tool, event.arguments, texts)
    if proposals is None:
        return CallFiles(texts)
    if len({os.path.realpath(each) for each in event.paths}) < len(event.paths):
        return CallFiles()  # two steps with one file: neither has the text that the file gets in the end
    found: List[ReviewedFile] = []
    excluded, withheld = exclusion(settings.context_exclude), set()
    for each in proposals:
        path, source = (event.path(name) for name in (each.path, each.moved_from or each.path))
        if not {path, source}.isdisjoint(wanted or ()):
            found.append(ReviewedFile(each, path, source))
        if any(excluded(name) or excluded(os.path.realpath(name)) for name in (path, source)):
            withheld.add(each.path)
    return CallFiles(texts, proposals, tuple(found), withheld=frozenset(withheld))


def standing(file: ReviewedFile, shown: Optional[Original], most: int) -> Standing:
    """Compare a file with what the user sees of it. Reads at most `most` bytes."""
    try:
        data = _bytes_of(file.path, most)
        source = data if file.source == file.path else _bytes_of(file.source, most)
        text = None if source is None else source.decode("utf-8")
    except (OSError, ValueError):
        return Standing.CHANGED
    is_shown = shown is not None and shown.comparable and disk.was_read(shown, data)
    if text == file.proposal.before and (is_shown or shown is None or not shown.comparable):
        return Standing.SAME
    return Standing.SHOWN if is_shown and file.source == file.path else Standing.CHANGED


def rebased(was: FileProposal, text: str, now: FileProposal) -> Tuple[str, int]:
    """Make the user's edits, which `text` has in what `was` proposed, in what the call proposes `now`. The number is
    that of the places where both the file and the user have changed the same lines."""
    if was.before is None or now.before is None or now.deletes:
        return (now.text if text == was.text else text), 0
    if now.text != was.text:
        return merged(was.text, text, now.text)
    return merged(was.before, text, now.before)  # the call has the whole text


def handed_back(dialect: HookDialect, event: HookEvent, call: CallFiles, texts: Sequence[str]) -> HandedBack:
    """What makes the agent write these texts, one for each proposal."""
    proposals = call.proposals or ()
    return dialect.writes.handed_back(event.tool, event.arguments, proposals, texts, call.withheld)


def told_of(
    dialect: HookDialect, event: HookEvent, call: CallFiles, proposal: FileProposal, text: str
) -> Optional[str]:
    """What the agent writes to one file once the user has accepted this text; None if it deletes the file."""
    if text == proposal.text:
        return None if proposal.deletes else text
    if text == proposal.before:
        return text
    if event.name not in dialect.edits_by:
        return proposal.text
    back = handed_back(dialect, event, call._replace(proposals=(proposal,)), (text,))
    return text if back.is_complete else back.written[0]


def _is_of_no_file(path: str) -> bool:
    """Whether no file can have this name, so that the agent may write one with a similar name; or the name means
    another file in each process."""
    try:
        os.lstat(path)
    except OSError:
        pass
    except ValueError:
        return True
    return _OF_ITS_PROCESS.match(path) is not None


def _below(place: str, folders: Sequence[str]) -> str:
    """The path of a file relative to its workspace folder."""
    rests = [path_below(each, place) for each in folders]
    return min(filter(None, rests), key=len, default=place)


def _bytes_of(path: str, most: int) -> Optional[bytes]:
    """The bytes of the file, None if it is not there. Raises OSError, or ValueError if they are too many."""
    try:
        with files.opened(path, os.O_RDONLY) as (descriptor, found):
            if found.st_size > most:
                raise ValueError
            return files.read_all(descriptor, most)
    except (FileNotFoundError, NotADirectoryError):
        return None
