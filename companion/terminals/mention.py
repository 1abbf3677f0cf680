"""A file and some of its lines, as typed into a client's prompt: `@path`, which clients read as a file.

Rule: the line range follows the path after a blank: clients take everything up to the first blank for the path.
"""

from __future__ import annotations

import re
from typing import Optional, Sequence, Tuple

from ..system.platform import WINDOWS, Platform

_SPECIAL_ON_POSIX = re.compile(r"""([ \t()\[\]{};|*?$`'"#&<>!~\\])""")
_SPECIAL_ON_WINDOWS = re.compile(r"""[\s&()\[\]{}^=;!'+,`~%$@#]""")


def mention(path: str, folders: Sequence[str], lines: Optional[Tuple[int, int]], platform: Platform) -> str:
    """The text to type, with a blank at its end so that the user can go on typing.

    `folders` are where the client may run: paths below one become relative. `lines` are the first and last from 1.
    """
    text = "@" + _escaped(_relative(path, folders, platform), platform)
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


def _relative(path: str, folders: Sequence[str], platform: Platform) -> str:
    for folder in folders:
        inside = platform.path.normcase(platform.path.join(folder, ""))
        if platform.path.normcase(path).startswith(inside):
            path = path[len(inside) :]
            break
    return path.replace("\\", "/") if platform.name == WINDOWS else path


def _escaped(path: str, platform: Platform) -> str:
    if platform.name == WINDOWS:
        return f'"{path}"' if _SPECIAL_ON_WINDOWS.search(path) else path
    return _SPECIAL_ON_POSIX.sub(r"\\\1", path)
