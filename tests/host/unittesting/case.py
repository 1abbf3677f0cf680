"""Test cases whose fixtures and tests may be generators: what they yield, the editor's main loop waits for.

Rule: `run` of a deferrable case is itself a generator. Only `runner.py` drives it; each step runs on
the main thread, and between two steps the editor goes on.
"""

# The names of unittest and of UnitTesting are not ours to choose.

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
import threading
import unittest
from collections.abc import Generator as DeferrableMethod
from concurrent.futures import Future
from typing import Any, Callable, Iterator, List, Optional, Tuple
from unittest import TestCase, expectedFailure

import sublime

DEFAULT_TIMEOUT = 4000
"""Milliseconds that a yielded condition or a coroutine may take."""

__all__ = ["AsyncTestCase", "DeferrableMethod", "DeferrableTestCase", "TestCase", "expectedFailure"]


class DeferrableTestCase(TestCase):
    """A test case in which setUp, tests, tearDown, cleanups and the class fixtures may be generators."""

    timeout_ms: int = DEFAULT_TIMEOUT

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.run(*arguments, **keywords)

    def run(self, result: Any = None) -> Any:
        """A generator that runs the test and reports to `result`, which is required."""
        method = getattr(self, self._testMethodName)
        result.startTest(self)
        self._result = result
        self._failed = False
        try:
            reason = _skip_reason(self.__class__) or _skip_reason(method)
            if reason is not None:
                result.addSkip(self, reason)
                return
            expects_failure = _flag(self.__class__, "failure") or _flag(method, "failure")
            skipped, errors = yield from self._run_phases(method)
            self._report(result, errors, skipped, expects_failure)
        finally:
            result.stopTest(self)

    def _run_phases(self, method: Callable[[], Any]) -> Any:
        """Set-up, test, tear-down, cleanups; what went wrong in them, in order."""
        errors: List[Tuple[str, Any]] = []
        skipped: List[str] = []

        def phase(name: str, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
            try:
                yield from self._callMaybeCoro(function, *arguments, **keywords)
            except KeyboardInterrupt:
                raise
            except unittest.SkipTest as skip:
                skipped.append(str(skip))
                return False
            except BaseException:
                errors.append((name, sys.exc_info()))
                return False
            return True

        ready = yield from phase("setUp", self._callSetUp)
        if ready:
            yield from phase("test", self._callTestMethod, method)
            yield from phase("tearDown", self._callTearDown)
        while self._cleanups:
            function, arguments, keywords = self._cleanups.pop()
            yield from phase("cleanup", function, *arguments, **keywords)
        return skipped, errors

    def _report(self, result: Any, errors: List[Tuple[str, Any]], skipped: List[str], expects_failure: bool) -> None:
        for reason in skipped:
            result.addSkip(self, reason)
        if expects_failure and any(name == "test" for name, _ in errors):
            result.addExpectedFailure(self, next(error for name, error in errors if name == "test"))
            errors = [(name, error) for name, error in errors if name != "test"]
            skipped = ["reported"]
        elif expects_failure and not errors and not skipped:
            result.addUnexpectedSuccess(self)
            return
        for _, error in errors:
            add = result.addFailure if issubclass(error[0], self.failureException) else result.addError
            add(self, error)
        if not errors and not skipped and not self._failed:
            result.addSuccess(self)

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

    def _callSetUp(self) -> Any:
        return self._callMaybeCoro(self.setUp)

    def _callTestMethod(self, method: Callable[[], Any]) -> Any:
        return self._callMaybeCoro(method)

    def _callTearDown(self) -> Any:
        return self._callMaybeCoro(self.tearDown)

    @classmethod
    def _callMaybeCoro(cls, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        value = function(*arguments, **keywords)
        if isinstance(value, DeferrableMethod):
            yield from value
        elif inspect.iscoroutine(value):
            yield from cls._await(value)

    @classmethod
    def _await(cls, coroutine: Any) -> Any:
        timeout = coroutine.cr_frame.f_locals.get("timeout_ms", cls.timeout_ms)
        future = cls.run_coroutine(coroutine)
        try:
            yield {"condition": future.done, "timeout": timeout}
        except TimeoutError:
            future.cancel()
            raise TimeoutError(f"Task not completed within {timeout / 1000:.2f} seconds.") from None
        future.result()

    @staticmethod
    def run_coroutine(coroutine: Any) -> Future[Any]:
        coroutine.close()
        raise TypeError(f"{coroutine!r}: a DeferrableTestCase runs no coroutines; use AsyncTestCase")

    @staticmethod
    def defer(delay: int, callback: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
        """Calls `callback` on the main thread after `delay` milliseconds."""
        sublime.set_timeout(lambda: callback(*arguments, **keywords), delay)


class AsyncTestCase(DeferrableTestCase):
    """A test case in which fixtures and tests may be coroutines; they run on a loop thread of the stand-in."""

    async def setUp(self) -> None:  # type: ignore[override]
        return None

    async def tearDown(self) -> None:  # type: ignore[override]
        return None

    @classmethod
    async def setUpClass(cls) -> None:  # type: ignore[override]
        return None

    @classmethod
    async def tearDownClass(cls) -> None:  # type: ignore[override]
        return None

    @staticmethod
    def run_coroutine(coroutine: Any) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(coroutine, _test_loop())


_loop: Optional[asyncio.AbstractEventLoop] = None


def _test_loop() -> asyncio.AbstractEventLoop:
    global _loop
    if _loop is None:
        _loop = asyncio.new_event_loop()
        threading.Thread(target=_loop.run_forever, name="test coroutines", daemon=True).start()
    return _loop


def _skip_reason(thing: Any) -> Optional[str]:
    if not getattr(thing, "__unittest_skip__", False):
        return None
    return str(getattr(thing, "__unittest_skip_why__", ""))


def _flag(thing: Any, name: str) -> bool:
    return bool(getattr(thing, f"__unittest_expecting_{name}__", False))
