"""What only the disk holds is kept before anything can happen to it, and what is pending is not forgotten."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import suppress

import pytest

from companion.review.document.journal import Note, recover
from companion.unreviewed import edits, reading, store, undoing, workspace
from companion.unreviewed.evidence import Moment
from companion.unreviewed.files import Files, Rules
from companion.unreviewed.git import GitError
from companion.unreviewed.store import STORE, Store
from companion.unreviewed.workspace import Workspace
from tests.unit.unreviewed.conftest import TEXT, never, text


class EndedError(BaseException):
    """The process is killed."""


def kept(project):
    """How many texts the store has."""
    return len(list((project.storage / STORE).glob("*.kept")))


FAILURES = {
    "git": (Files, "committed", GitError("it takes too long")),
    "a path": (Moment, "evidence", ValueError("embedded null byte")),
    "a full disk": (Store, "keep", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
    "the record": (workspace, "write_record", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
}


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("what", FAILURES)
def test_what_a_look_has_found_that_then_fails_is_found_by_the_next_one(project, monkeypatch, what, alone):
    monkeypatch.setattr(reading, "COARSE_NANOSECONDS", 0)  # it does not look again just because the file is new
    project.write(a_txt=b"user\n", gone_txt=b"user\n")
    project.begin()
    owner, name, error = FAILURES[what]

    def failing(*args):
        failures.append(name)
        raise error

    failures = []
    project.write(a_txt=b"agent\n", gone_txt=None)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, failing)
        if alone:
            with suppress(type(error)):
                project.workspace.refresh(["a.txt", "gone.txt"])
        with suppress(type(error)):
            project.workspace.look(never)
    assert failures
    assert set(project.all_listed()) == {"a.txt", "gone.txt"}
    assert project.before("a.txt") == b"user\n"
    project.begin()  # in a later process, after a kill
    assert set(project.all_listed()) == {"a.txt", "gone.txt"}
    assert project.before("a.txt") == b"user\n"


def test_once_tracking_has_ended_what_is_written_is_the_user_s(project):
    project.write(a_txt=b"user\n")
    project.begin()
    project.workspace.end(never)
    project.write(a_txt=b"user again\n")
    project.begin()
    assert project.all_listed() == {}


def test_what_the_user_has_committed_since_is_perhaps_his(repository):
    repository.write(a_txt=b"user\n")
    repository.begin()
    repository.commit()
    repository.write(a_txt=b"user again\n")
    repository.begin()
    assert repository.look() == {}
    assert set(repository.outside()) == {"a.txt"}


def test_a_commit_taken_back_without_tracking_is_seen_when_tracking_begins(repository):
    repository.write(a_txt=TEXT, b_txt=b"user\n")
    repository.commit()
    repository.write(a_txt=text(line1=b"user"))
    repository.commit()
    repository.begin()
    repository.write(b_txt=b"agent\n")
    assert set(repository.look()) == {"b.txt"}
    repository.workspace.end(never)
    repository.git("reset", "-q", "--soft", "HEAD~1")
    repository.workspace.look(never)  # at what is left to be reviewed
    repository.workspace.begin(never)
    repository.begin()  # in a later process, after a kill
    assert set(repository.all_listed()) == {"b.txt"}


@pytest.mark.parametrize("overwritten", [b"agent\n", b"agent\n" * (1 << 18)])
def test_what_is_only_staged_is_kept_for_git_may_throw_it_away(repository, overwritten):
    repository.write(a_txt=b"committed\n")
    repository.commit()
    repository.write(a_txt=TEXT)
    repository.git("add", "-A")
    repository.begin()
    repository.write(a_txt=overwritten)
    repository.git("add", "-A")
    repository.git("gc", "-q", "--prune=now")
    assert set(repository.all_listed()) == {"a.txt"}
    assert repository.before("a.txt") == TEXT


@pytest.mark.parametrize("what", ["moved", "deleted", "replaced", "replaced by a folder"])
def test_pending_changes_are_not_forgotten_while_nobody_tracks_the_file(project, what):
    project.write(a_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line1=b"agent"))
    project.look()
    project.workspace.end(never)
    path = project.folder / "a.txt"
    if what == "moved":
        path.rename(project.folder / "moved.txt")
    elif what == "replaced":
        (project.folder / "other").write_bytes(b"\0another\n")
        os.replace(str(project.folder / "other"), str(path))
    else:
        path.unlink()
        if what == "replaced by a folder":
            path.mkdir()
    for _ in range(2):
        assert set(project.all_listed()) == {"a.txt"}
        assert project.before("a.txt") == TEXT
        assert project.workspace.model.changes()[0].origin.perhaps, "so Undo All does not take it"
        project.begin()
    assert project.undo() == []
    assert project.read("a.txt") == TEXT


@pytest.mark.parametrize("anew", [True, False])
def test_what_is_pending_survives_the_repository(repository, anew):
    repository.write(a_txt=TEXT, b_txt=TEXT, _gitignore=b"*.log\n", x_log=b"x\n")
    repository.commit()
    folder = repository.opened()
    repository.look_as_window(folder)
    repository.write(a_txt=text(line1=b"agent"))
    repository.look_as_window(folder)
    shutil.rmtree(str(repository.folder / ".git"))
    if anew:
        repository.git("init", "-q", "-b", "main")
    for name in ("b_txt", "new_txt"):
        repository.look_as_window(folder)
        repository.write(**{name: text(line1=b"agent")})
    repository.look_as_window(folder)
    assert {**repository.listed(), **repository.outside()}.keys() == {"a.txt", "b.txt", "new.txt"}
    assert repository.undo() == []
    assert repository.read("a.txt") == repository.read("b.txt") == TEXT


@pytest.mark.parametrize("project", ["no git"], indirect=True)
def test_a_folder_that_becomes_a_repository_is_served_as_one(project):
    project.write(a_txt=TEXT)
    folder = project.opened()
    project.look_as_window(folder)
    project.git("init", "-q", "-b", "main")
    project.commit()
    project.look_as_window(folder)
    project.write(_gitignore=b"*.log\n", x_log=b"x\n")
    project.look_as_window(folder)
    assert project.all_listed().keys() == {".gitignore"}


def test_a_file_that_the_user_saves_has_room_before_all_others(project, later, monkeypatch):
    monkeypatch.setattr(edits, "COPIED_FILES", 3)
    project.write(**{f"a{number}_txt": b"generated %d\n" % number for number in range(5)})
    project.write(z_txt=TEXT)
    project.begin()
    project.save(z_txt=text(line5=b"user"))
    project.write(**{f"b{number}_txt": os.urandom(1000) for number in range(90)})
    project.look()
    monkeypatch.setattr(store, "MAXIMUM_BYTES", 5000)
    later(60)  # what no record names has been written by then
    assert Store(str(project.storage / STORE)).tidy()
    project.write(z_txt=b"agent\n")
    project.begin()
    assert project.all_listed()["z.txt"].obstacle == ""
    assert project.before("z.txt") == text(line5=b"user")


def test_a_file_that_grew_too_large_to_keep_can_be_undone_once_it_is_small(project):
    project.write(a_log=b"user\n")
    project.begin()
    for data in (b"user\nagent\n", b"agent\n" * (1 << 18)):
        project.write(a_log=data)
        project.look()
    project.save(a_log=b"agent\n" * (1 << 18) + b"user\n")
    project.look()
    assert project.before("a.log") == b"user\n"
    project.write(a_log=b"agent\n")
    project.look()
    assert project.undo() == []
    assert project.read("a.log") == b"user\n"


def test_files_excluded_later_are_no_longer_stored_and_are_left_alone(project):
    project.write(my_env=b"secret of the user\n", other_txt=b"other\n", gone_env=b"another secret\n")
    project.begin()
    project.write(my_env=b"secret of an agent\n", other_txt=b"agent\n", gone_env=None)
    project.look()
    assert project.undo() == []
    project.write(my_env=b"once more\n", other_txt=b"agent\n")
    project.look()
    project.workspace.use(Rules(lambda path: path.endswith(".env"), lambda path, is_folder: False))
    kept = [Store(str(project.storage / STORE)).kept(path.stem) for path in (project.storage / STORE).glob("*.kept")]
    assert not any(b"secret" in (each or b"") or b"once" in (each or b"") for each in kept)
    assert "env" not in "".join(path.read_text() for path in (project.storage / STORE).glob("*.changes"))
    assert set(project.all_listed()) == {"other.txt"}
    project.restore()
    assert (project.read("my.env"), project.read("gone.env")) == (b"once more\n", b"another secret\n")


def test_the_second_of_two_overlapping_saves_is_the_user_s_too(project):
    project.write(a_txt=b"1\n")
    project.begin()
    for _ in range(2):
        project.saving("a.txt")
    project.write(a_txt=b"1\n2\n")
    project.saved("a.txt", b"1\n2\n")
    project.write(a_txt=b"1\n2\n3\n")
    assert project.look() == {}
    project.saved("a.txt", b"1\n2\n3\n")
    assert project.all_listed() == {}


@pytest.mark.skipif(os.name == "nt", reason="not every user may make links there")
def test_a_save_through_a_link_is_the_users_though_it_is_seen_before_told(project):
    project.write(a_txt=b"1\n")
    (project.folder / "link.txt").symlink_to("a.txt")
    project.begin()
    project.saving("link.txt")
    project.write(a_txt=b"2\n")
    assert project.look() == {}
    project.workspace.saved("a.txt", b"2\n")
    project.saves.ended(str(project.folder / "link.txt"))
    assert project.all_listed() == {}


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
@pytest.mark.parametrize("step", ["set_mode", "rewrite", "remove"])
def test_content_and_permissions_are_undone_together_or_not_at_all(project, monkeypatch, step):
    project.write(a_txt=TEXT)
    os.chmod(str(project.folder / "a.txt"), 0o640)
    project.begin()
    project.write(a_txt=text(line1=b"agent"))
    os.chmod(str(project.folder / "a.txt"), 0o700)
    project.look()

    def ended(*args, **options):
        raise EndedError

    with monkeypatch.context() as patch:
        patch.setattr(Note, "remove", lambda note: note.leave())
        patch.setattr("companion.review.document.file_replacement._restore_mode", ended)
        patch.setattr(f"companion.review.document.file_replacement.{step}", ended)
        with pytest.raises(EndedError):
            project.undo()
    recover(str(project.storage), never)
    found = project.read("a.txt"), stat.S_IMODE(os.stat(str(project.folder / "a.txt")).st_mode)
    assert found in ((TEXT, 0o640), (text(line1=b"agent"), 0o700))


@pytest.mark.parametrize("restoring", [False, True])
def test_a_rename_that_is_half_undone_is_finished_at_the_start(project, monkeypatch, restoring):
    project.write(a_txt=TEXT)
    project.begin()
    (project.folder / "a.txt").rename(project.folder / "b.txt")
    assert [change.old_path for change in project.look().values()] == ["a.txt"]
    if restoring:
        assert project.undo() == []
    exchange, left = undoing.exchange, [True]

    def ended(*args):
        if not left:
            raise EndedError
        left.pop()
        exchange(*args)

    with monkeypatch.context() as patch:
        patch.setattr(undoing, "exchange", ended)
        with pytest.raises(EndedError):
            project.restore() if restoring else project.undo()
    assert sorted(path.name for path in project.folder.glob("*.txt")) == ["a.txt", "b.txt"]
    project.begin()
    assert sorted(path.name for path in project.folder.glob("*.txt")) == ["a.txt"]
    assert project.all_listed() == {}
    assert project.restore() == []
    assert [change.old_path for change in project.listed().values()] == ["a.txt"]


def test_what_is_restored_is_listed_though_the_process_ends_in_the_midst(project, monkeypatch):
    names = [f"f{number}.txt" for number in range(10)]
    for name in names:
        (project.folder / name).write_bytes(b"user %s\n" % name.encode())
    project.begin()
    for name in names:
        (project.folder / name).write_bytes(b"agent\n")
    project.look()
    assert project.undo() == []
    write, left = undoing.disk.write, [True] * 4

    def ended(*args):
        if not left:
            raise EndedError
        left.pop()
        write(*args)

    with monkeypatch.context() as patch:
        patch.setattr(undoing.disk, "write", ended)
        with pytest.raises(EndedError):
            project.restore()
    project.begin()
    restored = {name for name in names if project.read(name) == b"agent\n"}
    assert len(restored) == 4
    assert set(project.all_listed()) == restored
    assert project.undo() == []
    assert all(project.read(name) == b"user %s\n" % name.encode() for name in names)


def test_nothing_is_restored_that_cannot_be_noted(project, monkeypatch):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    project.undo()

    def full_disk(*args, **options):
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(Store, "write_record", full_disk)
        (refused,) = project.restore()
    assert "No space" in refused.sentence
    assert project.read("a.txt") == b"before\n"
    assert project.restore() == []


def test_a_workspace_of_an_earlier_process_tells_of_what_it_has(project):
    project.write(a_txt=b"user\n")
    project.begin()
    assert kept(project) == 1
    again = Workspace(str(project.folder), Store(str(project.storage / STORE)))
    assert again.model.rows


def test_what_a_last_look_cannot_see_the_next_process_finds(project):
    """The editor quits while the folder is looked at for the last time."""
    project.write(a_txt=b"user\n")
    project.begin()
    project.write(a_txt=b"agent\n")
    project.workspace.end(lambda: True)
    project.begin()
    assert set(project.all_listed()) == {"a.txt"}
    assert project.before("a.txt") == b"user\n"


def test_what_the_user_decides_while_nobody_tracks_is_his_from_then_on(project):
    project.write(a_txt=b"user\n", b_txt=b"user\n")
    project.begin()
    project.write(a_txt=b"agent\n", b_txt=b"agent\n")
    project.look()
    project.workspace.end(never)
    change = project.listed()["a.txt"]
    assert project.workspace.keep("a.txt", change.before, change.now)
    project.workspace.write_down()
    project.write(a_txt=b"user again\n")
    project.begin()
    assert set(project.all_listed()) == {"b.txt"}


def test_what_is_as_it_was_for_a_week_is_kept_all_the_same(project, later):
    project.write(a_txt=b"user\n")
    project.begin()
    (copy,) = (project.storage / STORE).glob("*.kept")
    os.utime(str(copy), (1e9, 1e9))
    later(edits.REFRESHED_SECONDS)
    project.look()
    Store(str(project.storage / STORE)).tidy()
    project.write(a_txt=b"agent\n")
    project.look()
    assert project.before("a.txt") == b"user\n"
