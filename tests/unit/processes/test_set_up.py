"""What the commands set up in `.cache/`, and how legs of tests are counted."""

from __future__ import annotations

import os
import sys
import time

import pytest

from tests.host.driver import is_alive
from tests.tools import cache, legs, nodes, pythons


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "CACHE", str(tmp_path))
    return tmp_path


def test_a_thing_is_made_once_and_again_when_its_sources_change(cache_folder):
    made = []
    for sources in (["a"], ["a"], ["b"]):
        cache.set_up("thing", sources, made.append, "the thing")
    assert made == [str(cache_folder / "thing")] * 2


def test_a_failed_set_up_is_made_again(cache_folder):
    def fail(folder):
        raise cache.SetupError("no network")

    with pytest.raises(cache.SetupError, match="no network"):
        cache.set_up("thing", ["a"], fail, "the thing")
    made = []
    cache.set_up("thing", ["a"], made.append, "the thing")
    assert made


def test_a_failing_command_is_reported_with_its_output():
    with pytest.raises(cache.SetupError, match="(?s)trying failed .*why it failed"):
        cache.run([sys.executable, "-c", "print('why it failed'); raise SystemExit(3)"], "trying")
    with pytest.raises(cache.SetupError, match="cannot be started"):
        cache.run([os.path.join(os.sep, "no", "such", "program")], "trying")


