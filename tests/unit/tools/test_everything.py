"""What a run leaves out, and which of many points it tries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import everything

ROOT = Path(__file__).resolve().parents[3]
MARKED = "tests/unit/tools/release/test_package_control.py"
NOT_MARKED = "tests/unit/tools/test_everything.py"


@pytest.fixture(autouse=True)
def not_everything(monkeypatch):
    monkeypatch.delenv(everything.EVERYTHING, raising=False)


def collected(*arguments):
    """The files of the tests that pytest would run, and its last line."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, universal_newlines=True).stdout
    return {line.partition("::")[0] for line in printed.splitlines() if "::" in line}, printed.splitlines()[-1]


def test_tests_with_the_mark_are_left_out_and_not_counted_as_skipped(monkeypatch):
    files, counts = collected(MARKED, NOT_MARKED)
    assert files == {NOT_MARKED}
    assert "deselected" in counts
    assert "skipped" not in counts
    monkeypatch.setenv(everything.EVERYTHING, "1")
    assert collected(MARKED, NOT_MARKED)[0] == {MARKED, NOT_MARKED}


def test_a_test_that_is_named_is_run():
    assert collected(MARKED, "-k", "newest_final_release")[0] == {MARKED}
    assert collected(f"{MARKED}::test_the_newest_final_release_with_a_matching_wheel_is_taken")[0] == {MARKED}


def test_of_many_points_each_day_tries_others_and_some_days_all_of_them(monkeypatch):
    tried = []
    for day in range(26, 31):
        monkeypatch.setenv(everything.SAMPLE, f"2026-11-{day}")
        tried.append(everything.sample(range(23), 5))
        assert tried[-1] == everything.sample(range(23), 5)
    assert {len(each) for each in tried} == {4, 5}
    assert sorted(point for each in tried for point in each) == list(range(23))
    monkeypatch.setenv(everything.EVERYTHING, "1")
    assert everything.sample(range(23), 5) == list(range(23))


def test_the_day_is_today_unless_it_is_named(monkeypatch):
    monkeypatch.delenv(everything.SAMPLE, raising=False)
    assert (everything.day() - everything.datetime.date(2026, 1, 1)).days > 0
    monkeypatch.setenv(everything.SAMPLE, "tomorrow")
    with pytest.raises(ValueError, match="tomorrow"):
        everything.day()
