"""The stand-in for UnitTesting: what tests may yield, what runs when, and what is reported."""

from __future__ import annotations

HEADER = """
import time
import unittest
import sublime
from unittesting import DeferrableTestCase
"""


def run(sample, tests, **options):
    sample.write({"tests/__init__.py": "", "tests/test_it.py": HEADER + tests})
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
        seen = []
        sublime.set_timeout(lambda: seen.append("sooner"), 60)
        sublime.set_timeout(lambda: seen.append("later"), 60000)
        yield 120
        self.assertEqual(seen, ["sooner"])

    def test_nothing_waits_for_the_main_thread(self):
        seen = []
        sublime.set_timeout(lambda: seen.append(1), 0)
        yield
        self.assertEqual(seen, [1])

    def test_an_error_in_a_condition_reaches_the_test(self):
        with self.assertRaises(ZeroDivisionError):
            yield lambda: 1 / 0

    def test_a_timeout_can_be_caught_and_has_the_words_of_unittesting(self):
        with self.assertRaises(TimeoutError) as caught:
            yield lambda: False
        self.assertEqual(str(caught.exception), "Condition not fulfilled within 0.20 seconds")

    def test_what_the_stand_in_lacks_is_refused(self):
        for awaited in (0.5, {"condition": lambda: True}, "AWAIT_WORKER"):
            with self.assertRaises(TypeError):
                yield awaited
""",
        condition_timeout=200,
    )
    assert failures(text) == []
    assert counts == {"run": 6, "passed": 6, "failed": 0, "skipped": 0}
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

    @unittest.skip("for a reason")
    def test_skipped(self):
        self.fail("never run")

    def test_skips_itself(self):
        yield 1
        self.skipTest("at run time")

    def test_passes(self):
        pass

    async def test_coroutine(self):
        pass
""",
        condition_timeout=100,
    )
    assert failures(text) == [
        "test_assertion",
        "test_condition_never_true",
        "test_coroutine",
        "test_error",
        "test_sub_tests",
        "test_sub_tests",
    ]
    assert counts == {"run": 8, "passed": 1, "failed": 6, "skipped": 2}
    assert "FAILED (failures=" in text


def test_fixtures_run_in_order_and_may_be_deferred(sample):
    counts, text = run(
        sample,
        """
order = []

class Fixtures(DeferrableTestCase):
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
        self.assertEqual(order, ["set up", "a", "tear down", "clean"])
""",
    )
    assert failures(text) == ["test_a"]
    assert counts["run"] == 2


def test_a_case_with_fixtures_of_its_class_is_refused(sample):
    counts, text = run(sample, "class Shared(DeferrableTestCase):\n    @classmethod\n    def setUpClass(cls): pass\n")
    assert counts["failed"] == 1
    assert "Shared: the stand-in for UnitTesting has no fixtures of classes" in text
