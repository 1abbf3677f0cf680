"""JSON as the text that it is, with comments and trailing commas: what it says where, so that an item can be put in.

Rule: an edit adds or removes one item with its comma. All other characters stay, and removing what was appended, the
last first, gives the very text from before. What comes in is written as its neighbours are: on a line of its own with
their indentation, or in theirs. A comment belongs to what stands before it.

Pure. The editor's own reader says what JSON means, but not where it stands.
"""

from __future__ import annotations

import json
import re
from typing import Any, List, NamedTuple, Optional, Set, Tuple

DEEPEST = 64
_IGNORED = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(
    _STRING.pattern + r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z.])|(?:true|false|null)\b"
)
_BLANKS = re.compile(r"[ \t]*")


class JsonTextError(ValueError):
    """A text is no JSON, not even with comments. The message is the end of a sentence."""


class Node(NamedTuple):
    """A value, and where it stands. `items` are those of a list or an object."""

    value: Any
    start: int
    end: int
    items: Tuple[Item, ...] = ()

    def member(self, key: str) -> Optional[Item]:
        """The member of this name, if it is an object that has one."""
        return next((item for item in self.items if item.key == key), None)


class Item(NamedTuple):
    """One of a list, or a member of an object, which begins with its `key`. `comma`: where the one behind it is, or
    -1."""

    key: Optional[str]
    start: int
    node: Node
    comma: int


def parse(text: str) -> Node:
    """What a text says. Raises `JsonTextError`, for an object with two members of one name as well."""
    node = _node(text, _behind_ignored(text, 0), DEEPEST)
    if _behind_ignored(text, node.end) != len(text):
        raise _error(text, _behind_ignored(text, node.end))
    return node


def _node(text: str, start: int, deepest: int) -> Node:
    opening = text[start : start + 1]
    if opening not in ("{", "["):
        return Node(*_scalar(_SCALAR, text, start))
    if not deepest:
        raise _error(text, start, "is nested too deeply")
    closing = "}" if opening == "{" else "]"
    items: List[Item] = []
    names: Set[Optional[str]] = set()
    place = _behind_ignored(text, start + 1)
    while text[place : place + 1] != closing:
        if items and items[-1].comma < 0:
            raise _error(text, place)
        first, key = place, None
        if opening == "{":
            key, _, place = _scalar(_STRING, text, place)
            if key in names:
                raise _error(text, first, "repeats a name")
            names.add(key)
            place = _behind_ignored(text, place)
            if text[place : place + 1] != ":":
                raise _error(text, place)
            place = _behind_ignored(text, place + 1)
        node = _node(text, place, deepest - 1)
        place = _behind_ignored(text, node.end)
        comma = place if text[place : place + 1] == "," else -1
        items.append(Item(key, first, node, comma))
        place = _behind_ignored(text, place + 1) if comma >= 0 else place
    values: Any = [item.node.value for item in items]
    value = dict(zip([item.key for item in items], values)) if opening == "{" else values
    return Node(value, start, place + 1, tuple(items))


def _scalar(pattern: re.Pattern[str], text: str, start: int) -> Tuple[Any, int, int]:
    match = pattern.match(text, start)
    if match is None:
        raise _error(text, start)
    try:
        return json.loads(match.group()), start, match.end()
    except ValueError:  # an escape that there is not
        raise _error(text, start) from None


def _behind_ignored(text: str, place: int) -> int:
    """Where blanks and comments that begin at `place` have ended."""
    match = _IGNORED.match(text, place)
    while match is not None:
        place = match.end()
        match = _IGNORED.match(text, place)
    return place


def _error(text: str, place: int, what: str = "is no JSON") -> JsonTextError:
    return JsonTextError(f"line {text.count(chr(10), 0, place) + 1} {what}")


# -- edits -------------------------------------------------------------------------------------------------------------


class _Gap(NamedTuple):
    """The blanks before a place: where they begin, and whether that is the end of a comment that ends with its line."""

    start: int
    behind_line_comment: bool


def appended(text: str, container: Node, key: Optional[str], value: Any, line_end: str, unit: str) -> str:
    """The text with another item at the end of a list or an object of it. `line_end` is between new lines, `unit` a
    step of the indentation."""
    last = container.items[-1] if container.items else None
    trailing = last is not None and last.comma >= 0
    behind = container.start + 1 if last is None else last.comma + 1 if trailing else last.node.end
    close = container.end - 1
    place, forced = _gap(text, behind, close)
    base = _line_indentation(text, last.start if last is not None else container.start)
    own_line = _begins_line(text, last.start) if last is not None else _has_line_end(text[place:close])
    if last is None or not own_line:  # else as the last one is indented
        base += unit if own_line or forced else ""
    new_line = own_line or forced
    in_one_line = last is not None and not new_line and not _has_line_end(text[container.start : container.end])
    written = json.dumps(value, ensure_ascii=False, indent=None if in_one_line else unit)
    written = written.replace("\n", line_end + base)
    named = f"{json.dumps(key, ensure_ascii=False)}: {written}" if key is not None else written
    gap = line_end + base if new_line else " " if last is not None or place > behind else ""
    text = text[:place] + gap + named + ("," if trailing else "") + text[place:]
    return text if last is None or trailing else text[: last.node.end] + "," + text[last.node.end :]


def without(text: str, container: Node, index: int) -> str:
    """The text without one item of a list or an object of it."""
    item, before = container.items[index], container.items[index - 1] if index else None
    start, behind_line_comment = _gap(text, before.comma + 1 if before is not None else container.start + 1, item.start)
    if item.comma >= 0:
        blanks = _BLANKS.match(text, item.comma + 1) if before is None and start == item.start else None
        text = text[: item.comma] + text[blanks.end() if blanks is not None else item.comma + 1 :]
    rest = text[item.node.end :]
    if behind_line_comment and not rest.startswith(("\n", "\r")):
        start = item.start  # the comment would go on
    text = text[:start] + rest
    return text[: before.comma] + text[before.comma + 1 :] if before is not None and item.comma < 0 else text


def step_of_indentation(text: str) -> str:
    """How the members of the outermost object are indented."""
    items = parse(text).items
    return (_line_indentation(text, items[0].start) if items and _begins_line(text, items[0].start) else "") or "  "


def is_bare(text: str, container: Node) -> bool:
    """Whether there is nothing at all in a list or an object, not even a comment."""
    return not text[container.start + 1 : container.end - 1].strip(" \t\r\n")


def _gap(text: str, place: int, end: int) -> _Gap:
    """The blanks before `end`. From `place` on there is nothing else, but for comments."""
    line_comment = False
    match = _IGNORED.match(text, place)
    while match is not None and match.end() <= end:
        if text[match.start()] == "/":
            place, line_comment = match.end(), text[match.start() + 1] == "/"
        match = _IGNORED.match(text, match.end())
    return _Gap(place, line_comment)


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1


def _line_indentation(text: str, place: int) -> str:
    match = _BLANKS.match(text, _line_start(text, place))
    return match.group() if match is not None else ""


def _begins_line(text: str, place: int) -> bool:
    return not text[_line_start(text, place) : place].strip(" \t")


def _has_line_end(text: str) -> bool:
    return "\n" in text or "\r" in text
