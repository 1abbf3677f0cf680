"""Whose a change is: the three rules, each with what it is for; and what no rule lists."""

from __future__ import annotations

import pytest

from companion.unreviewed.evidence import PERHAPS, RULES, UNNAMED, Doer, Evidence, OpenCall, Origin
from companion.unreviewed.model import ChangeScope
from companion.unreviewed.reading import Reader
from tests.unit.unreviewed.conftest import TEXT, WINDOW, text

CLAUDE, GEMINI = ("Claude Code", "make the tests pass"), ("Gemini CLI", "write the docs")


@pytest.mark.parametrize(
    ("evidence", "rule", "origin"),
    [
        (Evidence(Doer(*CLAUDE), git_moved=True, only_hooked=True), "certain", Origin(*CLAUDE)),
        (Evidence(Doer()), "certain", UNNAMED),
        (Evidence(Doer(*CLAUDE), doubtful=frozenset("1")), "unhooked", UNNAMED),
        (Evidence(Doer(*CLAUDE), only_hooked=True, doubtful=frozenset("1")), "perhaps yours", PERHAPS),
        (Evidence(git_moved=True), "perhaps yours", PERHAPS),
        (Evidence(only_hooked=True), "perhaps yours", PERHAPS),
        (Evidence(), "unhooked", UNNAMED),
    ],
)
def test_the_first_rule_that_holds_says_whose_it_is(evidence, rule, origin):
    assert next(name for name, (holds, _) in RULES.items() if holds(evidence)) == rule
    assert evidence.origin == origin


@pytest.mark.parametrize(
    ("former", "other", "grown"),
    [
        (Origin(*CLAUDE), Origin(*CLAUDE), Origin(*CLAUDE)),
        (Origin(*CLAUDE), Origin("Claude Code", "go on"), Origin("Claude Code", "go on")),
        (Origin(*CLAUDE), Origin(*GEMINI), UNNAMED),
        (Origin(*CLAUDE), UNNAMED, UNNAMED),
        (Origin(*CLAUDE), PERHAPS, Origin(*CLAUDE, perhaps=True)),
        (PERHAPS, Origin(*CLAUDE), Origin(*CLAUDE, perhaps=True)),
        (PERHAPS, PERHAPS, PERHAPS),
    ],
)
def test_a_growing_change_keeps_its_program_if_no_other_program_added(former, other, grown):
    assert former.grown(other) == grown


@pytest.fixture
def hooked(project):
    """A folder in which only a program with hooks is at work."""
    project.write(a_txt=TEXT, b_txt=TEXT)
    if project.with_git:
        project.commit()
    project.begin()
    project.calls.only_hooked(WINDOW, True)
    project.look()
    return project


def test_a_write_during_a_call_is_certain_and_has_its_program_and_prompt(hooked):
    with hooked.call(*CLAUDE):
        hooked.write(a_txt=text(line1=b"agent"), new_txt=b"agent\n")
    assert {path: change.origin for path, change in hooked.listed().items()} == {
        "a.txt": Origin(*CLAUDE),
        "new.txt": Origin(*CLAUDE),
    }
    hooked.begin()  # in a later process
    assert {change.origin for change in hooked.listed().values()} == {Origin(*CLAUDE)}


def test_what_is_written_before_and_after_a_call_is_perhaps_the_user_s(hooked):
    hooked.write(a_txt=text(line1=b"user"))
    with hooked.call(*CLAUDE):
        pass
    hooked.write(b_txt=text(line1=b"user"))
    assert hooked.look() == {}
    assert set(hooked.outside()) == {"a.txt", "b.txt"}
    with hooked.call(*CLAUDE):
        hooked.write(a_txt=text(line1=b"user", line20=b"agent"))
    assert {path: change.origin for path, change in hooked.listed().items()} == {"a.txt": Origin(*CLAUDE, perhaps=True)}
    assert set(hooked.outside()) == {"b.txt"}


def test_a_rename_is_perhaps_the_user_s_if_a_half_of_it_is(hooked):
    hooked.write(a_txt=None)
    with hooked.call(*CLAUDE):
        hooked.write(new_txt=TEXT)
    (change,) = hooked.listed().values()
    assert (change.old_path, change.path) == ("a.txt", "new.txt")
    assert change.origin == Origin(*CLAUDE, perhaps=True)


