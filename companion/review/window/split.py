"""The split layout in which a window shows its reviews: one cell is divided for them, and made whole afterwards.

Rules: the first review divides a cell, the others open as tabs beside it, and after the last one the layout is
restored. The cell is the one that holds the file, otherwise that of the active editor. A terminal is never covered: if
the cell shows one, it keeps the lower part. Only what we changed is restored: a group in which the user has meanwhile
chosen another tab keeps that tab, and a tab that the user closed stays closed.

What is needed to restore the window is stored in its settings as well, because after a restart of the editor views and
layout are back, but not this object.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ...editor import file_views, marks
from ...editor.marks import ORIGINAL, PROPOSAL, is_terminal, role_of
from . import layout as layouts
from .layout import is_indexes

STORED = "gemini_companion.stage"  # stays as it is: windows are stored with it
# With this setting the editor notes that it made the groups, and so closes empty ones. It drops it with another layout.
AUTOMATIC = "last_automatic_layout"


# -- what a window looked like -----------------------------------------------------------------------------------------


class GroupState(NamedTuple):
    """One group: its active sheet and all that show. `preview` is the file of a preview that was active."""

    active: Optional[sublime.Sheet]
    selected: List[sublime.Sheet]
    preview: Optional[str]


class Snapshot:
    """The groups of a window at one moment. Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._groups = [self._state_of(group) for group in range(window.num_groups())]
        self._active_group = window.active_group()

    def _state_of(self, group: int) -> GroupState:
        active = self._window.active_sheet_in_group(group)
        preview = self._window.transient_sheet_in_group(group)
        file = preview.file_name() if preview is not None and preview == active else None
        return GroupState(active, self._window.selected_sheets_in_group(group), file)

    def restore(self, groups: List[int]) -> None:
        """Show in these groups what they showed. Moves the focus; the caller sets it afterwards."""
        several: Dict[int, List[sublime.Sheet]] = {}
        for group in groups:
            if group >= len(self._groups) or group >= self._window.num_groups():
                continue
            state = self._groups[group]
            if is_in(state.active, group):
                self._window.focus_sheet(state.active)  # type: ignore[arg-type]
            elif state.preview is not None:
                self._window.open_file(state.preview, sublime.TRANSIENT, group)
            if len(state.selected) > 1:
                several[group] = [sheet for sheet in state.selected if is_in(sheet, group)]
        for group, sheets in several.items():
            self._select(group, sheets)
        if self._active_group < self._window.num_groups():
            self._window.focus_group(self._active_group)

    def _select(self, group: int, sheets: List[sublime.Sheet]) -> None:
        """Show these sheets of a group side by side, its active one still the active one.

        What the editor does with a selection across groups is unknown, so the group is made the active one first. Its
        active sheet is named last, because focusing it afterwards might deselect the others.
        """
        front = self._window.active_sheet_in_group(group)
        self._window.focus_group(group)
        self._window.select_sheets(sorted(sheets, key=lambda sheet: bool(sheet == front)))
        if front is not None and self._window.active_sheet_in_group(group) != front:
            self._window.focus_sheet(front)

    def to_value(self) -> Dict[str, Any]:
        """The part that can be stored: sheets by their positions, because a restart gives them new numbers."""
        active = [state.active for state in self._groups]
        indexes = [self._window.get_sheet_index(sheet)[1] if sheet is not None else -1 for sheet in active]
        return {"active_group": self._active_group, "active": indexes}


def is_stored(value: Dict[str, Any]) -> bool:
    """Whether this holds what `Snapshot.to_value` gives."""
    return is_indexes(value.get("active"), -1) and is_indexes([value.get("active_group")])


def restore_stored(window: sublime.Window, value: Dict[str, Any]) -> None:
    """Show what a stored snapshot says, after a restart."""
    for group, index in enumerate(value["active"]):
        if group < window.num_groups():
            sheets = window.sheets_in_group(group)
            if 0 <= index < len(sheets):
                window.focus_sheet(sheets[index])
    group = value["active_group"]
    if group < window.num_groups():
        window.focus_group(group)


def is_placeholder(sheet: sublime.Sheet) -> bool:
    """Whether the sheet is the empty one that the editor shows in a group without tabs.

    The editor removes it when a tab comes. Moved into a group of the user's it would stay.
    """
    view = sheet.view()
    return view is not None and view.file_name() is None and view.size() == 0


