"""Writes a file again and again, and is killed at each of its steps; says what was left, before and after a new start.

A step is a call of the system by the module `os`; a first run, which lives, finds out which there are. What writes
bytes is killed once more in its midst. Run as a program of one thread, because it forks: `killed.py FOLDER WAY` prints
JSON, a line for each death. A run that is not for everything dies at a sample of the steps (`support/everything.py`).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from companion.review.document import disk, file_replacement
from companion.review.document.journal import Note, PlannedWrite, recover
from companion.system import files
from companion.system.files import Stamp
from tests.support.everything import sample

OLD, LONGER, SHORTER = b"old text\n" * 4, b"the new text\n" * 5, b"new\n"
#: So many points at least lie in the midst of the file, and so many after the last step: each sample has one of them.
ONE_IN = 3
HARMLESS = {"fspath", "getpid", "kill", "fork", "_exit", "waitpid", "urandom", "geteuid", "strerror", "fsencode"}


class Tracer:
    """Notes the calls of the system, and kills this process before one of them, or in the midst of it."""

    def __init__(self, kill_at: int = -1, halfway: bool = False) -> None:
        self.steps: List[str] = []
        self._kill_at, self._halfway = kill_at, halfway
        for name, call in list(vars(os).items()):
            if isinstance(call, types.BuiltinFunctionType) and name not in HARMLESS:
                setattr(os, name, self._traced(name, call))

    def _traced(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def traced(*arguments: Any, **options: Any) -> Any:
            if len(self.steps) == self._kill_at:
                if self._halfway:
                    call(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            self.steps.append(name)
            return call(*arguments, **options)

        return traced


def no_links(*arguments: Any, **options: Any) -> None:
    raise PermissionError(1, "Operation not permitted")


def prepare(folder: Path, way: str, storage: str) -> Path:
    """A project in which the file is to be written in this way."""
    project = folder / "project"
    project.mkdir()
    if way.startswith("create"):
        return project / "new" / "folders" / "file.txt"
    path = project / "file.txt"
    path.write_bytes(OLD)
    if way == "recovery":
        entry = PlannedWrite(
            str(path), str(project / ".beside"), identity=Stamp.of(path.stat()).file, old=OLD, new=LONGER
        )
        Note(storage, entry).leave()
        (project / ".beside").write_bytes(OLD)
        with open(str(path), "r+b") as file:
            file.write(LONGER[: len(OLD) // 2])
    if "linked" in way:
        os.link(str(path), str(project / "other name"))
    return path


def picture(folder: Path) -> Dict[str, Optional[str]]:
    """All that is there: the contents of files, None for folders."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes().decode("latin-1")
        for path in sorted(folder.rglob("*"))
    }


def write(path: Path, way: str, storage: str) -> None:
    if way == "recovery":
        recover(storage, lambda: False)
        return
    if way == "create without links":
        os.link = no_links  # type: ignore[assignment]
    if way == "rewrite in a closed folder":
        file_replacement.new_file = no_links  # type: ignore[assignment]
    if way.endswith("kept text"):
        kept = files.make(storage, ".json", LONGER)
        disk.write(disk.read(str(path), disk.ReadLimits(10**6, 10**4)), LONGER, storage)
        kept.remove()
        return
    new = SHORTER if way == "rewrite by a shorter text" else LONGER
    disk.write(disk.read(str(path), disk.ReadLimits(10**6, 10**4)), new, storage)


def in_child(do: Callable[[], List[str]]) -> List[str]:
    """What `do` gives in a process of its own; nothing if that is killed."""
    reading, writing = os.pipe()
    child, tell = os.fork(), os.write
    if not child:
        try:
            tell(writing, json.dumps(do()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading, "rb") as file:
        told = file.read()
    return json.loads(told.decode()) if told else []


def attempt(folder: Path, way: str, kill_at: int = -1, halfway: bool = False) -> List[str]:
    """Write, and start again. Gives the steps of a write that lived."""
    storage = str(folder / "Package Storage" / "Gemini Companion")
    os.makedirs(os.path.dirname(storage))
    path = prepare(folder, way, storage)

    def do() -> List[str]:
        tracer = Tracer(kill_at, halfway)
        write(path, way, storage)
        return tracer.steps

    steps = in_child(do)
    before = picture(folder)
    said = recover(storage, lambda: False)
    if not steps:
        print(json.dumps({"step": kill_at, "before": before, "after": picture(folder), "said": said}))
    return steps


def main() -> None:
    """Once to find out what the steps are, and once for each of them, or each of a sample."""
    folder, way = Path(sys.argv[1]), sys.argv[2]
    steps = enumerate(attempt(folder / "alive", way))
    points = [
        (number, halfway) for number, name in steps for halfway in ([False, True] if name == "write" else [False])
    ]
    for number, halfway in sample(points, ONE_IN):
        attempt(folder / f"{number}{' halfway' * halfway}", way, number, halfway)


if __name__ == "__main__":
    main()
