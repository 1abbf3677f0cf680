"""Undo and Restore: byte for byte what was shown, or nothing."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from codecs import BOM_UTF8
from pathlib import Path

import pytest

from companion.comparison import Hunk
from companion.unreviewed import edits, files, reading
from companion.unreviewed.model import ChangeKind
from companion.unreviewed.store import Store
from companion.unreviewed.texts import hunks_between

ODD = {
    "crlf": (b"one\r\ntwo\r\n", b"one\r\n2\r\n"),
    "cr": (b"one\rtwo\r", b"one\r2\r"),
    "mixed": (b"one\r\ntwo\nthree\r", b"one\ntwo\r\nthree\r"),
    "bom": (b"\xef\xbb\xbfone\n", b"one\n"),
    "utf-16": ("\ufeffone\n".encode("utf-16-le"), "\ufefftwo\n".encode("utf-16-le")),
    "binary": (bytes(range(256)) * 20, bytes(reversed(range(256)))),
    "emptied": (b"one\n", b""),
    "filled": (b"", b"one\n"),
    "no final newline": (b"one\ntwo", b"one\ntwo\n"),
    "invalid": (b"\xff\xfe\xfa\n", b"\xc3\x28"),
}


@pytest.mark.parametrize("committed", [True, False])
@pytest.mark.parametrize("case", sorted(ODD))
def test_bytes_come_back_and_go_again_exactly(project, case, committed):
    before, now = ODD[case]
    project.write(a_txt=before)
    if committed and project.with_git:
        project.commit()
    project.begin()
    project.write(a_txt=now)
    assert project.look()["a.txt"].obstacle == ""
    assert project.undo() == []
    assert project.read("a.txt") == before
    assert project.listed() == {}
    assert project.restore() == []
    assert project.read("a.txt") == now
    assert set(project.listed()) == {"a.txt"}


def test_new_deleted_and_renamed_files_are_taken_back_and_brought_back(project):
    project.write(gone_txt=b"gone\n", folder__old_txt=b"the same text\n", away__deep__gone_txt=b"gone, too\n")
    os.chmod(str(project.folder / "gone.txt"), 0o700)
    project.begin()
    shutil.rmtree(str(project.folder / "away"))
    project.write(gone_txt=None, folder__old_txt=None, new_txt=b"new\n", other__new_txt=b"the same text\n")
    listed = project.look()
    assert {path: change.kind for path, change in listed.items()} == {
        "gone.txt": ChangeKind.DELETED,
        "away/deep/gone.txt": ChangeKind.DELETED,
        "new.txt": ChangeKind.NEW,
        "other/new.txt": ChangeKind.RENAMED,
    }
    assert listed["other/new.txt"].old_path == "folder/old.txt"
    assert project.undo() == []
    assert project.read("gone.txt") == b"gone\n"
    assert project.read("away/deep/gone.txt") == b"gone, too\n"
    assert project.read("folder/old.txt") == b"the same text\n"
    assert stat.S_IMODE(os.stat(str(project.folder / "gone.txt")).st_mode) == 0o700
    assert not (project.folder / "new.txt").exists()
    assert not (project.folder / "other" / "new.txt").exists()
    assert project.restore() == []
    assert project.read("new.txt") == b"new\n"
    assert project.read("other/new.txt") == b"the same text\n"
    assert not (project.folder / "gone.txt").exists()
    assert not (project.folder / "folder" / "old.txt").exists()


def test_permissions_are_no_change_and_come_back_with_one(project):
    project.write(run_sh=b"#!/bin/sh\n")
    os.chmod(str(project.folder / "run.sh"), 0o600)
    project.begin()
    os.chmod(str(project.folder / "run.sh"), 0o640)
    assert project.look() == {}
    os.chmod(str(project.folder / "run.sh"), 0o600)
    assert project.look() == {}
    project.write(run_sh=b"#!/bin/sh\nagent\n")
    os.chmod(str(project.folder / "run.sh"), 0o700)
    assert set(project.look()) == {"run.sh"}
    assert project.undo() == []
    assert stat.S_IMODE(os.stat(str(project.folder / "run.sh")).st_mode) == 0o600


def test_one_hunk_is_taken_back_and_brought_back(project):
    project.write(a_txt=b"1\n2\n3\n4\n5\n")
    project.begin()
    project.write(a_txt=b"one\n2\n3\n4\nfive\n")
    change = project.look()["a.txt"]
    hunk = hunks_between(b"1\n2\n3\n4\n5\n", b"one\n2\n3\n4\nfive\n")[1]
    assert project.undo_these([change], hunks=[hunk]) == []
    assert project.read("a.txt") == b"one\n2\n3\n4\n5\n"
    assert project.before("a.txt") == b"1\n2\n3\n4\n5\n"
    assert project.restore() == []
    assert project.read("a.txt") == b"one\n2\n3\n4\nfive\n"


@pytest.mark.parametrize(
    ("before", "now", "left"),
    [
        (b"1\n2\n3\n", b"1\r\nagent\r\n3\r\n", b"1\r\n2\r\n3\r\n"),
        (b"1\r\n2\r\n3\r\n", b"1\nagent\n3\n", b"1\n2\n3\n"),
        (b"1\n2\r\n3\n", b"1\nagent\n3\n", b"1\n2\n3\n"),
        (b"1\n2\n3\n", b"1\nagent\r\n3\n", b"1\n2\n3\n"),
        (b"1\n2\r\n3\r\n", b"1\nagent\r\n3\r\n", b"1\n2\r\n3\r\n"),
    ],
)
def test_a_hunk_that_is_taken_back_keeps_the_line_ends_that_the_file_has(project, before, now, left):
    project.write(a_txt=before)
    project.begin()
    project.write(a_txt=now)
    change, hunk = project.look()["a.txt"], Hunk(1, 2, 1, 2)
    assert project.undo_these([change], hunks=[hunk]) == []
    assert project.read("a.txt") == left


def test_a_hunk_in_the_first_line_leaves_the_byte_order_mark_as_it_is(project):
    project.write(a_txt=BOM_UTF8 + b"1\n2\n")
    project.begin()
    project.write(a_txt=b"agent\n2\n")
    change, hunk = project.look()["a.txt"], Hunk(0, 1, 0, 1)
    assert project.undo_these([change], hunks=[hunk]) == []
    assert project.read("a.txt") == b"1\n2\n"
    assert project.look()["a.txt"].whole_file == ("The byte order mark goes.",)


@pytest.mark.parametrize("what", ["changed", "new", "deleted", "renamed"])
def test_a_file_that_is_not_as_shown_any_more_is_left(project, what):
    project.write(a_txt=b"before\n")
    project.begin()
    writes = {
        "changed": {"a_txt": b"now\n"},
        "new": {"b_txt": b"new\n"},
        "deleted": {"a_txt": None},
        "renamed": {"a_txt": None, "b_txt": b"before\n"},
    }
    project.write(**writes[what])
    name = next(iter(project.look()))
    later = "a.txt" if what == "deleted" else name
    (project.folder / later).write_bytes(b"a later text of somebody\n")
    refused = project.undo()
    assert len(refused) == 1
    assert refused[0].sentence
    assert project.read(later) == b"a later text of somebody\n"
    assert what != "renamed" or not (project.folder / "a.txt").exists()


def test_a_file_that_has_gone_or_cannot_be_removed_does_not_stop_others(project, monkeypatch):
    project.write(a_txt=b"before\n", b_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n", b_txt=b"now\n", c_txt=b"new\n")
    project.look()
    (project.folder / "a.txt").unlink()
    rename = os.rename

    def refused(source: str, target: str) -> None:
        if source.endswith("/c.txt"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        rename(source, target)

    monkeypatch.setattr(os, "rename", refused)
    sentences = sorted(refusal.sentence for refusal in project.undo())
    assert sentences == [
        "a.txt is left as it is: it is not there any more.",
        "c.txt cannot be removed: Permission denied.",
    ]
    assert project.read("b.txt") == b"before\n"


def exchanged_for(what: str, path: Path, elsewhere: Path) -> None:
    if what == "hard link":
        os.link(str(path), str(elsewhere / "link"))
        return
    if what == "read-only":
        path.chmod(0o444)
        return
    if what == "parent link":
        path.parent.rename(elsewhere / "moved")
        path.parent.symlink_to(elsewhere / "moved")
        return
    data = path.read_bytes()
    path.unlink()
    if what == "link":
        (elsewhere / "target").write_bytes(data)
        path.symlink_to(elsewhere / "target")
    elif what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(str(path))


@pytest.mark.skipif(os.name == "nt", reason="these kinds of files are made as POSIX has them")
@pytest.mark.parametrize("looked", [True, False])
@pytest.mark.parametrize("what", ["hard link", "read-only", "parent link", "link", "folder", "pipe"])
@pytest.mark.parametrize("new", [True, False])
def test_links_and_special_files_are_refused_with_a_sentence(project, tmp_path, what, new, looked):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    project.write(sub__keep_txt=b"", sub__a_txt=b"before\n")
    project.begin()
    name = "sub/b.txt" if new else "sub/a.txt"
    (project.folder / name).write_bytes(b"now\n")
    project.look()
    exchanged_for(what, project.folder / name, elsewhere)
    if looked:
        project.look()
    refused = project.undo()
    if not looked and what in ("link", "folder", "pipe", "parent link"):
        assert ("link on the way" if what == "parent link" else "not a regular file") in refused[0].sentence
    if new and looked and what in ("folder",):
        assert not project.listed()  # the new file has gone again
    elif not (looked and what == "folder"):
        assert refused
        assert refused[0].sentence
    for path in (elsewhere / "link", elsewhere / "target", elsewhere / "moved" / Path(name).name):
        if path.exists():
            assert path.read_bytes() == b"now\n"
    if what in ("hard link", "read-only", "link"):
        assert (project.folder / name).read_bytes() == b"now\n"


def test_a_deleted_file_does_not_come_back_through_a_link(project, tmp_path):
    project.write(sub__a_txt=b"before\n")
    project.begin()
    project.write(sub__a_txt=None)
    project.look()
    (project.folder / "sub").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (project.folder / "sub").symlink_to(tmp_path / "elsewhere")
    assert len(project.undo()) == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_was_undone_comes_back_in_a_later_process(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n", b_txt=b"new\n")
    project.look()
    assert project.undo() == []
    project.begin()
    assert project.restore() == []
    assert project.read("a.txt") == b"now\n"
    assert project.read("b.txt") == b"new\n"


def test_nothing_is_brought_back_over_what_came_later(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n", b_txt=b"new\n")
    project.look()
    project.undo()
    project.write(a_txt=b"later\n", b_txt=b"later\n")
    assert len(project.restore()) == 2
    assert project.read("a.txt") == b"later\n"
    assert project.read("b.txt") == b"later\n"


@pytest.mark.parametrize("what", ["keep", "write_record"])
def test_nothing_is_undone_that_cannot_be_kept(project, monkeypatch, what):
    project.write(a_txt=b"before\n", b_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n", b_txt=b"now\n")
    project.look()
    assert project.undo("b.txt") == []
    with monkeypatch.context() as patch:
        patch.setattr(Store, what, full_disk)
        (refused,) = project.undo()
    assert "No space" in refused.sentence
    assert project.read("a.txt") == b"now\n"
    assert project.restore() == []
    assert project.read("b.txt") == b"now\n"


def full_disk(*args: object, **options: object) -> None:
    raise OSError(28, os.strerror(28))


def test_a_full_disk_costs_the_survival_and_not_the_list(project, monkeypatch):
    project.write(a_txt=b"before\n")
    project.begin()
    monkeypatch.setattr(Store, "keep", full_disk)
    monkeypatch.setattr(Store, "write_record", full_disk)
    project.write(a_txt=b"now\n", b_txt=b"new\n")
    assert set(project.look()) == {"a.txt", "b.txt"}


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_permissions_that_have_changed_since_are_not_taken_back(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    (project.folder / "a.txt").chmod(0o700)
    assert "permissions have changed" in project.undo()[0].sentence
    assert (project.read("a.txt"), stat.S_IMODE(os.stat(str(project.folder / "a.txt")).st_mode)) == (b"now\n", 0o700)


def rename_letter_case(project, monkeypatch):
    """Where names differ by case alone the file is there under its former name, too."""
    (project.folder / "Read.Me").rename(project.folder / "read.me")
    lstat = os.lstat

    def any_case(path: str, **options: object) -> os.stat_result:
        try:
            return lstat(path)
        except FileNotFoundError:
            return lstat(str(path).replace("Read.Me", "read.me"))

    monkeypatch.setattr(os, "lstat", any_case)


@pytest.mark.parametrize("project", ["no git"], indirect=True)  # git lists such a file by one name
def test_a_renamed_letter_case_never_removes_the_file(project, monkeypatch):
    project.write(Read_Me=b"mine\n", other_txt=b"mine\n")
    project.begin()
    rename_letter_case(project, monkeypatch)
    for _ in range(2):
        listed = project.look()
        assert [(path, change.old_path) for path, change in listed.items()] == [("read.me", "Read.Me")]
    assert len(project.undo()) == 1
    assert project.read("read.me") == b"mine\n"


def test_a_letter_case_rename_listed_twice_by_git_is_no_repeated_change(repository, monkeypatch):
    """With `core.ignorecase` off, as in a clone that was copied from another system."""
    repository.write(Read_Me=b"mine\n")
    repository.commit()
    repository.begin()
    rename_letter_case(repository, monkeypatch)
    assert [project.look() for project in [repository] * 3] == [{}, {}, {}]


def test_nothing_is_undone_while_git_changes_files(repository):
    repository.write(a_txt=b"before\n")
    repository.begin()
    repository.write(a_txt=b"now\n")
    repository.look()
    (repository.folder / ".git" / "index.lock").write_bytes(b"")
    assert "git is changing files" in repository.undo()[0].sentence
    assert repository.read("a.txt") == b"now\n"


def test_what_is_too_large_to_be_copied_is_listed_and_cannot_be_undone(project):
    size = reading.COPIED_BYTES + 1
    project.write(a_bin=b"0" * size, b_bin=b"0" * size)
    project.begin()
    project.write(a_bin=b"1" * size, b_bin=b"1" * size)
    listed = project.look()
    assert [change.obstacle.split()[0] for change in listed.values()] == list(listed) != []
    assert len(project.undo()) == 2
    assert project.read("a.bin") == b"1" * size


def test_what_git_has_is_undone_however_many_files_have_changed(repository, monkeypatch):
    monkeypatch.setattr(edits, "COPIED_FILES", 0)
    repository.write(a_txt=b"before\n")
    repository.commit()
    repository.begin()
    repository.write(a_txt=b"now\n")
    repository.look()
    assert repository.undo() == []
    assert repository.read("a.txt") == b"before\n"
    assert repository.restore() == []
    assert repository.read("a.txt") == b"now\n"


def test_what_nobody_needs_any_more_makes_room_for_what_the_user_has_kept(project, later, monkeypatch):
    monkeypatch.setattr(edits, "COPIED_FILES", 3)
    project.write(a_txt=b"0\n")
    project.begin()
    for number in range(1, 6):
        project.write(a_txt=b"%d\n" % number)
        project.look()
        if number == 5:
            project.begin()  # in a later process
        change = project.listed()["a.txt"]
        assert project.workspace.keep("a.txt", change.before, change.now)
        project.workspace.write_down()
    later(60)  # what no record names has been written by then
    Store(str(project.storage / "Unreviewed")).tidy()
    project.write(a_txt=b"agent\n")
    project.look()
    assert project.undo() == []
    assert project.read("a.txt") == b"5\n"


def test_files_beyond_the_walking_limit_are_not_taken_for_new_ones(project, monkeypatch):
    monkeypatch.setattr(files, "WALKED_FILES", 3)
    project.write(**{f"f{number}_txt": b"%d\n" % number for number in range(5)})
    project.begin()
    project.write(g_txt=b"new\n")
    assert set(project.look()) == ({"g.txt"} if project.with_git else set())
    for number in range(3):  # there are too many, and then no more
        project.write(**{f"f{number}_txt": None})
        assert set(project.look()) - {"g.txt"} == {f"f{gone}.txt" for gone in range(number + 1)}
    project.write(g_txt=None, h_txt=b"new\n")
    assert "h.txt" in project.look()
    project.undo()
    assert {path.name for path in project.folder.glob("*.txt")} >= {"f3.txt", "f4.txt"}


def test_a_folder_with_too_many_files_lists_all_and_undoes_the_copied_ones(project, monkeypatch):
    monkeypatch.setattr(edits, "COPIED_FILES", 2)
    project.write(**{f"f{number}_txt": b"before %d\n" % number for number in range(5)})
    project.begin()
    project.write(**{f"f{number}_txt": b"now %d\n" % number for number in range(5)})
    listed = project.look()
    assert len(listed) == 5
    known = [path for path, change in listed.items() if not change.obstacle]
    assert len(known) == 2
    assert len(project.undo()) == 3
    for path in listed:
        what = b"before" if path in known else b"now"
        assert project.read(path) == what + b" %s\n" % path[1:2].encode()
