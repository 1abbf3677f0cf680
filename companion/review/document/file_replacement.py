"""Replaces the content of a file: by all of the new bytes, or not at all, whatever fails and whenever the process ends.

Theory of operation. The journal has the old and the new bytes before the first one changes. Then the file is written
over in place, so that its names, its owner and its attributes stay. The order of the steps makes each failure one that
can be taken back: 1. If the new text is longer, its end is written behind the old text and flushed. Only this needs
room on the disk. If it fails, the file is cut to its old length. 2. The old bytes are overwritten and flushed. This
needs no room, unless the file system copies what it overwrites. If it fails, the old bytes are written back. 3. If the
new text is shorter, the rest of the file is cut off. If the file cannot even be written back, a new file with the old
bytes takes its place. If that fails too, the entry stays in the journal, and the next start tries again.

A new file is written beside its place, and gets its name only then, and only if it is still free.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from functools import partial
from typing import List, Tuple

from ...system import shared_folders
from ...system.files import Stamp, flush, flush_folder, new_file, read_all, remove, write_all
from .journal import PlannedWrite, give_name, noted, put_back, set_mode

SUFFIX = ".gemini-companion"  # of the files that are beside another for a moment


class DamagedError(OSError):
    """The file holds neither the old bytes nor the new ones; the journal has both."""


class OvertakenError(OSError):
    """Somebody else has written to the file since it was opened."""


# -- a new file -------------------------------------------------------------------------------------------------------


def create(path: str, data: bytes, storage: str, mode: int = 0) -> None:
    """Make the file, with these permissions unless they are 0, and the folders that lead to it.

    Raises `OSError`; nothing new is left then.
    """
    shared_folders.check(path)
    folder, name = os.path.split(path)
    folder = os.path.realpath(folder)
    missing = _missing_folders(folder)
    entry = PlannedWrite(os.path.join(folder, name), beside(os.path.join(folder, name)), missing)
    with noted(storage, entry) as note:
        made: List[str] = []
        try:
            for each in missing:
                with suppress(FileExistsError):  # somebody else has just made it
                    os.mkdir(each)
                    made.append(each)
            with new_file(entry.beside, 0o666) as descriptor:
                write_all(descriptor, 0, data)
                set_mode(descriptor, entry.beside, mode)
                flush(descriptor)
            try:
                give_name(entry.beside, entry.path, partial(note.change, entry._replace(holds_place=True)))
            finally:
                remove(entry.beside)
        except BaseException:
            for each in reversed(made):
                with suppress(OSError):  # somebody else may use it already
                    os.rmdir(each)
            raise
        for each in (*made, entry.path):
            flush_folder(os.path.dirname(each))


def _missing_folders(folder: str) -> Tuple[str, ...]:
    """What is missing of the path `folder`, outermost first."""
    missing: List[str] = []
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return tuple(missing)


# -- a file that is there ---------------------------------------------------------------------------------------------


def replace_content(
    descriptor: int, found: os.stat_result, path: str, old: bytes, new: bytes, storage: str, mode: int = 0
) -> None:
    """Make `new` the content of the open file at `path`, which holds `old`; `found` is its status before that was read.

    Unless `mode` is 0, it is given these permissions.

    Raises `OSError`; the file holds `old` then, except after a `DamagedError`, or what an `OvertakenError` tells of.
    """
    former = stat.S_IMODE(found.st_mode)
    mode = mode or former
    if (old, former) == (new, mode):
        return
    target = os.path.realpath(path)
    entry = PlannedWrite(target, beside(target), identity=Stamp.of(found).file, old=old, new=new, modes=(former, mode))
    with noted(storage, entry) as note:
        try:
            _check_untouched(descriptor, found, entry)
            set_mode(descriptor, path, mode)
            rewrite(descriptor, entry)
        except DamagedError:
            note.leave()
            raise
        except BaseException:
            _restore_mode(descriptor, path, former)
            raise
        _restore_mode(descriptor, path, mode)


def rewrite(descriptor: int, entry: PlannedWrite) -> None:
    """Write the new bytes over the old ones in place. Raises `OSError`; the file holds the old ones then, except after
    a `DamagedError`.
    """
    old, new = entry.old, entry.new
    kept = len(old)
    try:
        if len(new) > kept:
            write_all(descriptor, kept, new[kept:])
            flush(descriptor)
        write_all(descriptor, 0, new[:kept])
        flush(descriptor)
        if len(new) < kept:
            os.ftruncate(descriptor, len(new))
            flush(descriptor)
    except OSError as error:
        try:
            put_back(descriptor, entry)
        except OSError:
            raise DamagedError(error.errno, error.strerror) from error
        raise


def _check_untouched(descriptor: int, found: os.stat_result, entry: PlannedWrite) -> None:
    """Raise `OvertakenError` unless the path still leads to the open file, and that holds what it did."""
    if not os.path.samestat(os.stat(entry.path), found) or read_all(descriptor, len(entry.old)) != entry.old:
        raise OvertakenError(errno.EBUSY, "somebody else has just written to it")


def _restore_mode(descriptor: int, path: str, mode: int) -> None:
    """The system takes the set-user-id mark off what anybody but root writes to."""
    with suppress(OSError):
        set_mode(descriptor, path, mode)


def beside(target: str) -> str:
    """The path of a new file in the folder of `target`."""
    folder, name = os.path.split(target)
    # A name has at most 255 bytes, so that of a file with a long one cannot be part of it.
    return os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}{SUFFIX}")