def test_a_look_that_came_too_late_makes_nothing_certain(hooked):
    """The program was told to go on, and wrote before its folder was looked at."""
    hooked.calls.begins(WINDOW, 1, OpenCall(Doer(*CLAUDE)))
    hooked.write(a_txt=text(line1=b"agent"))
    assert hooked.look() == {}
    hooked.write(b_txt=text(line1=b"agent"))
    assert set(hooked.look()) == {"b.txt"}


@pytest.mark.parametrize("together", [True, False])
def test_of_two_programs_that_have_calls_open_none_is_named(hooked, together):
    with hooked.call(*CLAUDE):
        if together:
            with hooked.call(*GEMINI):
                hooked.write(a_txt=text(line1=b"agent"))
        else:
            hooked.calls.begins(WINDOW, 2, OpenCall(Doer(*GEMINI)))
            hooked.calls.ended(WINDOW, 2)  # between two looks
            hooked.write(a_txt=text(line1=b"agent"))
    assert hooked.listed()["a.txt"].origin == UNNAMED
    with hooked.call(*CLAUDE):
        hooked.write(b_txt=text(line1=b"agent"))
    assert hooked.listed()["b.txt"].origin == Origin(*CLAUDE)


def test_two_calls_of_a_program_in_different_turns_name_the_program_alone(hooked):
    with hooked.call(*CLAUDE), hooked.call("Claude Code", "go on"):
        hooked.write(a_txt=text(line1=b"agent"))
    assert hooked.listed()["a.txt"].origin == Origin("Claude Code")


def test_a_tool_that_names_its_files_has_written_no_others(hooked):
    """Programs do not tell that their user has stopped them: a call may seem to run for hours."""
    (hooked.folder / "link").symlink_to(hooked.folder)
    (hooked.folder / "to_c.txt").symlink_to("c.txt")
    hooked.look()
    with hooked.call(*CLAUDE, paths=["link/a.txt", "new/c.txt", "to_c.txt"]):
        hooked.write(a_txt=text(line1=b"agent"), b_txt=text(line1=b"user"), new__c_txt=b"agent\n", c_txt=b"agent\n")
    assert {path: change.origin for path, change in hooked.listed().items()} == dict.fromkeys(
        ("a.txt", "new/c.txt", "c.txt"), Origin(*CLAUDE)
    )
    assert set(hooked.outside()) == {"b.txt"}
    with hooked.call(*CLAUDE, paths=["b.txt"]), hooked.call(*GEMINI):
        hooked.write(d_txt=b"Gemini's\n", b_txt=text(line1=b"user", line20=b"of one of them"))
    assert hooked.listed()["d.txt"].origin == Origin(*GEMINI)
    assert hooked.listed()["b.txt"].origin == UNNAMED._replace(perhaps=True)


@pytest.mark.parametrize("name", ["a\0.txt", "\ud800.txt", "x" * 5000, "a.txt/b.txt", "..", ""])
def test_a_tool_that_names_no_file_of_the_folder_vouches_for_nothing(hooked, name):
    with hooked.call(*CLAUDE, paths=[name]):
        hooked.write(a_txt=text(line1=b"user"))
    assert (hooked.listed(), set(hooked.outside())) == ({}, {"a.txt"})


def test_a_tool_that_replaces_a_link_has_written_there(hooked):
    (hooked.folder / "link.txt").symlink_to("a.txt")
    hooked.look()
    with hooked.call(*CLAUDE, paths=["link.txt"]):
        (hooked.folder / "link.txt").unlink()
        hooked.write(link_txt=b"agent\n")
    assert hooked.listed()["link.txt"].origin == Origin(*CLAUDE)


@pytest.mark.parametrize("has_run", [True, False])
def test_a_write_in_a_call_with_a_question_is_the_programs_once_it_says_so(hooked, has_run):
    """And perhaps the user's, if it was found before that."""
    hooked.write(a_txt=text(line1=b"user"))
    with hooked.call(*CLAUDE, doubtful=True, has_run=has_run):
        for line in (5, 10):
            hooked.write(a_txt=text(line1=b"user", **{f"line{line}": b"agent"}), early_txt=b"agent %d\n" % line)
            assert hooked.look() == {}
        assert set(hooked.outside()) == {"a.txt", "early.txt"}
        hooked.write(b_txt=text(line1=b"agent"))
        hooked.saved("b.txt", text(line1=b"agent"))
        hooked.write(gone_txt=b"agent\n")
        hooked.look()
        hooked.write(gone_txt=None, late_txt=b"agent\n")
    mixed = Origin(*CLAUDE, perhaps=True)
    expected = {"a.txt": mixed, "early.txt": mixed, "late.txt": Origin(*CLAUDE)} if has_run else {}
    assert {path: change.origin for path, change in hooked.listed().items()} == expected
    assert set(hooked.outside()) == {"a.txt", "early.txt", "late.txt"} - set(expected)
    kept = {path: change.origin for path, change in hooked.all_listed().items()}
    hooked.begin()  # in a later process
    assert {path: change.origin for path, change in hooked.all_listed().items()} == kept


