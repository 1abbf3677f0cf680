"""Finds the Pythons of this machine, and gives each its own environment with pinned libraries.

Searched: what the variable PYTHON314 names, this Python, `python3.N` on PATH, pyenv's versions, what `uv` has
installed. PYTHON314 is for a Python 3.14 that stands elsewhere: the editor's stable builds run plugins on that one, so
it is the newest that counts, whatever else is there.
Rule: a Python counts only if it runs and can make an environment.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import cache

OLDEST = (3, 8)
OF_THE_EDITOR = (3, 14)
NAMED = "PYTHON314"
LIBRARIES = ("aiohttp", "jsonschema")
_NEWEST_MINOR = 30
_PROBE = "import sys, venv, ensurepip, ssl; print('%d.%d.%d' % sys.version_info[:3], sys.executable, sep='|')"


class Python(NamedTuple):
    """One interpreter: its version and its executable."""

    version: Tuple[int, int, int]
    executable: str

    @property
    def name(self) -> str:
        return "{}.{}".format(*self.version[:2])


def find_all() -> Dict[Tuple[int, int], Python]:
    """The usable Pythons of at least 3.8, by (major, minor); of several, the newest patch release."""
    found: Dict[Tuple[int, int], Python] = {}
    for candidate in _candidates():
        python = probe(candidate)
        if python is None or python.version < OLDEST:
            continue
        known = found.get(python.version[:2])
        if known is None or python.version > known.version:
            found[python.version[:2]] = python
    return found


def newest() -> Python:
    """The editor's Python 3.14: the one that PYTHON314 names, or any; without one, the newest that there is.

    Raises SetupError if there is none, if PYTHON314 names something else, and in CI for want of a 3.14.
    """
    named = os.environ.get(NAMED)
    if named:
        python = probe(named)
        if python is None or python.version[:2] != OF_THE_EDITOR:
            what = f"Python {python.name}" if python else "no Python that can make virtual environments"
            raise cache.SetupError(f"{NAMED} is to name a Python 3.14, but {named} is {what}.")
        return python
    found = find_all()
    if not found:
        raise cache.SetupError(
            "No usable Python of at least 3.8 was found. It must be able to make virtual environments; "
            "some systems have that in a package of its own (on Debian: python3-venv)."
        )
    if OF_THE_EDITOR not in found and cache.in_ci():
        raise cache.SetupError(f"CI tests on the editor's Python 3.14, which was not found: {NAMED} can name one.")
    return found.get(OF_THE_EDITOR) or found[max(found)]


def probe(executable: str) -> Optional[Python]:
    """The Python behind an executable, or None if it does not run or lacks what an environment needs."""
    try:
        output = subprocess.check_output(
            [executable, "-I", "-c", _PROBE], stderr=subprocess.DEVNULL, universal_newlines=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version, _, path = output.strip().partition("|")
    numbers = tuple(int(part) for part in version.split("."))
    return Python((numbers[0], numbers[1], numbers[2]), path)


def _candidates() -> Iterator[str]:
    seen = set()
    for path in _all_candidates():
        real = os.path.realpath(path)
        if real not in seen or "shims" in path:
            seen.add(real)
            yield path


def _all_candidates() -> Iterator[str]:
    if os.environ.get(NAMED):
        yield os.environ[NAMED]
    yield _outside_environment(sys.executable)
    for minor in range(OLDEST[1], _NEWEST_MINOR):
        on_path = shutil.which(f"python3.{minor}")
        if on_path:
            yield on_path
    for root in _pyenv_roots():
        yield from sorted(glob.glob(os.path.join(root, "versions", "3.*", "bin", "python3")))
        yield from sorted(glob.glob(os.path.join(root, "versions", "3.*", "python.exe")))
    uv_folder = _ask("uv", "python", "dir")
    if uv_folder:
        yield from sorted(glob.glob(os.path.join(uv_folder, "*", "bin", "python3")))
        yield from sorted(glob.glob(os.path.join(uv_folder, "*", "python.exe")))


def _outside_environment(executable: str) -> str:
    if sys.prefix == sys.base_prefix:
        return executable
    name = "python.exe" if os.name == "nt" else "bin/python{}.{}".format(*sys.version_info[:2])
    outside = os.path.join(sys.base_prefix, *name.split("/"))
    return outside if os.path.isfile(outside) else executable


def _pyenv_roots() -> List[str]:
    roots = [_ask("pyenv", "root"), os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv")]
    return list(dict.fromkeys(root for root in roots if root and os.path.isdir(root)))


def _ask(*command: str) -> Optional[str]:
    executable = shutil.which(command[0])
    if executable is None:
        return None
    try:
        output = subprocess.check_output(
            [executable, *command[1:]], stderr=subprocess.DEVNULL, universal_newlines=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return output.strip() or None


def environment(python: Python) -> str:
    """The executable of an environment with the package's libraries and the test tools. Raises SetupError."""
    return _environment(f"python{python.name}", python, _requirements(python))


def _requirements(python: Python) -> str:
    return "python38.txt" if python.version < (3, 10) else "newest.txt"


def package_environment(python: Python) -> str:
    """The executable of an environment with the package's libraries: the one for tests, if that is set up.

    Raises SetupError. The libraries are those that Package Control installs, in the releases that the tests use.
    """
    if cache.is_set_up(f"python{python.name}", _made_from(python, _requirements(python))):
        return environment(python)
    return _environment(f"package{python.name}", python, _requirements(python), LIBRARIES)


def sdk_environment() -> str:
    """The executable of an environment with the official Python SDK of MCP, on the newest Python. Raises SetupError."""
    python = newest()
    if python.version < (3, 10):
        raise cache.SetupError("the official Python SDK needs Python 3.10 or newer, which was not found")
    return _environment("mcp", python, "mcp.txt")


def lint_environment(python: Python) -> str:
    """The executable of an environment with the lint and type tools. Raises SetupError."""
    return _environment("lint", python, "lint.txt")


def newest_types_environment(python: Python) -> str:
    """The executable of an environment with the type checker and the editor's published stubs. Raises SetupError."""
    if python.version < (3, 13):
        raise cache.SetupError("the published stubs of the editor's API need Python 3.13 or newer")
    return _environment("lint_newest", python, "lint_newest.txt")


def _environment(name: str, python: Python, requirements: str, only: Sequence[str] = ()) -> str:
    """`only`: these libraries and what they need, in the releases that `requirements` pins; else all of them."""
    path = os.path.join(cache.ROOT, "tests", "tools", "requirements", requirements)
    what = f"Python {python.name} with {' and '.join(only) or requirements}"

    def make(folder: str) -> None:
        venv = [python.executable, "-m", "venv", "--clear", folder]
        cache.run(venv, f"making an environment for Python {python.name}")
        wanted = [*only, "-c", path] if only else ["-r", path]
        pip = [executable_of(folder), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *wanted]
        cache.run(pip, f"installing {what}")

    made_from = [*_made_from(python, requirements), *only]
    return executable_of(cache.set_up(name, made_from, make, what, needs=executable_of("")))


def _made_from(python: Python, requirements: str) -> List[str]:
    """What an environment depends on.

    Not the executable's path: the same Python is found under several names, and inside an environment under yet
    another. An environment must never be made anew while tests run in it.
    """
    path = os.path.join(cache.ROOT, "tests", "tools", "requirements", requirements)
    return [cache.read_text(path) or "", "%d.%d.%d" % python.version, cache.ROOT]


def executable_of(folder: str) -> str:
    """The Python inside an environment's folder."""
    parts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(folder, *parts)
