"""The files of a call that is held: what the call would make of them, and what becomes of that if they change.

Theory of operation: the files are read when the call comes, each once more when the user accepts it, and all of them
before the program is answered. What the user has accepted holds for the text that the file had then. If the file has
changed since, the user's edits are made in what the call would make of it now: `rebased`.

Rules: which files are reviewed, and which are kept from programs, is decided by where they really are. What cannot be
read as text has no proposal.

Disk threads: these functions look at the disk, and a long text takes them a while.
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
from ..unreviewed.texts import merged

logger = logging.getLogger("gemini_companion.endpoint")


_OF_ITS_PROCESS = re.compile(r"//?(?:proc/(?:self|thread-self)|dev/(?:fd|std(?:in|out|err)))(?:/|$)")


class ReviewedFile(NamedTuple):
    """A file of a call that is reviewed, and its whole path."""

    proposal: FileProposal
    path: str
    source: str
    """The whole path of the file that it is made of: the same, unless that is moved."""


class Looked(NamedTuple):
    """What a look at the files of a call has found: their texts by the names that the call has for them, its proposals,
    None if there are none, and the files that the user has to review."""

    texts: Mapping[str, Optional[str]] = {}
    proposals: Optional[Tuple[FileProposal, ...]] = None
    reviewed: Tuple[ReviewedFile, ...] = ()
    let_pass: bool = False
    """Whether the call was understood and needs no review."""
    withheld: FrozenSet[str] = frozenset()
    """The paths of proposals whose files `context_exclude` names."""

    def of(self, texts: Mapping[str, Optional[str]]) -> Looked:
        """With the proposals made for files that hold these texts now."""
        now = {e.path: e._replace(before=texts.get(e.moved_from or e.path)) for e in self.proposals or ()}
        reviewed = tuple(file._replace(proposal=now[file.proposal.path]) for file in self.reviewed)
        return self._replace(texts=texts, proposals=tuple(now.values()), reviewed=reviewed)

    def file(self, path: str) -> Optional[ReviewedFile]:
        """The reviewed file of this whole path."""
        return next((file for file in self.reviewed if file.path == path), None)


class Standing(Enum):
    """Whether a file has changed when the user accepts what is shown for it."""

    SAME = "as it was when the call was looked at, and as it is shown"
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


def look_at(dialect: HookDialect, event: HookEvent, folders: Sequence[str], settings: Settings) -> Looked:
    """Look at the files of a call."""
    writes, wanted = dialect.writes, to_review(event, folders, settings.review_skip)
    if wanted == []:
        return Looked(let_pass=True)
    if any(map(_is_of_no_file, event.paths)):
        return Looked()
    texts: Dict[str, Optional[str]] = {}
    try:
        for name in writes.paths(event.tool, event.arguments):
            data = _bytes_of(event.path(name), TEXT_BYTES)
            texts[name] = None if data is None else data.decode("utf-8")
    except (OSError, ValueError) as error:
        logger.info("a file that a program is about to write could not be read: %s", type(error).__name__)
        return Looked()
    proposals = writes.proposals(event.tool, event.arguments, texts)
    if proposals is None:
        return Looked(texts)
    if len({os.path.realpath(each) for each in event.paths}) < len(event.paths):
        return Looked()  # two steps with one file, of which neither says what it holds in the end
    found: List[ReviewedFile] = []
    excluded, withheld = exclusion(settings.context_exclude), set()
    for each in proposals:
        path, source = (event.path(name) for name in (each.path, each.moved_from or each.path))
        if not {path, source}.isdisjoint(wanted or ()):
            found.append(ReviewedFile(each, path, source))
        if any(excluded(name) or excluded(os.path.realpath(name)) for name in (path, source)):
            withheld.add(each.path)
    return Looked(texts, proposals, tuple(found), withheld=frozenset(withheld))


def standing(file: ReviewedFile, shown: Optional[Original], most: int) -> Standing:
    """Compare a file with what the user sees of it. At most `most` bytes are read."""
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
    """Make the user's edits in what the call proposes for the file now; `text` has them in what `was` proposed.
    The number counts the places where the file has changed in the lines that the review changes, too."""
    if was.before is None or now.before is None or now.deletes:
        return (now.text if text == was.text else text), 0
    if now.text != was.text:
        return merged(was.text, text, now.text)
    return merged(was.before, text, now.before)  # the program says the same, whatever the file holds


def handed_back(dialect: HookDialect, event: HookEvent, looked: Looked, texts: Sequence[str]) -> HandedBack:
    """What makes the program write these texts, one for each proposal."""
    proposals = looked.proposals or ()
    return dialect.writes.handed_back(event.tool, event.arguments, proposals, texts, looked.withheld)


def told_of(dialect: HookDialect, event: HookEvent, looked: Looked, proposal: FileProposal, text: str) -> Optional[str]:
    """What the program writes of one file once the user has accepted this text; None if the file goes."""
    if text == proposal.text:
        return None if proposal.deletes else text
    if text == proposal.before:
        return text
    if event.name not in dialect.edits_by:
        return proposal.text
    back = handed_back(dialect, event, looked._replace(proposals=(proposal,)), (text,))
    return text if back.is_complete else back.written[0]


def _is_of_no_file(path: str) -> bool:
    """Whether no file can have this name, and the program may write one with a name nearly like it; or whether the name
    means another file in each process."""
    try:
        os.lstat(path)
    except OSError:
        pass
    except ValueError:
        return True
    return _OF_ITS_PROCESS.match(path) is not None


def _below(place: str, folders: Sequence[str]) -> str:
    """The path of a file from its workspace folder on."""
    holding = [each for each in folders if place.startswith(os.path.join(each, ""))]
    return os.path.relpath(place, max(holding, key=len)) if holding else place


def _bytes_of(path: str, most: int) -> Optional[bytes]:
    """What the file holds, None if it is not there. Raises OSError, or ValueError if that is too much."""
    try:
        with files.opened(path, os.O_RDONLY) as (descriptor, found):
            if found.st_size > most:
                raise ValueError
            return files.read_all(descriptor, most)
    except (FileNotFoundError, NotADirectoryError):
        return None
