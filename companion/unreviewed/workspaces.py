"""The workspaces of this process: one for each real folder, whichever windows show it and however they call it.

A folder of a window has a workspace, and so has each repository in it. `Round` is what is done to all of them at once.

Rule: of folders that nobody tracks only those are known that have unreviewed changes left.

These calls block on the disk and on processes. Disk threads; for one folder of a window one at a time.
"""

from __future__ import annotations

import logging
import os
import threading
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

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

    def use_rules(self) -> None:
        """What one of them leaves out is left out, by the real path or by that which the window has."""
        rules = [(folder, os.path.join(os.path.realpath(folder), ""), each) for folder, each in self.rules.items()]

        def named(path: str, folder: str, real: str) -> Set[str]:
            return {path, os.path.join(folder, path[len(real) :])}

        def secret(path: str) -> bool:
            return any(each.secret(name) for folder, real, each in rules for name in named(path, folder, real))

        def left_out(path: str, is_folder: bool) -> bool:
            return any(
                each.left_out(name, is_folder) for folder, real, each in rules for name in named(path, folder, real)
            )

        self.workspace.use(Rules(secret, left_out))


class Workspaces:
    """All of them. `storage` is the folder of the store."""

    def __init__(self, storage: str) -> None:
        self.store = Store(storage)
        self._lock = threading.Lock()  # never held over a look
        self._known: Dict[str, _Known] = {}
        self._real: Dict[str, str] = {}  # by the folder as a window calls it

    def look(self, root: Root, tracked: bool, cancelled: Callable[[], bool], who: Optional[str] = None) -> bool:
        """Look at a folder, where `who` is at work, and the repositories in it. Whether one was so for the first time.

        Errors are logged: the next look may do better.
        """
        first = False
        self._real[root.folder] = os.path.realpath(root.folder)
        waiting, seen = self._begun(root), 0
        while waiting and seen < MAXIMUM_WORKSPACES and not cancelled():
            folder = waiting.pop()
            seen += 1
            known = self._provide(folder, root, tracked)
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
                    workspace.look(cancelled, who)
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

    def _of_root(self, root: Root) -> List[Tuple[str, _Known]]:
        with self._lock:
            return [(folder, known) for folder, known in self._known.items() if root.folder in known.rules]

    def _begun(self, root: Root) -> List[str]:
        """The folders to begin with: of an earlier run there may be repositories that have unreviewed changes."""
        known = [folder for folder, _ in self._of_root(root)]
        if known:
            return known
        real = self._real[root.folder]
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

    def _provide(self, folder: str, root: Root, tracked: bool) -> Optional[_Known]:
        """The workspace of a real folder; if it is not `tracked`, only if there is something in it."""
        with self._lock:
            known = self._known.get(folder)
        if known is None:
            try:
                if not tracked and not has_record(self.store, folder):
                    return None
                workspace = Workspace(folder, self.store, self._repository(folder))
            except OSError as error:
                logger.info("what is known of a folder cannot be read: %s", error)
                return None  # it is not begun anew meanwhile
            with self._lock:
                known = self._known.setdefault(folder, _Known(workspace, Listing(workspace), {}, {}))
        if known.rules.get(root.folder) is not root.rules:
            known.rules[root.folder] = root.rules
            known.use_rules()
        return known

    def _repository(self, folder: str) -> Optional[Repository]:
        platform = Platform.current()
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
