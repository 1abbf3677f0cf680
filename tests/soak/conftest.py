"""What the soak tests share: an editor that starts without the package. Only `--everything` runs them."""

from __future__ import annotations

import os
import sys
from typing import Iterator

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCHMARKS = os.path.join(ROOT, "tests", "benchmarks")
sys.path[:0] = [path for path in (ROOT, BENCHMARKS) if path not in sys.path]

from resident import Editor, starting  # noqa: E402


@pytest.fixture
def editor(tmp_path) -> Iterator[Editor]:
    """An editor without the package; at the end nothing may have gone wrong."""
    with starting(str(tmp_path)) as made:
        yield made
