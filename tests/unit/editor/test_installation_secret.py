"""The secret by which the package knows its own marks again: the same in every run, and for the user alone."""

from __future__ import annotations

import os
import stat
import sys

import pytest

from companion.editor.storage import installation_secret
from companion.system import files


@pytest.fixture
def secret():
    return lambda folder: installation_secret(str(folder))


def test_it_stays_and_no_other_installation_has_it(secret, tmp_path):
    kept = secret(tmp_path / "one" / "storage")
    assert len(kept) == 32
    assert secret(tmp_path / "one" / "storage") == kept
    assert secret(tmp_path / "two") != kept


@pytest.mark.skipif(sys.platform == "win32", reason="there the folder's own permissions hold")
def test_only_the_user_can_read_it(secret, tmp_path):
    secret(tmp_path / "storage")
    (name,) = os.listdir(tmp_path / "storage")
    assert stat.S_IMODE(os.stat(tmp_path / "storage" / name).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "storage").st_mode) == 0o700


@pytest.mark.parametrize("damage", [b"", b"short", b"\xff" * 32, b"g" * 32, b"a" * 33])
def test_what_is_none_is_replaced(secret, tmp_path, damage):
    secret(tmp_path)
    (name,) = os.listdir(tmp_path)
    (tmp_path / name).write_bytes(damage)
    new = secret(tmp_path)
    assert new.encode() not in damage
    assert secret(tmp_path) == new
    assert os.listdir(tmp_path) == [name]


def test_it_is_kept_while_its_folder_is_cleared(secret, tmp_path, monkeypatch):
    """As at the first start: reviews look for what an earlier run has left, and leave no empty folder behind."""
    folder, new_file = tmp_path / "storage", files.new_file

    def cleared(path):
        monkeypatch.setattr(files, "new_file", new_file)
        assert list(files.left_over(str(folder), ".json")) == []
        assert not folder.exists()
        return new_file(path)

    folder.mkdir()
    monkeypatch.setattr(files, "new_file", cleared)
    kept = secret(folder)
    assert secret(folder) == kept


def test_without_a_place_for_it_there_is_one_for_this_run(secret, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert secret(tmp_path / "file") != secret(tmp_path / "file")
