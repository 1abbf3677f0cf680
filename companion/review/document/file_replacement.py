"""Replaces the content of a file: by all of the new bytes, or not at all, whatever fails and whenever the process ends.

Theory of operation. What is about to be done is noted in the journal first. Then a file is written in one of two ways.

*Replaced*: the new bytes go into a hidden file beside it, are flushed to the disk, and one rename puts them in place.
Nothing can go wrong half-way. But the result is another file, so this is done only where nobody can tell: we own the
file, it has one name, and its mode, group and extended attributes (access lists among them) can be given to the new one
and have been found there.

*Rewritten* everywhere else (hard links, another owner, a folder in which nothing may be made, macOS and Windows, whose
attributes Python cannot copy). The journal has the old bytes. A copy of them is put beside the file too, if the folder
allows it, because a rename needs no room. Then the order of the steps makes each failure one that can be taken back:
1. If the new text is longer, its end is written behind the old text and flushed. Only this needs room on the disk. If
   it fails, the file is cut to its old length.
2. The old bytes are overwritten and flushed. This needs no room. If it fails, they are written back.
3. If the new text is shorter, the rest of the file is cut off.
If even taking back fails, the copy is renamed into place. If that fails too, it stays, the error names it, and the next
start tries again.

A new file is written beside its place as well, and gets its name only then, and only if nobody else has taken it.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import errno
import logging
import os
import secrets
import stat
from contextlib import suppress
from functools import partial
from typing import List, Tuple

from ...system.files import flush, flush_folder, identity_of, new_file, read_all, remove, write_all
from .journal import Entry, give_name, noted, put_back

logger = logging.getLogger("gemini_companion.review")

SUFFIX = ".gemini-companion"  # of the files that are beside another for a moment

_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV, errno.ENOTSUP, errno.ENAMETOOLONG}


class DamagedError(OSError):
    """The file holds neither the old bytes nor the new ones. `copy` is a file with the old ones, or empty."""

    def __init__(self, cause: OSError, copy: str) -> None:
        super().__init__(cause.errno, cause.strerror)
        self.copy = copy


class OvertakenError(OSError):
    """Somebody else has written to the file since it was opened."""


class _NotReplaceable(Exception):
    """The file cannot be replaced without a trace; it may be rewritten."""


# -- a new file -------------------------------------------------------------------------------------------------------


def create(path: str, data: bytes, storage: str) -> None:
    """Make the file, and the folders that lead to it. Raises `OSError`; nothing new is left then."""
    folder, name = os.path.split(path)
    folder = os.path.realpath(folder)
    missing = _missing_folders(folder)
    entry = Entry(os.path.join(folder, name), beside(os.path.join(folder, name)), missing)
    with noted(storage, entry) as note:
        made: List[str] = []
        try:
            for each in missing:
                with suppress(FileExistsError):  # somebody else has just made it
                    os.mkdir(each)
                    made.append(each)
            with new_file(entry.beside, 0o666) as descriptor:
                write_all(descriptor, 0, data)
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


def replace_content(descriptor: int, found: os.stat_result, path: str, old: bytes, new: bytes, storage: str) -> None:
    """Make `new` the content of the open file at `path`, which holds `old`; `found` is its status before that was read.

    Raises `OSError`; the file holds `old` then, except after a `DamagedError`, or what an `OvertakenError` tells of.
    """
    if old == new:
        return
    target = os.path.realpath(path)
    replacing = Entry(target, beside(target))
    rewriting = replacing._replace(identity=identity_of(found), old=old, new=new)
    obstacle = _obstacle(found)
    with noted(storage, rewriting if obstacle else replacing) as note:
        if not obstacle:
            try:
                _replace(descriptor, found, rewriting)
                return
            except _NotReplaceable as reason:
                obstacle = str(reason)
                note.change(rewriting)
        logger.debug("the file is rewritten in place: %s", obstacle)
        copy = _make_copy(rewriting)
        try:
            _check_untouched(descriptor, found, rewriting)
            rewrite(descriptor, rewriting, copy)
        except DamagedError:
            note.leave()
            raise
        except BaseException:
            remove(copy)
            raise
        remove(copy)


def _make_copy(entry: Entry) -> str:
    """The path of a copy of the old bytes, "" if the folder allows none. Raises `OSError` if the disk is full."""
    try:
        with new_file(entry.beside) as descriptor:
            write_all(descriptor, 0, entry.old)
            with suppress(OSError, _NotReplaceable):
                _take_over(os.stat(entry.path), entry.path, descriptor)
            flush(descriptor)
    except OSError as error:
        if error.errno not in _NOT_ALLOWED:
            raise
        return ""
    return entry.beside


def rewrite(descriptor: int, entry: Entry, copy: str) -> None:
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
            put_back(descriptor, entry, copy)
        except OSError:
            raise DamagedError(error, copy) from error
        raise


def _check_untouched(descriptor: int, found: os.stat_result, entry: Entry) -> None:
    """Raise `OvertakenError` unless the path still leads to the open file, and that holds what it did."""
    if not os.path.samestat(os.stat(entry.path), found) or read_all(descriptor, len(entry.old)) != entry.old:
        raise OvertakenError(errno.EBUSY, "somebody else has just written to it")


def _obstacle(found: os.stat_result) -> str:
    """Why the file cannot be replaced, as far as that is known beforehand."""
    if not hasattr(os, "listxattr"):
        return "its attributes cannot be copied on this system"
    if found.st_nlink != 1 or found.st_uid != os.geteuid():
        return "it has several names, or another owner"
    return ""


def _replace(descriptor: int, found: os.stat_result, entry: Entry) -> None:
    try:
        _write_beside(entry.beside, entry.new, found, descriptor)
    except OSError as error:
        if error.errno in _NOT_ALLOWED:
            raise _NotReplaceable("nothing may be made in its folder") from error
        raise
    try:
        # A moment has passed: somebody may have written, or made another file of it.
        _check_untouched(descriptor, found, entry)
        try:
            os.replace(entry.beside, entry.path)
        except OSError as error:
            if error.errno in _NOT_ALLOWED:
                raise _NotReplaceable("it may not be renamed over") from error
            raise
        newer = read_all(descriptor)
        if newer != entry.old:
            # Somebody had opened the file before, and has written to it in this very moment: that stays.
            _write_beside(entry.beside, newer, found, descriptor)
            os.replace(entry.beside, entry.path)
            raise OvertakenError(errno.EBUSY, "somebody else has just written to it")
    except BaseException:
        remove(entry.beside)
        raise
    flush_folder(os.path.dirname(entry.path))


def _write_beside(path: str, data: bytes, found: os.stat_result, source: int) -> None:
    """Make a file with the owner, mode and attributes of another one. Raises `OSError`, `_NotReplaceable`."""
    with new_file(path) as descriptor:
        write_all(descriptor, 0, data)
        _take_over(found, source, descriptor)
        flush(descriptor)


def _take_over(found: os.stat_result, source: int | str, descriptor: int) -> None:
    """Give the open file the owner, mode and attributes of another. Raises `_NotReplaceable` if that cannot be."""
    if not hasattr(os, "fchown"):
        raise _NotReplaceable("this system knows no owners")
    try:
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (found.st_uid, found.st_gid):
            os.fchown(descriptor, found.st_uid, found.st_gid)
        if hasattr(os, "listxattr"):
            wanted = {name: os.getxattr(source, name) for name in _attributes(source)}
            for name in _attributes(descriptor):
                if name not in wanted:  # what the folder hands down
                    os.removexattr(descriptor, name)
            for name, value in wanted.items():
                os.setxattr(descriptor, name, value)
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
        mine = os.fstat(descriptor)
        same = (mine.st_uid, mine.st_gid, mine.st_mode) == (found.st_uid, found.st_gid, found.st_mode)
        if hasattr(os, "listxattr"):
            same = same and {name: os.getxattr(descriptor, name) for name in _attributes(descriptor)} == wanted
    except OSError as error:
        raise _NotReplaceable("its owner, mode or attributes cannot be copied") from error
    if not same:
        raise _NotReplaceable("its owner, mode or attributes were not taken")


def _attributes(file: int | str) -> List[str]:
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return []  # a file system without any
        raise


def beside(target: str) -> str:
    """The path of a new file in the folder of `target`."""
    folder, name = os.path.split(target)
    # A name has at most 255 bytes, so that of a file with a long one cannot be part of it.
    return os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}{SUFFIX}")
