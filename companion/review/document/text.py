"""What a file or a proposed text holds, if that is nothing to be compared line by line: images, archives, binary data.

Rules:
* The first bytes decide, never the name. A format counts only where the content is no text that happens to begin so.
* Of a text only the beginning is looked at. It may be binary in itself (a program has put bytes into a string), or
  stand for something binary, as a data URL (RFC 2397) or in Base64 (RFC 4648, section 4).
* What is not known for sure is text: it is compared, and nobody is told that it is something else.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import base64
import codecs
import re
import struct
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ...comparison import compare_lines, split_lines

HEAD = 1 << 16  # bytes that are enough for every size below
_SAMPLE = 8000  # characters, in which binary data shows itself
_UNREADABLE_SHARE, _FEWEST_UNREADABLE = 0.05, 8  # of them make a text one that nobody can read
_SHORTEST_BASE64 = 64  # characters; shorter ones may be a word
_UNREADABLE = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f]")  # ESC and what moves the place stand in logs
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[^;,\s]*)*(;base64)?,")
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]+={0,2}\s*\Z")
_LOST = "\ufffd"  # what a program makes of a byte that it cannot decode

Dimensions = Tuple[int, int]


class Format(NamedTuple):
    """What something is, in words. `width` and `height` are pixels, 0 if not known; `binary` is not compared."""

    name: str
    binary: bool
    width: int = 0
    height: int = 0

    def with_size(self, size: int) -> str:
        """The same with its size in bytes, its measures in pixels between them."""
        parts = [self.name]
        if self.width and self.height:
            parts.append(f"{self.width}\u00a0\u00d7\u00a0{self.height}")
        parts.append("1\u00a0byte" if size == 1 else f"{size:,}\u00a0bytes")
        return ", ".join(parts)


TEXT = Format("text", False)
BINARY = Format("binary data", True)


def format_of_bytes(data: bytes) -> Format:
    """What a file holds that begins with `data`. Text in an encoding of its own may look binary: ask about it first."""
    found = _known(data[:HEAD])
    if b"\x00" in data:
        return found or BINARY
    if found is not None:
        try:
            codecs.getincrementaldecoder("utf-8")().decode(data)  # it may end in the middle of a character
        except UnicodeDecodeError:
            return found
    return TEXT


def format_of_text(text: str) -> Format:
    """What a text holds, or stands for."""
    url = _DATA_URL.match(text)
    if url is not None:
        body = text[url.end() : HEAD].rstrip()
        if url.group(2) and not re.search(r"\s", body):
            known = _known(_from_base64(body))
            name = known.name if known is not None else url.group(1) or "binary data"
            return (known or BINARY)._replace(name=f"{name} as a data URL")
        return TEXT
    sample = text[:_SAMPLE]
    if len(sample) >= _SHORTEST_BASE64 and _BASE64.match(sample):
        known = _known(_from_base64(text))
        return known._replace(name=f"{known.name} in Base64") if known is not None else TEXT
    unreadable = len(_UNREADABLE.findall(sample))
    if not unreadable and _LOST not in sample:
        return TEXT
    known = _known_characters(text[:HEAD])
    if known is not None:
        return known
    enough = unreadable >= _FEWEST_UNREADABLE and unreadable > len(sample) * _UNREADABLE_SHARE
    return BINARY if enough else TEXT


def _from_base64(text: str) -> bytes:
    """The first bytes that `text` stands for; none if it stands for none."""
    head = re.sub(r"\s", "", text[: HEAD * 4 // 3])
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except ValueError:
        return b""


def _known_characters(text: str) -> Optional[Format]:
    """The format of bytes that stand in a text as characters, one each or decoded with losses."""
    try:
        return _known(text.encode("latin-1"))
    except UnicodeEncodeError:
        pass
    for kind in _KINDS:
        # Where bytes were lost nobody knows how many, so what lies behind the beginning has no fixed place.
        lost = "".join(chr(byte) if byte < 0x80 else _LOST for byte in kind.start)
        if not kind.place and text.startswith(lost) and lost.strip(_LOST):
            return Format(kind.name, True)
    return None


def _known(head: bytes) -> Optional[Format]:
    for kind in _KINDS:
        if head.startswith(kind.start, kind.place) and head.startswith(kind.container):
            width, height = kind.measure(head) or (0, 0)
            return Format(kind.name, True, width, height)
    return None


# -- the sizes of images ----------------------------------------------------------------------------------------------


def _no_size(head: bytes) -> Optional[Dimensions]:
    return None


def _numbers(head: bytes, place: int, layout: str) -> Optional[Dimensions]:
    """Two numbers that stand side by side; `layout` says how, as `struct` does."""
    if len(head) < place + struct.calcsize(layout):
        return None
    first, second = struct.unpack_from(layout, head, place)
    return first, second


def _png(head: bytes) -> Optional[Dimensions]:
    """PNG, third edition, section 11.2.1: the header comes first."""
    return _numbers(head, 16, ">II") if head[12:16] == b"IHDR" else None


def _gif(head: bytes) -> Optional[Dimensions]:
    """GIF89a, section 18: the logical screen."""
    return _numbers(head, 6, "<HH")


def _jpeg(head: bytes) -> Optional[Dimensions]:
    """ITU-T T.81, annex B.2: the frame's header stands behind segments of any length."""
    place = 2
    while place + 9 <= len(head) and head[place] == 0xFF:
        marker = head[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            found = _numbers(head, place + 5, ">HH")
            return (found[1], found[0]) if found is not None else None
        place += 2 + int.from_bytes(head[place + 2 : place + 4], "big")
    return None


def _webp(head: bytes) -> Optional[Dimensions]:
    """RFC 9649, sections 2.5 to 2.7: one of three headers."""
    if len(head) < 30:
        return None
    if head[12:16] == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    found = _numbers(head, 26, "<HH")
    return (found[0] & 0x3FFF, found[1] & 0x3FFF) if found is not None else None


def _bmp(head: bytes) -> Optional[Dimensions]:
    """A picture that is stored from its top has a negative height."""
    found = _numbers(head, 18, "<ii")
    return (found[0], abs(found[1])) if found is not None else None


class _Kind(NamedTuple):
    """How a format is known: by `start` at `place`, in a `container` that is known by its own start."""

    name: str
    start: bytes
    measure: Callable[[bytes], Optional[Dimensions]] = _no_size
    place: int = 0
    container: bytes = b""


_KINDS: List[_Kind] = [
    _Kind("PNG image", b"\x89PNG\r\n\x1a\n", _png),
    _Kind("JPEG image", b"\xff\xd8\xff", _jpeg),
    _Kind("GIF image", b"GIF87a", _gif),
    _Kind("GIF image", b"GIF89a", _gif),
    _Kind("WebP image", b"WEBP", _webp, 8, b"RIFF"),
    _Kind("AVIF image", b"ftypavif", place=4),
    _Kind("HEIC image", b"ftypheic", place=4),
    _Kind("TIFF image", b"II*\x00"),
    _Kind("TIFF image", b"MM\x00*"),
    _Kind("icon", b"\x00\x00\x01\x00"),
    _Kind("BMP image", b"\x00\x00\x00\x00", _bmp, 6, b"BM"),
    _Kind("PDF document", b"%PDF-"),
    _Kind("ZIP archive", b"PK\x03\x04"),
    _Kind("gzip archive", b"\x1f\x8b\x08"),
    _Kind("xz archive", b"\xfd7zXZ\x00"),
    _Kind("Zstandard archive", b"\x28\xb5\x2f\xfd"),
    _Kind("7z archive", b"7z\xbc\xaf\x27\x1c"),
    _Kind("SQLite database", b"SQLite format 3\x00"),
    _Kind("WOFF font", b"wOFF"),
    _Kind("WOFF2 font", b"wOF2"),
    _Kind("TrueType font", b"\x00\x01\x00\x00\x00"),
    _Kind("OpenType font", b"OTTO\x00"),
    _Kind("WAVE sound", b"WAVE", place=8, container=b"RIFF"),
    _Kind("Ogg sound", b"OggS\x00"),
    _Kind("MP3 sound", b"ID3"),
    _Kind("MP4 video", b"ftyp", place=4),
    _Kind("WebAssembly module", b"\x00asm"),
    _Kind("ELF program", b"\x7fELF"),
    _Kind("Windows program", b"\x00\x00\x00", place=5, container=b"MZ"),
    _Kind("Java class", b"\xca\xfe\xba\xbe\x00"),
]


# JOINED text
# The proposed text: exactly as it came, as a view can show it, and as it is given to the client after edits.
#
# A view holds lines that end with "\\n", and the editor's programming interface cannot carry every character. So a text
# is *shown* without three things: a byte order mark at its start, the kind of its line endings, and characters
# that the editor cannot take. `restore` puts them back.
#
# Rules:
# * A text that was not edited comes back identical, whatever it holds.
# * In a text that was edited, lines that were not touched come back identical, line ending included. New lines end as
#   most lines of the proposal do.
# * Long texts are worked on in portions: while one call searches through all of it, Python lets no other thread run.
#
# The editor is not known here. Any thread.

BYTE_ORDER_MARK = "\ufeff"
PORTION = 1 << 18  # characters
_ENDING = re.compile("\r\n|\r|\n")
_UNSHOWABLE = re.compile("[\x00\ud800-\udfff]")
_NUL_PICTURE = "\u2400"
_PRIVATE = range(0xF0000, 0x10FFFE)  # characters of the two private planes, far more than there are surrogates


class ProposedText:
    """A proposed text in its exact form and in the form that a view can hold.

    `exact` is the text as it came. `shown` is the content of the view: lines end with "\\n", and there is no
    character that the editor refuses.
    """

    def __init__(self, exact: str) -> None:
        self.exact = exact
        self._mark = BYTE_ORDER_MARK if exact.startswith(BYTE_ORDER_MARK) else ""
        text = plain(exact)
        self._stand_ins: Dict[str, str] = {}
        if not _is_showable(text):
            self._stand_ins = _stand_ins(text)
            text = _substitute(text, self._stand_ins)
        self.shown = text
        self.format = format_of_text(exact)

    @property
    def size(self) -> int:
        """How many bytes the text has in UTF-8, in which clients write it."""
        return sum(len(part.encode("utf-8", "surrogatepass")) for part in portions(self.exact))

    def restore(self, current: str) -> str:
        """The exact text that `current`, the content of the view, stands for."""
        if current == self.shown:
            return self.exact
        text = with_endings_of(self.exact, self.shown, current)
        if self._stand_ins:
            text = _substitute(text, {stand_in: exact for exact, stand_in in self._stand_ins.items()})
        return self._mark + text


def plain(text: str) -> str:
    """`text` with every line ending as "\\n" and without a byte order mark."""
    text = text[1:] if text.startswith(BYTE_ORDER_MARK) else text
    if "\r" not in text:
        return text
    return "".join([part.replace("\r\n", "\n").replace("\r", "\n") for part in portions(text)])


def portions(text: str) -> Iterator[str]:
    """`text` in pieces, none of which ends in the middle of a line ending."""
    start = 0
    while start < len(text):
        end = start + PORTION
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        yield text[start:end]
        start = end


def usual_ending(text: str) -> str:
    """The most frequent line ending of `text`; "\\n" if there is none."""
    counts = _count_endings(text)
    return max(counts, key=lambda ending: counts[ending], default="\n")


def _count_endings(text: str) -> Dict[str, int]:
    """How often each line ending stands in `text`; those that do not are left out."""
    counts = {"\n": 0, "\r\n": 0, "\r": 0}
    for part in portions(text):
        pairs = part.count("\r\n")
        counts["\r\n"] += pairs
        counts["\n"] += part.count("\n") - pairs
        counts["\r"] += part.count("\r") - pairs
    return {ending: number for ending, number in counts.items() if number}


def with_endings_of(exact: str, before: str, after: str) -> str:
    """The text `after` with the line endings of `exact`; `before` is the same as that, but with line feeds.

    Where it mixes them, a line that was changed keeps the ending of the one in its place; a new one gets the usual one.
    """
    usual = usual_ending(exact)
    if len(_count_endings(exact)) > 1:
        return _carry_endings(exact, usual, split_lines(before), split_lines(after))
    return after if usual == "\n" else "".join([part.replace("\n", usual) for part in portions(after)])


def _carry_endings(exact: str, usual: str, before: Sequence[str], after: Sequence[str]) -> str:
    endings = [ending for part in portions(exact) for ending in _ENDING.findall(part)]
    result: List[str] = []

    def add(lines: Sequence[str], first: int, last: int) -> None:
        for index, line in enumerate(lines, first):
            if line.endswith("\n"):
                known = index < last and index < len(endings)
                result.append(line[:-1] + (endings[index] if known else usual))
            else:
                result.append(line)

    left = right = 0
    for hunk in compare_lines(before, after):
        add(after[right : hunk.right_start], left, len(before))
        add(after[hunk.right_start : hunk.right_end], hunk.left_start, hunk.left_end)
        left, right = hunk.left_end, hunk.right_end
    add(after[right:], left, len(before))
    return "".join(result)


def _is_showable(text: str) -> bool:
    """Whether the editor takes every character of `text`. Much faster than a search for those it does not take."""
    if "\x00" in text:
        return False
    try:
        for part in portions(text):
            part.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _stand_ins(text: str) -> Dict[str, str]:
    """A visible character for each one in `text` that the editor cannot take: absent from it if any is."""
    used: set[str] = set()
    for part in portions(text):
        used.update(part)
    free = (chr(code) for code in _PRIVATE if chr(code) not in used)
    return {
        character: _NUL_PICTURE if character == "\x00" and _NUL_PICTURE not in used else next(free, chr(_PRIVATE[-1]))
        for character in sorted(used)
        if _UNSHOWABLE.match(character)
    }


def _substitute(text: str, table: Dict[str, str]) -> str:
    numbers = {ord(character): stand_in for character, stand_in in table.items()}
    return "".join([part.translate(numbers) for part in portions(text)])


# JOINED encodings
# Encodings as the editor names them, and the way from bytes to text and back.
#
# Rule: a byte order mark decides over everything else, and it is no part of the text. Long texts are converted in
# portions, because Python lets no other thread run while one call converts all of it.
#
# The editor is not known here. Any thread.

UTF_8 = "UTF-8"
UTF_8_WITH_BOM = "UTF-8 with BOM"
HEXADECIMAL = "Hexadecimal"
DEFAULT_FALLBACK = "Western (Windows 1252)"

_MARKS = (
    (codecs.BOM_UTF8, UTF_8_WITH_BOM),
    (codecs.BOM_UTF16_LE, "UTF-16 LE with BOM"),
    (codecs.BOM_UTF16_BE, "UTF-16 BE with BOM"),
)
# Python looks for a module of the name; and "base64", "idna" or "punycode" make no text of what they are given.
_NAME = re.compile(r"[a-z0-9][a-z0-9 _:-]{0,40}")
_CHARACTER_SET = re.compile("ascii|big5|cp|euc|gb|hp|hz|iso|johab|koi8|kz|mac|ptcp|shift|tis|utf")


def codec_of(encoding: str) -> Optional[str]:
    """Python's codec for one of the editor's encoding names, or None.

    The editor's names carry the standard's own name in brackets: "Western (Windows 1252)", "Greek (ISO 8859-7)".
    """
    bare = encoding[: -len(" with BOM")] if encoding.endswith(" with BOM") else encoding
    match = re.search(r"\(([^)]*)\)$", bare)
    bare = (match.group(1) if match else bare).lower()
    bare = re.sub(r"^(?:windows|cp) *(?=\d)", "cp", bare)
    if not _NAME.fullmatch(bare):
        return None  # a project's file may call it anything
    try:
        found = codecs.lookup(bare.replace(" ", "-")).name
    except LookupError:
        return None
    return found if _CHARACTER_SET.match(found) else None


def without_mark(data: bytes) -> Tuple[str, bytes]:
    """The encoding that the byte order mark of `data` stands for, and the rest; "" and `data` if there is no mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, data[len(mark) :]
    return "", data


def decode(data: bytes, codec: str, errors: str = "strict") -> str:
    """The text of `data`, which has no byte order mark. `codec` and `errors` are Python's names.

    Raises `UnicodeDecodeError` if `errors` is "strict".
    """
    decoder = codecs.getincrementaldecoder(codec)(errors)
    parts = [decoder.decode(data[start : start + PORTION]) for start in range(0, len(data), PORTION)]
    return "".join(parts) + decoder.decode(b"", True)


def encode(text: str, encoding: str) -> bytes:
    """The bytes of `text`, behind a byte order mark if `encoding`, an editor's name, has one.

    An unknown encoding counts as UTF-8. Raises `UnicodeEncodeError`.
    """
    mark = next((mark for mark, marked in _MARKS if marked == encoding), b"")
    encoder = codecs.getincrementalencoder(codec_of(encoding) or "utf-8")()
    return mark + b"".join([encoder.encode(part) for part in portions(text)]) + encoder.encode("", True)


def saved(text: str, encoding: str, line_endings: str) -> bytes:
    """What the editor writes for a tab's text, whose lines end with line feeds. All names are the editor's."""
    ending = {"Windows": "\r\n", "CR": "\r"}.get(line_endings, "\n")
    parts = [part.replace("\n", ending) for part in portions(text)]
    try:
        return encode("".join(parts), encoding)
    except UnicodeEncodeError:
        return encode("".join(parts), UTF_8)
