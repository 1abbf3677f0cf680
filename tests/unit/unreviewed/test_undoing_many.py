"""Many files at once: git and the disk are asked seldom, and what is done to one file costs no other one."""

from __future__ import annotations

import os
from typing import Any

import pytest

from companion.unreviewed import content, undoing
from companion.unreviewed.git import Repository

COUNT = 40


@pytest.fixture
def many(project):
    """So many changed files, all of which git has, if there is git; some folders are new and some are gone."""
    for number in range(COUNT):
        project.write(**{f"folder{number % 3}__f{number}_txt": b"before %d\n" % number})
    if project.with_git:
        project.commit()
    project.begin()
    for number in range(COUNT):
        path = f"folder{number % 3}__f{number}_txt"
        project.write(**{path: None if number % 3 == 2 else b"now %d\n" % number})
        project.write(**{f"new{number % 3}__f{number}_txt": b"new %d\n" % number})
    return project


def state(project: Any) -> Any:
    return {str(path.relative_to(project.folder)): path.read_bytes() for path in project.folder.rglob("*.txt")}


@pytest.mark.parametrize("portion", [7, content.PORTION_FILES])
def test_many_files_are_undone_and_restored_exactly_with_few_questions(many, monkeypatch, portion):
    monkeypatch.setattr(content, "PORTION_FILES", portion)
    asked, flushed = [], []
    run, fsync = Repository._run, os.fsync
    monkeypatch.setattr(Repository, "_run", lambda *args, **options: asked.append(args) or run(*args, **options))
    monkeypatch.setattr(os, "fsync", lambda each: flushed.append(os.fstat(each).st_ino) or fsync(each))
    now = state(many)
    assert len(many.look()) == 2 * COUNT
    asked.clear()
    assert many.undo() == []
    assert len(asked) <= 2 + 6 * COUNT // portion
    assert len(flushed) <= 2 * COUNT * 6 + 10
    kept = {path.stat().st_ino for path in (many.storage / "Unreviewed").glob("*.kept")}
    assert kept <= set(flushed)
    assert len(kept) >= 2 * COUNT
    assert state(many) == {f"folder{number % 3}/f{number}.txt": b"before %d\n" % number for number in range(COUNT)}
    assert many.restore() == []
    assert state(many) == now
    assert len(many.listed()) == 2 * COUNT


def test_files_that_have_changed_again_are_named_and_cost_no_other_one(many):
    many.look()
    for number in (3, 4):
        many.write(**{f"folder{number % 3}__f{number}_txt": b"later\n"})
    refused = [os.path.basename(refusal.path) for refusal in many.undo()]
    assert sorted(refused) == ["f3.txt", "f4.txt"]
    found = state(many)
    assert (found["folder0/f3.txt"], len(found)) == (b"later\n", COUNT)


def test_a_process_that_ends_in_the_midst_leaves_what_can_be_brought_back(many, monkeypatch):
    class EndedError(BaseException):
        pass

    def ended(*args: Any) -> None:
        if not left.pop():
            raise EndedError
        write(*args)

    now = state(many)
    many.look()
    left, write = [False] + [True] * 30, undoing.disk.write
    with monkeypatch.context() as patch:
        patch.setattr(undoing.disk, "write", ended)
        with pytest.raises((EndedError, IndexError)):
            many.undo()
    many.begin()
    assert state(many) != now
    many.restore()
    assert state(many) == now


def test_what_has_no_copy_that_is_whole_is_not_undone(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n", b_txt=b"new\n")
    project.look()
    for kept in (project.storage / "Unreviewed").glob("*.kept"):
        kept.write_bytes(kept.read_bytes()[:-2])
    assert len(project.undo()) == 2
    assert (project.read("a.txt"), project.read("b.txt")) == (b"now\n", b"new\n")


def test_what_is_in_memory_at_once_has_its_bounds(monkeypatch):
    monkeypatch.setattr(content, "PORTION_FILES", 3)
    found = list(content.portions([3, 3, 1, 9, 1, 1, 1, 1], lambda size: size, 6))
    assert found == [[3, 3], [1], [9], [1, 1, 1], [1]]
