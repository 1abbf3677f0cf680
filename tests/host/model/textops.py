"""Questions about a text: lines, and searching. No state."""

from __future__ import annotations

import re
from typing import Iterator, List

from .buffer import BufferModel
from .values import Region


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


def matches(buffer: BufferModel, pattern: str, start: int = 0) -> Iterator[Region]:
    """Where the text matches from `start` on; `^` and `$` match at every line. Raises ValueError for a bad pattern."""
    try:
        expression = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise ValueError("bad regular expression: %s" % error) from error
    return (Region(*match.span()) for match in expression.finditer(buffer.text, buffer.clamp(start)))
