"""What tests of the endpoint share."""

from __future__ import annotations

import pytest


@pytest.fixture
def folder(tmp_path):
    """Of a window, with one file."""
    made = tmp_path / "code"
    made.mkdir()
    (made / "file.py").write_bytes(b"one\ntwo\n")
    return made
