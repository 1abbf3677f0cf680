"""What the next run has to know: files that are being written, and accepted texts that are not in their files yet.

*Notes*: before the first byte of a file changes, a note in the package's storage names the file, what else is made in
its folder for a moment, and, where the file is rewritten, all of its old and its new bytes. The note goes when the file
is whole. One that is not in use was left by a run that ended in the midst of a write. The next run ends that write:
the file has its old text again, and nothing lies about. A file that was changed since then is not touched, and its old
text is kept: only a file that is made up of old and new bytes, each at its place, is what such a run left behind. Its
number says that it is the same file; the number of the device does not, because many systems give devices other ones
when they start.

*Kept texts*: what the user accepted outlives the editor. Each text is a file of its own, in use by the window whose
text it is. One that is not in use is taken by another window, the next run, or another editor on the same folder.
One that cannot be read is set aside, and never removed. One that took the place of another says so: of the two that a
process leaves that ended before it removed the older one, only the newer counts.

The editor is not known here. These calls block on the disk: disk threads, except where noted.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
from contextlib import contextmanager, suppress
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from ...common.clock import clock
from ...common.waiting import InOrder
from ...system import files
from ...system.files import NotRegularError, PrivateFile, flush, new_file, opened, read_all, write_all
from .text import portions

if TYPE_CHECKING:
    from ...common.workers import Computation
    from ...runtime import Runtime

logger = logging.getLogger("gemini_companion.review")

SUFFIX = ".write"
PATIENCE_SECONDS = 30 * 24 * 3600.0  # how long a drive that is away is waited for
_BLOCK = 1 << 12


class StorageError(OSError):
    """Nothing can be noted in the package's storage."""


class PlannedWrite(NamedTuple):
    """What is done to the file `path`, in which no link is left to follow.

    `beside` is the file that is made beside it for a moment, `folders` are those made for it, outermost first.
    `holds_place` is whether a file without content keeps its name free; `is_aside` whether `beside` is the file itself,
    renamed to be removed. `identity` is which file it is; it, the bytes and the `modes` before and afterwards are given
    if it is rewritten.
    """

    path: str
    beside: str
    folders: Tuple[str, ...] = ()
    holds_place: bool = False
    identity: Tuple[int, int] = (0, 0)
    old: bytes = b""
    new: bytes = b""
    is_aside: bool = False
    modes: Tuple[int, int] = (0, 0)


class Note:
    """An entry on the disk, in the folder `storage`. Making and changing it raises `StorageError`."""

    def __init__(self, storage: str, entry: PlannedWrite) -> None:
        self._storage = storage
        self._file = self._made(entry)

    def change(self, entry: PlannedWrite) -> None:
        """Something else is done now."""
        former, self._file = self._file, self._made(entry)
        former.remove()

    def leave(self) -> None:
        """Leave it to the next start."""
        self._file.release()

    def remove(self) -> None:
        """The file is whole. Never raises."""
        self._file.remove()

    def _made(self, entry: PlannedWrite) -> PrivateFile:
        fields = entry._asdict()
        old, new = fields.pop("old"), fields.pop("new")
        head = json.dumps(dict(fields, size=len(old))).encode("ascii")
        try:
            return files.make(self._storage, SUFFIX, b"\n".join((head, old)) + new)
        except OSError as error:
            raise StorageError(error.errno, error.strerror) from error


@contextmanager
def noted(storage: str, entry: PlannedWrite) -> Iterator[Note]:
    """Have the entry on the disk for the duration of the block. Raises `StorageError` if that cannot be."""
    note = Note(storage, entry)
    try:
        yield note
    finally:
        note.remove()


def read(note: PrivateFile) -> PlannedWrite:
    """What was noted. Raises `OSError`, or `ValueError` if it cannot be understood."""
    head, _, rest = note.read().partition(b"\n")
    try:
        fields = json.loads(head.decode("ascii"))
        size = fields.pop("size")
        folders: List[str] = fields.pop("folders")
        device, number = fields.pop("identity")
        former, mode = fields.pop("modes", (0, 0))
        entry = PlannedWrite(
            **fields,
            folders=tuple(folders),
            identity=(device, number),
            old=rest[:size],
            new=rest[size:],
            modes=(former, mode),
        )
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(type(error).__name__) from error
    if not all(isinstance(each, str) for each in (entry.path, entry.beside, *entry.folders)):
        raise ValueError("a path is none")
    return entry


