"""A stand-in for Package Control's default channel, which cannot be read where only the package index can.

It defines the libraries that the table leaves to that channel, in the channel's way: the newest wheel for every Python,
and `jsonschema` as the one old release that the channel has.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from tests.tools.release.libraries import LIBRARIES, PYTHONS
from tests.tools.release.templates import pinned_releases


def channel_libraries(index: str, pythons: Sequence[str] = PYTHONS) -> List[Dict[str, Any]]:
    """The channel's definitions of the libraries that the package takes from it."""
    return [
        {"name": library.name, "releases": pinned_releases(library, index, pythons)}
        for library in LIBRARIES
        if library.in_default_channel
    ]
