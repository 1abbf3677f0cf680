"""Watches which thread does what: the package's calls of the editor's API, and its looks at a workspace's files.

Rule: only what the package itself calls counts. The editor may do as it likes when it is asked for something, and so
may the tests; so the innermost frame that is not the standard library's decides whose call it is.
"""

from __future__ import annotations

import functools
import io
import os
import sys
import sysconfig
import threading
import time
from typing import Any, Callable, Dict, List, Optional
from unittest import mock

import sublime

PACKAGE = __package__.rpartition(".tests")[0] + ".companion"
STANDARD_LIBRARY = os.path.realpath(sysconfig.get_paths()["stdlib"])
FROM_ANY_THREAD = ("set_timeout", "set_timeout_async")
CLASSES = ("View", "Window", "Sheet", "TextSheet", "Settings", "Selection", "PhantomSet", "Buffer")
LOOKS = (
    "stat", "lstat", "open", "readlink", "access", "listdir", "scandir", "mkdir", "rmdir", "unlink", "remove", "rename",
    "replace", "link", "symlink", "truncate", "utime", "chmod", "chown",
)  # fmt: skip
LOOKS_AT_DESCRIPTORS = ("read", "write", "fsync", "ftruncate", "fstat")


class ThreadGuard:
    """`complaints` grows with each wrong call between `start` and `stop`; `calls` counts all, by kind."""

    def __init__(self, folder: str) -> None:
        self.complaints: List[str] = []
        self.calls: Dict[str, int] = {"editor": 0, "disk": 0}
        self._folder = folder
        self._main = threading.main_thread()
        self._patchers: List[Any] = []

    def start(self) -> None:
        """Main thread."""
        for name in dir(sublime):
            function = getattr(sublime, name)
            if name.startswith("_") or name in FROM_ANY_THREAD or isinstance(function, type) or not callable(function):
                continue
            self._patch(sublime, name, self._editor_call("sublime." + name, function))
        for class_name in CLASSES:
            owner = getattr(sublime, class_name, None)
            for name, function in list(vars(owner).items()) if owner is not None else []:
                if not name.startswith("_") and callable(function) and not isinstance(function, (type, staticmethod)):
                    self._patch(owner, name, self._editor_call(class_name + "." + name, function))
        for name in LOOKS:
            self._patch(os, name, self._look("os." + name, getattr(os, name), by_path=True))
        for name in LOOKS_AT_DESCRIPTORS:
            self._patch(os, name, self._look("os." + name, getattr(os, name), by_path=False))
        for owner in (io, __import__("builtins")):
            self._patch(owner, "open", self._look("open", open, by_path=True))

    def stop(self) -> None:
        """Main thread."""
        while self._patchers:
            self._patchers.pop().stop()

    def _patch(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        try:
            patcher = mock.patch.object(owner, name, function)
            patcher.start()
        except (AttributeError, TypeError):
            return  # this editor does not let it be replaced
        self._patchers.append(patcher)

    def _editor_call(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def call(*arguments: Any, **keywords: Any) -> Any:
            caller = package_caller()
            if caller is not None:
                self.calls["editor"] += 1
                if threading.current_thread() is not self._main:
                    self.complaints.append(f"{caller} called {name} on {threading.current_thread().name}")
            return real(*arguments, **keywords)

        return call

    def _look(self, name: str, real: Callable[..., Any], by_path: bool) -> Callable[..., Any]:
        @functools.wraps(real)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if not by_path or self._is_of_workspace(arguments[0] if arguments else None):
                caller = package_caller()
                # What is opened by whom is not known of a descriptor; discovery files are not the workspace's.
                if caller is not None and (by_path or not caller.startswith("discovery.")):
                    self.calls["disk"] += 1
                    if threading.current_thread() is self._main:
                        self.complaints.append(f"{caller} called {name} on the main thread")
            return real(*arguments, **keywords)

        return call

    def _is_of_workspace(self, path: Any) -> bool:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        return isinstance(path, str) and path.startswith(self._folder)


def package_caller() -> Optional[str]:
    """The place in the package from which the caller's caller is called, or None if that is somebody else."""
    frame = sys._getframe(2)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module != __name__ and not _is_standard(frame.f_code.co_filename):
            mine = module == PACKAGE or module.startswith(PACKAGE + ".")
            return f"{module[len(PACKAGE) + 1 :]}:{frame.f_lineno}" if mine else None
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _is_standard(file: str) -> bool:
    return file.startswith("<frozen") or (file.startswith(STANDARD_LIBRARY) and "site-packages" not in file)


class MainThreadTimer:
    """Notes how long each piece of work takes that the package has put on the main thread, in seconds of its own time.

    What other processes take away does not count, nor does waiting.
    """

    def __init__(self) -> None:
        self.pieces: List[float] = []
        self._patcher = mock.patch.object(sublime, "set_timeout", self._set_timeout)
        self._real = sublime.set_timeout

    def start(self) -> None:
        self._patcher.start()

    def stop(self) -> None:
        self._patcher.stop()

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and note how long it takes."""
        started = time.thread_time()
        try:
            return function(*arguments)
        finally:
            self.pieces.append(time.thread_time() - started)

    def _set_timeout(self, callback: Callable[[], Any], delay: int = 0) -> None:
        mine = package_caller() is not None
        self._real((lambda: self.run(callback)) if mine else callback, delay)
