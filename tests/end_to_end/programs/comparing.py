"""What a real program writes, beside what we say it will."""

from __future__ import annotations

from pathlib import Path

from tests.clients.programs.headless import HEADLESS, held, laid_out, make_calls, told_of
from tests.clients.programs.model_stub import CallTool
from tests.support.changes import made_changes
from tests.support.everything import is_everything
from tests.unit.agents.test_written_texts import PATCHED, RECORDED, patch, patched, patches_at_random, proposed

STARTS, AT_RANDOM = (8, 250) if is_everything() else (1, 60)


def assert_written_as_said(key: str, folder: Path) -> None:
    """Have the program of this key make the recorded changes, and others at random, in few starts."""
    writes, said = HEADLESS[key].writes, []
    for start in range(STARTS):
        below = folder / str(start)
        below.mkdir()
        recorded = [] if start else RECORDED
        changes = [*(row.change for row in recorded), *made_changes(start, AT_RANDOM)]
        written = make_calls(HEADLESS[key], str(below), changes)
        for row, each in zip(recorded, written):
            assert each.after == row.left(key), (each, "is recorded otherwise")
        changed = [each for each in written if each.told is not None and each.after != each.change.before]
        for each in changed:
            said.append(proposed(writes, each.told, each.change.before))
            assert said[-1] in (None, each.after), (each, said[-1])
        assert not [each for each in written if each.told is None and each.after != each.change.before]
    assert said.count(None) < len(said) // 4, "most of what a program writes is known before"


def assert_patched_as_said(folder: Path) -> None:
    """Have Copilot CLI apply the recorded patches, and others at random."""
    for start in range(STARTS):
        below = folder / str(start)
        made = [*((before, body) for before, body, _after, _known in PATCHED), *patches_at_random(start, AT_RANDOM)]
        paths = laid_out(str(below), [before for before, _body in made])
        calls = [CallTool("apply_patch", {"input": patch(body, path)}) for path, (_before, body) in zip(paths, made)]
        assert len(told_of(HEADLESS["copilot-gpt"], str(below), calls)) == len(calls)
        for path, (_before, body, after, _known) in zip(paths, PATCHED):
            assert held(path) == after, (body, "is recorded otherwise")
        known = 0
        for path, (before, body) in zip(paths, made):
            text, is_known = patched(patch(body), before)
            assert not is_known or held(path) in (text, before), (before, body, text)
            known += is_known
        assert known > len(made) // 3, "some of what it writes is known before"
