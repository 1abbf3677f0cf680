"""The stand-in for UnitTesting: what tests may yield, which fixtures run when, and what is reported."""

from __future__ import annotations

import pytest

from tests.host.driver import HostError

HEADER = """
import asyncio
import time
import unittest
import sublime
from unittesting import (
    AWAIT_WORKER, AsyncTestCase, DeferrableTestCase, DeferrableViewTestCase, OverridePreferencesTestCase,
    TempDirectoryTestCase, ViewTestCase, expectedFailure,
)
"""


def run(sample, tests, init="", **options):
    sample.write({"tests/test_it.py": HEADER + tests})
    if init is not None:
        sample.write({"tests/__init__.py": init})
    with sample.start() as host:
        counts = host.call("host.run_tests", package=sample.name, **options)
        text = "".join(event["text"] for event in host.events if event["event"] == "test_output")
    return counts, text


def failures(text):
    """The names of failed tests, from the report."""
    return sorted(line.split()[1] for line in text.splitlines() if line.startswith(("FAIL: ", "ERROR: ")))


def test_what_may_be_yielded(sample):
    counts, text = run(
        sample,
        """
class Yields(DeferrableTestCase):
    def test_a_condition_gives_its_value_back(self):
        seen = []
        sublime.set_timeout(lambda: seen.append("value"), 50)
        value = yield lambda: seen and seen[0]
        self.assertEqual(value, "value")

    def test_a_number_is_a_delay_in_milliseconds(self):
        before = time.monotonic()
        yield 120
        self.assertGreaterEqual(time.monotonic() - before, 0.115)

    def test_nothing_waits_for_the_main_thread(self):
        seen = []
        sublime.set_timeout(lambda: seen.append(1), 0)
        yield
        self.assertEqual(seen, [1])

    def test_the_worker(self):
        seen = []
        sublime.set_timeout_async(lambda: (time.sleep(0.1), seen.append(1)), 0)
        yield AWAIT_WORKER
        self.assertEqual(seen, [1])

    def test_an_error_in_a_condition_reaches_the_test(self):
        with self.assertRaises(ZeroDivisionError):
            yield lambda: 1 / 0

    def test_a_timeout_can_be_caught_and_has_the_words_of_unittesting(self):
        with self.assertRaises(TimeoutError) as caught:
            yield {"condition": lambda: False, "timeout": 100}
        self.assertEqual(str(caught.exception), "Condition not fulfilled within 0.10 seconds")
        with self.assertRaises(TimeoutError) as caught:
            yield {"condition": lambda: False, "timeout": 100, "timeout_message": "No luck"}
        self.assertEqual(str(caught.exception), "No luck within 0.10 seconds")

    def test_a_float_is_refused(self):
        with self.assertRaises(TypeError):
            yield 0.5

    def test_defer(self):
        seen = []
        self.defer(10, seen.append, 1)
        yield lambda: seen
""",
    )
    assert failures(text) == []
    assert counts == {"run": 8, "passed": 8, "failed": 0, "skipped": 0}
    assert text.rstrip().endswith("OK")


def test_every_way_to_fail_is_counted(sample):
    counts, text = run(
        sample,
        """
class Fails(DeferrableTestCase):
    def test_assertion(self):
        yield 1
        self.assertEqual(1, 2)

    def test_condition_never_true(self):
        yield lambda: False

    def test_error(self):
        raise ValueError("an error")

    def test_sub_tests(self):
        for number in range(3):
            with self.subTest(number=number):
                yield 1
                self.assertEqual(number, 1)

    @expectedFailure
    def test_expected(self):
        yield 1
        self.fail("as expected")

    @expectedFailure
    def test_unexpected_success(self):
        yield 1

    @unittest.skip("for a reason")
    def test_skipped(self):
        self.fail("never run")

    def test_skips_itself(self):
        yield 1
        self.skipTest("at run time")

    def test_passes(self):
        pass

class Plain(unittest.TestCase):
    def test_plain_passes(self):
        self.assertTrue(True)

    def test_plain_fails(self):
        self.fail("plainly")
""",
        condition_timeout=100,
    )
    assert failures(text) == [
        "test_assertion",
        "test_condition_never_true",
        "test_error",
        "test_plain_fails",
        "test_sub_tests",
        "test_sub_tests",
    ]
    assert counts == {"run": 11, "passed": 3, "failed": 7, "skipped": 2}
    assert "FAILED (failures=" in text


def test_fixtures_run_in_order_and_may_be_deferred(sample):
    counts, text = run(
        sample,
        """
order = []

def setUpModule():
    order.append("module")

class Fixtures(DeferrableTestCase):
    @classmethod
    def setUpClass(cls):
        yield 1
        order.append("class")

    @classmethod
    def tearDownClass(cls):
        yield 1
        order.append("class end")

    def setUp(self):
        self.addCleanup(self.clean)
        yield 1
        order.append("set up")

    def tearDown(self):
        yield 1
        order.append("tear down")

    def clean(self):
        yield 1
        order.append("clean")

    def test_a(self):
        yield 1
        order.append("a")
        self.fail("cleaned up all the same")

class Later(unittest.TestCase):
    def test_order(self):
        self.assertEqual(order, ["module", "class", "set up", "a", "tear down", "clean", "class end"])
""",
    )
    assert failures(text) == ["test_a"]
    assert counts["run"] == 2


