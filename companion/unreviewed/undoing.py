"""Takes changes back, and brings back what was taken back last.

Rule: a file is touched only while it holds byte for byte what was shown. What it held is on the disk before. A rename
is taken back as a whole, or not at all. A file with unsaved edits in a tab is left to the tab.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import os
from typing import Collection, List, NamedTuple, Optional, Sequence, Tuple

from ..comparison import Hunk
from ..review.document.disk import DiskError, same_files
from .contents import NOTHING, Content, full_path, identity
from .exchanging import State, exchange
from .listing import ListedChange
from .merging import without_hunks
from .record import Undone
from .workspace import Workspace

UNSAVED = "{} has unsaved edits in a tab."


class Refusal(NamedTuple):
    """A file that was left as it is, by its absolute path, and a sentence why."""

    path: str
    sentence: str
    unsaved: bool = False


class _Step(NamedTuple):
    path: str
    held: Content
    wanted: Content


def undo(
    workspace: Workspace, changes: Sequence[ListedChange], unsaved: Collection[str], storage: str, when: float
) -> List[Refusal]:
    """Take these changes of the workspace back. `unsaved` are the files of tabs with unsaved edits. `when` is the same
    for all that is brought back together, in seconds of the wall clock.
    """
    return _do(workspace, [_steps(change) for change in changes], unsaved, storage, when)


def undo_hunks(
    workspace: Workspace,
    change: ListedChange,
    hunks: Sequence[Hunk],
    unsaved: Collection[str],
    storage: str,
    when: float,
) -> List[Refusal]:
    """Take back some of the hunks between the two texts of a change; it as a whole if these are all."""
    old, new = workspace.data(change.before), workspace.data(change.now)
    if old is None or new is None:
        return [Refusal(change.full_path, change.obstacle or _unknown(change.path))]
    data = without_hunks(old, new, hunks)
    if data == old:
        return _do(workspace, [_steps(change)], unsaved, storage, when)
    left = Content(identity(data, change.now.identity), change.now.mode, len(data))
    if not workspace.hold(left, data):
        return [Refusal(change.full_path, _unknown(change.path))]
    return _do(workspace, [[_Step(change.path, change.now, left)]], unsaved, storage, when)


def restore(workspace: Workspace, unsaved: Collection[str], storage: str) -> List[Refusal]:
    """Bring back what the last undo has taken, where nobody has touched the file since."""
    undone = workspace.last_undone()
    refused: List[Refusal] = []
    restored: List[Undone] = []
    for each in reversed(undone):
        step = _Step(each.path, each.left, each.then)
        problem = _problem(workspace, [step], unsaved)
        try:
            if problem is None:
                exchange(workspace.folder, each.path, *_states(workspace, step), storage, trash=False)
        except DiskError as error:
            problem = Refusal(full_path(workspace.folder, each.path), str(error))
        if problem is None:
            restored.append(each)
        else:
            refused.append(problem)
    workspace.restored(restored[::-1], [each for each in undone if each not in restored])
    workspace.look_at([each.path for each in undone])
    return refused


def _steps(change: ListedChange) -> List[_Step]:
    if change.old_path:
        return [_Step(change.old_path, NOTHING, change.before), _Step(change.path, change.now, NOTHING)]
    return [_Step(change.path, change.now, change.before)]


def _do(
    workspace: Workspace, groups: Sequence[Sequence[_Step]], unsaved: Collection[str], storage: str, when: float
) -> List[Refusal]:
    refused: List[Refusal] = []
    ready: List[Sequence[_Step]] = []
    for group in groups:
        problem = _problem(workspace, group, unsaved)
        if problem is None:
            ready.append(group)
        else:
            refused.append(problem)
    if not ready:
        return refused
    former = workspace.last_undone()
    try:
        workspace.undoing([Undone(*step) for group in ready for step in group], when)
    except OSError as error:
        sentence = f"Nothing was undone, because it cannot be kept: {error.strerror or error}."
        return refused + [Refusal(full_path(workspace.folder, group[-1].path), sentence) for group in ready]
    done: List[Undone] = []
    for group in ready:
        try:
            _exchange_all(workspace, group, storage)
            done += [Undone(*step) for step in group]
        except DiskError as error:
            refused.append(Refusal(full_path(workspace.folder, group[-1].path), str(error)))
    workspace.undone(done or former, done)
    workspace.look_at([step.path for group in ready for step in group])
    return refused


def _exchange_all(workspace: Workspace, group: Sequence[_Step], storage: str) -> None:
    """All of it or nothing. Raises `DiskError`."""
    for number, step in enumerate(group):
        try:
            exchange(workspace.folder, step.path, *_states(workspace, step), storage)
        except DiskError:
            for former in reversed(group[:number]):
                held, wanted = _states(workspace, former)
                exchange(workspace.folder, former.path, wanted, held, storage, trash=False)
            raise


def _problem(workspace: Workspace, group: Sequence[_Step], unsaved: Collection[str]) -> Optional[Refusal]:
    for step in group:
        full = full_path(workspace.folder, step.path)
        if not workspace.is_there():
            return Refusal(full, f"{os.path.basename(full)} is left as it is: its folder is another one by now.")
        if workspace.is_git_at_work():
            return Refusal(full, f"{os.path.basename(full)} is left as it is: git is changing files just now.")
        if same_files(full, list(unsaved)):
            return Refusal(full, UNSAVED.format(os.path.basename(full)), unsaved=True)
        if any(each.there and workspace.data(each) is None for each in (step.held, step.wanted)):
            return Refusal(full, _unknown(step.path))
    return None


def _states(workspace: Workspace, step: _Step) -> Tuple[State, State]:
    held, wanted = (
        State(workspace.data(content) if content.there else None, content.mode) for content in (step.held, step.wanted)
    )
    return held, wanted


def _unknown(path: str) -> str:
    return f"{path.rpartition('/')[2]} cannot be undone: what it held is not kept."
