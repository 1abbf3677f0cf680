"""Tracks the folders of all windows: says when to look, and tells the windows what is unreviewed.

Theory of operation: the windows say which folders they have, and whether an agent may be at work there. Looks happen on
disk threads, of one folder one at a time. The loop's clock starts them: soon after a sign of a program or of the
editor, and else every few seconds while something happens (`schedule`). The main thread only gets the lists, which
never change, and only those that are others than before.

Rule: nothing is woken up while nothing is tracked, or nothing happens. Whatever the user decides is done in order with
the looks at that folder.

Main thread, except where noted.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..common.workers import NOTHING_TO_TELL
from ..editor.file_views import unsaved_files
from ..editor.storage import storage_folder
from ..review.document import encodings
from ..review.document.raw_files import opened, read_all
from .contents import Content
from .files import Rules
from .listing import ListedChange
from .looking import COPIED_BYTES
from .schedule import INTERVAL_SECONDS, Schedule
from .undoing import Refusal, restore, undo, undo_hunk
from .workspace import Workspace, says
from .workspaces import Root, Workspaces

if TYPE_CHECKING:
    import asyncio

    from ..comparison import Hunk
    from ..runtime import Runtime

STORE = "Unreviewed"
TIDY_SECONDS = 3600.0


class Texts(NamedTuple):
    """The bytes of both sides of a change: None where nobody knows them, empty where there is no file."""

    before: Optional[bytes]
    now: Optional[bytes]


class _Folder:
    """A folder of one window or several. Guarded by the lock of `Tracking`."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.windows: Dict[int, bool] = {}
        """Those that have it, and whether each tracks it."""
        self.listed: Tuple[ListedChange, ...] = ()
        self.busy = False
        self.again = False


