"""Plants small faults in the package, one at a time, and says which no test notices: `python3 tests/mutants.py`.

It takes the lines that have changed since `--since`, and makes every fault of them that the rules in
`tests/tools/mutation/operators.py` know. Names of files limit it to these files, of which it takes every line unless
`--since` is given; `--sample N` takes N faults from the whole package instead, other ones every day. Those that are
listed by hand in `tests/mutants.txt` are planted with either. A survivor is a line to look at: either a test is
missing, or the line could go, or both ways of writing it do the same.
Everything runs in copies of the tree. Not part of the test command, because it takes long: by hand, and weekly.
"""

from __future__ import annotations

import argparse
import datetime
import os
import random
import re
import subprocess
import sys
import tempfile
from typing import Dict, List, Optional, Sequence, Set, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from tests.tools import cache, pythons  # noqa: E402
from tests.tools.mutation import copies, hand_made  # noqa: E402
from tests.tools.mutation.operators import Fault, faults_of  # noqa: E402

LIST = os.path.join(ROOT, "tests", "mutants.txt")
TARGET = 0.8  # of the faults that rules make: some change nothing that anybody could see
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")

#: Of the files of the package that are in no folder.
TOP = (
    "tests/unit/test_libraries.py",
    "tests/unit/test_loading_again.py",
    "tests/unit/test_log.py",
    "tests/unit/test_plugin.py",
    "tests/unit/test_project_settings.py",
    "tests/unit/test_runtime.py",
    "tests/unit/test_settings.py",
    "tests/unit/test_startup.py",
)
#: The tests that should notice a fault, by the beginning of the file's path; the longest that fits counts.
AREAS: Dict[str, Tuple[str, ...]] = {
    "companion/": (*TOP, "tests/unit/common", "tests/unit/editor", "tests/unit/endpoint"),
    "companion/actions.py": (*TOP, "tests/unit/endpoint", "editor:test_*s.py"),
    "companion/agents/": ("tests/unit/agents", "tests/unit/discovery", "tests/unit/endpoint"),
    "companion/common/": (
        "tests/unit/common",
        "tests/unit/context",
        "tests/unit/endpoint",
        "tests/unit/test_log.py",
        "tests/unit/test_runtime.py",
        "tests/unit/hostile/common",
    ),
    "companion/comments/": (
        "tests/unit/comments",
        "editor:test_comments.py",
        "editor:test_on_the_page.py",
        "editor:test_sending.py",
    ),
    "companion/comparison/": ("tests/unit/comparison",),
    "companion/page/": ("tests/unit/page", "editor:test_review_page.py"),
    "companion/remotes/": ("tests/unit/remotes",),
    "companion/hooking/": ("tests/unit/hooking", "editor:test_agent_hooks.py"),
    "companion/context/": ("tests/unit/context", "editor:test_context_*.py"),
    "companion/diagnosis/": ("tests/unit/diagnosis", "editor:test_diagnose.py"),
    "companion/discovery/": ("tests/unit/discovery", "tests/unit/hostile/discovery/test_workspace_boundary.py"),
    "companion/editor/": ("tests/unit/editor", "tests/unit/context", "editor:test_review_*.py", "editor:test_log.py"),
    "companion/endpoint/": (
        "tests/unit/endpoint",
        "tests/unit/hostile/common/test_display_names.py",
        "tests/unit/hostile/endpoint",
        "editor:test_*s.py",
        "editor:test_log.py",
    ),
    "companion/endpoint/changes.py": ("editor:test_unreviewed_*.py",),
    "companion/protocol/": ("tests/unit/protocol", "tests/unit/transport"),
    "companion/review/commands.py": ("editor:test_review_h*.py", "editor:test_unreviewed_*.py"),
    "companion/review/": ("tests/unit/review", "tests/unit/hostile/review", "editor:test_review_*.py"),
    "companion/system/": (
        "tests/unit/system",
        "tests/unit/agents",
        "tests/unit/diagnosis",
        "tests/unit/discovery",
        "tests/unit/review",
        "tests/unit/terminals",
        "tests/unit/transport",
    ),
    "companion/terminals/": ("tests/unit/terminals", "editor:test_terminal*.py"),
    "companion/transport/": ("tests/unit/transport", "tests/unit/hostile"),
    "companion/unreviewed/": ("tests/unit/unreviewed", "editor:test_unreviewed_*.py"),
    # What is no Python: the keymap, menus, settings and their schema.
    "": (
        "tests/unit/project/test_resources.py",
        "tests/unit/test_project_settings.py",
        "tests/unit/test_settings.py",
        "tests/unit/tools/release/test_library_table.py",
        "tests/unit/tools/release/test_packing.py",
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Plants faults and says which of them no test notices.")
    parser.add_argument("files", nargs="*", help="files of the package, or the beginnings of their paths")
    parser.add_argument("--since", help="the commit since which lines count (default: HEAD~1; all of named files)")
    parser.add_argument("--sample", type=int, help="this many faults, chosen by the date, from the whole package")
    parser.add_argument("--jobs", type=int, default=2, help="how many copies of the tree work at a time (default: 2)")
    parser.add_argument("--list", action="store_true", help="print the faults and run nothing")
    parser.add_argument("--python", help="the executable of an environment to test with (default: Python 3.8's)")
    options = parser.parse_args()
    by_hand = hand_made.listed(cache.read_text(LIST) or "", read)
    if options.sample:
        faults = sample([fault for path in package() for fault in made(path)], options.sample)
    else:
        faults, paths = chosen(tuple(options.files), options.since)
        by_hand = [fault for fault in by_hand if fault.path in paths]
    if options.list:
        print("\n".join(map(str, [*faults, *by_hand])) + f"\n{len(faults)} made, {len(by_hand)} listed by hand")
        return 0
    python = os.path.abspath(options.python) if options.python else pythons.environment(_python())
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        work = copies.Copies(folder, python, max(1, options.jobs))
        require_passing(work, [*faults, *by_hand])
        outcomes = [outcome.noticed for outcome in work.run([(fault, tests_of(fault.path)) for fault in faults])]
        listed = [outcome.noticed for outcome in work.run([(fault, tests_of(fault.path)) for fault in by_hand])]
    return report(faults, outcomes, by_hand, listed)


def chosen(names: Tuple[str, ...], since: Optional[str]) -> Tuple[List[Fault], List[str]]:
    """The faults to plant, and the files that they are in: those whose paths begin with one of `names`, or all."""
    if names and since is None:
        paths = [path for path in package() if path.startswith(names)]
        return [fault for path in paths for fault in made(path)], paths
    lines = changed_lines(since or "HEAD~1")
    paths = [path for path in lines if path.startswith(names or "")]
    return [fault for path in paths for fault in made(path) if fault.line in lines[path]], paths


def package() -> List[str]:
    """The modules of the package."""
    return [path for path in copies.tree() if path.startswith("companion/") and path.endswith(".py")]


def read(path: str) -> str:
    """The text of a file of the tree; empty if there is none."""
    return cache.read_text(os.path.join(ROOT, *path.split("/"))) or ""


def made(path: str) -> List[Fault]:
    return faults_of(path, read(path))


def sample(faults: List[Fault], count: int) -> List[Fault]:
    """`count` of the faults: the same on one day, others on the next."""
    today = datetime.datetime.now(datetime.timezone.utc).toordinal()
    chosen = random.Random(today).sample(range(len(faults)), min(count, len(faults)))
    return [faults[index] for index in sorted(chosen)]


def changed_lines(since: str) -> Dict[str, Set[int]]:
    """The numbers of the package's lines that have been added since a commit, by file."""
    command = ["git", "diff", "--no-color", "--unified=0", "--no-prefix", since, "--", "companion"]
    lines: Dict[str, Set[int]] = {}
    path = ""
    for line in subprocess.check_output(command, cwd=ROOT, universal_newlines=True, encoding="utf-8").splitlines():
        if line.startswith("+++ "):
            path = line[4:]
        hunk = _HUNK.match(line)
        if hunk and path.endswith(".py"):
            first, count = int(hunk.group(1)), int(hunk.group(2) or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return lines


def tests_of(path: str) -> Tuple[str, ...]:
    """The tests that should notice a fault in this file."""
    return AREAS[max((area for area in AREAS if path.startswith(area)), key=len)]


def require_passing(work: copies.Copies, faults: Sequence[Fault]) -> None:
    """Raises `SetupError` if tests fail without a fault."""
    selections = sorted({tests_of(fault.path) for fault in faults})
    cache.say(f"{len(faults)} faults; first {len(selections)} selections of tests without any")
    for selection, outcome in zip(selections, work.run([(None, each) for each in selections])):
        if outcome.noticed:
            raise cache.SetupError(f"{outcome.output[-3000:]}\nFails without a fault: {' '.join(selection)}")


def report(faults: List[Fault], outcomes: List[bool], by_hand: List[Fault], listed: List[bool]) -> int:
    """Prints the survivors and the counts; the exit code is 0 if enough of the faults were noticed, and all by hand."""
    for fault, noticed in zip([*faults, *by_hand], [*outcomes, *listed]):
        if not noticed:
            print(f"survived: {fault}")
    share: Optional[float] = sum(outcomes) / len(outcomes) if outcomes else None
    said = f" ({share:.1%})" if share is not None else ""
    print(f"made by rules: {sum(outcomes)} of {len(faults)} noticed{said}; by hand: {sum(listed)} of {len(by_hand)}")
    if not faults and not by_hand:
        return 1  # nothing was tried
    return 0 if (share is None or share >= TARGET) and all(listed) else 1


def _python() -> pythons.Python:
    found = pythons.find_all()
    return found.get((3, 8)) or pythons.newest()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (hand_made.ListError, cache.SetupError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
