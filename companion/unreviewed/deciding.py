"""What the user decides of one window's unreviewed changes, carried out where the files are.

Rule: a decision is about what was shown. Where a file is another one by now, it is refused.

Main thread: `then` gets there what was refused, once the lists are up to date.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, List, Optional, Sequence, Set

import sublime

from ..common.clock import clock
from ..comparison import Hunk
from ..editor.file_views import unsaved_files
from ..editor.quick_panel import PanelEntry, choose
from ..editor.status_bar import say
from ..review.document.disk import Original
from .model import NOTHING, UnreviewedChange, full_path
from .texts import TextPair, file_count, text_pair
from .tracking import Tracking
from .undoing import DECIDED_SINCE, Progress, Refusal, restore, undo
from .workspace import Workspace
from .workspaces import Workspaces

LATER = PanelEntry("Decide later", lambda: None)
PROGRESS_SECONDS = 0.3
MANY_FILES = 100
OUTSIDE = "changed outside of an agent's steps"
EARLIER = "{} with earlier changes left to be decided"
LEFT = "{} left to be decided one by one: {}"
PERHAPS_YOURS, IGNORED_NOW = "perhaps your own", "ignored by now"
ANOTHER = "{} has changed again: look, then decide."

Told = Callable[[List[Refusal]], None]
"""Gets those that were left as they are, and why."""


def left_words(perhaps: int, ignored: int) -> str:
    """Say how many files Keep All and Undo All leave to be decided, and why; empty if there are none."""
    why = [PERHAPS_YOURS] if perhaps else []
    why += [IGNORED_NOW] if ignored else []
    return LEFT.format(file_count(perhaps + ignored), ", or ".join(why)) if why else ""


class ChangeDecisions:
    """Those of one window. Where there is no `then`, the status bar says what was done."""

    def __init__(self, window: sublime.Window, tracking: Tracking) -> None:
        self._window = window
        self._tracking = tracking

    def read(
        self, change: UnreviewedChange, decoded: Callable[[bytes], Original], then: Callable[[TextPair], None]
    ) -> None:
        """The texts of a change; `decoded` says what the review would show of a file with such bytes."""

        def find(workspaces: Workspaces) -> TextPair:
            workspace = workspaces.of(change.folder)
            both = (change.before, change.now)
            return text_pair(change, [workspace.data(each) if workspace else None for each in both], decoded)

        self._tracking.carry_out(find, then)

    def keep(
        self,
        changes: Sequence[UnreviewedChange],
        then: Optional[Told] = None,
        hunks: Sequence[Hunk] = (),
        left: str = "",
    ) -> None:
        """Keep these changes as they are shown; with `hunks`, only these of the one change, in lines as
        `texts.lines_of` counts. `left` says which others were left, for the status bar."""

        def do(workspaces: Workspaces) -> List[Refusal]:
            where = [_kept(workspaces, change, hunks) for change in changes]
            for workspace in set().union(*where):
                workspace.write_down()
            return [_another(change) for change, kept in zip(changes, where) if not kept]

        self._tracking.carry_out(do, then or self._say("kept", changes, left))

    def undo(
        self,
        changes: Sequence[UnreviewedChange],
        then: Optional[Told] = None,
        hunks: Sequence[Hunk] = (),
        left: str = "",
    ) -> None:
        """Take these changes back, as far as the files are as shown; with `hunks`, only these of the one change. `left`
        says which others were left, for the status bar."""
        progress, storage = _Said(self._window, self._tracking, "undoing", len(changes)), self._tracking.storage()

        def do(workspaces: Workspaces) -> List[Refusal]:
            refused: List[Refusal] = []
            when = workspaces.next_undo()
            for folder in dict.fromkeys(change.folder for change in changes):
                workspace = workspaces.of(folder)
                some = [each for each in changes if each.folder == folder]
                if workspace is None:
                    refused += map(_another, some)
                else:
                    refused += undo(workspace, some, progress, storage, when, hunks)
            return refused

        self._tracking.carry_out(do, then or self._say("undid", changes, left))
        self._tracking.sign()  # in another folder around it the file is listed, too

    def restore(self) -> None:
        """Bring back what the last undo has taken."""
        progress, storage = _Said(self._window, self._tracking, "restoring"), self._tracking.storage()
        roots = self._tracking.roots(self._window.id())

        def do(workspaces: Workspaces) -> List[Refusal]:
            undone = workspaces.last_undone(roots)
            return [each for workspace in undone for each in restore(workspace, progress, storage)]

        def restored(refused: List[Refusal]) -> None:
            if progress.count:
                self._say_count("restored", progress.count)(refused)
            else:
                say(self._window, "there is no undone change to restore")

        self._tracking.carry_out(do, restored)
        self._tracking.sign()

    def take_back(self, change: UnreviewedChange, kept: bool, then: Told) -> None:
        """Take back the last decision, by which this change, or a part of it, was `kept` or undone."""
        progress, storage = _Said(self._window, self._tracking, "restoring"), self._tracking.storage()

        def do(workspaces: Workspaces) -> List[Refusal]:
            workspace = workspaces.of(change.folder)
            if kept:
                return _kept_no_more(workspaces, change)
            return [_another(change)] if workspace is None else restore(workspace, progress, storage, change)

        self._tracking.carry_out(do, then)
        self._tracking.sign()

    def ask(self, change: UnreviewedChange) -> None:
        """Let the user decide a change that is no text."""
        entries = [
            PanelEntry("Keep", partial(self.keep, [change])),
            PanelEntry("Undo", partial(self.undo, [change])),
            LATER,
        ]
        if change.obstacle:
            del entries[1]
        choose(self._window, entries, change.obstacle or f"{change.path} cannot be shown as text.")

    def _say(self, did: str, changes: Sequence[UnreviewedChange], left: str) -> Told:
        earlier = sum(change.since_save for change in changes)
        return self._say_count(did, len(changes), EARLIER.format(file_count(earlier)) if earlier else "", left)

    def _say_count(self, did: str, count: int, earlier: str = "", left: str = "") -> Told:
        def told(refused: Sequence[Refusal]) -> None:
            said = [f"{did} {file_count(count - len(refused))}", earlier]
            said += [left]
            said += [f"{file_count(len(refused))} left as before: {refused[0].sentence}" if refused else ""]
            say(self._window, "; ".join(filter(None, said)))

        return told


class _Said(Progress):
    """Said in the status bar of a window as it goes on."""

    def __init__(self, window: sublime.Window, tracking: Tracking, doing: str, count: int = 0) -> None:
        super().__init__(unsaved_files(), count)
        self._window = window
        self._tracking = tracking
        self._doing = doing
        self._told_at = clock.now()
        if count > MANY_FILES:
            self._say(0)  # the first of them may take a while

    def went_on(self) -> None:
        super().went_on()
        if clock.now() - self._told_at >= PROGRESS_SECONDS:
            self._told_at = clock.now()
            self._tracking.on_main(self._say, self.done)

    def _say(self, done: int) -> None:
        self.unsaved = unsaved_files()
        say(self._window, f"{self._doing} {done:,} of {file_count(self.count)}")


def _another(change: UnreviewedChange) -> Refusal:
    return Refusal(change.full_path, ANOTHER.format(os.path.basename(change.path)))


def _kept_no_more(workspaces: Workspaces, change: UnreviewedChange) -> List[Refusal]:
    """Wherever it is known that it was kept."""
    found = [workspace for workspace, name in workspaces.holding(change.full_path) if workspace.keep_no_more(name)]
    for workspace in found:
        workspace.write_down()
    return [] if found else [Refusal(change.full_path, DECIDED_SINCE.format(os.path.basename(change.path)))]


def _kept(workspaces: Workspaces, change: UnreviewedChange, hunks: Sequence[Hunk]) -> Set[Workspace]:
    """Keep it wherever it is listed, which is the result: the folder may lie in another that a window has."""
    before = NOTHING if change.old_path else change.before
    found = workspaces.holding(change.full_path)
    kept = {workspace for workspace, name in found if workspace.keep(name, before, change.now, hunks)}
    if change.old_path and kept:
        for workspace, name in workspaces.holding(full_path(change.folder, change.old_path)):
            workspace.keep(name, change.before, NOTHING)
            kept.add(workspace)
    return kept
