"""What is written while the editor is dead is listed at the next start; of what nobody knows nothing is guessed."""

from __future__ import annotations

import os
import shutil
import stat

import pytest

from companion.unreviewed import edits, files, workspace
from companion.unreviewed.files import Rules
from companion.unreviewed.git import Repository
from tests.unit.unreviewed.conftest import TEXT, never, text


@pytest.mark.parametrize("tracked", [True, False])
def test_overwritten_uncommitted_work_survives_the_end_of_the_process(project, tracked):
    """No sign told of it, nobody looked, and the editor was killed, or quit."""
    project.write(a_txt=TEXT)
    if project.with_git:
        project.commit()
    project.write(a_txt=text(line5=b"user"), new_txt=b"user\n")
    project.begin()
    project.write(a_txt=text(line5=b"agent"), new_txt=None)
    if tracked:
        project.begin()
    else:
        project.look_as_window(project.opened(), tracked=False)
    assert set(project.listed()) == {"a.txt", "new.txt"}
    assert project.undo() == []
    assert (project.read("a.txt"), project.read("new.txt")) == (text(line5=b"user"), b"user\n")


def test_what_is_written_between_two_times_of_tracking_is_the_user_s(project):
    project.write(a_txt=TEXT)
    project.begin()
    project.workspace.end(never)
    project.write(a_txt=text(line5=b"user"), new_txt=b"user\n")
    project.workspace.begin(never)
    assert project.all_listed() == {}
    project.write(new_txt=b"agent\n")
    assert project.look().keys() == {"new.txt"}


@pytest.mark.parametrize("tracked", [True, False])
def test_changes_written_after_a_kill_are_listed_at_the_next_start(project, tracked):
    """Also in files that git has, and in new ones. Nobody vouches for it, so that no command takes all of it."""
    project.write(a_txt=TEXT, b_txt=b"b\n", c_txt=b"c\n")
    if project.with_git:
        project.commit()
    project.begin()
    for _ in range(2):
        project.write(a_txt=text(line5=b"agent"), new_txt=b"new\n")
        start(project, tracked)
        assert project.all_listed().keys() == {"a.txt", "new.txt"}
        assert "new.txt" in project.outside()
        assert ("a.txt" in project.outside()) is project.with_git
        assert project.before("a.txt") == TEXT
        assert project.undo() == []
        assert (project.read("a.txt"), (project.folder / "new.txt").exists()) == (TEXT, False)
        assert project.all_listed() == {}
        start(project, tracked)
        assert project.all_listed() == {}
        start(project, True)


def start(project, tracked):
    """Another process begins, which tracks the folder or only shows it."""
    if tracked:
        project.begin()
        return
    project.look_as_window(project.opened(), tracked=False)


def test_changes_committed_meanwhile_or_gone_again_are_nothing_to_review(repository):
    repository.write(a_txt=TEXT, b_txt=TEXT)
    repository.commit()
    repository.begin()
    repository.write(a_txt=text(line5=b"agent"), new_txt=b"new\n")
    repository.commit()
    os.utime(str(repository.folder / "b.txt"), (1, 1))
    repository.begin()
    assert repository.all_listed() == {}


@pytest.mark.parametrize("saved", [True, False])
def test_of_what_was_too_large_to_be_kept_nothing_is_guessed_after_a_kill(repository, saved):
    repository.write(a_txt=TEXT)
    repository.commit()
    large = b"large\n" * (1 << 18)
    if saved:
        repository.begin()
        repository.save(a_txt=large)
    else:
        repository.write(a_txt=large)
        repository.begin()
    repository.write(a_txt=large + b"more\n")
    repository.begin()
    assert repository.all_listed() == {}


def test_unchanged_files_beyond_the_copy_limit_are_not_listed(project, monkeypatch):
    monkeypatch.setattr(edits, "COPIED_FILES", 1)
    project.write(a_txt=TEXT, b_txt=TEXT)
    project.begin()
    project.write(a_txt=b"agent\n", b_txt=b"agent\n", new_txt=b"new\n")
    project.begin()
    (kept,) = {"a.txt", "b.txt"} & project.all_listed().keys()
    assert project.all_listed().keys() == {kept, "new.txt"}
    assert project.before(kept) == TEXT


@pytest.mark.parametrize("gone", ["its commit", "the repository"])
def test_nor_of_what_a_commit_held_that_has_gone(repository, gone):
    repository.write(a_txt=TEXT, _gitignore=b"")
    repository.commit()
    repository.begin()
    shutil.rmtree(str(repository.folder / ".git"))
    if gone == "its commit":
        repository.git("init", "-q", "-b", "main")
    else:
        repository.with_git = False
    repository.write(a_txt=text(line5=b"agent"))
    repository.begin()
    assert repository.all_listed() == {}