# -- bringing to an end -----------------------------------------------------------------------------------------------


class _ChangedError(Exception):
    """The file, which may have been left half written, is another since."""


def recover(storage: str, cancelled: Callable[[], bool]) -> List[str]:
    """Finish every write that was interrupted, and return sentences for the user. Never raises.

    What does not work now is left to the next start, for `PATIENCE_SECONDS`; then the note is set aside.
    """
    said: List[str] = []
    for note in files.left_over(storage, SUFFIX):
        try:
            entry = read(note)
            sentence = _end(entry)
        except ValueError:
            sentence = f"a note on a file that was being written cannot be read: it is now {note.set_aside()}"
        except _ChangedError:
            name, aside = os.path.basename(entry.path), note.set_aside()
            changed = f"{name} was being written when the editor ended, and has been changed since"
            sentence = f"{changed}: its former text is in {aside}"
        except OSError as error:
            logger.error("what a write left behind could not be brought to an end: %s", error.strerror)
            if note.age() < PATIENCE_SECONDS:
                note.release()
                continue
            cannot = "a file that was being written when the editor ended cannot be reached"
            sentence = f"{cannot}: the note on it is now {note.set_aside()}"
        else:
            note.remove()
        if sentence:
            logger.warning("%s", sentence)
            said.append(sentence)
    return said


def _end(entry: PlannedWrite) -> str:
    """A sentence if the file was half written. Raises `OSError` if it still is, or cannot be looked at."""
    os.stat(os.path.dirname(entry.folders[0] if entry.folders else entry.path))  # its drive may be elsewhere today
    if entry.is_aside:
        return _end_removal(entry)
    put_back = (entry.old != entry.new or any(entry.modes)) and _put_back(entry)
    if entry.holds_place:
        with suppress(FileNotFoundError):
            if not os.lstat(entry.path).st_size:
                os.unlink(entry.path)
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(entry.beside)
    for folder in reversed(entry.folders):
        with suppress(OSError):  # it is in use by now
            os.rmdir(folder)
    name = os.path.basename(entry.path)
    return f"{name} was being written when the editor ended: it has its former text again" if put_back else ""


def _end_removal(entry: PlannedWrite) -> str:
    """Give the file its name again: it was not looked at since it has another one. A sentence if there is one."""
    try:
        os.lstat(entry.beside)
    except FileNotFoundError:
        return ""
    removed = f"{os.path.basename(entry.path)} was being removed when the editor ended"
    if give_back(entry.beside, entry.path):
        return f"{removed}: it is there again"
    return f"{removed}, and there is another one by now: what it held is in {entry.beside}"


def give_back(aside: str, path: str) -> bool:
    """Give a file its name again, unless somebody else has taken that: then it stays under the other one.

    Raises `OSError`; then it has the other one, too.
    """
    try:
        give_name(aside, path)
    except FileExistsError:
        if not os.path.samestat(os.lstat(aside), os.lstat(path)):
            return False
    with suppress(FileNotFoundError):
        os.unlink(aside)  # it has both names
    return True