def test_a_failed_class_fixture_is_one_error_and_its_tests_do_not_run(sample):
    counts, text = run(
        sample,
        """
class Broken(DeferrableTestCase):
    @classmethod
    def setUpClass(cls):
        yield 1
        raise ValueError("no class")

    def test_a(self): pass
    def test_b(self): pass
""",
    )
    assert counts == {"run": 0, "passed": 0, "failed": 1, "skipped": 0}
    assert "setUpClass (Sample Package.tests.test_it.Broken)" in text


def test_coroutines(sample):
    counts, text = run(
        sample,
        """
class Coroutines(AsyncTestCase):
    timeout_ms = 300

    async def setUp(self):
        await asyncio.sleep(0.01)
        self.ready = True

    async def test_passes(self):
        await asyncio.sleep(0.01)
        self.assertTrue(self.ready)

    async def test_fails(self):
        await asyncio.sleep(0.01)
        self.fail("inside")

    async def test_hangs(self):
        await asyncio.sleep(60)

    async def test_has_time(self, timeout_ms=2000):
        await asyncio.sleep(0.4)

class Wrong(DeferrableTestCase):
    async def test_coroutine(self):
        pass
""",
    )
    assert failures(text) == ["test_coroutine", "test_fails", "test_hangs"]
    assert "Task not completed within 0.30 seconds." in text
    assert counts["passed"] == 2


def test_ready_made_cases(sample):
    counts, text = run(
        sample,
        """
import os

class Views(ViewTestCase):
    def test_text(self):
        self.setText("one\\ntwo")
        self.assertRowContentsEqual(1, "two")
        self.assertCaretAt(1, 3)
        self.setCaretTo(0, 1)
        self.insertText("X")
        self.assertViewContentsEqual("oXne\\ntwo")

class DeferredViews(DeferrableViewTestCase):
    def setUp(self):
        yield 1
        self.setText("start")

    def test_later(self):
        self.defer(20, self.insertText, "!")
        yield lambda: self.getText() == "start!"

class Preferences(OverridePreferencesTestCase):
    override_preferences = {"Sample.sublime-settings": {"answer": 42}}

    def test_value(self):
        self.assertEqual(sublime.load_settings("Sample.sublime-settings").get("answer"), 42)

class Folder(TempDirectoryTestCase):
    def test_folder(self):
        self.assertEqual([os.path.realpath(path) for path in self.window.folders()], [os.path.realpath(self._temp_dir)])
        self.assertEqual(len(sublime.windows()), 2)
""",
    )
    assert failures(text) == []
    assert counts["passed"] == 4


def test_the_package_is_imported_as_the_plugin_knows_it(sample):
    sample.write({"tests/helper.py": "VALUE = 7\n"})
    counts, text = run(
        sample,
        """
import importlib, sys
from ..inner import state
from .helper import VALUE

class Imports(unittest.TestCase):
    def test_same_modules(self):
        self.assertEqual(__name__, "Sample Package.tests.test_it")
        self.assertIs(state, sys.modules["Sample Package.plugin"].state)
        self.assertIs(importlib.import_module("Sample Package.inner.state"), state)
        self.assertEqual(VALUE, 7)
""",
    )
    assert failures(text) == [] and counts["passed"] == 1


def test_tests_without_an_init_file_are_found_too(sample):
    counts, _ = run(sample, "class Only(unittest.TestCase):\n    def test_a(self): pass\n", init=None)
    assert counts["passed"] == 1


def test_a_module_that_cannot_be_imported_fails(sample):
    counts, text = run(sample, "import no_such_module\n")
    assert counts["failed"] == 1 and "no_such_module" in text


def test_tests_can_be_chosen_by_name(sample):
    tests = "class Some(unittest.TestCase):\n    def test_one(self): pass\n    def test_two(self): pass\n"
    assert run(sample, tests, names=["two"])[0]["run"] == 1
    assert run(sample, tests, pattern="test_other*.py")[0]["run"] == 0


def test_a_package_without_tests_is_an_error(sample):
    with sample.start() as host, pytest.raises(HostError, match="there are no tests"):
        host.call("host.run_tests", package=sample.name)


def test_tests_are_read_anew_each_time(sample):
    body = "class Some(unittest.TestCase):\n    def test_one(self): self.assertTrue({})\n"
    sample.write({"tests/__init__.py": "", "tests/test_it.py": HEADER + body.format(False)})
    with sample.start() as host:
        assert host.call("host.run_tests", package=sample.name)["failed"] == 1
        sample.write({"tests/test_it.py": HEADER + body.format("True, 'now'")})
        assert host.call("host.run_tests", package=sample.name)["failed"] == 0
