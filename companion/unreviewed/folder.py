"""One folder: the queue of what is done with it, and the windows that it is done for.

Theory of operation: a `Workspace` is what is known of a folder, and one thread at a time may use it. So looks, what the
user decides, and undo are jobs of the folder's queue, and one disk thread does them in the order in which they came. A
job that takes long is a generator: at each `yield` a look goes first that waits, because an agent waits for it.

A *root* is a folder as windows call it. It has the folder that it leads to, and each repository in that.

Rule: a folder that no window tracks has a workspace only while it has unreviewed changes. Disk threads, except where
noted.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from types import GeneratorType
from typing import Any, Callable, Collection, Deque, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..review.document.text import DEFAULT_FALLBACK
from ..system.platform import Platform
from .content import full_path
from .evidence import Moment
from .files import NO_RULES, Rules
from .git import GitError, Repository, find_git, git_of
from .listing import Listing, Lists
from .store import Store, has_record
from .undoing import finish
from .user_acts import Saves
from .workspace import Workspace

logger = logging.getLogger("gemini_companion.unreviewed")

Cancelled = Callable[[], bool]
Job = Callable[[Cancelled], Any]


class Queue:
    """The jobs of one folder, each of which gets what tells it to end early. Any thread."""

    def __init__(
        self,
        lock: Any,
        hand_over: Callable[[Callable[[Cancelled], None]], object],
        look: Job,
        failed: Callable[[Exception], object],
    ) -> None:
        """`lock` guards the jobs. `hand_over` has a function called on a disk thread; `failed` gets there what a job
        has raised."""
        self._lock = lock
        self._hand_over = hand_over
        self._look = look
        self._failed = failed
        self._jobs: Deque[Job] = deque()
        self.busy = False

    def add(self, job: Job) -> None:
        """Do this after all that was added before; returns at once."""
        with self._lock:
            self._jobs.append(job)
            begins, self.busy = not self.busy, True
        if begins:
            self._hand_over(self._run)

    def ask(self) -> None:
        """Have the folder looked at by a look that has not begun yet: the one that waits, or another one."""
        with self._lock:
            waits = self._look in self._jobs
        if not waits:
            self.add(self._look)

    def _run(self, cancelled: Cancelled) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self.busy = False
                    return
                job = self._jobs.popleft()
            self._do(job, cancelled)

    def _do(self, job: Job, cancelled: Cancelled) -> None:
        try:
            steps = job(cancelled)
            for _ in steps if isinstance(steps, GeneratorType) else ():
                self._let_look(cancelled)
        except Exception as error:  # noqa: BLE001 - the jobs that follow are done all the same
            self._failed(error)

    def _let_look(self, cancelled: Cancelled) -> None:
        with self._lock:
            waits = self._look in self._jobs
            if waits:
                self._jobs.remove(self._look)
        if waits:
            self._do(self._look, cancelled)


class Waiter:
    """Calls `then` once as many looks have ended as are `left`. Guarded by the lock of `Tracking`."""

    def __init__(self, then: Callable[[], object]) -> None:
        self.then = then
        self.left = 1


class Root:
    """A folder as windows call it, and the `rules` in it. Guarded by the lock of `Tracking`."""

    def __init__(self, name: str, rules: Rules = NO_RULES) -> None:
        self.name = name
        self.rules = rules
        self.real = ""
        """Its real path, once that is known."""
        self.windows: Dict[int, bool] = {}
        """The windows that have it, and whether each tracks it."""
        self.is_sought = False
        """Whether a disk thread is finding out the real path."""
        self.waiting: List[Waiter] = []
        """Meanwhile, the waiters for a look."""
        self.has_begun = False
        """Whether the first look has ended since it is tracked."""
        self.early = 0
        """Until then, since when an agent may have written, as `Moment` has it."""

    @property
    def tracked(self) -> bool:
        """Whether a window tracks it."""
        return any(self.windows.values())

    def note_early(self) -> None:
        """From now on an agent may write, whether the first look has ended or not."""
        if not self.has_begun:
            self.early = self.early or time.time_ns()


class Surroundings(NamedTuple):
    """What all folders share. `storage` is the folder of the package's own files; `moment` is now, in the windows that
    have one of some roots, by name; `folders` are the real paths of all folders."""

    store: Store
    storage: str
    saves: Saves
    moment: Callable[[Collection[str]], Moment]
    folders: Callable[[], List[str]]


class Folder:
    """A real folder. The lock of `Tracking` guards `roots`, `lists` and `waiting`; the rest is the queue's."""

    def __init__(self, path: str, surroundings: Surroundings, queue: Callable[[Folder], Queue]) -> None:
        self.path = path
        self.queue = queue(self)
        self.roots: Dict[str, Root] = {}
        """By name."""
        self.lists = Lists()
        self.waiting: List[Waiter] = []
        """The waiters for a look that has not begun yet."""
        self.workspace: Optional[Workspace] = None
        """What is known of it, if anything is. Any thread may read what never changes."""
        self._listing: Optional[Listing] = None
        self._rules: Tuple[Rules, ...] = ()
        self._surroundings = surroundings

    def visit(self, roots: Sequence[Root], tracked: bool, cancelled: Cancelled) -> bool:
        """Look at the folder, which has these roots now. Whether that was the first look.

        Errors are logged: the next look may do better.
        """
        if roots:
            self._provide(roots, tracked)
        workspace = self.workspace
        if workspace is None:
            return False
        is_first = tracked and not workspace.tracked
        try:
            if is_first:
                workspace.begin(cancelled)
            elif workspace.tracked and not tracked:
                workspace.end(cancelled)
            elif roots:
                workspace.look(cancelled)
        except (GitError, OSError) as error:
            logger.info("a folder cannot be looked at: %s", error)
        is_needed = tracked or workspace.tracked or workspace.model.rows or workspace.last_undone.groups
        if not roots or not is_needed:
            self.workspace = self._listing = None
        return is_first

    def repositories(self) -> Iterator[str]:
        """The real paths of the repositories in it."""
        for name in self.workspace.files.entries.repositories if self.workspace is not None else ():
            path = full_path(self.path, name)
            if os.path.realpath(path) == path and os.path.isdir(path):
                yield path

    def list(self, fallback_encoding: str = DEFAULT_FALLBACK) -> Lists:
        """What is unreviewed in it; `fallback_encoding` as in `Listing.lists`."""
        return self._listing.lists(fallback_encoding) if self._listing is not None else Lists()

    def _provide(self, roots: Sequence[Root], tracked: bool) -> None:
        """Load the workspace; if nobody tracks the folder, only if there is something in it.

        Where a repository has come or gone it is made anew, of what the store has.
        """
        rules = tuple(root.rules for root in roots)
        if self.workspace is not None and self.workspace.git == git_of(self.path):
            if rules != self._rules:
                self.workspace.use(_joined_rules(roots))
            self._rules = rules
            return
        self.workspace = self._listing = None
        store, storage, saves, moment, _ = self._surroundings
        try:
            if not tracked and not has_record(store, self.path):
                return
            workspace = Workspace(self.path, store, self._repository(), lambda: moment(list(self.roots)), saves)
            finish(workspace, storage)
            workspace.use(_joined_rules(roots))  # before a save can reach it
        except OSError as error:
            logger.info("what is known of a folder cannot be read: %s", error)
            return  # it is not begun anew meanwhile
        self.workspace, self._listing, self._rules = workspace, Listing(workspace), rules

    def _repository(self) -> Optional[Repository]:
        platform = Platform.current()
        program = find_git(platform, [self.path, *self._surroundings.folders()])
        if program is None:
            return None
        try:
            return Repository(program, self.path, platform.environment)
        except GitError as error:
            logger.debug("no repository: %s", error)
            return None


def _joined_rules(roots: Sequence[Root]) -> Rules:
    """The rules of all roots, each by the real path of a file and by the path that the window has for it."""
    known = [(root.rules, root.name, os.path.join(root.real, "")) for root in roots]

    def named(path: str) -> Iterator[Tuple[Rules, str]]:
        for rules, name, real in known:
            yield rules, path
            yield rules, os.path.join(name, path[len(real) :])

    return Rules(
        lambda path: any(rules.excluded(name) for rules, name in named(path)),
        lambda path, is_folder: any(rules.left_out(name, is_folder) for rules, name in named(path)),
        "\n".join(sorted({rules.patterns for rules, _, _ in known})),
    )
