"""Undoes and restores changes again and again, and is killed before each call that writes; says what can be done then.

A first run, which lives, finds out which calls there are. Run as a program of one thread, because it forks:
`killed_undo.py FOLDER undo|restore` prints JSON, a line for each death.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any, Callable, Dict

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from companion.review.document.journal import recover
from tests.support.everything import sample
from tests.unit.unreviewed.conftest import Project, never

WRITING = {"open", "write", "rename", "replace", "unlink", "link", "mkdir", "rmdir", "fchmod", "ftruncate", "utime"}


class WriteTracer:
    """Counts the calls of the system that write, and kills this process before one of them."""

    def __init__(self, kill_at: int) -> None:
        self.count = 0
        self._kill_at = kill_at
        for name in WRITING:
            call = getattr(os, name)
            if isinstance(call, types.BuiltinFunctionType):
                setattr(os, name, self._traced(name, call))

    def _traced(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def traced(*arguments: Any, **options: Any) -> Any:
            if name != "open" or arguments[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                if self.count == self._kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                self.count += 1
            return call(*arguments, **options)

        return traced


def prepare(folder: Path, way: str) -> Project:
    """A project in which an agent has changed, made, deleted and renamed a file."""
    folder.mkdir(parents=True)
    project = Project(folder, with_git=False)
    project.write(a_txt=b"user\n", gone_txt=b"gone\n", old_txt=b"the same\n")
    os.chmod(str(project.folder / "a.txt"), 0o640)
    project.begin()
    project.write(a_txt=b"user and agent\n", gone_txt=None, old_txt=None, moved_txt=b"the same\n", new_txt=b"new\n")
    os.chmod(str(project.folder / "a.txt"), 0o600)
    project.look()
    if way == "restore":
        project.undo()
    return project


def state(project: Project) -> Dict[str, str]:
    """What all files hold, with their permissions."""
    return {
        path.name: f"{path.read_text()}{path.stat().st_mode & 0o777:o}" for path in sorted(project.folder.iterdir())
    }


def attempt(folder: Path, way: str, kill_at: int = -1) -> int:
    """Do it, killed before that call, and start again. Gives the number of calls of one that lived."""
    project = prepare(folder, way)
    reading, writing = os.pipe()
    child, tell = os.fork(), os.write
    if not child:
        tracer = WriteTracer(kill_at)
        (project.undo if way == "undo" else project.restore)()
        tell(writing, str(tracer.count).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading, "rb") as file:
        told = file.read()
    project.workspace = None
    left = state(project)
    recover(str(project.storage), never)
    project.begin()
    refused = [refusal.sentence for refusal in project.restore()]
    restored = state(project)
    project.all_listed()
    refused += [refusal.sentence for refusal in project.undo()]
    print(json.dumps({"step": kill_at, "left": left, "restored": restored, "undone": state(project), "said": refused}))
    return int(told or b"0")


def main() -> None:
    """Once to find out what the calls are, and once for each of them, or each of a sample."""
    folder, way = Path(sys.argv[1]), sys.argv[2]
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    for number in sample(range(attempt(folder / "alive", way)), 5):
        attempt(folder / str(number), way, number)


if __name__ == "__main__":
    main()
