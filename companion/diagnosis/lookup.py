"""How each client picks the editor window to talk to, done over again on what stands on disk.

Rule: pure, and as the published clients do it, odd corners included: the answer is worth something only if a real
client would give the same. Gemini CLI: companion specification, section I.2, and release 0.61. Qwen Code: release 0.24.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from ..discovery.families import GEMINI, Family
from ..discovery.platform import LINUX, Platform

_QWEN_SCANNED = re.compile(r"^[0-9]+\.lock$")


class Entry(NamedTuple):
    """One discovery file: its name, the JSON object in it (None: unreadable), and when it was written."""

    name: str
    content: Optional[Mapping[str, Any]]
    written: float = 0.0


class Seeker(NamedTuple):
    """A client that looks for its window. `port` is what it inherits from the editor's terminals, "" elsewhere.

    `real` resolves symbolic links; `is_alive` tells of a process id.
    """

    folder: str
    editor_pid: int
    port: str
    platform: Platform
    is_alive: Callable[[int], bool]
    real: Callable[[str], str]

    def is_in(self, folders: Sequence[str]) -> bool:
        """Whether the client's folder is one of these or below one."""
        return any(contains(folder, self.folder, self) for folder in folders)


def contains(folder: str, path: str, seeker: Seeker) -> bool:
    """Whether `path` is `folder` or below it, once links are resolved. Only Linux tells upper from lower case."""
    join = seeker.platform.path.join
    outer, inner = join(seeker.real(folder), ""), join(seeker.real(path), "")
    if seeker.platform.name != LINUX:
        outer, inner = outer.lower(), inner.lower()
    return inner.startswith(outer)


def choice(family: Family, entries: Sequence[Entry], seeker: Seeker) -> Optional[Entry]:
    """The discovery file by which a client of this family would connect, or None if it finds no window."""
    return gemini_choice(entries, seeker) if family is GEMINI else qwen_choice(entries, seeker)


def gemini_choice(entries: Sequence[Entry], seeker: Seeker) -> Optional[Entry]:
    """Gemini CLI: the editor it was started from first, then living ones; of several that fit, the inherited port's."""

    def rank(entry: Entry) -> Any:
        match = GEMINI.file_names.match(entry.name)
        pid = int(match.group("pid")) if match is not None else 0
        return (pid != seeker.editor_pid, not seeker.is_alive(pid), -pid)

    def fits(entry: Entry) -> bool:
        workspace = (entry.content or {}).get("workspacePath")
        if not isinstance(workspace, str) or not workspace:
            return False
        # A relative entry, an empty one between two separators included, counts from where the client runs.
        folders = workspace.split(seeker.platform.list_separator)
        return seeker.is_in([str(seeker.platform.path.join(seeker.folder, folder)) for folder in folders])

    known = [entry for entry in entries if GEMINI.file_names.match(entry.name)]
    # Equal ranks keep the order of the directory, which Node.js gives by name on most systems.
    fitting = [entry for entry in sorted(known, key=rank) if fits(entry)]
    if len(fitting) > 1 and seeker.port:
        for entry in fitting:
            if entry.content is not None and str(entry.content.get("port")) == seeker.port:
                return entry
    return fitting[0] if fitting else None


def qwen_choice(entries: Sequence[Entry], seeker: Seeker) -> Optional[Entry]:
    """Qwen Code: the lock file named by the inherited port, else the newest that fits and whose editor lives."""

    def fits(entry: Entry) -> bool:
        return seeker.is_in(_qwen_folders((entry.content or {}).get("workspacePath"), seeker.platform))

    by_name: Dict[str, Entry] = {entry.name: entry for entry in entries}
    named = by_name.get("{}.lock".format(seeker.port)) if seeker.port else None
    if named is not None and named.content is not None:
        if "workspacePath" not in named.content or fits(named):
            return named
    scanned: List[Entry] = [entry for entry in entries if _QWEN_SCANNED.match(entry.name)]
    for entry in sorted(scanned, key=lambda each: -each.written):
        if entry.content is not None and not _is_stale(entry.content, seeker) and fits(entry):
            return entry
    return None


def _qwen_folders(workspace: Any, platform: Platform) -> List[str]:
    """The absolute folders in a list with separators, or in a JSON array."""
    if not isinstance(workspace, str):
        return []
    folders = workspace.split(platform.list_separator)
    if workspace.lstrip().startswith("["):
        try:
            parsed = json.loads(workspace)
        except ValueError:
            parsed = None
        if isinstance(parsed, list) and all(isinstance(folder, str) for folder in parsed):
            folders = parsed
    return [folder for folder in folders if folder and platform.path.isabs(folder)]


def _is_stale(content: Mapping[str, Any], seeker: Seeker) -> bool:
    """Whether Qwen Code would delete the file instead of using it."""
    pid = content.get("ppid")
    return isinstance(pid, int) and not isinstance(pid, bool) and not seeker.is_alive(pid)


