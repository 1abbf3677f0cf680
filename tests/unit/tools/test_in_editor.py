"""The command that runs the in-editor tests: what it reports beside them, and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.host import launch
from tests.host.tests.processes.conftest import Sample
from tests.tools import in_editor

HEADER = """
import sublime
from unittesting import DeferrableTestCase
"""


def test_the_command_fails_if_an_error_occurs_that_no_test_has_planted(tmp_path):
    package = Sample(tmp_path, launch.PACKAGE)
    package.write({"tests/__init__.py": "", "tests/test_it.py": HEADER + PLANTING})
    command = [sys.executable, in_editor.__file__, "--package", package.folder]
    env = dict(os.environ, SAMPLE_LOG=package.log_path)
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, universal_newlines=True)
    assert "1 test" in done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("WENT WRONG")] == [
        "WENT WRONG plugin: division by zero"
    ]
    assert done.returncode == 1


PLANTING = """
class It(DeferrableTestCase):
    def test_it(self):
        def fail():
            raise ValueError("planted by a test")
        sublime.set_timeout(fail)
        sublime.set_timeout(lambda: 1 / 0)
        yield
"""


def test_the_console_that_is_printed_with_a_failure_is_cut_to_size(tmp_path):
    package = Sample(tmp_path, launch.PACKAGE)
    flood = "print('x' * 250000)\nfor number in range(5000): print('line', number)\n"
    package.write({"noise.py": flood, "tests/__init__.py": "", "tests/test_it.py": HEADER + FAILING})
    command = [sys.executable, in_editor.__file__, "--package", package.folder]
    env = dict(os.environ, SAMPLE_LOG=package.log_path)
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, universal_newlines=True)
    console = done.stdout.partition("---- console ----\n")[2].splitlines()
    assert "line 4999" in console
    assert len(console) <= 200
    assert max(map(len, done.stdout.splitlines())) < 500


FAILING = """
class It(DeferrableTestCase):
    def test_it(self):
        self.fail("planted by a test")
        yield
"""
