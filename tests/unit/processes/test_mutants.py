"""The command that plants faults: it finds its lines, says what is stale, and never lets a survivor pass unargued."""

from __future__ import annotations

import os
import sys

import pytest

from tests.mutants import ROOT, Copy, Fault, ListError, planted, read_list, report

LIST = """
# a remark
[companion/a.py]
tests: tests/unit/a editor:test_a.py:word

 def first():
-    return 1
+return 2

-print("x")
?It only prints.
"""
SOURCE = "def first():\n    return 1\n\n\ndef second():\n    return 1\n    print('y')\n\nprint(\"x\")\n"


def test_an_entry_has_its_file_its_tests_and_its_lines():
    first, second = read_list(LIST)
    assert (first.path, first.tests) == ("companion/a.py", ("tests/unit/a", "editor:test_a.py:word"))
    assert (first.before, first.old, first.new) == (("def first():",), ("return 1",), ("return 2",))
    assert second.argument == "It only prints."


def test_a_fault_is_planted_in_its_own_place_at_the_line_s_indentation():
    first, second = read_list(LIST)
    assert planted(first, SOURCE) == SOURCE.replace("return 1", "return 2", 1)
    assert planted(second, SOURCE) == SOURCE.replace('print("x")', "pass")


@pytest.mark.parametrize("source", ["", "return 1\n", SOURCE + SOURCE])
def test_a_line_that_is_not_there_exactly_once_is_stale(source):
    with pytest.raises(ListError, match="stale: found"):
        planted(read_list(LIST)[0], source)


def test_what_would_be_no_python_is_no_fault():
    fault = read_list(LIST)[0]._replace(new=("return (",))
    with pytest.raises(ListError, match="no longer Python"):
        planted(fault, SOURCE)


@pytest.mark.parametrize("text", ["-x\n", "[a.py]\n-x\n", "[a.py]\ntests: t\n+x\n", "[a.py]\nwhat\n"])
def test_an_entry_that_says_too_little_is_refused(text):
    with pytest.raises(ListError):
        read_list(text)


def test_a_fault_that_is_listed_twice_is_refused():
    with pytest.raises(ListError, match="twice in the list"):
        read_list(LIST + LIST)


def make(argument):
    return Fault(1, "a.py", ("t",), (), ("x",), (), argument)


@pytest.mark.parametrize(
    ("survivors", "argument", "code"), [(0, "", 0), (1, "why", 0), (1, "", 1), (2, "why", 1), (20, "why", 1)]
)
def test_it_ends_well_only_if_nearly_all_are_noticed_and_the_rest_is_argued(capsys, survivors, argument, code):
    faults = [make(argument if number < survivors else "") for number in range(20)]
    assert report(faults, [number >= survivors for number in range(20)]) == code
    assert f"20 planted, {20 - survivors} noticed" in capsys.readouterr().out


def test_tests_that_cannot_be_run_have_noticed_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr("tests.mutants._files", list)
    copy = Copy(str(tmp_path), sys.executable)
    monkeypatch.setattr(copy, "_run", lambda command: (1, "No module named pytest"))
    with pytest.raises(ListError, match="could not be run"):
        copy.noticed(None, ["tests/unit/a"])
    monkeypatch.setattr(copy, "_run", lambda command: (1, "1 failed, 3 passed in 0.1s"))
    assert copy.noticed(None, ["tests/unit/a"])[0]
    monkeypatch.setattr(copy, "_run", lambda command: (0, "4 passed in 0.1s"))
    assert not copy.noticed(None, ["tests/unit/a"])[0]


def test_nothing_planted_is_no_success(capsys):
    assert report([], []) == 1


def test_every_file_of_the_list_and_every_test_that_it_names_are_there():
    with open(os.path.join(ROOT, "tests", "mutants.txt"), encoding="utf-8") as file:
        faults = read_list(file.read())
    assert len(faults) >= 150
    for fault in faults:
        assert os.path.isfile(os.path.join(ROOT, *fault.path.split("/"))), fault
        for test in fault.tests:
            if test.startswith("tests/"):
                assert os.path.exists(os.path.join(ROOT, *test.partition("::")[0].split("/"))), fault
