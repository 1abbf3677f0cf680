"""The workspaces of this process: one for each real folder, whichever windows show it and however they call it.

A folder of a window (a *root*) has a workspace, and so has each repository in it.

Rule: of folders that nobody tracks only those are known that have unreviewed changes left.

These calls block on the disk and on processes. Disk threads; for one folder of a window one at a time.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from functools import partial
from typing import Callable, Collection, Dict, Hashable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..review.document.text import DEFAULT_FALLBACK
from ..system.files import real_place
from ..system.platform import Platform
from .calls import Moment
from .files import Rules
from .git import GitError, Repository, find_git, git_of
from .listing import Listing, Lists
from .model import full_path
from .saves import Saves
from .store import Store, has_record, recorded_folders
from .undoing import finish
from .workspace import Workspace

logger = logging.getLogger("gemini_companion.unreviewed")

MAXIMUM_WORKSPACES = 100  # in one folder


class Root(NamedTuple):
    """A folder as a window calls it, what is left out in it, and whether it is tracked."""

    folder: str
    rules: Rules
    tracked: bool = False


class _Known(NamedTuple):
    """A workspace, and the folders of windows that it is looked at for, by their names."""

    workspace: Workspace
    listing: Listing
    roots: Dict[str, Root]


STORE = "Unreviewed"


class Workspaces:
    """All of them. `storage` is the folder of the package's own files; `moment` is now, in the windows that have one of
    some folders, by the names that they have for them."""

    def __init__(
        self,
        storage: str,
        moment: Callable[[Collection[str]], Moment] = lambda names: Moment(),
        saves: Optional[Saves] = None,
    ) -> None:
        self._storage = storage
        self.store = Store(os.path.join(storage, STORE))
        self._moment = moment
        self._saves = saves or Saves()
        self._lock = threading.Lock()  # guards what follows; never held over a look
        self._known: Dict[str, _Known] = {}
        self._real: Dict[str, str] = {}  # by the folder as a window calls it

    def look(self, root: Root, cancelled: Callable[[], bool]) -> bool:
        """Look at a folder, and the repositories in it. Whether one was so for the first time.

        Errors are logged: the next look may do better.
        """
        first = False
        real = os.path.realpath(root.folder)
        with self._lock:
            self._real[root.folder] = real
        waiting, seen = self._begun(root), 0
        while waiting and seen < MAXIMUM_WORKSPACES and not cancelled():
            folder = waiting.pop()
            seen += 1
            known = self._provide(folder, root)
            if known is None:
                continue
            workspace = known.workspace
            try:
                wanted = _is_tracked(known)
                if wanted and not workspace.tracked:
                    first = True
                    workspace.begin(cancelled)
                elif workspace.tracked and not wanted:
                    workspace.end(cancelled)
                else:
                    workspace.look(cancelled)
            except (GitError, OSError) as error:
                logger.info("a folder cannot be looked at: %s", error)
            if root.tracked:
                nested = [full_path(folder, path) for path in workspace.repositories()]
                waiting += [each for each in nested if os.path.realpath(each) == each and os.path.isdir(each)]
            elif not workspace.tracked and not workspace.has_rows and not workspace.last_undone.groups:
                self._forget(folder, root)
        return first

    def has_begun(self, root: Root) -> bool:
        """Whether the first look at a folder, and at each repository in it, has ended."""
        known = self._of_root(root)
        return bool(known) and all(each.workspace.tracked for _, each in known)

    def leave(self, root: Root, cancelled: Callable[[], bool]) -> None:
        """No window has this folder any more. What is unreviewed in it is kept in the store."""
        for folder, known in self._of_root(root):
            known.roots.pop(root.folder, None)
            try:
                if not _is_tracked(known):
                    known.workspace.end(cancelled)
            except (GitError, OSError) as error:
                logger.info("a folder cannot be looked at: %s", error)
            self._forget(folder, root)

    def lists(self, root: Root, fallback_encoding: str = DEFAULT_FALLBACK) -> Iterator[Lists]:
        """What is unreviewed in a folder, and in each repository in it; `fallback_encoding` as in `Listing.lists`."""
        return (known.listing.lists(fallback_encoding) for _, known in self._of_root(root))

    def begin_turn(self, root: Root) -> None:
        """A program begins another turn. What is to count as earlier was looked at before."""
        for _, known in self._of_root(root):
            known.workspace.begin_turn()

    def settle(self, call: Hashable) -> None:
        """A tool call that was doubtful has ended."""
        with self._lock:
            known = list(self._known.values())
        for each in known:
            each.workspace.settle(call)

    def of(self, folder: str) -> Optional[Workspace]:
        """The workspace of a real folder."""
        known = self._known.get(folder)
        return known.workspace if known is not None else None

    def holding(self, path: str) -> List[Tuple[Workspace, str]]:
        """The workspaces that an absolute path lies in, and what it is called there; the innermost first."""
        return self._in(real_place(path))

    def find_by_window_path(self, path: str) -> List[Tuple[Workspace, str]]:
        """The workspaces that a file lies in, by the names that windows have for their folders; asks no disk. Any
        thread."""
        path = os.path.normpath(path)
        with self._lock:
            folders = list(self._real.items())
        for folder, real in folders:
            start = os.path.join(folder, "")
            if os.path.normcase(path).startswith(os.path.normcase(start)):
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

    def next_undo(self) -> float:
        """When an undo takes place that begins now: later than all others, even if the clock was set back."""
        with self._lock:
            return max([time.time(), *(known.workspace.last_undone.when + 1.0 for known in self._known.values())])

    def last_undone(self, roots: Sequence[Root]) -> List[Workspace]:
        """The workspaces in these folders that the last undo was about."""
        with self._lock:
            names = [root.folder for root in roots]
            found = [each.workspace for each in self._known.values() if any(name in each.roots for name in names)]
        found = [workspace for workspace in found if workspace.last_undone.groups]
        last = max((workspace.last_undone.when for workspace in found), default=0.0)
        return [workspace for workspace in found if workspace.last_undone.when == last]

    def _of_root(self, root: Root) -> List[Tuple[str, _Known]]:
        with self._lock:
            return [(folder, known) for folder, known in self._known.items() if root.folder in known.roots]

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
                known.roots.pop(root.folder, None)
                if not known.roots:
                    del self._known[folder]

    def _provide(self, folder: str, root: Root) -> Optional[_Known]:
        """The workspace of a real folder; if it is not tracked, only if there is something in it.

        Where a repository has come or gone it is made anew, of what the store has.
        """
        git = git_of(folder)
        with self._lock:
            former = known = self._known.get(folder)
            if known is not None and known.workspace.git != git:
                del self._known[folder]
                known = None
        if known is None:
            try:
                if not root.tracked and not has_record(self.store, folder):
                    return None
                moment = partial(self._moment_in, folder)
                workspace = Workspace(folder, self.store, self._repository(folder), moment, self._saves)
                finish(workspace, self._storage)
                roots = {**(former.roots if former else {}), root.folder: root}
                workspace.use(_joined_rules(list(roots.values())))  # before a save can reach it
            except OSError as error:
                logger.info("what is known of a folder cannot be read: %s", error)
                return None  # it is not begun anew meanwhile
            with self._lock:
                known = self._known.setdefault(folder, _Known(workspace, Listing(workspace), roots))
        with self._lock:
            is_new = root.folder not in known.roots or known.roots[root.folder].rules is not root.rules
            known.roots[root.folder] = root
            all_roots = list(known.roots.values())
        if is_new:
            known.workspace.use(_joined_rules(all_roots))
        return known

    def _moment_in(self, folder: str) -> Moment:
        with self._lock:
            known = self._known.get(folder)
            names = list(known.roots) if known is not None else []
        return self._moment(names)

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


def _is_tracked(known: _Known) -> bool:
    return any(root.tracked for root in list(known.roots.values()))


def _joined_rules(roots: Sequence[Root]) -> Rules:
    """What one of them leaves out is left out, by the real path or by that which the window has."""
    known = [(root.rules, root.folder, os.path.join(os.path.realpath(root.folder), "")) for root in roots]

    def named(path: str) -> Iterator[Tuple[Rules, str]]:
        for rules, folder, real in known:
            yield rules, path
            yield rules, os.path.join(folder, path[len(real) :])

    return Rules(
        lambda path: any(rules.excluded(name) for rules, name in named(path)),
        lambda path, is_folder: any(rules.left_out(name, is_folder) for rules, name in named(path)),
        "\n".join(sorted({rules.patterns for rules, _, _ in known})),
    )
