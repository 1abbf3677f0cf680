"""What is undone of new files goes into the trash of the system, where there is one."""

from __future__ import annotations

import errno
import os

import pytest

from companion.unreviewed import undoing


def test_a_new_file_goes_into_the_trash(project, tmp_path, monkeypatch):
    if os.name == "nt":
        pytest.skip("what is undone is in the store there")
    monkeypatch.setattr("sys.platform", "linux")
    project.begin()
    project.write(b_txt=b"new\n")
    project.look()
    project.undo()
    (thrown,) = (tmp_path / "data" / "Trash" / "files").iterdir()
    assert (thrown.read_bytes(), thrown.suffix) == (b"new\n", ".txt")
    about = (tmp_path / "data" / "Trash" / "info" / (thrown.name + ".trashinfo")).read_text()
    assert f"Path={project.folder}/b.txt" in about.splitlines()


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize("is_there", [True, False], ids=["on another disk", "no trash"])
def test_a_new_file_that_cannot_go_into_the_trash_goes_all_the_same(project, tmp_path, monkeypatch, platform, is_there):
    if os.name == "nt":
        pytest.skip("what is undone is in the store there")
    monkeypatch.setattr("sys.platform", platform)
    trash = tmp_path / ".Trash" if platform == "darwin" else tmp_path / "data" / "Trash"
    monkeypatch.setenv("HOME", str(tmp_path))
    if is_there:
        trash.mkdir(parents=True)
    else:
        trash.parent.mkdir(exist_ok=True)
        trash.write_bytes(b"")
    rename = os.rename

    def renamed(source: str, target: str) -> None:
        if target.startswith(str(trash)):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(source, target)

    monkeypatch.setattr(os, "rename", renamed)
    project.begin()
    project.write(b_txt=b"new\n")
    project.look()
    assert project.undo() == []
    assert [path.name for path in project.folder.iterdir() if path.name != ".git"] == []
    assert [path for path in trash.rglob("*") if path.is_file()] == []


@pytest.mark.skipif(os.name == "nt", reason="there is no such trash")
def test_new_files_of_one_name_do_not_take_each_other_s_place_in_the_trash(project, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".Trash").mkdir()
    project.begin()
    project.write(b_txt=b"new\n", other__b_txt=b"newer\n")
    project.look()
    assert project.undo() == []
    thrown = sorted((tmp_path / ".Trash").iterdir())
    assert sorted(path.read_bytes() for path in thrown) == [b"new\n", b"newer\n"]
    assert thrown[-1].name == "b.txt"


@pytest.mark.skipif(os.name == "nt", reason="there is no such trash")
def test_a_full_disk_leaves_nothing_in_the_trash_that_tells_of_no_file(project, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")

    def full(data: bytes) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(undoing, "quote", full)
    project.begin()
    project.write(b_txt=b"new\n")
    project.look()
    assert project.undo() == []
    assert list((tmp_path / "data" / "Trash" / "info").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="there is no such trash")
@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize(
    "name",
    ["n" * 250, "n" * 125 + "." + "e" * 124, "\u540d" * 82 + ".txt", "n." + "\u540d" * 82],
    ids=["long", "long suffix", "wide", "wide suffix"],
)
def test_a_new_file_with_a_long_name_goes_into_the_trash_all_the_same(project, tmp_path, monkeypatch, platform, name):
    """What the trash calls it is longer, and a disk has room for 255 bytes."""
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    trash = tmp_path / ".Trash" if platform == "darwin" else tmp_path / "data" / "Trash" / "files"
    trash.mkdir(parents=True)
    if platform == "darwin":
        (trash / name).write_bytes(b"thrown away before\n")
    project.begin()
    (project.folder / name).write_bytes(b"new\n")
    project.look()
    assert project.undo() == []
    assert b"new\n" in [path.read_bytes() for path in trash.iterdir()]
