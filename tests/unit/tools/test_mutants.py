"""The command that plants faults: what its rules make, what is listed by hand, what counts as noticed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import mutants
from tests.tools import cache
from tests.tools.cache import SetupError
from tests.tools.mutation import copies, hand_made
from tests.tools.mutation.operators import Fault, faults_of

SOURCE = '''"""A module."""
import logging

logger = logging.getLogger()


def first(self, items: "List[int]" = ()) -> int:
    """Says so."""
    logger.info("begins")
    if self.open and len(items) < 10:
        self.count = 1 + self.size
    self.close("é")
    return [each for each in items if each.ready]
'''


def changes():
    return [(fault.line, fault.change) for fault in faults_of("a.py", SOURCE)]


@pytest.mark.parametrize(
    "change",
    [
        (10, "self.open and len(items) < 10  ->  not (self.open and len(items) < 10)"),
        (10, "self.open and len(items) < 10  ->  len(items) < 10"),
        (10, "<  ->   <= "),
        (10, "10  ->  11"),
        (11, "self.count = 1 + self.size  ->  pass"),
        (11, "+  ->   - "),
        (12, 'self.close("é")  ->  pass'),
        (13, "return [each for each in items if each.ready]  ->  return None"),
        (13, "each.ready  ->  True"),
    ],
)
def test_rules_turn_conditions_round_move_bounds_and_leave_steps_out(change):
    assert change in changes()


LIST = """
# a remark
[companion/a.py]
 def first():
-    return 1
+    return 2

-print("x")
"""
LISTED = "def first():\n    return 1\n\n\ndef second():\n    return 1\n    print('y')\n\nprint(\"x\")\n"


def test_faults_listed_by_hand_are_planted_in_place_with_equal_indentation():
    first, second = hand_made.listed(LIST, lambda path: LISTED)
    assert first.text == LISTED.replace("return 1", "return 2", 1)
    assert (second.line, second.text) == (9, LISTED.replace('print("x")\n', ""))


@pytest.mark.parametrize("text", ["", "return 1\n", LISTED + LISTED])
def test_a_line_that_is_not_there_exactly_once_is_stale(text):
    with pytest.raises(hand_made.ListError, match="stale, found"):
        hand_made.listed(LIST, lambda path: text)


def test_the_list_fits_the_tree():
    assert hand_made.listed(mutants.read("tests/mutants.txt"), mutants.read)


def test_every_room_of_the_package_has_tests_that_should_notice_its_faults():
    rooms = {path.rpartition("/")[0] + "/" for path in mutants.package()}
    assert {room for room in rooms if mutants.tests_of(room) == mutants.AREAS["companion/"]} <= {"companion/"}
    tests = {test for selected in mutants.AREAS.values() for test in selected}
    files = {test for test in tests if not test.startswith(copies.EDITOR)}
    assert {test for test in files if not Path(cache.ROOT, test).exists()} == set()
    patterns = {test[len(copies.EDITOR) :] for test in tests - files}
    assert {pattern for pattern in patterns if not list(Path(cache.ROOT, "tests/in_editor").rglob(pattern))} == set()


@pytest.mark.parametrize(
    ("names", "since", "lines"),
    [
        ((), None, {"companion/a.py": [11], "companion/b.py": [12]}),
        (("companion/b",), "main", {"companion/b.py": [12]}),
        (("companion/b",), None, {"companion/b.py": sorted({line for line, _ in changes()})}),
    ],
)
def test_file_names_limit_the_changed_lines_or_alone_stand_for_all_lines(monkeypatch, names, since, lines):
    monkeypatch.setattr(mutants, "package", lambda: ["companion/a.py", "companion/b.py"])
    monkeypatch.setattr(mutants, "read", lambda path: SOURCE)
    monkeypatch.setattr(mutants, "changed_lines", lambda since: {"companion/a.py": {11}, "companion/b.py": {12}})
    faults, paths = mutants.chosen(names, since)
    assert paths == list(lines)
    assert {path: sorted({each.line for each in faults if each.path == path}) for path in paths} == lines


def fault(name="x"):
    return Fault("a.py", 1, name, "")


@pytest.mark.parametrize(
    ("noticed", "by_hand", "code"), [(20, [True], 0), (16, [], 0), (15, [True], 1), (20, [True, False], 1)]
)
def test_it_ends_well_only_if_most_are_noticed_and_all_that_are_listed(capsys, noticed, by_hand, code):
    outcomes = [number < noticed for number in range(20)]
    listed = [fault("by hand") for _ in by_hand]
    assert mutants.report([fault() for _ in range(20)], outcomes, listed, by_hand) == code
    printed = capsys.readouterr().out
    assert f"{noticed} of 20 noticed" in printed
    assert ("survived: a.py:1: by hand" in printed) is (False in by_hand)


def test_nothing_planted_is_no_success():
    assert mutants.report([], [], [], []) == 1


def test_tests_that_cannot_be_run_have_noticed_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(copies, "tree", list)
    work = copies.Copies(str(tmp_path), sys.executable, 1)
    for printed, noticed in (("1 failed, 3 passed in 0.1s", True), ("4 passed in 0.1s", False)):
        monkeypatch.setattr(copies._Copy, "_execute", lambda *_, said=printed: (int("failed" in said), said))
        assert [outcome.noticed for outcome in work.run([(None, ["tests/unit/a"])])] == [noticed]
    monkeypatch.setattr(copies._Copy, "_execute", lambda *_: (1, "No module named pytest"))
    with pytest.raises(SetupError, match="could not be run"):
        work.run([(None, ["tests/unit/a"])])