@pytest.mark.parametrize("since", ["the start", "a look", "a look that found nothing else"])
def test_nor_of_what_git_ignored_and_does_not_ignore_any_more(repository, since):
    repository.write(_gitignore=b"*.log\nbuild/\n", a_txt=TEXT)
    repository.commit()
    if since != "the start":
        repository.begin()
        repository.write(a_txt=text(line5=b"agent"))
        repository.look()
    repository.write(x_log=b"user\n", build__made_txt=b"user\n")
    if since == "the start":
        repository.begin()
    elif since == "a look":
        repository.write(a_txt=text(line5=b"agent again"))
        repository.look()
    else:
        repository.look()
    repository.write(_gitignore=b"", x_log=b"user\nagent\n", new_log=b"agent\n")
    repository.begin()
    assert repository.all_listed().keys() - {"a.txt"} == {".gitignore", "new.log"}
    assert repository.undo() == []
    assert (repository.read("x.log"), repository.read("build/made.txt")) == (b"user\nagent\n", b"user\n")


def test_nor_of_what_was_left_out_before_there_was_a_repository(repository):
    repository.with_git = False
    repository.write(a_txt=TEXT, **{"left-out__a_txt": b"user\n"})
    repository.begin()
    repository.with_git = True
    repository.write(b_txt=b"agent\n")
    repository.begin()
    assert repository.all_listed() == {}


def test_nor_of_what_lay_in_a_repository_of_its_own(repository):
    repository.write(a_txt=TEXT)
    repository.commit()
    repository.git("init", "-q", "inner")
    repository.write(inner__a_txt=b"user\n")
    repository.begin()
    shutil.rmtree(str(repository.folder / "inner" / ".git"))
    repository.begin()
    assert repository.all_listed() == {}


@pytest.mark.parametrize("which", ["secret", "left out"])
def test_nor_of_anything_if_other_files_were_looked_at(project, which):
    def hides(path, is_folder=False):
        return path.endswith("a.txt")

    def hides_nothing(path, is_folder=False):
        return False

    project.write(a_txt=b"committed\n", b_txt=b"committed\n")
    if project.with_git:
        project.commit()
    project.write(a_txt=b"user\n")
    rules = (hides, hides_nothing) if which == "secret" else (hides_nothing, hides)
    project.begin(Rules(*rules, patterns="a.txt"))
    project.write(a_txt=b"user again\n")
    project.begin(Rules(hides_nothing, hides_nothing))
    assert set(project.all_listed()) == ({"a.txt"} if project.with_git and which == "left out" else set())


@pytest.mark.parametrize("of", ["walk", "record"])
def test_files_that_come_or_go_beyond_the_naming_limit_are_not_listed(project, monkeypatch, of):
    if of == "walk":
        monkeypatch.setattr(files, "WALKED_FILES", 3)
    else:
        for module in (files, workspace):
            monkeypatch.setattr(module, "NAMED_FILES", 1)
    project.write(a_txt=TEXT, aa_txt=TEXT, _gitignore=b"*.log\n")
    if project.with_git:
        project.commit()
        project.write(aa_txt=None)
    project.write(**{f"b{number}_log": os.urandom(1 << 21) for number in range(4)})
    project.begin()
    project.write(a_txt=text(line5=b"agent"), _gitignore=b"", new_txt=b"agent\n")
    project.begin()
    assert project.all_listed().keys() == {"a.txt", ".gitignore"}


def test_nor_of_what_a_look_alone_has_found_and_not_kept(repository, later):
    repository.write(a_txt=TEXT, large_log=b"large\n" * (1 << 18))
    exclude = repository.folder / ".git" / "info" / "exclude"
    exclude.write_bytes(b"*.log\n")
    repository.git("add", "a.txt")
    repository.git("commit", "-q", "-m", "x")
    repository.begin()
    exclude.write_bytes(b"")
    later(files.ASKED_SECONDS)
    assert repository.look() == {}
    repository.write(large_log=b"agent\n")
    repository.begin()
    assert repository.all_listed() == {}


