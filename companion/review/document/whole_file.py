"""Says what changes in a file as a whole, beside its lines: line ends, byte order mark, encoding.

A review compares texts whose lines end with line feeds, without a mark and decoded. What that sets aside is said here
in sentences, and only here: the header, the list of unreviewed changes and the patch show the same ones.

Rule: a change is mentioned whenever it happens, whatever else changes. A text without line ends has none that could
change, and neither has a file that is new, or emptied. What is in ASCII is the same in every encoding but UTF-16.

The editor is not known here. A long text takes a while: worker threads.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, NamedTuple, Tuple

from ...agents.window import Restored
from ...comparison import Hunk, compare_lines, split_lines
from .text import (
    BYTE_ORDER_MARK,
    UTF_8,
    WITH_MARK,
    count_endings,
    encode,
    endings_of,
    in_utf_8,
    plain,
    with_endings_of,
)

_ENDING_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
MARK_GOES = "The byte order mark goes."
MARK_COMES = "A byte order mark comes."

BytesMaker = Callable[[], bytes]
"""Makes the bytes of a file, on a disk thread."""


class WrittenText(NamedTuple):
    """A text as it stands in a file: `exact` has its line ends but no byte order mark. `encoding` is the editor's name,
    which says whether there is a mark."""

    exact: str
    encoding: str


def proposed_text(before: WrittenText, proposed: str, restored: Restored) -> WrittenText:
    """What a file that holds `before` will hold once `proposed`, with line ends and mark as a program sent them, is
    accepted, and written by a program that restores what `restored` says."""
    has_mark = proposed.startswith(BYTE_ORDER_MARK)
    exact = proposed[1:] if has_mark else proposed
    encoding, mark, _ = before.encoding.partition(WITH_MARK)
    if restored.line_ends and "\r" not in exact:
        exact = with_endings_of(before.exact, plain(before.exact), exact)
    if not restored.encoding:
        encoding = UTF_8
    return WrittenText(exact, encoding + (WITH_MARK if has_mark or (mark and restored.mark) else ""))


def proposed_bytes(before: WrittenText, proposed: str, restored: Restored) -> bytes:
    """The bytes of `proposed_text`, in UTF-8 where the file's encoding has no bytes for it."""
    after = proposed_text(before, proposed, restored)
    try:
        return encode(after.exact, after.encoding)
    except UnicodeEncodeError:
        return in_utf_8(after.exact)


def whole_file_changes(before: WrittenText, after: WrittenText) -> Tuple[str, ...]:
    """A sentence for each thing that changes in all of a file when it holds `after` instead of `before`."""
    if before.exact and not after.exact:
        return ()
    return (*_line_ends(before.exact, after.exact), *_encoding(before, after))


def _line_ends(before: str, after: str) -> Iterator[str]:
    old, new = count_endings(before), count_endings(after)
    if not old or not new or len(old) == len(new) == 1:
        if old and new and set(old) != set(new):
            count, kinds = sum(old.values()), f"{_names(old)} \u2192 {_names(new)}"
            yield f"All {count:,} line ends change: {kinds}." if count > 1 else f"The line end changes: {kinds}."
    elif len(old) == 1:
        yield f"The line ends become mixed: {_names(old)} \u2192 {_counted(new)}."
    elif len(new) == 1:
        yield f"The line ends are no longer mixed: {_counted(old)} \u2192 {_names(new)}."
    else:
        count = _changed_ends(before, after)
        if count:
            yield f"{count:,} line ends change." if count > 1 else "1 line end changes."


def _changed_ends(before: str, after: str) -> int:
    """How many lines of a text that mixes line ends have got another one, but are otherwise the same."""
    left, right = endings_of(before), endings_of(after)
    if left == right:
        return 0
    old, new = split_lines(plain(before)), split_lines(plain(after))
    count = row = start = 0
    for hunk in [*compare_lines(old, new), Hunk(len(old), len(old), len(new), len(new))]:
        pairs = zip(left[row : hunk.left_start], right[start : hunk.right_start])
        count += sum(one != other for one, other in pairs)
        row, start = hunk.left_end, hunk.right_end
    return count


def _names(counts: Dict[str, int]) -> str:
    return ", ".join(_ENDING_NAMES[ending] for ending in counts)


def _counted(counts: Dict[str, int]) -> str:
    return ", ".join(f"{count:,} {_ENDING_NAMES[ending]}" for ending, count in counts.items())


def same_encoding(before: WrittenText, after: WrittenText) -> bool:
    """Whether what is the same in both texts is written with the same bytes."""
    old, new = (each.encoding.partition(WITH_MARK)[0] for each in (before, after))
    wide = old.startswith("UTF-16") or new.startswith("UTF-16")
    return old == new or (not wide and (before.exact.isascii() or after.exact.isascii()))


def _encoding(before: WrittenText, after: WrittenText) -> Iterator[str]:
    old, old_mark, _ = before.encoding.partition(WITH_MARK)
    new, new_mark, _ = after.encoding.partition(WITH_MARK)
    if not same_encoding(before, after):
        yield f"{_short(old)} \u2192 {_short(new)}."
    elif bool(old_mark) is not bool(new_mark):
        yield MARK_COMES if new_mark else MARK_GOES


def _short(encoding: str) -> str:
    """One of the editor's names without what it groups encodings by: "Western (Windows 1252)" is Windows 1252."""
    _, bracket, inside = encoding.partition("(")
    return inside.rstrip(")") if bracket else encoding
