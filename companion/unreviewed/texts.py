"""Merges the texts of unreviewed changes with edits of the user, and puts changes into words.

Theory of operation: `before` became `shown` by unreviewed changes, and `shown` became `saved` by edits of
the user. Edits that do not overlap the changes are made in `before` as well: then what differs between `before` and
`saved` are the changes and nothing else. An edit inside a change becomes part of it.

Rule: bytes are kept as they are. A line is what ends with a line feed; what encoding the text has does not matter. A
hunk is decided by itself only where each line that is shown is one line of the bytes. What cannot be shown as text is
not shown at all.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import Counter
from typing import Callable, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..comparison import Hunk, compare_lines, put_together, split_lines
from ..review.document.disk import Kind, Original
from ..review.document.text import BYTE_ORDER_MARK, ProposedText, plain, with_endings_of, without_mark
from ..review.document.whole_file import WrittenText, same_encoding
from .evidence import Origin
from .model import ChangeKind, UnreviewedChange


def lines_of(data: bytes) -> List[str]:
    """The lines of a file; each byte is one character, so that nothing is lost on the way back."""
    return split_lines(data.decode("latin-1"))


def bytes_of(lines: Sequence[str]) -> bytes:
    """The bytes of lines that `lines_of` has given."""
    return "".join(lines).encode("latin-1")


def hunks_between(before: bytes, now: bytes) -> List[Hunk]:
    """The changed places, in lines."""
    return compare_lines(lines_of(before), lines_of(now))


class EditedText(NamedTuple):
    """A text with edits of another one made in it, and whether these are all."""

    data: bytes
    whole: bool


def rebased(before: bytes, shown: bytes, saved: bytes) -> EditedText:
    """Make in `before` those edits from `shown` to `saved` that overlap no change from `before` to `shown`."""
    if before == shown:
        return EditedText(saved, whole=True)
    changes, all_edits = hunks_between(before, shown), hunks_between(shown, saved)
    edits = [edit for edit in all_edits if not any(_overlap(change, edit) for change in changes)]
    made = _with_edits(before, changes, saved, edits)
    return EditedText(before, not all_edits) if made is None else EditedText(made, len(edits) == len(all_edits))


def are_apart(before: bytes, between: bytes, now: bytes) -> bool:
    """Whether the changes from `before` to `between` are about other lines than those from there to `now`."""
    former, later = hunks_between(before, between), hunks_between(between, now)
    return not any(_overlap(change, edit) for change in former for edit in later)


def merged(before: str, mine: str, theirs: str) -> Tuple[str, int]:
    """Merge two texts that were made of `before`: `mine` with what `theirs` has changed as well.

    The second value counts the places in which both have changed the same lines: there `mine` is kept. Line ends and
    byte order mark are those of `theirs`.
    """
    base, ours, other = (plain(text).encode("utf-8", "surrogatepass") for text in (before, mine, theirs))
    changes = hunks_between(ours, base)
    lost = sum(any(_overlap(change, edit) for change in changes) for edit in hunks_between(base, other))
    made = rebased(ours, base, other)
    made_plain = made.data.decode("utf-8", "surrogatepass")
    text = with_endings_of(theirs.lstrip(BYTE_ORDER_MARK), plain(theirs), made_plain)
    marked = BYTE_ORDER_MARK + text if theirs.startswith(BYTE_ORDER_MARK) else text
    return marked, max(lost, 0 if made.whole else 1)


def taken_back(before: bytes, now: bytes, typed: bytes) -> Optional[bytes]:
    """Take the changes from `before` to `now` back in `typed`, which the user has made of `now`.

    None if the two touch each other.
    """
    changes, edits = hunks_between(before, now), hunks_between(now, typed)
    for change in changes:
        if any(change.right_start <= edit.left_end and edit.left_start <= change.right_end for edit in edits):
            return None
    return _with_edits(before, changes, typed, edits)


def same_text(data: bytes, text: bytes) -> bool:
    """Whether a file holds this text, apart from line ends, the end of the last line and a byte order mark."""
    return _plain(data) == _plain(text)


def sizes(text: bytes) -> Set[int]:
    """The sizes in bytes that a file with the `same_text` may have."""
    plain = _plain(text)
    lines = plain.count(b"\n")
    return {len(plain) + ends + mark for ends in (0, lines, 1, lines + 1, lines + 2) for mark in (0, len(BOM_UTF8))}


def _plain(data: bytes) -> bytes:
    return without_mark(data)[1].replace(b"\r\n", b"\n").rstrip(b"\n")


def formed(text: bytes, like: bytes) -> bytes:
    """A text with the byte order mark and the line ends of another."""
    text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if b"\r\n" in like else text
    return BOM_UTF8 + text if like.startswith(BOM_UTF8) and not text.startswith(BOM_UTF8) else text


def holds_edit(shown: bytes, wanted: bytes, now: bytes) -> bool:
    """Whether all that was made of `shown` in `wanted` is in `now` as it is, whatever else is there."""
    made, others = hunks_between(shown, wanted), hunks_between(wanted, now)
    return bool(made) and not any(_overlap(edit, other) for edit in made for other in others)


def accepted_of(data: bytes, text: bytes, agreed: Optional[bytes], shown: Optional[bytes]) -> Optional[bytes]:
    """The part of `data` that the user has accepted; the file held `shown` when `text` was accepted, and holds `data`.

    That is all of it, the bytes that the user has `agreed` to where the format differs, or the text without what was
    written since. None if it is nothing.
    """
    if same_text(data, text):
        return data if agreed is None or agreed.rstrip(b"\r\n") == data.rstrip(b"\r\n") else agreed
    text = formed(text, data)
    return text if shown is not None and holds_edit(shown, text, data) else None


def with_hunks(before: bytes, now: bytes, hunks: Iterable[Hunk]) -> bytes:
    """`before` with some of the hunks between the two as they are in `now`, but for what is no part of a hunk: its byte
    order mark stays, and where line ends have changed in all of the file, lines get those that it has."""
    rest, taken = without_mark(before)[1], without_mark(now)[1]
    mark, lines = before[: len(before) - len(rest)], lines_of(rest)
    return mark + bytes_of(put_together(lines, _with_ends_of(lines, lines_of(taken)), hunks))


def _with_ends_of(lines: Sequence[str], others: List[str]) -> List[str]:
    """The `others` with the usual end of `lines` where these have no such ends, or have come to others as a whole."""
    here, there = (Counter(filter(None, map(_end, each))) for each in (lines, others))
    if not here or not there or set(here) == set(there):
        return others
    (usual, _), (theirs, _) = here.most_common(1)[0], there.most_common(1)[0]
    replaced = {end for end in there if end not in here or end == theirs != usual}
    return [line[: -len(_end(line))] + usual if _end(line) in replaced else line for line in others]


def _end(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else line[-1:] if line.endswith("\n") else ""


def without_hunks(before: bytes, now: bytes, hunks: Iterable[Hunk]) -> bytes:
    """`now` with some of the hunks between the two as they were in `before`, as `with_hunks` does it."""
    return with_hunks(now, before, [Hunk(*hunk[2:], *hunk[:2]) for hunk in hunks])


def _with_edits(before: bytes, changes: Sequence[Hunk], edited: bytes, edits: Sequence[Hunk]) -> Optional[bytes]:
    """`before`, which has become another text by `changes`, with those `edits` that have made `edited` of that one.

    None if an edit is behind a last line that has got its end: the two are one.
    """
    made: List[Hunk] = []  # the edits, where they are in `before`
    for edit in edits:
        shift = sum(change.left_count - change.right_count for change in changes if change.right_end <= edit.left_start)
        made.append(Hunk(edit.left_start + shift, edit.left_end + shift, edit.right_start, edit.right_end))
    lines = put_together(lines_of(before), lines_of(edited), made)
    return bytes_of(lines) if all(line.endswith("\n") for line in lines[:-1]) else None


def _overlap(change: Hunk, edit: Hunk) -> bool:
    """Whether an edit of the user is about lines that a change has brought, or about the place where it took some."""
    if change.right_count and edit.left_count:
        return change.right_start < edit.left_end and edit.left_start < change.right_end
    if change.right_count:
        return change.right_start < edit.left_start < change.right_end
    return edit.left_start < change.right_start < edit.left_end


# -- what the review shows ---------------------------------------------------------------------------------------------


class TextPair(NamedTuple):
    """What a file held before, and what it holds; `right` is None if one of them is no text that can be shown.

    `by_lines`: whether each line of them is one line of the bytes.
    """

    left: Original
    right: Optional[ProposedText]
    by_lines: bool = False


SINCE_SAVE = "Since you saved the file. Its earlier changes come next."
IGNORED = "The file is ignored by now."
EXCLUDED = "not shown: excluded"
OUTSIDE = "changed outside of an agent's steps"


def file_count(count: int) -> str:
    """So many files, in words."""
    return "1 file" if count == 1 else f"{count:,} files"


def change_item(change: UnreviewedChange) -> Tuple[str, str]:
    """What a list says of a change beside its path: what is to be known, and how much it is; nothing is escaped."""
    details = [f"renamed from {change.old_path}" if change.kind is ChangeKind.RENAMED else change.obstacle]
    details += caveats(change)
    parts = [f"+{change.added:,} \u2212{change.removed:,}"] if change.added or change.removed else []
    parts += [change.kind.value] if change.excluded or change.kind is not ChangeKind.CHANGED else []
    parts += [EXCLUDED] if change.excluded else []
    parts += ["binary"] if change.binary else []
    parts += [doing(change.origin)] if change.origin.who else []
    return " \u00b7 ".join(filter(None, [*details, *change.whole_file])), ", ".join(parts)


def caveats(change: UnreviewedChange) -> List[str]:
    """What the user should know of a change before deciding it, in sentences."""
    return ([SINCE_SAVE] if change.since_save else []) + ([IGNORED] if change.ignored else [])


def doing(origin: Origin) -> str:
    """The program that a change is from, and the first words of its prompt."""
    return f'{origin.who}: "{origin.why}"' if origin.why else origin.who


def about(change: UnreviewedChange) -> str:
    """What happened to the file beside its text, in a sentence; empty if only the text has changed."""
    if change.kind is ChangeKind.DELETED:
        return "The file was deleted."
    if change.kind is ChangeKind.RENAMED:
        return f"Renamed from {change.old_path}."
    return ""


def text_pair(
    change: UnreviewedChange, sides: Sequence[Optional[bytes]], decoded: Callable[[bytes], Original]
) -> TextPair:
    """The texts of a change that has these bytes before and now, None where nobody knows them.

    `decoded` says what the review would show of a file with such bytes.
    """
    found: List[Original] = []
    by_lines = True
    for data in sides:
        original = decoded(data) if data is not None else Original(change.full_path, Kind.UNREADABLE)
        if data is None or original.kind is not Kind.TEXT:
            return TextPair(original, None)
        by_lines = by_lines and line_by_line(data, original.text, original.encoding)
        found.append(original)
    left = found[0] if change.before.there else Original(change.full_path, Kind.NEW)
    by_lines = by_lines and same_encoding(*(WrittenText(each.exact, each.encoding) for each in found))
    return TextPair(left, ProposedText(found[1].exact), by_lines)


def line_by_line(data: bytes, shown: str, encoding: str) -> bool:
    """Whether each line of the bytes is one line of the text that is shown for them."""
    lines, texts = lines_of(data), split_lines(shown)
    if encoding.startswith("UTF-16") or len(lines) != len(texts):
        return False
    return all(line.count("\r") == line.endswith("\r\n") for line in lines)
