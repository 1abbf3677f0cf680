"""The discovery files on disk, and whether clients find the right window by them.

Rules: nothing is changed but what publishing would change anyway. A `DiscoverySnapshot` holds secrets and is never
shown; the lines about the files hold none. Disk thread.
"""

from __future__ import annotations

import os
import stat
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent, Announcement, DiscoveryFile, LookupContext, contains, folders_of
from ..discovery import files
from ..discovery.files import DiscoveryError, prepare
from ..system.platform import Platform
from ..system.processes import is_alive
from .checks import DISABLED, RESTART, Check, WindowFacts, failed, noted, passed

WRITES_AGAIN = RESTART + " That writes the file again."


class DiscoverySnapshot(NamedTuple):
    """All that clients find on disk. It holds secrets."""

    platform: Platform
    editor_pid: int
    entries: Mapping[str, List[DiscoveryFile]]  # by the agent's key


def read_snapshot(platform: Platform, editor_pid: int, agents: Sequence[Agent]) -> Tuple[DiscoverySnapshot, List[str]]:
    """Read the discovery files of all `agents`, and describe each file and directory in words. Never raises."""
    entries: Dict[str, List[DiscoveryFile]] = {}
    lines: Dict[str, str] = {}  # by path: more than one agent may read the same files
    for agent in agents:
        directory = agent.place(platform).path(platform)
        lines.setdefault(directory, f"{directory} ({_mode(directory)})")
        found = entries.setdefault(agent.key, [])
        for name in _names(directory, agent):
            path = platform.path.join(directory, name)
            content = files.read(path, platform)
            found.append(DiscoveryFile(name, content, files.written_at(path) or 0.0))
            lines.setdefault(path, f"{path} ({_mode(path)}): {described(agent, content)}")
    return DiscoverySnapshot(platform, editor_pid, entries), list(lines.values())


def check_window(
    window: WindowFacts, agent: Agent, snapshot: DiscoverySnapshot
) -> Tuple[Check, Optional[DiscoveryFile]]:
    """Whether a client in the window's first folder finds the window; if so, also the file that it would use.

    What the file says is not tested here.
    """
    name = f"{agent.title} finds {window.title}"
    own = own_file(window, agent, snapshot)
    obstacle = _obstacle(name, window, agent, snapshot, own)
    return (obstacle, None) if obstacle is not None else _check_choice(name, window, agent, snapshot, own)


def own_file(window: WindowFacts, agent: Agent, snapshot: DiscoverySnapshot) -> str:
    """The name of the file by which the agent's current release finds the window."""
    address = window.address(agent)
    announcement = Announcement(address.port, "", window.folders, snapshot.editor_pid, socket=address.socket)
    return next(iter(agent.files(announcement, snapshot.platform)))


def check_active_file(path: Optional[str], window: WindowFacts, snapshot: DiscoverySnapshot) -> Check:
    """Whether the file in front is inside the workspace, where clients can work on it."""
    name = f"The file in front is in the workspace of {window.title}"
    if path is None:
        return noted(name, "no file is in front")
    if any(contains(folder, path, _lookup_context(window, snapshot, "")) for folder in window.folders):
        return passed(name)
    advice = "Add its folder to the window (menu Project, “Add Folder to Project…”), or open it in a window of its own."
    return failed(name, "an agent that runs in the file's folder does not find this window", advice)


def described(agent: Agent, content: Optional[Mapping[str, Any]]) -> str:
    """A discovery file's content as users read it, without its secret."""
    if content is None:
        return "unreadable"
    info = content.get("ideInfo")
    editor = info.get("displayName") if isinstance(info, dict) else content.get("ideName")
    address, secret = agent.identity(content)
    where = f"socket {address}" if isinstance(address, str) else f"port {address}"
    token = "with a token" if secret else "without a token"
    workspace = content.get("workspacePath") or ", ".join(folders_of(content))
    return f"{editor or 'unnamed editor'}, {where}, {token}, workspace {workspace}"


