"""What the user has kept, saved or accepted, and what a program writes beside it just afterwards."""

from __future__ import annotations

import os
from codecs import BOM_UTF8

import pytest

from companion.unreviewed import user_acts, workspace
from companion.unreviewed.content import UNKNOWN
from companion.unreviewed.texts import hunks_between


@pytest.mark.parametrize("hunk", [0, 1])
def test_a_file_that_was_shown_with_more_hunks_is_kept_as_it_was_shown(project, hunk):
    """In another window, whose list is not up to date yet."""
    before, now = b"1\n2\n3\n4\n5\n", b"one\n2\n3\n4\nfive\n"
    project.write(a_txt=before)
    project.begin()
    project.write(a_txt=now)
    change = project.look()["a.txt"]
    hunks = hunks_between(before, now)
    for some in ([hunks[hunk]], [hunks[1 - hunk]]):
        assert project.workspace.keep("a.txt", change.before, change.now, some)
    assert project.look() == {}
    project.write(a_txt=now + b"more\n")
    project.look()
    assert not project.workspace.keep("a.txt", change.before, change.now)
    assert project.before("a.txt") == now


def test_a_hunk_of_a_text_of_which_there_is_no_copy_is_not_kept(project):
    project.write(a_txt=b"1\n2\n")
    project.begin()
    project.write(a_txt=b"one\n2\n")
    change = project.look()["a.txt"]
    (hunk,) = hunks_between(b"1\n2\n", b"one\n2\n")
    assert not project.workspace.keep("a.txt", UNKNOWN, change.now, [hunk])
    assert set(project.look()) == {"a.txt"}


def test_a_file_whose_permissions_alone_have_changed_since_is_kept(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    change = project.look()["a.txt"]
    (project.folder / "a.txt").chmod(0o700)
    project.look()
    assert project.workspace.keep("a.txt", change.before, change.now)
    assert project.look() == {}


def test_a_look_while_a_tab_is_being_saved_is_in_nobody_s_way(project):
    """The clock of the disk may be another, and the file has gone for a moment."""
    project.write(a_txt=b"1\n2\n3\n")
    project.begin()
    project.saving("a.txt")
    project.write(a_txt=None)
    assert project.look() == {}
    project.write(a_txt=b"1\n2\nuser\n")
    os.utime(str(project.folder / "a.txt"), (1e9, 1e9))
    assert project.look() == {}
    project.saved("a.txt", b"1\n2\nuser\n")
    assert project.look() == {}


def test_a_file_that_goes_while_a_tab_cannot_be_saved_is_listed(project, later):
    """As with its folder: the editor tells of a save that begins, and never that it has failed."""
    project.write(a_txt=b"mine\n")
    project.begin()
    project.saving("a.txt")
    project.write(a_txt=None)
    assert project.look() == {}
    later(user_acts.SAVING_SECONDS)
    assert set(project.look()) == {"a.txt"}
    assert project.undo() == []
    assert project.read("a.txt") == b"mine\n"


@pytest.mark.parametrize(("mark", "ending"), [(b"", b"\n"), (b"", b"\r\n"), (BOM_UTF8, b"\n")])
def test_an_accepted_text_is_not_undone_with_what_a_program_writes_next(project, mark, ending):
    before, accepted = b"1\n2\n3\n4\n5\n6\n", b"1\n2\nmine\n3\n4\nfive\n6\n"
    now = accepted.replace(b"1\n", b"one\n")
    project.write(a_txt=mark + before.replace(b"\n", ending))
    project.begin()
    project.workspace.expect("a.txt", accepted)
    project.write(a_txt=mark + now.replace(b"\n", ending))  # before anybody has seen what was accepted there
    project.look()
    assert project.before("a.txt") == mark + accepted.replace(b"\n", ending)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (b"1\r\n2\r\n", b"1\nmine\n", "All 2 line ends change: CRLF \u2192 LF."),
        (BOM_UTF8 + b"1\n2\n", b"1\nmine\n", "The byte order mark goes."),
    ],
)
def test_a_format_that_was_to_be_kept_and_is_not_is_left_to_be_reviewed(project, before, now, said):
    """The program was taken for one that restores it."""
    agreed = before.replace(b"2", b"mine")
    for arrives, listed in ((agreed, []), (now, [(0, 0, (said,))])):
        project.write(a_txt=before)
        project.begin()
        project.workspace.expect("a.txt", b"1\nmine\n", lambda: agreed)
        project.write(a_txt=arrives)
        assert [(each.added, each.removed, each.whole_file) for each in project.look().values()] == listed
    assert project.before("a.txt") == agreed


