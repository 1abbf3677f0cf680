"""What a program has written in its last turn, told from what it has written earlier, and undone by itself."""

from __future__ import annotations

import pytest

from companion.unreviewed.model import ChangeScope
from companion.unreviewed.texts import hunks_between

BEFORE = b"1\n2\n3\n4\n5\n"


@pytest.fixture
def turns(project):
    """A program has written in one turn, and another one begins."""
    project.write(a_txt=BEFORE)
    project.begin()
    project.write(a_txt=BEFORE.replace(b"1", b"one"))
    project.look()
    project.workspace.begin_turn()
    return project


def undo_last_turn(project):
    changes = project.workspace.model.changes(ChangeScope.LAST_TURN)
    assert project.undo_these(changes) == []
    return [change.path for change in changes]


def test_the_last_turn_is_undone_and_the_earlier_one_stays(turns):
    assert turns.workspace.model.changes(ChangeScope.LAST_TURN) == []
    turns.write(a_txt=BEFORE.replace(b"1", b"one").replace(b"5", b"five"))
    turns.look()
    assert undo_last_turn(turns) == ["a.txt"]
    assert turns.read("a.txt") == BEFORE.replace(b"1", b"one")
    assert turns.before("a.txt") == BEFORE


def test_what_the_user_saved_meanwhile_stays_when_the_last_turn_is_undone(turns):
    now = BEFORE.replace(b"1", b"one").replace(b"5", b"five")
    turns.write(a_txt=now)
    turns.look()
    turns.save(a_txt=now.replace(b"3", b"mine"))
    turns.look()
    assert undo_last_turn(turns) == ["a.txt"]
    assert turns.read("a.txt") == BEFORE.replace(b"1", b"one").replace(b"3", b"mine")


@pytest.mark.parametrize("by_undo", [True, False])
def test_undoing_the_last_turn_does_not_bring_back_what_the_user_discarded(turns, by_undo):
    if by_undo:
        assert turns.undo() == []
    else:
        turns.write(a_txt=BEFORE)  # with git, say
    assert turns.look() == {}
    turns.write(a_txt=BEFORE.replace(b"5", b"five"))
    turns.look()
    assert undo_last_turn(turns) == ["a.txt"]
    assert turns.read("a.txt") == BEFORE


def test_undoing_the_last_turn_does_not_bring_back_an_earlier_undone_hunk(turns):
    now = BEFORE.replace(b"1", b"one").replace(b"5", b"five")
    turns.write(a_txt=now)
    turns.look()
    assert turns.undo_these(turns.workspace.model.changes(), hunks=hunks_between(BEFORE, now)[:1]) == []
    assert turns.read("a.txt") == BEFORE.replace(b"5", b"five")
    assert undo_last_turn(turns) == ["a.txt"]
    assert turns.read("a.txt") == BEFORE


def test_what_was_kept_and_is_written_again_is_of_the_last_turn(turns):
    change = turns.listed()["a.txt"]
    turns.workspace.keep("a.txt", change.before, change.now)
    kept = turns.read("a.txt")
    turns.write(a_txt=kept + b"more\n")
    turns.look()
    assert undo_last_turn(turns) == ["a.txt"]
    assert (turns.read("a.txt"), turns.look()) == (kept, {})
