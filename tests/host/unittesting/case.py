"""A test case whose set-up, test, tear-down and cleanups may be generators: the main loop waits for what they yield.

Rule: `run` is itself a generator. Only `runner.py` drives it; each step runs on the main thread, and between two steps
the editor goes on. What UnitTesting has beside that (coroutines, fixtures of classes) is refused, not passed over.
"""

from __future__ import annotations

import contextlib
import sys
import unittest
from collections.abc import Generator
from typing import Any, Callable, Iterator, List


class DeferrableTestCase(unittest.TestCase):
    """What UnitTesting calls so."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "setUpClass" in vars(cls) or "tearDownClass" in vars(cls):
            raise TypeError(f"{cls.__name__}: the stand-in for UnitTesting has no fixtures of classes")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.run(*arguments, **keywords)

    def run(self, result: Any = None) -> Any:
        """A generator that runs the test and reports to `result`, which is required."""
        method = getattr(self, self._testMethodName)
        result.startTest(self)
        self._result = result
        self._failed = False
        try:
            for marked in (type(self), method):
                if getattr(marked, "__unittest_skip__", False):
                    result.addSkip(self, marked.__unittest_skip_why__)
                    return
            yield from self._run_phases(method)
        finally:
            result.stopTest(self)

    def _run_phases(self, method: Callable[[], Any]) -> Any:
        """Set-up, test, tear-down and cleanups, and the report of what went wrong in them, in order."""
        errors: List[Any] = []
        skipped: List[str] = []

        def phase(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
            try:
                value = function(*arguments, **keywords)
                if isinstance(value, Generator):
                    yield from value
                elif hasattr(value, "close") and hasattr(value, "cr_code"):
                    value.close()
                    raise TypeError(f"{value!r}: the stand-in for UnitTesting runs no coroutines")
            except KeyboardInterrupt:
                raise
            except unittest.SkipTest as skip:
                skipped.append(str(skip))
                return False
            except BaseException:
                errors.append(sys.exc_info())
                return False
            return True

        ready = yield from phase(self.setUp)
        if ready:
            yield from phase(method)
            yield from phase(self.tearDown)
        while self._cleanups:
            function, arguments, keywords = self._cleanups.pop()
            yield from phase(function, *arguments, **keywords)
        for reason in skipped:
            self._result.addSkip(self, reason)
        for error in errors:
            add = self._result.addFailure if issubclass(error[0], self.failureException) else self._result.addError
            add(self, error)
        if not errors and not skipped and not self._failed:
            self._result.addSuccess(self)

    @contextlib.contextmanager
    def subTest(self, msg: Any = None, **params: Any) -> Iterator[None]:
        """As in unittest: a failure inside is reported with its parameters, and the test goes on."""
        part = unittest.case._SubTest(self, msg, params)  # type: ignore[attr-defined]
        try:
            yield
        except (unittest.SkipTest, KeyboardInterrupt, GeneratorExit):
            raise
        except Exception:
            self._failed = True
            self._result.addSubTest(self, part, sys.exc_info())
        else:
            self._result.addSubTest(self, part, None)
