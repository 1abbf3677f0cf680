"""The test command's last lines: what was counted, and what was not run."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import run
from tests.host.driver import is_alive
from tests.tools import cache, legs, nodes, pythons, shares


def outcome(name, passed=0, failed=0, skipped=0):
    return legs.Outcome(name, legs.Counts(passed, failed, skipped), "", 1.0)


def wait_for(path, there=lambda: True):
    deadline = time.monotonic() + 20
    while not (path.exists() and there()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


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


def test_what_failed_is_named_once_more_at_the_end(locally, capsys):
    failed = outcome("unit", 3, 1)._replace(output="..F.\nFAILED tests/unit/a.py::test_b - assert 1 == 2\n1 failed\n")
    assert run.report([failed, outcome("b", 4)], {}, 1.0) == 1
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "unit: FAILED tests/unit/a.py::test_b - assert 1 == 2",
        "(1 s)",
        "7 passed, 1 failed",
    ]
    in_editor = failed._replace(
        name="editor", output="ERROR: test_c (tests.C)\n---\nRan 3 tests\n\nFAILED (errors=1)\n"
    )
    assert in_editor.failures == ["ERROR: test_c (tests.C)"]
    many = failed._replace(output="".join(f"FAILED test_{number}\n" for number in range(40)))
    run.report([many], {}, 1.0)
    printed = capsys.readouterr().out
    assert "unit: FAILED test_14\n" in printed
    assert "FAILED test_15" not in printed
    assert "unit: and 25 more, in its output above" in printed


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


@pytest.mark.parametrize(("share", "left"), [("NEWEST", shares.ON_AN_OLDER_PYTHON), ("ONLY", ())])
def test_every_file_but_those_of_an_older_python_is_run_once_by_the_newest(share, left):
    there = {path.relative_to(run_folder()).as_posix() for path in run_folder().glob("*/**/test_*.py")}
    there.remove("end_to_end/test_claude_program.py")  # only where the user asks for it
    collected = run_by(shares.Share[share])
    collected = [files - {"end_to_end/test_claude_program.py"} for files in collected]  # as tests/end_to_end says
    assert sum(map(len, collected)) == len(set().union(*collected))
    assert set().union(*collected) == there - set(shares.FOR_A_RELEASE) - set(left)
    assert set(shares.FOR_A_RELEASE) < there
    for every in shares.Share:
        assert set().union(*run_by(every, everything=True)) >= there


def test_of_the_pythons_in_use_the_last_one_is_the_newest():
    assert [shares.share(index, 2) for index in range(2)] == [shares.Share.OLDER, shares.Share.NEWEST]
    assert shares.share(0, 1) == shares.Share.ONLY


def test_the_older_python_runs_what_depends_on_it_and_a_journey_of_each_program():
    collected = set().union(*run_by(shares.Share.OLDER))
    units = {name for name in set().union(*run_by(shares.Share.NEWEST)) if name.startswith("unit/")}
    left = {name for name in units if {name, *map(str, Path(name).parents)} & set(shares.ON_THE_NEWEST_PYTHON)}
    assert collected == units - left | set(shares.ON_EVERY_PYTHON) | set(shares.ON_AN_OLDER_PYTHON)
    assert len(left) < len(units) / 2


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


def test_no_usable_python_at_all_is_noted(monkeypatch, locally):
    monkeypatch.setattr(pythons, "find_all", dict)
    plan = run.make_plan(run.Plan(), options(only=["unit", "editor"]))
    assert plan.legs == []
    assert "python3-venv" in plan.not_run["all tests"]


def test_each_python_gets_its_legs(monkeypatch, locally):
    found = {(3, 8): pythons.Python((3, 8, 1), "old"), (3, 14): pythons.Python((3, 14, 0), "new")}
    monkeypatch.setattr(pythons, "find_all", lambda: found)
    monkeypatch.setattr(pythons, "environment", lambda python: python.executable)
    plan = run.make_plan(run.Plan(), options(only=["unit", "editor"]))
    assert sorted((leg.name, leg.command[0]) for leg in plan.legs) == [
        ("in a contrary editor: Python 3.14", "new"),
        ("in editor: Python 3.8", "old"),
        ("unit: Python 3.14", "new"),
        ("unit: Python 3.8", "old"),
    ]


def test_what_only_a_release_needs_is_tested_where_it_is_asked_for(monkeypatch, locally):
    monkeypatch.setattr(pythons, "find_all", lambda: {(3, 8): pythons.Python((3, 8, 1), "old")})
    monkeypatch.setattr(pythons, "environment", lambda python: python.executable)

    def planned(**changed):  # one Python is the newest
        unit, soak = run.make_plan(run.Plan(), options(only=["unit", "soak"], python=["3.8"], **changed)).legs
        ignored = {part.partition("=")[2] for part in unit.command if part.startswith("--ignore")}
        return ignored, run.EVERYTHING in soak.env

    assert planned() == ({f"tests/{name}" for name in shares.FOR_A_RELEASE}, False)
    assert planned(everything=True) == (set(), True)
    assert planned(keyword="resolving") == (set(), False)


@pytest.mark.parametrize(
    ("pythons_in_use", "hosts"),
    [
        (["3.8"], ["in a contrary editor: Python 3.8", "in editor: Python 3.8"]),
        (["3.14"], ["in a contrary editor: Python 3.14", "in editor: Python 3.14"]),
        (
            ["3.8", "3.13", "3.14"],
            ["in a contrary editor: Python 3.14", "in editor: Python 3.13", "in editor: Python 3.8"],
        ),
    ],
)
def test_both_hosts_are_tried_and_every_python_in_one(monkeypatch, locally, pythons_in_use, hosts):
    found = {(3, minor): pythons.Python((3, minor, 0), "python") for minor in (8, 13, 14)}
    monkeypatch.setattr(pythons, "find_all", lambda: found)
    monkeypatch.setattr(pythons, "environment", lambda python: python.executable)
    plan = run.make_plan(run.Plan(), options(only=["editor"], python=pythons_in_use))
    assert sorted(leg.name for leg in plan.legs) == hosts
    quirks = {leg.name for leg in plan.legs if "--quirks" in leg.command}
    assert quirks == {name for name in hosts if "contrary" in name}


MEET = "import os, sys, time\nopen(sys.argv[1], 'w').close()\nwhile not os.path.exists(sys.argv[2]): time.sleep(0.01)"


def meeting(tmp_path, load):
    """Two legs of which each ends only when the other has begun."""
    begun = [str(tmp_path / name) for name in ("one", "other")]
    for order in (begun, begun[::-1]):
        yield legs.check_leg(f"leg {order is begun}", [sys.executable, "-c", MEET, *order])._replace(load=load)


def test_legs_that_mostly_wait_run_beside_each_other(tmp_path, capsys):
    outcomes = run.run_legs(run.Plan(meeting(tmp_path, 0.5)), 1)
    assert [outcome.ok for outcome in outcomes] == [True, True]
    assert capsys.readouterr().out.count("=====") == 4


def test_legs_begin_while_the_rest_is_set_up(tmp_path):
    """The first ends only when the last has begun, which is added when the first runs."""
    first, last = meeting(tmp_path, 0.5)
    plan = run.Plan([first])

    def make():
        wait_for(tmp_path / "one")
        plan.legs.append(last)

    assert [outcome.ok for outcome in run.run_legs(plan, 1.5, make)] == [True, True]


def test_legs_begin_in_turn():
    late, early = [
        legs.check_leg(name, [sys.executable, "-c", ""])._replace(turn=turn)
        for name, turn in (("late", 2), ("early", 1))
    ]
    order = [outcome.name for outcome in run.run_legs(run.Plan([late, early]), 1)]
    assert order == ["early", "late"]


def test_a_leg_without_room_waits_until_there_is_some(tmp_path):
    """Each would fail where the other runs."""
    code = "import os, sys, time\nos.mkdir(sys.argv[1])\ntime.sleep(0.2)\nos.rmdir(sys.argv[1])"
    alone = [legs.check_leg(name, [sys.executable, "-c", code, str(tmp_path / "one at a time")]) for name in "ab"]
    assert [outcome.ok for outcome in run.run_legs(run.Plan(alone), 1)] == [True, True]
    assert [outcome.ok for outcome in run.run_legs(run.Plan([alone[0]._replace(load=3)]), 1)] == [True]


def test_what_goes_wrong_while_it_is_set_up_is_no_success():
    def fail():
        raise KeyError("a mistake of ours")

    with pytest.raises(KeyError):
        run.run_legs(run.Plan(), 1, fail)


@pytest.mark.skipif(os.name == "nt", reason="counted on POSIX")
def test_the_processor_time_of_a_leg_is_told():
    code = "import time\nwhile time.process_time() < 0.3: pass"
    assert 0.3 <= legs.check_leg("busy", [sys.executable, "-c", code]).run().processor_seconds < 2


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
    assert [leg.name for leg in plan.legs] == ["end to end: Python 3.8", "programs: Python 3.8"]
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


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_the_legs_that_run(tmp_path):
    note = tmp_path / "pid"
    slow = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    code = (
        "import signal, sys; sys.path.insert(0, sys.argv[1])\n"
        # A shell starts what runs in its background deaf to Ctrl-C, and that is inherited.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from tests import run\nfrom tests.tools import legs\n"
        "run.run_legs(run.Plan(legs.check_leg(name, [sys.executable, '-c', sys.argv[2]]) for name in 'abc'), 1)\n"
    )
    command = subprocess.Popen([sys.executable, "-c", code, cache.ROOT, slow], stderr=subprocess.PIPE)
    wait_for(note, note.read_text)
    leg = int(note.read_text())
    command.send_signal(signal.SIGINT)
    command.communicate(timeout=20)
    assert command.returncode != 0
    assert not is_alive(leg)
