"""What holds for all tests that pytest runs: which are left out, and that an error in a thread is one of the test.

Rule: a test with the mark `everything` is left out, unless all are to run or this run asks for certain ones by name.
"""

from __future__ import annotations

import pytest

from tests.support.everything import SAMPLE, day, is_everything


def pytest_configure(config: pytest.Config) -> None:
    """Lets a test fail during which an exception ended a thread, be it one that an earlier test has left."""
    config.addinivalue_line("filterwarnings", "error::pytest.PytestUnhandledThreadExceptionWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects them, so that they do not count as skipped."""
    if is_everything() or config.option.keyword or any("::" in argument for argument in config.args):
        return
    left_out = [item for item in items if item.get_closest_marker("everything")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("everything")]


def pytest_report_header() -> str:
    return "all points" if is_everything() else f"a part of the points: {SAMPLE}={day()} has the same tried again"
