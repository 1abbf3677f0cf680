"""Tracks the folders of all windows: looks at them in time, tells the windows what is unreviewed, and hears the tabs.

Theory of operation: the windows say which folders they have, and whether an agent may be at work there. Looks happen on
disk threads, of one folder one at a time. The loop's clock starts them: soon after a sign of a program or of the
editor, and else every few seconds while something happens (`schedule`). The main thread only gets the lists, which
never change, and only those that are others than before. What a tab saves is the user's.

A program that tells of its tool calls is held until the folders were looked at, before each call and after it; but not
as long as a first look may take. What has changed meanwhile is found by its time stamp (`Moment.early`).

Rule: nothing is woken up while nothing is tracked, or nothing happens, and where nothing is tracked no tab is asked for
its text. Whatever the user decides is done in order with the looks at that folder. Main thread, except where noted.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any, Callable, Collection, Dict, Hashable, List, Mapping, Optional, Sequence, Tuple, Union

import sublime

from ..common.clock import clock
from ..common.waiting import InOrder, Latest
from ..common.workers import NOTHING_TO_TELL
from ..editor.storage import storage_folder
from ..review.document.text import DEFAULT_FALLBACK, saved
from ..review.document.whole_file import BytesMaker
from ..runtime import Runtime
from ..system.files import opened, read_all
from .calls import Moment, OpenCall, OpenCalls
from .files import NO_RULES, Rules
from .listing import Lists, joined
from .looking import READ_BYTES
from .saves import Saves
from .schedule import INTERVAL_SECONDS, Schedule, processor_seconds
from .store import UNTIDY_BYTES
from .texts import same_text
from .workspace import Workspace
from .workspaces import Root, Workspaces

TIDY_SECONDS = 3600.0
_TYPED = ("paths", Workspace.renames)
SIDE_BAR: Mapping[str, Tuple[str, Callable[[Workspace, str], None]]] = {
    "delete_file": ("files", Workspace.removed),
    "delete_folder": ("dirs", Workspace.removed),
    "rename_path": _TYPED,
    # Of the packages SideBarEnhancements and SideBarTools:
    "side_bar_rename": _TYPED,
    "side_bar_mass_rename": _TYPED,
    "side_bar_move": _TYPED,
    "side_bar_cut": _TYPED,
    "side_bar_delete": ("paths", Workspace.removes),
}
"""What the side bar calls, with the argument that says which files, and what the user does with them."""


class _TrackedFolder:
    """A folder of one window or several. Guarded by the lock of `Tracking`, but for `looks`."""

    def __init__(self, root: Root, look: Callable[[_TrackedFolder], object]) -> None:
        self.root = root
        self.windows: Dict[int, bool] = {}
        """Those that have it, and whether each tracks it."""
        self.lists: Tuple[Lists, ...] = ()
        self.looks = Latest(partial(look, self))
        self.waiting: List[Callable[[], None]] = []
        """What to call once a look has ended that has not begun yet."""
        self.has_begun = False
        """Whether the first look has ended since the folder is tracked."""
        self.early = 0
        """Until then, since when a program may have written, as `Moment` says it."""

    def note_early(self) -> None:
        """From now on a program may write, whether the first look has ended or not."""
        if not self.has_begun:
            self.early = self.early or time.time_ns()


class Tracking:
    """One in the process. `changed` is called on the main thread when a list is another than before."""

    def __init__(
        self,
        runtime: Runtime,
        changed: Callable[[], None],
        storage: Callable[[], str] = storage_folder,
    ) -> None:
        self._runtime = runtime
        self._changed = changed
        self.storage = storage
        self._workspaces: Optional[Workspaces] = None
        self._listing = threading.Lock()  # held by disk threads only
        self._lock = threading.Lock()  # guards what follows; never held over a look
        self._folders: Dict[str, _TrackedFolder] = {}
        self._orders = InOrder(self._use_disk, partial(runtime.on_main, _raise))
        self._schedule = Schedule()
        self._calls = OpenCalls()
        self.saves = Saves()
        self.fallback_encoding = DEFAULT_FALLBACK
        """In which the editor opens what is not in UTF-8."""
        self._timer: Optional[asyncio.TimerHandle] = None  # loop thread only
        self._tidied = float("-inf")

    # -- what is tracked ----------------------------------------------------------------------------------------------

    def track(self, window: int, folders: Sequence[str], rules: Rules, tracked: bool) -> None:
        """A window has these folders, and no others any more; `tracked` is whether an agent may be at work there.

        `rules` is a new object only if the rules are others than before.
        """
        wanted = [os.path.abspath(folder) for folder in folders]
        look: List[_TrackedFolder] = []
        with self._lock:
            for name in wanted:
                folder = self._folders.setdefault(name, _TrackedFolder(Root(name, rules), self._look))
                if folder.windows.get(window) != tracked or folder.root.rules is not rules:
                    folder.windows[window], folder.root = tracked, Root(name, rules)
                    if tracked:
                        folder.note_early()
                    look.append(folder)
                    self._schedule.happened(clock.now())
            left = [folder for name, folder in self._folders.items() if window in folder.windows and name not in wanted]
            for folder in left:
                del folder.windows[window]
                if not folder.windows:
                    del self._folders[folder.root.folder]
        for folder in look:
            folder.looks.ask()
        for folder in left:
            if folder.windows:
                folder.looks.ask()
            else:
                self._runtime.use_disk(self._leave, folder.root, then=lambda _: None)

    def _leave(self, root: Root, cancelled: Callable[[], bool]) -> object:
        """Disk thread."""
        self._workspaces_now().leave(root, cancelled)
        return NOTHING_TO_TELL

    def leave(self, window: int) -> None:
        """A window has gone."""
        self.track(window, (), NO_RULES, tracked=False)

    def lists(self, window: int) -> Lists:
        """What is unreviewed in the folders of a window. Any thread."""
        with self._lock:
            return joined(
                [each for folder in self._folders.values() if window in folder.windows for each in folder.lists]
            )

    # -- when to look -------------------------------------------------------------------------------------------------

    def sign(self) -> None:
        """A program or the editor gives a sign that files may have changed. Any thread; returns at once."""
        with self._lock:
            if not self._watched():
                return
            self._schedule.asked(clock.now())
        self._runtime.on_loop(self._arm)

    def _watched(self) -> List[_TrackedFolder]:
        """The folders to look at: where a program may be at work, or something is unreviewed. Under the lock."""
        return [each for each in self._folders.values() if _is_watched(each)]

    def _arm(self) -> None:
        """Loop thread."""
        now = clock.now()
        with self._lock:
            due = self._schedule.due(now) if self._watched() else None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._timer = asyncio.get_running_loop().call_later(due, self._fire)

    def _fire(self) -> None:
        """Look, and set the timer for the next look, which saves a wake-up after this one. Loop thread."""
        self._timer = None
        with self._lock:
            due = self._schedule.due(clock.now())
        if due is None:
            return
        costly = due >= INTERVAL_SECONDS / 4  # the last look was
        self._timer = asyncio.get_running_loop().call_later(due if costly else INTERVAL_SECONDS, self._fire)
        if costly:
            return
        with self._lock:
            folders = self._watched()
        for folder in folders:
            folder.looks.ask()

    def _look(self, folder: _TrackedFolder) -> None:
        self._runtime.use_disk(self._look_at, folder, then=lambda _: self._changed())

    def _look_at(self, folder: _TrackedFolder, cancelled: Callable[[], bool]) -> object:
        """Disk thread."""
        waiting: List[Callable[[], None]] = []
        try:
            with self._lock:
                root = folder.root._replace(tracked=any(folder.windows.values()))
                waiting, folder.waiting = folder.waiting, []
            workspaces, began = self._workspaces_now(), processor_seconds()
            first = workspaces.look(root, cancelled)
            self._note_begun(folder, root.tracked and workspaces.has_begun(root))
            while waiting:
                waiting.pop()()  # before all else that takes time: programs are held
            different = self._list(workspaces, folder)
            with self._lock:
                self._schedule.looked(clock.now(), processor_seconds() - began, first)
                if different:
                    self._schedule.happened(clock.now())
            self._tidy(workspaces)
            if self._timer is None and root.tracked:
                self._runtime.on_loop(self._arm)
            return None if different else NOTHING_TO_TELL
        finally:
            while waiting:
                waiting.pop()()
            folder.looks.answered()

    def _note_begun(self, folder: _TrackedFolder, has_begun: bool) -> None:
        """Disk thread."""
        with self._lock:
            folder.has_begun = has_begun
            if has_begun:
                folder.early = 0

    def _moment(self, names: Collection[str]) -> Moment:
        """Now, in the windows that track one of these folders. Disk thread."""
        with self._lock:
            folders = [folder for name, folder in self._folders.items() if name in names]
            tracking = frozenset(window for each in folders for window, tracked in each.windows.items() if tracked)
            early = min((folder.early for folder in folders if folder.early), default=0)
        return self._calls.moment(tracking, early)

    def _tidy(self, workspaces: Workspaces) -> None:
        with self._lock:
            store = workspaces.store
            is_untidy = store.written > UNTIDY_BYTES or clock.date() >= store.tidy_from
            due = is_untidy or clock.now() - self._tidied > TIDY_SECONDS
            if due:
                self._tidied = clock.now()
        if due:
            store.tidy()

    # -- what is done with the files ----------------------------------------------------------------------------------

    def find_by_window_path(self, path: str) -> List[Tuple[Workspace, str]]:
        """The workspaces that a file lies in which are tracked, or were, and what it is called there. Any thread."""
        return self._workspaces.find_by_window_path(path) if self._workspaces is not None else []

    def expect(self, path: str, accepted: Union[bytes, BytesMaker], agreed: Optional[BytesMaker] = None) -> None:
        """The user has accepted this, or what it makes, for the file at `path`; `agreed` is as in `Workspace.expect`.
        Call this before the client hears of it."""
        for workspace, name in self.find_by_window_path(path):
            workspace.expect(name, accepted, agreed)

    def roots(self, window: int) -> List[Root]:
        """The folders of a window."""
        with self._lock:
            return [folder.root for folder in self._folders.values() if window in folder.windows]

    def on_main(self, function: Callable[..., object], *args: object) -> None:
        """Call something on the main thread, soon. Any thread."""
        self._runtime.on_main(function, *args)

    def begin_turn(self, window: int, begun: Callable[[], None] = lambda: None) -> None:
        """A program begins another turn in this window: what was written until now belongs to an earlier one.

        `begun` is called on a disk thread once that is noted. Any thread; returns at once.
        """
        roots = self.roots(window)

        def begin(workspaces: Workspaces) -> None:
            for root in roots:
                workspaces.look(root._replace(tracked=True), lambda: False)
                workspaces.begin_turn(root)
            begun()

        self.carry_out(begin)

    # -- tool calls ---------------------------------------------------------------------------------------------------

    def call_begins(self, window: int, call: Hashable, open_call: OpenCall, looked: Callable[[], None]) -> None:
        """A program with hooks is about to call a tool that writes, or a shell, which vouches for what is found now.

        `looked` is called on any thread once the window's folders were looked at, at once if it tracks none: then the
        program may go on. Any thread; returns at once.
        """
        self._calls.begins(window, call, open_call)
        with self._lock:
            for folder in self._folders.values():
                if window in folder.windows:
                    folder.note_early()
        self._look_now(window, looked)

    def call_doubtful(self, window: int, call: Hashable) -> None:
        """The user is asked about this call, or another one: nothing but its end says that it has run. Any thread."""
        self._calls.doubt(window, call)

    def call_ended(self, window: int, call: Hashable, looked: Callable[[], None], *, has_run: bool = True) -> None:
        """The call that was begun as `call` is over; `looked` is called as above. `has_run`: False if it ended without
        a result.

        A call stays open until this is called. Any thread; returns at once.
        """

        with self._lock:
            just_looked = self._schedule.has_just_looked(clock.now())
        was_doubtful = has_run and self._calls.has_run(window, call, just_looked)

        def ended() -> None:
            self._calls.ended(window, call)
            looked()
            if was_doubtful:
                self.carry_out(lambda workspaces: workspaces.settle(call))

        self._look_now(window, ended)

    def only_hooked(self, window: int, only: bool) -> None:
        """Whether all programs that may be at work in a window tell of their calls. Any thread."""
        self._calls.only_hooked(window, only)

    def _look_now(self, window: int, then: Callable[[], None]) -> None:
        """Look at the folders that the window tracks, however much that costs, and call `then`."""

        def looked() -> None:
            with self._lock:
                left.pop()
                if left:
                    return
            then()

        with self._lock:
            folders = [folder for folder in self._folders.values() if folder.windows.get(window)]
            left = list(folders)
            for folder in folders:
                folder.waiting.append(looked)
            self._schedule.happened(clock.now())
        for folder in folders:
            folder.looks.ask()
        if not folders:
            then()

    def carry_out(
        self, do: Callable[[Workspaces], Any], then: Callable[[Any], None] = lambda _: None, path: str = ""
    ) -> None:
        """Do something on a disk thread and list anew; `then` is called on the main thread, with the lists up to date.

        A look may be under way: the workspace's lock lets one after the other. What is about one `path` is done in the
        order of these calls. Any thread.
        """

        def work() -> None:
            workspaces = self._workspaces_now()
            answer = do(workspaces)
            with self._lock:
                folders = list(self._folders.values())
            different = [self._list(workspaces, folder) for folder in folders]
            self._runtime.on_main(deliver, answer, any(different))

        def deliver(answer: Any, different: bool) -> None:
            if different:
                self._changed()
            then(answer)

        if path:
            self._orders.add(work, path)
        else:
            self._use_disk(work)

    def _use_disk(self, do: Callable[[], object]) -> None:
        def work(_: Callable[[], bool]) -> object:
            do()
            return NOTHING_TO_TELL

        self._runtime.use_disk(work, then=lambda _: None)

    def _list(self, workspaces: Workspaces, folder: _TrackedFolder) -> bool:
        """List anew what is unreviewed in a folder, and whether that is something else. Disk thread."""
        with self._listing:  # else what was listed first might be noted last
            lists = tuple(workspaces.lists(folder.root, self.fallback_encoding))
            with self._lock:
                former, folder.lists = folder.lists, lists
            return former != lists

    def _workspaces_now(self) -> Workspaces:
        """Disk thread."""
        with self._lock:
            if self._workspaces is None:
                self._workspaces = Workspaces(self.storage(), self._moment, self.saves)
            return self._workspaces


def _is_watched(folder: _TrackedFolder) -> bool:
    return any(folder.windows.values()) or any(lists.changes or lists.outside for lists in folder.lists)


def _raise(error: Exception) -> None:
    raise error  # which the runtime reports


# -- what tabs do ------------------------------------------------------------------------------------------------------


class Tabs:
    """The tabs of all windows."""

    def __init__(self, tracking: Tracking) -> None:
        self._tracking = tracking

    def read(self, view: sublime.View) -> None:
        """A tab has read its file from the disk: what it holds is looked at before the user can save it."""
        path = view.file_name()
        if path is not None:
            if self._tracking.find_by_window_path(path):
                self._tracking.carry_out(partial(look_at, path), path=path)
            self._tracking.sign()

    def saving(self, view: sublime.View) -> None:
        """A tab is about to be saved."""
        path = view.file_name()
        if path is not None and self._tracking.find_by_window_path(path):
            self._tracking.saves.begin(path)

    def saved(self, view: sublime.View) -> None:
        """A tab was saved."""
        path = view.file_name()
        if path is not None and self._tracking.find_by_window_path(path):
            text = view.substr(sublime.Region(0, view.size()))
            do = partial(self._take_over, path, text, view.encoding(), view.line_endings())
            self._tracking.carry_out(do, path=path)

    def _take_over(self, path: str, text: str, encoding: str, line_endings: str, workspaces: Workspaces) -> None:
        """Disk thread."""
        try:
            take_over(path, text, encoding, line_endings, workspaces)
        finally:
            self._tracking.saves.ended(path)

    def commanded(self, name: str, arguments: Optional[Dict[str, Any]]) -> None:
        """A command of a window has run: the user may have deleted files in the side bar, or is about to rename one."""
        if name not in SIDE_BAR:
            return
        argument, do = SIDE_BAR[name]
        paths = (arguments or {}).get(argument)
        for path in paths if isinstance(paths, list) else ():
            if isinstance(path, str) and self._tracking.find_by_window_path(path):
                self._tracking.carry_out(partial(tell, do, path), path=path)

    def activated(self) -> None:
        """A view has the focus: the user may come from another application, and files have changed meanwhile."""
        self._tracking.sign()


def look_at(path: str, workspaces: Workspaces) -> None:
    """A tab has read this file. Disk thread."""
    for workspace, name in workspaces.holding(os.path.realpath(path)):
        workspace.look_at([name])


def tell(what: Callable[[Workspace, str], None], path: str, workspaces: Workspaces) -> None:
    """Tell those that know a file or folder what the user does with it in the side bar. Disk thread."""
    for workspace, name in workspaces.holding(path):
        what(workspace, name)


def take_over(path: str, text: str, encoding: str, line_endings: str, workspaces: Workspaces) -> None:
    """A tab with this text was saved; encoding and line endings by the editor's names. Disk thread."""
    data = saved(text, encoding, line_endings)
    holding = list(workspaces.holding(os.path.realpath(path)))
    if not all(workspace.is_excluded(name) for workspace, name in holding):
        with suppress(OSError, ValueError), opened(path, os.O_RDONLY) as (descriptor, _):
            found = read_all(descriptor, READ_BYTES)
            if same_text(found, data):  # the editor knows best how lines end
                data = found
    for workspace, name in holding:
        workspace.saved(name, data)
