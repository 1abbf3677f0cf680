"""The built package: the packing list's files, the same bytes each time, and what `git archive` ships."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Dict

import pytest

from tests.tools.release import build, packing

ROOT = Path(__file__).resolve().parents[4]


def git(*arguments: str, environment: Dict[str, str] | None = None) -> bytes:
    """The output of a git command in the project folder; a failure fails the test with git's own words."""
    answer = subprocess.run(
        ["git", *arguments],
        cwd=str(ROOT),
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr.decode("utf-8", "replace")
    return answer.stdout


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, bytes]:
    """What `git archive` would ship of the tracked files as they are now, committed or not: name to content.

    The tree is written to a scratch index and object folder, so the repository stays as it was.
    """
    scratch = tmp_path_factory.mktemp("git")
    objects = scratch / "objects"
    objects.mkdir()
    index = git("rev-parse", "--git-path", "index").decode("utf-8").strip()
    shutil.copyfile(str(ROOT / index), str(scratch / "index"))
    own_objects = git("rev-parse", "--git-path", "objects").decode("utf-8").strip()
    environment = {
        "GIT_INDEX_FILE": str(scratch / "index"),
        "GIT_OBJECT_DIRECTORY": str(objects),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str((ROOT / own_objects).resolve()),
    }
    git("add", "--update", environment=environment)
    tree = git("write-tree", environment=environment).decode("ascii").strip()
    content = git("archive", "--format=zip", tree, environment=environment)
    with zipfile.ZipFile(io.BytesIO(content)) as shipped:
        return {name: shipped.read(name) for name in shipped.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def built() -> Dict[str, bytes]:
    """The built package: name to content."""
    with zipfile.ZipFile(io.BytesIO(build.package())) as package:
        return {name: package.read(name) for name in package.namelist()}


def test_file_times_modes_order_and_line_ends_do_not_change_the_bytes(tmp_path: Path) -> None:
    names = packing.packed(ROOT)
    for name in reversed([*names, packing.PACKING_LIST]):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        content = (ROOT / name).read_bytes()
        target.write_bytes(content if name.endswith(build.BINARY) else content.replace(b"\n", b"\r\n"))
        target.chmod(0o700)
        os.utime(str(target), (2_000_000_000, 2_000_000_000))
    assert build.package(tmp_path) == build.package()


def test_a_file_with_other_text_has_another_time(tmp_path: Path) -> None:
    """By time and size the editor tells whether the bytecode that it keeps is that of the file."""
    for name in [*packing.packed(ROOT), packing.PACKING_LIST]:
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(ROOT / name), str(target))

    def times() -> Dict[str, tuple[int, ...]]:
        with zipfile.ZipFile(io.BytesIO(build.package(tmp_path))) as archive:
            return {entry.filename: entry.date_time for entry in archive.infolist()}

    before, changed = times(), tmp_path / "companion" / "application.py"
    changed.write_bytes(changed.read_bytes().swapcase())
    assert [name for name, time in times().items() if time != before[name]] == ["companion/application.py"]


def test_the_command_writes_what_it_prints(tmp_path: Path) -> None:
    target = tmp_path / "out" / build.FILE_NAME
    command = [sys.executable, str(ROOT / "tests" / "tools" / "release" / "build.py"), "--output", str(target)]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    assert target.read_bytes() == build.package()
    for name in packing.packed(ROOT):
        assert f"  {name}\n" in printed.replace(os.linesep, "\n")


def test_what_git_archive_ships_is_the_packing_list(archive: Dict[str, bytes], built: Dict[str, bytes]) -> None:
    tracked = git("ls-files", "-z").decode("utf-8").split("\0")
    untracked = [name for name in built if name not in tracked]
    assert not untracked, "not yet tracked by git, so no tag would ship it"
    assert sorted(archive) == sorted(built)


def test_git_archive_ships_the_same_content(archive: Dict[str, bytes], built: Dict[str, bytes]) -> None:
    assert [name for name in archive if archive[name] != built.get(name)] == []


def test_the_package_holds_what_the_editor_and_package_control_look_for(built: Dict[str, bytes]) -> None:
    expected = {
        ".python-version",
        "plugin.py",
        "companion/__init__.py",
        "dependencies.json",
        "messages.json",
        "messages/install.txt",
        "Main.sublime-menu",
        "Default.sublime-commands",
        "Default.sublime-keymap",
        "Gemini Companion.sublime-settings",
        "sublime-package.json",
        "README.md",
        "docs/reviewing.md",
        "CHANGELOG.md",
        "LICENSE",
    }
    assert expected - set(built) == set()
    assert [name for name in built if name.startswith(("tests", ".git", ".ci"))] == []


def test_no_module_at_the_root_but_the_plugin(built: Dict[str, bytes]) -> None:
    """Every module at the root of a package is loaded as a plugin, and Package Control drops a root `__init__.py`."""
    assert [name for name in built if name.endswith(".py") and "/" not in name] == ["plugin.py"]


# -- What is said


def test_the_releases_that_were_tried_are_those_that_the_tests_run(built: Dict[str, bytes]) -> None:
    page = " ".join(built["docs/programs.md"].decode("utf-8").split())
    pinned = {}
    for folder in ("gemini_cli", "qwen_code", "copilot_cli", "claude_code", "opencode", "codex_cli"):
        path = ROOT / "tests" / "clients" / folder / "package.json"
        ((pinned[folder],),) = [json.loads(path.read_text(encoding="utf-8"))["dependencies"].values()]
    pinned["codex_cli"] = pinned["codex_cli"].split("-")[0]
    assert (
        "Tried with Gemini CLI {gemini_cli}, Qwen Code {qwen_code}, GitHub Copilot CLI {copilot_cli}, "
        "Claude Code {claude_code}, opencode {opencode} and Codex CLI {codex_cli}."
    ).format(**pinned) in page


def test_no_release_of_the_editor_is_named_that_does_not_exist() -> None:
    """Its releases are builds of version 4."""
    wrong = re.compile(r"Sublime Text 4\.\d|early 4\.\d")
    tracked = git("ls-files", "-z", "*.py", "*.md", "*.txt", "*.json").decode("utf-8").split("\0")
    pages = [ROOT / name for name in tracked if name and Path(name).name != Path(__file__).name]
    assert [str(path) for path in pages if path.is_file() and wrong.search(path.read_text(encoding="utf-8"))] == []
