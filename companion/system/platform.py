"""The platform as the agents see it: environment, path syntax, user. Tests replace this value.

Rule: directories are determined as Node.js does, because the agents run on Node.js. Python's `tempfile.gettempdir`
reads the same variables but skips directories that are not writable.
"""

from __future__ import annotations

import functools
import ntpath
import os
import posixpath
import stat
import sys
from types import ModuleType
from typing import Callable, Mapping, NamedTuple, Optional

WINDOWS = "windows"
MACOS = "osx"
LINUX = "linux"
SUPERUSER_ID = 0


class Platform(NamedTuple):
    """The platform. `name` is that of `sublime.platform()`: "windows", "osx" or "linux"."""

    name: str
    environment: Mapping[str, str]
    home: str
    user_id: Optional[int] = None  # None on Windows
    private_group: Callable[[], Optional[int]] = lambda: None  # the group of the user alone, if any; may block

    @classmethod
    def current(cls) -> Platform:
        """The platform of this process, with its live environment. Any thread."""
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
        """The path list separator (Node's `path.delimiter`)."""
        return ";" if self.name == WINDOWS else ":"

    def others_can_write(self, status: os.stat_result) -> bool:
        """Whether users but this one and the superuser may write to what has this `status`. Not for Windows."""
        if status.st_mode & stat.S_IWOTH:
            return True
        return bool(status.st_mode & stat.S_IWGRP) and status.st_gid != self.private_group()

    def variable(self, name: str) -> str:
        """An environment variable, "" if it is not set. On Windows the name's case does not matter."""
        value = self.environment.get(name)
        if value is None and self.name == WINDOWS:
            wanted = name.upper()
            for other, other_value in self.environment.items():
                if other.upper() == wanted:
                    return other_value
        return value or ""

    def temporary_directory(self) -> str:
        """The directory for temporary files according to Node's `os.tmpdir()`. An empty variable counts as not set."""
        if self.name == WINDOWS:
            directory = self.variable("TEMP") or self.variable("TMP")
            if not directory:
                directory = (self.variable("SystemRoot") or self.variable("windir")) + "\\temp"
            if len(directory) > 1 and directory.endswith("\\") and not directory.endswith(":\\"):
                directory = directory[:-1]
            return directory
        directory = self.variable("TMPDIR") or self.variable("TMP") or self.variable("TEMP") or "/tmp"  # noqa: S108 - Node.js's default
        if len(directory) > 1 and directory.endswith("/"):
            directory = directory[:-1]
        return directory

    def home_directory(self) -> str:
        """The user's home according to Node's `os.homedir()`: the variable, or else the user database."""
        return self.variable("USERPROFILE" if self.name == WINDOWS else "HOME") or self.home

    @property
    def command_interpreter(self) -> str:
        """The full path of cmd.exe on Windows."""
        root = self.variable("SystemRoot") or self.variable("windir") or "C:\\Windows"
        return root + "\\System32\\cmd.exe"

    def with_home(self, path: str) -> str:
        """The path with the user's home in place of a `~` that stands for it at its beginning."""
        if path == "~":
            return self.home_directory()
        return str(self.path.join(self.home_directory(), path[2:])) if path.startswith(("~/", "~\\")) else path


@functools.lru_cache(maxsize=None)
def _private_group(user_id: int) -> Optional[int]:
    """The user's private group, if the system has such groups, as Debian, Ubuntu and Fedora do.

    On such systems new directories are writable for the group, which has no other member. The superuser's group does
    not count, because system accounts may be in it. The lookup may query a directory service, so the result is cached.
    """
    if user_id == SUPERUSER_ID:
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


HERE = Platform.current()
"""The platform of this process."""
