"""Questions about a text: lines, words, classes of points, searching. No state."""

from __future__ import annotations

import re
from typing import Iterator, List, Optional, Tuple

from .buffer import BufferModel
from .values import Region

WORD_START, WORD_END, PUNCTUATION_START, PUNCTUATION_END = 1, 2, 4, 8
SUB_WORD_START, SUB_WORD_END, LINE_START, LINE_END, EMPTY_LINE = 16, 32, 64, 128, 256
LITERAL, IGNORECASE, WHOLEWORD, REVERSE, WRAP = 1, 2, 4, 8, 16
SEPARATORS = "./\\()\"'-:,.;<>~!@#$%^&*|+=[]{}`~?"


def line(buffer: BufferModel, region: Region, *, full: bool = False) -> Region:
    """The region grown to whole lines; `full` takes the last line feed in. Keeps the direction."""
    starts = buffer.starts()
    begin = starts[buffer.row(region.begin())]
    last = buffer.row(region.end())
    end = buffer.line_bounds(last)[1]
    if full and last + 1 < len(starts):
        end += 1
    return Region(begin, end) if region.a <= region.b else Region(end, begin)


def lines(buffer: BufferModel, region: Region) -> List[Region]:
    """Every line that the region touches, without line feeds.

    A region that ends right at the start of a line does not count that line.
    """
    first, last = buffer.row(region.begin()), buffer.row(region.end())
    if last > first and buffer.starts()[last] == buffer.clamp(region.end()):
        last -= 1
    return [Region(*buffer.line_bounds(row)) for row in range(first, last + 1)]


def split_by_newlines(buffer: BufferModel, region: Region) -> List[Region]:
    """The region cut into one piece per line."""
    begin, end = buffer.clamp(region.begin()), buffer.clamp(region.end())
    pieces = []
    for row in range(buffer.row(begin), buffer.row(end) + 1):
        low, high = buffer.line_bounds(row)
        pieces.append(Region(max(low, begin), min(high, end)))
    return pieces


def _kind(character: str, separators: str) -> str:
    if not character or character.isspace():
        return "space"
    return "punctuation" if character in separators else "word"


def classify(buffer: BufferModel, point: int, separators: str = "", sub_separators: str = "") -> int:
    """The classes of a point as a sum of flags."""
    separators = separators or SEPARATORS
    point = buffer.clamp(point)
    text = buffer.text
    before, after = text[point - 1 : point] if point else "", text[point : point + 1]
    flags = 0
    left, right = _kind(before, separators), _kind(after, separators)
    if left != right:
        flags |= (WORD_START if right == "word" else 0) | (WORD_END if left == "word" else 0)
        flags |= (PUNCTUATION_START if right == "punctuation" else 0) | (
            PUNCTUATION_END if left == "punctuation" else 0
        )
    marks = sub_separators or "_"
    if (
        right == "word"
        and after not in marks
        and (left != "word" or before in marks or (after.isupper() and not before.isupper()))
    ):
        flags |= SUB_WORD_START
    if (
        left == "word"
        and before not in marks
        and (right != "word" or after in marks or (after.isupper() and not before.isupper()))
    ):
        flags |= SUB_WORD_END
    at_start, at_end = point == 0 or before == "\n", point == len(text) or after == "\n"
    flags |= (LINE_START if at_start else 0) | (LINE_END if at_end else 0)
    flags |= EMPTY_LINE if at_start and at_end else 0
    return flags


def find_by_class(
    buffer: BufferModel, point: int, forward: bool, classes: int, separators: str = "", sub_separators: str = ""
) -> int:
    """The next point of one of the classes; the end of the text in that direction if there is none."""
    step, stop = (1, buffer.size()) if forward else (-1, 0)
    while point != stop and 0 <= point <= buffer.size():
        point += step
        if classify(buffer, point, separators, sub_separators) & classes:
            return point
    return stop


def expand_by_class(
    buffer: BufferModel, region: Region, classes: int, separators: str = "", sub_separators: str = ""
) -> Region:
    begin, end = region.begin(), region.end()
    if not classify(buffer, begin, separators, sub_separators) & classes:
        begin = find_by_class(buffer, begin, False, classes, separators, sub_separators)
    if not classify(buffer, end, separators, sub_separators) & classes or end == begin:
        end = find_by_class(buffer, end, True, classes, separators, sub_separators)
    return Region(begin, end)


def word(buffer: BufferModel, region: Region, separators: str = "") -> Region:
    """The region grown to the words at its ends. Between words, the run of other characters there."""
    separators = separators or SEPARATORS
    text = buffer.text
    begin, end = buffer.clamp(region.begin()), buffer.clamp(region.end())
    kind = _kind(text[end : end + 1], separators)
    if kind != "word" and begin and _kind(text[begin - 1], separators) == "word":
        kind = "word"

    def joins(character: str) -> bool:
        return character != "\n" and _kind(character, separators) == kind

    while begin > 0 and joins(text[begin - 1]):
        begin -= 1
    while end < len(text) and joins(text[end]):
        end += 1
    return Region(begin, end)


def compile_pattern(pattern: str, flags: int) -> re.Pattern:
    """The pattern as the search means it: `^` and `$` match at every line. Raises ValueError for a bad one."""
    source = re.escape(pattern) if flags & LITERAL else pattern
    if flags & WHOLEWORD:
        source = r"\b(?:%s)\b" % source
    try:
        return re.compile(source, re.MULTILINE | (re.IGNORECASE if flags & IGNORECASE else 0))
    except re.error as error:
        raise ValueError("bad regular expression: %s" % error) from error


def find(buffer: BufferModel, pattern: str, start: int, flags: int) -> Region:
    """The first match from `start` on; Region(-1, -1) if there is none."""
    expression = compile_pattern(pattern, flags)
    start = buffer.clamp(start)
    if flags & REVERSE:
        found = list(expression.finditer(buffer.text, 0, start))
        if not found and flags & WRAP:
            found = list(expression.finditer(buffer.text, start))
        return Region(*found[-1].span()) if found else Region(-1, -1)
    match = expression.search(buffer.text, start)
    if match is None and flags & WRAP:
        match = expression.search(buffer.text, 0)
    return Region(*match.span()) if match else Region(-1, -1)


def find_all(
    buffer: BufferModel, pattern: str, flags: int, template: Optional[str] = None
) -> Iterator[Tuple[Region, str]]:
    """Every match with its text (or the text that `template`, with $1 groups, makes of it)."""
    for match in compile_pattern(pattern, flags).finditer(buffer.text):
        if template is None:
            shown = match.group()
        else:
            shown = "".join(_expand(match, part) for part in re.split(r"([$\\]\d)", template))
        yield Region(*match.span()), shown


def _expand(match: re.Match, part: str) -> str:
    """A piece of a template: `$1` or `\\1` is the group, anything else itself."""
    is_group = len(part) == 2 and part[0] in "$\\" and part[1].isdigit()
    return (match.group(int(part[1])) or "") if is_group else part


def indentation_level(buffer: BufferModel, point: int, tab_size: int) -> int:
    start, end = buffer.line_bounds(buffer.row(point))
    width = 0
    for character in buffer.text[start:end]:
        if character == "\t":
            width += tab_size - width % tab_size
        elif character == " ":
            width += 1
        else:
            break
    return width // tab_size
