"""The file on disk: read as the editor would, and written back in its own encoding and with its own line endings.

Rules:
* Reading never fails. What cannot be shown as text becomes an `Original` of another kind with a sentence for the user.
* Writing happens only if the file is still what was read. It changes the file in place, so that links, owner and mode
  stay; if it breaks off, the old bytes are put back.

The editor is not known here. These calls block on the disk. Any thread.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
import time
from enum import Enum
from typing import BinaryIO, NamedTuple, Optional, Tuple

from ..comparison import split_lines
from .text import carry_endings, dominant_ending, line_endings, plain

UTF_8 = "UTF-8"
UTF_8_WITH_BOM = "UTF-8 with BOM"
HEXADECIMAL = "Hexadecimal"
DEFAULT_FALLBACK = "Western (Windows 1252)"
READ_FACTOR = 8  # a file bigger than the limit is shown plainly; one this many times bigger is not even read

_MARKS = (
    (codecs.BOM_UTF8, UTF_8_WITH_BOM),
    (codecs.BOM_UTF16_LE, "UTF-16 LE with BOM"),
    (codecs.BOM_UTF16_BE, "UTF-16 BE with BOM"),
)
_CLOCK_TICK = 2 * 10**9  # nanoseconds; file systems keep time so coarsely that two writes may bear the same one
_ENDING_NAMES = {"\n": "Unix", "\r\n": "Windows", "\r": "CR"}


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
    for the user, or empty.
    """

    path: str
    kind: Kind
    text: str = ""
    exact: str = ""
    encoding: str = UTF_8
    line_endings: str = "Unix"
    fingerprint: str = ""
    signature: Tuple[int, int] = (0, 0)  # time of the last change in nanoseconds, size
    notice: str = ""

    @property
    def comparable(self) -> bool:
        """Whether a comparison with this text makes sense."""
        return self.kind in (Kind.TEXT, Kind.NEW)


class DiskError(Exception):
    """The file cannot be written. The message is a sentence for the user."""


class ChangedError(DiskError):
    """The file is no longer the one that was read."""


def read(
    path: str, *, maximum_bytes: int, maximum_lines: int, encoding: str = "", fallback: str = DEFAULT_FALLBACK
) -> Original:
    """Read `path`. `encoding` is what the editor opened it with, if it did; `fallback` its setting of that name."""
    name = os.path.basename(path)
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return Original(path, Kind.UNREADABLE, notice="{} is not a regular file.".format(name))
        if found.st_size > maximum_bytes * READ_FACTOR:
            notice = "{} is too large to be shown ({}).".format(name, _size(found.st_size))
            return Original(path, Kind.HUGE, notice=notice)
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return Original(path, Kind.NEW)
    except (OSError, ValueError) as error:
        notice = "{} cannot be read: {}.".format(name, _reason(error))
        return Original(path, Kind.UNREADABLE, notice=notice)
    original = _decode(path, data, encoding, fallback)._replace(signature=_signature(found))
    if original.kind is not Kind.TEXT:
        return original
    if len(data) > maximum_bytes:
        notice = "{} is large ({}): shown without a comparison.".format(name, _size(len(data)))
        return original._replace(kind=Kind.HUGE, notice=notice)
    if original.text.count("\n") > maximum_lines:
        notice = "{} has more than {} lines: shown without a comparison.".format(name, maximum_lines)
        return original._replace(kind=Kind.HUGE, notice=notice)
    return original


def encoded(original: Original, text: str) -> bytes:
    """The bytes that make `text` the content of the file `original`.

    Raises `DiskError` if the file's encoding cannot say it, or is not known.
    """
    name = os.path.basename(original.path)
    if original.kind is Kind.NEW:
        return _encode(name, text, UTF_8)
    if original.kind is Kind.TEXT or (original.kind is Kind.HUGE and original.exact):
        return _encode(name, _in_endings_of(original, text), original.encoding)
    raise DiskError("{} is not overwritten, because it {}.".format(name, _WHY_NOT[original.kind]))


def write(original: Original, data: bytes) -> None:
    """Make `data` the content of the file. Raises `DiskError`; `ChangedError` if it is not what was read."""
    name = os.path.basename(original.path)
    try:
        if original.kind is Kind.NEW:
            _create(original.path, data)
        else:
            _overwrite(original, data)
    except FileExistsError:
        raise ChangedError("{} was created on disk since the diff was opened.".format(name)) from None
    except FileNotFoundError:
        raise ChangedError("{} was deleted since the diff was opened.".format(name)) from None
    except OSError as error:
        raise DiskError("{} cannot be written: {}.".format(name, _reason(error))) from error


