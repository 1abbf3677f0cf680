"""Which tests each Python runs: those that could come out otherwise on another one, and all others on the newest.

With `everything` every Python runs all of them, and what only a release needs as well: so a release does, and once a
week. Rule: beside FOR_A_RELEASE every file of tests is run in every run, by the newest Python unless it is ON_AN_OLDER.
"""

from __future__ import annotations

import enum
from typing import Dict, Iterable, List

#: The libraries on the index, wheels that are downloaded, the package with them, the workflows' own steps.
FOR_A_RELEASE = (
    "unit/project/test_workflows.py",
    "unit/tools/release/test_installed.py",
    "unit/tools/release/test_package_control.py",
    "unit/tools/release/test_resolving.py",
    "unit/tools/release/test_wheels_alone.py",
)
#: Where the tests stand that need no editor of the real kind and no client: those of the package and of its tools, and
#: those of the headless editor.
UNITS = ("unit", "host/tests")
#: Units that ask nothing of the interpreter, its event loop, or the libraries that are others there; what is read off
#: files; and what is about the headless editor, in which the in-editor tests run there anyway.
ON_THE_NEWEST_PYTHON = (
    "host/tests",
    "unit/comparison",
    "unit/context/test_model_against_history.py",
    "unit/hostile/common/test_long_texts.py",
    "unit/hostile/endpoint/test_many_calls.py",
    "unit/hostile/review",
    "unit/project",
    "unit/protocol/test_calls.py",
    "unit/protocol/test_properties.py",
    "unit/review",
    "unit/system/test_private_files.py",
    "unit/tools",
    "unit/unreviewed",
)
#: With real clients: a journey of each program, which on the newest Python have tests of their own.
ON_AN_OLDER_PYTHON = ("end_to_end/test_five_programs.py",)
#: With real clients on every Python: the main job, what depends on the interpreter.
ON_EVERY_PYTHON = (
    "end_to_end/test_main_job.py",
    "end_to_end/test_startup.py",
    "end_to_end/test_upgrade.py",
)
#: With real clients, in legs of their own, because all together would take longest: real programs, and whatever ends
#: while something is under way.
PROGRAMS = ("end_to_end/programs", "end_to_end/test_unasked.py", "conformance")
ENDS = (
    "end_to_end/test_accepted_texts.py",
    "end_to_end/test_codex_client.py",
    "end_to_end/test_copilot_client.py",
    "end_to_end/test_discovery_faults.py",
    "end_to_end/test_killed_editor.py",
    "end_to_end/test_lost_clients.py",
    "end_to_end/test_quitting.py",
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
        mine_of_them = [f"tests/{name}" for name in UNITS if name not in elsewhere]  # pytest ignores nothing it is told
        return {"unit": [*mine_of_them, *_ignored(elsewhere)]}
    if kind == "soak":
        return {"soak": ["tests/soak"]} if newest or everything else {}
    if newest or everything:
        left = () if everything or mine is Share.ONLY else ON_AN_OLDER_PYTHON
        return {
            "end to end": ["tests/end_to_end", *_ignored([*PROGRAMS, *ENDS, *left])],
            "ends": [f"tests/{name}" for name in ENDS],
            "programs": [f"tests/{name}" for name in PROGRAMS],
        }
    return {"end to end": [f"tests/{name}" for name in (*ON_AN_OLDER_PYTHON, *ON_EVERY_PYTHON)]}


def _ignored(names: Iterable[str]) -> List[str]:
    return [f"--ignore=tests/{name}" for name in names]
