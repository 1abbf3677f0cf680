"""Writes the Package Control repository file (schema 4.0.0) of a release.

    python3 tests/tools/release/repository.py --index https://INDEX --package https://HOST/OWNER/NAME [--output FILE]

A user adds that file once ("Package Control: Add Repository") and finds the package in it, with every library that the
default channel lacks. Every release in it is resolved: file, version, digest and date. Package Control then looks
nothing up, and its later versions pass over releases that are not. Rule: both addresses are parameters; the file is
generated, and never committed. Needs `packaging`.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tools.release import build
from tests.tools.release.index import UnreachableIndexError, Wheel
from tests.tools.release.libraries import PYTHONS, Library, platforms_of
from tests.tools.release.package_control import RefusedError, resolve
from tests.tools.release.pages import Pages, completed, is_acceptable
from tests.tools.release.templates import library_entry, own_libraries, pinned_releases

ROOT = Path(__file__).resolve().parents[3]
SCHEMA_VERSION = "4.0.0"
NAME = "Gemini Companion"
DESCRIPTION = "The IDE companion for Gemini CLI and Qwen Code: they know your files, you review their changes"
AUTHOR = "The Gemini Companion authors"
LABELS = ["ai", "diff", "gemini", "mcp", "qwen"]
OLDEST_BUILD = 4200

#: Under this name a release attaches the package. Hosts replace blanks in names by dots, and a package whose file name
#: has a dot inside is not loaded.
ATTACHED_NAME = "Gemini-Companion.sublime-package"


class Release:
    """What identifies a release of the package: version, date ("2026-07-31 12:00:00", UTC) and the file's digest."""

    def __init__(self, version: str, date: str, sha256: str) -> None:
        self.version = version
        self.date = date
        self.sha256 = sha256


def resolved_releases(
    library: Library,
    wheels_of: Callable[[str], Sequence[Wheel]],
    complete: Callable[[Wheel], Wheel] = completed,
    pythons: Sequence[str] = PYTHONS,
) -> List[Dict[str, Any]]:
    """The wheels that Package Control would choose, newest Python first; each once for all that it serves.

    Blocking. Raises `RefusedError`, `UnreachableIndexError`.
    """
    definition = {"name": library.name, "releases": pinned_releases(library, "https://index.invalid", pythons)}
    served: Dict[Tuple[Wheel, Tuple[str, ...]], List[str]] = {}
    for python in reversed(pythons):
        by_wheel: Dict[Wheel, List[str]] = {}
        for platform in platforms_of(python):
            by_wheel.setdefault(resolve(definition, platform, python, wheels_of), []).append(platform)
        for wheel, platforms in by_wheel.items():
            known = ("*",) if len(platforms) == len(platforms_of(python)) else tuple(platforms)
            served.setdefault((wheel, known), []).append(python)
    releases = []
    for (wheel, known), served_pythons in served.items():
        file = complete(wheel)
        releases.append(
            {
                "url": file.url,
                "version": file.version,
                "sha256": file.sha256,
                "date": file.date,
                "platforms": list(known),
                "python_versions": [python for python in pythons if python in served_pythons],
            }
        )
    return releases


def package_entry(package: str, release: Release) -> Dict[str, Any]:
    """The package's own entry. `package` is the address of its repository, where the release's files are attached.

    It has no `details`: 4.2 would ask the repository's host for what is said here, and have no package without answer.
    """
    address = package.strip().rstrip("/")
    return {
        "name": NAME,
        "description": DESCRIPTION,
        "author": AUTHOR,
        "homepage": address,
        "issues": address + "/issues",
        "labels": LABELS,
        "last_modified": release.date,
        "releases": [
            {
                "url": f"{address}/releases/download/{release.version}/{ATTACHED_NAME}",
                "version": release.version,
                "sha256": release.sha256,
                "date": release.date,
                "platforms": ["*"],
                "sublime_text": f">={OLDEST_BUILD}",
            }
        ],
    }


def repository(
    wheels_of: Callable[[str], Sequence[Wheel]],
    package: str,
    release: Release,
    complete: Callable[[Wheel], Wheel] = completed,
) -> Dict[str, Any]:
    """The whole file as JSON data. Blocking. Raises `RefusedError`, `UnreachableIndexError`.

    `wheels_of` gives the wheels of a project on the index. `package`: the address of the package's own repository.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "packages": [package_entry(package, release)],
        "libraries": [
            library_entry(library, resolved_releases(library, wheels_of, complete)) for library in own_libraries()
        ],
    }


def text(data: Dict[str, Any]) -> str:
    """The file's text: the same bytes for the same data, on every Python."""
    return json.dumps(data, indent=4, ensure_ascii=False) + "\n"


def newest_version() -> str:
    """The newest version that the change log tells of. Raises ValueError if it tells of none."""
    told = re.search(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if told is None:
        raise ValueError("CHANGELOG.md tells of no version")
    return told.group(1)


def commit_date() -> str:
    """When the commit at hand was made, in UTC; now, if this is no clone."""
    answer = subprocess.run(
        ["git", "log", "-1", "--format=%ct"],
        cwd=str(ROOT),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    seconds = answer.stdout.decode("ascii", "replace").strip()
    utc = datetime.timezone.utc
    when = datetime.datetime.fromtimestamp(int(seconds), utc) if seconds.isdigit() else datetime.datetime.now(utc)
    return when.strftime("%Y-%m-%d %H:%M:%S")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command. Exit status 0; 1: the index lacks something or does not answer; 2: wrong arguments."""
    parser = argparse.ArgumentParser(description="Write the Package Control repository file of a release.")
    parser.add_argument(
        "--index", required=True, type=str.strip, help="address of the package index, without /project or /simple"
    )
    parser.add_argument(
        "--package", required=True, type=str.strip, help="address of the package's own source repository"
    )
    parser.add_argument("--version", type=str.strip, help="the release; the newest of the change log if absent")
    parser.add_argument("--output", type=Path, help="file to write; standard output if absent")
    options = parser.parse_args(arguments)
    for address in (options.index, options.package):
        if not is_acceptable(address):
            parser.error(f"{address!r} is not an https:// address")
    release = Release(options.version or newest_version(), commit_date(), hashlib.sha256(build.package()).hexdigest())
    try:
        content = text(repository(Pages(options.index).wheels, options.package, release)).encode("utf-8")
    except (UnreachableIndexError, RefusedError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.output is None:
        sys.stdout.buffer.write(content)
    else:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
