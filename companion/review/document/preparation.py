"""Judges the path of a review, reads its file, finds the tabs that show it, and compares: one step on a disk thread.

What only the main thread knows (limits, tabs, their encodings) comes as a snapshot, a `FileRequest`. The result is a
`Preparation`. A comparison that takes long is left to be made while the texts are shown. The file is looked at again
the same way while the review is open.

Rule: a path is judged and its file is read in the same step, so that both concern the same moment.

The editor is not known here. These calls block on the disk: disk threads only.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from typing import Callable, FrozenSet, Mapping, NamedTuple, Optional, Tuple

from ...agents.window import RESTORES_ALL, CannotDo, Restored
from ...common.clock import clock
from ...comparison import Cancelled, Whitespace, never
from . import disk
from .analysis import Compared, ComparisonQuestion, compare
from .disk import Kind, Original, ReadLimits
from .text import ProposedText
from .whole_file import WrittenText, proposed_text, whole_file_changes

logger = logging.getLogger("gemini_companion.review")

COMPARE_SECONDS = 0.05  # that the user waits for marks to come with the texts


class FileRequest(NamedTuple):
    """What the main thread knows of a file.

    `tabs` are the files of the tabs that may show it, with the editor's names for their encodings; the encoding is
    empty while a tab is loading. `ignored` is the whitespace that is not marked.
    """

    path: str
    limits: ReadLimits
    fallback_encoding: str
    tabs: Mapping[str, str]
    ignored: Whitespace = Whitespace.NONE


class Preparation(NamedTuple):
    """What was found. `same_files` are those of the tabs' names that lead to the file. `whole_file` says what changes
    in all of the file, in sentences. `compared` is the comparison of the two texts; None if it would have taken long,
    or if they are not compared."""

    original: Original
    same_files: FrozenSet[str]
    whole_file: Tuple[str, ...] = ()
    compared: Optional[Compared] = None


class FileState(NamedTuple):
    """The file, looked at again: whether it is not what was read, and the tabs' names that lead to it now."""

    changed: bool
    same_files: FrozenSet[str]


class PathError(CannotDo):
    """No diff can be shown for the path. The message is a sentence for the client."""


def prepare(
    file_request: FileRequest, proposed: str, restored: Restored = RESTORES_ALL
) -> Tuple[ProposedText, Preparation]:
    """Judge the path a client sent, read the file, and make the proposal ready. `restored` says what of the file the
    client restores when it writes. Raises `PathError`."""
    problem = path_problem(file_request.path)
    if problem is not None:
        raise PathError(problem)
    proposal = ProposedText(proposed, restored)
    found = read(file_request, proposal)
    compared = None
    if found.original.comparable and not proposal.format.binary:
        end = clock.now() + COMPARE_SECONDS
        with suppress(Cancelled):
            question = ComparisonQuestion(
                found.original.text, (proposal.shown,), file_request.ignored, file_request.limits
            )
            compared = compare(question, lambda: clock.now() > end)
    return proposal, found._replace(compared=compared)


def read(
    file_request: FileRequest, proposal: Optional[ProposedText] = None, cancelled: Callable[[], bool] = never
) -> Preparation:
    """Read the file, in the encoding of a tab that shows it, and say what changes in all of it by the proposal, if that
    is known. Never raises."""
    same = disk.same_files(file_request.path, file_request.tabs)
    encodings = [encoding for name, encoding in file_request.tabs.items() if name in same and encoding]
    encoding = next(iter(encodings), "")
    original = disk.read(file_request.path, file_request.limits, encoding, file_request.fallback_encoding)
    return Preparation(original, same, changes_of_file(original, proposal) if proposal is not None else ())


def changes_of_file(original: Original, proposal: ProposedText) -> Tuple[str, ...]:
    """What changes in all of the file when the proposal is accepted, in sentences."""
    if original.kind is not Kind.TEXT:
        return ()
    before = WrittenText(original.exact, original.encoding)
    return whole_file_changes(before, proposed_text(before, proposal.exact, proposal.restored))


def check_file(original: Original, tabs: Mapping[str, str], cancelled: Callable[[], bool] = never) -> FileState:
    """Find out whether the file is still what was read, and which tabs show it."""
    return FileState(disk.changed(original), disk.same_files(original.path, tabs))


def path_problem(path: str) -> Optional[str]:
    """A sentence that says why no diff can be shown for `path`, or None."""
    if "\0" in path:
        return "filePath contains a NUL character."
    if any("\ud800" <= character <= "\udfff" for character in path):
        return "filePath contains half of a surrogate pair."
    if not os.path.isabs(path):
        return "filePath must be an absolute path, but it is relative."
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not os.path.basename(path):
            return "filePath ends like a folder, not like a file."
        return disk.dangling(path) or None  # None: a new file
    except NotADirectoryError:
        return "filePath leads through a file as if it were a folder."
    except (OSError, ValueError) as error:
        # A file that cannot be looked at can still be reviewed, as far as the client's text goes.
        logger.info("could not look at a file that a diff is asked for: %s", type(error).__name__)
        return None
    if stat.S_ISDIR(mode):
        return "filePath is a folder, not a file."
    if not stat.S_ISREG(mode):
        return "filePath is not a regular file."
    return None
