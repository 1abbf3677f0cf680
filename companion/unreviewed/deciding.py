"""What the user decides of unreviewed changes, carried out where the files are.

Rule: a decision is about what was shown. Where a file is another one by now, it is refused.

Main thread; `then` is called there, with the lists up to date.
"""

from __future__ import annotations

import os
import time
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from ..comparison import Hunk
from ..editor.file_views import unsaved_files
from .contents import NOTHING, full_path
from .listing import ListedChange
from .tracking import Tracking
from .undoing import Refusal, restore, undo, undo_hunks
from .workspaces import Workspaces


class Texts(NamedTuple):
    """The bytes of both sides of a change: None where nobody knows them, empty where there is no file."""

    before: Optional[bytes]
    now: Optional[bytes]


def read_texts(tracking: Tracking, change: ListedChange, then: Callable[[Texts], None]) -> None:
    """The bytes of both sides of a change."""

    def find(there: Workspaces) -> Texts:
        workspace = there.of(change.folder)
        if workspace is None:
            return Texts(None, None)
        return Texts(workspace.data(change.before), workspace.data(change.now))

    tracking.carry_out(find, then)


def keep_changes(tracking: Tracking, changes: Sequence[ListedChange], then: Callable[[int], None]) -> None:
    """Keep these changes as they are shown. `then` gets how many of them are others by now, and stay."""
    tracking.carry_out(lambda there: sum(not _kept(there, change) for change in changes), then)


def keep_hunks(tracking: Tracking, change: ListedChange, hunks: Sequence[Hunk], then: Callable[[bool], None]) -> None:
    """Keep some hunks of a change, in lines as `merging.lines_of` counts. `then`: whether they are kept."""
    tracking.carry_out(lambda there: _kept(there, change, hunks), then)


def undo_changes(
    tracking: Tracking,
    changes: Sequence[ListedChange],
    then: Callable[[List[Refusal]], None],
    hunks: Sequence[Hunk] = (),
) -> None:
    """Take these changes back, as far as the files are as shown; `then` gets those that were left, and why.

    With `hunks`, only these of the one change.
    """
    unsaved, storage, when = unsaved_files(), tracking.storage(), time.time()

    def do(there: Workspaces) -> List[Refusal]:
        refused: List[Refusal] = []
        for folder in dict.fromkeys(change.folder for change in changes):
            workspace = there.of(folder)
            some = [each for each in changes if each.folder == folder]
            if workspace is None:
                refused += [Refusal(one.full_path, f"{os.path.basename(one.path)} is not looked at.") for one in some]
            elif hunks:
                refused += undo_hunks(workspace, some[0], hunks, unsaved, storage, when)
            else:
                refused += undo(workspace, some, unsaved, storage, when)
        return refused

    tracking.carry_out(do, then)


def restore_undone(tracking: Tracking, window: int, then: Callable[[int, List[Refusal]], None]) -> None:
    """Bring back what the last undo in the window's folders took; `then` gets how many files, and those left."""
    unsaved, storage, roots = unsaved_files(), tracking.storage(), tracking.roots(window)

    def do(there: Workspaces) -> Tuple[int, List[Refusal]]:
        count, refused = 0, []
        for workspace in there.last_undone(roots):
            count += len(workspace.last_undone())
            refused += restore(workspace, unsaved, storage)
        return count - len(refused), refused

    tracking.carry_out(do, lambda answer: then(*answer))


def _kept(there: Workspaces, change: ListedChange, hunks: Sequence[Hunk] = ()) -> bool:
    """Keep it wherever it is listed: the folder may lie in another that a window has."""
    before = NOTHING if change.old_path else change.before
    kept = [workspace.keep(name, before, change.now, hunks) for workspace, name in there.holding(change.full_path)]
    if change.old_path and any(kept):
        for workspace, name in there.holding(full_path(change.folder, change.old_path)):
            workspace.keep(name, change.before, NOTHING)
    return any(kept)
