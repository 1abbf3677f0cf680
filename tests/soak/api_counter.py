"""Runs inside the plugin host: counts the package's calls of the editor's API by name.

In the editor each of them crosses from the plugin host into another process. Rule: only calls that the package itself
makes are counted; what costs no crossing (`id`, comparing, making a region) is not.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections import Counter
from typing import Any, Callable

import sublime

FREE = ("id",)
VALUES = ("Region", "Phantom", "QuickPanelItem", "Html", "Kind")  # made and asked without a crossing
SPECIAL = ("__getitem__", "__len__", "__contains__", "__iter__")
PACKAGE = "Gemini Companion."


class ApiCounter:
    """Counts from `install` on, in `calls`, by "Class.method" or function."""

    def __init__(self) -> None:
        self.calls: Counter = Counter()

    def install(self) -> None:
        for value in list(vars(sublime).values()):
            if inspect.isclass(value) and value.__module__ == "sublime" and value.__name__ not in VALUES:
                for name, function in inspect.getmembers(value, inspect.isfunction):
                    if (name in SPECIAL or name[0] != "_") and name not in FREE:
                        setattr(value, name, self._counted(value.__name__ + "." + name, function))
        for name, function in list(vars(sublime).items()):
            if inspect.isfunction(function) and not name.startswith("_"):
                setattr(sublime, name, self._counted(name, function))

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counted(*arguments: Any, **keywords: Any) -> Any:
            if sys._getframe(1).f_globals.get("__name__", "").startswith(PACKAGE):
                self.calls[name] += 1
            return function(*arguments, **keywords)

        return counted
