"""The handle of a window. A handle of a closed window answers with empty values."""

from __future__ import annotations

import os

from ..model.host import current
from ..model.layout import SINGLE
from ..model.values import as_callback, as_point, as_text, to_value
from ._gate import gated, on_main
from ._items import QuickPanelItem
from ._objects import Settings, make_sheet
from ._published import NewFileFlags, QuickPanelFlags
from ._view import View
from ._window_parts import WindowParts


def _sheets(models):
    return [make_sheet(model) for model in models]


def _text_view(model):
    return View(model.id) if model is not None else None


@gated
class Window(WindowParts):
    """One window of the editor."""

    def __init__(self, id):
        self.window_id = id
        self.settings_object = None

    def __hash__(self):
        return self.window_id

    def __eq__(self, other):
        return isinstance(other, Window) and other.window_id == self.window_id

    def __bool__(self):
        return self.window_id != 0

    def __repr__(self):
        return "Window(%r)" % (self.window_id,)

    def _model(self):
        return current().window(self.window_id)

    def _group(self, group):
        model = self._model()
        number = as_point(group)
        return model.groups[number] if model is not None and 0 <= number < len(model.groups) else None

    def _sheet(self, sheet):
        return current().sheets.get(sheet.sheet_id)

    def id(self):
        return self.window_id

    def is_valid(self):
        return self._model() is not None

    def active_sheet(self):
        model = self._model()
        return make_sheet(model.active_sheet()) if model is not None else None

    def active_view(self):
        model = self._model()
        if model is not None and "active_panel" in current().quirks and model.panels.focused_view() is not None:
            return _text_view(model.panels.focused_view())
        return _text_view(model.active_view()) if model is not None else None

    @on_main
    def run_command(self, cmd, args=None):
        model = self._model()
        if model is not None:
            current().commands.run_in_window(model, cmd, args)

    @on_main
    def new_file(self, flags=NewFileFlags.NONE, syntax=""):
        model = self._model()
        return View(current().files.new_file(model, int(flags), as_text(syntax)).id if model is not None else 0)

    @on_main
    def open_file(self, fname, flags=NewFileFlags.NONE, group=-1):
        model = self._model()
        name = as_text(fname)
        if model is not None and current().files.open_image(model, name, int(flags), as_point(group)):
            return View(0)  # an image is no view
        return View(current().files.open(model, name, int(flags), as_point(group)).id if model is not None else 0)

    def find_open_file(self, fname, group=-1):
        model = self._model()
        if model is None:
            return None
        return _text_view(current().files.find(model, as_text(fname), as_point(group)))

    def num_groups(self):
        model = self._model()
        return len(model.groups) if model is not None else 0

    def active_group(self):
        model = self._model()
        return model.active_group if model is not None else -1

    @on_main
    def focus_group(self, idx):
        model = self._model()
        number = as_point(idx)
        if model is not None:
            model.focus_group(number)

    @on_main
    def focus_sheet(self, sheet):
        model = self._model()
        if sheet and model is not None and self._sheet(sheet) is not None:
            model.focus_sheet(self._sheet(sheet))

    @on_main
    def focus_view(self, view):
        model = self._model()
        if view and model is not None and view.view_id in current().views:
            model.focus_view(current().views[view.view_id])

    @on_main
    def select_sheets(self, sheets):
        model = self._model()
        found = [current().sheets[sheet.sheet_id] for sheet in sheets if sheet.sheet_id in current().sheets]
        if model is not None:
            model.select_sheets(found)

    @on_main
    def bring_to_front(self):
        model = self._model()
        if model is not None:
            current().focus.bring_to_front(model)

    def get_sheet_index(self, sheet):
        model = self._model()
        found = self._sheet(sheet) if sheet else None
        return model.index_of(found) if model is not None and found is not None else (-1, -1)

    def get_view_index(self, view):
        model = self._model()
        found = current().views.get(view.view_id) if view else None
        return model.index_of(found.sheet) if model is not None and found is not None else (-1, -1)

    @on_main
    def set_sheet_index(self, sheet, group, index):
        self._move(self._sheet(sheet), as_point(group), as_point(index))

    @on_main
    def set_view_index(self, view, group, index):
        found = current().views.get(view.view_id)
        self._move(found.sheet if found is not None else None, as_point(group), as_point(index))

    def _move(self, sheet, group, index):
        model = self._model()
        if model is None or sheet is None or sheet.window is None:
            return
        if sheet.window is model:
            model.move_sheet(sheet, group, index)
        else:
            current().move_to_window(sheet, model, group, index)

    def sheets(self):
        model = self._model()
        return _sheets(model.sheets()) if model is not None else []

    def views(self, *, include_transient=False):
        model = self._model()
        return [View(view.id) for view in model.views(include_transient)] if model is not None else []

    def selected_sheets(self):
        """Those of the active group, whatever the documentation says (sublimehq/sublime_text 5079)."""
        return self.selected_sheets_in_group(self.active_group())

    def selected_sheets_in_group(self, group):
        found = self._group(group)
        return _sheets(found.selected) if found is not None else []

    def active_sheet_in_group(self, group):
        found = self._group(group)
        return make_sheet(found.active) if found is not None else None

    def active_view_in_group(self, group):
        found = self._group(group)
        return _text_view(found.active.view) if found is not None and found.active is not None else None

    def sheets_in_group(self, group):
        found = self._group(group)
        return _sheets(found.sheets) if found is not None else []

    def views_in_group(self, group):
        found = self._group(group)
        return [View(sheet.view.id) for sheet in found.sheets if sheet.view is not None] if found is not None else []

    def transient_sheet_in_group(self, group):
        found = self._group(group)
        return make_sheet(found.transient) if found is not None else None

    def transient_view_in_group(self, group):
        found = self.transient_sheet_in_group(group)
        return found.view() if found is not None else None

    def layout(self):
        model = self._model()
        return to_value(model.layout if model is not None else SINGLE)

    @on_main
    def set_layout(self, layout):
        model = self._model()
        if model is not None:
            model.set_layout(to_value(layout))

    @on_main
    def create_output_panel(self, name, unlisted=False):
        model = self._model()
        return View(model.panels.create(as_text(name), bool(unlisted)).id if model is not None else 0)

    def find_output_panel(self, name):
        model = self._model()
        return _text_view(model.panels.output.get(as_text(name))) if model is not None else None

    @on_main
    def destroy_output_panel(self, name):
        model = self._model()
        if model is not None:
            model.panels.destroy(as_text(name))

    def active_panel(self):
        model = self._model()
        return model.panels.active if model is not None else None

    def panels(self):
        model = self._model()
        return model.panels.names() if model is not None else []

    @on_main
    def show_input_panel(self, caption, initial_text, on_done, on_change, on_cancel):
        model = self._model()
        for callback, what in ((on_done, "on_done"), (on_change, "on_change"), (on_cancel, "on_cancel")):
            as_callback(callback, what)
        caption, text = as_text(caption), as_text(initial_text)
        return View(
            model.panels.show_input(caption, text, on_done, on_change, on_cancel).id if model is not None else 0
        )

    @on_main
    def show_quick_panel(
        self, items, on_select, flags=QuickPanelFlags.NONE, selected_index=-1, on_highlight=None, placeholder=None
    ):
        model = self._model()
        if not callable(on_select):
            raise TypeError("on_select must be callable")
        rows = [_row(item) for item in items]
        if model is not None:
            model.panels.show_quick(
                rows,
                on_select,
                int(flags),
                as_point(selected_index),
                as_callback(on_highlight, "on_highlight"),
                placeholder or "",
            )

    def folders(self):
        model = self._model()
        return model.folders() if model is not None else []

    def project_file_name(self):
        model = self._model()
        return (model.project.file_name or None) if model is not None else None

    def workspace_file_name(self):
        model = self._model()
        return (model.project.workspace_file_name() or None) if model is not None else None

    def project_data(self):
        model = self._model()
        return to_value(model.project.data) if model is not None else None

    @on_main
    def set_project_data(self, data):
        model = self._model()
        if model is not None:
            model.project.set_data(data)

    def settings(self):
        if not self.settings_object:
            model = self._model()
            self.settings_object = Settings(model.settings.id if model is not None else current().view_settings(0).id)
        return self.settings_object

    def extract_variables(self):
        model = self._model()
        if model is None:
            return {}
        found = {"packages": current().resources.packages_path(), "platform": current().platform_title()}
        view = model.active_view()
        for prefix, path in (
            ("file", view.buffer.file_name if view is not None else ""),
            ("project", model.project.file_name),
        ):
            if path:
                stem, extension = os.path.splitext(os.path.basename(path))
                found.update(
                    {
                        prefix: path,
                        prefix + "_path": os.path.dirname(path),
                        prefix + "_name": os.path.basename(path),
                        prefix + "_base_name": stem,
                        prefix + "_extension": extension[1:],
                    }
                )
        if model.folders():
            found["folder"] = model.folders()[0]
        return found

    def status_message(self, msg):
        model = self._model()
        text = as_text(msg)
        if model is not None:
            model.status_message(text)


def _row(item):
    """One row of a quick panel as JSON. Raises TypeError for what is no row."""
    if isinstance(item, str):
        return {"trigger": as_text(item), "details": [], "annotation": ""}
    if isinstance(item, (list, tuple)):
        return {"trigger": as_text(item[0]), "details": [as_text(part) for part in item[1:]], "annotation": ""}
    if isinstance(item, QuickPanelItem):
        details = item.details if isinstance(item.details, (list, tuple)) else ([item.details] if item.details else [])
        return {
            "trigger": as_text(item.trigger),
            "details": [as_text(part) for part in details],
            "annotation": as_text(item.annotation),
        }
    raise TypeError("items must contain only str, list, tuple or QuickPanelItem objects")
