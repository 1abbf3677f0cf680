"""Where a program is that is started by its name alone.

Rule: nothing that lies in a workspace folder is found by its name: others may have put it there. The current folder
is never looked in, as Windows would before all others, nor what the PATH names relative to it. What the user names by
a full path is taken as it is.

This blocks on the disk: disk thread.
"""

from __future__ import annotations

import os
from typing import Iterable, Iterator, List, NamedTuple, Sequence

from .paths import is_below
from .platform import WINDOWS, Platform

EXTENSIONS = ".COM;.EXE;.BAT;.CMD"  # of programs on Windows, unless `PATHEXT` names them


class FoundProgram(NamedTuple):
    """The full path of a program, or "" and why there is none, as a sentence: that is "" where none was seen."""

    place: str = ""
    why: str = ""


def find_program(program: str, platform: Platform, folders: Iterable[str]) -> FoundProgram:
    """Look for a program on the PATH of the editor. `folders` are those of the workspace. Never raises."""
    if is_path(program, platform):
        if not is_full(program, platform):
            return FoundProgram("", f"“{program}” is a relative path: name it in full")
        return FoundProgram(next(filter(is_program, _candidates("", program, platform)), ""))
    passed_over = ""
    for place in _places(platform):
        for candidate in filter(is_program, _candidates(place, program, platform)):
            if not lies_in(candidate, folders, platform):
                return FoundProgram(candidate)
            passed_over = passed_over or candidate
    return FoundProgram("", in_workspace(passed_over) if passed_over else "")


def in_workspace(place: str) -> str:
    """Why a program is not started."""
    return f"{place} lies in a folder of this window: name it in full to start it all the same"


def is_path(program: str, platform: Platform) -> bool:
    """Whether this names a place rather than something to be looked for."""
    drive, rest = platform.path.splitdrive(program)
    return bool(drive) or platform.path.dirname(rest) != ""


def is_full(path: str, platform: Platform) -> bool:
    """Whether a path means the same in all folders. On Windows one without a drive does not, although Python before
    3.13 counts it as absolute."""
    has_drive = platform.name != WINDOWS or bool(platform.path.splitdrive(path)[0])
    return has_drive and bool(platform.path.isabs(path))


def lies_in(place: str, folders: Iterable[str], platform: Platform) -> bool:
    """Whether a file lies in one of these folders, by its path or by where its links lead.

    A folder that the user's home lies in does not count: what the user has installed is below it.
    """
    return _is_below(_spellings(place, platform), left_out(folders, platform), platform)


def left_out(folders: Iterable[str], platform: Platform) -> List[str]:
    """The folders in which nothing is found, each by its path and without links, with a separator at its end."""
    home = _spellings(platform.home_directory(), platform)
    spelled = (_spellings(folder, platform) for folder in folders)
    return list(dict.fromkeys(one for each in spelled if not _is_below(home, each, platform) for one in each))


def is_program(path: str) -> bool:
    """Whether there is a file that may be started."""
    return os.access(path, os.X_OK) and not os.path.isdir(path)


def _places(platform: Platform) -> Iterator[str]:
    places = [each.strip('"') for each in platform.variable("PATH").split(platform.list_separator)]
    if platform.name == WINDOWS:
        places.append(platform.path.dirname(platform.command_interpreter))
    return (place for place in places if is_full(place, platform))


def _candidates(place: str, program: str, platform: Platform) -> Iterator[str]:
    path = platform.path.join(place, program)
    if platform.name != WINDOWS:
        yield path
        return
    extensions = [each for each in (platform.variable("PATHEXT") or EXTENSIONS).split(";") if each.startswith(".")]
    if program.lower().endswith(tuple(each.lower() for each in extensions)):
        yield path
    for extension in extensions:
        yield path + extension.lower()


def _spellings(path: str, platform: Platform) -> List[str]:
    """The path as it is and without links, each with a separator at its end."""
    return [platform.path.join(each, "") for each in (platform.path.abspath(path), platform.path.realpath(path))]


def _is_below(paths: Iterable[str], folders: Sequence[str], platform: Platform) -> bool:
    return any(is_below(folder, path, platform) for path in paths for folder in folders)
