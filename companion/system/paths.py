"""Does a path lie in a folder? The answer by the text of both; `discovery.workspace` asks the disk as well.

Rule: links and `..` are the caller's to resolve beforehand. Case matters on Linux only, unless the caller copies an
agent that compares letter by letter.
"""

from __future__ import annotations

from typing import Optional, Sequence

from .platform import HERE, LINUX, WINDOWS, Platform


def path_below(folder: str, path: str, platform: Platform = HERE, *, exact: bool = False) -> Optional[str]:
    """The rest of `path` behind `folder`, as it is spelled; "" for the folder itself, None if it lies elsewhere.

    With `exact` upper and lower case count, and so do the two separators of Windows. Any thread; asks no disk.
    """
    start = platform.path.join(folder, "")
    head = platform.path.join(path, "")[: len(start)]
    if head == start or (not exact and _key(head, platform) == _key(start, platform)):
        return path[len(start) :]
    return None


def is_below(folder: str, path: str, platform: Platform = HERE, *, exact: bool = False) -> bool:
    """Whether `path` is the folder or lies below it. The arguments are those of `path_below`."""
    return path_below(folder, path, platform, exact=exact) is not None


def relative(path: str, folders: Sequence[str], platform: Platform) -> str:
    """A path below one of the folders without that folder, as it is written with slashes; others as they are."""
    for folder in folders:
        inside = path_below(folder, path, platform)
        if inside:
            path = inside
            break
    return path.replace("\\", "/") if platform.name == WINDOWS else path


def _key(path: str, platform: Platform) -> str:
    path = str(platform.path.normcase(path))
    return path if platform.name == LINUX else path.lower()
