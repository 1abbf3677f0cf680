"""What the user decides of one window's unreviewed changes, carried out where the files are.

Rule: a decision is about what was shown. Where a file is another one by now, it is refused.

Main thread: `then` gets there what was refused, once the lists are up to date.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence

import sublime

from ..common.clock import clock
from ..comparison import Hunk
from ..editor.edits import set_text
from ..editor.file_views import unsaved_files, views_of_file
from ..editor.quick_panel import PanelEntry, choose
from ..editor.status_bar import say
from ..review.document.disk import Original
from .content import NOTHING, full_path
from .model import ChangeKind, UnreviewedChange
from .texts import TextPair, file_count, taken_back, text_pair, without_hunks
from .tracking import Answers, Tracking
from .undoing import DECIDED_SINCE, Progress, Refusal, restore, undo
from .workspace import Workspace

LATER = PanelEntry("Decide later", lambda: None)
PROGRESS_SECONDS = 0.3
MANY_FILES = 100
EARLIER = "{} with earlier changes left to be decided"
LEFT = "{} left to be decided one by one: {}"
PERHAPS_YOURS, IGNORED_NOW = "perhaps your own", "ignored by now"
ANOTHER = "{} has changed again: look, then decide."
WHOLE_ONLY = "{} can only be kept or undone as a whole."

Told = Callable[[List[Refusal]], None]
"""Gets those that were left as they are, and why."""
Undone = Callable[[Sequence[UnreviewedChange], Sequence[Hunk], Sequence[str]], None]
"""Gets changes; which hunks of the one change, if not all of it is meant; and the lines that it had then."""


def left_words(perhaps: int, ignored: int) -> str:
    """Say how many files Keep All and Undo All leave to be decided, and why; empty if there are none."""
    why = [PERHAPS_YOURS] if perhaps else []
    why += [IGNORED_NOW] if ignored else []
    return LEFT.format(file_count(perhaps + ignored), ", or ".join(why)) if why else ""


class ChangeDecisions:
    """Those of one window. Where there is no `then`, the status bar says what was done."""

    def __init__(
        self, window: sublime.Window, tracking: Tracking, undone: Undone, restored: Callable[[], None]
    ) -> None:
        """`undone` gets what was undone, and `restored` is called once the last undo was taken back."""
        self._window = window
        self._tracking = tracking
        self._undone = undone
        self._restored = restored

    def read(
        self, change: UnreviewedChange, decoded: Callable[[bytes], Original], then: Callable[[TextPair], None]
    ) -> None:
        """Read the texts of a change; `decoded` says what the review would show of a file with such bytes."""

        def find() -> TextPair:
            workspace, both = self._tracking.workspace_of(change.folder), (change.before, change.now)
            return text_pair(change, workspace.all_data(both) if workspace else [None, None], decoded)

        self._tracking.use_disk(find, then)

    def decide(
        self,
        change: UnreviewedChange,
        texts: TextPair,
        keep: bool,
        hunks: Sequence[Hunk],
        then: Told,
        same_files: FrozenSet[str] = frozenset(),
    ) -> None:
        """Keep or undo the change that is shown as `texts`, or only these hunks between them. A file that is new, or
        has gone, is one hunk. What a tab has unsaved edits of is undone in the tab, and `then` says so; `same_files`
        are further names by which tabs call the file."""
        hunks = hunks if change.kind is ChangeKind.CHANGED else ()

        def undone(refused: List[Refusal]) -> None:
            if refused and refused[0].unsaved:
                refused = [refused[0]._replace(sentence=_undo_in_tab(change, texts, hunks, same_files))]
            then(refused)

        if keep:
            self.keep([change], then, hunks)
        else:
            shown = texts.right.shown if texts.right is not None else ""
            self.undo([change], undone, hunks, lines=shown.split("\n") if hunks else ())

    def keep(
        self,
        changes: Sequence[UnreviewedChange],
        then: Optional[Told] = None,
        hunks: Sequence[Hunk] = (),
        left: str = "",
    ) -> None:
        """Keep these changes as they are shown; with `hunks`, only these of the one change, in lines as
        `texts.lines_of` counts. `left` says which others were left, for the status bar."""
        wanted: Dict[str, Dict[UnreviewedChange, List[str]]] = {}  # by folder, with the path there, and the old one
        for change in changes:  # wherever it is listed: the folder may lie in another that a window has
            for which, path in enumerate((change.path, change.old_path)):
                for workspace, name in self._tracking.holding(full_path(change.folder, path)) if path else ():
                    wanted.setdefault(workspace.folder, {}).setdefault(change, ["", ""])[which] = name

        def kept(answers: Answers) -> None:
            found = {change for answer in answers.values() for change in answer or ()}
            told([_another(change) for change in changes if change not in found])

        told = then or self._say("kept", changes, left)
        self._tracking.carry_out({folder: partial(_keep, some, hunks) for folder, some in wanted.items()}, kept)

    def undo(
        self,
        changes: Sequence[UnreviewedChange],
        then: Optional[Told] = None,
        hunks: Sequence[Hunk] = (),
        left: str = "",
        lines: Sequence[str] = (),
    ) -> None:
        """Take these changes back, as far as the files are as shown; with `hunks`, only these of the one change, which
        has these `lines`. `left` says which others were left, for the status bar."""
        progress, storage = _Said(self._window, self._tracking, "undoing", len(changes)), self._tracking.storage()
        when, jobs = self._tracking.next_undo(), {}
        for folder in dict.fromkeys(change.folder for change in changes):
            some = [each for each in changes if each.folder == folder]
            jobs[folder] = partial(undo, changes=some, progress=progress, storage=storage, when=when, hunks=hunks)

        def undone(answers: Answers) -> None:
            gone = [_another(change) for change in changes if answers[change.folder] is None]
            refused = gone + _refused(answers)
            left_alone = {refusal.path for refusal in refused}
            self._undone([change for change in changes if change.full_path not in left_alone], hunks, lines)
            (then or self._say("undid", changes, left))(refused)

        self._tracking.carry_out(jobs, undone)
        self._tracking.sign()  # in another folder around it the file is listed, too

    def restore(self) -> None:
        """Bring back what the last undo has taken."""
        progress, storage = _Said(self._window, self._tracking, "restoring"), self._tracking.storage()
        undone = self._tracking.last_undone(self._window.id())

        def restored(answers: Answers) -> None:
            if progress.count:
                self._restored()
                self._say_count("restored", progress.count)(_refused(answers))
            else:
                say(self._window, "there is no undone change to restore")

        do = partial(restore, progress=progress, storage=storage)
        self._tracking.carry_out({workspace.folder: do for workspace in undone}, restored)
        self._tracking.sign()

    def take_back(self, change: UnreviewedChange, kept: bool, then: Told) -> None:
        """Take back the last decision, by which this change, or a part of it, was `kept` or undone."""
        progress, storage = _Said(self._window, self._tracking, "restoring"), self._tracking.storage()

        def kept_no_more(answers: Answers) -> None:
            then([] if any(answers.values()) else [_another(change, DECIDED_SINCE)])

        def restored(answers: Answers) -> None:
            refused = [_another(change)] if answers[change.folder] is None else _refused(answers)
            if not refused:
                self._restored()
            then(refused)

        if kept:
            found = self._tracking.holding(change.full_path)
            jobs = {workspace.folder: partial(Workspace.keep_no_more, path=name) for workspace, name in found}
            self._tracking.carry_out(jobs, kept_no_more)
        else:
            do = partial(restore, progress=progress, storage=storage, only=change)
            self._tracking.carry_out({change.folder: do}, restored)
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


def whole_only(change: UnreviewedChange, texts: TextPair) -> str:
    """Why hunks of a change cannot be decided by themselves, as a sentence; empty if they can."""
    can = texts.by_lines or change.kind is not ChangeKind.CHANGED
    return "" if can else WHOLE_ONLY.format(os.path.basename(change.path))


def _undo_in_tab(change: UnreviewedChange, texts: TextPair, hunks: Sequence[Hunk], same_files: FrozenSet[str]) -> str:
    """Undo a change, or some hunks of it, in the tab that has unsaved edits of its file. Says what was done."""
    name = os.path.basename(change.path)
    views = [view for view in views_of_file(change.full_path, same_files) if view.is_dirty()]
    if not views or texts.right is None or change.kind is not ChangeKind.CHANGED:
        return f"{name} has unsaved edits in a tab: save or revert them, then undo again."
    view = views[0]
    typed = view.substr(sublime.Region(0, view.size()))
    both = (texts.left.text, texts.right.shown, typed)
    wanted, shown, edited = (text.encode("utf-8", "surrogatepass") for text in both)
    left = taken_back(without_hunks(wanted, shown, hunks) if hunks else wanted, shown, edited)
    if left is None:
        return f"{name} has unsaved edits beside what is to be undone: nothing was done."
    set_text(view, left.decode("utf-8", "surrogatepass"))
    return f"{name} has unsaved edits: the change was undone in its tab, which is not saved."


def _another(change: UnreviewedChange, why: str = ANOTHER) -> Refusal:
    return Refusal(change.full_path, why.format(os.path.basename(change.path)))


def _refused(answers: Answers) -> List[Refusal]:
    return [refusal for answer in answers.values() for refusal in answer or ()]


def _keep(
    changes: Mapping[UnreviewedChange, Sequence[str]], hunks: Sequence[Hunk], workspace: Workspace
) -> List[UnreviewedChange]:
    """Keep these changes, with the paths that their files have in the folder, and had before a rename. Those that were
    kept."""
    found = []
    for change, (name, old_name) in changes.items():
        before = NOTHING if change.old_path else change.before
        is_kept = bool(name) and workspace.keep(name, before, change.now, hunks)
        if old_name and (is_kept or not name):
            workspace.keep(old_name, change.before, NOTHING)
        found += [change] if is_kept else []
    workspace.write_down()
    return found
