"""The two texts of an unreviewed change as the review shows them, and their lines as they stand in the bytes.

Rule: a hunk is decided by itself only where each line that is shown is one line of the bytes. What cannot be shown as
text is not shown at all.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from ..comparison import split_lines
from ..review.document.disk import Kind, Original
from ..review.document.text import ProposedText
from .merging import lines_of
from .model import Change
from .model import Kind as Kinds


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


def change_item(change: Change) -> Tuple[str, str, str]:
    """A change in a list: the path, what else is to be known, and how much it is; nothing is escaped."""
    details = f"renamed from {change.old_path}" if change.kind is Kinds.RENAMED else change.obstacle
    parts = [f"+{change.added:,} \u2212{change.removed:,}"] if change.added or change.removed else []
    parts += [change.kind.value] if change.kind in (Kinds.NEW, Kinds.DELETED, Kinds.RENAMED) else []
    parts += ["binary"] if change.binary else []
    parts += [f"{change.who} was at work"] if change.who else []
    return change.path, details, ", ".join(parts)


def about(change: Change, before: Optional[str], now: str) -> str:
    """What is to be known of a change beside its two texts, in a sentence; empty if they say it all."""
    if change.kind is Kinds.DELETED:
        return "The file was deleted."
    if change.kind is Kinds.RENAMED:
        return f"Renamed from {change.old_path}."
    if change.kind is Kinds.CHANGED and before == now:
        same = change.before.identity == change.now.identity
        return "Only its permissions have changed." if same else "Only its line endings or its encoding have changed."
    return ""


def text_pair(change: Change, sides: Sequence[Optional[bytes]], decoded: Callable[[bytes], Original]) -> TextPair:
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
    return TextPair(left, ProposedText(found[1].exact), by_lines)


def line_by_line(data: bytes, shown: str, encoding: str) -> bool:
    """Whether each line of the bytes is one line of the text that is shown for them."""
    lines, texts = lines_of(data), split_lines(shown)
    if encoding.startswith("UTF-16") or len(lines) != len(texts):
        return False
    return all(line.count("\r") == line.endswith("\r\n") for line in lines)
