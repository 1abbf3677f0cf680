"""Folders and files that go, or give no answer, while they are looked at: nothing else is lost."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace

import pytest

from companion.unreviewed import reading
from companion.unreviewed.files import Walks
from tests.unit.unreviewed.conftest import TEXT, text


def test_a_folder_that_goes_or_is_exchanged_takes_no_files_along(project):
    """As when its drive is taken away: nothing was deleted, and nothing may be written elsewhere."""
    project.write(a_txt=TEXT, b_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line1=b"agent"))
    project.look()
    away = project.folder.parent / "away"
    project.folder.rename(away)
    for _ in range(2):
        with pytest.raises(OSError):
            project.look()
        assert set(project.listed()) == {"a.txt"}
        assert len(project.undo()) == 1
        if not project.folder.exists():
            project.folder.mkdir()
    assert list(project.folder.iterdir()) == []
    project.folder.rmdir()
    away.rename(project.folder)
    project.workspace.begin(lambda: False)
    assert set(project.look()) == {"a.txt"}
    assert project.undo() == []
    assert project.read("a.txt") == TEXT


def test_a_file_that_fails_to_answer_briefly_is_not_lost_nor_are_others(project, monkeypatch):
    """As on a drive of the network."""
    project.write(a_txt=TEXT, b_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line1=b"agent"), b_txt=text(line1=b"agent"))
    lstat = os.lstat

    def failing(path: str, **options: object) -> os.stat_result:
        if str(path).endswith("a.txt"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return lstat(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", failing)
        assert set(project.look()) == {"b.txt"}
    assert set(project.look()) == {"a.txt", "b.txt"}
    assert project.before("a.txt") == TEXT


def test_a_file_that_goes_while_it_is_looked_at_is_not_listed(project, monkeypatch):
    """As one that a program makes beside another for a moment."""
    project.begin()
    project.write(new_tmp=b"for a moment")

    def gone(path: str, flags: int) -> None:
        os.unlink(path)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(reading, "opened", gone)
    assert project.look() == {}


@pytest.mark.parametrize("bound", [{"READ_BYTES": 5}, {"LOOK_BYTES": 9}], ids=["of one file", "of all files"])
def test_no_more_bytes_are_read_than_a_look_has_time_for(project, monkeypatch, bound):
    """What is not read is listed all the same once it is another file."""
    read, opened = [], reading.opened
    monkeypatch.setattr(
        reading, "opened", lambda path, flags: read.append(os.path.basename(path)) or opened(path, flags)
    )
    monkeypatch.setattr(reading, "LOOK_BYTES", 100)
    for name, value in bound.items():
        monkeypatch.setattr(reading, name, value)
    project.write(a_txt=b"1234", b_txt=b"12345", c_txt=b"123456")
    project.begin()
    assert read == ["a.txt", "b.txt"]
    project.write(c_txt=b"1234567")
    assert project.look()["c.txt"].obstacle == "c.txt cannot be undone: what it held before is not kept."
    assert len(project.undo()) == 1
    assert project.read("c.txt") == b"1234567"


def test_a_file_with_its_time_set_back_is_read_again_on_a_coarse_disk(project, monkeypatch):
    """Such a disk tells two writes in one moment apart by nothing."""
    monkeypatch.setattr(reading, "stamp_fields", lambda of: (0, of.st_ino, of.st_size, of.st_mtime_ns, 0, 0))
    project.write(a_txt=b"before\n")
    project.begin()
    for data in (b"1\n", b"2\n"):
        project.write(a_txt=data)
        os.utime(str(project.folder / "a.txt"), (1e9, 1e9))
        change = project.look()["a.txt"]
        assert project.workspace.copies.data(change.now) == data


def test_what_a_name_and_a_descriptor_tell_of_a_file_may_differ(project, monkeypatch):
    """As on Windows: by its name a file may be run, and what is called its last change is when it was made."""
    project.write(run_bat=b"before\n")
    (project.folder / "run.bat").chmod(0o777)
    fstat = os.fstat

    def by_descriptor(descriptor: int) -> os.stat_result:
        numbers, others = fstat(descriptor).__reduce__()[1]
        others.update(st_ctime_ns=others["st_ctime_ns"] + 1)
        return os.stat_result((numbers[0] & ~0o111, *numbers[1:]), others)

    monkeypatch.setattr(os, "fstat", by_descriptor)
    project.begin()
    project.write(run_bat=b"now\n")
    assert {path: change.obstacle for path, change in project.look().items()} == {"run.bat": ""}
    assert project.before("run.bat") == b"before\n"


def test_a_junction_is_a_link_and_not_followed(project, monkeypatch):
    """Windows has links to folders that Python takes for folders."""
    project.write(a_txt=b"before\n", other__b_txt=b"before\n")
    lstat = os.lstat

    def with_junction(path: str, **options: object) -> object:
        found = lstat(path, **options)
        if not str(path).endswith("/other"):
            return found
        known = {name: getattr(found, name) for name in dir(found) if name.startswith("st_")}
        return SimpleNamespace(**known, st_reparse_tag=0xA0000003)

    monkeypatch.setattr(os, "lstat", with_junction)
    project.begin()
    walked = Walks(str(project.folder), lambda path, is_folder: False, 1000).walk()
    assert [path for path in walked.files if path.endswith(".txt")] == ["a.txt"]
    project.write(a_txt=b"now\n", other__b_txt=b"now\n", other__c_txt=b"new\n")
    assert set(project.look()) == {"a.txt"}


def test_an_undo_of_a_file_in_a_folder_that_cannot_be_entered_says_so(project, monkeypatch):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    lstat = os.lstat

    def not_allowed(path: str, **options: object) -> os.stat_result:
        if str(path).endswith("a.txt"):
            raise PermissionError(13, "Permission denied")
        return lstat(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", not_allowed)
        (refusal,) = project.undo()
    assert refusal.sentence == "a.txt is left as it is: it cannot be looked at (Permission denied)."
    assert (project.read("a.txt"), set(project.look())) == (b"now\n", {"a.txt"})
