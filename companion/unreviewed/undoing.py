"""Undoes changes, and restores what was undone last.

Rule: a file is touched only while it holds byte for byte what was shown, and what it held is on the disk before. A
rename is taken back as a whole, or not at all. A file with unsaved edits in a tab is left to the tab. A link, a hard
link, a read-only or a special file is left alone, and so is a file below a link.

Content is written as an accepted text is, with its journal (`review.document.disk`). What is taken away goes into the
system's trash, where there is one; before that it has another name for a moment, which the journal knows. The trash is
the home trash of the FreeDesktop.org Trash specification 1.0 ("Trash directories", "Contents of a trash directory"), or
the folder `.Trash` of macOS. A file on another disk than the trash goes nowhere: copying it could fail half-way.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import itertools
import os
import secrets
import stat
import sys
import time
from contextlib import suppress
from functools import partial
from typing import Collection, Dict, Generator, List, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import quote

from ..common.workers import together
from ..comparison import Hunk
from ..review.document import disk
from ..review.document.disk import ChangedError, DiskError, Kind, Original, same_files
from ..review.document.file_replacement import beside
from ..review.document.journal import PlannedWrite, give_back, noted
from ..system.files import flush_folder, new_file, write_all
from .content import NOTHING, UNKNOWN, Content, full_path
from .model import Event, UnreviewedChange
from .reading import is_solid
from .store import Group, Step, Undone
from .texts import without_hunks
from .workspace import Workspace

DECIDED_SINCE = "{} is left as it is: something was decided, or written, since then."
GIT_AT_WORK = "{} is left as it is: git is changing files just now."
LEFT_IGNORED = "{} is left as it is: it is ignored by now. Look, then decide."


class FileBytes(NamedTuple):
    """The bytes of a file, None where there is none, and its permissions, 0 if they are not known."""

    data: Optional[bytes]
    mode: int


def exchange(folder: str, path: str, held: FileBytes, wanted: FileBytes, storage: str) -> None:
    """Make the file `path` below the real path `folder`, which is `held`, what is `wanted`. Raises `DiskError`."""
    full = full_path(folder, path)
    name = os.path.basename(full)
    _check_way(folder, path, name)
    original = _found(full, name, held)
    if wanted.data is None:
        _take_away(full, name, held.data or b"", storage)
        return
    disk.write(original, wanted.data, storage, wanted.mode)


def _check_way(folder: str, path: str, name: str) -> None:
    """Raise `DiskError` if a link, or a file, is on the way, now."""
    parent = path.rpartition("/")[0]
    while parent and not os.path.lexists(os.path.join(folder, parent)):
        parent = parent.rpartition("/")[0]
    if not is_solid(folder, parent):
        raise DiskError(f"{name} is left as it is: there is a file or a link on the way to it.")


def _found(full: str, name: str, held: FileBytes) -> Original:
    """The file, if it is `held` and may be touched. Raises `DiskError` else."""
    if held.data is None:
        _remove_empty(full)
        if os.path.lexists(full):
            raise DiskError(f"{name} is there again.")
        return Original(full, Kind.NEW)
    try:
        problem = _obstacle(os.lstat(full), held.mode)
    except (FileNotFoundError, NotADirectoryError):
        problem = "it is not there any more"
    except OSError as error:
        problem = f"it cannot be looked at ({error.strerror})"
    if problem:
        raise DiskError(f"{name} is left as it is: {problem}.")
    return disk.holding(full, held.data)


def _remove_empty(folder: str) -> None:
    """Remove a folder in which there is nothing but folders, to make room for a file that was there before it."""
    with suppress(OSError):
        if stat.S_ISDIR(os.lstat(folder).st_mode):
            found = list(os.walk(folder, topdown=False))
            if not any(files for _, _, files in found) and len(found) == 1 + sum(len(each) for _, each, _ in found):
                for each, _, _ in found:
                    os.rmdir(each)


def _obstacle(found: os.stat_result, mode: int) -> str:
    if not stat.S_ISREG(found.st_mode):
        return "it is not a regular file any more"
    if mode and stat.S_IMODE(found.st_mode) != mode:
        return "its permissions have changed since it was shown"
    if found.st_nlink > 1:
        return "it has several names on the disk"
    if not found.st_mode & stat.S_IWUSR:
        return "it is read-only"
    return ""


def _take_away(full: str, name: str, data: bytes, storage: str) -> None:
    """Rename a file, look again, and only then remove it. A program that writes to it meanwhile gets it back."""
    aside = beside(full)
    try:
        with noted(storage, PlannedWrite(full, aside, is_aside=True)) as note:
            os.rename(full, aside)
            try:
                disk.holding(aside, data)
                if not into_trash(aside, full):
                    os.unlink(aside)
            except BaseException as error:
                try:
                    is_back = give_back(aside, full)
                except OSError:
                    note.leave()  # the next start tries again
                    raise
                if not is_back:
                    raise DiskError(f"{name} has just changed on disk. What it held is now {aside}.") from error
                raise
    except ChangedError:
        raise ChangedError(f"{name} has just changed on disk.") from None
    except OSError as error:
        raise DiskError(f"{name} cannot be removed: {error.strerror}.") from error
    flush_folder(os.path.dirname(full))


# -- changes -----------------------------------------------------------------------------------------------------------


UNSAVED = "{} has unsaved edits in a tab."


class Refusal(NamedTuple):
    """A file that was left as it is, by its absolute path, and a sentence why."""

    path: str
    sentence: str
    unsaved: bool = False


class Progress:
    """How far an undo is: how many changes of how many it has dealt with, in several folders at once.

    `unsaved` are the files of tabs with unsaved edits; they may become others meanwhile.
    """

    def __init__(self, unsaved: Collection[str] = (), count: int = 0) -> None:
        self.unsaved = unsaved
        self._counts = [count]
        self._numbers = itertools.count(1)
        self.done = 0

    @property
    def count(self) -> int:
        """How many changes there are."""
        return sum(self._counts)

    def expect(self, count: int) -> None:
        """Note that there are so many more changes."""
        self._counts.append(count)

    def went_on(self) -> None:
        """Note that one more is dealt with."""
        self.done = next(self._numbers)


Undoing = Generator[None, None, List[Refusal]]
"""A job of a folder's queue. What it returns was left as it is."""


