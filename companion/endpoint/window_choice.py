"""Which window an agent belongs to, by the folder in which it works.

Rule: paths are compared as text, upper and lower case only on Linux. Any thread.
"""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

from ..system.paths import is_below
from ..system.platform import Platform
from .endpoint import Endpoint


def best_window(endpoints: Sequence[Endpoint], folder: str, platform: Platform) -> Optional[Endpoint]:
    """The window that has this folder, else one with a folder above it (the innermost), else one with a folder below
    it, else any. Of equal ones it is the one that was last in front. None without windows."""

    def rank(endpoint: Endpoint) -> Tuple[Tuple[int, int], int]:
        return _fit(endpoint.discovery.all_folders, folder, platform), endpoint.tracker.last_in_front

    return max(endpoints, key=rank) if endpoints else None


def window_holding(endpoints: Sequence[Endpoint], folder: str, platform: Platform) -> Optional[Endpoint]:
    """The window with the innermost folder that holds this one. None if there is none."""
    found = best_window(endpoints, folder, platform)
    return found if found is not None and holds(found.discovery.all_folders, folder, platform) else None


def holds(folders: Sequence[str], place: str, platform: Platform) -> bool:
    """Whether one of these folders holds that place."""
    return _fit(folders, place, platform)[0] == 2


def _fit(folders: Sequence[str], place: str, platform: Platform) -> Tuple[int, int]:
    """How well these folders fit a place: 2 if one of them holds it, and how long the innermost of those is; 1 if one
    lies in it."""
    place, best = platform.path.normpath(place), (0, 0)
    for folder in map(platform.path.normpath, folders):
        if is_below(folder, place, platform):
            best = max(best, (2, len(folder)))
        elif is_below(place, folder, platform):
            best = max(best, (1, 0))
    return best
