"""Which tests each Python runs: the newest one all of them, an older one those that its interpreter can change.

Rule: every file of tests is collected in every run by the newest Python, but for the soak tests; what only
`--everything` runs in it has the mark `everything` (`tests/conftest.py`). With `everything` every Python runs all.
"""

from __future__ import annotations

import enum
from typing import Dict, Iterable, List

#: Where the tests stand that need no editor of the real kind and no client: those of the package and of its tools, and
#: those of the headless editor.
UNITS = ("unit", "host/tests")
#: Units that ask something of the interpreter, of its event loop, sockets, regular expressions and JSON, or of the
#: libraries, which are others on an older Python.
UNITS_ON_AN_OLDER_PYTHON = (
    "unit/agents",
    "unit/common",
    "unit/endpoint/test_server_task.py",
    "unit/endpoint/test_shared_socket.py",
    "unit/hostile/common/test_patterns.py",
    "unit/hostile/transport/test_headers.py",
    "unit/protocol",
    "unit/system",
    "unit/test_libraries.py",
    "unit/test_loading_again.py",
    "unit/test_log.py",
    "unit/test_plugin.py",
    "unit/test_runtime.py",
    "unit/test_settings.py",
    "unit/test_startup.py",
    "unit/transport",
)
#: Of these, the ones that take long and ask nothing of it but speed.
BUT_NOT = ("unit/protocol/test_calls.py", "unit/protocol/test_properties.py")
#: In-editor tests of the same kind, as parts of their names: what goes from the editor to the loop thread and back, to
#: the disk and to other processes.
IN_EDITOR_ON_AN_OLDER_PYTHON = (
    ".test_accept_by_client.",
    ".test_diagnostics.",
    ".test_discovery.",
    ".test_files_opened.",
    ".test_hook_gate.",
    ".test_hooks.",
    ".test_log.",
    ".test_review_calls.",
    ".test_review_disk.",
    ".test_review_threads.",
    ".test_server_commands.",
    ".test_terminal_environment.",
)
#: All in-editor tests, in two processes, because each mostly waits: patterns of their names by what the leg is called.
IN_EDITOR_PARTS = {", reviews": "*.in_editor.review.*", ", the rest": "*.in_editor.[!r]*"}
#: With a client, on every Python: the main job and the start.
CLIENTS_ON_AN_OLDER_PYTHON = ("end_to_end/test_main_job.py", "end_to_end/test_startup.py")
#: With real clients, in legs of their own, because all together would take longest: real programs, and whatever ends
#: while something is under way.
PROGRAMS = ("end_to_end/programs", "end_to_end/test_five_programs.py", "end_to_end/test_unasked.py", "conformance")
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
    all_of_it = everything or mine is not Share.OLDER
    if kind == "unit":
        return {"unit": _paths(UNITS) if all_of_it else [*_paths(UNITS_ON_AN_OLDER_PYTHON), *_ignored(BUT_NOT)]}
    if kind == "soak":
        return {"soak": _paths(["soak"])} if everything else {}
    if not all_of_it:
        return {"end to end": _paths(CLIENTS_ON_AN_OLDER_PYTHON)}
    rest = [*_paths(["end_to_end"]), *_ignored([*PROGRAMS, *ENDS])]
    return {"end to end": rest, "ends": _paths(ENDS), "programs": _paths(PROGRAMS)}


def in_editor(mine: Share, everything: bool) -> Dict[str, List[str]]:
    """The in-editor tests that one Python runs, leg by leg: parts or patterns of their names, by the leg's name."""
    if everything or mine is not Share.OLDER:
        return {name: [pattern] for name, pattern in IN_EDITOR_PARTS.items()}
    return {"": list(IN_EDITOR_ON_AN_OLDER_PYTHON)}


def _paths(names: Iterable[str]) -> List[str]:
    return [f"tests/{name}" for name in names]


def _ignored(names: Iterable[str]) -> List[str]:
    return [f"--ignore={path}" for path in _paths(names)]
