"""A process that is killed while it writes leaves the old text or the new one, and nothing else after a new start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from killed import LONGER, OLD, SHORTER

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed in many places by forking it")

PROGRAM = Path(__file__).with_name("killed.py")
PUT_BACK = "file.txt was being written when the editor ended: it has its former text again"
EMPTY: Dict[str, Any] = {"project": None, "Package Storage": None}
FOLDERS = {"project/new": None, "project/new/folders": None}


def deaths(folder: Path, way: str) -> List[Dict[str, Any]]:
    """What was left at each step."""
    run = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder), way], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )
    assert run.returncode == 0, run.stderr.decode()
    return [json.loads(line) for line in run.stdout.decode().splitlines()]


def ends(way: str) -> List[Dict[str, Any]]:
    """What may be there in the end: as if nothing had been written, or all of it."""
    new = (SHORTER if "shorter" in way else LONGER).decode()
    if way.startswith("create"):
        return [EMPTY, {**EMPTY, **FOLDERS, "project/new/folders/file.txt": new}]
    names = ["project/file.txt"] + (["project/other name"] if "linked" in way else [])
    return [{**EMPTY, **dict.fromkeys(names, text)} for text in (OLD.decode(), new)]


@pytest.mark.parametrize(
    "way",
    [
        "rewrite by a longer text",
        "rewrite a linked file",
        "rewrite by a shorter text",
        "rewrite in a closed folder",
        "create",
        "create without links",
    ],
)
def test_whenever_it_is_killed_the_file_is_whole_after_the_next_start(tmp_path: Path, way: str) -> None:
    found, whole = deaths(tmp_path, way), ends(way)
    assert [death for death in found if death["after"] not in whole] == []
    # It was killed before the write, in the midst of it, and afterwards.
    assert [death["after"] for death in found].count(whole[0]) > 5
    assert found[-1]["after"] == whole[1]
    assert [death for death in found if death["before"] not in whole]
    torn = [death for death in found if death["said"]]
    assert [death["said"] for death in torn] == [[PUT_BACK]] * len(torn)
    assert bool(torn) == way.startswith("rewrite")
    print(f"{len(found)} deaths, {len(torn)} of them in the midst of the file")


def test_a_new_start_that_is_killed_too_is_made_up_for_by_the_next_one(tmp_path: Path) -> None:
    found, (old, _) = deaths(tmp_path, "recovery"), ends("recovery")
    assert [death for death in found if death["after"] != old] == []
    assert len([death for death in found if death["said"] == [PUT_BACK]]) > 2


@pytest.mark.parametrize("way", ["rewrite by a kept text", "create by a kept text"])
def test_a_text_that_is_kept_is_there_until_it_is_in_its_file(tmp_path: Path, way: str) -> None:
    old, new = ends(way)
    states = []
    for death in deaths(tmp_path, way):
        kept = [name for name in death["after"] if name.endswith(".json")]
        assert [death["after"][name] for name in kept] in ([], [LONGER.decode()])
        rest = {name: text for name, text in death["after"].items() if "Gemini Companion" not in name}
        states.append(("new" if rest == new else "old" if rest == old else "neither", bool(kept)))
    order = [("old", False), ("old", True), ("new", True), ("new", False)]
    assert states == sorted(states, key=order.index)
    assert set(states) == set(order)
