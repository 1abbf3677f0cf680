"""Takes changes back, and brings back what was taken back last.

Rule: a file is touched only while it holds byte for byte what was shown. What it held is on the disk before. A rename
is taken back as a whole, or not at all. A file with unsaved edits in a tab is left to the tab.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Collection, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..common.workers import together
from ..comparison import Hunk
from ..review.document.disk import DiskError, same_files
from .contents import NOTHING, UNKNOWN, Content, full_path
from .exchanging import State, exchange
from .merging import without_hunks
from .model import Change
from .record import Group, Step, Undone
from .workspace import Workspace

UNSAVED = "{} has unsaved edits in a tab."


class Refusal(NamedTuple):
    """A file that was left as it is, by its absolute path, and a sentence why."""

    path: str
    sentence: str
    unsaved: bool = False


class Progress:
    """How far an undo is: how many changes of how many it has dealt with.

    `unsaved` are the files of tabs with unsaved edits; they may become others meanwhile.
    """

    def __init__(self, unsaved: Collection[str] = (), count: int = 0) -> None:
        self.unsaved = unsaved
        self.count = count
        self.done = 0

    def went_on(self) -> None:
        """One more."""
        self.done += 1


def undo(
    workspace: Workspace,
    changes: Sequence[Change],
    progress: Progress,
    storage: str,
    when: float,
    hunks: Sequence[Hunk] = (),
) -> List[Refusal]:
    """Take these changes of the workspace back, or some of the hunks between the two texts of the only one.

    `when` is the same for all that is brought back together, in seconds of the wall clock.
    """
    groups = {_group(change): change for change in changes}
    if hunks:
        (change,) = changes
        groups = {(Step(change.path, change.now, _without(workspace, change, hunks)),): change}
    with workspace.only_undo:
        former = workspace.last_undone
        try:
            ready = workspace.undoing(groups, when)
        except OSError as error:
            sentence = f"Nothing was undone, because it cannot be kept: {error.strerror or error}."
            return [Refusal(change.full_path, sentence) for change in changes]
        done, refused = _exchanged(workspace, ready, storage, progress)
        if ready:
            workspace.undone(Undone(tuple(done), when) if done else former, done)
            workspace.look_at([step.path for group in ready for step in group])
    unknown = [change for group, change in groups.items() if group not in ready]
    return [Refusal(each.full_path, each.obstacle or _unknown(each.path)) for each in unknown] + refused


def restore(workspace: Workspace, progress: Progress, storage: str) -> List[Refusal]:
    """Bring back what the last undo has taken, where nobody has touched the file since."""
    with workspace.only_undo:
        undone = workspace.last_undone
        progress.count += len(undone.groups)
        backwards = {_backwards(group): group for group in reversed(undone.groups)}
        done, refused = _exchanged(workspace, backwards, storage, progress)
        restored = {backwards[group] for group in done}
        left = tuple(group for group in undone.groups if group not in restored)
        workspace.restored([group for group in backwards.values() if group in restored], Undone(left, undone.when))
        workspace.look_at([step.path for group in undone.groups for step in group])
    return refused


def _group(change: Change) -> Group:
    if change.old_path:
        return Step(change.old_path, NOTHING, change.before), Step(change.path, change.now, NOTHING)
    return (Step(change.path, change.now, change.before),)


def _backwards(group: Group) -> Group:
    return tuple(Step(step.path, step.wanted, step.held) for step in reversed(group))


def _without(workspace: Workspace, change: Change, hunks: Sequence[Hunk]) -> Content:
    """What a file holds once these hunks are taken back."""
    old, new = workspace.all_data([change.before, change.now])
    if old is None or new is None:
        return UNKNOWN
    data = without_hunks(old, new, hunks)
    return change.before if data == old else workspace.content(data, change.now)


def _exchanged(
    workspace: Workspace, groups: Collection[Group], storage: str, progress: Progress
) -> Tuple[List[Group], List[Refusal]]:
    """What was done, each group as a whole, and what was not.

    What takes a file away comes first, then renames: what comes back may have been in its place, or in its folder's.
    """
    problems: Dict[Group, Optional[Refusal]] = {}
    for length, comes in ((1, False), (2, False), (1, True)):
        some = [group for group in groups if (len(group), group[-1].wanted.there) == (length, comes)]
        for group, problem in together(partial(_attempt, workspace, storage, progress), some):
            problems[group] = problem
            progress.went_on()
    done = [group for group in groups if problems[group] is None]
    return done, [problem for problem in map(problems.get, groups) if problem is not None]


def _attempt(workspace: Workspace, storage: str, progress: Progress, group: Group) -> Optional[Refusal]:
    """Do all of it, or nothing: then the result says why."""
    problem = _problem(workspace, group, progress.unsaved)
    if problem is None:
        try:
            _exchange_all(workspace, group, storage)
        except DiskError as error:
            return Refusal(full_path(workspace.folder, group[-1].path), str(error))
    return problem


def _exchange_all(workspace: Workspace, group: Group, storage: str) -> None:
    """All of it or nothing. Raises `DiskError`."""

    def do(step: Step) -> None:
        held, wanted = (_state(workspace, step.path, each) for each in (step.held, step.wanted))
        exchange(workspace.folder, step.path, held, wanted, storage)

    for number, step in enumerate(group):
        try:
            do(step)
        except DiskError:
            for former in _backwards(group[:number]):
                do(former)
            raise


def _problem(workspace: Workspace, group: Group, unsaved: Collection[str]) -> Optional[Refusal]:
    for step in group:
        full = full_path(workspace.folder, step.path)
        if not workspace.is_there():
            return Refusal(full, f"{os.path.basename(full)} is left as it is: its folder is another one by now.")
        if workspace.is_git_at_work():
            return Refusal(full, f"{os.path.basename(full)} is left as it is: git is changing files just now.")
        if same_files(full, list(unsaved)):
            return Refusal(full, UNSAVED.format(os.path.basename(full)), unsaved=True)
    return None


def _state(workspace: Workspace, path: str, content: Content) -> State:
    """Raises `DiskError` if nobody knows what is or was in the file."""
    data = workspace.data(content)
    if data is None:
        raise DiskError(_unknown(path))
    return State(data if content.there else None, content.mode)


def _unknown(path: str) -> str:
    return f"{path.rpartition('/')[2]} cannot be undone: what it held is not kept."
