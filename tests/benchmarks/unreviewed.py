"""What looking for unreviewed changes costs: the first look at a folder, and a later one, by the number of files; and
for how long a program is held that waits for one before it calls a tool.

    python tests/benchmarks/unreviewed.py [--json]

Counted is time of the processor, in git's process included, and for the last the time that passes. A tenth of the files
is not committed, a hundredth has changed since.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, List, Tuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from ratio import Measurement, show, summary  # noqa: E402

from companion.system.platform import Platform  # noqa: E402
from companion.unreviewed.git import Repository, find_git  # noqa: E402
from companion.unreviewed.store import Store  # noqa: E402
from companion.unreviewed.workspace import Workspace  # noqa: E402

TARGETS = {1000: (0.25, 0.02), 10_000: (1.25, 0.05), 50_000: (5.0, 0.15)}
"""Seconds that the first look and a later one may take, by the number of files."""
HELD_TARGET = 0.3
FILES_PER_FOLDER = 50
LONG_AGO = 10.0  # seconds: a file that was written just now is read twice
TURNS = 5


def never() -> bool:
    """Nobody cancels."""
    return False


def fill(folder: str, count: int, with_git: bool) -> None:
    """So many files, and a repository with most of them."""
    past = time.time() - LONG_AGO
    for start in range(0, count, FILES_PER_FOLDER):
        place = os.path.join(folder, f"part{start // 5000}", f"folder{start // FILES_PER_FOLDER}")
        os.makedirs(place)
        for number in range(start, min(count, start + FILES_PER_FOLDER)):
            write(os.path.join(place, f"file{number}.py"), number, past)
    if with_git:
        git(folder, "init", "-q")
        exclude = os.path.join(folder, ".git", "info", "exclude")
        write(exclude, 0, past, "*7.py\n")
        git(folder, "add", "-A")
        git(folder, "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "first")
        write(exclude, 0, past, "")
    for start in range(0, count, 100):
        place = os.path.join(folder, f"part{start // 5000}", f"folder{start // FILES_PER_FOLDER}")
        write(os.path.join(place, f"file{start}.py"), start, past, "value = 2\n")


def write(path: str, number: int, modified: float, text: str = "value = 1\n" * 100) -> None:
    """Make a file that is not new."""
    with open(path, "w", encoding="ascii") as file:
        file.write(f"# {number}\n{text}" if path.endswith(".py") else text)
    os.utime(path, (modified, modified))


def git(folder: str, *command: str) -> None:
    """Run git."""
    subprocess.run(["git", *command], cwd=folder, check=True)


def cost(action: Callable[[], object]) -> float:
    """Seconds of a processor, with those of processes that were started and have ended."""
    before = os.times()
    action()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


def passed(action: Callable[[], object]) -> float:
    """Seconds that pass meanwhile."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def measured(count: int, with_git: bool) -> Tuple[float, List[float], List[float]]:
    """What the first look at so many files costs, what later ones do, and how long a program is held."""
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(os.path.realpath(place), "project")
        os.mkdir(folder)
        fill(folder, count, with_git)
        repository = None
        if with_git:
            program = find_git(Platform.current(), [folder])
            if program is None:
                raise LookupError("git was not found")
            repository = Repository(program, folder, os.environ)
        workspace = Workspace(folder, Store(os.path.join(place, "store")), repository)
        first = cost(lambda: workspace.begin(never))
        settle(workspace)
        later = [cost(lambda: workspace.look(never)) for _ in range(TURNS)]
        if workspace.model.changes():
            raise AssertionError("nothing has changed")
        return first, later, [passed(lambda: workspace.look(never)) for _ in range(TURNS)]


def settle(workspace: Workspace) -> None:
    """The change times cannot be set: look until those of all files are long ago."""
    time.sleep(2.1)
    workspace.look(never)


def measurements() -> List[Measurement]:
    """All lines of the table."""
    found = []
    for count, (target, later_target) in TARGETS.items():
        for with_git in (True, False):
            first, later, held = measured(count, with_git)
            what = f"{count:,} files {'with' if with_git else 'without'} git"
            found.append(summary(f"first look at {what}", [first], target=target, unit="s"))
            found.append(summary(f"later look at {what}", later, target=later_target, unit="s"))
            found.append(summary(f"held for {what}", held, target=HELD_TARGET, unit="s"))
    return found


if __name__ == "__main__":
    sys.exit(show(measurements()))
