"""Tests that later writes are compared with what the user saved last, whatever is still undecided."""

from __future__ import annotations

import pytest

from companion.unreviewed import reading
from companion.unreviewed.evidence import PERHAPS
from companion.unreviewed.model import ChangeKind, ChangeScope
from tests.support.at_once import save_tab, write_and_look
from tests.unit.unreviewed.conftest import TEXT, text

MINE = b"".join(b"mine %d\n" % number for number in range(30))


def save_over_a_program(project, saved):
    """A program has changed a line, and the user saves the file before deciding that change."""
    project.write(a_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line3=b"first"))
    project.look()
    project.save(a_txt=saved)


@pytest.fixture(params=["look", "no look"])
def made(request, project):
    """A program has made a file, and the user has rewritten all of it. The program's next write is either seen at once
    or not before the process has ended."""
    project.write(a_txt=TEXT)
    if project.with_git:
        project.commit()
    project.begin()
    project.write(new_txt=TEXT)
    project.look()
    project.save(new_txt=MINE)

    def seen():
        return project.look() if request.param == "look" else project.begin() and project.all_listed()

    project.seen = seen
    return project


def test_a_file_that_the_user_rewrote_comes_back_when_it_is_removed(made):
    made.write(new_txt=None)
    change = made.seen()["new.txt"]
    assert (change.kind, change.since_save) == (ChangeKind.DELETED, True)
    assert made.before("new.txt") == MINE
    assert made.undo("new.txt") == []
    assert made.read("new.txt") == MINE
    assert made.all_listed()["new.txt"].kind is ChangeKind.NEW  # that a program made it is still to be decided


def test_and_when_it_is_overwritten(made):
    made.write(new_txt=b"program\n")
    assert made.seen()["new.txt"].kind is ChangeKind.CHANGED
    assert made.before("new.txt") == MINE
    assert made.undo("new.txt") == []
    assert made.read("new.txt") == MINE
    assert made.restore() == []
    assert made.read("new.txt") == b"program\n"
    assert made.before("new.txt") == MINE


def test_what_git_cleans_away_comes_back_too(repository):
    repository.commit()
    repository.begin()
    repository.write(new_txt=TEXT)
    repository.look()
    repository.save(new_txt=MINE)
    repository.git("clean", "-fdq")
    assert repository.look()["new.txt"].kind is ChangeKind.DELETED
    assert repository.before("new.txt") == MINE


@pytest.mark.parametrize(
    "saved",
    [text(line3=b"mine"), text(line3=b"first", line20=b"mine"), text(line3=b"first")],
    ids=["the same line", "another line", "as it was"],
)
@pytest.mark.parametrize(
    "then",
    [text(line3=b"second"), text(line3=b"first", line7=b"second"), TEXT],
    ids=["the same line", "another line", "as before"],
)
def test_what_is_written_after_a_save_is_compared_with_what_was_saved(project, saved, then):
    save_over_a_program(project, saved)
    assert project.before("a.txt") in (TEXT, text(line20=b"mine"))  # the program's line is still to be decided
    project.write(a_txt=then)
    project.look()
    assert project.before("a.txt") == saved
    assert project.undo("a.txt") == []
    assert project.read("a.txt") == saved
    project.look()
    assert project.before("a.txt") in (TEXT, text(line20=b"mine"))


def test_keeping_a_later_change_leaves_the_earlier_to_be_decided(project):
    save_over_a_program(project, text(line3=b"first", line20=b"mine"))
    project.write(a_txt=text(line3=b"first", line7=b"second", line20=b"mine"))
    change = project.look()["a.txt"]
    assert (change.added, change.since_save) == (1, True)
    assert project.workspace.keep("a.txt", change.before, change.now)
    change = project.look()["a.txt"]
    assert (change.added, change.since_save) == (1, False)
    assert project.before("a.txt") == text(line7=b"second", line20=b"mine")
    assert project.workspace.keep("a.txt", change.before, change.now)
    assert project.look() == {}


def test_the_next_save_joins_changes_where_nothing_is_lost(project):
    save_over_a_program(project, text(line3=b"first", line20=b"mine"))
    project.write(a_txt=text(line3=b"first", line7=b"second", line20=b"mine"))
    project.look()
    project.save(a_txt=text(line3=b"first", line7=b"second", line20=b"mine", line25=b"mine"))
    assert project.look()["a.txt"].added == 2
    assert project.before("a.txt") == text(line20=b"mine", line25=b"mine")