def test_a_write_during_a_long_open_question_is_perhaps_the_users(hooked):
    with hooked.call(*CLAUDE, doubtful=True, just_looked=False):
        hooked.write(a_txt=text(line1=b"of one of them"))
    assert hooked.listed()["a.txt"].origin == Origin(*CLAUDE, perhaps=True)


def test_a_call_that_surely_runs_vouches_beside_one_that_may(hooked):
    with hooked.call(*CLAUDE, doubtful=True, has_run=False), hooked.call(*CLAUDE):
        hooked.write(a_txt=text(line1=b"agent"))
        assert hooked.look()["a.txt"].origin == Origin(*CLAUDE)
    with hooked.call(*CLAUDE, doubtful=True, has_run=False), hooked.call(*CLAUDE, doubtful=True):
        hooked.write(b_txt=text(line1=b"agent"))
        assert "b.txt" not in hooked.look()
    assert hooked.listed()["b.txt"].origin == Origin(*CLAUDE, perhaps=True)


def test_a_programs_change_stays_a_programs_whatever_a_stopped_one_adds(hooked):
    with hooked.call(*CLAUDE):
        hooked.write(a_txt=text(line1=b"agent"))
    with hooked.call("Claude Code", "go on", doubtful=True):
        hooked.write(a_txt=text(line1=b"agent", line5=b"agent"))
        hooked.look()
        assert hooked.listed()["a.txt"].origin == Origin(*CLAUDE, perhaps=True)
        with hooked.call(*GEMINI, doubtful=True, has_run=False):
            hooked.write(a_txt=text(line1=b"agent", line5=b"agent", line9=b"of one of them"))
    assert hooked.listed()["a.txt"].origin == UNNAMED._replace(perhaps=True)


def test_writes_beside_a_program_without_hooks_are_counted_without_a_name(hooked):
    hooked.calls.only_hooked(WINDOW, False)
    hooked.write(a_txt=text(line1=b"agent"))
    assert hooked.look()["a.txt"].origin == UNNAMED


def test_what_is_perhaps_the_user_s_is_undone_and_restored_and_stays_that(hooked):
    hooked.write(a_txt=text(line1=b"user"))
    hooked.look()
    assert hooked.undo("a.txt") == []
    assert hooked.read("a.txt") == TEXT
    hooked.begin()  # in a later process
    assert hooked.restore() == []
    assert hooked.look() == {}
    assert hooked.outside()["a.txt"].origin == PERHAPS


@pytest.mark.parametrize("looked", [True, False])
def test_a_restored_change_is_its_programs_though_somebody_looks_meanwhile(hooked, monkeypatch, looked):
    with hooked.call(*CLAUDE):
        hooked.write(a_txt=None, b_txt=text(line1=b"agent"), new_txt=b"agent\n")
    assert hooked.undo() == []
    exchanged = hooked.workspace.exchanged

    def overtaken(*args):
        hooked.look()
        exchanged(*args)

    if looked:
        monkeypatch.setattr(hooked.workspace, "exchanged", overtaken)
    with hooked.call(*GEMINI, doubtful=True):
        assert hooked.restore() == []
    assert {change.origin for change in hooked.look().values()} == {Origin(*CLAUDE)}
    assert hooked.outside() == {}


def test_a_turn_holds_what_programs_have_done_in_it(hooked):
    hooked.workspace.begin_turn()
    hooked.write(b_txt=text(line1=b"user"))
    with hooked.call(*CLAUDE):
        hooked.write(a_txt=text(line1=b"agent"))
    turn = hooked.workspace.model.changes(ChangeScope.LAST_TURN)
    assert [change.path for change in turn] == ["a.txt"]
    assert hooked.undo_these(turn) == []
    assert set(hooked.outside()) == {"b.txt"}


# -- git --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def dirty(repository):
    """A repository with two commits and uncommitted work."""
    repository.write(a_txt=text(line3=b"first"), b_txt=TEXT, clean_txt=b"first\n")
    repository.commit()
    repository.write(clean_txt=b"second\n")
    repository.commit()
    repository.write(a_txt=text(line3=b"first", line9=b"user"), mine_txt=b"user\n")
    repository.begin()
    repository.calls.only_hooked(WINDOW, True)
    repository.look()
    return repository


