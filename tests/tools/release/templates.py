"""The libraries as a channel defines them: the project's page on the index, and patterns of wheel names.

Whoever builds a channel looks the wheels up. Package Control 4.2 does so itself, later ones pass over what names no
file. Rule: a pattern with a pin here and the resolved release of `repository.py` are the same wheel.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from tests.tools.release.libraries import LIBRARIES, PLATFORMS, PYTHONS, Library, platforms_of


def project_page(index: str, name: str, version: Optional[str]) -> str:
    """The page of a library on the index, of one release of it if there is a version."""
    page = "{}/project/{}".format(index.rstrip("/"), name)
    return page if version is None else f"{page}/{version}"


def pinned_releases(library: Library, index: str, pythons: Sequence[str]) -> List[Dict[str, Any]]:
    """One release for each Python, and for a compiled library for each platform too, newest Python first.

    What is pinned does not rely on who looks it up heeding `Requires-Python`.
    """
    releases: List[Dict[str, Any]] = []
    for python in reversed(pythons):
        base = project_page(index, library.name, library.pin(python))
        for platform in platforms_of(python) if library.compiled else ("*",):
            releases.append(
                {
                    "base": base,
                    "asset": library.asset(python, platform),
                    "platforms": [platform],
                    "python_versions": [python],
                }
            )
    return releases


def channel_releases(library: Library, index: str) -> List[Dict[str, Any]]:
    """The same as the default channel writes it: `cp${py_version}` for all Pythons at once, and no pins.

    The channel's builder takes the newest wheel that says it runs on the Python, so that only new Pythons need care.
    """
    base = project_page(index, library.name, None)
    releases: List[Dict[str, Any]] = []
    for platform in PLATFORMS if library.compiled else ("*",):
        by_asset: Dict[str, List[str]] = {}
        for python in PYTHONS:
            if platform != "*" and platform not in platforms_of(python):
                continue
            asset = library.asset(python, platform).replace("cp" + python.replace(".", ""), "cp${py_version}")
            by_asset.setdefault(asset, []).append(python)
        for asset, pythons in by_asset.items():
            release: Dict[str, Any] = {"base": base, "asset": asset, "python_versions": pythons}
            if platform != "*":
                release = {"base": base, "asset": asset, "platforms": [platform], "python_versions": pythons}
            releases.append(release)
    return releases


def library_entry(library: Library, releases: List[Dict[str, Any]]) -> Dict[str, Any]:
    """A library's entry with these releases, its keys in the order that all repositories have them in."""
    return {
        "name": library.name,
        "description": library.description,
        "author": library.author,
        "issues": library.issues,
        "releases": releases,
    }


def own_libraries() -> List[Library]:
    """The libraries that the default channel lacks, so that we define them."""
    return [library for library in LIBRARIES if not library.in_default_channel]
