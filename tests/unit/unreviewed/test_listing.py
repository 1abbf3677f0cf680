"""What the list says of each change, also where it was counted before."""

from __future__ import annotations

import os
import time
from codecs import BOM_UTF8

import pytest

from companion.comparison import Hunk
from companion.unreviewed.content import NOTHING, UNKNOWN, Content
from companion.unreviewed.listing import Listing
from companion.unreviewed.model import ChangeKind, Model
from companion.unreviewed.texts import change_item, hunks_between


def test_lines_are_counted_anew_once_either_side_is_another(project):
    def counts():
        project.workspace.look(lambda: False)
        (change,) = listing.lists().changes
        return change.added, change.removed

    project.write(a_txt=b"1\n2\n3\n4\n5\n")
    listing = Listing(project.begin())
    project.write(a_txt=b"agent\n2\n3\n4\n5\n")
    assert counts() == (1, 1)
    project.write(a_txt=b"agent\n2\nagent\nagent\n4\n5\n")
    assert counts() == (3, 2)
    shown, hunks = project.listed()["a.txt"], hunks_between(project.before("a.txt"), project.read("a.txt"))
    project.workspace.keep("a.txt", shown.before, shown.now, hunks[:1])
    assert counts() == (2, 1)


CRLF = b"".join(b"line %d\r\n" % number for number in range(1, 21))
LF = CRLF.replace(b"\r\n", b"\n")


@pytest.mark.parametrize(
    ("before", "now", "counts", "said"),
    [
        (LF, CRLF.replace(b"line 7\r", b"agent\r"), (1, 1), "All 20 line ends change: LF \u2192 CRLF."),
        (CRLF, LF, (0, 0), "All 20 line ends change: CRLF \u2192 LF."),
        (BOM_UTF8 + LF, LF + b"more\n", (1, 0), "The byte order mark goes."),
        (LF, BOM_UTF8 + LF, (0, 0), "A byte order mark comes."),
        (LF + b"\xe9\n", LF + b"\xc3\xa9\nmore\n", (1, 0), "Windows 1252 \u2192 UTF-8."),
        (LF.decode().encode("utf-16"), LF + b"more\n", (1, 0), "UTF-16 LE \u2192 UTF-8."),
        (LF, LF + b"more\n", (1, 0), ""),
    ],
)
def test_a_change_of_the_whole_file_is_said_and_counts_no_line(project, before, now, counts, said):
    project.write(a_txt=before)
    project.begin()
    project.write(a_txt=now)
    change = project.look()["a.txt"]
    assert (change.added, change.removed) == counts
    assert change_item(change)[0] == said


def test_it_is_said_still_once_all_that_is_visible_is_kept(project):
    project.write(a_txt=LF)
    project.begin()
    project.write(a_txt=CRLF.replace(b"line 7\r", b"agent\r"))
    change = project.look()["a.txt"]
    project.workspace.keep("a.txt", change.before, change.now, [Hunk(6, 7, 6, 7)])
    assert project.before("a.txt") == LF.replace(b"line 7\n", b"agent\n")
    change = project.look()["a.txt"]
    assert (change.added, change.removed, change.whole_file) == (0, 0, ("All 20 line ends change: LF \u2192 CRLF.",))
    assert project.undo() == []
    assert project.read("a.txt") == LF.replace(b"line 7\n", b"agent\n")


def test_files_come_in_the_order_in_which_they_were_changed_first(project):
    """Those that one look finds by the time on the disk; one that is changed again keeps its place."""
    project.begin()
    names = ["x.txt", "new.txt", "z.txt", "y.txt"]
    project.write(x_txt=b"1\n", new_txt=b"1\n", z_txt=b"1\n", y_txt=b"1\n")
    for seconds, name in enumerate(names, 100):
        os.utime(project.folder / name, (time.time() + seconds, time.time() + seconds))
    project.look()
    project.write(a_txt=b"1\n")
    project.look()
    project.write(x_txt=b"2\n")
    assert list(project.look()) == [*names, "a.txt"]


def test_two_files_of_which_nobody_knows_what_they_hold_are_no_rename():
    model = Model()
    model.learn("old.bin", UNKNOWN, NOTHING)
    model.learn("new.bin", NOTHING, UNKNOWN)
    assert {change.path: change.kind for change in model.changes()} == {
        "old.bin": ChangeKind.DELETED,
        "new.bin": ChangeKind.NEW,
    }


def test_a_copy_of_a_file_that_has_changed_since_is_no_rename():
    model, former = Model(), Content("1a", 0o644, 1)
    model.learn("old.txt", former, Content("2b", 0o644, 1))
    model.learn("new.txt", NOTHING, former)
    assert {change.path: change.kind for change in model.changes()} == {
        "old.txt": ChangeKind.CHANGED,
        "new.txt": ChangeKind.NEW,
    }
