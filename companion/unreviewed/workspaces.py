"""The workspaces of this process: one for each real folder, whichever windows show it and however they call it.

A folder of a window has a workspace, and so has each repository in it. `Round` is what is done to all of them at once.

Rule: of folders that nobody tracks only those are known that have unreviewed changes left.

These calls block on the disk and on processes. Disk threads; for one folder of a window one at a time.
"""

from __future__ import annotations

import logging
import os
import threading
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..system.platform import Platform
from .contents import full_path
from .files import Rules
from .git import GitError, Repository, find_git
from .listing import Listing, Lists, joined
from .record import has_record, recorded_folders
from .store import Store
from .workspace import Workspace

logger = logging.getLogger("gemini_companion.unreviewed")

MAXIMUM_WORKSPACES = 100  # in one folder


class Root(NamedTuple):
    """A folder as a window calls it, and what is left out in it."""

    folder: str
    rules: Rules


class _Known(NamedTuple):
    """A workspace; by the folders of windows that it is looked at for: the rules, and whether that is tracked."""

    workspace: Workspace
    listing: Listing
    rules: Dict[str, Rules]
    tracked: Dict[str, bool]


class Workspaces:
    """All of them. `storage` is the folder of the store."""

    def __init__(self, storage: str, platform: Optional[Platform] = None) -> None:
        self.store = Store(storage)
        self._platform = platform
        self._lock = threading.Lock()  # never held over a look
        self._known: Dict[str, _Known] = {}
        self._real: Dict[str, str] = {}  # by the folder as a window calls it

    def look(self, root: Root, tracked: bool, cancelled: Callable[[], bool]) -> bool:
        """Look at a folder and the repositories in it. Errors are logged: the next look may do better.

        Whether one of them was looked at for the first time.
        """
        first = False
        real = self._real[root.folder] = os.path.realpath(root.folder)
        waiting, seen = self._begun(root, real), 0
        while waiting and seen < MAXIMUM_WORKSPACES and not cancelled():
            folder = waiting.pop()
            seen += 1
            known = self._provide(folder, root, real, tracked)
            if known is None:
                continue
            workspace = known.workspace
            known.tracked[root.folder] = tracked
            try:
                wanted = any(known.tracked.values())
                if wanted and not workspace.tracked:
                    first = True
                    workspace.begin(cancelled)
                elif workspace.tracked and not wanted:
                    workspace.end(cancelled)
                else:
                    workspace.look(cancelled)
            except (GitError, OSError) as error:
                logger.info("a folder cannot be looked at: %s", error)
            if tracked:
                nested = [full_path(folder, path) for path in workspace.repositories()]
                waiting += [each for each in nested if os.path.realpath(each) == each and os.path.isdir(each)]
            elif not workspace.tracked and not workspace.changes() and not workspace.last_undone():
                self._forget(folder, root)
        return first

    def leave(self, root: Root, cancelled: Callable[[], bool]) -> None:
        """No window has this folder any more. What is unreviewed in it is kept in the store."""
        for folder, known in self._of_root(root):
            known.tracked.pop(root.folder, None)
            try:
                if not any(known.tracked.values()):
                    known.workspace.end(cancelled)
            except (GitError, OSError) as error:
                logger.info("a folder cannot be looked at: %s", error)
            self._forget(folder, root)

    def lists(self, root: Root) -> Lists:
        """What is unreviewed in a folder and the repositories in it."""
        return joined([known.listing.lists() for _, known in self._of_root(root)])

    def begin_turn(self, root: Root) -> None:
        """A program begins another turn. What is to count as earlier was looked at before."""
        for _, known in self._of_root(root):
            known.workspace.begin_turn()

    def of(self, folder: str) -> Optional[Workspace]:
        """The workspace of a real folder."""
        known = self._known.get(folder)
        return known.workspace if known is not None else None

    def holding(self, path: str) -> List[Tuple[Workspace, str]]:
        """The workspaces that an absolute path lies in, and what it is called there; the innermost first."""
        return self._in(os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))

    def called(self, path: str) -> List[Tuple[Workspace, str]]:
        """The same without a look at the disk, by the names that windows have for their folders. Any thread."""
        for folder, real in list(self._real.items()):
            start = os.path.join(folder, "")
            if path.startswith(start):
                return self._in(os.path.join(real, path[len(start) :]))
        return self._in(path)

    def _in(self, real: str) -> List[Tuple[Workspace, str]]:
        with self._lock:
            folders = sorted(self._known, key=len, reverse=True)
            return [
                (self._known[folder].workspace, real[len(os.path.join(folder, "")) :].replace(os.sep, "/"))
                for folder in folders
                if real.startswith(os.path.join(folder, ""))
            ]

    def last_undone(self, roots: Sequence[Root]) -> List[Workspace]:
        """The workspaces in these folders that the last undo was about."""
        with self._lock:
            names = [root.folder for root in roots]
            found = [each.workspace for each in self._known.values() if any(name in each.rules for name in names)]
        found = [workspace for workspace in found if workspace.last_undone()]
        last = max((workspace.undone_at for workspace in found), default=0.0)
        return [workspace for workspace in found if workspace.undone_at == last]

    def tidy(self) -> None:
        """Remove from the store what is not needed, and what is too much or too old."""
        gone = self.store.tidy(())
        if gone:
            logger.warning("%d texts of unreviewed changes were kept for too long or were too many", len(gone))

    def _of_root(self, root: Root) -> List[Tuple[str, _Known]]:
        with self._lock:
            return [(folder, known) for folder, known in self._known.items() if root.folder in known.rules]

    def _begun(self, root: Root, real: str) -> List[str]:
        """The folders to begin with: of an earlier run there may be repositories that have unreviewed changes."""
        known = [folder for folder, _ in self._of_root(root)]
        if known:
            return known
        start = os.path.join(real, "")
        try:
            below = [folder for folder in recorded_folders(self.store) if folder.startswith(start)]
        except OSError as error:
            logger.info("what is known of folders cannot be read: %s", error)
            return []
        return [real, *(folder for folder in below if os.path.lexists(os.path.join(folder, ".git")))]

    def _forget(self, folder: str, root: Root) -> None:
        with self._lock:
            known = self._known.get(folder)
            if known is not None:
                known.rules.pop(root.folder, None)
                known.tracked.pop(root.folder, None)
                if not known.rules:
                    del self._known[folder]

    def _provide(self, folder: str, root: Root, real: str, tracked: bool) -> Optional[_Known]:
        """The workspace of a real folder; if it is not `tracked`, only if there is something in it."""
        with self._lock:
            known = self._known.get(folder)
        if known is None:
            try:
                if not tracked and not has_record(self.store, folder):
                    return None
                workspace = Workspace(folder, self.store, _together({}), self._repository(folder))
            except OSError as error:
                logger.info("what is known of a folder cannot be read: %s", error)
                return None  # it is not begun anew meanwhile
            with self._lock:
                known = self._known.setdefault(folder, _Known(workspace, Listing(workspace), {}, {}))
        if known.rules.get(root.folder) is not root.rules:
            known.rules[root.folder] = root.rules
            rules = {name: _below(Root(name, each), os.path.realpath(name)) for name, each in known.rules.items()}
            known.workspace.use(_together(rules))
        return known

    def _repository(self, folder: str) -> Optional[Repository]:
        platform = self._platform or Platform.current()
        with self._lock:
            folders = [folder, *self._known]
        program = find_git(platform, folders)
        if program is None:
            return None
        try:
            return Repository(program, folder, platform.environment)
        except GitError as error:
            logger.debug("no repository: %s", error)
            return None


def _together(rules: Mapping[str, Rules]) -> Rules:
    """What one of them leaves out is left out."""
    each = tuple(rules.values())
    return Rules(
        lambda path: any(one.secret(path) for one in each),
        lambda path, is_folder: any(one.left_out(path, is_folder) for one in each),
    )


def _below(root: Root, real: str) -> Rules:
    """The rules of a window's folder for folders below it: paths are held against them under both of their names."""
    start = os.path.join(real, "")

    def called(path: str) -> Tuple[str, ...]:
        return (path,) if root.folder == real else (path, os.path.join(root.folder, path[len(start) :]))

    return Rules(
        lambda path: any(root.rules.secret(name) for name in called(path)),
        lambda path, is_folder: any(root.rules.left_out(name, is_folder) for name in called(path)),
    )
