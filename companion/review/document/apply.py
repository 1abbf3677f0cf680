"""Writes the accepted text to the file, if the client has gone or asks for it.

Theory of operation: a disk thread finds out which tabs show the file. If none does, it writes the file in the same
step. Otherwise the editor saves the tab, so that the tab and its undo history are up to date. Before that the disk
thread secures the old text, and afterwards it makes sure that the file is whole.

Rules: unsaved edits are never lost, and a file that changed meanwhile is never overwritten. Where the text may not be
written everywhere, a guard judges the path in the very step that writes, because a link may lead elsewhere a moment
later. No look at the disk and no write happens on the main thread.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, NamedTuple, Optional

import sublime

from ...editor import file_views
from ...editor.edits import set_text
from . import disk
from .disk import DiskError, Kind, Original, Saving
from .preparation import same_files
from .text import plain

if TYPE_CHECKING:
    from ...runtime import Runtime
    from ...workers import Computation

Guard = Callable[[str], None]
"""Raises `DiskError` if the file at a path may not be written. Called on a disk thread, just before it is opened."""

SAVE_SECONDS = 10.0  # how long the editor may take to save a tab
_LOOK_MILLISECONDS = 10

# What the editor might change on saving; the accepted text is saved exactly as it is.
_WHILE_SAVING: Dict[str, Any] = {
    "ensure_newline_at_eof_on_save": False,
    "trim_trailing_white_space_on_save": "none",
}


class _Tabs(NamedTuple):
    """What is needed to write the file through a tab. `files` are the names of the tabs, `text` is the plain text."""

    saving: Saving
    files: FrozenSet[str]
    text: str


class _Save(NamedTuple):
    """A tab while the editor saves it: its own settings, how often it had changed when it was `given` the text, and the
    moment until which saving may take."""

    view: sublime.View
    kept: Dict[str, Any]
    given: int
    saving: Saving
    end: float  # on the steady clock


class Write:
    """One accepted text on its way into its file. Main thread only.

    `done` is called once, on the main thread, with None or with what went wrong; the file holds its old text then.
    Without a `guard` the file may lie anywhere.
    """

    def __init__(
        self,
        runtime: Runtime,
        original: Original,
        text: str,
        done: Callable[[Optional[DiskError]], None],
        guard: Optional[Guard] = None,
    ) -> None:
        self._runtime = runtime
        self._original = original
        self._text = text
        self._guard = guard
        self._done: Optional[Callable[[Optional[DiskError]], None]] = done
        self.name = os.path.basename(original.path)
        self._computation: Optional[Computation] = None
        self._save_again: Optional[Callable[[], None]] = None  # set while the editor saves a tab in the background

    def start(self) -> None:
        """Begin. Returns at once."""
        shown = [view for view in file_views.views_named_like(self._original.path) if not view.is_loading()]
        names = {view.file_name() or "": "" for view in shown}
        dirty = frozenset(view.file_name() or "" for view in shown if view.is_dirty())
        self._computation = self._runtime.use_disk(
            _write_or_find_tabs,
            self._original,
            self._text,
            names,
            dirty,
            self._guard,
            then=self._looked,
            failed=self._failed,
        )

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for the disk thread. Any thread; the editor's API is not used."""
        if self._computation is not None:
            self._computation.wait(seconds)

    def finish(self, seconds: float) -> bool:
        """Wait up to `seconds` until the text is written, and call `done` at once. False if it takes longer."""
        end = time.monotonic() + seconds
        while self._done is not None:
            if self._save_again is not None:
                self._save_again()
            computation = self._computation
            if computation is None or not computation.wait(max(0.0, end - time.monotonic())):
                return False
            computation.deliver()
        return True

    def _end(self, error: Optional[DiskError]) -> None:
        done, self._done, self._computation = self._done, None, None
        if done is not None:
            done(error)

    def _failed(self, error: Exception) -> None:
        self._end(error if isinstance(error, DiskError) else DiskError(f"{self.name} cannot be written."))
        if not isinstance(error, DiskError):
            raise error  # which is reported

    def _looked(self, tabs: Optional[_Tabs]) -> None:
        if tabs is None:
            self._end(None)
            return
        files = tabs.files
        shown = [view for view in file_views.views_of_file(self._original.path, files) if not view.is_loading()]
        if not shown or any(view.is_dirty() for view in shown):
            # The user has just closed the tab or typed into it.
            self._abandon(tabs.saving, self.start)
            return
        view = shown[0]
        if view.is_read_only():
            self._abandon(tabs.saving, lambda: self._end(DiskError(f"{self.name} is read-only.")))
            return
        settings = view.settings()
        kept = {key: settings.get(key) for key in _WHILE_SAVING if settings.has(key)}
        for key, value in _WHILE_SAVING.items():
            settings.set(key, value)
        before = view.change_count()
        set_text(view, tabs.text)
        given = view.change_count()
        if given != before:
            view.run_command("save", {"async": True})
        self._await_save(_Save(view, kept, given, tabs.saving, time.monotonic() + SAVE_SECONDS))

    def _abandon(self, saving: Saving, then: Callable[[], None]) -> None:
        self._computation = self._runtime.use_disk(_abandon, saving, then=lambda _: then(), failed=self._failed)

    def _await_save(self, save: _Save) -> None:
        view = save.view
        self._save_again = None
        if file_views.is_open(view) and view.is_dirty() and time.monotonic() < save.end:

            def save_again() -> None:
                view.run_command("save")
                self._await_save(save._replace(end=0.0))

            self._save_again = save_again
            self._runtime.later_on_main(_LOOK_MILLISECONDS, self._look_again, save)
            return
        saved = view.is_valid() and not view.is_dirty()
        changed = saved and view.change_count() != save.given  # by another package, or read again from the file
        held = view.substr(sublime.Region(0, view.size())) if changed else None
        if file_views.is_open(view):
            settings = view.settings()
            for key in _WHILE_SAVING:
                settings.erase(key)
                if key in save.kept and settings.get(key) != save.kept[key]:
                    settings.set(key, save.kept[key])
            if not saved:
                view.run_command("undo")
        self._computation = self._runtime.use_disk(
            _settle, save.saving, saved, held, then=lambda _: self._end(None), failed=self._failed
        )

    def _look_again(self, save: _Save) -> None:
        if self._save_again is not None:
            self._await_save(save)


def _write_or_find_tabs(
    original: Original,
    text: str,
    tabs: Dict[str, str],
    dirty: FrozenSet[str],
    guard: Optional[Guard],
    cancelled: Callable[[], bool],
) -> Optional[_Tabs]:
    """Write the file unless tabs show it; then return them. Disk thread."""
    files = same_files(original.path, tabs)
    if files & dirty:
        name = os.path.basename(original.path)
        raise DiskError(f"{name} has unsaved edits in a tab: save or revert them, then accept again.")
    data = disk.encoded(original, text)
    if guard is not None:
        for path in (original.path, *files):  # the editor saves a tab under the tab's own name
            guard(path)
    if files and original.kind is not Kind.NEW:
        return _Tabs(Saving(original, data), files, plain(text))
    disk.write(original, data)
    return None


def _settle(saving: Saving, saved: bool, held: Optional[str], cancelled: Callable[[], bool]) -> None:
    saving.settle(saved, held)


def _abandon(saving: Saving, cancelled: Callable[[], bool]) -> None:
    saving.abandon()