def test_an_overwritten_saved_line_is_not_lost_by_the_next_save(project):
    save_over_a_program(project, text(line3=b"mine"))
    project.write(a_txt=text(line3=b"second"))
    project.look()
    project.save(a_txt=text(line3=b"second", line20=b"mine"))
    assert project.before("a.txt") == text(line3=b"mine", line20=b"mine")
    project.write(a_txt=text(line3=b"third"))
    for expected in (
        text(line3=b"second", line20=b"mine"), text(line3=b"mine", line20=b"mine"), text(line20=b"mine")
    ):  # fmt: skip
        project.look()
        assert project.undo("a.txt") == []
        assert project.read("a.txt") == expected
    assert project.look() == {}


def test_a_change_with_saved_edits_is_not_decided_with_all_others(project):
    project.write(a_txt=TEXT, b_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line3=b"first"), b_txt=text(line3=b"first"))
    project.look()
    project.save(a_txt=text(line3=b"mine"), b_txt=text(line3=b"first", line20=b"mine"))
    listed = project.look()
    assert [listed[name].origin.perhaps for name in ("a.txt", "b.txt")] == [True, False]


def test_what_comes_after_a_save_has_its_own_program(project):
    project.write(a_txt=TEXT)
    project.begin()
    with project.call("Claude Code", "one"):
        project.write(a_txt=text(line3=b"first"))
    project.save(a_txt=text(line3=b"mine"))
    with project.call("Codex CLI", "two"):
        project.write(a_txt=text(line3=b"second"))
    assert project.look()["a.txt"].origin[:3] == ("Codex CLI", "two", True)
    project.undo("a.txt")
    assert project.look()["a.txt"].origin == ("Claude Code", "one", True, True)


def test_in_the_last_turn_a_save_counts_too(project):
    project.write(a_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line3=b"first"))
    project.look()
    project.workspace.begin_turn()
    project.write(a_txt=text(line3=b"second"))
    project.look()
    project.save(a_txt=text(line3=b"mine"))
    project.write(a_txt=text(line3=b"third"))
    project.look()
    (change,) = project.workspace.model.changes(ChangeScope.LAST_TURN)
    assert project.workspace.copies.data(change.before) == text(line3=b"mine")


def test_an_accepted_text_counts_as_a_saved_one(project):
    project.write(a_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line3=b"first"))
    project.look()
    project.workspace.expect("a.txt", text(line3=b"accepted"))
    project.write(a_txt=text(line3=b"accepted"))
    project.look()
    project.write(a_txt=text(line3=b"second"))
    project.look()
    assert project.before("a.txt") == text(line3=b"accepted")


def test_who_undoes_all_hears_that_earlier_changes_are_left(project, tracking, runtime, decisions, tabs, rules):
    project.write(a_txt=TEXT)
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=text(line3=b"first"))
    saved = text(line3=b"first", line20=b"mine")
    project.write(a_txt=saved)
    save_tab(tracking, tabs, str(project.folder / "a.txt"), saved.decode())
    write_and_look(project, tracking, runtime, a_txt=text(line3=b"second", line20=b"mine"))
    decided = decisions(1)
    decided.undo(tracking.lists(1).changes)
    assert decided._window.said[-1].endswith("undid 1 file; 1 file with earlier changes left to be decided")
    assert [change.since_save for change in tracking.lists(1).changes] == [False]
    assert project.read("a.txt") == saved


def test_a_save_while_nobody_tracks_is_still_the_user_s(project):
    project.write(a_txt=TEXT)
    project.begin()
    project.write(a_txt=text(line3=b"first"))
    project.look()
    project.workspace.end(lambda: False)
    project.save(a_txt=text(line3=b"mine"))
    project.begin()
    project.write(a_txt=text(line3=b"second"))
    project.look()
    assert project.before("a.txt") == text(line3=b"mine")
    assert project.all_listed()["a.txt"].origin != PERHAPS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_no_save_of_the_user_s_is_listed_as_written_since_one(project, encoding):
    encoded = lambda data: data.decode().encode(encoding)  # noqa: E731
    project.write(a_txt=encoded(TEXT))
    project.begin()
    project.write(a_txt=encoded(text(line3=b"first")))
    project.look()
    for line in (b"mine", b"mine again", b"mine at last"):
        project.save(a_txt=encoded(text(line3=b"first", line20=line)))
        assert not project.all_listed()["a.txt"].since_save
    project.write(a_txt=encoded(text(line3=b"second")))
    assert project.look()["a.txt"].since_save
    assert project.undo("a.txt") == []
    assert project.read("a.txt") == encoded(text(line3=b"first", line20=b"mine at last"))
    assert not project.all_listed()["a.txt"].since_save


def test_a_file_too_large_to_be_read_is_the_users_own_when_it_is_saved(project, monkeypatch):
    monkeypatch.setattr(reading, "READ_BYTES", 100)
    project.write(a_txt=TEXT * 3)
    project.begin()
    project.save(a_txt=TEXT * 4, new_txt=TEXT * 4)
    assert project.all_listed() == {}
    project.write(a_txt=TEXT * 5)
    assert set(project.look()) == {"a.txt"}
