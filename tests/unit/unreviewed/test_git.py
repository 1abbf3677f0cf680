"""What git is asked: files, positions and blobs; nothing of a repository's configuration runs."""

from __future__ import annotations

import os
import shutil

import pytest

from companion.system.platform import Platform
from companion.unreviewed.content import identity
from companion.unreviewed.git import GitError, Repository, find_git

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs that are planted are scripts of a shell")


@pytest.fixture
def project(repository):
    """A repository with a commit."""
    repository.write(a_txt=b"one\n", b_bin=b"\0\1", _gitignore=b"*.log\n")
    repository.commit("first")
    return repository


def test_staged_files_are_known_by_their_bytes_and_ignored_ones_left_out(project):
    project.write(new_txt=b"new", noise_log=b"noise")
    asked = project.repository()
    assert asked.entries().files["a.txt"] == identity(b"one\n")
    assert set(asked.entries().files) == {"a.txt", "b.bin", ".gitignore"}
    assert asked.untracked().files == {"new.txt": ""}


def test_a_folder_inside_a_work_tree_sees_itself_alone(project):
    project.write(inside__c_txt=b"c")
    project.git("add", "-A")
    assert set(project.repository(project.folder / "inside").entries().files) == {"c.txt"}


def test_blobs_come_back_byte_for_byte_whatever_else_is_asked_for(project):
    asked = project.repository()
    files = asked.entries().files
    names = [files["a.txt"], "0" * 40, project.git("rev-parse", "HEAD").strip(), files["b.bin"]]
    assert asked.blobs(names) == {names[0]: b"one\n", names[3]: b"\0\1"}
    damaged = next(project.folder.glob(f".git/objects/{names[0][:2]}/{names[0][2:]}"))
    damaged.chmod(0o600)
    damaged.write_bytes(damaged.read_bytes()[:-3] + b"abc")
    assert asked.blobs(names) == {names[3]: b"\0\1"}


def test_links_are_no_files_and_repositories_inside_are_named(project):
    (project.folder / "link").symlink_to("a.txt")
    project.git("init", "-q", "nested")
    project.write(nested__n_txt=b"n")
    project.git("add", "link")
    assert "link" not in project.repository().entries().files
    assert project.repository().untracked().repositories == ("nested",)
    project.git("-C", "nested", "add", "-A")
    project.git("-C", "nested", "commit", "-q", "-m", "inside")
    project.git("add", "nested")  # as a submodule is
    entries = project.repository().entries()
    assert (entries.repositories, "nested" in entries.files) == (("nested",), False)


def test_a_commit_a_stash_and_a_merge_under_way_are_other_positions(project):
    asked, seen, stamps = project.repository(), [], []

    def look() -> None:
        seen.append(asked.head())
        stamps.append(asked.position_stamp())

    look()
    project.write(a_txt=b"two\n")
    project.commit("second")
    look()
    project.write(a_txt=b"three\n")
    project.git("stash", "-q")
    look()
    project.git("checkout", "-q", "-b", "other", "HEAD~1")
    project.write(a_txt=b"other\n")
    project.commit("third")
    project.git("merge", "-q", "main", check=False)
    look()
    assert (len(set(seen)), len(set(stamps))) == (3, 4)  # a stash moves no commit


def test_a_repository_without_commits_has_no_head_and_the_first_brings_all(repository):
    asked = repository.repository()
    assert asked.head() == ""
    repository.write(a_txt=b"one\n")
    repository.commit()
    assert asked.committed("", asked.head()) == {"a.txt": ("", identity(b"one\n"))}


def test_staged_changes_are_not_committed_and_changes_of_commits_are_told(project):
    asked, first = project.repository(), project.repository().head()
    project.write(a_txt=b"two\n", new_txt=b"new\n", b_bin=None)
    project.git("add", "-A")
    assert asked.uncommitted(first) == {"a.txt", "new.txt", "b.bin"}
    project.commit()
    assert asked.uncommitted(asked.head()) == frozenset()
    assert asked.committed(first, asked.head()) == {
        "a.txt": (identity(b"one\n"), identity(b"two\n")),
        "new.txt": ("", identity(b"new\n")),
        "b.bin": (identity(b"\0\1"), ""),
    }
    assert asked.committed("0" * 40, asked.head()) == {}


