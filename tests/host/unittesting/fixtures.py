"""The fixtures of classes and modules, run around the tests that need them.

Rule: a class or module whose set-up failed is reported once, and none of its tests run.
"""

# The names of unittest and of UnitTesting are not ours to choose.

from __future__ import annotations

import sys
import unittest
from typing import Any, Callable, Optional

from .case import DeferrableTestCase


class Fixtures:
    """Keeps which class and module are set up; `enter` and `leave` are generators for the runner."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._class: Optional[type] = None
        self._class_ready = False
        self._module: Optional[str] = None
        self._module_ready = False

    def enter(self, test: unittest.TestCase) -> Any:
        """Prepares for `test`, tearing down what it does not share. Returns whether it may run."""
        if type(test) is self._class:
            return self._class_ready
        yield from self._leave_class()
        if type(test).__module__ != self._module:
            yield from self._leave_module()
            yield from self._enter_module(type(test).__module__)
        if not self._module_ready:
            return False
        self._class, self._class_ready = type(test), True
        if not getattr(self._class, "__unittest_skip__", False):
            self._class_ready = yield from self._call("setUpClass", self._class, self._class.setUpClass)  # type: ignore[attr-defined]
            if not self._class_ready:
                yield from self._class_cleanups()
        return self._class_ready

    def leave(self) -> Any:
        """Tears down what is still set up."""
        yield from self._leave_class()
        yield from self._leave_module()

    def _enter_module(self, name: str) -> Any:
        self._module, self._module_ready = name, True
        set_up = getattr(sys.modules.get(name), "setUpModule", None)
        if set_up is not None:
            self._module_ready = yield from self._call("setUpModule", name, set_up)

    def _leave_module(self) -> Any:
        tear_down = getattr(sys.modules.get(self._module or ""), "tearDownModule", None)
        if self._module_ready and tear_down is not None:
            yield from self._call("tearDownModule", self._module, tear_down)
        self._module, self._module_ready = None, False

    def _leave_class(self) -> Any:
        current = self._class
        if current is not None and self._class_ready and not getattr(current, "__unittest_skip__", False):
            yield from self._call("tearDownClass", current, current.tearDownClass)  # type: ignore[attr-defined]
            yield from self._class_cleanups()
        self._class, self._class_ready = None, False

    def _class_cleanups(self) -> Any:
        cleanups = getattr(self._class, "_class_cleanups", [])
        while cleanups:
            function, arguments, keywords = cleanups.pop()
            yield from self._call("class cleanup", self._class, function, *arguments, **keywords)

    def _call(self, what: str, owner: Any, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        name = owner if isinstance(owner, str) else f"{owner.__module__}.{owner.__qualname__}"
        holder = _Holder(f"{what} ({name})")
        caller = owner if isinstance(owner, type) and issubclass(owner, DeferrableTestCase) else DeferrableTestCase
        try:
            yield from caller._callMaybeCoro(function, *arguments, **keywords)
        except unittest.SkipTest as skip:
            self._result.addSkip(holder, str(skip))
            return False
        except Exception:
            self._result.addError(holder, sys.exc_info())
            return False
        return True


class _Holder:
    """Stands in a report where a test would stand."""

    failureException = None

    def __init__(self, description: str) -> None:
        self._description = description

    def id(self) -> str:
        return self._description

    def shortDescription(self) -> None:
        return None

    def __str__(self) -> str:
        return self._description

    def countTestCases(self) -> int:
        return 0
