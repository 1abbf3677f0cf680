"""What a window looked like before a review, and restoring it.

Rule: only what we changed is restored. A group in which the user has meanwhile chosen another tab keeps that tab, and a
tab that the user closed stays closed.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

import sublime

from .layout import is_indexes

TRANSIENT = sublime.TRANSIENT


class GroupState(NamedTuple):
    """One group: its active sheet and all that show. `preview` is the file of a preview that was active."""

    active: Optional[sublime.Sheet]
    selected: List[sublime.Sheet]
    preview: Optional[str]


class Snapshot:
    """The groups of a window at one moment. Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._groups = [self._look(group) for group in range(window.num_groups())]
        self._active_group = window.active_group()

    def _look(self, group: int) -> GroupState:
        active = self._window.active_sheet_in_group(group)
        preview = self._window.transient_sheet_in_group(group)
        return GroupState(
            active,
            self._window.selected_sheets_in_group(group),
            preview.file_name() if preview is not None and preview == active else None,
        )

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
                self._window.open_file(state.preview, TRANSIENT, group)
            if len(state.selected) > 1:
                several[group] = [sheet for sheet in state.selected if is_in(sheet, group)]
        if several:
            self._select(several)
        if self._active_group < self._window.num_groups():
            self._window.focus_group(self._active_group)

    def _select(self, several: Dict[int, List[sublime.Sheet]]) -> None:
        """Show these sheets of some groups side by side. The editor takes a selection for the whole window's.

        The active one of each group is named last, because focusing it afterwards might deselect the others.
        """
        active = [self._window.active_sheet_in_group(group) for group in range(self._window.num_groups())]
        selected: List[sublime.Sheet] = []
        for group, front in enumerate(active):
            sheets = several.get(group) or self._window.selected_sheets_in_group(group)
            selected += [sheet for sheet in sheets if sheet != front] + [sheet for sheet in sheets if sheet == front]
        self._window.select_sheets(selected)
        for group, sheet in enumerate(active):
            if sheet is not None and self._window.active_sheet_in_group(group) != sheet:
                self._window.focus_sheet(sheet)

    def to_value(self) -> Dict[str, Any]:
        """The part that can be stored: sheets by their positions, because a restart gives them new numbers."""
        return {
            "active_group": self._active_group,
            "active": [
                self._window.get_sheet_index(state.active)[1] if state.active is not None else -1
                for state in self._groups
            ],
        }


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