def undo(
    workspace: Workspace,
    changes: Sequence[UnreviewedChange],
    progress: Progress,
    storage: str,
    when: float,
    hunks: Sequence[Hunk] = (),
) -> Undoing:
    """Undo these changes of the workspace, or some of the hunks between the two texts of the only one.

    All that is to be restored together has one `when`, in seconds of the wall clock.
    """
    shown = [change for change in changes if change.now.there and not (change.ignored or change.excluded)]
    ignored = workspace.ignored_now([change.path for change in shown])
    refused_now = [Refusal(each.full_path, LEFT_IGNORED.format(each.path)) for each in changes if each.path in ignored]
    changes = [change for change in changes if change.path not in ignored]
    if not changes:
        return refused_now
    groups = {_group(change): change for change in changes}
    if hunks:
        (change,) = changes
        groups = {(Step(change.path, change.now, _without(workspace, change, hunks), change.origin),): change}
    former = workspace.last_undone
    try:
        ready = workspace.undoing(groups, when)
    except OSError as error:
        sentence = f"Nothing was undone, because it cannot be kept: {error.strerror or error}."
        return [*refused_now, *(Refusal(change.full_path, sentence) for change in changes)]
    done, refused = yield from _exchanged(workspace, ready, storage, progress)
    if ready:
        workspace.exchanged(Event.UNDONE, done, Undone(tuple(done), when) if done else former)
        workspace.refresh([step.path for group in ready for step in group])
    unknown = [change for group, change in groups.items() if group not in ready]
    return [Refusal(each.full_path, each.obstacle or _unknown(each.path)) for each in unknown] + refused_now + refused


def restore(workspace: Workspace, progress: Progress, storage: str, only: Optional[UnreviewedChange] = None) -> Undoing:
    """Restore what the last undo has taken, except in files that were touched since; with `only`, if it was just this
    change, or a part of it."""
    undone = workspace.last_undone
    last = [(group[-1].path, group[-1].held) for group in undone.groups]
    if only is not None and last != [(only.path, only.now)]:
        return [Refusal(only.full_path, DECIDED_SINCE.format(os.path.basename(only.path)))]
    progress.expect(len(undone.groups))
    try:
        workspace.restoring()
    except OSError as error:
        sentence = f"Nothing was restored, because it cannot be noted: {error.strerror or error}."
        return [Refusal(full_path(workspace.folder, group[-1].path), sentence) for group in undone.groups]
    backwards = [*map(_backwards, reversed(undone.groups))]
    done, refused = yield from _exchanged(workspace, backwards, storage, progress)
    left = set(undone.groups).difference(map(_backwards, done))
    undone_still = tuple(group for group in undone.groups if group in left)
    workspace.exchanged(Event.WRITTEN, done, Undone(undone_still, undone.when))
    workspace.refresh([step.path for group in undone.groups for step in group])
    return refused


def finish(workspace: Workspace, storage: str) -> None:
    """Finish an undo, or a restore, that the end of a process has cut short: no rename stays half done."""
    undone = workspace.last_undone
    if not undone.under_way:
        return
    for first, *rest in [group for group in undone.groups if len(group) > 1]:
        with suppress(DiskError):
            came_back = _state(workspace, first.path, first.wanted)
            disk.holding(full_path(workspace.folder, first.path), came_back.data or b"")
            _exchange_all(workspace, tuple(rest), storage)
    workspace.exchanged(Event.UNDONE, (), undone._replace(under_way=False))


def _group(change: UnreviewedChange) -> Group:
    path, old_path, origin = change.path, change.old_path, change.origin
    if old_path:
        return Step(old_path, NOTHING, change.before, origin), Step(path, change.now, NOTHING, origin)
    return (Step(path, change.now, change.before, origin),)


