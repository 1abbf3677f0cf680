"""What a real program writes, beside what we say it will."""

from __future__ import annotations

from pathlib import Path
from typing import List

from tests.clients.programs.headless import HEADLESS, Written, make_calls
from tests.support.changes import made_changes
from tests.support.everything import is_everything
from tests.unit.agents.test_written_texts import RECORDED, proposed

COUNT = 2000 if is_everything() else 60


def assert_written_as_said(key: str, folder: Path) -> None:
    """Have the program of this key make the recorded changes, and others at random, in one start."""
    kind = HEADLESS[key]
    written = make_calls(kind, str(folder), [*(row.change for row in RECORDED), *made_changes(1, COUNT)])
    for row, each in zip(RECORDED, written):
        assert each.after == row.left(key), (each, "is recorded otherwise")
    told: List[Written] = [each for each in written if each.told is not None]
    shown = [(each, proposed(kind.writes, each.told, each.change.before)) for each in told if each.told]
    for each, text in shown:
        assert text in (None, each.after) or each.after == each.change.before, (each, text)
    changed = [text for each, text in shown if each.after != each.change.before]
    assert changed.count(None) < len(changed) // 4, "most of what a program writes is known before"
