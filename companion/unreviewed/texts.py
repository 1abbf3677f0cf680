"""The two texts of an unreviewed change as the review shows them, and their lines as they stand in the bytes.

Rule: a hunk is decided by itself only where each line that is shown is one line of the bytes. What cannot be shown as
text is not shown at all.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

from ..comparison import Hunk, compare_lines, split_lines
from ..review.document.disk import Kind, Original, original_of
from ..review.document.text import ProposedText
from .listing import ListedChange
from .merging import lines_of
from .model import Kind as Kinds


class Limits(NamedTuple):
    """How long a text may be to be compared, and the editor's name of the encoding of what is not UTF-8."""

    maximum_bytes: int
    maximum_lines: int
    fallback_encoding: str


class TextPair(NamedTuple):
    """What a file held before, and what it holds; `right` is None if one of them is no text that can be shown.

    `by_lines`: whether each line of them is one line of the bytes.
    """

    left: Original
    right: Optional[ProposedText]
    by_lines: bool = False


def file_count(count: int) -> str:
    """So many files, in words."""
    return "1 file" if count == 1 else f"{count:,} files"


def change_item(change: ListedChange) -> Tuple[str, str, str]:
    """A change in a list: the path, what else is to be known, and how much it is; nothing is escaped."""
    details = f"renamed from {change.old_path}" if change.kind is Kinds.RENAMED else change.obstacle
    parts = [f"+{change.added:,} \u2212{change.removed:,}"] if change.added or change.removed else []
    parts += [change.kind.value] if change.kind in (Kinds.NEW, Kinds.DELETED, Kinds.RENAMED) else []
    parts += ["binary"] if change.binary else []
    parts += [f"{change.who} was at work"] if change.who else []
    return change.path, details, ", ".join(parts)


def about(change: ListedChange, before: Optional[str], now: str) -> str:
    """What is to be known of a change beside its two texts, in a sentence; empty if they say it all."""
    if change.kind is Kinds.DELETED:
        return "The file was deleted."
    if change.kind is Kinds.RENAMED:
        return f"Renamed from {change.old_path}."
    if change.kind is Kinds.CHANGED and before == now:
        same = change.before.identity == change.now.identity
        return "Only its permissions have changed." if same else "Only its line endings or its encoding have changed."
    return ""


def text_pair(change: ListedChange, before: Optional[bytes], now: Optional[bytes], limits: Limits) -> TextPair:
    """The texts of a change that have these bytes, None where nobody knows them."""
    path = change.full_path
    found: List[Original] = []
    by_lines = True
    for data in (before, now):
        original = Original(path, Kind.UNREADABLE)
        if data is not None:
            original = original_of(
                path,
                data,
                maximum_bytes=limits.maximum_bytes,
                maximum_lines=limits.maximum_lines,
                fallback=limits.fallback_encoding,
            )
        if data is None or original.kind is not Kind.TEXT:
            return TextPair(original, None)
        by_lines = by_lines and line_by_line(data, original.text, original.encoding)
        found.append(original)
    left = found[0] if change.before.there else Original(path, Kind.NEW)
    return TextPair(left, ProposedText(found[1].exact), by_lines)


def line_by_line(data: bytes, shown: str, encoding: str) -> bool:
    """Whether each line of the bytes is one line of the text that is shown for them."""
    lines, texts = lines_of(data), split_lines(shown)
    if encoding.startswith("UTF-16") or len(lines) != len(texts):
        return False
    return all(line.count("\r") == line.endswith("\r\n") for line in lines)


def without_lines(before: str, now: str, hunks: Sequence[Hunk]) -> str:
    """`now` with some of the hunks between the two texts as they were in `before`."""
    old, new = split_lines(before), split_lines(now)
    for hunk in sorted(hunks, reverse=True):
        new[hunk.right_start : hunk.right_end] = old[hunk.left_start : hunk.left_end]
    return "".join(new)


def taken_back(before: str, now: str, typed: str) -> Optional[str]:
    """`typed`, which somebody has made of `now`, with what `now` has changed of `before` as it was before.

    None if the two touch each other.
    """
    old, middle, new = split_lines(before), split_lines(now), split_lines(typed)
    edits = compare_lines(middle, new)
    result: List[str] = []
    place = 0  # in `new`
    for change in compare_lines(old, middle):
        if any(_touch(change, edit) for edit in edits):
            return None
        shift = sum(edit.right_count - edit.left_count for edit in edits if edit.left_end < change.right_start)
        result += new[place : change.right_start + shift]
        result += old[change.left_start : change.left_end]
        place = change.right_end + shift
    result += new[place:]
    if not all(line.endswith("\n") for line in result[:-1]):
        return None
    return "".join(result)


def _touch(change: Hunk, edit: Hunk) -> bool:
    return change.right_start <= edit.left_end and edit.left_start <= change.right_end
