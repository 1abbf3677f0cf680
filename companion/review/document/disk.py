"""The file on disk: read as the editor reads it, written back in its own encoding and with its own line endings.

Rules:
* Reading never fails. What cannot be shown as text becomes an `Original` of another kind with a sentence for the user.
* A file is written only if it is still the very file that was read, byte by byte. Its name proves nothing, because a
  link on the way may lead elsewhere by now. Afterwards it holds the old text or the new one, whole.
* Of those who write to one file at the same time only the first one does; for the others it has changed.
* Only regular files are read and written: the file type is checked again on the opened descriptor.

The editor is not known here. These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import threading
from contextlib import contextmanager, suppress
from enum import Enum
from typing import FrozenSet, Iterable, Iterator, NamedTuple, Optional, Set, Tuple

from ...system.files import NotRegularError, Stamp, opened, read_all
from . import file_replacement
from .file_replacement import DamagedError, OvertakenError
from .journal import StorageError
from .text import (
    BYTE_ORDER_MARK,
    DEFAULT_FALLBACK,
    HEAD,
    HEXADECIMAL,
    TEXT,
    UTF_8,
    Format,
    codec_of,
    decode,
    encode,
    format_of,
    plain,
    usual_ending,
    with_endings_of,
    without_mark,
)

COARSE_FACTOR = 10  # texts above the limits are compared coarsely, up to so many times as long

_ENDING_NAMES = {"\n": "Unix", "\r\n": "Windows", "\r": "CR"}


class ReadLimits(NamedTuple):
    """The longest text of which each character is compared, and the most lines. Longer ones are compared coarsely,
    and above `longest` and `most_lines` not at all: a file is not even read then."""

    length: int
    lines: int

    @property
    def longest(self) -> int:
        """The length up to which texts are compared at all."""
        return self.length * COARSE_FACTOR

    @property
    def most_lines(self) -> int:
        """The number of lines up to which they are."""
        return self.lines * COARSE_FACTOR


LIMITS = ReadLimits(length=2_000_000, lines=50_000)
"""Those of what is reviewed."""


SLACK_BYTES = 1 << 16
"""A file that is larger than the text by more than this does not hold it."""


class Kind(Enum):
    """What the file turned out to be. Only `TEXT` and `NEW` are compared."""

    TEXT = "text"
    NEW = "new"
    HUGE = "huge"
    BINARY = "binary"
    UNDECODABLE = "undecodable"
    UNREADABLE = "unreadable"


_WHY_NOT = {
    Kind.HUGE: "was too large to be read",
    Kind.BINARY: "is a binary file",
    Kind.UNDECODABLE: "could not be decoded",
    Kind.UNREADABLE: "could not be read",
}


class Original(NamedTuple):
    """A file as it was found.

    `text` is plain: lines end with "\\n", without a byte order mark; empty if there is nothing to show. `exact` is the
    decoded text as it stands in the file. `encoding` and `line_endings` are the editor's names. `notice` is a sentence
    for the user, or empty. `format` is what the file holds, `stamp` which file it was and when, `mode` its permissions.
    """

    path: str
    kind: Kind
    text: str = ""
    exact: str = ""
    encoding: str = UTF_8
    line_endings: str = "Unix"
    fingerprint: str = ""
    stamp: Stamp = Stamp()
    notice: str = ""
    format: Format = TEXT
    mode: int = 0

    @property
    def comparable(self) -> bool:
        """Whether a comparison with this text makes sense."""
        return self.kind in (Kind.TEXT, Kind.NEW)


class DiskError(Exception):
    """The file cannot be written. The message is a sentence for the user."""


class ChangedError(DiskError):
    """The file is no longer the one that was read."""


def read(path: str, limits: ReadLimits, encoding: str = "", fallback: str = DEFAULT_FALLBACK) -> Original:
    """Read `path`. Never raises; what went wrong is in the `notice`.

    `encoding` is what the editor opened the file with, "" if it did not; `fallback` is the setting
    `fallback_encoding`. Both are the editor's names.
    """
    name = os.path.basename(path)
    try:
        with opened(path, os.O_RDONLY) as (descriptor, found):
            data = read_all(descriptor, limits.longest if found.st_size <= limits.longest else HEAD)
            size = max(found.st_size, len(data))
            if size > limits.longest:
                notice = f"{name} is too large to be shown ({size:,} bytes)."
                found_format = format_of(data, encoding)
                return Original(path, Kind.HUGE, stamp=Stamp(size=size), notice=notice, format=found_format)
    except FileNotFoundError:
        problem = dangling(path)
        return Original(path, Kind.UNREADABLE, notice=problem) if problem else Original(path, Kind.NEW)
    except NotRegularError:
        return Original(path, Kind.UNREADABLE, notice=f"{name} is not a regular file.")
    except (OSError, ValueError) as error:
        return Original(path, Kind.UNREADABLE, notice=f"{name} cannot be read: {_reason(error)}.")
    return original_of(path, data, limits, encoding, fallback)._replace(
        stamp=Stamp.of(found), mode=stat.S_IMODE(found.st_mode)
    )


def find(path: str, text: str, *, encoding: str = "", last_line_end_matters: bool = True) -> Optional[Original]:
    """The file, if it holds `text`, else None. Never raises.

    Neither line ends nor a byte order mark matter: clients restore those that the file had. `encoding` is the editor's
    name for what the file was in, "" if that is not known.
    """
    wanted = plain(text.lstrip(BYTE_ORDER_MARK))
    for each in dict.fromkeys((encoding, "")):
        found = read(path, ReadLimits(4 * len(wanted) + SLACK_BYTES, sys.maxsize), each)
        same = found.text == wanted
        if not last_line_end_matters:
            same = found.text.rstrip("\n") == wanted.rstrip("\n")
        if found.kind is Kind.TEXT and same:
            return found
    return None


def original_of(path: str, data: bytes, limits: ReadLimits, encoding: str, fallback: str) -> Original:
    """What `read` would say of a file at `path` that holds `data`. No file has this identity."""
    name = os.path.basename(path)
    original = _decode(path, data, encoding, fallback)._replace(stamp=Stamp(size=len(data)))
    if original.kind is Kind.TEXT and original.text.count("\n") > limits.most_lines:
        lines = f"{limits.most_lines:,} lines"
        notice = f"{name} has more than {lines}: shown without a comparison."
        return original._replace(kind=Kind.HUGE, notice=notice)
    return original


def was_read(original: Original, data: Optional[bytes]) -> bool:
    """Whether the file held just these bytes when it was read; None: whether it was not there."""
    return original.kind is Kind.NEW if data is None else original.fingerprint == _fingerprint(data)


def holding(path: str, data: bytes) -> Original:
    """The file as it was found, which holds `data` and nothing else. Raises `ChangedError` if it does not."""
    with suppress(OSError, ValueError), opened(path, os.O_RDONLY) as (descriptor, found):
        if read_all(descriptor, len(data)) == data:
            return Original(path, Kind.TEXT, fingerprint=_fingerprint(data), stamp=Stamp.of(found))
    raise ChangedError(f"{os.path.basename(path)} has changed on disk since it was shown.")


def encoded(original: Original, text: str) -> bytes:
    """The bytes that make `text` the content of the file `original`.

    Raises `DiskError` if the file's encoding cannot say it, or is not known.
    """
    name = os.path.basename(original.path)
    if original.kind is Kind.NEW:
        return _encode(name, text, UTF_8)
    if original.kind is Kind.TEXT or original.exact:
        if "\n" in original.text:  # each line gets its own line ending where the file mixes them
            text = with_endings_of(original.exact, original.text, plain(text))
        elif text.startswith("\ufeff"):
            text = text[1:]
        return _encode(name, text, original.encoding)
    raise DiskError(f"{name} is not overwritten, because it {_WHY_NOT[original.kind]}.")


def dangling(path: str) -> str:
    """A sentence if `path` is a link to nothing, else an empty text."""
    try:
        target = os.readlink(path)
        os.stat(path)
    except FileNotFoundError:
        if os.path.lexists(path):
            return f"{os.path.basename(path)} is a link to {target}, which does not exist."
    except (OSError, ValueError):
        pass
    return ""


def same_files(path: str, others: Iterable[str]) -> FrozenSet[str]:
    """Those of `others` that are spelled like `path`, whether or not there is a file, or lead to the same file now."""
    key = os.path.normcase(os.path.normpath(path))
    found: Optional[os.stat_result] = None
    with suppress(OSError, ValueError):
        found = os.stat(path)
    same = set()
    for other in others:
        with suppress(OSError, ValueError):
            spelled_so = os.path.normcase(os.path.normpath(other)) == key
            if spelled_so or (found is not None and os.path.samestat(os.stat(other), found)):
                same.add(other)
    return frozenset(same)


def write(original: Original, data: bytes, storage: str, mode: int = 0) -> None:
    """Make `data` the content of the file, and `mode` its permissions, if it is not 0. Raises `DiskError`;
    `ChangedError` if it is not what was read.

    Whatever fails, the file holds the old bytes or the new ones; a new file that failed is not there. What is being
    done is noted in the folder `storage`, for a process that ends in the midst of it.
    """
    name = os.path.basename(original.path)
    try:
        if original.kind is Kind.NEW:
            file_replacement.create(original.path, data, storage, mode)
            return
        with _alone(original.stamp.file), opened(original.path, os.O_RDWR) as (descriptor, found):
            is_same = _may_hold_the_same(Stamp.of(found), original.stamp)
            old = read_all(descriptor, found.st_size) if is_same else b""
            if not is_same or _fingerprint(old) != original.fingerprint:
                raise OvertakenError(0, "changed")
            file_replacement.replace_content(descriptor, found, original.path, old, data, storage, mode)
    except OSError as error:
        raise _failure(original, name, error) from error


_being_written: Set[Tuple[int, int]] = set()  # identities of files
_written = threading.Condition()  # guards them


@contextmanager
def _alone(identity: Tuple[int, int]) -> Iterator[None]:
    """Keep all other threads of this process from writing to the file during the block, under any of its names."""
    with _written:
        _written.wait_for(lambda: identity not in _being_written)
        _being_written.add(identity)
    try:
        yield
    finally:
        with _written:
            _being_written.remove(identity)
            _written.notify_all()


def changed(original: Original) -> bool:
    """Whether the file is no longer the one that was read. A file that cannot be read now counts as unchanged."""
    if original.kind is Kind.UNREADABLE or (original.kind is Kind.HUGE and not original.exact):
        return False
    try:
        with opened(original.path, os.O_RDONLY) as (descriptor, found):
            now = Stamp.of(found)
            if now == original.stamp and now.settled:
                return False
            is_same = _may_hold_the_same(now, original.stamp)
            return not is_same or _fingerprint(read_all(descriptor)) != original.fingerprint
    except FileNotFoundError:
        return original.kind is not Kind.NEW
    except NotRegularError:
        return True
    except OSError:
        return False


def _may_hold_the_same(one: Stamp, other: Stamp) -> bool:
    return (one.file, one.size) == (other.file, other.size)


def _failure(original: Original, name: str, error: OSError) -> DiskError:
    """What to tell the user about an error of the system."""
    if isinstance(error, DamagedError):
        sentence = f"{name} cannot be written ({_reason(error)}) and may be damaged."
        return DiskError(f"{sentence} Its former text is put back, if possible, when the editor starts again.")
    if isinstance(error, StorageError):
        return DiskError(f"{name} cannot be written: {_reason(error)} (in the editor's folder Package Storage).")
    if isinstance(error, (OvertakenError, NotRegularError)):
        return ChangedError(f"{name} has changed on disk since the diff was opened.")
    if isinstance(error, FileExistsError):
        problem = dangling(original.path)
        return DiskError(problem) if problem else ChangedError(f"{name} was created on disk since the diff was opened.")
    if isinstance(error, FileNotFoundError) and original.kind is not Kind.NEW:
        return ChangedError(f"{name} was deleted since the diff was opened.")
    return DiskError(f"{name} cannot be written: {_reason(error)}.")


def _decode(path: str, data: bytes, encoding: str, fallback: str) -> Original:
    name = os.path.basename(path)
    fingerprint = _fingerprint(data)
    marked, data = without_mark(data)
    if marked:
        candidates = [marked]
    else:
        found = format_of(data, encoding)
        if found.binary:
            notice = f"{name} is a binary file and is not shown."
            binary = Original(path, Kind.BINARY, encoding=HEXADECIMAL, fingerprint=fingerprint, notice=notice)
            return binary._replace(format=found)
        fallback = fallback if codec_of(fallback) is not None else DEFAULT_FALLBACK
        candidates = [encoding, UTF_8, fallback] if not encoding.endswith("BOM") else [UTF_8, fallback]
    for candidate in candidates:
        codec = codec_of(candidate)
        if codec is None:
            continue
        try:
            exact = decode(data, codec)
        except UnicodeDecodeError:
            continue
        ending = _ENDING_NAMES[usual_ending(exact)]
        return Original(path, Kind.TEXT, plain(exact), exact, candidate, ending, fingerprint)
    shown = decode(data, "utf-8", "replace")
    notice = f"{name} cannot be decoded: characters that cannot be read are shown as \ufffd."
    return Original(path, Kind.UNDECODABLE, plain(shown), fingerprint=fingerprint, notice=notice)


def _encode(name: str, text: str, encoding: str) -> bytes:
    try:
        return encode(text, encoding)
    except UnicodeEncodeError:
        raise DiskError(f"{name} has characters that {encoding} cannot represent.") from None


def _fingerprint(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
