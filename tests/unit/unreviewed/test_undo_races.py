"""Undo while somebody writes to the same file: what was written stays."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from companion.review.document import file_replacement
from companion.review.document.journal import Note, PlannedWrite, recover
from companion.unreviewed import undoing
from companion.unreviewed.folder import Queue
from companion.unreviewed.texts import hunks_between
from tests.unit.unreviewed.conftest import TEXT, WINDOW, never, text


def test_a_write_in_the_midst_of_an_undo_is_not_lost(project, monkeypatch):
    """Between the look at the file and its removal somebody writes to it."""
    project.begin()
    project.write(b_txt=b"new\n")
    project.look()
    rename = os.rename

    def written_before(source: str, target: str) -> None:
        if source.endswith("b.txt"):
            Path(source).write_bytes(b"newer\n")
        rename(source, target)

    monkeypatch.setattr(os, "rename", written_before)
    assert len(project.undo()) == 1
    assert project.read("b.txt") == b"newer\n"
    assert sorted(path.name for path in project.folder.iterdir() if path.name != ".git") == ["b.txt"]


@pytest.mark.parametrize("trash", [True, False])
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("taken", [True, False])
def test_a_write_into_a_new_file_while_it_is_removed_stays(project, tmp_path, monkeypatch, trash, links, taken):
    """A disk may have no hard links, and no trash; somebody may even have made another file of that name."""
    if os.name == "nt":
        pytest.skip("it is renamed there")
    project.begin()
    project.write(b_txt=b"new\n")
    project.look()
    rename = os.rename

    def written_before(source: str, target: str) -> None:
        rename(source, target)
        if source.endswith("/b.txt"):
            Path(target).write_bytes(b"newer\n")
            if taken:
                Path(source).write_bytes(b"another\n")

    monkeypatch.setattr("sys.platform", "linux")
    if not trash:
        monkeypatch.setattr(undoing, "into_trash", lambda path, former: False)
    monkeypatch.setattr(os, "rename", written_before)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    (refusal,) = project.undo()
    if taken:
        assert project.read("b.txt") == b"another\n"
        assert Path(refusal.sentence.partition("is now ")[2][:-1]).read_bytes() == b"newer\n"
    else:
        assert project.read("b.txt") == b"newer\n"
        assert sorted(path.name for path in project.folder.iterdir() if path.name != ".git") == ["b.txt"]
        left = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
        assert left == []  # nor is anything in the trash


def no_links(*args: object, **options: object) -> None:
    raise OSError(1, os.strerror(1))


@pytest.mark.skipif(os.name == "nt", reason="the file is not replaced there")
def test_a_write_in_the_very_moment_of_an_undo_stays(project, monkeypatch):
    """By somebody who had opened the file before."""
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    check = file_replacement._check_untouched

    def written_before(descriptor: int, found: os.stat_result, entry: PlannedWrite) -> None:
        Path(entry.path).write_bytes(b"now and later\n")
        check(descriptor, found, entry)

    monkeypatch.setattr(file_replacement, "_check_untouched", written_before)
    assert "has changed on disk" in project.undo()[0].sentence
    assert project.read("a.txt") == b"now and later\n"
    assert sorted(path.name for path in project.folder.iterdir() if path.name != ".git") == ["a.txt"]


@pytest.mark.parametrize("taken", [True, False])
def test_a_process_that_ends_while_removing_a_new_file_hides_nothing(project, monkeypatch, taken):
    class EndedError(BaseException):
        pass

    def ended(*args: object) -> None:
        raise EndedError

    project.begin()
    project.write(b_txt=b"new\n")
    project.look()
    with monkeypatch.context() as patch:
        patch.setattr(undoing, "into_trash", lambda path, former: False)
        patch.setattr(os, "unlink", ended)
        patch.setattr(undoing, "give_back", ended)
        patch.setattr(Note, "remove", lambda note: note.leave())
        with pytest.raises(EndedError):
            project.undo()
    assert not (project.folder / "b.txt").exists()
    if taken:
        project.write(b_txt=b"another\n")
    (said,) = recover(str(project.storage), lambda: False)
    assert project.read("b.txt") == (b"another\n" if taken else b"new\n")
    if taken:
        assert Path(said.partition(" is in ")[2]).read_bytes() == b"new\n"
    else:
        assert sorted(path.name for path in project.folder.iterdir() if path.name != ".git") == ["b.txt"]
    assert recover(str(project.storage), lambda: False) == []


def test_a_write_while_a_file_is_removed_has_its_name_at_the_next_start(project, monkeypatch):
    def written_before(source: str, target: str) -> None:
        Path(source).write_bytes(b"newer\n")
        rename(source, target)

    project.begin()
    project.write(b_txt=b"new\n")
    project.look()
    rename = os.rename
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", written_before)
        patch.setattr(undoing, "give_back", no_links)  # the disk fails in this moment
        assert len(project.undo()) == 1
    assert not (project.folder / "b.txt").exists()
    recover(str(project.storage), lambda: False)
    assert project.read("b.txt") == b"newer\n"


def test_a_second_undo_waits_for_the_first_and_each_is_restored_as_it_was(project, monkeypatch):
    """The user confirms twice, in two windows."""
    project.write(a_txt=b"before\n", b_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n", b_txt=b"now\n")
    shown = list(project.look().values())
    exchange, refused, looks = undoing.exchange, [], []
    queue = Queue(Lock(), lambda run: run(never), lambda cancelled: looks.append(len(refused)), pytest.fail)

    def undo(cancelled: Any) -> Any:
        refused.append((yield from undoing.undo(project.workspace, shown, undoing.Progress(), str(project.storage), 2)))

    def while_another_begins(*args: Any) -> None:
        if not looks:
            queue.add(undo)
            queue.ask()
        exchange(*args)

    monkeypatch.setattr(undoing, "exchange", while_another_begins)
    queue.add(undo)
    assert [len(each) for each in refused] == [0, 2]
    assert looks == [0]  # an agent waits for it
    assert project.read("a.txt") == project.read("b.txt") == b"before\n"
    assert project.restore() == []
    assert project.read("a.txt") == project.read("b.txt") == b"now\n"


@pytest.mark.parametrize("saved", [False, True])
def test_a_look_in_the_midst_of_an_undo_takes_it_for_nobody_s_write(project, monkeypatch, saved):
    """What is left of the change is the program's as before, and no change of its own since a save of the user."""
    project.write(a_txt=TEXT)
    project.begin()
    project.calls.only_hooked(WINDOW, True)
    with project.call("Claude Code"):
        project.write(a_txt=text(line1=b"one", line9=b"nine"))
    if saved:
        project.save(a_txt=text(line1=b"one", line9=b"nine", line20=b"mine"))
    change, exchanged = project.look()["a.txt"], undoing._exchanged

    def looked_at(*step: Any) -> Any:
        done = yield from exchanged(*step)
        project.look()
        return done

    monkeypatch.setattr(undoing, "_exchanged", looked_at)
    hunk = hunks_between(TEXT, project.read("a.txt"))[0]
    assert project.undo_these([change], hunks=[hunk]) == []
    left = project.look()["a.txt"]
    assert (left.origin, left.since_save, left.added, left.removed) == (change.origin, False, 1, 1)
    assert project.undo() == []
    assert project.read("a.txt") == (text(line20=b"mine") if saved else TEXT)
