"""The accepted texts of one window that are kept on the disk, and those left there, which are shown again.

Rules: everything runs on the main thread; files are touched on disk threads. The window in whose folders the file lies
shows a text again; if there is none, whichever asks first. What is in use in this run is shown by nobody.
"""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING, Callable, ClassVar, List, Set
from weakref import WeakSet

import sublime

from ..editor.file_views import same_key
from .document.kept_texts import KeptText, Text, left_over

if TYPE_CHECKING:
    from ..common.workers import Computation
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.review")

ELSEWHERE_MILLISECONDS = 1000  # after which a window that closes has gone
KEEP_SECONDS = 0.5  # that a small file may take to be made when the package ends


class Keeping:
    """Main thread only, except where noted."""

    _in_use: ClassVar[Set[str]] = set()  # names of files
    _all: ClassVar[WeakSet[Keeping]] = WeakSet()

    def __init__(self, window: sublime.Window, runtime: Runtime, show: Callable[[KeptText], None]) -> None:
        """`show` shows a text of an earlier run again."""
        self._window = window
        self._runtime = runtime
        self._show = show
        self._folder = os.path.join(os.path.dirname(sublime.cache_path()), "Package Storage", "Gemini Companion")
        self._keeping: List[Computation] = []
        self._all.add(self)

    def keep(self, path: str, client: str, content: str) -> KeptText:
        """Keep a text from now on, until `drop`. Any thread; returns at once."""
        kept = KeptText(self._folder, Text(path, client, content))
        self._in_use.add(kept.name)
        self._keeping = [each for each in self._keeping if not each.wait(0)]
        self._keeping.append(self._runtime.use_disk(kept.keep, then=_nothing))
        return kept

    def drop(self, kept: KeptText) -> None:
        """The text has been written, or is shown."""
        self._runtime.use_disk(kept.drop, then=_nothing)

    def leave(self, kept: KeptText) -> None:
        """Nobody here does anything for the text any more: another window, or the next run, shows it again."""
        self._in_use.discard(kept.name)
        self._runtime.later_on_main(ELSEWHERE_MILLISECONDS, self._recover_elsewhere)

    def wait(self) -> None:
        """Wait until what is to be kept is on the disk, for `KEEP_SECONDS` at most. Any thread."""
        end = time.monotonic() + KEEP_SECONDS
        for each in self._keeping:
            each.wait(max(0.0, end - time.monotonic()))

    def recover(self) -> None:
        """Show again, a moment later, what a run left that ended too early; nothing in a window that has gone."""
        if self._window.is_valid():
            self._runtime.use_disk(left_over, self._folder, then=self._found)

    def _recover_elsewhere(self) -> None:
        for each in list(self._all):
            each.recover()

    def _found(self, found: List[KeptText]) -> None:
        for kept in found:
            if kept.name not in self._in_use and self._window.is_valid() and self._is_for_this_window(kept.text.path):
                self._in_use.add(kept.name)
                self._show(kept)
                self.drop(kept)

    def _is_for_this_window(self, path: str) -> bool:
        if _is_inside(path, self._window):
            return True
        return not any(_is_inside(path, window) for window in sublime.windows())


def _is_inside(path: str, window: sublime.Window) -> bool:
    return any(same_key(path).startswith(os.path.join(same_key(folder), "")) for folder in window.folders())


def _nothing(_: object) -> None:
    """What is done with the result."""