def _obstacle(name: str, window: WindowFacts, agent: Agent, snapshot: DiscoverySnapshot, own: str) -> Optional[Check]:
    """Why there is no file of the window's that the agent could choose; None if there is one."""
    if agent.key not in window.published_for:
        return noted(name, DISABLED)
    if window.port is None or not any(window.address(agent)):
        return failed(name, "no server is running for it", RESTART)
    if not window.folders and not window.is_this:
        return noted(name, "it has no workspace folder, so there is nothing to find")
    if not window.folders:
        advice = "Open a folder or a file in it. The setting “workspace_fallback” says what counts as a file's folder."
        return failed(name, "the window has no workspace folder", advice)
    try:
        directory = prepare(agent.place(snapshot.platform), snapshot.platform)
    except DiscoveryError as error:
        return failed(name, str(error), "Correct that; the file is written again within seconds.")
    path = snapshot.platform.path.join(directory, own)
    found = next((entry for entry in snapshot.entries[agent.key] if entry.name == own), None)
    if found is None:
        return failed(name, f"{path} is not there", WRITES_AGAIN)
    if found.content is None:
        return failed(name, f"{path} cannot be read, or belongs to somebody else", "Remove the file. " + WRITES_AGAIN)
    if snapshot.platform.user_id is not None and not files.is_private(path):
        advice = " If others use this computer, do so at once: they can read it."
        return failed(name, f"others can read or write {path}", WRITES_AGAIN + advice)
    return None


def _check_choice(
    name: str, window: WindowFacts, agent: Agent, snapshot: DiscoverySnapshot, own: str
) -> Tuple[Check, Optional[DiscoveryFile]]:
    entries = snapshot.entries[agent.key]
    chosen = agent.choose(entries, _lookup_context(window, snapshot, str(window.address(agent).port)))
    if chosen is None or (chosen.name != own and agent.can_be_told_which):
        found = f"port {(chosen.content or {}).get('port')}" if chosen is not None else "no window"
        detail = f"in {window.folders[0]} it finds {found}"
        return failed(name, detail, "The file does not say what it should. " + RESTART), None
    elsewhere = agent.choose(entries, _lookup_context(window, snapshot, ""))
    if elsewhere is None and agent.takes_the_only_one:
        detail = f"by {own}; it connects to neither of two editors with the same folder by itself: type /ide in it"
        return passed(name, detail), chosen
    if elsewhere is None or elsewhere.name == own:
        return passed(name, f"by {own}"), chosen
    where = "in a terminal outside of this window it finds" if agent.can_be_told_which else "it takes"
    owner = agent.owner(elsewhere.name, elsewhere.content or {})
    port = (elsewhere.content or {}).get("port")
    if owner == snapshot.editor_pid and port is not None and port not in window.all_ports:
        path = snapshot.platform.path.join(agent.place(snapshot.platform).path(snapshot.platform), elsewhere.name)
        return failed(name, f"a file of an earlier run comes first: {path}", "Remove that file."), None
    who = "another window of this editor" if owner == snapshot.editor_pid else "another editor"
    return passed(name, f"by {own}; {where} {who}, which has the same folder"), chosen


def _lookup_context(window: WindowFacts, snapshot: DiscoverySnapshot, port: str) -> LookupContext:
    folder = window.folders[0]
    return LookupContext(folder, snapshot.editor_pid, port, snapshot.platform, is_alive, os.path.realpath)


def _names(directory: str, agent: Agent) -> List[str]:
    try:
        return sorted(name for name in os.listdir(directory) if agent.file_names.match(name))
    except OSError:
        return []  # the directory's own line in the report says why


def _mode(path: str) -> str:
    """The permissions of a file or directory in words, or why they are not known."""
    try:
        return stat.filemode(os.lstat(path).st_mode)
    except OSError as error:
        return error.strerror or "unknown"
