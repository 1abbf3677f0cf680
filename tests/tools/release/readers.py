"""How two Package Controls read a repository file: 4.2 (its newest release), and those that came after.

Tests hand both the generated file. Rule: each reader is as strict as its Package Control where that drops an entry or
looks something up, and `RefusedError` says what it would have done. Python versions are given for builds as both have
them.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence

from packaging.version import Version

from tests.tools.release.package_control import RefusedError, serves

_LIBRARY_KEYS = {"name", "description", "author", "homepage", "issues", "releases"}
_PACKAGE_KEYS = _LIBRARY_KEYS | {"details", "labels", "last_modified", "readme", "donate", "buy", "previous_names"}
_RELEASE_KEYS = {
    "base",
    "version",
    "sublime_text",
    "platforms",
    "python_versions",
    "branch",
    "tags",
    "asset",
    "url",
    "date",
    "sha256",
}
_RESOLVED_KEYS = {"date", "libraries", "platforms", "python_versions", "sha256", "sublime_text", "url", "version"}


def python_of(build: int) -> str:
    """The Python whose libraries Package Control installs for this package."""
    return "3.14" if build >= 4203 else "3.13" if build >= 4201 else "3.8"


def listed_libraries(dependencies: Mapping[str, Any], platform: str, build: int) -> List[str]:
    """The names that `dependencies.json` lists for an editor: one list, of the closest platform and build selector."""
    for name in (platform, platform.split("-")[0], "*"):
        if name in dependencies:
            for selector in sorted(dependencies[name], reverse=True):  # ">" before "<" before "*"
                if _is_for_build(selector, build):
                    return list(dependencies[name][selector])
            return []
    return []


def read_by_4_2(entry: Mapping[str, Any], platform: str, build: int) -> List[Dict[str, Any]]:
    """The releases of a library or package that 4.2 offers, the newest first; what it must look up is refused."""
    if set(entry) - (_PACKAGE_KEYS if "labels" in entry else _LIBRARY_KEYS):
        raise RefusedError("{} has keys that are not supported.".format(entry["name"]))
    if "details" in entry:
        raise RefusedError("The details of {} have to be looked up.".format(entry["name"]))
    if not entry.get("author"):
        raise RefusedError("{} has no author.".format(entry["name"]))
    offered = []
    for release in entry["releases"]:
        if set(release) - _RELEASE_KEYS:
            raise RefusedError("A release of {} has keys that are not supported.".format(entry["name"]))
        if not _is_for(release, platform, build):
            continue
        if not release.get("url"):
            raise RefusedError("A release of {} has to be looked up.".format(entry["name"]))
        for key in ("date", "version", "sha256"):
            if key in release and not (isinstance(release[key], str) and release[key]):
                raise RefusedError("{!r} of a release of {} is no text.".format(key, entry["name"]))
        if "version" not in release:
            raise RefusedError("A release of {} has no version.".format(entry["name"]))
        offered.append(dict(release))
    return _newest_first(offered)


def read_by_later_ones(entry: Mapping[str, Any], platform: str, build: int) -> List[Dict[str, Any]]:
    """The releases that Package Controls after 4.2 offer: those that name a file, reduced to the keys they know."""
    resolved = [release for release in entry["releases"] if "url" in release and "version" in release]
    kept = [{key: release[key] for key in release if key in _RESOLVED_KEYS} for release in resolved]
    return _newest_first([release for release in kept if _is_for(release, platform, build)])


def chosen(releases: Sequence[Mapping[str, Any]], python: str) -> Mapping[str, Any]:
    """The release of a library that is installed for a Python. Raises `RefusedError` if it is unavailable."""
    for release in releases:
        if python in release.get("python_versions", ["3.3"]):
            return release
    raise RefusedError(f"Not available for Python {python}.")


def _is_for(release: Mapping[str, Any], platform: str, build: int) -> bool:
    pythons = release.get("python_versions") or ["any"]
    platforms = release.get("platforms", ["*"])
    selectable = {"platforms": platforms, "python_versions": pythons}
    return serves(selectable, platform, pythons[0]) and _is_for_build(release.get("sublime_text", "*"), build)


def _is_for_build(selector: str, build: int) -> bool:
    found = re.match(r"([<>]=?)(\d{4})$", selector)
    if found is None:
        return selector == "*"
    limit = int(found.group(2))
    return {">": build > limit, ">=": build >= limit, "<": build < limit, "<=": build <= limit}[found.group(1)]


def _newest_first(releases: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    return sorted(releases, key=lambda release: Version(release["version"]), reverse=True)
