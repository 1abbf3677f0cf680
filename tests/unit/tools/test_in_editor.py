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


def test_the_command_fails_if_something_went_wrong_that_no_test_has_planted(tmp_path):
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
