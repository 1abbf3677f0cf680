"""What the commands set up in `.cache/`, and how legs of tests are counted."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.tools import cache, legs, pythons


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

    def test_in_ci_nothing_stands_in(self, machine, monkeypatch):
        monkeypatch.setenv("CI", "true")
        machine(python3_8="3.8.20", python3_13="3.13.5")
        with pytest.raises(cache.SetupError, match="CI tests on the editor's Python 3.14"):
            pythons.newest()

    def test_a_variable_that_names_another_one_is_an_error(self, machine, monkeypatch):
        folder = machine(python3_13="3.13.5", python3_14="3.14.9")
        for name, what in (("python3.13", "Python 3.13"), ("missing", "no Python")):
            monkeypatch.setenv("PYTHON314", str(folder / name))
            with pytest.raises(cache.SetupError, match=f"PYTHON314 .* is {what}"):
                pythons.newest()


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


def test_the_demonstration_asks_for_node_before_it_installs_anything(tmp_path):
    command = [sys.executable, os.path.join(cache.ROOT, "tests", "demo.py")]
    done = subprocess.run(command, env=dict(os.environ, PATH=str(tmp_path)), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "The demonstration cannot run: Node.js was not found on PATH. Install Node.js 20 or newer.\n"
