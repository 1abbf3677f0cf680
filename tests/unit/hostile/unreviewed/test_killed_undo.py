"""A process that is killed while it undoes or restores leaves nothing that cannot be restored, listed and undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed in many places by forking it")

PROGRAM = Path(__file__).with_name("killed_undo.py")
USER = {"a.txt": "user\n640", "gone.txt": "gone\n644", "old.txt": "the same\n644"}
AGENT = {"a.txt": "user and agent\n600", "moved.txt": "the same\n644", "new.txt": "new\n644"}


@pytest.mark.parametrize("way", ["undo", "restore"])
def test_whenever_it_is_killed_all_can_be_restored_and_undone(tmp_path, way):
    run = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path / "work"), way],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    deaths = [json.loads(line) for line in run.stdout.decode().splitlines()]
    assert [death for death in deaths if death["undone"] != USER] == []
    assert [death for death in deaths if death["restored"] != AGENT] == []
    assert len(deaths) > 10
    assert {json.dumps(death["left"]) for death in deaths} >= {json.dumps(USER), json.dumps(AGENT)}
