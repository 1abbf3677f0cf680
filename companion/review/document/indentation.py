"""How a text is indented, so that the Tab key in a proposal does what it would do in the file.

The editor guesses this when it loads a file, but not for text that a package puts into a view. The guess is made of the
steps from line to line, as the editor's is.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Iterable, NamedTuple, Optional

_LINES = 2000  # enough to tell
_WIDTHS = range(2, 9)


class Indentation(NamedTuple):
    """Whether a step is made of spaces, and how wide it is in columns; 0 where the text does not say."""

    spaces: bool
    width: int


def guess(lines: Iterable[str]) -> Optional[Indentation]:
    """The indentation of `lines`, or None if none of them is indented."""
    tabs = spaces = 0
    before: Optional[int] = 0
    steps: Counter[int] = Counter()
    for line in islice(lines, _LINES):
        text = line.lstrip(" \t")
        if not text.strip():
            continue
        margin = line[: len(line) - len(text)]
        if margin.startswith("\t"):
            tabs += 1
            before = None  # from here the next step cannot be measured
            continue
        if len(margin) > 1:
            spaces += 1
        if before is not None and len(margin) - before in _WIDTHS:
            steps[len(margin) - before] += 1
        before = len(margin)
    if tabs >= spaces:
        return Indentation(False, 0) if tabs else None
    # Of equally frequent steps the narrower one: a continued line is often indented by two at once.
    width = min(steps, key=lambda step: (-steps[step], step), default=0)
    return Indentation(True, width)
