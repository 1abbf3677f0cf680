"""What the list says of each change, also where it was counted before."""

from __future__ import annotations

from companion.unreviewed.listing import Listing
from companion.unreviewed.model import NOTHING, UNKNOWN, ChangeKind, Model
from companion.unreviewed.texts import hunks_between


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


def test_two_files_of_which_nobody_knows_what_they_hold_are_no_rename():
    model = Model()
    model.learn("old.bin", UNKNOWN, NOTHING)
    model.learn("new.bin", NOTHING, UNKNOWN)
    assert {change.path: change.kind for change in model.changes()} == {
        "old.bin": ChangeKind.DELETED,
        "new.bin": ChangeKind.NEW,
    }
