"""The handle of a view: its life, its text and its edits. What it shows is in the parts that it is composed of."""

from __future__ import annotations

from ..model.host import current
from ..model.values import Edit, Region, as_point, as_region, as_text
from ._gate import gated, on_main
from ._objects import Selection, Settings, TextSheet
from ._view_folds import ViewFolds
from ._view_look import ViewLook
from ._view_marks import ViewMarks
from ._view_text import ViewText

DEAD_EDIT = "Edit objects may not be used after the TextCommand's run method has returned"


@gated
class View(ViewText, ViewLook, ViewMarks, ViewFolds):
    """A view of a text. A handle of a closed view answers with empty values."""

    def __init__(self, id):
        self.view_id = id
        self.selection = Selection(id)
        self.settings_object = None

    def __len__(self):
        return self._model().buffer.size()

    def __hash__(self):
        return self.view_id

    def __eq__(self, other):
        return isinstance(other, View) and other.view_id == self.view_id

    def __bool__(self):
        return self.view_id != 0

    def __repr__(self):
        return "View(%r)" % (self.view_id,)

    def _model(self):
        return current().view(self.view_id)

    # -- identity --------------------------------------------------------------------------------
    def id(self):
        return self.view_id

    def buffer_id(self):
        return self._model().buffer.id

    def sheet_id(self):
        sheet = self._model().sheet
        return sheet.id if sheet is not None else 0

    def sheet(self):
        return TextSheet(self.sheet_id()) if self.sheet_id() else None

    def element(self):
        return self._model().element or None

    def is_valid(self):
        return self._model().buffer.id != 0

    def window(self):
        from ._window import Window

        window = self._model().window
        return Window(window.id) if window is not None else None

    def clones(self):
        model = self._model()
        return [View(other.id) for other in model.buffer.views if other is not model]

    def file_name(self):
        return self._model().buffer.file_name or None

    @on_main
    def close(self, on_close=lambda did_close: None):
        sheet = self._model().sheet
        if sheet is None:
            on_close(False)
            return False
        if sheet.transient and "stuck_previews" in current().quirks:
            on_close(False)
            return False
        if "late_close" in current().quirks:
            current().scheduler.set_timeout(lambda: current().files.close_sheet(sheet, on_close))
            return True
        return current().files.close_sheet(sheet, on_close)

    @on_main
    def retarget(self, new_fname):
        current().files.retarget(self._model(), as_text(new_fname))

    def name(self):
        return self._model().buffer.name

    def set_name(self, name):
        self._model().buffer.name = as_text(name)

    # -- state -----------------------------------------------------------------------------------
    def is_loading(self):
        return self._model().buffer.loading

    def is_dirty(self):
        return self._model().valid and self._model().buffer.dirty

    def is_read_only(self):
        return self._model().buffer.read_only

    def set_read_only(self, read_only):
        self._model().buffer.read_only = bool(read_only)

    def is_scratch(self):
        return self._model().buffer.scratch

    def set_scratch(self, scratch):
        self._model().buffer.scratch = bool(scratch)

    def encoding(self):
        return self._model().buffer.encoding if self._model().valid else "Undefined"

    def set_encoding(self, encoding_name):
        from ..model.encoding import CODECS, HEXADECIMAL

        name = as_text(encoding_name)
        if name in CODECS or name == HEXADECIMAL:
            self._model().buffer.encoding = name

    def line_endings(self):
        return self._model().buffer.line_endings

    def set_line_endings(self, line_ending_name):
        names = {"unix": "Unix", "windows": "Windows", "cr": "CR"}
        found = names.get(as_text(line_ending_name).lower())
        if found is not None:
            self._model().buffer.line_endings = found

    def settings(self):
        if not self.settings_object:
            self.settings_object = Settings(current().view_settings(self.view_id).id)
        return self.settings_object

    # -- editing ---------------------------------------------------------------------------------
    def begin_edit(self, edit_token, cmd, args=None):
        from ..model.commands import selections

        model = self._model()
        model.edits.append(edit_token)
        model.buffer.undo.open(cmd, args, selections(model.buffer))
        return Edit(edit_token)

    def end_edit(self, edit):
        from ..model.commands import selections

        model = self._model()
        if edit.edit_token in model.edits:
            model.edits.remove(edit.edit_token)
            model.buffer.undo.close(selections(model.buffer))
        edit.edit_token = 0

    def _editable(self, edit):
        """The model if the edit is alive and of this view. Raises ValueError otherwise."""
        if not isinstance(edit, Edit):
            raise TypeError("a sublime.Edit is required, not %s" % type(edit).__name__)
        if edit.edit_token == 0:
            raise ValueError(DEAD_EDIT)
        model = self._model()
        if edit.edit_token not in model.edits:
            raise ValueError("Edit objects may only be used with the view that they were made for")
        return model

    def insert(self, edit, pt, text):
        model, point, text = self._editable(edit), as_point(pt), as_text(text)
        if model.buffer.read_only:
            return 0
        text = _translated(model, text)
        point = model.buffer.clamp(point)
        model.buffer.replace(point, point, text)
        return len(text)

    def erase(self, edit, region):
        model, region = self._editable(edit), as_region(region)
        if not model.buffer.read_only:
            model.buffer.replace(model.buffer.clamp(region.begin()), model.buffer.clamp(region.end()), "")

    def replace(self, edit, region, text):
        model, region, text = self._editable(edit), as_region(region), as_text(text)
        if not model.buffer.read_only:
            text = _translated(model, text)
            start, end = model.buffer.clamp(region.begin()), model.buffer.clamp(region.end())
            quirks = current().quirks
            carets = [(view, Region(start)) for view in model.buffer.views if Region(start) in view.selection.regions]
            touched = any(region.begin() <= end and start <= region.end() for region in model.selection.regions)
            model.buffer.replace(start, end, text)
            if "replacing_selects" in quirks:
                for view, caret in carets:
                    _expand_caret(view, caret.b, end - start, len(text))
            if touched and "replacing_scrolls" in quirks:
                current().scheduler.set_timeout(lambda: _scroll_to_caret(model))

    def change_count(self):
        return self._model().buffer.change_count

    @on_main
    def run_command(self, cmd, args=None):
        current().commands.run_in_view(self._model(), cmd, args)

    def sel(self):
        return self.selection

    def clear_undo_stack(self):
        self._model().buffer.undo.clear()
        if "undo_counts" in current().quirks:
            self._model().buffer.change_count += 1


def _translated(model, text):
    """What an Edit puts into a view: no tabs where the view wants spaces, wherever in a line they stand.

    Evidence: sublimelsp/LSP 1164, GhostText 9, facelessuser/RegReplace 26. Only `append` has a switch against it.
    """
    if "\t" not in text or not model.settings.get("translate_tabs_to_spaces"):
        return text
    return text.replace("\t", " " * int(model.settings.get("tab_size", 4)))


def _scroll_to_caret(model):
    """What follows a `View.replace` around the caret: the view scrolls there, whatever the command has put back
    (sublimehq/sublime_text 2560).
    """
    if model.valid and model.selection.regions:
        current().show(model, model.selection.regions[0].b)


def _expand_caret(view, point, removed, inserted):
    """What `View.replace` makes of a caret at the start of what it replaces (sublime_text issues 1165 and 4144).

    Where nothing is replaced, the caret becomes a selection of the new text. Where the text gets longer, the caret
    moves by as much.
    """
    if inserted <= removed:
        return
    before = Region(point + inserted) if not removed else Region(point)
    after = (point, point + inserted) if not removed else (point + inserted - removed,) * 2
    view.selection.set([after if region == before else (region.a, region.b) for region in view.selection.regions])
    view.host.notes.selection(view)
