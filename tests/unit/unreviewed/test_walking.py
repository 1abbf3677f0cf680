"""A folder whose time stamp tells nothing is listed again all the same; one entry does not hide the others."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List

import pytest

from companion.unreviewed import files
from companion.unreviewed.files import Walks


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """On a disk on which folders keep the time stamps that they were made with."""
    for name in "abc":
        (tmp_path / name).mkdir()
    monkeypatch.setattr(files, "stamp_fields", lambda found: (0, found.st_ino, 0, 0, 0, 0))
    return tmp_path


def walks(folder: Path) -> Walks:
    return Walks(str(folder), lambda path, is_folder: False, 1000)


def test_what_comes_and_goes_without_time_stamps_of_folders_is_found(folder, clock):
    (folder / "a" / "old.txt").touch()
    there = walks(folder)
    assert there.walk().files == ["a/old.txt"]
    os.rename(str(folder / "a" / "old.txt"), str(folder / "a" / "Old.txt"))
    (folder / "b" / "new.txt").touch()
    clock.advance(files.RELISTED_SECONDS + 1)
    assert sorted(there.walk().files) == ["a/Old.txt", "b/new.txt"]


@pytest.mark.parametrize("pause", [1, files.RELISTED_SECONDS + 1])
def test_a_walk_lists_only_some_folders_again_and_the_next_one_others(folder, clock, monkeypatch, pause):
    there = walks(folder)
    walked = there.walk()
    monkeypatch.setattr(files, "RELISTED_FOLDERS", 1)
    for name in "abc":
        (folder / name / "new.txt").touch()
    clock.advance(files.RELISTED_SECONDS + 1)
    found = []
    for _ in range(5):
        found.append(len(there.walk().files))
        clock.advance(pause)
    assert found == [0, 1, 2, 3, 3]
    assert walked.files == []
    assert there.walk() is there.walk()


class Unknown:
    """An entry of which the disk does not say what it is."""

    name = "b.txt"

    def is_dir(self, **options: object) -> bool:
        """As where the disk has to be asked for each entry, and the network is down for one."""
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    is_file = is_dir


def test_an_entry_that_does_not_answer_hides_no_others(tmp_path, monkeypatch):
    for name in ("a.txt", "c.txt"):
        (tmp_path / name).touch()
    scandir = os.scandir

    @contextmanager
    def with_one_more(path: str) -> Iterator[List[object]]:
        with scandir(path) as entries:
            yield [*entries, Unknown()]

    monkeypatch.setattr(os, "scandir", with_one_more)
    assert walks(tmp_path).walk().files == ["a.txt", "c.txt"]
