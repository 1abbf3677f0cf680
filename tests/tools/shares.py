"""Which tests each Python runs: those that could come out otherwise on another one, and all others on the newest.

With `everything` every Python runs all of them, and what only a release needs as well: so a release does, and once a
week. Rule: beside FOR_A_RELEASE every file of tests is run in every run, by the newest Python unless it is ON_AN_OLDER.
"""

from __future__ import annotations

import enum
import glob
import os
from typing import Dict, Iterable, List

from . import cache

#: The libraries on the index, wheels that are downloaded, the package with them, the workflows' own steps.
FOR_A_RELEASE = (
    "unit/release/test_installed.py",
    "unit/release/test_package_control.py",
    "unit/release/test_resolving.py",
    "unit/release/test_wheels_alone.py",
    "unit/release/test_workflows.py",
)
#: Units that ask nothing of the interpreter or its libraries and take long, because they are random or go through every
#: state of a disk; and what is read off files or is about these tools.
ON_THE_NEWEST_PYTHON = (
    "unit/comparison",
    "unit/context/test_model_against_history.py",
    "unit/hostile/data",
    "unit/hostile/frozen/test_long_texts.py",
    "unit/processes/test_benchmark_tables.py",
    "unit/processes/test_mutants.py",
    "unit/processes/test_set_up.py",
    "unit/processes/test_test_command.py",
    "unit/protocol/test_properties.py",
    "unit/release",
    "unit/unreviewed/test_random.py",
    "unit/unreviewed/test_storms.py",
)
#: With real clients: a journey of each program, which on the newest Python have tests of their own.
ON_AN_OLDER_PYTHON = ("end_to_end/test_five_programs.py",)
#: With real clients on every Python: the main job, what depends on the interpreter.
ON_EVERY_PYTHON = (
    "end_to_end/test_main_job.py",
    "end_to_end/test_startup.py",
    "end_to_end/test_upgrade.py",
)


class Share(enum.Enum):
    """Of the Pythons in use, a Python is this one."""

    OLDER = 1
    NEWEST = 2
    ONLY = 3


def share(index: int, count: int) -> Share:
    """Of the Python at `index` of `count`, of which the last one is the newest."""
    return Share.ONLY if count == 1 else Share.NEWEST if index == count - 1 else Share.OLDER


def legs_of(kind: str, mine: Share, everything: bool) -> Dict[str, List[str]]:
    """The legs of one kind ("unit", "soak", "end_to_end") for one Python: what pytest is told, by name."""
    newest = mine is not Share.OLDER
    if kind == "unit":
        elsewhere = () if everything else FOR_A_RELEASE if newest else ON_THE_NEWEST_PYTHON
        return {"unit": ["tests/unit", *_ignored(elsewhere)]}
    if kind == "soak":
        return {"soak": ["tests/soak"]} if newest or everything else {}
    if newest or everything:
        separate = programs()
        left = () if everything or mine is Share.ONLY else ON_AN_OLDER_PYTHON
        return {
            "end to end": ["tests/end_to_end", *_ignored([*separate, *left])],
            "programs": [*(f"tests/{name}" for name in separate), "tests/conformance"],
        }
    return {"end to end": [f"tests/{name}" for name in (*ON_AN_OLDER_PYTHON, *ON_EVERY_PYTHON)]}


def programs() -> List[str]:
    """The files of tests with one program in a terminal, and those that draw: they take as long as all others."""
    found = glob.glob(os.path.join(cache.ROOT, "tests", "end_to_end", "test_*_program.py"))
    names = sorted(f"end_to_end/{os.path.basename(path)}" for path in found)
    names.remove("end_to_end/test_claude_program.py")  # only where the user asks for it
    return [*names, "end_to_end/test_pictures.py"]


def _ignored(names: Iterable[str]) -> List[str]:
    return [f"--ignore=tests/{name}" for name in names]