def test_this_python_is_found():
    version = sys.version_info[:2]
    found = pythons.find_all()
    assert version in found
    assert found[version].version >= version
    assert pythons.probe(os.path.join(os.sep, "no", "such", "python")) is None


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine on which nothing but these Pythons is to be found: their versions by the names of programs on PATH."""

    def make(**versions):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.delenv("PYTHON314", raising=False)
        monkeypatch.setattr(pythons, "_pyenv_roots", list)
        for name, version in versions.items():
            script = tmp_path / name.replace("_", ".")
            script.write_text(f"#!/bin/sh\necho '{version}|{script}'\n", encoding="utf-8")
            script.chmod(0o755)
        monkeypatch.setattr(pythons, "_outside_environment", lambda executable: str(tmp_path / "none"))
        return tmp_path

    return make


@pytest.mark.skipif(os.name == "nt", reason="scripts of POSIX stand for Pythons")
class TestTheNewestPython:
    def test_the_newest_python_is_the_editors_also_where_newer_ones_are(self, machine):
        machine(python3_13="3.13.5", python3_14="3.14.2", python3_15="3.15.0")
        assert pythons.newest().version == (3, 14, 2)

    def test_the_newest_python_stands_in_where_the_editors_is_missing(self, machine, monkeypatch):
        monkeypatch.delenv("CI", raising=False)
        machine(python3_8="3.8.20", python3_13="3.13.5")
        assert pythons.newest().version == (3, 13, 5)

    def test_in_ci_nothing_stands_in(self, machine, monkeypatch):
        monkeypatch.setenv("CI", "true")
        machine(python3_8="3.8.20", python3_13="3.13.5")
        with pytest.raises(cache.SetupError, match="CI tests on the editor's Python 3.14"):
            pythons.newest()

    def test_the_newest_python_is_the_one_that_the_variable_names(self, machine, monkeypatch):
        folder = machine(python3_13="3.13.5", python3_14="3.14.9", elsewhere="3.14.1")
        monkeypatch.setenv("PYTHON314", str(folder / "elsewhere"))
        assert pythons.newest() == pythons.Python((3, 14, 1), str(folder / "elsewhere"))

    def test_a_variable_that_names_another_one_is_an_error(self, machine, monkeypatch):
        folder = machine(python3_13="3.13.5", python3_14="3.14.9")
        for name, what in (("python3.13", "Python 3.13"), ("missing", "no Python")):
            monkeypatch.setenv("PYTHON314", str(folder / name))
            with pytest.raises(cache.SetupError, match=f"PYTHON314 .* is {what}"):
                pythons.newest()

    def test_a_machine_without_any_says_so(self, machine):
        machine()
        with pytest.raises(cache.SetupError, match="No usable Python"):
            pythons.newest()


def test_a_missing_node_is_said_clearly(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(cache.SetupError, match="Install Node.js 20"):
        nodes.node()


def test_lock_files_name_no_registry():
    clients = os.path.join(cache.ROOT, "tests", "clients")
    found = 0
    for parent, folders, files in os.walk(clients):
        folders[:] = [name for name in folders if name != "node_modules"]
        if "package-lock.json" in files:
            found += 1
            assert '"resolved"' not in (cache.read_text(os.path.join(parent, "package-lock.json")) or "")
    assert found


PASSING = "def test_a(): pass\ndef test_b(): pass\n"
FAILING = "import pytest\ndef test_a(): assert False\ndef test_b(): pytest.skip('why')\ndef test_c(): pass\n"


@pytest.mark.parametrize(
    "text, expected", [(PASSING, (2, 0, 0)), (FAILING, (1, 1, 1)), ("import nothing_such\n", (0, 1, 0))]
)
def test_a_pytest_leg_is_counted(tmp_path, text, expected):
    (tmp_path / "test_sample.py").write_text(text, encoding="utf-8")
    outcome = legs.pytest_leg("sample", sys.executable, [str(tmp_path)], None, {}).run()
    assert tuple(outcome.counts) == expected
    assert outcome.ok == (expected[1] == 0)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("end", "how", "what"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL", ".."),
        ("faulthandler._sigsegv()", "SIGSEGV", "Fatal Python error: Segmentation fault"),
    ],
)
def test_a_leg_that_was_ended_by_a_signal_says_so_and_how_far_it_came(tmp_path, end, how, what):
    text = f"import faulthandler, os, signal\ndef test_a(): pass\ndef test_b(): pass\ndef test_c(): {end}\n"
    (tmp_path / "test_sample.py").write_text(text, encoding="utf-8")
    outcome = legs.pytest_leg("sample", sys.executable, [str(tmp_path)], None, {}).run()
    assert outcome.counts.failed == 1
    assert outcome.failures[0] == f"ended by {how}; the last that it said:"
    assert any(what in line for line in outcome.failures[1:])


def test_of_a_leg_with_failures_each_is_named(tmp_path):
    (tmp_path / "test_sample.py").write_text(FAILING, encoding="utf-8")
    outcome = legs.pytest_leg("sample", sys.executable, [str(tmp_path)], None, {}).run()
    assert [line.rpartition("::")[2].split()[0] for line in outcome.failures] == ["test_a"]
    (tmp_path / "test_sample.py").write_text(PASSING, encoding="utf-8")
    assert legs.pytest_leg("sample", sys.executable, [str(tmp_path)], None, {}).run().failures == []


@pytest.mark.skipif(os.name == "nt", reason="process groups of POSIX")
def test_a_leg_past_its_limit_is_killed_with_all_it_started(tmp_path, monkeypatch):
    note = tmp_path / "child"
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    monkeypatch.setattr(legs, "LEG_SECONDS", 3)
    outcome = legs.check_leg("slow", [sys.executable, "-c", code]).run()
    assert outcome.counts.failed == 1
    assert "KILLED" in outcome.output
    child = int(note.read_text())
    deadline = time.monotonic() + 5
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(child)


def test_a_thing_whose_needed_file_has_gone_is_made_again(cache_folder):
    made = []

    def make(folder):
        made.append(folder)
        with open(os.path.join(folder, "python"), "w", encoding="utf-8") as file:
            file.write("")

    for _ in range(2):
        cache.set_up("thing", ["a"], make, "the thing", needs="python")
    assert len(made) == 1
    os.remove(os.path.join(made[0], "python"))
    cache.set_up("thing", ["a"], make, "the thing", needs="python")
    assert len(made) == 2


def test_the_same_python_under_another_name_has_the_same_environment(cache_folder, monkeypatch):
    made = []

    def run(command, doing, **options):
        made.append(command)
        executable = pythons.executable_of(str(cache_folder / "python3.12"))
        os.makedirs(os.path.dirname(executable), exist_ok=True)
        with open(executable, "w", encoding="utf-8") as file:
            file.write("")

    monkeypatch.setattr(cache, "run", run)
    first = pythons.environment(pythons.Python((3, 12, 1), "python3"))
    count = len(made)
    assert pythons.environment(pythons.Python((3, 12, 1), os.path.join(os.sep, "other", "python3.12"))) == first
    assert len(made) == count == 2


def test_a_leg_keeps_its_bytecode_whatever_its_surroundings_say(tmp_path, monkeypatch):
    """Containers often forbid it; then each process that tests start would compile aiohttp and the package anew."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "test_sample.py").write_text(
        "import subprocess, sys\n\ndef test_it():\n    code = 'import sys; sys.exit(sys.dont_write_bytecode)'\n"
        "    assert subprocess.call([sys.executable, '-c', code]) == 0\n",
        encoding="utf-8",
    )
    assert legs.pytest_leg("sample", sys.executable, [str(tmp_path)], None, {}).run().ok