@pytest.mark.parametrize("by", ["core.autocrlf", "attributes"])
def test_what_git_has_with_other_line_ends_was_on_the_disk_with_its_own(repository, by):
    """The user's file had CR LF, and git has line feeds alone."""
    if by == "attributes":
        repository.write(_gitattributes=b"*.txt text eol=crlf\n")
    else:
        repository.git("config", "core.autocrlf", "true")
    crlf = TEXT.replace(b"\n", b"\r\n")
    repository.write(a_txt=crlf, b_txt=crlf, c_sh=TEXT)
    repository.commit()
    repository.begin()
    repository.write(a_txt=text(line5=b"agent").replace(b"\n", b"\r\n"), b_txt=None)
    repository.begin()
    assert repository.all_listed().keys() == {"a.txt", "b.txt"}
    assert repository.undo() == []
    assert repository.read("a.txt") == repository.read("b.txt") == crlf


def test_what_git_has_with_both_line_ends_a_checkout_leaves_alone(repository):
    both, crlf = b"1\r\n2\n3\n", TEXT.replace(b"\n", b"\r\n")
    repository.write(a_txt=both)
    repository.commit()
    repository.git("config", "core.autocrlf", "true")
    repository.write(b_txt=crlf)
    repository.commit()
    repository.begin()
    repository.write(a_txt=both + b"agent\n", b_txt=crlf + b"agent\r\n")
    repository.begin()
    assert repository.undo() == []
    assert (repository.read("a.txt"), repository.read("b.txt")) == (both, crlf)


def test_what_is_as_a_checkout_makes_it_is_not_read_from_git_again(repository, monkeypatch):
    repository.git("config", "core.autocrlf", "true")
    repository.write(**{f"a{number}_txt": TEXT.replace(b"\n", b"\r\n") for number in range(3)})
    repository.commit()
    repository.begin()
    monkeypatch.setattr(Repository, "blobs", lambda repository, names: pytest.fail("it asks for texts"))
    repository.begin()
    assert repository.all_listed() == {}


def test_where_git_converts_nothing_other_line_ends_are_the_change(repository):
    repository.write(a_txt=TEXT)
    repository.commit()
    repository.begin()
    repository.write(a_txt=TEXT.replace(b"\n", b"\r\n"))
    repository.begin()
    assert repository.undo() == []
    assert repository.read("a.txt") == TEXT


@pytest.mark.parametrize("tracked", [True, False])
def test_what_is_deleted_after_the_editor_was_killed_can_be_brought_back(project, tracked):
    project.write(a_txt=TEXT, b__run_sh=b"run\n", kept_txt=TEXT)
    os.chmod(str(project.folder / "b" / "run.sh"), 0o744)
    if project.with_git:
        project.commit()
    project.begin()
    project.write(a_txt=None, b__run_sh=None)
    start(project, tracked)
    assert project.all_listed().keys() == {"a.txt", "b/run.sh"}
    assert (set(project.outside()) == {"a.txt", "b/run.sh"}) is project.with_git
    assert project.undo() == []
    assert (project.read("a.txt"), project.read("b/run.sh")) == (TEXT, b"run\n")
    assert os.access(str(project.folder / "b" / "run.sh"), os.X_OK) or os.name == "nt"
    start(project, tracked)
    assert project.all_listed() == {}


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_permissions_that_git_does_not_keep_stay_as_they_are(repository):
    repository.write(a_txt=TEXT)
    os.chmod(str(repository.folder / "a.txt"), 0o600)
    repository.commit()
    repository.begin()
    repository.write(a_txt=text(line5=b"agent"))
    repository.begin()
    assert repository.undo("a.txt") == []
    assert stat.S_IMODE(os.stat(str(repository.folder / "a.txt")).st_mode) == 0o600


@pytest.mark.parametrize("seen", [True, False])
def test_but_not_what_the_user_has_deleted_before(project, seen):
    project.write(a_txt=TEXT, b_txt=TEXT)
    if project.with_git:
        project.commit()
    project.write(b_txt=None)
    project.begin()
    project.write(a_txt=None)
    project.workspace.removed("a.txt")
    if seen:
        project.look()
    project.begin()
    assert project.all_listed() == {}
    project.save(a_txt=TEXT)
    project.write(a_txt=text(line5=b"agent"))
    project.begin()
    assert project.before("a.txt") == TEXT


@pytest.mark.parametrize("by", ["git rm", "a branch"])
def test_what_git_has_deleted_meanwhile_is_nothing_to_review(repository, by):
    repository.write(a_txt=TEXT)
    repository.commit()
    repository.write(b_txt=TEXT)
    repository.commit()
    repository.begin()
    repository.git(*(["rm", "-q", "b.txt"] if by == "git rm" else ["checkout", "-q", "-b", "former", "HEAD~1"]))
    repository.begin()
    assert repository.all_listed() == {}
