"""A file and some of its lines, as typed into a client's prompt: `@path`, which clients read as a file.

Rule: the line range follows the path after a blank: clients take everything up to the first blank for the path.
"""

from __future__ import annotations

import re
from typing import Optional, Tuple

from ..system.platform import WINDOWS, Platform

_SPECIAL_ON_POSIX = re.compile(r"""([ \t()\[\]{};|*?$`'"#&<>!~\\])""")
_SPECIAL_ON_WINDOWS = re.compile(r"""[\s&()\[\]{}^=;!'+,`~%$@#]""")


def mention(path: str, folder: Optional[str], lines: Optional[Tuple[int, int]], platform: Platform) -> str:
    """The text to type, with a blank at its end so that the user can go on typing.

    `folder` is where the client runs: paths below it become relative. `lines` are the first and last line from 1.
    """
    text = "@" + _escaped(_relative(path, folder, platform), platform)
    if lines is not None:
        first, last = lines
        text += f" (line {first})" if first == last else f" (lines {first}-{last})"
    return text + " "


def selected_lines(first_row: int, last_row: int, last_column: int) -> Tuple[int, int]:
    """The lines, from 1, that a selection covers, given rows and column from 0.

    A selection that ends at the start of a line does not include that line.
    """
    if last_column == 0 and last_row > first_row:
        last_row -= 1
    return first_row + 1, last_row + 1


def _relative(path: str, folder: Optional[str], platform: Platform) -> str:
    if folder:
        inside = platform.path.normcase(platform.path.join(folder, ""))
        if platform.path.normcase(path).startswith(inside):
            path = path[len(inside) :]
    return path.replace("\\", "/") if platform.name == WINDOWS else path


def _escaped(path: str, platform: Platform) -> str:
    if platform.name == WINDOWS:
        return f'"{path}"' if _SPECIAL_ON_WINDOWS.search(path) else path
    return _SPECIAL_ON_POSIX.sub(r"\\\1", path)
