"""Runs inside the plugin host: tells the package's own time on the main thread from the time that the editor takes.

The headless editor is written in Python and slow where the real one is not, so its time must not count. Whatever the
package is called with (a timer, a listener, a command) is a slice. Within it, time passes either in the package or,
from a call of the API until its return, in the editor; a listener that the editor calls meanwhile is the package again.
Rule: only what the documented API offers is wrapped, and only what happens on the main thread is counted.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections import Counter
from typing import Any, Callable, List

import sublime

PACKAGE, EDITOR = 0, 1


class Probe:
    """Counts from `install` on; `slices` holds [name, seconds in the package, seconds in the editor]."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.slices: List[List[Any]] = []
        self._stack: List[int] = []
        self._spent = [0.0, 0.0]
        self._since = 0.0
        self._main = threading.main_thread()

    def install(self) -> None:
        """Wrap the API, and with it every timer that is set from now on."""
        for value in list(vars(sublime).values()):
            if inspect.isclass(value) and value.__module__ == "sublime":
                self._wrap_methods(value)
        for name, value in list(vars(sublime).items()):
            if inspect.isfunction(value) and not name.startswith("_") and name != "set_timeout":
                setattr(sublime, name, self._editor(value))
        set_timeout = sublime.set_timeout

        def set_timeout_of_slice(callback: Callable[[], Any], delay: int = 0) -> None:
            set_timeout(self.package("a timer", callback), delay)

        sublime.set_timeout = self._editor(set_timeout_of_slice)

    def wrap(self, listener: type) -> None:
        """Count the calls of a listener's or command's own methods."""
        for name, value in list(vars(listener).items()):
            if inspect.isfunction(value) and not name.startswith("_"):
                setattr(listener, name, self.package(name, value))

    def _wrap_methods(self, kind: type) -> None:
        for name in dir(kind):
            value = inspect.getattr_static(kind, name)  # a class may have it from another one
            if inspect.isfunction(value) and not name.startswith("_"):
                setattr(kind, name, self._editor(value))

    def _pass(self) -> None:
        now = self._clock()
        if self._stack:
            self._spent[self._stack[-1]] += now - self._since
        self._since = now

    def _editor(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            if not self._stack or self._stack[-1] == EDITOR or threading.current_thread() is not self._main:
                return function(*args, **keywords)
            self._pass()
            self._stack.append(EDITOR)
            try:
                return function(*args, **keywords)
            finally:
                self._pass()
                self._stack.pop()

        return call

    def package(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function` as a slice, or as a part of the one that is going on."""

        @functools.wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            outermost = not self._stack
            if outermost:
                self._spent = [0.0, 0.0]
            self._pass()
            self._stack.append(PACKAGE)
            try:
                return function(*args, **keywords)
            finally:
                self._pass()
                self._stack.pop()
                if outermost:
                    self.slices.append([name, *self._spent])

        return call


class Wakes:
    """Counts how often the package's own threads were woken up, each where it had gone to sleep.

    What the system counts would be more: there a thread also sleeps while it waits for the interpreter's lock, which on
    a busy machine is often.
    """

    def __init__(self, loop: Any) -> None:
        self.by_thread: Counter[str] = Counter()
        """How often, by the name of the thread."""
        select, wait, sleep = loop._selector.select, threading.Condition.wait, time.sleep

        def selected(timeout: Any = None) -> Any:
            events = select(timeout)
            if timeout != 0:  # else the loop did not sleep
                self._note()
            return events

        def waited(condition: threading.Condition, timeout: Any = None) -> bool:
            came = wait(condition, timeout)
            self._note()
            return came

        def slept(seconds: float) -> None:
            sleep(seconds)
            self._note()

        loop._selector.select = selected
        threading.Condition.wait = waited  # type: ignore[method-assign]
        time.sleep = slept

    def _note(self) -> None:
        name = threading.current_thread().name
        if name.startswith("gemini-companion"):
            self.by_thread[name] += 1

    def total(self) -> int:
        """So far."""
        return sum(self.by_thread.values())


class Imports:
    """Notes on which thread modules are imported. The first of `sys.meta_path`; finds nothing itself."""

    def __init__(self) -> None:
        self.on_main: List[str] = []
        self.elsewhere: List[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        here = threading.current_thread() is threading.main_thread()
        (self.on_main if here else self.elsewhere).append(name)


def time_each(function: Callable[[Any], Any], argument: Any, count: int) -> List[float]:
    """Seconds of each of so many calls."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        function(argument)
        times.append(time.perf_counter() - began)
    return times


class BareListener:
    """The least that a listener can cost."""

    def on_selection_modified(self, view: sublime.View) -> None:
        return None