def is_in(sheet: Optional[sublime.Sheet], group: int) -> bool:
    """Whether the sheet is still there, in this group."""
    return sheet is not None and sheet.window() is not None and sheet.group() == group


# -- the layout --------------------------------------------------------------------------------------------------------


class Groups(NamedTuple):
    """The groups of the two views; the same one twice if only the proposal is shown."""

    original: int
    proposal: int


class SplitLayout:
    """The split layout of one window. Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._before: Optional[Snapshot] = None
        self._project: Tuple[Optional[str], ...] = ()  # that was open then
        self._division: Optional[layouts.Division] = None
        self._automatic: Any = None
        self._groups = Groups(0, 0)
        self._last_editor_group = 0

    @property
    def open(self) -> bool:
        """Whether there is something to restore."""
        return self._before is not None

    @property
    def project_has_gone(self) -> bool:
        """Whether another project has taken the window since it was divided.

        Its settings come without our note. They and its name may be told later than its tabs and its layout.
        """
        if self._before is None:
            return False
        noted = marks.read(self._window.settings(), self._window, STORED)
        return noted is None or project_of(self._window) != self._project

    def note_activated(self, view: sublime.View) -> None:
        """Remember the group in which the user edits, for when a terminal has the focus."""
        if view.element() is None and not is_terminal(view) and role_of(view) is None:
            group = self._window.get_view_index(view)[0]
            if group >= 0:
                self._last_editor_group = group

    def note_project(self, ours: Callable[[], Sequence[sublime.View]]) -> None:
        """Tell a project that was saved under another name from another project.

        That one would have closed all tabs. So as long as `ours`, views of our reviews, are in the window, it is the
        same project, whatever it is called now. Must not be called while a view is being closed.
        """
        if self._before is None:
            return
        project = project_of(self._window)
        if project != self._project and any(file_views.is_in(view, self._window) for view in ours()):
            self._project = project

    def home(self, path: str, same_files: FrozenSet[str] = frozenset()) -> int:
        """The group in which a review of `path` belongs. `same_files` are further names by which tabs call the file."""
        active = self._window.active_group()
        user_views = file_views.views_of_file(path, same_files)
        groups = {self._window.get_view_index(view)[0] for view in user_views} - {-1}  # those of other windows
        if groups:
            return active if active in groups else min(groups)
        candidates = [active, self._last_editor_group] + list(range(self._window.num_groups()))
        for group in candidates:
            if group < self._window.num_groups() and not self.shows_terminal(group):
                return group
        return active

    def shows_terminal(self, group: int) -> bool:
        """Whether a terminal is what the group shows."""
        return is_terminal(self._window.active_view_in_group(group))

    def columns(self, group: int) -> Optional[int]:
        """How many characters fit side by side in the group, or None if nothing in the window tells."""
        layout = self._window.layout()
        for other in [group] + list(range(self._window.num_groups())):
            view = self._window.active_view_in_group(other)
            if view is not None and view.em_width() > 0 and view.viewport_extent()[0] > 0:
                here, there = layouts.cell_width(layout, group), layouts.cell_width(layout, other)
                if there > 0:
                    return int(view.viewport_extent()[0] / view.em_width() * here / there)
        return None

    def columns_of_half(self, group: int) -> Optional[int]:
        """How many characters fit into each of two views that share the group, or share it already; None as above."""
        shared = self.open and self._groups.original != self._groups.proposal
        found = self.columns(self._groups.proposal if shared else group)
        return found if shared or found is None else found // 2

    def prepare(self, group: int, side_by_side: bool, ours: List[sublime.View]) -> Groups:
        """Make room at `group` and say where the views go. `ours` are the views of the reviews already open.

        The answer may have one group for both although two were asked for: then only the proposal can be shown.
        """
        if self._before is None:
            self._before = Snapshot(self._window)
            self._project = project_of(self._window)
            self._groups = Groups(group, group)
        else:
            self._find_groups(ours)
        split = self._groups.original != self._groups.proposal
        if self._division is None and not split:
            self._divide(self._groups.proposal if ours else group, side_by_side)
        return self._groups

    def restore(self, ours_in_front: List[int]) -> None:
        """Make the divided cell whole and show what `ours_in_front`, groups in which our views showed, had shown.

        Our own views are closed already. Moves the focus.
        Nothing is done to a project that has taken the window meanwhile.
        """
        before, division, gone = self._before, self._division, self.project_has_gone
        self._before = self._division = None
        if gone:
            return
        self._window.settings().erase(STORED)
        if before is None:
            return
        if division is not None:
            layout = layouts.undo(division, self._window.layout())
            if layout is not None:
                self._empty(division.groups, division.group)
                self._window.set_layout(layout)
                _set_automatic(self._window, self._automatic)
        before.restore(ours_in_front)

    def leave(self) -> None:
        """Leave the window as it is, because its layout is another's, and forget how it was."""
        self._before = self._division = None
        self._window.settings().erase(STORED)

    def _divide(self, group: int, side_by_side: bool) -> None:
        layout = self._window.layout()
        if self.shows_terminal(group):
            division = layouts.divide_above(layout, group, 2 if side_by_side else 1)
            groups = Groups(division.groups[0], division.groups[-1])
        elif side_by_side:
            division = layouts.divide_in_columns(layout, group)
            groups = Groups(group, division.groups[0])
        else:
            self._groups = Groups(group, group)
            self._store()
            return
        self._automatic = marks.own(self._window.settings(), self._window, AUTOMATIC)
        self._window.settings().erase(AUTOMATIC)
        self._window.set_layout(division.after)
        # The editor may write a layout in its own way; what it made of ours is what will be compared with later.
        self._division = division._replace(after=self._window.layout())
        self._groups = groups
        self._store()

    def _find_groups(self, ours: List[sublime.View]) -> None:
        """Where our views are now: the user may have moved them."""
        here = [view for view in ours if file_views.is_in(view, self._window)]
        found = {role_of(view): self._window.get_view_index(view)[0] for view in here}
        original, proposal = found.get(ORIGINAL, self._groups.original), found.get(PROPOSAL, self._groups.proposal)
        count = self._window.num_groups()
        proposal = proposal if 0 <= proposal < count else self._window.active_group()
        self._groups = Groups(original if 0 <= original < count else proposal, proposal)

    def _empty(self, groups: Sequence[int], target: int) -> None:
        """Move what the user put into groups of ours to where their cells came from, in order."""
        shown = self._window.active_sheet_in_group(target)
        for group in groups:
            for sheet in self._window.sheets_in_group(group):
                self._window.set_sheet_index(sheet, target, len(self._window.sheets_in_group(target)))
            preview = self._window.transient_sheet_in_group(group)  # which is not among the others
            if preview is None or is_placeholder(preview):
                continue
            there = self._window.transient_sheet_in_group(target)
            if there is None or is_placeholder(there):
                self._window.set_sheet_index(preview, target, -1)
        if shown is not None and is_in(shown, target) and shown != self._window.active_sheet_in_group(target):
            self._window.focus_sheet(shown)

    def _store(self) -> None:
        value: Dict[str, Any] = {"division": None, "automatic": self._automatic}
        if self._division is not None:
            value["division"] = self._division._asdict()
        if self._before is not None:
            value.update(self._before.to_value())
        marks.put(self._window.settings(), STORED, json.loads(json.dumps(value)))  # the editor stores no tuples


def project_of(window: sublime.Window) -> Tuple[Optional[str], ...]:
    """What tells a window's projects apart, and the workspaces of one project."""
    return (window.project_file_name(), window.workspace_file_name())


def put_layout_back(window: sublime.Window) -> bool:
    """Restore a window that was stored with a review open. True if there was something to restore."""
    stored = marks.read(window.settings(), window, STORED)
    if stored is None:
        return False
    window.settings().erase(STORED)
    if not layouts.is_division(stored.get("division")) or not is_stored(stored):
        return True  # written by another version: better the window as it is than a guess
    if stored["division"] is not None:
        layout = layouts.undo(layouts.Division(**stored["division"]), window.layout())
        if layout is not None:
            window.set_layout(layout)
            _set_automatic(window, stored.get("automatic"))
    restore_stored(window, stored)
    return True


def _set_automatic(window: sublime.Window, value: Any) -> None:
    if value is not None:
        window.settings().set(AUTOMATIC, value)