def changed(original: Original) -> bool:
    """Whether the file is no longer the one that was read. A file that cannot be read now counts as unchanged."""
    if original.kind is Kind.UNREADABLE or (original.kind is Kind.HUGE and not original.exact):
        return False
    try:
        now = _signature(os.stat(original.path))
        if now == original.signature and time.time_ns() - now[0] > _CLOCK_TICK:
            return False
        with open(original.path, "rb") as file:
            return _fingerprint(file.read()) != original.fingerprint
    except FileNotFoundError:
        return original.kind is not Kind.NEW
    except OSError:
        return False


def codec_of(encoding: str) -> Optional[str]:
    """Python's codec for one of the editor's encoding names, or None.

    The editor's names carry the standard's own name in brackets: "Western (Windows 1252)", "Greek (ISO 8859-7)".
    """
    bare = encoding[:-len(" with BOM")] if encoding.endswith(" with BOM") else encoding
    match = re.search(r"\(([^)]*)\)$", bare)
    bare = (match.group(1) if match else bare).lower()
    bare = re.sub(r"^(?:windows|cp) *(?=\d)", "cp", bare)
    try:
        found = codecs.lookup(bare.replace(" ", "-")).name
    except LookupError:
        return None
    return None if found == "undefined" else found


def _decode(path: str, data: bytes, encoding: str, fallback: str) -> Original:
    name = os.path.basename(path)
    fingerprint = _fingerprint(data)
    for mark, marked in _MARKS:
        if data.startswith(mark):
            candidates = [marked]
            data = data[len(mark):]
            break
    else:
        if encoding == HEXADECIMAL or (b"\x00" in data and not encoding.startswith("UTF-16")):
            notice = "{} is a binary file ({}) and is not shown.".format(name, _size(len(data)))
            return Original(path, Kind.BINARY, encoding=HEXADECIMAL, fingerprint=fingerprint, notice=notice)
        candidates = [encoding, UTF_8, fallback] if not encoding.endswith("BOM") else [UTF_8, fallback]
    for candidate in candidates:
        codec = codec_of(candidate) if candidate else None
        if codec is None:
            continue
        try:
            exact = data.decode(codec)
        except UnicodeDecodeError:
            continue
        ending = _ENDING_NAMES[dominant_ending(line_endings(exact))]
        return Original(path, Kind.TEXT, plain(exact), exact, candidate, ending, fingerprint)
    shown = data.decode("utf-8", "replace")
    notice = "{} cannot be decoded: characters that cannot be read are shown as \ufffd.".format(name)
    return Original(path, Kind.UNDECODABLE, plain(shown), fingerprint=fingerprint, notice=notice)


def _in_endings_of(original: Original, text: str) -> str:
    """`text` with the line endings of the file: each line's own where the file mixes them."""
    endings = line_endings(original.exact)
    kinds = set(endings)
    body = plain(text)
    if not kinds:
        return text[1:] if text.startswith("\ufeff") else text
    if len(kinds) == 1:
        return body.replace("\n", endings[0])
    return carry_endings(split_lines(original.text), endings, split_lines(body))


def _encode(name: str, text: str, encoding: str) -> bytes:
    mark = next((mark for mark, marked in _MARKS if marked == encoding), b"")
    try:
        return mark + text.encode(codec_of(encoding) or "utf-8")
    except UnicodeEncodeError:
        raise DiskError("{} has characters that {} cannot hold.".format(name, encoding)) from None


def _create(path: str, data: bytes) -> None:
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "xb") as file:
        file.write(data)


def _overwrite(original: Original, data: bytes) -> None:
    with open(original.path, "r+b") as file:
        old = file.read()
        if _fingerprint(old) != original.fingerprint:
            name = os.path.basename(original.path)
            raise ChangedError("{} has changed on disk since the diff was opened.".format(name))
        try:
            _put(file, data)
        except OSError:
            _put(file, old)  # the disk had room for these
            raise


def _put(file: BinaryIO, data: bytes) -> None:
    file.seek(0)
    file.write(data)
    file.truncate()
    file.flush()
    os.fsync(file.fileno())


def _fingerprint(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _signature(found: os.stat_result) -> Tuple[int, int]:
    return found.st_mtime_ns, found.st_size


def _size(count: int) -> str:
    if count < 10000:
        return "{:,} bytes".format(count)
    return "{:,.1f} MB".format(count / 1e6) if count >= 1e6 else "{:,.0f} kB".format(count / 1e3)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