def test_nothing_that_a_configuration_names_is_run(project, tmp_path):
    folder, marker = project.folder, tmp_path / "markers"
    marker.mkdir()
    script = tmp_path / "run.sh"
    script.write_text(f'#!/bin/sh\ntouch "{marker}/$(basename "$0").$$"\ncat\n')
    script.chmod(0o755)
    settings = {
        "core.fsmonitor": script,
        "core.hooksPath": tmp_path / "hooks",
        "core.pager": script,
        "core.editor": script,
        "core.sshCommand": script,
        "core.askPass": script,
        "core.gitProxy": script,
        "core.alternateRefsCommand": script,
        "filter.planted.clean": script,
        "filter.planted.smudge": script,
        "filter.planted.process": script,
        "filter.planted.required": "true",
        "diff.external": script,
        "diff.planted.textconv": script,
        "diff.planted.command": script,
        "merge.planted.driver": script,
        "credential.helper": f"!{script}",
        "alias.ls-files": f"!{script}",
        "alias.rev-parse": f"!{script}",
        "alias.cat-file": f"!{script}",
        "pager.ls-files": script,
        "gpg.program": script,
        "interactive.diffFilter": script,
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{script}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "uploadpack.packObjectsHook": script,
    }
    for name, value in settings.items():
        project.git("config", name, str(value))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"):
        shutil.copy(str(script), str(tmp_path / "hooks" / hook))
        shutil.copy(str(script), str(folder / ".git" / "hooks" / hook))
    project.write(_gitattributes=b"* filter=planted diff=planted merge=planted\n", a_txt=b"changed\n")
    for planted in marker.iterdir():
        planted.unlink()  # what setting this up has run
    asked = project.repository()
    asked.entries()
    asked.untracked()
    asked.position_stamp()
    asked.ignored_folders(asked.ignored())
    asked.uncommitted(asked.head())
    asked.committed("", asked.head())
    blobs = list(asked.entries().files.values())
    assert set(asked.blobs([*blobs, "1" * 40])) == set(blobs)  # the last one a partial clone would fetch
    assert list(marker.iterdir()) == []


def test_a_work_tree_that_a_configuration_places_elsewhere_is_refused(project, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    project.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(GitError):
        project.repository()


def test_a_folder_that_is_in_no_work_tree_is_refused(project, tmp_path):
    with pytest.raises(GitError):
        project.repository(tmp_path)


def test_variables_that_would_lead_git_elsewhere_count_for_nothing(project, tmp_path, monkeypatch):
    for name, value in {"GIT_DIR": str(tmp_path), "GIT_WORK_TREE": "/", "GIT_EXTERNAL_DIFF": "false"}.items():
        monkeypatch.setenv(name, value)
    assert set(project.repository().entries().files) >= {"a.txt"}


@pytest.mark.parametrize("place", ["project/bin", "link-to-project/bin"])
def test_a_git_inside_of_the_workspace_is_never_run(project, tmp_path, place):
    (project.folder / "bin").mkdir()
    (tmp_path / "link-to-project").symlink_to(project.folder)
    planted = project.folder / "bin" / "git"
    planted.write_text("#!/bin/sh\nexit 1\n")
    planted.chmod(0o755)
    path = os.pathsep.join([str(tmp_path / place), ".", "", os.environ["PATH"]])
    found = find_git(Platform.current()._replace(environment={"PATH": path}), [str(project.folder)])
    assert found is not None
    assert not found.startswith(str(tmp_path))


def test_a_git_that_is_too_old_is_refused(project, tmp_path):
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.24.4\n")
    old.chmod(0o755)
    with pytest.raises(GitError, match="older than 2.25"):
        Repository(str(old), str(project.folder), os.environ)


ATTRIBUTES = [
    "",
    "text",
    "-text",
    "text=auto",
    "eol=crlf",
    "eol=lf",
    "text eol=crlf",
    "-text eol=crlf",
    "text=auto eol=lf",
]


@pytest.mark.parametrize("automatic", [None, "true", "input", "false", "yes"])
@pytest.mark.parametrize("usual", [None, "crlf", "lf", "native"])
def test_it_is_known_what_gets_other_line_ends_from_a_checkout(project, automatic, usual):
    names = {f"f{number}.txt": attribute for number, attribute in enumerate(ATTRIBUTES)}
    project.write(**{name.replace(".", "_"): b"1\n2\n" for name in names})
    project.commit()
    project.write(_gitattributes="".join(f"{name} {each}\n" for name, each in names.items() if each).encode())
    for setting, value in (("autocrlf", automatic), ("eol", usual)):
        if value is not None:
            project.git("config", f"core.{setting}", value)
    for name in names:
        (project.folder / name).unlink()
    project.git("checkout", "--", *names)
    assert project.repository().with_crlf(list(names)) == [name for name in names if b"\r\n" in project.read(name)]