class Tracking:
    """One in the process. `changed` is called on the main thread when a list is another than before."""

    def __init__(
        self,
        runtime: Runtime,
        changed: Callable[[], None],
        storage: Callable[[], str] = storage_folder,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runtime = runtime
        self._changed = changed
        self._storage = storage
        self._clock = clock
        self._workspaces: Optional[Workspaces] = None
        self._lock = threading.Lock()  # guards what follows; never held over a look
        self._folders: Dict[str, _Folder] = {}
        self._schedule = Schedule()
        self._timer: Optional[asyncio.TimerHandle] = None  # loop thread only
        self._tidied = float("-inf")

    # -- what is tracked ----------------------------------------------------------------------------------------------

    def track(self, window: int, folders: Sequence[str], rules: Rules, tracked: bool) -> None:
        """A window has these folders, and no others any more; `tracked` is whether an agent may be at work there.

        `rules` is a new object only if the rules are others than before.
        """
        wanted = [os.path.abspath(folder) for folder in folders]
        look: List[_Folder] = []
        with self._lock:
            for name in wanted:
                folder = self._folders.setdefault(name, _Folder(Root(name, rules)))
                if folder.windows.get(window) != tracked or folder.root.rules is not rules:
                    folder.windows[window], folder.root = tracked, Root(name, rules)
                    look.append(folder)
            left = [folder for name, folder in self._folders.items() if window in folder.windows and name not in wanted]
            for folder in left:
                del folder.windows[window]
                if not folder.windows:
                    del self._folders[folder.root.folder]
        for folder in look:
            self._look(folder)
        for folder in left:
            if folder.windows:
                self._look(folder)
            else:
                self._use(partial(self._leave, folder.root))

    def _leave(self, root: Root, cancelled: Callable[[], bool]) -> None:
        """Disk thread."""
        self._there().leave(root, cancelled)

    def leave(self, window: int) -> None:
        """A window has gone."""
        self.track(window, (), Rules(lambda path: False, lambda path, is_folder: False), tracked=False)

    def listed(self, window: int) -> Tuple[ListedChange, ...]:
        """What is unreviewed in the folders of a window, the newest first. Any thread."""
        with self._lock:
            folders = [folder for folder in self._folders.values() if window in folder.windows]
        found = {(each.folder, each.path): each for folder in folders for each in folder.listed}
        return tuple(sorted(found.values(), key=lambda change: -change.number))

    # -- when to look -------------------------------------------------------------------------------------------------

    def sign(self) -> None:
        """A program or the editor gives a sign that files may have changed. Any thread; returns at once."""
        with self._lock:
            self._schedule.asked(self._clock())
        self._runtime.on_loop(self._arm)

    def _arm(self) -> None:
        """Loop thread."""
        import asyncio

        now = self._clock()
        with self._lock:
            due = self._schedule.due(now) if self._folders else None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._timer = asyncio.get_running_loop().call_later(due, self._fire)

    def loop_lost(self) -> None:
        """The loop has ended, and another one has taken its place. Loop thread."""
        self._timer = None
        self._arm()

    def _fire(self) -> None:
        """Look, and set the timer for the next look, which saves a wake-up after this one. Loop thread."""
        import asyncio

        self._timer = None
        with self._lock:
            due = self._schedule.due(self._clock())
        if due is None:
            return
        costly = due >= INTERVAL_SECONDS / 4  # the last look was
        self._timer = asyncio.get_running_loop().call_later(due if costly else INTERVAL_SECONDS, self._fire)
        if costly:
            return
        with self._lock:
            folders = [folder for folder in self._folders.values() if any(folder.windows.values()) or folder.listed]
        for folder in folders:
            self._look(folder)

    def _look(self, folder: _Folder) -> None:
        """Look at a folder now, or once more if that is being done. Any thread."""
        with self._lock:
            if folder.busy:
                folder.again = True
                return
            folder.busy = True
        self._runtime.use_disk(self._look_at, folder, then=self._told, failed=self._look_failed(folder))

    def _look_at(self, folder: _Folder, cancelled: Callable[[], bool]) -> object:
        """Disk thread."""
        workspaces = self._there()
        while True:
            with self._lock:
                root, tracked, folder.again = folder.root, any(folder.windows.values()), False
            began = _processor_seconds()
            workspaces.look(root, tracked, cancelled)
            listed = workspaces.changes(root)
            with self._lock:
                self._schedule.looked(self._clock(), _processor_seconds() - began)
                different, folder.listed = folder.listed != listed, listed
                if different:
                    self._schedule.happened(self._clock())
                folder.busy = folder.again and not cancelled()
                if not folder.busy:
                    break
        self._tidy(workspaces)
        if self._timer is None and any(folder.windows.values()):
            self._runtime.on_loop(self._arm)
        return None if different else NOTHING_TO_TELL

    def _look_failed(self, folder: _Folder) -> Callable[[Exception], None]:
        def failed(error: Exception) -> None:
            folder.busy = False
            raise error  # which is reported

        return failed

    def _tidy(self, workspaces: Workspaces) -> None:
        with self._lock:
            due = self._clock() - self._tidied > TIDY_SECONDS
            if due:
                self._tidied = self._clock()
        if due:
            workspaces.tidy()

    def _told(self, _: object) -> None:
        self._changed()

    # -- what the user does in tabs -----------------------------------------------------------------------------------

    def read(self, path: str) -> None:
        """A tab has read the file at `path` from the disk: what it holds is looked at before the user can save it."""
        if self._called(path):
            self._decide(partial(_read, path))

    def saving(self, path: str) -> None:
        """A tab is about to be saved to `path`."""
        for workspace, name in self._called(path):
            workspace.saving(name)

    def saved(self, path: str, text: str, encoding: str, line_endings: str) -> None:
        """A tab with this text was saved to `path`; encoding and line endings by the editor's names."""
        if self._called(path):
            self._decide(lambda there: _saved(there, path, text, encoding, line_endings))

    def expect(self, path: str, text: str) -> None:
        """The user has accepted `text` for the file at `path`. Before its client is told, or the file is written."""
        for workspace, name in self._called(path):
            workspace.expect(name, text.encode("utf-8", "surrogatepass"))

    def knows(self, path: str) -> bool:
        """Whether the file at `path` lies in a folder that is tracked, or was."""
        return bool(self._called(path))

    def _called(self, path: str) -> List[Tuple[Workspace, str]]:
        return self._workspaces.called(path) if self._workspaces is not None else []

    # -- what the user decides ----------------------------------------------------------------------------------------

    def texts(self, change: ListedChange, then: Callable[[Texts], None]) -> None:
        """The bytes of both sides of a change."""

        def find(there: Workspaces) -> Texts:
            workspace = there.of(change.folder)
            if workspace is None:
                return Texts(None, None)
            return Texts(workspace.data(change.before), workspace.data(change.now))

        self._decide(find, then)

    def keep(self, changes: Sequence[ListedChange], then: Callable[[int], None]) -> None:
        """Keep these changes as they are shown. `then` gets how many of them are others by now, and stay."""

        def do(there: Workspaces) -> int:
            return sum(not _kept(there, change) for change in changes)

        self._decide(do, then)

    def keep_hunk(self, change: ListedChange, hunk: Hunk, then: Callable[[bool], None]) -> None:
        """Keep one hunk between the texts of a change, in lines as `merging.lines_of` counts. `then`: whether it is."""

        def do(there: Workspaces) -> bool:
            kept = False
            for workspace, name in there.holding(_full(change)):
                kept = workspace.keep_hunk(name, change.before, change.now, hunk) or kept
            return kept

        self._decide(do, then)

    def undo(self, changes: Sequence[ListedChange], then: Callable[[List[Refusal]], None]) -> None:
        """Take these changes back, as far as the files are as shown; `then` gets those that were left, and why."""
        unsaved, storage, when = unsaved_files(), self._storage(), time.time()

        def do(there: Workspaces) -> List[Refusal]:
            refused: List[Refusal] = []
            for folder in dict.fromkeys(change.folder for change in changes):
                workspace = there.of(folder)
                if workspace is not None:
                    some = [each for each in changes if each.folder == folder]
                    refused += undo(workspace, some, unsaved, storage, when)
            return refused

        self._decide(do, then)

    def undo_hunk(self, change: ListedChange, hunk: Hunk, then: Callable[[List[Refusal]], None]) -> None:
        """Take one hunk back."""
        unsaved, storage, when = unsaved_files(), self._storage(), time.time()

        def do(there: Workspaces) -> List[Refusal]:
            workspace = there.of(change.folder)
            return undo_hunk(workspace, change, hunk, unsaved, storage, when) if workspace is not None else []

        self._decide(do, then)

    def restore(self, window: int, then: Callable[[int, List[Refusal]], None]) -> None:
        """Bring back what the last undo in the window's folders took; `then` gets how many files, and those left."""
        unsaved, storage = unsaved_files(), self._storage()
        with self._lock:
            roots = [folder.root for folder in self._folders.values() if window in folder.windows]

        def do(there: Workspaces) -> Tuple[int, List[Refusal]]:
            count, refused = 0, []
            for workspace in there.last_undone(roots):
                count += len(workspace.last_undone())
                refused += restore(workspace, unsaved, storage)
            return count - len(refused), refused

        self._decide(do, lambda answer: then(*answer))

    def _decide(self, do: Callable[[Workspaces], Any], then: Callable[[Any], None] = lambda _: None) -> None:
        """Do something on a disk thread and list anew; `then` is called on the main thread, with the lists up to date.

        A look may be under way: the workspace's lock lets one after the other.
        """

        def work(cancelled: Callable[[], bool]) -> Tuple[Any, bool]:
            workspaces = self._there()
            answer = do(workspaces)
            different = False
            with self._lock:
                folders = list(self._folders.values())
            for folder in folders:
                listed = workspaces.changes(folder.root)
                with self._lock:
                    different = different or folder.listed != listed
                    folder.listed = listed
            return answer, different

        def deliver(result: Tuple[Any, bool]) -> None:
            answer, different = result
            if different:
                self._changed()
            then(answer)

        self._runtime.use_disk(work, then=deliver)

    def _use(self, work: Callable[[Callable[[], bool]], None]) -> None:
        def silent(cancelled: Callable[[], bool]) -> object:
            work(cancelled)
            return NOTHING_TO_TELL

        self._runtime.use_disk(silent, then=lambda _: None)

    def _there(self) -> Workspaces:
        """Disk thread."""
        with self._lock:
            if self._workspaces is None:
                self._workspaces = Workspaces(os.path.join(self._storage(), STORE))
            return self._workspaces


def _read(path: str, there: Workspaces) -> None:
    """Disk thread."""
    for workspace, name in there.holding(path):
        workspace.look_at([name])


def _saved(there: Workspaces, path: str, text: str, encoding: str, line_endings: str) -> None:
    """Disk thread."""
    data = encodings.saved(text, encoding, line_endings)
    with suppress(OSError, ValueError), opened(path, os.O_RDONLY) as (descriptor, _):
        found = read_all(descriptor, COPIED_BYTES)
        if says(found, data):  # the editor knows best how lines end
            data = found
    for workspace, name in there.holding(path):
        workspace.saved(name, data)


def _kept(there: Workspaces, change: ListedChange) -> bool:
    kept = False
    for workspace, name in there.holding(_full(change)):
        kept = workspace.keep(name, change.now) or kept
    if change.old_path:
        for workspace, name in there.holding(_full(change._replace(path=change.old_path))):
            workspace.keep(name, Content(""))
    return kept


def _full(change: ListedChange) -> str:
    return os.path.join(change.folder, *change.path.split("/"))


def _processor_seconds() -> float:
    """What this thread has used, and all processes that have ended."""
    times = os.times()
    return time.thread_time() + times.children_user + times.children_system
