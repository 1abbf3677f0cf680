"""Questions about a text: lines, and searching. No state."""

from __future__ import annotations

import re
from typing import Iterator, List, Optional, Tuple

from .buffer import BufferModel
from .values import Region

LITERAL, IGNORECASE, WHOLEWORD, REVERSE, WRAP = 1, 2, 4, 8, 16


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
