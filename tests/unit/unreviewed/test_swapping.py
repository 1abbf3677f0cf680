"""Files and folders that take each other's places: each byte comes back, and goes again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

Commands = List[Tuple[str, ...]]

ALL = ["d", "d/1", "d/2", "f", "f/1", "f/2"]
SWAPS: Dict[str, Tuple[Commands, List[str]]] = {
    "a file for a folder": ([("remove", "d"), ("write", "d")], ["d", "d/1", "d/2"]),
    "a folder for a file": ([("remove", "f"), ("write", "f/1"), ("write", "f/deep/2")], ["f", "f/1", "f/deep/2"]),
    "a file and a folder": (
        [("move", "f", "t"), ("move", "d", "f"), ("move", "t", "d")],
        ALL,
    ),
    "two files": ([("move", "f", "t"), ("move", "g", "f"), ("move", "t", "g")], ["f", "g"]),
    "a file of a folder for it": ([("move", "d/1", "t"), ("remove", "d"), ("move", "t", "d")], ["d", "d/1", "d/2"]),
    "a folder with a file for that": ([("move", "f", "t"), ("move", "t", "f/1")], ["f", "f/1"]),
    "another file for a folder": ([("remove", "d"), ("move", "f", "d")], ["d", "d/1", "d/2", "f"]),
    "a chain": ([("move", "g", "t"), ("move", "f", "g"), ("append", "g")], ["f", "g", "t"]),
}


def carry_out(folder: Path, commands: Commands) -> None:
    for what, name, *to in commands:
        path = folder / name
        if what == "move":
            (folder / to[0]).parent.mkdir(parents=True, exist_ok=True)
            path.rename(folder / to[0])
        elif what == "remove":
            shutil.rmtree(str(path)) if path.is_dir() else path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(str(path), "ab") as file:
                file.write(b"new " + os.fsencode(name) + b"\n")


def files(folder: Path) -> Dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("swap", sorted(SWAPS))
def test_what_has_taken_another_s_place_is_undone_and_brought_back(project, swap):
    commands, expected = SWAPS[swap]
    project.write(f=b"f\n", g=b"g\n", d__1=b"1\n", d__2=b"2\n")
    if project.with_git:
        project.commit()
    project.begin()
    before = files(project.folder)
    carry_out(project.folder, commands)
    now, listed = files(project.folder), project.look()
    assert sorted({*listed, *(change.old_path for change in listed.values() if change.old_path)}) == expected
    assert project.undo() == []
    assert files(project.folder) == before
    assert project.look() == {}
    assert project.restore() == []
    assert files(project.folder) == now
    assert set(project.look()) == set(listed)


def test_a_folder_with_a_file_that_is_not_known_is_left_where_a_file_was(project):
    project.write(f=b"f\n")
    project.begin()
    carry_out(project.folder, [("remove", "f"), ("write", "f/secret")])
    (project.folder / "f" / "empty").mkdir()
    project.look()
    assert [refusal.sentence for refusal in project.undo("f")] == ["f is there again."]
    assert (project.read("f/secret"), (project.folder / "f" / "empty").is_dir()) == (b"new f/secret\n", True)
