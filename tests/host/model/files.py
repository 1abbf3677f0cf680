"""Files and sheets: open, load, save, revert, reload, clone, close.

Rule kept here: nothing unsaved is lost without a dialog; a dirty buffer is never reloaded.
"""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Optional, Tuple

from . import encoding as codec
from . import placeholders
from .buffer import BufferModel
from .sheet import SheetModel
from .syntaxes import PLAIN
from .view import ViewModel

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")
ENCODED_POSITION, TRANSIENT, FORCE_GROUP, ADD_TO_SELECTION, FORCE_CLONE = 1, 4, 8, 32, 256


def split_position(name: str) -> Tuple[str, Optional[int], Optional[int]]:
    """`path:row:col` or `path:row`, numbers from 1."""
    match = re.match(r"(.*?)(?::(\d+))?(?::(\d+))?$", name, re.DOTALL)
    assert match is not None
    path, row, column = match.groups()
    return path, int(row) if row else None, int(column) if column else None


class Files:
    """What the File menu does, for all windows. Main thread."""

    def __init__(self, host: Any):
        self._host = host

    # -- making views ----------------------------------------------------------------------------
    def new_buffer(self) -> BufferModel:
        buffer = BufferModel(self._host.next_id("buffer"), self._host.lock)
        buffer.line_endings = self._host.default_line_ending()
        self._host.buffers[buffer.id] = buffer
        return buffer

    def new_view(self, window: Any, buffer: BufferModel, flags: int, group: int) -> ViewModel:
        """A view of a buffer in a sheet of its own, shown but not told of yet."""
        view = ViewModel(self._host, buffer, window)
        sheet = SheetModel(self._host, window, view)
        self._host.views[view.id] = view
        window.add_sheet(sheet, group, transient=bool(flags & TRANSIENT), select=bool(flags & ADD_TO_SELECTION))
        return view

    def new_file(self, window: Any, flags: int = 0, syntax: str = "") -> ViewModel:
        buffer = self.new_buffer()
        view = self.new_view(window, buffer, flags, -1)
        view.settings.own["syntax"] = self._host.syntaxes.resolve(syntax) if syntax else PLAIN
        window.panels.blur()
        self._host.events.view("on_new", view)
        self._host.focus.update()
        return view

    def clone(self, view: ViewModel, window: Any = None, group: int = -1, flags: int = 0) -> ViewModel:
        copy = self.new_view(window or view.window, view.buffer, flags, group)
        copy.settings.own.update(view.settings.own)
        copy.selection.set(view.selection.copy())
        copy.viewport = view.viewport
        self._host.events.view("on_clone", copy)
        return copy

    # -- opening ---------------------------------------------------------------------------------
    def find(self, window: Any, path: str, group: int = -1) -> Optional[ViewModel]:
        wanted = _key(path)
        for number, candidate in enumerate(window.groups):
            if group in (-1, number):
                for sheet in candidate.all():
                    name = sheet.file_name
                    if sheet.view is not None and name and _key(name) == wanted:
                        return sheet.view
        return None

    def open_image(self, window: Any, path: str, flags: int = 0, group: int = -1) -> bool:
        """Show an image in a sheet that is no view; False if the file is none."""
        if not path.lower().endswith(IMAGES) or not os.path.isfile(path):
            return False
        path = os.path.abspath(path)
        sheet = next((each for each in window.sheets() if each.view is None and each.path == path), None)
        if sheet is None:
            sheet = SheetModel(self._host, window, None, path)
            window.add_sheet(sheet, group, transient=bool(flags & TRANSIENT), select=bool(flags & ADD_TO_SELECTION))
        window.focus_sheet(sheet)
        return True

    def open(self, window: Any, name: str, flags: int = 0, group: int = -1) -> ViewModel:
        row = column = None
        if flags & ENCODED_POSITION:
            name, row, column = split_position(name)
        path = os.path.abspath(name)
        forced = (group if group >= 0 else window.active_group) if flags & FORCE_GROUP else -1
        view = None if flags & FORCE_CLONE else self.find(window, path, forced)
        if view is None:
            view = self._open_new(window, path, flags, group)
        elif not flags & TRANSIENT:
            view.sheet.promote()
        stays = window.group_of(view.sheet) == window.active_group
        window.active_group = window.group_of(view.sheet)
        window.groups[window.active_group].show(view.sheet, keep_selection=bool(flags & ADD_TO_SELECTION))
        window.panels.blur(stays)
        self._host.focus.update()
        if row is not None:
            self._when_loaded(view, lambda: self._go_to(view, row, column))
        return view

    def _open_new(self, window: Any, path: str, flags: int, group: int) -> ViewModel:
        buffer = next((b for b in self._host.buffers.values() if b.file_name and _key(b.file_name) == _key(path)), None)
        if buffer is not None:
            view = self.new_view(window, buffer, flags, group)
            self._host.events.view("on_clone", view)
            return view
        buffer = self.new_buffer()
        buffer.file_name, buffer.loading = path, True
        view = self.new_view(window, buffer, flags, group)
        view.settings.own["syntax"] = self._host.syntaxes.for_file(path)
        self._host.remember_file(window, path)
        self._host.scheduler.set_timeout(lambda: self._load(buffer))
        return view

    def _load(self, buffer: BufferModel) -> None:
        if buffer.id not in self._host.buffers or not buffer.loading:
            return
        self.fill(buffer)
        buffer.loading = False
        for view in list(buffer.views):
            self._host.events.view("on_load", view)

    def fill(self, buffer: BufferModel) -> None:
        """Give a buffer the text of its file; without a file it stays empty."""
        loaded = self.read(buffer.file_name)
        if loaded is not None:
            buffer.load(loaded.text)
            buffer.encoding, buffer.line_endings = loaded.encoding, loaded.line_endings
        buffer.disk_state = disk_state(buffer.file_name)

    def read(self, path: str, encoding: Optional[str] = None) -> Optional[codec.Loaded]:
        """Read and decode a file; None (and a line in the console) if that is impossible."""
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._host.console("Unable to open %s: %s" % (path, error))
            return None
        preferences = self._host.preferences()
        return codec.decode(
            data,
            encoding=encoding,
            fallback=preferences.get("fallback_encoding"),
            default_ending=self._host.default_line_ending(),
            hexadecimal=bool(preferences.get("enable_hexadecimal_encoding")),
        )

    def _when_loaded(self, view: ViewModel, function: Callable[[], None]) -> None:
        if view.buffer.loading:
            self._host.scheduler.set_timeout(lambda: self._when_loaded(view, function))
        else:
            function()

    def _go_to(self, view: ViewModel, row: int, column: Optional[int]) -> None:
        point = view.buffer.text_point(row - 1, (column or 1) - 1, clamp=True)
        view.set_selection([(point, point)])
        self._host.show(view, point)

    # -- saving ----------------------------------------------------------------------------------
    def save(self, view: ViewModel, path: Optional[str] = None) -> bool:
        """Write the buffer; without a file name a save dialog asks for one. False when nothing was written."""
        buffer = view.buffer
        target = path or buffer.file_name or self._host.dialogs.ask("save", "Save As", name=view.title())
        if not target:
            return False
        renamed = target != buffer.file_name
        if renamed and path is None:
            buffer.file_name = os.path.abspath(target)
        elif renamed:
            self.retarget(view, target)
        self._host.events.view("on_pre_save", view)
        if view.settings.get("ensure_newline_at_eof_on_save") and buffer.text and not buffer.text.endswith("\n"):
            buffer.replace(buffer.size(), buffer.size(), "\n")
        try:
            data = codec.encode(buffer.text, buffer.encoding, buffer.line_endings)
        except UnicodeEncodeError:
            self._host.console("%s cannot hold this text, saving as UTF-8" % buffer.encoding)
            buffer.encoding = "UTF-8"
            data = codec.encode(buffer.text, buffer.encoding, buffer.line_endings)
        try:
            os.makedirs(os.path.dirname(buffer.file_name), exist_ok=True)
            with open(buffer.file_name, "wb") as file:
                file.write(data)
        except OSError as error:
            self._host.dialogs.ask("error", "Unable to save %s: %s" % (buffer.file_name, error))
            return False
        buffer.undo.mark_saved()
        buffer.disk_state, buffer.deleted_on_disk = disk_state(buffer.file_name), False
        for shown in buffer.views:
            if shown.sheet is not None:
                shown.sheet.promote()
        self._host.events.view("on_post_save", view)
        return True

    def retarget(self, view: ViewModel, path: str) -> None:
        """Change where the buffer will be saved; the text stays as it is."""
        view.buffer.file_name = os.path.abspath(path) if path else ""
        view.buffer.disk_state = disk_state(view.buffer.file_name)
        if view.settings.own.get("syntax", PLAIN) == PLAIN:
            view.settings.own["syntax"] = self._host.syntaxes.for_file(path)

    # -- reading again ---------------------------------------------------------------------------
    def revert(self, view: ViewModel, encoding: Optional[str] = None) -> None:
        """Throw unsaved changes away and read the file again."""
        if "late_reverts" in self._host.quirks:
            self._host.scheduler.set_timeout(lambda: self._read_again(view.buffer, "on_revert", encoding))
        else:
            self._read_again(view.buffer, "on_revert", encoding)

    def check_disk(self) -> None:
        """Look for files that others have changed: clean buffers are read again, dirty ones keep their text."""
        for buffer in list(self._host.buffers.values()):
            if not buffer.file_name or buffer.loading:
                continue
            state = disk_state(buffer.file_name)
            if state == buffer.disk_state:
                continue
            buffer.disk_state = state
            buffer.deleted_on_disk = state is None
            if state is not None and not buffer.dirty:
                self._read_again(buffer, "on_reload", None)

    def _read_again(self, buffer: BufferModel, event: str, encoding: Optional[str]) -> None:
        loaded = self.read(buffer.file_name, encoding) if buffer.file_name else None
        if loaded is None:
            return
        buffer.disk_state = disk_state(buffer.file_name)
        changed = loaded.text != buffer.text
        if changed:
            start, end, text = _difference(buffer.text, loaded.text)
            buffer.undo.open(event[3:], None, {})
            buffer.replace(start, end, text)
            buffer.undo.close({})
        buffer.encoding, buffer.line_endings = loaded.encoding, loaded.line_endings
        buffer.undo.mark_saved()
        for view in list(buffer.views):
            self._host.events.view(event, view)
        self._host.notes.flush()

    # -- closing ---------------------------------------------------------------------------------
    def close_sheet(
        self, sheet: SheetModel, on_close: Optional[Callable[[bool], Any]] = None, *, ask: bool = True
    ) -> bool:
        """Close a tab. A dirty buffer whose last view this is asks first. False if the user cancels."""
        done = sheet.window is not None and self._close(sheet, ask)
        if on_close is not None:
            self._host.scheduler.call(on_close, done)
        return done

    def _close(self, sheet: SheetModel, ask: bool) -> bool:
        view, window = sheet.view, sheet.window
        if view is None:
            window.detach_sheet(sheet)
            return self._closed(sheet, window)
        if ask and view.buffer.dirty and len(view.buffer.views) == 1:
            answer = self._host.dialogs.ask("save_changes", "Save changes to %s?" % view.title())
            if answer == "cancel" or (answer == "save" and not self.save(view)):
                return False
        self._host.events.view("on_pre_close", view)
        if sheet.window is None:
            return True
        if self._host.focus.current is view:
            self._host.events.view("on_deactivated", view)
            self._host.focus.forget(view)
        window.detach_sheet(sheet)
        sheet.window = None
        view.detach_settings()
        view.window = view.sheet = None
        self._host.events.view("on_close", view)
        self._host.forget_view(view)
        return self._closed(sheet, window)

    def _closed(self, sheet: SheetModel, window: Any) -> bool:
        sheet.window = None
        self._host.sheets.pop(sheet.id, None)
        window.settle()
        if not window.unsettled and not placeholders.close_if_empty(window):
            self._host.focus.update()
        return True


def disk_state(path: str) -> Any:
    """What tells two states of a file apart; None if there is no file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _key(path: str) -> str:
    return os.path.normcase(os.path.normpath(path))


def _difference(old: str, new: str) -> Tuple[int, int, str]:
    """The stretch of `old` to replace, and by what: common beginnings and ends stay untouched."""
    start = len(os.path.commonprefix([old, new]))
    limit = min(len(old), len(new)) - start
    tail = len(os.path.commonprefix([old[::-1][:limit], new[::-1][:limit]]))
    return start, len(old) - tail, new[start : len(new) - tail]
