"""Gives a file other content, or takes it away, if it holds exactly what it is expected to hold.

Rule: refuse when unsure. A link, a hard link, a read-only or a special file is left alone, and so is a file below a
link. Content is written as an accepted text is, with its journal (`review.document.disk`). What is taken away goes into
the system's trash, where there is one; before that it has another name for a moment, which the journal knows.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import NamedTuple, Optional

from ..review.document import disk
from ..review.document.disk import ChangedError, DiskError, Kind, Original
from ..review.document.file_replacement import beside
from ..review.document.journal import Entry, give_back, noted
from ..system.files import flush_folder
from .contents import full_path
from .looking import is_solid
from .trash import into_trash


class State(NamedTuple):
    """The bytes of a file, None where there is none, and its permissions, 0 if they are not known."""

    data: Optional[bytes]
    mode: int


def exchange(folder: str, path: str, held: State, wanted: State, storage: str) -> None:
    """Make the file `path` below the real path `folder`, which is `held`, what is `wanted`. Raises `DiskError`."""
    full = full_path(folder, path)
    name = os.path.basename(full)
    _check_way(folder, path, name)
    original = _found(full, name, held)
    if wanted.data is None:
        _take_away(full, name, held.data or b"", storage)
        return
    disk.write(original, wanted.data, storage)
    try:
        if wanted.mode and wanted.mode != stat.S_IMODE(os.lstat(full).st_mode):
            os.chmod(full, wanted.mode)
    except OSError as error:
        if held.data is not None:  # what nobody could restore stays
            disk.write(disk.holding(full, wanted.data), held.data, storage)
        raise DiskError(f"The permissions of {name} cannot be changed: {error.strerror}.") from error


def _check_way(folder: str, path: str, name: str) -> None:
    """Raise `DiskError` if a link, or a file, is on the way, now."""
    parent = path.rpartition("/")[0]
    while parent and not os.path.lexists(os.path.join(folder, parent)):
        parent = parent.rpartition("/")[0]
    if not is_solid(folder, parent):
        raise DiskError(f"{name} is left as it is: there is a file or a link on the way to it.")


def _found(full: str, name: str, held: State) -> Original:
    """The file, if it is `held` and may be touched. Raises `DiskError` else."""
    if held.data is None:
        _remove_empty(full)
        if os.path.lexists(full):
            raise DiskError(f"{name} is there again.")
        return Original(full, Kind.NEW)
    try:
        problem = _problem(os.lstat(full), held.mode)
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


def _problem(found: os.stat_result, mode: int) -> str:
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
    """Rename first, look again, and only then remove: who writes to it meanwhile gets it back."""
    aside = beside(full)
    try:
        with noted(storage, Entry(full, aside, is_aside=True)) as note:
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
