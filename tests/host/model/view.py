"""A view: one look at a buffer, with its own selection, marks, phantoms and scroll position."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from . import minihtml
from .buffer import BufferModel, Change
from .folds import Folds
from .phantoms import Phantoms
from .regions import RegionSet
from .selection import SelectionModel
from .settings import PREFERENCES, SettingsModel


class ViewModel:
    """`window` is None once it is closed; `sheet` is None for widgets, panels and closed views."""

    id: int
    host: Any
    buffer: BufferModel
    window: Any
    sheet: Any
    element: str
    valid: bool
    selection: SelectionModel
    undrawn: Optional[list]
    stale: Dict[str, Optional[RegionSet]]
    region_sets: Dict[str, RegionSet]
    region_keys: Dict[str, None]
    phantoms: Phantoms
    folds: Folds
    status: Dict[str, str]
    viewport: Tuple[float, float]
    edits: List[int]
    settings: SettingsModel
    row_tops: Any
    longest_line: Any
    wrap: Any
    wrapped: Any
    blocks_width: Any
    look: Any
    drawn: bool

    def __init__(self, host: Any, buffer: BufferModel, window: Any, element: str = ""):
        self.__dict__.update(self.blank(host, buffer, SettingsModel(host, self._parents)))
        self.selection.set([(0, 0)])
        self.id = host.next_id("view")
        if buffer.views and "shared_phantoms" in host.quirks:
            self.phantoms = buffer.views[0].phantoms
        self.window = window
        self.element = element
        self.valid = True
        host.preferences().children.append(self.settings)
        if window is not None:
            window.project_settings.children.append(self.settings)
        buffer.views.append(self)

    @staticmethod
    def blank(host: Any, buffer: BufferModel, settings: SettingsModel) -> Dict[str, Any]:
        """The attributes of a view that belongs nowhere."""
        selection = SelectionModel()
        selection.clear()
        return {
            "id": 0,
            "host": host,
            "buffer": buffer,
            "window": None,
            "sheet": None,
            "element": "",
            "valid": False,
            "selection": selection,
            "undrawn": None,
            "stale": {},
            "region_sets": {},
            "region_keys": {},
            "phantoms": Phantoms(),
            "folds": Folds(),
            "status": {},
            "viewport": (0.0, 0.0),
            "edits": [],
            "settings": settings,
            "row_tops": None,
            "longest_line": None,
            "wrap": None,
            "wrapped": None,
            "blocks_width": None,
            "look": None,
            "drawn": False,
        }

    def _parents(self) -> List[SettingsModel]:
        parents = []
        if self.window is not None:
            parents.append(self.window.project_settings)
        syntax = self.settings.own.get("syntax")
        if isinstance(syntax, str):
            stem = syntax.rsplit("/", 1)[-1].rsplit(".", 1)[0]
            parents.append(self.host.settings_files.load(stem + ".sublime-settings"))
        parents.append(self.host.settings_files.load(PREFERENCES))
        return parents

    def detach_settings(self) -> None:
        """A closed view no longer hears of changes of the layers below."""
        for parent in [self.host.settings_files.load(PREFERENCES)] + (
            [self.window.project_settings] if self.window else []
        ):
            if self.settings in parent.children:
                parent.children.remove(self.settings)

    # -- moving with the text --------------------------------------------------------------------
    def carry(self, change: Change) -> None:
        """Take everything that stands at text points along with a change."""
        before = self.selection.copy()
        self.selection.carry(change)
        for region_set in self.region_sets.values():
            region_set.carry(change)
        if self is next(view for view in self.buffer.views if view.phantoms is self.phantoms):  # of clones, once
            self.phantoms.carry(change)
        self.folds.carry(change, stay="folds_stay" in self.host.quirks)
        self.undrawn = None
        self.host.notes.modified(self)
        if self.selection.copy() != before:
            self.host.notes.selection(self)

    # -- what it shows ---------------------------------------------------------------------------
    def title(self) -> str:
        """The tab's text, without the mark for unsaved changes."""
        if self.buffer.file_name:
            return self.buffer.file_name.replace("\\", "/").rsplit("/", 1)[-1]
        return self.buffer.name or self.buffer.text.split("\n", 1)[0][:50].strip() or "untitled"

    def status_bar(self) -> str:
        """All status values, ordered by key."""
        return ", ".join(self.status[key] for key in sorted(self.status))

    # -- selection -------------------------------------------------------------------------------
    def set_selection(self, pairs: list) -> None:
        """Replace the selection. `pairs` are (anchor, caret) points; they are clamped to the text."""
        self.change_selection(
            lambda: self.selection.set([(self.buffer.clamp(a), self.buffer.clamp(b)) for a, b in pairs])
        )

    def change_selection(self, change: Any, told: bool = True) -> None:
        """Run `change`, which touches the selection only, and tell of it if it made a difference.

        What a plugin changes outside the `run` of a text command of this view is not `told`: the editor neither draws
        it, until it draws the view anew for another reason, nor sends `on_selection_modified` (sublimehq/sublime_text
        485, 3330, 3954, 6667).
        """
        before = self.selection.copy()
        change()
        if self.selection.copy() == before:
            return
        self.buffer.undo.break_merge()
        if told:
            self.undrawn = None
            self.host.notes.selection(self)
        elif self.undrawn is None:
            self.undrawn = before

    def drawn_selection(self) -> list:
        """The selection as the user sees it: (anchor, caret) points."""
        return self.selection.copy() if self.undrawn is None else list(self.undrawn)

    def redraw(self) -> None:
        """The view is drawn anew: it scrolls, or gets or loses the focus."""
        self.undrawn = None
        self.stale = {}

    # -- marks -----------------------------------------------------------------------------------
    def add_regions(self, key: str, region_set: RegionSet) -> None:
        self._keep_drawn(key)
        if region_set.in_undo:
            self.buffer.undo.note_regions(self, key)
        self.region_sets[key] = region_set
        self.region_keys.setdefault(key)
        for annotation in region_set.annotations:
            minihtml.check("annotation %r" % key, annotation)

    def erase_regions(self, key: str) -> None:
        self._keep_drawn(key)
        if key in self.region_sets and self.region_sets[key].in_undo:
            self.buffer.undo.note_regions(self, key)
        self.region_sets.pop(key, None)

    def regions_in_order(self) -> Dict[str, RegionSet]:
        """The sets by key, in the order in which they are drawn.

        It is that in which their keys first came, also after they were erased. Of two icons on a line the first key's
        is shown (sublimelsp/LSP 1593, 1928).
        """
        keys = self.region_keys if "keys_keep_order" in self.host.quirks else self.region_sets
        return {key: self.region_sets[key] for key in keys if key in self.region_sets}

    def _keep_drawn(self, key: str) -> None:
        if "stale_annotations" in self.host.quirks and self.host.focus.current is not self:
            self.stale.setdefault(key, self.region_sets.get(key))

    def drawn_annotations(self) -> Dict[str, RegionSet]:
        """The sets whose annotations the user sees and can click, by key."""
        found: Dict[str, Optional[RegionSet]] = {**self.region_sets, **self.stale}
        return {key: region_set for key, region_set in found.items() if region_set is not None}
