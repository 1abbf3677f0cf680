"""Writes the accepted text to the file, if the client has gone or asks for it.

Theory of operation: a disk thread finds out which tabs show the file. If none does, it writes the file in the same
step. Otherwise the main thread looks whether the user has typed into one of them meanwhile; if not, a disk thread
writes the file, and the tabs are read again.

Rules: unsaved edits are never lost, and a file that changed meanwhile is never overwritten: it is looked at in the very
step that writes, however long the main thread was busy before. So is its path by a guard, where the text may not be
written everywhere, because a link may lead elsewhere a moment later. Folders are made for new files in the workspace
alone: elsewhere, one that does not exist is that of another machine, whose program a forwarded port has led here. No
look at the disk and no write happens on the main thread. A window that closes, and a package that ends, waits for what
is being written, but only for a moment: the disk may be a dead network drive.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import AbstractSet, Any, Callable, FrozenSet, List, Mapping, Optional

import sublime

from ...common.clock import clock
from ...common.workers import Computation
from ...editor import file_views
from ...editor.storage import storage_folder
from ...runtime import Runtime
from . import disk
from .disk import DiskError, Original
from .text import UTF_8, codec_of, plain

logger = logging.getLogger("gemini_companion.review")

WRITE_SECONDS = 2.0  # how long a window that closes waits

NO_FOLDER = "{} is not written here: its folder {} does not exist on this machine."

IsInside = Callable[[str], bool]
"""Whether a path lies in a workspace folder that exists. Called on a disk thread."""
Guard = Callable[[str], None]
"""Raises `DiskError` if the file at a path may not be written. Called on a disk thread, just before it is opened."""


class NoFolderError(DiskError):
    """The file's folder does not exist on this machine."""


def no_folder(path: str, is_inside: IsInside) -> str:
    """Why a file is not written: its folder does not exist here and may not be made. Empty if it may be written. Disk
    thread."""
    folder = os.path.dirname(path)
    return "" if os.path.isdir(folder) or is_inside(path) else NO_FOLDER.format(os.path.basename(path), folder)


