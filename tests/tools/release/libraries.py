"""The one table of the libraries that the package needs at run time.

Package Control does not follow what a library itself requires, so every transitive one has its row. `dependencies.json`
lists what each Python needs of them; a test compares the two. Rule: a name, a release or a wheel pattern is written
here and nowhere else, and no address of a package index is written at all.
"""

from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Optional, Tuple

#: The Pythons that Package Control installs for: build 4200, builds 4201 and 4202, and from build 4203 on.
OLD_PYTHON = "3.8"
PYTHONS: Tuple[str, ...] = (OLD_PYTHON, "3.13", "3.14")

#: The first build whose Python is not the old one.
FIRST_NEW_BUILD = 4201

#: Package Control's platform names, and the platform tags that wheels for each of them carry.
PLATFORMS: Mapping[str, str] = {
    "linux-x64": "manylinux*_x86_64",
    "linux-arm64": "manylinux*_aarch64",
    "osx-x64": "macosx_*_x86_64",
    "osx-arm64": "macosx_*_arm64",
    "windows-x64": "win_amd64",
    "windows-x32": "win32",
    "windows-arm64": "win_arm64",
}
#: For these no wheel was ever built that the old Python could load, and no editor that has it.
NOT_FOR_OLD_PYTHON = ("windows-arm64",)


def platforms_of(python: str) -> Tuple[str, ...]:
    """The platforms of `PLATFORMS` for which libraries of a Python such as "3.8" are offered."""
    return tuple(name for name in PLATFORMS if python != OLD_PYTHON or name not in NOT_FOR_OLD_PYTHON)


#: Every pair of a platform and a Python that there is.
PAIRS = tuple((platform, python) for python in PYTHONS for platform in platforms_of(python))


class Library(NamedTuple):
    """One library.

    `release`: the only one to take. `last_for_old_python`: the one to take on Python 3.8, because later ones dropped
    it; a `py3-none-any` wheel matches any Python by its name. Without either: the newest that has a matching wheel.
    `compiled`: its wheels are built for each platform and Python, except on `pure_on` (newer Pythons only), where no
    current one is built and the project's pure wheel serves.
    `in_default_channel`: Package Control's own channel defines it, so we must not: a second definition would replace
    the first one for every other package of the user. A `release` in such a row is the one that the channel has.
    `only_for_old_python`: on newer Pythons no other library of the table requires it.
    """

    name: str
    description: str
    author: str
    issues: str
    compiled: bool = False
    pure_on: Tuple[str, ...] = ()
    pure_tag: str = "py3-none-any"
    release: Optional[str] = None
    last_for_old_python: Optional[str] = None
    in_default_channel: bool = False
    only_for_old_python: bool = False

    def needed_on(self, python: str) -> bool:
        """Whether the package needs it on a Python such as "3.8"."""
        return python == OLD_PYTHON or not self.only_for_old_python

    def pin(self, python: str) -> Optional[str]:
        """The one release to take on a Python such as "3.8"; None for the newest."""
        return self.release or (self.last_for_old_python if python == OLD_PYTHON else None)

    def compiled_for(self, python: str, platform: str) -> bool:
        """Whether the wheel for this Python and platform of `PLATFORMS` is a compiled one."""
        return self.compiled and (python == OLD_PYTHON or platform not in self.pure_on)

    def asset(self, python: str, platform: str) -> str:
        """The pattern of the wheel's file name for one Python ("3.8") and one platform of `PLATFORMS`, or "*"."""
        stem = self.name.replace("-", "_")
        if not self.compiled_for(python, platform):
            return f"{stem}-*-{self.pure_tag}.whl"
        tag = "cp" + python.replace(".", "")
        return f"{stem}-*-{tag}-{tag}-{PLATFORMS[platform]}.whl"


def _aio_libs(
    name: str,
    description: str,
    last_for_old_python: str,
    compiled: bool = False,
    pure_on: Tuple[str, ...] = (),
    only_for_old_python: bool = False,
) -> Library:
    """One of the libraries of the aiohttp project."""
    return Library(
        name=name,
        description=description,
        author="aio-libs",
        issues=f"https://github.com/aio-libs/{name}/issues",
        compiled=compiled,
        pure_on=pure_on,
        last_for_old_python=last_for_old_python,
        only_for_old_python=only_for_old_python,
    )


LIBRARIES: Tuple[Library, ...] = (
    _aio_libs("aiohappyeyeballs", "Happy Eyeballs for asyncio", "2.4.4"),
    _aio_libs("aiohttp", "Asynchronous HTTP client and server", "3.10.11", compiled=True),
    _aio_libs("aiosignal", "Lists of registered asynchronous callbacks", "1.3.1"),
    _aio_libs("async-timeout", "Time limits for asyncio programs", "5.0.1", only_for_old_python=True),
    Library(
        name="attrs",
        description="Classes without boilerplate",
        author="Hynek Schlawack",
        issues="https://github.com/python-attrs/attrs/issues",
        last_for_old_python="25.3.0",
    ),
    _aio_libs("frozenlist", "A list that can be frozen", "1.5.0", compiled=True),
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
        release="2.6.0",
        in_default_channel=True,
        pure_tag="py2.py3-none-any",
    ),
    _aio_libs("multidict", "Dictionaries with several values for a key", "6.1.0", compiled=True),
    _aio_libs("propcache", "Cached properties", "0.2.0", compiled=True),
    Library(
        name="typing-extensions",
        description="Newer type hints for older Pythons",
        author="Python core developers",
        issues="https://github.com/python/typing_extensions/issues",
        in_default_channel=True,
        only_for_old_python=True,
    ),
    _aio_libs("yarl", "URLs", "1.15.2", compiled=True, pure_on=("windows-x32",)),
)

BY_NAME: Dict[str, Library] = {library.name: library for library in LIBRARIES}
