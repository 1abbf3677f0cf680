"""The folders that both sides of a remote see, each under its own name: paths from one side as the other calls them.

Rules: pure; neither side's disk is asked. What lies outside of the folders has no name on the other side. A path that
is not plain (relative, with `..`, with a NUL, or with what Windows takes for a drive, a device or a stream) has none
either, so that no name leads out of a folder. The other side is POSIX; this one is whatever the editor runs on.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.window import ActiveFile, SharedContext
from ..system.platform import LINUX, WINDOWS

_WSL = re.compile(r"^\\\\wsl(?:\$|\.localhost)\\", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f<>:"/\\|?*]|[ .]$')  # on Windows
_DEVICES = re.compile(r"^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)


class Pair(NamedTuple):
    """One folder, by its name there and by its name here."""

    remote: str
    local: str


class PathMap:
    """`system` is the editor's, as `Platform.name` has it. A folder whose name here is not plain is left out."""

    def __init__(self, pairs: Sequence[Tuple[str, str]], system: str = LINUX) -> None:
        self._system = system
        plain = [(remote, local) for remote, local in pairs if self._names(local) is not None]
        self.pairs = [Pair(posixpath.normpath(remote), local) for remote, local in plain]

    def to_local(self, path: str) -> Optional[str]:
        """What the editor calls a file or folder of the other side; None if that is in none of the folders."""
        found = self.inside(path)
        if found is None:
            return None
        pair, names = found
        if self._system == WINDOWS:
            if any(_NOT_IN_NAMES.search(name) or _DEVICES.match(name) for name in names):
                return None
            return ntpath.join(pair.local, *names)
        return posixpath.join(pair.local, *names)

    def inside(self, path: str) -> Optional[Tuple[Pair, List[str]]]:
        """The innermost folder that holds this path of the other side, and the names that lead there from it."""
        if not path.startswith("/") or "\0" in path:
            return None
        names = [name for name in path.split("/") if name not in ("", ".")]
        if ".." in names:
            return None
        found: List[Tuple[Pair, List[str]]] = []
        for pair in self.pairs:
            outer = [name for name in pair.remote.split("/") if name]
            if names[: len(outer)] == outer:
                found.append((pair, names[len(outer) :]))
        return min(found, key=lambda each: len(each[1])) if found else None

    def to_remote(self, path: str) -> Optional[str]:
        """What the other side calls a file or folder of the editor's; None if that is in none of the folders."""
        names = self._names(path)
        if names is None:
            return None
        found: List[Tuple[int, str]] = []
        for pair in self.pairs:
            outer = self._names(pair.local) or []
            if self._folded(names[: len(outer)]) == self._folded(outer):
                found.append((len(outer), posixpath.join(pair.remote, *names[len(outer) :])))
        return max(found)[1] if found else None

    def _names(self, path: str) -> Optional[List[str]]:
        """The names that make up an absolute path of this side, the drive or the share first."""
        if self._system != WINDOWS:
            names = [name for name in path.split("/") if name not in ("", ".")]
            return None if not path.startswith("/") or ".." in names else names
        path = path.replace("/", "\\")
        if path.startswith("\\\\?\\UNC\\"):
            path = "\\\\" + path[8:]
        elif path.startswith("\\\\?\\"):
            path = path[4:]
        drive, rest = ntpath.splitdrive(_WSL.sub(r"\\\\wsl.localhost\\", path))
        names = [name for name in rest.split("\\") if name not in ("", ".")]
        return None if not drive or ".." in names else [drive, *names]

    def _folded(self, names: List[str]) -> List[str]:
        return names if self._system == LINUX else [name.lower() for name in names]

    def context(self, context: SharedContext) -> SharedContext:
        """What the other side may hear of a context: its own files, by its own names."""
        told: Any = dict(context.ide_context)
        state: Mapping[str, Any] = told.get("workspaceState", {})
        files = [(file, self.to_remote(file["path"])) for file in state.get("openFiles", [])]
        told["workspaceState"] = {**state, "openFiles": [{**file, "path": name} for file, name in files if name]}
        return SharedContext(told, self.active(context.active))

    def active(self, active: Optional[ActiveFile]) -> Optional[ActiveFile]:
        """The file in front, by the other side's name; None if it is not one of its files."""
        name = self.to_remote(active.path) if active is not None else None
        return active._replace(path=name) if active is not None and name is not None else None
