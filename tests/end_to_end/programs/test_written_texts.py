"""The real programs write what we say they will, byte by byte: the changes of `unit/agents/test_written_texts.py`, and
others made at random, all in one start of each program.

A few dozen at random in every run, and thousands once a week and for a release.
"""

from __future__ import annotations

import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("one of the programs is installed for Linux on x64 only", allow_module_level=True)

from tests.end_to_end.programs.comparing import assert_patched_as_said, assert_written_as_said


@pytest.mark.parametrize("key", ["gemini", "qwen", "copilot"])
def test_each_file_holds_what_was_said(key, tmp_path):
    assert_written_as_said(key, tmp_path)


def test_each_file_that_copilot_cli_patches_holds_what_was_said(tmp_path):
    assert_patched_as_said(tmp_path)
