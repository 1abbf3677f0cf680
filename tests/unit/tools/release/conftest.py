"""What several files here share: the index and a `Lib` folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tools.release import installation
from tests.tools.release.index import Index

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