def test_what_lacks_a_line_that_was_accepted_has_not_arrived(project):
    project.write(a_txt=b"1\n2\n3\n")
    project.begin()
    project.workspace.expect("a.txt", b"1\n2\nmine\n3\n")
    project.write(a_txt=b"1\n2\nother\n3\n")
    project.look()
    assert project.before("a.txt") == b"1\n2\n3\n"


def test_what_was_accepted_long_ago_is_not_expected_any_more(project, later):
    project.write(a_txt=b"before\n")
    project.begin()
    project.workspace.expect("a.txt", b"accepted\n")
    later(workspace.EXPECTED_SECONDS)
    project.write(a_txt=b"accepted\n")
    assert set(project.look()) == {"a.txt"}


def test_two_accepted_texts_arrive_one_after_the_other_or_at_once(project):
    first, second = b"1\nmine\n2\n3\n", b"1\nmine\n2\n3\nmine too\n"
    for seen in (first, second):
        project.write(a_txt=b"1\n2\n3\n")
        project.begin()
        project.workspace.expect("a.txt", first)
        project.workspace.expect("a.txt", second)
        project.write(a_txt=seen)
        project.look()
        project.write(a_txt=second)
        assert project.look() == {}


def test_once_a_later_text_has_arrived_an_accepted_one_is_not_expected(project):
    first, second = b"1\nmine\n2\n", b"1\n2\nmine too\n"
    project.write(a_txt=b"1\n2\n")
    project.begin()
    project.workspace.expect("a.txt", first)
    project.workspace.expect("a.txt", second)
    project.write(a_txt=second)
    assert project.look() == {}
    project.write(a_txt=first)
    assert set(project.look()) == {"a.txt"}
    assert project.before("a.txt") == second


def test_a_text_that_is_accepted_while_an_earlier_one_arrives_is_expected(project, monkeypatch):
    """The user accepts it on the main thread, while a disk thread looks at the file."""
    first, second, third = b"1\nmine\n2\n", b"1\nmine\n2\nmine too\n", b"1\nmine\n2\nmine too\nand this\n"

    class Interrupted(workspace._Expected):
        def _replace(self, **changes):
            project.workspace.expect("a.txt", third)
            return super()._replace(**changes)

    project.write(a_txt=b"1\n2\n")
    project.begin()
    project.workspace.expect("a.txt", first)
    with monkeypatch.context() as patched:
        patched.setattr(workspace, "_Expected", Interrupted)
        project.workspace.expect("a.txt", second)
    for text in (first, third):
        project.write(a_txt=text)
        assert project.look() == {}


def test_accepting_a_text_leaves_unreviewed_changes_to_be_reviewed(project):
    """The proposal was made of what the file held, and of nothing before."""
    project.write(a_txt=b"1\n2\n3\n4\n5\n")
    project.begin()
    project.write(a_txt=b"agent\n2\n3\n4\n5\n")
    project.look()
    project.workspace.expect("a.txt", b"agent\n2\n3\n4\naccepted\n")
    project.write(a_txt=b"agent\n2\n3\n4\naccepted\n")
    assert set(project.look()) == {"a.txt"}
    assert project.before("a.txt") == b"1\n2\n3\n4\naccepted\n"


def test_what_was_accepted_arrives_once(project):
    """What is done to the file afterwards the user has not accepted."""
    project.write(a_txt=b"before\n")
    project.begin()
    project.workspace.expect("a.txt", b"accepted\n")
    project.write(a_txt=b"accepted\n")
    assert project.look() == {}
    project.save(a_txt=b"mine\n")
    project.write(a_txt=b"accepted\n")
    assert set(project.look()) == {"a.txt"}


def test_what_was_accepted_once_and_comes_back_with_a_checkout_is_git_s(repository):
    repository.write(a_txt=b"before\n")
    repository.commit()
    repository.begin()
    repository.workspace.expect("a.txt", b"accepted\n")
    repository.write(a_txt=b"accepted\n")
    repository.look()
    repository.commit()
    repository.save(a_txt=b"mine\n")
    repository.commit()
    repository.look()
    repository.git("checkout", "-q", "HEAD~1")
    assert repository.look() == {}


def test_what_a_program_wrote_over_a_save_that_is_told_later_is_undone(project, monkeypatch):
    """A save through a link is not known before, and time stamps may be so fine that nothing is read twice."""
    monkeypatch.setattr("companion.unreviewed.reading.COARSE_NANOSECONDS", -(10**18))
    project.write(a_txt=b"1\n2\n3\n")
    project.begin()
    project.write(a_txt=b"agent\n2\nmine\n")
    project.look()
    project.workspace.saved("a.txt", b"1\n2\nmine\n")
    assert set(project.look()) == {"a.txt"}
    assert project.undo() == []