@pytest.mark.parametrize(
    ("command", "listed"),
    [
        (["reset", "-q", "--hard"], {"a.txt"}),
        (["reset", "-q", "--hard", "HEAD~1"], {"a.txt"}),
        (["checkout", "-q", "-f", "HEAD~1"], {"a.txt"}),
        (["clean", "-q", "-f"], {"mine.txt"}),
        (["stash", "-q", "-u"], {"a.txt", "mine.txt"}),
        (["checkout", "-q", "--", "a.txt"], {"a.txt"}),
        (["commit", "-q", "-a", "-m", "more"], set()),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_what_a_program_does_by_git_to_uncommitted_work_is_certain(dirty, command, listed):
    with dirty.call(*CLAUDE):
        dirty.git(*command)
    assert set(dirty.listed()) == listed
    assert {change.origin for change in dirty.listed().values()} <= {Origin(*CLAUDE)}
    assert dirty.outside() == {}
    assert dirty.undo() == []
    assert (dirty.read("a.txt"), dirty.read("mine.txt")) == (text(line3=b"first", line9=b"user"), b"user\n")


@pytest.mark.parametrize("later", [True, False])
@pytest.mark.parametrize("looks", [True, False])
def test_what_a_stash_takes_and_gives_back_is_its_program_s_as_before(dirty, looks, later):
    dirty.workspace.begin_turn()
    with dirty.call(*CLAUDE):
        dirty.write(b_txt=text(line1=b"agent"), a_txt=text(line9=b"user", line20=b"agent"), new_txt=b"agent\n")
    before = dirty.listed()
    dirty.git("stash", "-q", "-u")
    if looks:
        dirty.look()
        if later:
            dirty.begin()
            dirty.calls.only_hooked(WINDOW, True)
    dirty.git("stash", "pop", "-q")
    assert {path: change.origin for path, change in dirty.look().items()} == dict.fromkeys(before, Origin(*CLAUDE))
    assert dirty.outside() == {}
    assert {each.path for each in dirty.workspace.model.changes(ChangeScope.LAST_TURN)} == set(before)
    dirty.workspace.begin_turn()
    assert dirty.workspace.model.changes(ChangeScope.LAST_TURN) == []
    assert dirty.undo() == []
    assert dirty.read("a.txt") == text(line3=b"first", line9=b"user")


def test_a_change_out_of_a_stash_belongs_to_the_turn_that_wrote_it(dirty):
    with dirty.call(*CLAUDE):
        dirty.write(b_txt=text(line1=b"agent"))
    dirty.git("stash", "-q")
    dirty.look()
    dirty.workspace.begin_turn()
    dirty.git("stash", "pop", "-q")
    assert set(dirty.look()) == {"b.txt"}
    assert dirty.workspace.model.changes(ChangeScope.LAST_TURN) == []


def test_what_the_user_has_undone_and_makes_again_is_perhaps_his(hooked):
    with hooked.call(*CLAUDE):
        hooked.write(a_txt=text(line1=b"agent"))
    assert hooked.undo() == []
    hooked.write(a_txt=text(line1=b"agent"))
    assert hooked.look() == {}
    assert set(hooked.outside()) == {"a.txt"}


def test_work_that_a_program_overwrites_and_commits_is_listed(dirty):
    with dirty.call(*CLAUDE):
        dirty.write(a_txt=text(line3=b"first", line20=b"agent"), b_txt=text(line1=b"agent"))
        dirty.commit()
    assert set(dirty.listed()) == {"a.txt"}  # of the other file git has all
    dirty.git("gc", "-q", "--prune=now")
    assert dirty.before("a.txt") == text(line3=b"first", line9=b"user")


def test_changes_that_the_user_commits_with_his_own_edits_leave_the_list(dirty):
    with dirty.call(*CLAUDE):
        dirty.write(a_txt=text(line3=b"first", line9=b"user", line20=b"agent"))
    dirty.commit()
    assert dirty.look() == {}
    assert dirty.outside() == {}


def test_the_users_git_changes_do_not_count_while_unhooked_programs_work(dirty):
    dirty.calls.only_hooked(WINDOW, False)
    for command in (["stash", "-q", "-u"], ["checkout", "-q", "HEAD~1"], ["checkout", "-q", "main"], ["stash", "pop"]):
        dirty.git(*command)
        assert dirty.look() == {}, command
    assert dirty.outside() == {}


@pytest.mark.parametrize("command", [["restore", "."], ["checkout", "-q", "--", "a.txt", "b.txt"]])
def test_a_users_restore_does_not_count_while_unhooked_programs_work(dirty, command):
    """It was committed, or staged, and git writes the index anew. What else is written meanwhile is counted."""
    dirty.save(b_txt=text(line1=b"staged"))
    dirty.git("add", "b.txt")
    dirty.begin()
    dirty.save(b_txt=text(line1=b"user"))
    dirty.look()
    dirty.git(*command)
    dirty.write(clean_txt=b"agent\n")
    assert set(dirty.look()) == {"clean.txt"}
    assert set(dirty.outside()) == {"a.txt", "b.txt"}
    assert dirty.before("a.txt") == text(line3=b"first", line9=b"user")
    dirty.save(a_txt=text(line3=b"first", line9=b"user"))
    dirty.git("status")
    dirty.look()
    dirty.write(a_txt=text(line3=b"first"))  # by another program, without git
    assert set(dirty.look()) == {"a.txt", "clean.txt"}


def test_what_git_restores_in_the_midst_of_a_look_is_not_counted(dirty, monkeypatch):
    dirty.calls.only_hooked(WINDOW, False)
    look = Reader.read_changed

    def overtaken(*args):
        dirty.git("restore", "a.txt")
        return look(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Reader, "read_changed", overtaken)
        assert dirty.look() == {}
    assert set(dirty.outside()) == {"a.txt"}


def test_what_is_cleaned_away_beside_a_program_without_hooks_is_counted(dirty):
    """Nothing tells it from a file that was deleted, and git has it nowhere."""
    dirty.calls.only_hooked(WINDOW, False)
    dirty.git("clean", "-q", "-f")
    assert set(dirty.look()) == {"mine.txt"}
    assert dirty.undo() == []
    assert dirty.read("mine.txt") == b"user\n"


def test_what_git_does_in_the_midst_of_a_look_is_not_counted(dirty, monkeypatch):
    """It was asked where it stands before the files were read."""
    dirty.calls.only_hooked(WINDOW, False)
    look = Reader.read_changed

    def overtaken(*args):
        dirty.git("checkout", "-q", "-f", "HEAD~1")
        return look(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Reader, "read_changed", overtaken)
        assert dirty.look() == {}
    assert dirty.look() == {}
    assert set(dirty.outside()) == {"a.txt"}  # the user's work; the rest git can bring back


def test_what_git_has_begun_to_write_in_the_midst_of_a_look_is_not_counted(dirty, monkeypatch):
    """It has a lock then, and moves later."""
    dirty.calls.only_hooked(WINDOW, False)
    look = Reader.read_changed

    def overtaken(*args):
        (dirty.folder / ".git" / "index.lock").write_bytes(b"")
        dirty.write(b_txt=text(line1=b"pulled"))
        return look(*args)

    with monkeypatch.context() as patch:
        patch.setattr(Reader, "read_changed", overtaken)
        assert dirty.look() == {}
    assert set(dirty.outside()) == {"b.txt"}


def test_what_git_writes_just_after_it_has_moved_is_not_counted(dirty):
    """A stash is there before the work has gone."""
    dirty.calls.only_hooked(WINDOW, False)
    dirty.git("stash", "store", "-q", dirty.git("stash", "create").strip())
    assert dirty.look() == {}
    dirty.git("checkout-index", "-q", "-f", "-a")
    assert dirty.look() == {}
    assert set(dirty.outside()) == {"a.txt"}


def test_a_status_that_rewrites_the_index_is_no_move_but_staging_is_one(dirty):
    dirty.calls.only_hooked(WINDOW, False)
    dirty.write(b_txt=TEXT)  # whose time git does not know
    dirty.git("status")
    dirty.write(clean_txt=b"agent\n")
    assert set(dirty.look()) == {"clean.txt"}
    dirty.git("add", "a.txt")
    dirty.write(b_txt=text(line1=b"agent"))
    assert set(dirty.look()) == {"clean.txt"}
    assert set(dirty.outside()) == {"b.txt"}


@pytest.mark.parametrize("path", ["mine.sublime-workspace", "sub/mine.sublime-workspace"])
def test_the_editor_s_own_files_are_never_listed(hooked, path):
    hooked.calls.only_hooked(WINDOW, False)
    (hooked.folder / "sub").mkdir()
    (hooked.folder / path).write_bytes(b"{}")
    assert hooked.look() == {}
