"""The test command's last lines: what was counted, and what was not run."""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
from pathlib import Path

import pytest

from tests import run
from tests.support.everything import EVERYTHING
from tests.tools import cache, legs, nodes, pythons, shares


def outcome(name, passed=0, failed=0, skipped=0):
    return legs.Outcome(name, legs.Counts(passed, failed, skipped), "", 1.0)


@pytest.fixture(autouse=True)
def no_python_is_named(monkeypatch):
    monkeypatch.delenv(pythons.NAMED, raising=False)


@pytest.fixture
def locally(monkeypatch):
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def in_ci(monkeypatch):
    monkeypatch.setenv("CI", "true")


def test_the_last_line_counts_all_legs(locally, capsys):
    assert run.report([outcome("a", 3), outcome("b", 4)], {}, 1.0) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "7 passed, 0 failed"
    assert run.report([outcome("a", 3, 1, 2), outcome("b", 4)], {}, 1.0) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "7 passed, 1 failed, 2 skipped"


def test_what_cannot_run_is_named_here_and_fails_in_ci(monkeypatch, locally, capsys):
    missing = {"Python 3.8": "no usable Python 3.8 was found"}
    assert run.report([outcome("a", 3)], missing, 1.0) == 0
    printed = capsys.readouterr().out
    assert "NOT RUN Python 3.8: no usable Python 3.8 was found" in printed
    assert printed.splitlines()[-1] == "3 passed, 0 failed"
    monkeypatch.setenv("CI", "1")
    assert run.report([outcome("a", 3)], missing, 1.0) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "3 passed, 1 failed"


def test_nothing_run_at_all_is_no_success(locally, capsys):
    assert run.report([], {"end to end": "no Node"}, 1.0) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 0 failed"


def files_of(paths):
    """The files of tests that pytest would collect."""
    root = run_folder().parent
    ignored = {part.partition("=")[2] for part in paths if part.startswith("--")}
    found = set()
    for part in paths:
        path = root / part
        if not part.startswith("--"):
            found |= {path} if path.is_file() else set(path.rglob("test_*.py"))
    assert all((root / name).exists() for name in ignored)
    left = [path for path in found if not {root / name for name in ignored} & {path, *path.parents}]
    return {path.relative_to(root / "tests").as_posix() for path in left}


def run_by(share, everything=False):
    found = [shares.legs_of(kind, share, everything) for kind in ("unit", "soak", "end_to_end")]
    return [files_of(paths) for legs_of_kind in found for paths in legs_of_kind.values()]


@pytest.mark.parametrize("share", ["NEWEST", "ONLY"])
def test_every_file_is_run_once_by_the_newest_python(share):
    there = {path.relative_to(run_folder()).as_posix() for path in run_folder().glob("*/**/test_*.py")}
    there.remove("end_to_end/test_claude_program.py")  # only where the user asks for it
    there = {name for name in there if not name.startswith("in_editor/")}  # the legs of the editor have all of these
    collected = run_by(shares.Share[share])
    collected = [files - {"end_to_end/test_claude_program.py"} for files in collected]  # as tests/end_to_end says
    assert sum(map(len, collected)) == len(set().union(*collected))
    assert set().union(*collected) == {name for name in there if not name.startswith("soak/")}
    for every in shares.Share:
        assert set().union(*run_by(every, everything=True)) >= there


@pytest.mark.parametrize(("share", "everything"), [("NEWEST", False), ("ONLY", False), ("OLDER", True)])
def test_every_in_editor_test_is_run_in_one_of_two_processes(share, everything):
    parts = shares.in_editor(shares.Share[share], everything)
    root = run_folder().parent
    for path in (run_folder() / "in_editor").glob("**/test_*.py"):
        name = ".".join(["Package", *path.relative_to(root).with_suffix("").parts, "TestSome", "test_it"])
        matching = [fnmatch.fnmatchcase(name, pattern) for patterns in parts.values() for pattern in patterns]
        assert sum(matching) == 1, name


def test_of_the_pythons_in_use_the_last_one_is_the_newest():
    assert [shares.share(index, 2) for index in range(2)] == [shares.Share.OLDER, shares.Share.NEWEST]
    assert shares.share(0, 1) == shares.Share.ONLY


def test_the_older_python_runs_what_depends_on_it():
    collected = set().union(*run_by(shares.Share.OLDER))
    assert collected < set().union(*run_by(shares.Share.NEWEST))
    units = {name for name in collected if name.startswith(shares.UNITS)}
    assert collected - units == set(shares.CLIENTS_ON_AN_OLDER_PYTHON)
    (named,) = shares.in_editor(shares.Share.OLDER, False).values()
    there = [f".{path.stem}." for path in (run_folder() / "in_editor").glob("**/test_*.py")]
    assert [there.count(name) for name in named] == [1] * len(named)


def run_folder():
    return Path(run.__file__).parent


def options(**changed):
    values = {"only": None, "python": None, "keyword": None, "jobs": 1, "set_up_only": False, "with_claude": False}
    values["everything"] = False
    return argparse.Namespace(**dict(values, **changed))


