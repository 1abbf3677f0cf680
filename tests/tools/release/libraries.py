"""The one table of the libraries that the package needs at run time.

Package Control does not follow what a library itself requires, so every transitive one has its row. `dependencies.json`
lists the same names; a test compares the two. Rule: a name, a release or a wheel pattern is written here and nowhere
else, and no address of a package index is written at all.
"""
from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Tuple

#: The Pythons that the editor runs this package on: up to build 4204, and from build 4205 on.
OLD_PYTHON = "3.8"
NEW_PYTHON = "3.14"
PYTHONS: Tuple[str, ...] = (OLD_PYTHON, NEW_PYTHON)

#: Package Control's platform names, and the platform tags that wheels for each of them carry.
PLATFORMS: Mapping[str, str] = {
    "linux-x64": "manylinux*_x86_64",
    "linux-arm64": "manylinux*_aarch64",
    "osx-x64": "macosx_*_x86_64",
    "osx-arm64": "macosx_*_arm64",
    "windows-x64": "win_amd64",
    "windows-x32": "win32",
}


class Library(NamedTuple):
    """One library.

    `pinned` maps a Python to the one release to take there; a Python that it does not name takes the newest.
    Whatever has dropped Python 3.8 is pinned for it, because a `py3-none-any` wheel matches any Python by its name.
    `in_default_channel` rows are defined by Package Control's own channel and must not be defined again: a second
    definition would replace the first one for every other package of the user. What is pinned in such a row is what
    the channel has.
    """

    name: str
    description: str
    author: str
    issues: str
    compiled: bool = False
    pinned: Mapping[str, str] = {}
    in_default_channel: bool = False
    pure_tag: str = "py3-none-any"

    def asset(self, python: str, platform: str) -> str:
        """The pattern of the wheel's file name for one Python ("3.8") and one platform of `PLATFORMS` or "*"."""
        stem = self.name.replace("-", "_")
        if not self.compiled:
            return "{}-*-{}.whl".format(stem, self.pure_tag)
        tag = "cp" + python.replace(".", "")
        return "{}-*-{}-{}-{}.whl".format(stem, tag, tag, PLATFORMS[platform])


def _aio_libs(name: str, description: str, compiled: bool, last_for_3_8: str) -> Library:
    """One of the libraries of the aiohttp project, pinned where it dropped Python 3.8."""
    return Library(
        name=name,
        description=description,
        author="aio-libs",
        issues="https://github.com/aio-libs/{}/issues".format(name),
        compiled=compiled,
        pinned={OLD_PYTHON: last_for_3_8},
    )


LIBRARIES: Tuple[Library, ...] = (
    _aio_libs("aiohappyeyeballs", "Happy Eyeballs for asyncio", False, "2.4.4"),
    _aio_libs("aiohttp", "Asynchronous HTTP client and server", True, "3.10.11"),
    _aio_libs("aiosignal", "Lists of registered asynchronous callbacks", False, "1.3.1"),
    _aio_libs("async-timeout", "Time limits for asyncio programs", False, "5.0.1"),
    Library(
        name="attrs",
        description="Classes without boilerplate",
        author="Hynek Schlawack",
        issues="https://github.com/python-attrs/attrs/issues",
        pinned={OLD_PYTHON: "25.3.0"},
    ),
    _aio_libs("frozenlist", "A list that can be frozen", True, "1.5.0"),
    Library(
        name="idna",
        description="Internationalised domain names",
        author="Kim Davies",
        issues="https://github.com/kjd/idna/issues",
        in_default_channel=True,
    ),
    Library(
        name="jsonschema",
        description="JSON Schema validation",
        author="Julian Berman",
        issues="https://github.com/python-jsonschema/jsonschema/issues",
        pinned={OLD_PYTHON: "2.6.0", NEW_PYTHON: "2.6.0"},
        in_default_channel=True,
        pure_tag="py2.py3-none-any",
    ),
    _aio_libs("multidict", "Dictionaries with several values for a key", True, "6.1.0"),
    _aio_libs("propcache", "Cached properties", True, "0.2.0"),
    Library(
        name="typing-extensions",
        description="Newer type hints for older Pythons",
        author="Python core developers",
        issues="https://github.com/python/typing_extensions/issues",
        in_default_channel=True,
    ),
    _aio_libs("yarl", "URLs", True, "1.15.2"),
)

BY_NAME: Dict[str, Library] = {library.name: library for library in LIBRARIES}
