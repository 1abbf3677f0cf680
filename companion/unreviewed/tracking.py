"""Tracks the folders of all windows: decides when to look at them, and gives the windows their lists.

Theory of operation: the windows say which folders they have, and whether an agent may be at work there. What is done
with a folder is a job of its queue (`folder`). The loop's clock starts the looks: soon after a sign of an agent or of
the editor, and else every few seconds while something happens (`schedule`). After each job the folder is listed anew.
The main thread only gets the lists, which never change, and only those that are others than before.

An agent that tells of its tool calls is held until the folders were looked at, before each call and after it; but not
as long as a first look may take. What has changed meanwhile is found by its time stamp (`Moment.early`).

Rule: nothing is woken up while nothing is tracked, or nothing happens. Main thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from functools import partial
from types import GeneratorType
from typing import Any, Callable, Collection, Dict, Hashable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ..common.clock import clock
from ..common.workers import NOTHING_TO_TELL
from ..editor.storage import storage_folder
from ..review.document.text import DEFAULT_FALLBACK
from ..review.document.whole_file import BytesMaker
from ..runtime import Runtime
from ..system.paths import path_below
from .evidence import Moment, OpenCall, OpenCalls
from .files import NO_RULES, Rules
from .folder import Cancelled, Folder, Job, Queue, Root, Surroundings, Waiter
from .listing import Lists, joined
from .schedule import INTERVAL_SECONDS, Schedule, processor_seconds
from .store import STORE, UNTIDY_BYTES, Store, recorded_folders
from .user_acts import Saves
from .workspace import Workspace

logger = logging.getLogger("gemini_companion.unreviewed")

TIDY_SECONDS = 3600.0
MAXIMUM_FOLDERS = 100  # of one root

Answers = Dict[str, Any]
"""What jobs have answered, by the real paths of their folders; None where a folder has gone, or its job has failed."""
InFolder = Callable[[Workspace], Any]
"""What is done with a folder. It may be a generator, as a job of a `Queue`."""


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
        self._lock = threading.Lock()  # guards what follows, and the queues; never held over a job
        self._roots: Dict[str, Root] = {}
        self._folders: Dict[str, Folder] = {}
        self._surroundings: Optional[Surroundings] = None
        self._schedule = Schedule()
        self._tidied = float("-inf")
        self._calls = OpenCalls()
        self.saves = Saves()
        self.fallback_encoding = DEFAULT_FALLBACK
        """In which the editor opens what is not in UTF-8."""
        self._timer: Optional[asyncio.TimerHandle] = None  # loop thread only

    # -- which folders there are --------------------------------------------------------------------------------------

    def track(self, window: int, folders: Sequence[str], rules: Rules, tracked: bool) -> None:
        """Track these folders of a window, and no others of it; `tracked` is whether an agent may be at work there.

        `rules` is a new object only if the rules are others than before.
        """
        wanted = [os.path.abspath(folder) for folder in folders]
        changed: List[Root] = []
        with self._lock:
            for name in wanted:
                root = self._roots.setdefault(name, Root(name))
                if root.windows.get(window) != tracked or root.rules is not rules:
                    root.windows[window], root.rules = tracked, rules
                    if tracked:
                        root.note_early()
                    changed.append(root)
                    self._schedule.happened(clock.now())
            left = [root for name, root in self._roots.items() if window in root.windows and name not in wanted]
            for root in left:
                del root.windows[window]
            gone = [root for root in left if not root.windows]
            last_looks = [folder for root in gone for folder in self._folders_of(root)]
            for root in gone:
                del self._roots[root.name]
                for folder in self._folders_of(root):
                    del folder.roots[root.name]
        for root in changed + [root for root in left if root not in gone]:
            self._ask(root)
        for folder in last_looks:
            folder.queue.ask()

    def leave(self, window: int) -> None:
        """Track no folders of a window any more, which has gone."""
        self.track(window, (), NO_RULES, tracked=False)

    def lists(self, window: int) -> Lists:
        """List what is unreviewed in the folders of a window. Any thread."""
        with self._lock:
            return joined([folder.lists for folder in self._folders.values() if _has(folder, window)])

    def _folders_of(self, root: Root) -> List[Folder]:
        """Under the lock."""
        return [folder for folder in self._folders.values() if root.name in folder.roots]

    def _add(self, path: str, root: Root) -> Optional[Folder]:
        """Note that a root has the folder at this real path, unless the root has gone. The folder, if the root had it
        not before. Under the lock."""
        folders = self._folders_of(root)
        if self._roots.get(root.name) is not root or len(folders) >= MAXIMUM_FOLDERS:
            return None
        folder = self._folders.get(path)
        if folder is None:
            folder = self._folders[path] = Folder(path, self._shared(), self._queue)
        is_new = folder not in folders
        folder.roots[root.name] = root
        return folder if is_new else None

    def _queue(self, folder: Folder) -> Queue:
        return Queue(self._lock, self._hand_over, partial(self._visit, folder), self._failed)

    def _shared(self) -> Surroundings:
        """Under the lock, or once there is a folder."""
        if self._surroundings is None:
            storage = self.storage()
            store = Store(os.path.join(storage, STORE))
            self._surroundings = Surroundings(store, storage, self.saves, self._moment, lambda: list(self._folders))
        return self._surroundings

    def _hand_over(self, work: Callable[[Cancelled], None]) -> None:
        def on_disk_thread(cancelled: Cancelled) -> object:
            work(cancelled)
            return NOTHING_TO_TELL

        self._runtime.use_disk(on_disk_thread, then=lambda _: None)

    def _failed(self, error: Exception) -> None:
        self._runtime.on_main(_raise, error)

    def _seek(self, root: Root, cancelled: Cancelled) -> None:
        """Find out which folders a root has, and look at them: an earlier process may have left unreviewed changes in
        repositories below. Disk thread."""
        real, below = os.path.realpath(root.name), []
        with self._lock:
            store = self._shared().store
        try:
            recorded = [folder for folder in recorded_folders(store) if path_below(real, folder)]
            below = [folder for folder in recorded if os.path.lexists(os.path.join(folder, ".git"))]
        except OSError as error:
            logger.info("what is known of folders cannot be read: %s", error)
            real = ""  # the next look may do better
        with self._lock:
            root.real, root.is_sought = real, False
            waiting, root.waiting = root.waiting, []
            for path in [real, *below] if real else ():
                self._add(path, root)
        if real:
            self._ask(root, *waiting)
        for waiter in waiting:
            self._release(waiter)

    # -- when to look -------------------------------------------------------------------------------------------------

    def sign(self) -> None:
        """Look soon: an agent or the editor gives a sign that files may have changed. Any thread; returns at once."""
        with self._lock:
            if not self._watched():
                return
            self._schedule.asked(clock.now())
        self._runtime.on_loop(self._arm)

    def _watched(self) -> List[Root]:
        """The roots to look at: where an agent may be at work, or something is unreviewed. Under the lock."""
        return [root for root in self._roots.values() if root.tracked or any(map(_lists_any, self._folders_of(root)))]

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
            roots = self._watched()
        for root in roots:
            self._ask(root)

    def _ask(self, root: Root, *waiters: Waiter) -> None:
        """Have the folders of a root looked at, and the waiters called then. Any thread."""
        with self._lock:
            folders, seeks = self._folders_of(root), not root.real and not root.is_sought
            root.is_sought = root.is_sought or seeks
            for waiting in [folder.waiting for folder in folders] if root.real else [root.waiting]:
                waiting += waiters
                for waiter in waiters:
                    waiter.left += 1
        if seeks:
            self._hand_over(partial(self._seek, root))
        for folder in folders:
            folder.queue.ask()

    def _release(self, waiter: Waiter) -> None:
        """Note that a look has ended that the waiter waits for. Any thread."""
        with self._lock:
            waiter.left -= 1
            is_over = not waiter.left
        if is_over:
            waiter.then()

    def _visit(self, folder: Folder, cancelled: Cancelled) -> None:
        """Look at a folder, release who waits for that, and list it anew. A job of the folder's queue."""
        with self._lock:
            roots, tracking = list(folder.roots.values()), [each for each in folder.roots.values() if each.tracked]
            waiting, folder.waiting = folder.waiting, []
        try:
            began = processor_seconds()
            is_first = folder.visit(roots, bool(tracking), cancelled)
            self._add_repositories(folder, tracking, waiting)
            self._note_begun(roots)
            while waiting:
                self._release(waiting.pop())  # before all else that takes time: agents are held
            different = self._list(folder)
            with self._lock:
                self._schedule.looked(clock.now(), processor_seconds() - began, is_first)
                if different:
                    self._schedule.happened(clock.now())
                if not folder.roots and folder.workspace is None and self._folders.get(folder.path) is folder:
                    del self._folders[folder.path]
            self._tidy()
            if self._timer is None and tracking:
                self._runtime.on_loop(self._arm)
            if different:
                self._runtime.on_main(self._changed)
        finally:
            while waiting:
                self._release(waiting.pop())

    def _add_repositories(self, folder: Folder, roots: Sequence[Root], waiting: Sequence[Waiter]) -> None:
        """Look at the repositories that have come to be in a folder, too. Disk thread."""
        paths = list(folder.repositories()) if roots else []
        with self._lock:
            added = [self._add(path, root) for path in paths for root in roots]
            new = {each.path: each for each in added if each is not None}
            for each in new.values():
                each.waiting += waiting
            for waiter in waiting:
                waiter.left += len(new)
        for each in new.values():
            each.queue.ask()

    def _note_begun(self, roots: Sequence[Root]) -> None:
        with self._lock:
            for root in roots:
                workspaces = [folder.workspace for folder in self._folders_of(root)]
                root.has_begun = root.tracked and all(each is not None and each.tracked for each in workspaces)
                if root.has_begun:
                    root.early = 0

    def _moment(self, names: Collection[str]) -> Moment:
        """Now, in the windows that track one of these roots. Disk thread."""
        with self._lock:
            roots = [root for name, root in self._roots.items() if name in names]
            tracking = frozenset(window for root in roots for window, tracked in root.windows.items() if tracked)
            early = min((root.early for root in roots if root.early), default=0)
        return self._calls.moment(tracking, early)

    def _tidy(self) -> None:
        store = self._shared().store
        with self._lock:
            is_untidy = store.written > UNTIDY_BYTES or clock.date() >= store.tidy_from
            due = is_untidy or clock.now() - self._tidied > TIDY_SECONDS
            if due:
                self._tidied = clock.now()
        if due:
            store.tidy()

    def _list(self, folder: Folder) -> bool:
        """List anew what is unreviewed in a folder. Whether that is something else. Disk thread."""
        lists = folder.list(self.fallback_encoding)
        with self._lock:
            former, folder.lists = folder.lists, lists
        return former != lists

    # -- what is done with the files ----------------------------------------------------------------------------------

    def carry_out(self, jobs: Mapping[str, InFolder], then: Callable[[Answers], Any] = lambda answers: None) -> None:
        """Do something with folders, by their real paths, in the turn of each; `then` is called on the main thread,
        with the lists up to date. Any thread."""
        for folder, job in self._in_turn(jobs, partial(self._deliver, then)).items():
            folder.queue.add(job)

    def carry_out_at(
        self,
        path: str,
        do: Callable[[Workspace, str], Any],
        then: Callable[[Answers], Any] = lambda answers: None,
        place: Callable[[str], str] = os.path.realpath,
    ) -> None:
        """Do something with each folder that a file of a window lies in, which gets the name of the file there, in the
        order of these calls. `place` finds its real path. Any thread."""
        with self._lock:
            first = next((self._folders.get(each.folder) for each, _ in self._known_at(path)), None)

        def begin(cancelled: Cancelled) -> Iterator[None]:
            names = {workspace.folder: name for workspace, name in self.holding(place(path))}
            jobs = {folder: partial(_with_name, do, name) for folder, name in names.items()}
            in_turn = self._in_turn(jobs, partial(self._deliver, then))
            own = in_turn.pop(first, None) if first is not None else None
            for folder, job in in_turn.items():
                folder.queue.add(job)
            if own is not None:
                yield from own(cancelled)

        if first is not None:
            first.queue.add(begin)
        else:
            self._deliver(then, {}, False)

    def _in_turn(self, jobs: Mapping[str, InFolder], done: Callable[[Answers, bool], Any]) -> Dict[Folder, Job]:
        """The jobs of the queues. `done` is called on a disk thread once all have ended, with whether the list of the
        last folder is another one."""
        answers: Answers = {}

        def run(folder: Folder, do: InFolder, cancelled: Cancelled) -> Iterator[None]:
            answer = None
            try:
                if folder.workspace is not None:
                    answer = do(folder.workspace)
                    if isinstance(answer, GeneratorType):
                        answer = yield from answer
            finally:
                different = self._list(folder)
                with self._lock:
                    answers[folder.path] = answer
                    is_over = len(answers) == len(jobs)
                if is_over:
                    done(answers, different)
                elif different:
                    self._runtime.on_main(self._changed)

        with self._lock:
            known = {self._folders[path]: do for path, do in jobs.items() if path in self._folders}
            answers.update((path, None) for path in jobs if path not in self._folders)
        if not known:
            done(answers, False)
        return {folder: partial(run, folder, do) for folder, do in known.items()}

    def _deliver(self, then: Callable[[Answers], Any], answers: Answers, different: bool) -> None:
        """Any thread."""

        def deliver() -> None:
            if different:
                self._changed()
            then(answers)

        self._runtime.on_main(deliver)

    def use_disk(self, do: Callable[[], Any], then: Callable[[Any], Any]) -> None:
        """Call `do` on a disk thread, whatever is done with folders meanwhile, and `then` on the main thread. Any
        thread."""
        self._runtime.use_disk(lambda _: do(), then=then)

    def workspace_of(self, folder: str) -> Optional[Workspace]:
        """The workspace of a real folder, if there is one. Outside of its turn call only `all_data`. Any thread."""
        found = self._folders.get(folder)
        return found.workspace if found is not None else None

    def find_by_window_path(self, path: str) -> List[Tuple[Workspace, str]]:
        """Find the workspaces that a file lies in, the innermost first, by the path that windows have for it, and its
        path there; asks no disk. Any thread."""
        with self._lock:
            return self._known_at(path)

    def _known_at(self, path: str) -> List[Tuple[Workspace, str]]:
        """Under the lock."""
        path = os.path.normpath(path)
        for root in self._roots.values():
            rest = path_below(root.name, path)
            if root.real and rest:
                return self._containing(os.path.join(root.real, rest))
        return self._containing(path)

    def holding(self, path: str) -> List[Tuple[Workspace, str]]:
        """Find the workspaces that a real path lies in, the innermost first, and its path there. Any thread."""
        with self._lock:
            return self._containing(path)

    def _containing(self, path: str) -> List[Tuple[Workspace, str]]:
        """Under the lock."""
        innermost_first = sorted(self._folders.items(), key=lambda each: -len(each[0]))
        rests = [(folder.workspace, path_below(real, path)) for real, folder in innermost_first]
        return [(workspace, rest.replace(os.sep, "/")) for workspace, rest in rests if workspace is not None and rest]

    def expect(self, path: str, accepted: Union[bytes, BytesMaker], agreed: Optional[BytesMaker] = None) -> None:
        """Expect what the user has accepted for the file at `path`; the arguments are those of `Workspace.expect`. Call
        this before the agent hears of it. Any thread."""
        for workspace, name in self.find_by_window_path(path):
            workspace.expect(name, accepted, agreed)

    def on_main(self, function: Callable[..., object], *args: object) -> None:
        """Call something on the main thread, soon. Any thread."""
        self._runtime.on_main(function, *args)

    def last_undone(self, window: int) -> List[Workspace]:
        """Find the workspaces in the folders of a window that the last undo was about. Any thread."""
        with self._lock:
            found = [folder.workspace for folder in self._folders.values() if _has(folder, window)]
        undone = [each for each in found if each is not None and each.last_undone.groups]
        last = max((each.last_undone.when for each in undone), default=0.0)
        return [each for each in undone if each.last_undone.when == last]

    def next_undo(self) -> float:
        """The time of an undo that begins now: later than all others, even if the clock was set back. Any thread."""
        with self._lock:
            found = [folder.workspace for folder in self._folders.values()]
        return max([time.time(), *(each.last_undone.when + 1.0 for each in found if each is not None)])

    # -- tool calls ---------------------------------------------------------------------------------------------------

    def begin_turn(self, window: int, begun: Callable[[], None] = lambda: None) -> None:
        """Note that an agent begins another turn in this window; what was written until now belongs to an earlier one.

        `begun` is called on any thread once that is noted. Any thread; returns at once.
        """

        def begin() -> None:
            with self._lock:
                jobs = {path: Workspace.begin_turn for path, each in self._folders.items() if _has(each, window)}
            for folder, job in self._in_turn(jobs, turn_begun).items():
                folder.queue.add(job)

        def turn_begun(_: Answers, different: bool) -> None:
            begun()
            self._deliver(lambda answers: None, {}, different)

        self._visit_all(window, begin)

    def call_begins(self, window: int, call: Hashable, open_call: OpenCall, looked: Callable[[], None]) -> None:
        """Note that an agent with hooks is about to call a tool that writes, or a shell, and vouches for what it does.

        `looked` is called on any thread once the window's folders were looked at, at once if it tracks none: then the
        agent may go on. Any thread; returns at once.
        """
        self._calls.begins(window, call, open_call)
        with self._lock:
            for root in self._roots.values():
                if window in root.windows:
                    root.note_early()
        self._visit_all(window, looked)

    def call_doubtful(self, window: int, call: Hashable) -> None:
        """Note that the user is asked about this call, or another one, so that only its end says that it has run. Any
        thread."""
        self._calls.doubt(window, call)

    def call_ended(self, window: int, call: Hashable, looked: Callable[[], None], *, has_run: bool = True) -> None:
        """Note that the call that was begun as `call` is over; `looked` is called as above. `has_run`: False if it
        ended without a result.

        A call stays open until this is called. Any thread; returns at once.
        """
        with self._lock:
            just_looked = self._schedule.has_just_looked(clock.now())
        was_doubtful = has_run and self._calls.has_run(window, call, just_looked)

        def ended() -> None:
            self._calls.ended(window, call)
            looked()
            if was_doubtful:
                with self._lock:
                    jobs = dict.fromkeys(self._folders, lambda workspace: workspace.settle(call))
                self.carry_out(jobs)

        self._visit_all(window, ended)

    def only_hooked(self, window: int, only: bool) -> None:
        """Note whether all agents that may be at work in a window tell of their calls. Any thread."""
        self._calls.only_hooked(window, only)

    def _visit_all(self, window: int, then: Callable[[], None]) -> None:
        """Look at the folders that the window tracks, however much that costs, and call `then`."""
        waiter = Waiter(then)
        with self._lock:
            roots = [root for root in self._roots.values() if root.windows.get(window)]
            self._schedule.happened(clock.now())
        for root in roots:
            self._ask(root, waiter)
        self._release(waiter)


def _with_name(do: Callable[[Workspace, str], Any], name: str, workspace: Workspace) -> Any:
    return do(workspace, name)


def _has(folder: Folder, window: int) -> bool:
    return any(window in root.windows for root in folder.roots.values())


def _lists_any(folder: Folder) -> bool:
    return bool(folder.lists.changes or folder.lists.outside)


def _raise(error: Exception) -> None:
    raise error  # which the runtime reports
