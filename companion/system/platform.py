"""The machine as the clients see it: environment, path syntax, user. One small value that tests replace.

Rule: directories are decided as Node.js decides them, because the clients run on Node.js and look there. Python's own
`tempfile.gettempdir` reads the same variables but skips directories it cannot write to, and would then differ.
"""

from __future__ import annotations

import functools
import ntpath
import os
import posixpath
import sys
from types import ModuleType
from typing import Callable, Mapping, NamedTuple, Optional

WINDOWS = "windows"
MACOS = "osx"
LINUX = "linux"


class Platform(NamedTuple):
    """Where the package runs. `name` is one of `sublime.platform()`'s: "windows", "osx", "linux"."""

    name: str
    environment: Mapping[str, str]
    home: str
    user_id: Optional[int] = None  # None where the system has no such numbers
    private_group: Callable[[], Optional[int]] = lambda: None  # a group with nobody in it but the user; may be slow

    @classmethod
    def current(cls) -> Platform:
        """This machine, with the environment as it is now. Any thread."""
        if sys.platform == "win32":
            return cls(WINDOWS, os.environ, os.path.expanduser("~"))
        name = MACOS if sys.platform == "darwin" else LINUX
        user_id = os.getuid()
        return cls(name, os.environ, os.path.expanduser("~"), user_id, functools.partial(_private_group, user_id))

    @property
    def path(self) -> ModuleType:
        """The path functions for this platform's syntax (`posixpath` or `ntpath`)."""
        return ntpath if self.name == WINDOWS else posixpath

    @property
    def list_separator(self) -> str:
        """What stands between the entries of a list of paths (Node's `path.delimiter`)."""
        return ";" if self.name == WINDOWS else ":"

    def variable(self, name: str) -> str:
        """An environment variable, "" when it is not set. Names have no case on Windows."""
        value = self.environment.get(name)
        if value is None and self.name == WINDOWS:
            wanted = name.upper()
            for other, other_value in self.environment.items():
                if other.upper() == wanted:
                    return other_value
        return value or ""

    def temporary_directory(self) -> str:
        """The directory for temporary files, as Node's `os.tmpdir()` answers. An empty variable counts as not set."""
        if self.name == WINDOWS:
            directory = self.variable("TEMP") or self.variable("TMP")
            if not directory:
                directory = (self.variable("SystemRoot") or self.variable("windir")) + "\\temp"
            if len(directory) > 1 and directory.endswith("\\") and not directory.endswith(":\\"):
                directory = directory[:-1]
            return directory
        directory = self.variable("TMPDIR") or self.variable("TMP") or self.variable("TEMP") or "/tmp"  # noqa: S108 - what Node.js says
        if len(directory) > 1 and directory.endswith("/"):
            directory = directory[:-1]
        return directory

    def home_directory(self) -> str:
        """The user's home, as Node's `os.homedir()` answers: the variable first, then the user database."""
        return self.variable("USERPROFILE" if self.name == WINDOWS else "HOME") or self.home


@functools.lru_cache(maxsize=None)
def _private_group(user_id: int) -> Optional[int]:
    """The user's own group where the system gives each user one, as Debian, Ubuntu and Fedora do; else None.

    Such systems make new directories writable for the group, which lets nobody else in. The superuser's group is no
    such group: system accounts may be in it. The answer may come from a directory service, so it is asked for once.
    """
    if user_id == 0:
        return None
    import grp
    import pwd

    try:
        user = pwd.getpwuid(user_id)
        group = grp.getgrgid(user.pw_gid)
    except KeyError:
        return None
    alone = all(member == user.pw_name for member in group.gr_mem)
    return group.gr_gid if group.gr_name == user.pw_name and alone else None
