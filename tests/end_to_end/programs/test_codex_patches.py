"""The real `codex` applies the patches of `unit/agents/test_patches.py`, and others made at random, as we say it would.

A few dozen in every run, and ten thousand once a week and for a release.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from companion.agents.codex_cli import CODEX_CLI
from companion.agents.patches import apply, operations, patch_of
from tests.support.everything import is_everything
from tests.support.made_patches import made
from tests.tools import nodes
from tests.unit.agents import test_patches

PROGRAM = ("node_modules", "@openai", "codex", "vendor", "x86_64-unknown-linux-musl", "bin", "codex")
TABLE = next(mark for mark in test_patches.test_a_patch_of_one_file.pytestmark if mark.name == "parametrize").args[1]
PATHS = next(mark for mark in test_patches.test_the_files_of_a_patch.pytestmark if mark.name == "parametrize").args[1]
COUNT = 10_000 if is_everything() else 60


@pytest.fixture(scope="module")
def codex():
    return os.path.join(nodes.packages("codex_cli"), *PROGRAM)


def applied(codex, folder, said):
    """Whether the program applies the patch. What comes before the part that it refuses is written."""
    argv = [codex, "--codex-run-as-apply-patch", said]
    return subprocess.run(argv, cwd=str(folder), stdout=-1, stderr=-1, check=False).returncode == 0


def laid_out(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def held(folder):
    """What the files below hold, by their paths."""
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()}


def written_by_us(folder, steps):
    """Do what we say that the program does. Return whether all of it can be done."""
    try:
        for step in steps:
            path, before = folder / step.path, None
            if step.added is None:
                before = path.read_bytes().decode()
            text = apply(step, before)
            if text is None:
                return False
            if not step.deletes:
                target = folder / step.paths[-1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text.encode())
            if step.deletes or step.moved_to:
                path.unlink()
    except OSError:
        return False
    return True


def test_what_was_measured(codex, tmp_path):
    for before, said, after in (case.values for case in TABLE):
        laid_out(tmp_path, {"a": before})
        done = applied(codex, tmp_path, test_patches.patch(test_patches.HEAD, said))
        assert (held(tmp_path)["a"] if done else None) == after, (before, said)


def test_the_files_that_were_measured(codex, tmp_path):
    for number, (said, paths) in enumerate(case.values for case in PATHS):
        folder = tmp_path / str(number)
        laid_out(folder, {"a": "x\n", "b": "y\n"})
        assert applied(codex, folder, test_patches.patch(said)) == (paths is not None), said
        changed = set(held(folder).items()) ^ {("a", "x\n"), ("b", "y\n")}
        assert {name for name, _text in changed} == set(paths or ()), said


def test_patches_at_random(codex, tmp_path):
    counts = {True: 0, False: 0}
    for seed in range(COUNT):
        real, ours = tmp_path / f"{seed}" / "real", tmp_path / f"{seed}" / "ours"
        for folder in (real, ours):
            laid_out(folder, {"out/f": "out\n"})
            files, said = made(seed, str(folder / "out"))
            laid_out(folder / "in", files)
            if folder is real:
                done = applied(codex, folder / "in", said)
                continue
            steps = operations(said)
            if steps is None and "*** Environment ID:" in said:  # refused by us alone: its files may be elsewhere
                break
            assert (steps is not None and written_by_us(folder / "in", steps)) == done, (seed, said, files)
            assert held(real) == held(ours), (seed, said, files)
            assert steps is None or operations(patch_of(steps)) == steps, (seed, said)
            assert_is_shown(said, files, folder / "in", done)
            counts[done] += 1
        shutil.rmtree(str(tmp_path / f"{seed}"))  # there are many
    assert min(counts.values()) > COUNT // 4


def assert_is_shown(said, files, folder, done):
    """What the user would see of the patch is what it has written; where it is refused, there may be anything."""
    arguments, writes = {"command": said}, CODEX_CLI.hooks.writes
    texts = {path: files.get(os.path.normpath(path)) for path in writes.paths("apply_patch", arguments)}
    if not done or set(texts) - set(files):
        return
    for proposal in writes.proposals("apply_patch", arguments, texts) or ():
        path = folder / proposal.path
        assert (path.read_bytes().decode() if not proposal.deletes else "") == proposal.text, said
        assert proposal.deletes is not path.exists(), said
        assert not proposal.moved_from or not (folder / proposal.moved_from).exists(), said