def give_name(made: str, path: str, hold: Callable[[], None] = lambda: None) -> None:
    """Give the file `made` the name `path`, which is free; it may keep its own. Raises `OSError`, which is a
    `FileExistsError` if it is taken by now. `hold` is called before an empty file is made to hold the place."""
    if os.name == "nt":
        os.rename(made, path)  # which replaces no file on this system
        return
    try:
        os.link(made, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: an empty file keeps everybody else from the name
        hold()
        with new_file(path):
            os.replace(made, path)


def put_back(descriptor: int, entry: PlannedWrite) -> None:
    """Restore the old bytes in the open file, or else in a new one in its place. Raises `OSError` if neither works."""
    try:
        if os.fstat(descriptor).st_size > len(entry.old):
            os.ftruncate(descriptor, len(entry.old))  # first, because it makes room
        write_all(descriptor, 0, entry.old)
        flush(descriptor)
        if read_all(descriptor) == entry.old:
            return
    except OSError as error:
        logger.error("what was written could not be taken back: %s", error.strerror)
    _put_another(entry)


def _put_another(entry: PlannedWrite) -> None:
    """Put a new file with the old bytes in the place of the one that cannot be written. Raises `OSError`."""
    files.remove(entry.beside)  # an earlier try may have left it
    with new_file(entry.beside) as made:
        write_all(made, 0, entry.old)
        with suppress(OSError):
            _take_over(entry.path, made)
        flush(made)
    try:
        with opened(entry.beside, os.O_RDONLY) as (again, _):
            if read_all(again, len(entry.old)) != entry.old:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.replace(entry.beside, entry.path)
    except OSError:
        files.remove(entry.beside)
        raise


def _take_over(path: str, descriptor: int) -> None:
    """Give the open file, which is the user's alone, the owner, mode and attributes of the one at `path`, as far as the
    system lets us. Raises `OSError` where it stops."""
    if not hasattr(os, "fchown"):
        return
    found = os.stat(path)
    os.fchown(descriptor, found.st_uid, found.st_gid)  # first: the mode lets these read it
    os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
    if hasattr(os, "listxattr"):  # macOS has attributes as well, but no way to them in Python
        wanted = {name: os.getxattr(path, name) for name in os.listxattr(path)}
        for name in os.listxattr(descriptor):
            if name not in wanted:  # what the folder hands down
                os.removexattr(descriptor, name)
        for name, value in wanted.items():
            os.setxattr(descriptor, name, value)


def set_mode(descriptor: int, path: str, mode: int) -> None:
    """Give the open file at `path` these permissions, if they are not 0. Raises `OSError`."""
    if mode and mode != stat.S_IMODE(os.fstat(descriptor).st_mode):
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        else:
            os.chmod(path, mode)


def _put_back(entry: PlannedWrite) -> bool:
    """Whether the file was half written. It has its old bytes then. Raises `_ChangedError`, `OSError`."""
    try:
        with opened(entry.path, os.O_RDWR) as (descriptor, found):
            now = read_all(descriptor, max(len(entry.old), len(entry.new)))
            if now in (entry.old, entry.new):
                if found.st_ino == entry.identity[1]:
                    set_mode(descriptor, entry.path, entry.modes[now == entry.new])
                return False
            if found.st_ino != entry.identity[1] or not _is_mixed(now, entry.old, entry.new):
                raise _ChangedError
            put_back(descriptor, entry)
            set_mode(descriptor, entry.path, entry.modes[0])
            return True
    except (FileNotFoundError, NotADirectoryError, NotRegularError):
        return False


def _is_mixed(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether each byte is the old or the new one. Behind the old text a disk may hold zeros of its own."""
    shorter, longer = sorted((len(old), len(new)))
    if not shorter <= len(now) <= longer:
        return False
    old = old.ljust(longer, b"\0")
    for start in range(0, len(now), _BLOCK):
        part, before, after = (text[start : min(start + _BLOCK, len(now))] for text in (now, old, new))
        if part not in (before, after) and not all(one in pair for one, *pair in zip_longest(part, before, after)):
            return False
    return True


# -- accepted texts ----------------------------------------------------------------------------------------------------

TEXT_SUFFIX = ".json"


class Text(NamedTuple):
    """An accepted text, the file that it is for, and the client that proposed it: its name and its session."""

    path: str
    client: str
    content: str
    session: str = ""


class LeftTexts(NamedTuple):
    """The texts that were left, by the names under which they are kept from now on; and where those that cannot be read
    are now."""

    texts: List[Tuple[str, Text]]
    unreadable: List[str]


class KeptTexts:
    """The texts of one window. Its methods may be called on any thread and return at once, except where noted."""

    def __init__(self, runtime: Runtime, folder: str) -> None:
        self.folder = folder
        self._runtime = runtime
        self._orders = InOrder(self._hand_over, _failed)
        self._under_way: List[Computation] = []
        self._files: Dict[str, PrivateFile] = {}  # only orders touch it

    def keep(self, name: str, text: Text) -> None:
        """Keep a text from now on, until `drop`, in place of what has this name. If that cannot be, it is logged."""
        self._orders.add(partial(self._keep, name, text))

    def drop(self, name: str) -> None:
        """The text is in its file, or given up."""
        self._orders.add(partial(self._drop, name))

    def leave(self) -> None:
        """The first window that asks may have the texts."""
        self._orders.add(self._leave)

    def take(self, wanted: Callable[[str], bool], then: Callable[[LeftTexts], None]) -> None:
        """Take over the texts that were left, of those whose path is `wanted`. `wanted` is called on a disk thread."""
        found: List[LeftTexts] = []
        self._orders.add(lambda: found.append(self._take(wanted)))
        self._hand_over(self.catch_up, lambda: then(found[0]) if found else None)

    def wait(self, seconds: float) -> None:
        """Wait until all that the methods above were called for is done, for so long at most. Blocks."""
        end = clock.now() + seconds
        for each in self._under_way:
            each.wait(max(0.0, end - clock.now()))

    def _hand_over(self, work: Callable[[], None], then: Callable[[], None] = lambda: None) -> None:
        self._under_way = [each for each in self._under_way if not each.wait(0)]
        self._under_way.append(self._runtime.use_disk(lambda cancelled: work(), then=lambda _: then()))

    # -- on a disk thread ---------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Do all that the methods above were called for up to now. Blocks."""
        self._orders.catch_up()

    def _keep(self, name: str, text: Text) -> None:
        older = self._files.get(name)
        replaced = "" if older is None else os.path.basename(older.path)
        try:
            made = files.make(self.folder, TEXT_SUFFIX, _written(text, replaced))
        except OSError as error:
            logger.error("an accepted text could not be kept: %s", error.strerror)
            return
        self._drop(name)
        self._files[name] = made

    def _drop(self, name: str) -> None:
        file = self._files.pop(name, None)
        if file is not None:
            file.remove()

    def _leave(self) -> None:
        for file in self._files.values():
            file.release()
        self._files.clear()

    def _take(self, wanted: Callable[[str], bool]) -> LeftTexts:
        found = LeftTexts([], [])
        replaced: Set[str] = set()
        for file in files.left_over(self.folder, TEXT_SUFFIX):
            try:
                read = _read(file)
            except OSError as error:
                logger.error("an accepted text of an earlier run could not be read: %s", error.strerror)
                file.release()
                continue
            if read is None:
                found.unreadable.append(file.set_aside())
            elif wanted(read[0].path):
                name = os.path.basename(file.path)
                self._files[name] = file
                found.texts.append((name, read[0]))
                replaced.add(read[1])
            else:
                file.release()
        for name in replaced:
            self._drop(name)
        return found._replace(texts=[each for each in found.texts if each[0] not in replaced])


def _failed(error: Exception) -> None:
    logger.error("an accepted text could not be kept", exc_info=error)


def _written(text: Text, replaced: str) -> bytes:
    lines = [{**text._replace(content="")._asdict(), "replaces": replaced}, *portions(text.content)]
    return b"\n".join([json.dumps(line).encode("ascii") for line in lines])


def _read(file: PrivateFile) -> Optional[Tuple[Text, str]]:
    """The text in a file, and the name of the file whose place it took; None if there is none that we know. Raises
    OSError."""
    head, *lines = file.read().split(b"\n")
    try:
        known = json.loads(head.decode("ascii"))
        replaced = known.pop("replaces", "")
        text = Text(**known)
        # Former releases have all of it in the first line.
        text = text._replace(content="".join([text.content, *[json.loads(line.decode("ascii")) for line in lines]]))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    known_all = all(isinstance(each, str) for each in [*text, replaced]) and os.path.isabs(text.path)
    return (text, replaced) if known_all else None
