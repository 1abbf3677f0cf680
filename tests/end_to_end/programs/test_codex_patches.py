"""The real `codex` applies the patches of `unit/agents/test_patches.py`, and others made at random, as we do."""

from __future__ import annotations

import os
import platform
import random
import subprocess
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from companion.agents.patches import Operation, apply, operations, patch_of
from tests.tools import nodes
from tests.unit.agents import test_patches

PROGRAM = ("node_modules", "@openai", "codex", "vendor", "x86_64-unknown-linux-musl", "bin", "codex")
TABLE = next(mark for mark in test_patches.test_a_patch_of_one_file.pytestmark if mark.name == "parametrize").args[1]


@pytest.fixture(scope="module")
def codex():
    return os.path.join(nodes.packages("codex_cli"), *PROGRAM)


def written(codex, folder, before, said):
    """What the file holds after the program was given the patch; None if it refuses it."""
    path = folder / "a"
    path.write_bytes(before.encode())
    ran = subprocess.run(
        [codex, "--codex-run-as-apply-patch", said], cwd=str(folder), stdout=-1, stderr=-1, check=False
    )
    return None if ran.returncode else path.read_bytes().decode()


def test_what_was_measured(codex, tmp_path):
    for before, said, after in (case.values for case in TABLE):
        assert written(codex, tmp_path, before, test_patches.patch(test_patches.HEAD, said)) == after, (before, said)


@pytest.mark.parametrize("seed", range(4))
def test_patches_at_random(codex, tmp_path, seed):
    random_ = random.Random(seed)
    for _ in range(25):
        ends = random_.choice(test_patches.ENDS)
        before, after = (test_patches.text_of(random_, ends) for _ in range(2))
        whole = patch_of([Operation.of("a", "", before, after)])
        lines = whole.split("\n")
        spoiled = [line for line in lines if random_.random() > 0.1 or line.startswith("*** ")]
        for said in (whole, "\n".join(spoiled)):
            steps = operations(said)
            if steps is None or len(steps) != 1 or steps[0].path != "a":
                continue
            assert written(codex, tmp_path, before, said) == apply(steps[0], before), (before, said)
