"""Runs in-editor tests in slices on the editor's main loop, and reports as unittest does.

What a test may yield (as in UnitTesting):
  a callable                      wait until it returns something true, which `yield` returns
  an int                          go on after so many milliseconds
  nothing                         go on after what is queued on the main thread
Rule: no step blocks the main thread, and a test that never ends is failed by its time limit.
"""

from __future__ import annotations

import os
import time
import unittest
from typing import Any, Callable, Dict, Generator, Iterator, List, Optional

import sublime

from .case import DeferrableTestCase

POLL_MILLISECONDS = 17
DEFAULT_TIMEOUT = 4000
"""Milliseconds that a yielded condition may take."""

Steps = Generator[Any, Any, Any]


class Runner:
    """Runs one list of tests. `finished(result)` is called on the main thread after the last one."""

    def __init__(self, result: Any, condition_timeout: int, finished: Callable[[Any], None]) -> None:
        self._result = result
        self._condition_timeout = condition_timeout
        self._finished = finished

    def start(self, tests: List[unittest.TestCase]) -> None:
        steps = self._run_all(tests)
        sublime.set_timeout(lambda: self._advance(steps), 0)

    def _run_all(self, tests: List[unittest.TestCase]) -> Steps:
        for test in tests:
            if self._result.shouldStop:
                break
            if isinstance(test, DeferrableTestCase):
                yield from test(self._result)
            else:
                test(self._result)
            yield  # every test starts with what was queued on the main thread done

    def _advance(self, steps: Steps, value: Any = None, error: Optional[BaseException] = None) -> None:
        try:
            awaited = steps.throw(error) if error is not None else steps.send(value)
        except StopIteration:
            self._finished(self._result)
            return
        if callable(awaited):
            ending = time.monotonic() + self._condition_timeout / 1000
            sublime.set_timeout(lambda: self._look(steps, awaited, ending), 0)
        elif awaited is None or type(awaited) is int:
            sublime.set_timeout(lambda: self._advance(steps), awaited or 0)
        else:
            problem = TypeError(f"yield {awaited!r}: the stand-in for UnitTesting waits for no such thing")
            sublime.set_timeout(lambda: self._advance(steps, error=problem), 0)

    def _look(self, steps: Steps, condition: Callable[[], Any], ending: float) -> None:
        try:
            value = condition()
        except Exception as error:
            self._advance(steps, error=error)
            return
        if value:
            self._advance(steps, value)
        elif time.monotonic() >= ending:
            seconds = self._condition_timeout / 1000
            self._advance(steps, error=TimeoutError(f"Condition not fulfilled within {seconds:.2f} seconds"))
        else:
            sublime.set_timeout(lambda: self._look(steps, condition, ending), POLL_MILLISECONDS)


def discover(package: str, tests_dir: str, pattern: str, names: Optional[List[str]] = None) -> List[unittest.TestCase]:
    """Finds the package's tests, which have a `tests/__init__.py`, as modules of the package, as UnitTesting does.

    `names` are fnmatch patterns or parts of `module.Class.method`, as for `unittest -k`.
    """
    start = os.path.join(sublime.packages_path(), package, tests_dir)
    if not os.path.isdir(start):
        raise FileNotFoundError(f"there are no tests at {start}")
    loader = unittest.TestLoader()
    if names:
        loader.testNamePatterns = [name if "*" in name else f"*{name}*" for name in names]
    return list(_flatten(loader.discover(start, pattern, top_level_dir=sublime.packages_path())))


def run_package_tests(
    package: str,
    stream: Any,
    finished: Callable[[Any], None],
    tests_dir: str = "tests",
    pattern: str = "test*.py",
    names: Optional[List[str]] = None,
    condition_timeout: int = DEFAULT_TIMEOUT,
    failfast: bool = False,
    verbosity: int = 2,
) -> None:
    """Discovers and runs; writes the report to `stream`; then calls `finished` with the result. Main thread."""
    tests = discover(package, tests_dir, pattern, names)
    writer = unittest.runner._WritelnDecorator(stream)  # type: ignore[attr-defined]
    result = CountingResult(writer, True, verbosity)
    result.failfast = failfast
    started = time.perf_counter()

    def done(result: Any) -> None:
        _print_summary(writer, result, time.perf_counter() - started)
        finished(result)

    Runner(result, condition_timeout, done).start(tests)


class CountingResult(unittest.TextTestResult):
    """The report of unittest, and a count of the tests that passed."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.passed = 0

    def addSuccess(self, test: Any) -> None:
        self.passed += 1
        super().addSuccess(test)


def counts(result: Any) -> Dict[str, int]:
    """How the tests ended, by outcome; `run` is their number."""
    return {
        "run": result.testsRun,
        "failed": len(result.failures) + len(result.errors),
        "skipped": len(result.skipped),
        "passed": result.passed,
    }


def _print_summary(stream: Any, result: Any, seconds: float) -> None:
    result.printErrors()
    stream.writeln(result.separator2)
    stream.writeln(f"Ran {result.testsRun} test{'' if result.testsRun == 1 else 's'} in {seconds:.3f}s\n")
    parts = [
        f"{label}={len(found)}"
        for label, found in (
            ("failures", result.failures),
            ("errors", result.errors),
            ("skipped", result.skipped),
        )
        if found
    ]
    stream.writeln(("OK" if result.wasSuccessful() else "FAILED") + (f" ({', '.join(parts)})" if parts else ""))


def _flatten(suite: Any) -> Iterator[unittest.TestCase]:
    if isinstance(suite, unittest.TestSuite):
        for part in suite:
            yield from _flatten(part)
    else:
        yield suite
