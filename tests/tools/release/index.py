"""What the package index in use offers, asked for through pip.

Package Control reads the index's JSON pages, which a mirror may lack; pip lists the same files from the simple index.
Rule: pip alone decides which index is meant and how to reach it, so no address of one is written here.

    python3 tests/tools/release/index.py        prints the address of that index, as `repository.py --index` takes it
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

#: One file in pip's log: its address, and what pip adds in brackets after it. pip logs files that it skips as well.
_LINK = re.compile(
    r"(?P<url>(?:https?|file)://[^\s()]+?/(?P<filename>[^/\s#]+\.whl)(?:#\S+)?)"
    r"(?P<notes>(?: \([^)]*\))*)"
)
_REQUIRES_PYTHON = re.compile(r"\(requires-python:([^)]+)\)")
_LOCATION = re.compile(r"^\* (https?://\S+)/simple/[^/\s]+/$", re.MULTILINE)


class UnreachableIndexError(Exception):
    """The index, or pip itself, did not answer. The message says what was asked and what came."""


class Wheel(NamedTuple):
    """A wheel on the index. `requires_python`, `sha256` and `date` are what the index says of it, None if nothing.

    `date` is in UTC, in Package Control's form: "2026-07-31 12:00:00". `yanked` files were withdrawn by their authors.
    """

    filename: str
    url: str
    requires_python: Optional[str]
    sha256: Optional[str] = None
    date: Optional[str] = None
    yanked: bool = False

    @property
    def version(self) -> str:
        """The release that the file name states."""
        return self.filename.split("-")[1]


class Index:
    """The index that the pip of one Python is set up for. Blocking; answers are kept for the object's life."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._wheels: Dict[str, List[Wheel]] = {}

    def wheels(self, name: str) -> List[Wheel]:
        """Every wheel of a project, whatever platform and Python it is for. Raises `UnreachableIndexError`."""
        if name not in self._wheels:
            self._wheels[name] = parse_wheels(self._listing(name))
        if not self._wheels[name]:
            raise UnreachableIndexError(f"The index lists no wheel of {name}.")
        return self._wheels[name]

    def download(self, wheel: Wheel, folder: Path) -> Path:
        """Fetch one wheel, for whatever platform it is, unless the folder holds it. Raises `UnreachableIndexError`."""
        target = folder / wheel.filename
        if not target.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            _, _, python, abi, platforms = wheel.filename[: -len(".whl")].rsplit("-", 4)
            command = [
                "download",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--ignore-requires-python",
                "--dest",
                str(folder),
                "--implementation",
                python[:2],
                "--abi",
                abi,
            ]
            if python[2:].isdigit() and len(python) > 3:
                command += ["--python-version", python[2:]]
            for platform in platforms.split("."):
                command += ["--platform", platform]
            self._pip(command + [wheel.url])
        if not target.is_file():
            raise UnreachableIndexError(f"pip did not leave {wheel.filename} in {folder}.")
        return target

    def address(self) -> str:
        """The index's address without `/simple`. Raises `UnreachableIndexError`."""
        found = _LOCATION.search(self._listing("pip"))
        if found is None:
            raise UnreachableIndexError("pip names no index that ends in /simple.")
        return found.group(1)

    def _listing(self, name: str) -> str:
        return self._pip(["index", "versions", "-vv", name])

    def _pip(self, arguments: Sequence[str]) -> str:
        command = [self._python, "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments]
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        output = answer.stdout.decode("utf-8", "replace").replace("\r\n", "\n")  # as it prints on Windows
        if answer.returncode != 0:
            last = "\n".join(output.strip().splitlines()[-5:])
            raise UnreachableIndexError("pip {} failed:\n{}".format(" ".join(arguments), last))
        return output


def parse_wheels(log: str) -> List[Wheel]:
    """The wheels named in pip's log of a listing, each file name once, in the log's order.

    The first mention with a Python requirement wins: a second location may hold a copy of a file and say less of it.
    """
    found: Dict[str, Wheel] = {}
    for match in _LINK.finditer(log):
        requires = _REQUIRES_PYTHON.search(match.group("notes"))
        wheel = Wheel(match.group("filename"), match.group("url"), requires.group(1) if requires else None)
        known = found.get(wheel.filename)
        if known is None or (known.requires_python is None and wheel.requires_python is not None):
            found[wheel.filename] = wheel
    return list(found.values())


if __name__ == "__main__":
    # Bytes, because a text stream ends lines with a carriage return on Windows, which `$(...)` would keep.
    sys.stdout.buffer.write(Index().address().encode("utf-8") + b"\n")