def test_a_missing_python_and_a_failed_set_up_are_noted(monkeypatch, locally):
    def fail(python):
        raise cache.SetupError("pip cannot reach its index")

    monkeypatch.setattr(pythons, "find_all", lambda: {(3, 12): pythons.Python((3, 12, 1), "python3.12")})
    monkeypatch.setattr(pythons, "environment", fail)
    plan = run.make_plan(run.Plan(), options(only=["unit"]))
    assert plan.legs == []
    assert sorted(plan.not_run) == ["Python 3.8", "tests on Python 3.12"]
    assert "pip cannot reach its index" in plan.not_run["tests on Python 3.12"]


def test_everything_is_run_where_it_is_asked_for(monkeypatch, locally):
    monkeypatch.setattr(pythons, "find_all", lambda: {(3, 8): pythons.Python((3, 8, 1), "old")})
    monkeypatch.setattr(pythons, "environment", lambda python: python.executable)

    def planned(**changed):
        planned = run.make_plan(run.Plan(), options(only=["unit", "soak"], python=["3.8"], **changed)).legs
        return [leg.name for leg in planned], {leg.env.get(EVERYTHING) for leg in planned}

    assert planned() == (["unit: Python 3.8"], {None})
    assert planned(everything=True) == (["unit: Python 3.8", "soak: Python 3.8"], {"1"})
    assert planned(keyword="resolving") == planned(everything=True)  # what a keyword names is run whole


@pytest.mark.parametrize(
    ("pythons_in_use", "hosts"),
    [
        (["3.8"], {"in a contrary editor: Python 3.8", "in editor: Python 3.8"}),
        (["3.14"], {"in a contrary editor: Python 3.14", "in editor: Python 3.14"}),
        (
            ["3.8", "3.13", "3.14"],
            {"in a contrary editor: Python 3.14", "in editor: Python 3.13", "in editor: Python 3.8"},
        ),
    ],
)
def test_both_hosts_are_tried_and_every_python_in_one(monkeypatch, locally, pythons_in_use, hosts):
    found = {(3, minor): pythons.Python((3, minor, 0), "python") for minor in (8, 13, 14)}
    monkeypatch.setattr(pythons, "find_all", lambda: found)
    monkeypatch.setattr(pythons, "environment", lambda python: python.executable)
    plan = run.make_plan(run.Plan(), options(only=["editor"], python=pythons_in_use))
    assert {re.sub(", .*:", ":", leg.name) for leg in plan.legs} == hosts
    for leg in plan.legs:
        assert ("--quirks" in leg.command) == ("contrary" in leg.name)


def test_what_goes_wrong_while_it_is_set_up_is_no_success():
    def fail():
        raise KeyError("a mistake of ours")

    with pytest.raises(KeyError):
        run.run_legs(run.Plan(), 1, fail)


@pytest.fixture
def installed(monkeypatch):
    """The sets of npm packages that are asked for; the Pythons are stand-ins."""
    names = []
    monkeypatch.setattr(pythons, "find_all", lambda: {(3, 8): pythons.Python((3, 8, 1), "old")})
    monkeypatch.setattr(pythons, "environment", lambda python: python.executable)
    monkeypatch.setattr(pythons, "sdk_environment", lambda: "sdk")
    monkeypatch.setattr(nodes, "node", lambda: "node")
    monkeypatch.setattr(nodes, "newer_node", lambda: "node")
    monkeypatch.setattr(nodes, "packages", names.append)
    return names


def test_claude_code_is_installed_and_run_only_where_it_is_asked_for(locally, installed):
    plan = run.make_plan(run.Plan(), options(only=["end_to_end"], python=["3.8"]))
    names = sorted(leg.name for leg in plan.legs)
    assert names == ["end to end: Python 3.8", "ends: Python 3.8", "programs: Python 3.8"]
    assert installed
    assert "claude_code" not in installed
    plan = run.make_plan(run.Plan(), options(only=["unit"], python=["3.8"], with_claude=True))
    assert [leg.name for leg in plan.legs] == ["Claude Code: Python 3.8", "unit: Python 3.8"]
    assert installed[-1] == "claude_code"


def test_claude_code_that_was_asked_for_and_cannot_run_is_a_failure(monkeypatch, locally, installed, capsys):
    def fail(name):
        raise cache.SetupError("npm cannot reach its registry")

    monkeypatch.setattr(nodes, "packages", fail)
    plan = run.make_plan(run.Plan(), options(only=["unit"], python=["3.8"], with_claude=True))
    assert run.report([outcome("unit", 3)], plan.not_run, 1.0) == 1
    assert "NOT RUN Claude Code: npm cannot reach its registry" in capsys.readouterr().out


def test_the_ci_passes_over_nothing():
    text = cache.read_text(os.path.join(cache.ROOT, ".ci", "run"))
    assert "export CI=" in text
    assert "--with-claude" not in text
