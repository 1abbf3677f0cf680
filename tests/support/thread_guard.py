"""Watches which thread does what: the package's calls of the editor's API, and its looks at a workspace's files.

Rule: only what the package itself calls counts. The editor may do as it likes when it is asked for something, and so
may the tests; so the innermost frame that is not the standard library's decides whose call it is.
"""

from __future__ import annotations

import functools
import inspect
import io
import os
import sys
import sysconfig
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple
from unittest import mock

import sublime
import sublime_plugin

from .work import Work

PACKAGE = __package__.rpartition(".tests")[0] + ".companion"
PASSED = {__name__, PACKAGE + ".system.files"}  # whoever uses them is told of
STANDARD_LIBRARY = os.path.realpath(sysconfig.get_paths()["stdlib"])
NOT_WATCHED = (type, staticmethod, classmethod)
FROM_ANY_THREAD = (
    "set_timeout",
    "set_timeout_async",
    "platform",
    "cache_path",
    "load_resource",
    "decode_value",
)  # none asks a view
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
            for name, function in _methods(owner):
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

    def watches(self, method: Any) -> bool:
        """Whether calls of a method are noticed."""
        return getattr(method, "__globals__", None) is globals()

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


def _methods(owner: Any) -> List[Tuple[str, Callable[..., Any]]]:
    """The public methods of a class of the editor, inherited ones included: a host may divide a class among several."""
    found = [(name, inspect.getattr_static(owner, name)) for name in dir(owner) if not name.startswith("_")]
    return [
        (name, function) for name, function in found if callable(function) and not isinstance(function, NOT_WATCHED)
    ]


def package_caller() -> Optional[str]:
    """The place in the package from which the caller's caller is called, or None if that is somebody else."""
    frame = sys._getframe(2)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module not in PASSED and not _is_standard(frame.f_code.co_filename):
            mine = module == PACKAGE or module.startswith(PACKAGE + ".")
            return f"{module[len(PACKAGE) + 1 :]}:{frame.f_lineno}" if mine else None
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _is_standard(file: str) -> bool:
    return file.startswith("<frozen") or (file.startswith(STANDARD_LIBRARY) and "site-packages" not in file)


class MainThreadWork:
    """Counts each piece of work that the package has put on the main thread: how many calls it takes.

    What the editor does when it is called does not count, be that in its own process or in this one: how much that may
    be is seen by `longest`.
    """

    def __init__(self) -> None:
        self.pieces: List[int] = []
        self._given = 0  # to the editor or by it, in characters
        self._work = Work()
        self._main = threading.main_thread()
        self._patchers: List[Any] = []
        self._real = sublime.set_timeout
        self._in_piece = False

    @property
    def longest(self) -> int:
        """Characters of the longest text that was worked on, handed over, or taken, at once."""
        return max(self._given, self._work.longest)

    def start(self) -> None:
        """Main thread."""
        self._patch(sublime, "set_timeout", self._set_timeout)
        for class_name in CLASSES:
            owner = getattr(sublime, class_name, None)
            for name, function in _methods(owner):
                self._patch(owner, name, self._call(function, in_editor=True))
        for command in sublime_plugin.text_command_classes:  # the editor calls these back
            if command.__module__.startswith(PACKAGE.rpartition(".")[0] + "."):
                self._patch(command, "run", self._call(command.run, in_editor=False))

    def stop(self) -> None:
        """Main thread."""
        while self._patchers:
            self._patchers.pop().stop()

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function as a piece of its own."""
        before, self._in_piece = self._work.calls, True
        try:
            with self._work.counted():
                return function(*arguments)
        finally:
            self._in_piece = False
            self.pieces.append(self._work.calls - before)

    def _patch(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        patcher = mock.patch.object(owner, name, function)
        patcher.start()
        self._patchers.append(patcher)

    def _call(self, real: Callable[..., Any], in_editor: bool) -> Callable[..., Any]:
        @functools.wraps(real)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if threading.current_thread() is not self._main or not self._in_piece:
                return real(*arguments, **keywords)
            if not in_editor:
                with self._work.counted():
                    return real(*arguments, **keywords)
            former = sys.getprofile()
            sys.setprofile(None)
            try:
                result = real(*arguments, **keywords)
                if package_caller() is not None:
                    texts = [text for text in (*arguments, result) if isinstance(text, str)]
                    self._given = max([self._given, *map(len, texts)])
                return result
            finally:
                sys.setprofile(former)

        return call

    def _set_timeout(self, callback: Callable[[], Any], delay: int = 0) -> None:
        mine = package_caller() is not None
        self._real((lambda: self.run(callback)) if mine else callback, delay)
