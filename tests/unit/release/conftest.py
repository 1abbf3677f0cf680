"""Makes the project importable from its top, and what several files here share: the index and a `Lib` folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parents[3])

if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tests.tools.release import installation  # noqa: E402
from tests.tools.release.index import Index  # noqa: E402

RUNNING = "{}.{}".format(*sys.version_info[:2])


@pytest.fixture(scope="session")
def index() -> Index:
    """The index that pip is set up for, asked once for each project. Without it the tests that use it fail."""
    return Index()


@pytest.fixture(scope="session")
def lib_folder(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The editor's `Lib` folder as Package Control fills it, for this machine and the running Python."""
    folder = tmp_path_factory.mktemp("Lib")
    installation.make_lib_folder(folder, installation.this_platform(), RUNNING, index)
    return folder
