"""What git itself does is not listed; what somebody else does meanwhile is."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from companion.unreviewed.files import ASKED_SECONDS
from companion.unreviewed.git import GitError, Repository
from tests.unit.unreviewed.conftest import TEXT, never, text


@pytest.fixture
def tracked(repository):
    """A repository with two branches that differ in several files; tracking has begun on `main`."""
    repository.write(**{f"f{number}_txt": TEXT for number in range(20)})
    repository.write(mine_txt=TEXT)
    repository.commit("first")
    repository.git("checkout", "-q", "-b", "other")
    repository.write(**{f"f{number}_txt": text(line3=b"other") for number in range(10)})
    repository.write(only_txt=b"only here\n", f19_txt=None)
    repository.commit("other")
    repository.git("checkout", "-q", "main")
    repository.begin()
    return repository


def test_a_checkout_is_not_listed_and_neither_is_the_way_back(tracked):
    for branch in ("other", "main", "other"):
        tracked.git("checkout", "-q", branch)
        assert tracked.look() == {}


def test_a_checkout_is_not_listed_where_git_has_longer_identities(repository):
    shutil.rmtree(str(repository.folder / ".git"))
    if "fatal" in repository.git("init", "-q", "-b", "main", "--object-format=sha256", check=False):
        pytest.skip("this git knows no such repositories")
    repository.write(a_txt=TEXT, b_txt=TEXT)
    repository.commit("first")
    repository.git("checkout", "-q", "-b", "other")
    repository.write(a_txt=text(line3=b"other"))
    repository.commit("other")
    repository.begin()
    repository.git("checkout", "-q", "main")
    repository.write(b_txt=text(line1=b"agent"))
    assert set(repository.all_listed()) == {"b.txt"}
    assert repository.undo() == []
    assert repository.read("b.txt") == TEXT


def test_what_is_written_during_a_checkout_is_listed(tracked):
    tracked.git("checkout", "-q", "other")
    tracked.write(f3_txt=text(line3=b"other", line20=b"agent"))
    assert tracked.look() == {}
    assert [(path, change.obstacle) for path, change in tracked.outside().items()] == [("f3.txt", "")]


def test_the_unreviewed_changes_of_other_files_survive_a_checkout(tracked):
    tracked.write(mine_txt=text(line9=b"agent"))
    tracked.look()
    tracked.git("checkout", "-q", "other")
    assert set(tracked.look()) == {"mine.txt"}
    assert tracked.before("mine.txt") == TEXT


def test_a_commit_of_a_change_keeps_it_and_of_no_other(tracked):
    tracked.write(f1_txt=text(line1=b"agent"), f2_txt=text(line1=b"agent"))
    tracked.look()
    tracked.git("add", "-A")
    tracked.git("commit", "-q", "-m", "one of two", "--", "f1.txt")
    assert set(tracked.look()) == {"f2.txt"}
    tracked.git("commit", "-q", "-m", "the other", "--", "f2.txt")
    assert tracked.look() == {}


def test_a_commit_of_one_hunk_keeps_not_the_other(tracked):
    tracked.write(f1_txt=text(line1=b"agent", line20=b"agent"))
    tracked.look()
    whole = tracked.read("f1.txt")
    tracked.write(f1_txt=text(line1=b"agent"))
    tracked.git("add", "f1.txt")
    tracked.write(f1_txt=whole)
    tracked.git("commit", "-q", "-m", "one hunk")
    assert set(tracked.look()) == {"f1.txt"}


def test_staging_keeps_nothing(tracked):
    tracked.write(f1_txt=text(line1=b"agent"), new_txt=b"new\n")
    tracked.look()
    tracked.git("add", "-A")
    assert set(tracked.look()) == {"f1.txt", "new.txt"}
    tracked.write(f2_txt=TEXT + b"mine\n")
    tracked.git("commit", "-q", "-m", "another", "--", "f2.txt")
    assert set(tracked.look()) == {"f1.txt", "new.txt"}


def test_a_reset_of_the_user_s_own_work_is_listed_and_can_be_undone(repository):
    repository.write(a_txt=TEXT, b_txt=TEXT)
    repository.commit()
    repository.write(a_txt=text(line5=b"the user's own"))
    repository.begin()
    repository.git("checkout", "--", "a.txt")
    assert set(repository.all_listed()) == {"a.txt"}
    repository.write(b_txt=text(line1=b"agent"))
    repository.git("commit", "-q", "-a", "-m", "something else")
    assert set(repository.all_listed()) == {"a.txt"}
    assert repository.undo() == []
    assert repository.read("a.txt") == text(line5=b"the user's own")


@pytest.mark.parametrize("looks", [True, False])
@pytest.mark.parametrize("untracked", [True, False])
def test_what_a_stash_takes_and_gives_back_is_unreviewed_as_before(tracked, untracked, looks):
    tracked.workspace.end(never)
    tracked.write(mine_txt=text(line5=b"user"))
    tracked.begin()
    tracked.write(mine_txt=text(line5=b"user", line20=b"agent"))
    if untracked:
        tracked.write(new_txt=b"agent\n")
    tracked.look()
    tracked.git("stash", "-q", *(["-u"] if untracked else []))
    if looks:
        assert set(tracked.look()) == {"mine.txt"}  # the user's line has gone
    tracked.git("stash", "pop", "-q")
    assert set(tracked.all_listed()) == ({"mine.txt", "new.txt"} if untracked else {"mine.txt"})
    assert tracked.before("mine.txt") == text(line5=b"user")
    assert tracked.undo() == []
    assert tracked.read("mine.txt") == text(line5=b"user")


def test_what_is_written_as_soon_as_a_stash_is_back_is_unreviewed_too(tracked):
    tracked.write(mine_txt=text(line5=b"agent"))
    tracked.look()
    tracked.git("stash", "-q")
    tracked.look()
    tracked.git("stash", "pop", "-q")
    tracked.write(mine_txt=text(line5=b"agent", line20=b"agent"))
    tracked.look()
    assert tracked.before("mine.txt") == TEXT


@pytest.mark.parametrize("what", ["stash", "save"])
def test_a_commit_keeps_a_change_just_out_of_a_stash_or_just_saved(tracked, what):
    tracked.write(new_txt=b"agent\n")
    tracked.look()
    if what == "stash":
        tracked.git("stash", "-q", "-u")
        tracked.look()
        tracked.git("stash", "pop", "-q")
    else:
        tracked.save(new_txt=b"agent\nuser\n")
    tracked.commit()
    assert tracked.look() == {}


def test_the_user_s_own_stash_pull_and_pop_count_nothing(tracked):
    """What comes out of it is his, and what he had is there to be seen all the time."""
    tracked.workspace.end(never)
    tracked.write(f1_txt=text(line10=b"user"), mine_txt=text(line1=b"user"))
    tracked.begin()
    tracked.git("stash", "-q")
    assert tracked.look() == {}
    assert set(tracked.outside()) == {"f1.txt", "mine.txt"}
    assert tracked.before("f1.txt") == text(line10=b"user")
    tracked.git("merge", "-q", "other")
    assert tracked.look() == {}
    tracked.git("stash", "pop", "-q")
    assert tracked.look() == {}
    assert set(tracked.outside()) == {"f1.txt"}  # with what was pulled


@pytest.mark.parametrize("end", ["--continue", "--abort"])
@pytest.mark.parametrize("operation", ["rebase", "merge", "cherry-pick"])
def test_an_operation_with_a_conflict_lists_only_what_differs_from_both(tracked, operation, end):
    tracked.git("checkout", "-q", "other")
    tracked.begin()
    tracked.git("checkout", "-q", "main")
    tracked.write(f1_txt=text(line3=b"main"), f15_txt=text(line1=b"main"))
    tracked.begin()
    tracked.commit("main")
    assert tracked.look() == {}
    if operation == "rebase":
        tracked.git("checkout", "-q", "other")
        assert tracked.look() == {}
    tracked.git(operation, "main" if operation == "rebase" else "other", check=False)
    assert set(tracked.look()) <= {"f1.txt"}
    if end == "--continue":
        tracked.write(f1_txt=text(line3=b"both"))
        tracked.git("add", "f1.txt")
        tracked.look()
    tracked.git(operation, end, check=False)
    assert tracked.look() == {}
    for branch in ("main", "other"):
        tracked.git("checkout", "-q", branch)
        assert tracked.look() == {}


def test_a_pull_with_a_stash_of_its_own_leaves_the_agent_s_line_unreviewed(tracked):
    tracked.workspace.end(never)
    tracked.write(f1_txt=text(line10=b"user"))
    tracked.begin()
    tracked.write(f1_txt=text(line10=b"user", line20=b"agent"))
    tracked.look()
    tracked.git("merge", "-q", "--autostash", "other")
    assert set(tracked.look()) == {"f1.txt"}
    assert b"20\n" in (tracked.before("f1.txt") or b"")
    assert b"user\n" in (tracked.before("f1.txt") or b"")


def test_while_git_writes_nothing_is_looked_at(tracked):
    lock = tracked.folder / ".git" / "index.lock"
    lock.write_bytes(b"")
    tracked.write(f1_txt=text(line3=b"other"))
    assert tracked.look() == {}
    lock.unlink()
    assert set(tracked.look()) == {"f1.txt"}


def test_line_ends_that_git_converts_are_no_change(repository):
    repository.git("config", "core.autocrlf", "true")
    repository.write(a_txt=TEXT)
    repository.commit("first")
    repository.git("checkout", "-q", "-b", "other")
    repository.write(a_txt=text(line3=b"other").replace(b"\n", b"\r\n"))
    repository.commit("other")
    repository.begin()
    for branch in ("main", "other"):
        repository.git("checkout", "-q", branch)
        assert b"\r\n" in repository.read("a.txt")
        assert repository.look() == {}
    repository.write(a_txt=repository.read("a.txt").replace(b"7\r\n", b"agent\r\n"))
    repository.look()
    assert repository.undo() == []
    assert repository.read("a.txt") == text(line3=b"other").replace(b"\n", b"\r\n")


def test_a_file_that_was_ignored_is_not_taken_for_a_new_one(repository, later):
    repository.write(_gitignore=b"*.env\nbuild/\n", my_env=b"SECRET\n", build__mine_txt=b"mine\n")
    repository.commit()
    repository.begin()
    repository.write(_gitignore=b"")
    assert set(repository.look()) == {".gitignore"}
    later(ASKED_SECONDS)
    assert set(repository.look()) == {".gitignore"}
    repository.write(new_env=b"new\n", my_env=b"agent\n")
    assert set(repository.look()) == {".gitignore", "my.env", "new.env"}
    assert repository.before("my.env") == b"SECRET\n"


def test_a_file_that_is_ignored_now_is_not_taken_for_a_deleted_one(repository):
    repository.write(a_log=b"mine\n")
    repository.begin()
    repository.write(_gitignore=b"*.log\n")
    assert set(repository.look()) == {".gitignore"}
    repository.write(a_log=b"agent\n")
    assert set(repository.look()) == {".gitignore", "a.log"}
    assert repository.before("a.log") == b"mine\n"


def test_looks_and_decisions_write_nothing_in_the_folder(project, everything):
    project.write(a_txt=TEXT, b_txt=TEXT, sub__c_txt=TEXT, secret=b"secret\n")
    if project.with_git:
        project.commit()
    project.write(a_txt=text(line1=b"user"))
    os.utime(str(project.folder / "b.txt"))  # git would like to refresh its index
    before = everything(project.folder)
    project.begin()
    project.look()
    assert everything(project.folder) == before
    project.write(a_txt=text(line1=b"user", line9=b"agent"), b_txt=None, new_txt=b"new\n")
    before = everything(project.folder)
    listed = project.look()
    assert set(listed) == {"a.txt", "b.txt", "new.txt"}
    for path, change in listed.items():
        project.workspace.copies.data(change.before)
        assert project.workspace.keep(path, change.before, change.now)
    project.workspace.write_down()
    project.begin()
    assert project.look() == {}
    assert everything(project.folder) == before


def test_a_git_that_fails_in_the_midst_of_a_look_costs_nothing(tracked, monkeypatch):
    tracked.write(mine_txt=text(line1=b"agent"))
    tracked.look()
    tracked.git("checkout", "-q", "other")
    with monkeypatch.context() as failing:
        failing.setattr(Repository, "head", refuse)
        with pytest.raises(GitError):
            tracked.look()
    assert set(tracked.look()) == {"mine.txt"}


def test_git_is_asked_for_files_only_when_something_has_come_or_gone(repository, monkeypatch):
    repository.write(a_txt=TEXT, sub__b_txt=TEXT, sub__deep__c_txt=TEXT, _gitignore=b"*.log\nbuild/\n")
    repository.commit()
    (repository.folder / "empty").mkdir()
    repository.write(sub__logs__x_log=b"")
    long_ago = time.time() - 10
    for here, _, files in os.walk(str(repository.folder)):
        for path in [here, *(os.path.join(here, name) for name in files)]:
            os.utime(path, (long_ago, long_ago))
    repository.begin()
    repository.write(**{f"build__{number}": b"" for number in range(20)})
    monkeypatch.setattr("companion.unreviewed.files._FEW_FILES", 0)
    repository.look()
    asked = []
    untracked = Repository.untracked
    monkeypatch.setattr(Repository, "untracked", lambda self: asked.append(1) or untracked(self))
    repository.write(a_txt=TEXT + b"more\n")
    assert set(repository.look()) == {"a.txt"}
    assert set(repository.look()) == {"a.txt"}
    assert len(asked) <= 1  # folders tell the time of their last change, which cannot be set
    asked.clear()
    repository.write(build__y=b"")
    repository.look()
    assert asked == []
    listed = {"a.txt"}
    for name in ("new.txt", "sub/deep/new.txt", "empty/new.txt", "sub/logs/new.txt", "other/new.txt"):
        repository.write(**{name.replace("/", "__").replace(".", "_"): b"new\n"})
        listed.add(name)
        assert set(repository.look()) == listed, name
    repository.write(_gitignore=b"build/\n")
    assert set(repository.look()) == listed | {".gitignore"}
    repository.write(sub__logs__y_log=b"new\n")
    assert "sub/logs/y.log" in repository.look()
    repository.git("add", "-A")
    assert set(repository.look()) == listed | {".gitignore", "sub/logs/y.log"}


def refuse(*args: object) -> None:
    raise GitError("no")


def test_discarded_work_is_listed_though_the_former_commit_is_gone(repository):
    repository.write(a_txt=b"committed\n", b_txt=b"b\n")
    repository.commit()
    repository.write(a_txt=b"the user's work\n")
    repository.begin()
    repository.write(a_txt=b"committed\n", b_txt=b"agent\n")
    repository.git("commit", "-q", "--amend", "-m", "other", "b.txt")
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "-q", "--prune=now")
    assert "a.txt" in repository.all_listed()
    assert repository.before("a.txt") == b"the user's work\n"
