"""What an undo, and taking that back, leave listed: also where nobody tracks, and where somebody writes meanwhile."""

from __future__ import annotations

import os

import pytest

from companion.unreviewed import undoing


@pytest.mark.parametrize(
    "writes",
    [{"a_txt": None}, {"a_txt": b"agent\n"}, {"b_bin": b"\0agent\n"}, {"new_txt": b"new\n"}],
    ids=["deleted", "changed", "binary", "new"],
)
def test_what_is_brought_back_while_nobody_tracks_is_listed_as_before(project, writes):
    project.write(a_txt=b"mine\n", b_bin=b"\0mine\n")
    project.begin()
    project.write(**writes)
    befores = {path: change.before for path, change in project.look().items()}
    project.workspace.end(lambda: False)
    assert project.undo() == []
    assert project.listed() == {}
    assert project.restore() == []
    assert {path: change.before for path, change in project.listed().items()} == befores
    assert project.undo() == []
    assert (project.read("a.txt"), project.read("b.bin")) == (b"mine\n", b"\0mine\n")
    project.begin()
    assert project.listed() == {}


def test_an_undo_can_be_restored_in_a_later_process_after_a_refused_undo(project):
    project.write(a_txt=b"before\n", b_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n", b_txt=b"now\n")
    project.look()
    assert project.undo("a.txt") == []
    unsaved = undoing.Progress([str(project.folder / "b.txt")])
    assert len(project.undo_these([project.listed()["b.txt"]], unsaved)) == 1
    project.begin()
    assert project.restore() == []
    assert project.read("a.txt") == b"now\n"


def test_a_restored_change_is_listed_in_a_later_process_and_restored_once(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    assert project.undo() == project.restore() == []
    project.begin()
    assert set(project.look()) == {"a.txt"}
    assert not project.workspace.last_undone.groups


@pytest.mark.parametrize("write", [b"agent again\n", None])
def test_what_is_written_at_once_after_an_undo_is_listed(project, monkeypatch, write):
    project.write(a_txt=b"mine\n")
    project.begin()
    project.write(a_txt=b"agent\n")
    project.look()
    exchanged = project.workspace.exchanged

    def overtaken(*args: object) -> None:
        project.write(a_txt=write)
        project.look()
        exchanged(*args)

    monkeypatch.setattr(project.workspace, "exchanged", overtaken)
    assert project.undo() == []
    assert set(project.look()) == {"a.txt"}


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_an_undo_that_cannot_change_permissions_leaves_the_file_as_it_is(project, monkeypatch):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    (project.folder / "a.txt").chmod(0o700)
    project.look()
    monkeypatch.setattr(os, "fchmod", not_allowed)
    (refusal,) = project.undo()
    assert "cannot be written" in refusal.sentence
    assert project.read("a.txt") == b"now\n"


def not_allowed(*args: object, **options: object) -> None:
    raise OSError(1, os.strerror(1))
