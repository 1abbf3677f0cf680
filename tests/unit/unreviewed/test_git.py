"""What git is asked: files, positions and blobs; nothing of a repository's configuration runs, nothing is written."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from companion.system.platform import Platform
from companion.unreviewed.contents import identity
from companion.unreviewed.git import GitError, Repository, find_git

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs that are planted are scripts of a shell")


def git(folder, *command: str) -> str:
    identity_of_ours = ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]
    return subprocess.check_output(["git", *identity_of_ours, *command], cwd=str(folder), universal_newlines=True)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    git(made, "init", "-q")
    (made / "a.txt").write_bytes(b"one\n")
    (made / "b.bin").write_bytes(b"\0\1")
    (made / ".gitignore").write_text("*.log\n")
    git(made, "add", "-A")
    git(made, "commit", "-q", "-m", "first")
    return made


def program(folder) -> str:
    found = find_git(Platform.current(), [str(folder)])
    assert found is not None
    return found


def repository(folder) -> Repository:
    return Repository(program(folder), str(folder), os.environ)


def ask_everything(asked: Repository) -> None:
    asked.entries()
    asked.untracked()
    asked.position()
    asked.tree("HEAD")
    asked.ignored_folders(asked.ignored())
    asked.stashed("HEAD")
    asked.blobs(list(asked.entries().files.values()))


def test_staged_files_have_the_identity_of_their_bytes_and_ignored_ones_are_not_there(folder):
    (folder / "new.txt").write_text("new")
    (folder / "noise.log").write_text("noise")
    asked = repository(folder)
    assert asked.entries().files["a.txt"] == identity(b"one\n")
    assert set(asked.entries().files) == {"a.txt", "b.bin", ".gitignore"}
    assert asked.untracked().files == {"new.txt": ""}


def test_a_folder_inside_a_work_tree_sees_itself_alone(folder):
    (folder / "inside").mkdir()
    (folder / "inside" / "c.txt").write_text("c")
    git(folder, "add", "-A")
    assert set(repository(folder / "inside").entries().files) == {"c.txt"}


def test_blobs_come_back_byte_for_byte_and_one_that_is_not_there_is_left_out(folder):
    files = repository(folder).entries().files
    found = repository(folder).blobs([files["a.txt"], "0" * 40, files["b.bin"]])
    assert found == {files["a.txt"]: b"one\n", files["b.bin"]: b"\0\1"}


def test_links_are_no_files_and_repositories_inside_are_named(folder):
    (folder / "link").symlink_to("a.txt")
    (folder / "nested").mkdir()
    git(folder / "nested", "init", "-q")
    (folder / "nested" / "n.txt").write_text("n")
    git(folder, "add", "link")
    assert "link" not in repository(folder).entries().files
    assert repository(folder).untracked().repositories == ("nested",)


def test_a_commit_a_stash_and_a_merge_under_way_are_other_positions(folder):
    asked = repository(folder)
    seen = [asked.position()]
    stamps = [asked.position_stamp()]
    (folder / "a.txt").write_text("two\n")
    git(folder, "commit", "-q", "-a", "-m", "second")
    seen.append(asked.position())
    stamps.append(asked.position_stamp())
    (folder / "a.txt").write_text("three\n")
    git(folder, "stash", "-q")
    seen.append(asked.position())
    stamps.append(asked.position_stamp())
    git(folder, "checkout", "-q", "-b", "other", "HEAD~1")
    (folder / "a.txt").write_text("other\n")
    git(folder, "commit", "-q", "-a", "-m", "third")
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x", "merge", "-q", "HEAD@{1}", "master", "main"],
        cwd=str(folder),
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    seen.append(asked.position())
    stamps.append(asked.position_stamp())
    assert len(set(seen)) == len(set(stamps)) == 4


def test_a_repository_without_a_commit_has_a_position(tmp_path):
    git(tmp_path, "init", "-q")
    assert repository(tmp_path).position().head == ""
    assert repository(tmp_path).tree("") == {}


def test_nothing_that_a_configuration_names_is_run(folder, tmp_path):
    marker = tmp_path / "markers"
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
        git(folder, "config", name, str(value))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"):
        shutil.copy(str(script), str(tmp_path / "hooks" / hook))
        shutil.copy(str(script), str(folder / ".git" / "hooks" / hook))
    (folder / ".gitattributes").write_text("* filter=planted diff=planted merge=planted\n")
    (folder / "a.txt").write_text("changed\n")
    for planted in marker.iterdir():
        planted.unlink()  # what setting this up has run
    asked = repository(folder)
    ask_everything(asked)
    asked.blobs(["1" * 40])  # which a partial clone would fetch
    assert list(marker.iterdir()) == []


def test_nothing_is_written(folder, everything):
    (folder / "a.txt").write_text("changed\n")
    os.utime(str(folder / "b.bin"))  # stale in the index: git would like to refresh it
    before = everything(folder)
    ask_everything(repository(folder))
    assert everything(folder) == before


def test_a_work_tree_that_a_configuration_places_elsewhere_is_refused(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git(folder, "config", "core.worktree", str(elsewhere))
    with pytest.raises(GitError):
        repository(folder)


def test_a_folder_that_is_in_no_work_tree_is_refused(tmp_path):
    with pytest.raises(GitError):
        repository(tmp_path)


def test_variables_that_would_lead_git_elsewhere_count_for_nothing(folder, tmp_path):
    environment = dict(os.environ, GIT_DIR=str(tmp_path), GIT_WORK_TREE="/", GIT_EXTERNAL_DIFF="false")
    assert set(Repository(program(folder), str(folder), environment).entries().files) >= {"a.txt"}


@pytest.mark.parametrize("place", ["project/bin", "link-to-project/bin"])
def test_a_git_inside_of_the_workspace_is_never_run(folder, tmp_path, place):
    (folder / "bin").mkdir()
    (tmp_path / "link-to-project").symlink_to(folder)
    planted = folder / "bin" / "git"
    planted.write_text("#!/bin/sh\nexit 1\n")
    planted.chmod(0o755)
    path = os.pathsep.join([str(tmp_path / place), ".", "", os.environ["PATH"]])
    found = find_git(Platform.current()._replace(environment={"PATH": path}), [str(folder)])
    assert found is not None
    assert not found.startswith(str(tmp_path))


def test_a_git_that_is_too_old_is_refused(folder, tmp_path):
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.24.4\n")
    old.chmod(0o755)
    with pytest.raises(GitError, match="older than 2.25"):
        Repository(str(old), str(folder), os.environ)
