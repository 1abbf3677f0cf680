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
from .merging import without_hunks
from .model import Change
from .record import Step
from .workspace import Workspace

UNSAVED = "{} has unsaved edits in a tab."


class Refusal(NamedTuple):
    """A file that was left as it is, by its absolute path, and a sentence why."""

    path: str
    sentence: str
    unsaved: bool = False


def undo(
    workspace: Workspace,
    changes: Sequence[Change],
    unsaved: Collection[str],
    storage: str,
    when: float,
    hunks: Sequence[Hunk] = (),
) -> List[Refusal]:
    """Take these changes of the workspace back, or some of the hunks between the two texts of the only one.

    `unsaved` are the files of tabs with unsaved edits. `when` is the same for all that is brought back together, in
    seconds of the wall clock.
    """
    groups = [_steps(change) for change in changes]
    if hunks:
        (change,) = changes
        left = _without(workspace, change, hunks)
        if left is None:
            return [Refusal(change.full_path, change.obstacle or _unknown(change.path))]
        groups = [[Step(change.path, change.now, left)]]
    ready, refused = _ready(workspace, groups, unsaved)
    if not ready:
        return refused
    former = workspace.last_undone()
    try:
        workspace.undoing([step for group in ready for step in group], when)
    except OSError as error:
        sentence = f"Nothing was undone, because it cannot be kept: {error.strerror or error}."
        return refused + [Refusal(full_path(workspace.folder, group[-1].path), sentence) for group in ready]
    done, failed = _exchanged(workspace, ready, storage)
    workspace.undone(done or former, done)
    workspace.look_at([step.path for group in ready for step in group])
    return refused + failed


def restore(workspace: Workspace, unsaved: Collection[str], storage: str) -> List[Refusal]:
    """Bring back what the last undo has taken, where nobody has touched the file since."""
    undone = workspace.last_undone()
    ready, refused = _ready(workspace, [[_back(step)] for step in reversed(undone)], unsaved)
    done, failed = _exchanged(workspace, ready, storage)
    restored = [step for step in undone if _back(step) in done]
    workspace.restored(restored, [step for step in undone if step not in restored])
    workspace.look_at([step.path for step in undone])
    return refused + failed


def _steps(change: Change) -> List[Step]:
    if change.old_path:
        return [Step(change.old_path, NOTHING, change.before), Step(change.path, change.now, NOTHING)]
    return [Step(change.path, change.now, change.before)]


def _back(step: Step) -> Step:
    return Step(step.path, step.wanted, step.held)


def _without(workspace: Workspace, change: Change, hunks: Sequence[Hunk]) -> Optional[Content]:
    """What a file holds once these hunks are taken back; None if nobody knows."""
    old, new = workspace.data(change.before), workspace.data(change.now)
    if old is None or new is None:
        return None
    data = without_hunks(old, new, hunks)
    if data == old:
        return change.before
    left = Content(identity(data, change.now.identity), change.now.mode, len(data))
    return left if workspace.hold(left, data) else None


def _ready(
    workspace: Workspace, groups: Sequence[List[Step]], unsaved: Collection[str]
) -> Tuple[List[List[Step]], List[Refusal]]:
    """Those of the groups, each of which is done as a whole, that nothing speaks against."""
    ready: List[List[Step]] = []
    refused: List[Refusal] = []
    for group in groups:
        problem = _problem(workspace, group, unsaved)
        if problem is None:
            ready.append(group)
        else:
            refused.append(problem)
    return ready, refused


def _exchanged(workspace: Workspace, groups: Sequence[List[Step]], storage: str) -> Tuple[List[Step], List[Refusal]]:
    """What was done, and what was not."""
    done: List[Step] = []
    refused: List[Refusal] = []
    for group in groups:
        try:
            _exchange_all(workspace, group, storage)
            done += group
        except DiskError as error:
            refused.append(Refusal(full_path(workspace.folder, group[-1].path), str(error)))
    return done, refused


def _exchange_all(workspace: Workspace, group: Sequence[Step], storage: str) -> None:
    """All of it or nothing. Raises `DiskError`."""
    for number, step in enumerate(group):
        try:
            exchange(workspace.folder, step.path, *_states(workspace, step), storage)
        except DiskError:
            for former in map(_back, reversed(group[:number])):
                exchange(workspace.folder, former.path, *_states(workspace, former), storage)
            raise


def _problem(workspace: Workspace, group: Sequence[Step], unsaved: Collection[str]) -> Optional[Refusal]:
    for step in group:
        full = full_path(workspace.folder, step.path)
        if not workspace.is_there():
            return Refusal(full, f"{os.path.basename(full)} is left as it is: its folder is another one by now.")
        if workspace.is_git_at_work():
            return Refusal(full, f"{os.path.basename(full)} is left as it is: git is changing files just now.")
        if same_files(full, list(unsaved)):
            return Refusal(full, UNSAVED.format(os.path.basename(full)), unsaved=True)
        if any(workspace.data(each) is None for each in (step.held, step.wanted)):
            return Refusal(full, _unknown(step.path))
    return None


def _states(workspace: Workspace, step: Step) -> Tuple[State, State]:
    held, wanted = (
        State(workspace.data(content) if content.there else None, content.mode) for content in (step.held, step.wanted)
    )
    return held, wanted


def _unknown(path: str) -> str:
    return f"{path.rpartition('/')[2]} cannot be undone: what it held is not kept."
