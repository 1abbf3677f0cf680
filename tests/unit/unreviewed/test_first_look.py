"""Tests what a program writes before the first look at a folder has ended, when what was there is not known."""

from __future__ import annotations

import os

import pytest

from companion.unreviewed.evidence import PERHAPS, Doer, OpenCall
from companion.unreviewed.reading import Reader
from companion.unreviewed.schedule import INTERVAL_SECONDS
from tests.support.at_once import AtOnce

CALL = OpenCall(Doer("Codex CLI", "go on"))


class Gate(AtOnce):
    """A runtime whose disk threads are held until the gate is opened."""

    def __init__(self):
        super().__init__()
        self.held = []
        self.is_open = False

    def use_disk(self, function, *args, then, failed=None):
        if self.is_open:
            super().use_disk(function, *args, then=then, failed=failed)
        else:
            self.held.append((function, args, then))

    def open(self):
        self.is_open = True
        while self.held:
            function, args, then = self.held.pop(0)
            self.use_disk(function, *args, then=then)


@pytest.fixture
def runtime():
    made = Gate()
    yield made
    made.loop.close()


def write_later(project, **files):
    """Write files, with time stamps that are later than now: those of the disk are a little late."""
    mark = project.folder.parent / "mark"
    mark.write_bytes(b"")
    began = mark.stat().st_mtime_ns
    while mark.stat().st_mtime_ns == began:  # for the clock of a file system, some milliseconds at the most
        mark.write_bytes(b"")
    project.write(**files)


def outside(tracking):
    return {change.path: change for change in tracking.lists(1).outside}


@pytest.fixture
def slow(project, tracking, runtime, rules):
    """A folder whose first look has been asked for and is held; one file in it is not committed."""
    project.write(a_txt=b"before\n", gone_txt=b"before\n")
    if project.with_git:
        project.commit()
    project.write(b_txt=b"before\n")
    project.released = []
    project.tracking = tracking
    return project


@pytest.mark.parametrize("by", ["the look", "the main thread"])
def test_what_a_call_writes_before_the_first_look_ends_is_listed_apart(slow, tracking, runtime, rules, by):
    tracking.track(1, [str(slow.folder)], rules, tracked=by == "the look")
    tracking.only_hooked(1, True)
    tracking.call_begins(1, "call", CALL, lambda: slow.released.append("begins"))
    write_later(slow, a_txt=b"program\n", b_txt=b"program\n", new_txt=b"program\n")
    tracking.call_ended(1, "call", lambda: slow.released.append("ended"))
    if by == "the main thread":  # which has not known of the program until now
        tracking.track(1, [str(slow.folder)], rules, tracked=True)
    runtime.open()
    assert sorted(slow.released) == ["begins", "ended"]
    assert sorted(outside(tracking)) == ["a.txt", "b.txt", "new.txt"]
    for change in outside(tracking).values():
        assert change.origin == PERHAPS
        assert "what it held before is not kept" in change.obstacle
    assert tracking.lists(1).changes == ()


def test_it_is_held_until_the_first_look_has_ended(slow, tracking, runtime, rules):
    tracking.track(1, [str(slow.folder)], rules, tracked=True)
    tracking.call_begins(1, "call", CALL, lambda: slow.released.append("begins"))
    assert slow.released == []
    runtime.open()
    assert slow.released == ["begins"]
    slow.write(a_txt=b"program\n")
    tracking.call_ended(1, "call", lambda: None)
    (change,) = tracking.lists(1).changes
    assert (change.path, change.origin[:2]) == ("a.txt", CALL.doer)


def test_what_is_written_while_the_first_look_reads_is_listed(slow, tracking, runtime, rules, monkeypatch):
    """A turn begins with a look, which may be the first one."""
    original = Reader.read_changed

    def look(*arguments):
        monkeypatch.setattr(Reader, "read_changed", original)
        tracking.call_begins(1, "call", CALL, lambda: None)
        write_later(slow, a_txt=b"program\n")
        return original(*arguments)

    monkeypatch.setattr(Reader, "read_changed", look)
    tracking.track(1, [str(slow.folder)], rules, tracked=True)
    tracking.begin_turn(1)
    runtime.open()
    assert sorted(outside(tracking)) == ["a.txt"]


def test_what_a_first_call_deletes_is_listed_where_git_knows_of_it(slow, tracking, runtime, rules):
    tracking.track(1, [str(slow.folder)], rules, tracked=True)
    tracking.call_begins(1, "call", CALL, lambda: None)
    write_later(slow, gone_txt=None)
    runtime.open()
    assert sorted(outside(tracking)) == (["gone.txt"] if slow.with_git else [])


def test_what_was_there_before_is_not_listed_and_neither_is_a_save(slow, tracking, runtime, rules, tabs):
    tracking.track(1, [str(slow.folder)], rules, tracked=False)
    runtime.open()
    runtime.is_open = False
    tracking.track(1, [str(slow.folder)], rules, tracked=True)
    tracking.call_begins(1, "call", CALL, lambda: None)
    tracking.saves.begin(str(slow.folder / "b.txt"))
    write_later(slow, b_txt=b"mine\n")
    runtime.open()
    assert (tracking.lists(1).changes, tracking.lists(1).outside) == ((), ())


def test_what_is_written_later_is_listed_as_always(slow, tracking, runtime, rules):
    tracking.track(1, [str(slow.folder)], rules, tracked=True)
    tracking.call_begins(1, "call", CALL, lambda: None)
    write_later(slow, a_txt=b"program\n")
    runtime.open()
    tracking.call_ended(1, "call", lambda: None)
    assert sorted(outside(tracking)) == ["a.txt"]
    tracking.call_begins(1, "later", CALL, lambda: None)
    slow.write(b_txt=b"program\n")
    tracking.call_ended(1, "later", lambda: None)
    runtime.step(INTERVAL_SECONDS)
    assert [change.path for change in tracking.lists(1).changes] == ["b.txt"]
    tracking.track(1, [str(slow.folder)], rules, tracked=False)
    os.utime(str(slow.folder / "gone.txt"))
    tracking.track(1, [str(slow.folder)], rules, tracked=True)  # what the user has written meanwhile is his
    assert sorted(outside(tracking)) == ["a.txt"]
