"""Undoes an Accept: puts into the file what it held before, as an undo of a change does.

Theory of operation: a disk thread finds out whether the file holds exactly what was accepted. Then the main thread ends
the wait for that text: it was in its file. Then a disk thread exchanges the bytes, if the file still holds what was
found. For the folders that are tracked this is a save of the user, so that it is no agent's change.

Rule: a file that holds anything else, or has unsaved edits in a tab, is left as it is, and the user learns why. Main
thread, except where noted.
"""

from __future__ import annotations

import os
from functools import partial
from typing import FrozenSet, Optional, Tuple, Union

import sublime

from ..editor.file_views import unsaved_files
from ..editor.status_bar import say
from ..review.acceptances import Acceptance
from ..review.accepted_texts import AcceptedTexts
from ..review.document import disk
from ..review.document.disk import DiskError, Kind, Original, same_files
from ..system.files import opened, read_all, real_place
from .tracking import Answers, Tracking
from .undoing import GIT_AT_WORK, UNSAVED, FileBytes, exchange
from .workspace import Workspace

UNDONE = "{} is again as it was before you accepted; {} does not know of that"
NOT_WRITTEN = "{} still holds what it held before: {} has not written what you accepted"
CHANGED = "{} has changed since you accepted it: nothing was undone"
NOT_YET = "{} does not hold what you accepted yet: nothing was undone"
UNKNOWN = "what {} held before is not known: nothing was undone"
RENAMED = "{} was renamed with what you accepted: nothing was undone"


class UndoAccept:
    """Undoes the last Accept of one window."""

    def __init__(self, window: sublime.Window, tracking: Tracking) -> None:
        self._window = window
        self._tracking = tracking

    def run(self, texts: AcceptedTexts) -> None:
        """Take back the last Accept of these, or say why that cannot be done."""
        accepted = texts.acceptances.last()
        if accepted is not None:
            find = partial(_find, accepted, texts.awaits(accepted.path), unsaved_files())
            self._tracking.use_disk(find, partial(self._found, texts, accepted))

    def _found(
        self, texts: AcceptedTexts, accepted: Acceptance, found: Union[str, Tuple[FileBytes, FileBytes]]
    ) -> None:
        if isinstance(found, str):
            say(self._window, found)
            return
        texts.arrived(accepted.path, accepted.text)
        self._tracking.saves.begin(accepted.path)

        def exchange_bytes(answers: Answers) -> None:
            do = partial(_exchange, accepted.path, *found, unsaved_files(), self._tracking.storage())
            self._tracking.use_disk(partial(do, any(answers.values())), exchanged)

        def exchanged(problem: str) -> None:
            told = partial(self._told, texts, accepted, problem)
            if problem:
                told()
            else:
                do = partial(_take_over, found[1].data)
                self._tracking.carry_out_at(accepted.path, do, lambda _: told(), real_place)

        # The wait for what was accepted has ended, so each folder learns first that it is in the file.
        self._tracking.carry_out_at(accepted.path, _refresh, exchange_bytes, real_place)

    def _told(self, texts: AcceptedTexts, accepted: Acceptance, problem: str) -> None:
        self._tracking.saves.ended(accepted.path)
        if not problem:
            texts.acceptances.undone(accepted)
        say(self._window, problem or UNDONE.format(accepted.name, accepted.client))
        self._tracking.sign()


# -- on a disk thread --------------------------------------------------------------------------------------------------


def _find(accepted: Acceptance, awaited: bool, unsaved: FrozenSet[str]) -> Union[str, Tuple[FileBytes, FileBytes]]:
    """What the file holds, which was accepted, and what it held before; or a sentence why nothing can be undone. What
    was accepted is `awaited` while a client or we still have to write it."""
    name, original = accepted.name, accepted.original
    if accepted.old_path:
        return RENAMED.format(name)
    if original is None:
        return UNKNOWN.format(name)
    if same_files(accepted.path, unsaved):
        return UNSAVED.format(name)
    try:
        held = _bytes(accepted.path, max(original.stamp.size, 4 * len(accepted.text or "")) + disk.SLACK_BYTES)
        if disk.was_read(original, held):
            return NOT_WRITTEN.format(name, accepted.client)
        if not _is_accepted(accepted, original, held):
            return (NOT_YET if awaited else CHANGED).format(name)
        before = _before(original)
    except (OSError, ValueError) as error:
        return f"{name} cannot be read: {error}"
    except DiskError as error:
        return str(error)
    if not disk.was_read(original, before):
        return UNKNOWN.format(name)
    return FileBytes(held, 0), FileBytes(before, original.mode if held is None else 0)


def _bytes(path: str, most: int) -> Optional[bytes]:
    """What a file holds, up to one byte more than `most`; None where there is none."""
    try:
        with opened(path, os.O_RDONLY) as (descriptor, _):
            return read_all(descriptor, most)
    except FileNotFoundError:
        return None


def _is_accepted(accepted: Acceptance, original: Original, held: Optional[bytes]) -> bool:
    """Whether the file, which holds these bytes, holds just what was accepted."""
    if accepted.text is None or held is None:
        return accepted.text is None and held is None
    found = disk.find(accepted.path, accepted.text, encoding=original.encoding, last_line_end_matters=False)
    if found is None or not disk.was_read(found, held):
        return False
    return accepted.fingerprint in ("", found.fingerprint)


def _before(original: Original) -> Optional[bytes]:
    """What the file held. Raises `DiskError` if that was no text."""
    return None if original.kind is Kind.NEW else disk.encoded(original, original.exact)


def _refresh(workspace: Workspace, name: str) -> bool:
    """Look at the file. Whether git is changing files just now."""
    workspace.refresh([name])
    return workspace.is_git_at_work()


def _exchange(
    path: str, held: FileBytes, wanted: FileBytes, unsaved: FrozenSet[str], storage: str, is_git_at_work: bool
) -> str:
    """Make the file, which is `held`, what is `wanted`. What went wrong, or an empty text."""
    name = os.path.basename(path)
    if is_git_at_work:
        return GIT_AT_WORK.format(name)
    if same_files(path, unsaved):
        return UNSAVED.format(name)
    try:
        exchange(*os.path.split(real_place(path)), held, wanted, storage)
    except DiskError as error:
        return str(error)
    return ""


def _take_over(data: Optional[bytes], workspace: Workspace, name: str) -> None:
    """Note that the user has given the file these bytes, or has removed it."""
    if data is None:
        workspace.removed(name)
    else:
        workspace.saved(name, data)
