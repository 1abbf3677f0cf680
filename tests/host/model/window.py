"""A window: its groups and sheets, folders and project, panels and visible parts."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional, Tuple

from . import placeholders
from .layout import SINGLE, GroupModel, checked_layout
from .panels import Panels
from .project import Project
from .settings import SettingsModel
from .sheet import SheetModel


class WindowModel:
    """`size` is in device-independent pixels."""

    def __init__(self, host: Any):
        self.id = host.next_id("window")
        self.host = host
        self.groups: List[GroupModel] = [GroupModel()]
        self.layout: Dict[str, list] = copy.deepcopy(SINGLE)
        self.active_group = 0
        self.size: Tuple[float, float] = (1600.0, 900.0)
        self.elements = {
            "side_bar": True,
            "minimap": True,
            "tabs": True,
            "status_bar": True,
            "menu": True,
            "open_files": False,
        }
        self.project_settings = SettingsModel(host)
        self.settings = SettingsModel(host, lambda: [self.project_settings, host.preferences()])
        self.project_settings.children.append(self.settings)
        self.project = Project(self)
        self.panels = Panels(self)
        self.messages: List[str] = []
        self.valid = True
        self.unsettled = 0  # more than 0 while tabs are on their way, see placeholders

    # -- asking ----------------------------------------------------------------------------------
    def sheets(self) -> List[SheetModel]:
        return [sheet for group in self.groups for sheet in group.sheets]

    def views(self, include_transient: bool = False) -> list:
        sheets = [sheet for group in self.groups for sheet in (group.all() if include_transient else group.sheets)]
        return [sheet.view for sheet in sheets if sheet.view is not None]

    def group_of(self, sheet: SheetModel) -> int:
        """The group's number; -1 if the sheet is not here."""
        for number, group in enumerate(self.groups):
            if sheet in group.all():
                return number
        return -1

    def index_of(self, sheet: SheetModel) -> Tuple[int, int]:
        """(group, place); a preview without a tab has place -1, a view of another window (-1, -1)."""
        number = self.group_of(sheet)
        if number < 0:
            return (-1, -1)
        sheets = self.groups[number].sheets
        return (number, sheets.index(sheet) if sheet in sheets else -1)

    def active_sheet(self) -> Optional[SheetModel]:
        return self.groups[self.active_group].active if self.groups else None

    def active_view(self) -> Any:
        sheet = self.active_sheet()
        return sheet.view if sheet is not None else None

    def focused_view(self) -> Any:
        """The view that the keyboard goes to: a widget, a panel, or the active sheet's view."""
        return self.panels.focused_view() or self.active_view()

    def folders(self) -> List[str]:
        return self.project.folders()

    # -- focus -----------------------------------------------------------------------------------
    def focus_group(self, number: int) -> None:
        if 0 <= number < len(self.groups):
            stays = number == self.active_group
            self.active_group = number
            self.panels.blur(stays)
            self.host.focus.update()

    def focus_sheet(self, sheet: SheetModel) -> None:
        """Show a sheet and give it the focus. Whether others that show beside it stay is open."""
        number = self.group_of(sheet)
        if number < 0:
            return
        stays = number == self.active_group
        self.active_group = number
        self.groups[number].show(sheet)
        if "focus_deselects" in self.host.quirks:
            self.groups[number].selected = [sheet]
        self.panels.blur(stays)
        self.host.focus.update()

    def focus_view(self, view: Any) -> None:
        if view.sheet is not None and view.window is self:
            self.focus_sheet(view.sheet)
        elif view.window is self and self.panels.focus(view):
            self.host.focus.update()

    def select_sheets(self, sheets: List[SheetModel]) -> None:
        """Show these sheets side by side in their groups; the last one named is the active one."""
        groups = {self.active_group} if "group_selection" in self.host.quirks else set(range(len(self.groups)))
        chosen = [sheet for sheet in sheets if self.group_of(sheet) in groups]
        for group in self.groups:
            own = [sheet for sheet in group.all() if sheet in chosen]
            if own:
                group.selected = own
        if chosen:
            for sheet in chosen:
                self.groups[self.group_of(sheet)].show(sheet, keep_selection=True)
            self.active_group = self.group_of(chosen[-1])
            self.panels.blur()
        self.host.focus.update()

    # -- sheets ----------------------------------------------------------------------------------
    def add_sheet(self, sheet: SheetModel, group: int = -1, *, transient: bool = False, select: bool = False) -> None:
        """Put a new sheet right of the group's active tab, and show it. A preview replaces the preview before it."""
        number = group if 0 <= group < len(self.groups) else self.active_group
        target = self.groups[number]
        self.unsettled += 1
        try:
            if transient:
                if target.transient is not None:
                    self.host.files.close_sheet(target.transient)
                sheet.transient = True
                target.transient = sheet
            else:
                active = target.active
                index = target.sheets.index(active) + 1 if active in target.sheets else len(target.sheets)
                target.insert(sheet, index)
            sheet.window = self
            target.show(sheet, keep_selection=select)
        finally:
            self.unsettled -= 1
        self.settle()

    def settle(self) -> None:
        """Let every group without tabs, and no other, show its untitled view."""
        placeholders.settle(self)

    def move_sheet(self, sheet: SheetModel, group: int, index: int) -> None:
        """Move a tab of this window. In another group it becomes the tab that shows."""
        source = self.group_of(sheet)
        if source < 0 or not 0 <= group < len(self.groups):
            return
        was_active = self.groups[source].active is sheet
        if sheet.transient and "moved_previews" in self.host.quirks:
            self._move_preview(sheet, source, group, was_active)
            return
        sheet.promote()
        if source == group:
            sheets = self.groups[group].sheets
            sheets.remove(sheet)
            sheets.insert(len(sheets) if index < 0 else min(index, len(sheets)), sheet)
            self.groups[group].selected.sort(key=self.groups[group].all().index)
        else:
            self.groups[source].remove(sheet)
            self.groups[group].insert(sheet, index)
            shows = "moving_shows" in self.host.quirks
            if was_active or shows or len(self.groups[group].sheets) == 1:
                self.groups[group].show(sheet)
            if shows:
                self.active_group = group
        if "moving_deselects" in self.host.quirks and sheet in self.groups[group].selected:
            self.groups[group].selected = [self.groups[group].active]
        self.settle()
        self.host.focus.update()

    def _move_preview(self, sheet: SheetModel, source: int, group: int, was_active: bool) -> None:
        """Move a sheet without a tab, which stays one; the one that the group had goes."""
        if source == group:
            return
        target = self.groups[group]
        self.unsettled += 1
        if target.transient is not None:
            self.host.files.close_sheet(target.transient, ask=False)
        self.unsettled -= 1
        self.groups[source].remove(sheet)
        sheet.placeholder = False  # it stands for no empty group any more
        target.transient = sheet
        target.recent.insert(0, sheet)
        if was_active or not target.sheets:
            target.show(sheet)
        self.settle()
        self.host.focus.update()

    def detach_sheet(self, sheet: SheetModel) -> None:
        number = self.group_of(sheet)
        if number >= 0:
            self.groups[number].remove(sheet)

    # -- layout ----------------------------------------------------------------------------------
    def set_layout(self, layout: Any) -> None:
        """Take over a grid. Tabs of groups that are gone go to the end of the last group left.

        Where the grid shrinks and no tab is left, `close_windows_when_empty` closes the window (sublime_text 2484).
        """
        layout = checked_layout(layout)
        if "rounded_layout" in self.host.quirks:
            layout.update({axis: [round(position, 4) for position in layout[axis]] for axis in ("cols", "rows")})
        wanted, before = len(layout["cells"]), len(self.groups)
        while len(self.groups) < wanted:
            self.groups.append(GroupModel())
        last = self.groups[wanted - 1]
        self.unsettled += 1
        for group in self.groups[wanted:]:
            for sheet in group.all():
                if sheet.placeholder:
                    self.host.files.close_sheet(sheet, ask=False)
                    continue
                sheet.transient = False
                last.insert(sheet)
        self.unsettled -= 1
        del self.groups[wanted:]
        self.layout = layout
        self.active_group = min(self.active_group, wanted - 1)
        self.settle()
        if wanted < before and placeholders.close_if_empty(self):
            return
        for view in self.views(include_transient=True):
            view.viewport = self.host.clamp_viewport(view)
        self.host.focus.update()

    def status_message(self, text: str) -> None:
        self.messages.append(text)