class Write:
    """One accepted text on its way into its file. Main thread only, but for the steps on disk threads.

    `first` is called on the disk thread, before the file is looked at. Folders are made where `is_inside` says so.
    `done` is called once, on the main thread, with None or with what went wrong; the file holds its old text then.
    Without a `guard` the file may lie anywhere.
    """

    def __init__(
        self,
        runtime: Runtime,
        original: Original,
        text: str,
        first: Callable[[], None],
        is_inside: IsInside,
        done: Callable[[Optional[DiskError]], None],
        guard: Optional[Guard] = None,
    ) -> None:
        self._runtime = runtime
        self._original = original
        self._text = text
        self._first = first
        self._is_inside = is_inside
        self._guard = guard
        self._storage = storage_folder()  # which knows of it meanwhile
        self._done: Optional[Callable[[Optional[DiskError]], None]] = done
        self.name = os.path.basename(original.path)
        self._computation: Optional[Computation] = None

    @property
    def under_way(self) -> bool:
        """Whether `done` was not called yet."""
        return self._done is not None

    def start(self) -> None:
        """Begin. Returns at once."""
        unsaved = file_views.unsaved_files()  # whatever a link to the file is called
        shown = [view for view in file_views.views_named_like(self._original.path) if not view.is_loading()]
        names = {view.file_name() or "" for view in shown} | unsaved
        self._use_disk(self._write_or_find_tabs, names, unsaved, then=self._tabs_found)

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for the disk thread. Any thread; the editor's API is not used."""
        if self._computation is not None:
            self._computation.wait(seconds)

    def finish(self, seconds: float) -> bool:
        """Wait up to `seconds` until the text is written, and call `done` at once. False if it takes longer."""
        end = clock.now() + seconds
        while self._done is not None:
            computation = self._computation
            if computation is None or not computation.wait(max(0.0, end - clock.now())):
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

    def _use_disk(self, function: Callable[..., Any], *args: Any, then: Callable[[Any], None]) -> None:
        self._computation = self._runtime.use_disk(function, *args, then=then, failed=self._failed)

    def _tabs_found(self, tabs: Optional[FrozenSet[str]]) -> None:
        if tabs is None:
            self._end(None)
            return
        shown = self._shown(tabs)
        if any(view.is_dirty() for view in shown):  # the user has just typed into it
            self._end(_unsaved(self.name))
        elif any(view.is_read_only() for view in shown):
            self._end(DiskError(f"{self.name} is read-only."))
        else:
            # The editor may notice the write before we do, and then takes the encoding that it would of itself.
            encodings = {view.id(): view.encoding() for view in shown}
            self._use_disk(self._write, tabs, then=partial(self._written, tabs, encodings))

    def _written(self, tabs: FrozenSet[str], encodings: Mapping[int, str], _: object) -> None:
        text = plain(self._text)
        for view in self._shown(tabs):
            if view.is_dirty():
                # Typed in while the file was being written. The editor asks, as for what any program writes.
                logger.info("a tab has unsaved edits of the text that a file had before it was written")
            elif view.substr(sublime.Region(0, view.size())) != text:
                _read_again(view, encodings.get(view.id(), view.encoding()))
        self._end(None)

    def _shown(self, tabs: FrozenSet[str]) -> List[sublime.View]:
        return [view for view in file_views.views_of_file(self._original.path, tabs) if not view.is_loading()]

    # -- on a disk thread ---------------------------------------------------------------------------------------------

    def _write_or_find_tabs(
        self, names: AbstractSet[str], unsaved: FrozenSet[str], cancelled: Callable[[], bool]
    ) -> Optional[FrozenSet[str]]:
        """Write the file unless tabs show it; then return their files."""
        self._first()
        tabs = disk.same_files(self._original.path, names)
        if tabs & unsaved:
            raise _unsaved(self.name)
        if tabs:
            return tabs
        self._write(tabs, cancelled)
        return None

    def _write(self, tabs: FrozenSet[str], cancelled: Callable[[], bool]) -> None:
        data = disk.encoded(self._original, self._text)
        problem = no_folder(self._original.path, self._is_inside)
        if problem:
            raise NoFolderError(problem)
        if self._guard is not None:
            for path in (self._original.path, *tabs):
                self._guard(path)
        disk.write(self._original, data, self._storage)


class Writes:
    """The writes under way. Main thread only. `first` and `is_inside` are as for each `Write`."""

    def __init__(self, runtime: Runtime, first: Callable[[], None], is_inside: IsInside) -> None:
        self._runtime = runtime
        self._first = first
        self._is_inside = is_inside
        self._writes: List[Write] = []

    def begin(
        self, original: Original, text: str, done: Callable[[Optional[DiskError]], None], guard: Optional[Guard] = None
    ) -> None:
        """Write `text`. `done` hears what went wrong; `guard` has the last word on whether the file may be written."""
        write = Write(self._runtime, original, text, self._first, self._is_inside, done, guard)
        self._writes = [*(each for each in self._writes if each.under_way), write]
        write.start()

    def finish(self) -> None:
        """Wait for all of them, `WRITE_SECONDS` at most, and forget those that take longer."""
        end = clock.now() + WRITE_SECONDS
        writes, self._writes = self._writes, []
        for write in writes:
            if not write.finish(max(0.0, end - clock.now())):
                logger.error("%s was still being written when its window closed", write.name)

    def wait(self) -> None:
        """Like `finish`, but `done` is never called: for when the editor's API may no longer be used."""
        end = clock.now() + WRITE_SECONDS
        for write in self._writes:
            write.wait(max(0.0, end - clock.now()))


def _read_again(view: sublime.View, encoding: str) -> None:
    """Have the editor read the tab's file again, in the encoding that it had. Main thread; the text may come later."""
    if encoding == UTF_8 or encoding.endswith(" with BOM") or codec_of(encoding) is None:
        view.run_command("revert")
    else:  # of itself it might take another one for the file
        view.run_command("reopen", {"encoding": encoding})


def _unsaved(name: str) -> DiskError:
    return DiskError(f"{name} has unsaved edits in a tab: save or revert them, then accept again.")