def _backwards(group: Group) -> Group:
    return tuple(step._replace(held=step.wanted, wanted=step.held) for step in reversed(group))


def _without(workspace: Workspace, change: UnreviewedChange, hunks: Sequence[Hunk]) -> Content:
    """The content of a file once these hunks are undone."""
    old, new = workspace.all_data([change.before, change.now])
    if old is None or new is None:
        return UNKNOWN
    data = without_hunks(old, new, hunks)
    return change.before if data == old else workspace.edits.content(data, change.now)


def _exchanged(
    workspace: Workspace, groups: Collection[Group], storage: str, progress: Progress
) -> Generator[None, None, Tuple[List[Group], List[Refusal]]]:
    """Exchange the files, each group as a whole. The groups that were done, and why others were not.

    What takes a file away comes first, then renames: what comes back may have been in its place, or in its folder's.
    """
    problems: Dict[Group, Optional[Refusal]] = {}
    for length, comes in ((1, False), (2, False), (1, True)):
        some = [group for group in groups if (len(group), group[-1].wanted.there) == (length, comes)]
        for group, problem in together(partial(_attempt, workspace, storage, progress), some):
            problems[group] = problem
            progress.went_on()
            yield
    done = [group for group in groups if problems[group] is None]
    return done, [problem for problem in map(problems.get, groups) if problem is not None]


def _attempt(workspace: Workspace, storage: str, progress: Progress, group: Group) -> Optional[Refusal]:
    """Do all of it, or nothing: then the result says why."""
    problem = _problem(workspace, group, progress.unsaved)
    if problem is None:
        try:
            _exchange_all(workspace, group, storage)
        except DiskError as error:
            return Refusal(full_path(workspace.folder, group[-1].path), str(error))
    return problem


def _exchange_all(workspace: Workspace, group: Group, storage: str) -> None:
    """All of it or nothing. Raises `DiskError`."""

    def do(step: Step) -> None:
        held, wanted = (_state(workspace, step.path, each) for each in (step.held, step.wanted))
        exchange(workspace.folder, step.path, held, wanted, storage)

    for number, step in enumerate(group):
        try:
            do(step)
        except DiskError:
            for former in _backwards(group[:number]):
                do(former)
            raise


def _problem(workspace: Workspace, group: Group, unsaved: Collection[str]) -> Optional[Refusal]:
    for step in group:
        full = full_path(workspace.folder, step.path)
        if not workspace.is_there():
            return Refusal(full, f"{os.path.basename(full)} is left as it is: its folder is another one by now.")
        if workspace.is_git_at_work():
            return Refusal(full, GIT_AT_WORK.format(os.path.basename(full)))
        if same_files(full, list(unsaved)):
            return Refusal(full, UNSAVED.format(os.path.basename(full)), unsaved=True)
    return None


def _state(workspace: Workspace, path: str, content: Content) -> FileBytes:
    """The bytes of a content. Raises `DiskError` if they are not known."""
    data = workspace.copies.data(content)
    if data is None:
        raise DiskError(_unknown(path))
    return FileBytes(data if content.there else None, content.mode)


def _unknown(path: str) -> str:
    return f"{path.rpartition('/')[2]} cannot be undone: what it held is not kept."


# -- the trash ---------------------------------------------------------------------------------------------------------


_PART_BYTES = 100  # of a name; disks have room for 255


def into_trash(path: str, former: str) -> bool:
    """Move the file at `path`, which was at `former`, into the trash. False if there is none for it."""
    if sys.platform == "win32":
        return False
    with suppress(OSError):
        if sys.platform == "darwin":
            _into_folder(path, os.path.basename(former), os.path.expanduser("~/.Trash"))
        else:
            data = os.environ.get("XDG_DATA_HOME", "")
            home = os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "Trash")
            _into_home_trash(path, former, home)
        return True
    return False


def _into_folder(path: str, name: str, folder: str) -> None:
    if os.path.lexists(os.path.join(folder, name)):
        name = _unlike_others(name)
    os.rename(path, os.path.join(folder, name))


def _into_home_trash(path: str, former: str, home: str) -> None:
    for folder in ("files", "info"):
        os.makedirs(os.path.join(home, folder), 0o700, exist_ok=True)
    name = _unlike_others(os.path.basename(former))  # desktops show the former one
    info = os.path.join(home, "info", name + ".trashinfo")
    with new_file(info) as descriptor:
        when = time.strftime("%Y-%m-%dT%H:%M:%S")
        about = f"[Trash Info]\nPath={quote(os.fsencode(former))}\nDeletionDate={when}\n"
        write_all(descriptor, 0, about.encode("ascii"))
        os.rename(path, os.path.join(home, "files", name))


def _unlike_others(name: str) -> str:
    """A name that is like no other, with which the trash has room for its own suffix."""
    root, extension = (os.fsencode(part)[:_PART_BYTES].decode("utf-8", "ignore") for part in os.path.splitext(name))
    return f"{root}.{secrets.token_hex(4)}{extension}"
