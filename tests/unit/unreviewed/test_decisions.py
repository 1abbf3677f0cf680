"""What the user decides of a window's changes, and what the status bar says of it."""

from __future__ import annotations

import time

from companion.unreviewed import undoing
from companion.unreviewed.schedule import ATTENTION_SECONDS, INTERVAL_SECONDS, SOON_SECONDS
from companion.unreviewed.store import Store
from tests.support.at_once import write_and_look


def test_two_windows_on_one_folder_see_the_same_and_one_decides_for_both(
    project, tracking, runtime, decisions, tmp_path, rules
):
    project.write(a_txt=b"before\n")
    (tmp_path / "link").symlink_to(project.folder)
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    tracking.track(2, [str(tmp_path / "link")], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=b"now\n")
    assert [change.path for change in tracking.lists(1).changes] == ["a.txt"]
    assert tracking.lists(1).changes == tracking.lists(2).changes
    missed = []
    decisions(2).keep(tracking.lists(2).changes, missed.append)
    assert missed == [[]]
    assert tracking.lists(1).changes == tracking.lists(2).changes == ()


def test_a_rename_is_kept_as_a_whole(project, tracking, runtime, decisions, rules):
    project.write(a_txt=b"text\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=None, b_txt=b"text\n")
    (change,) = tracking.lists(1).changes
    assert (change.old_path, change.path) == ("a.txt", "b.txt")
    decisions(1).keep([change])
    assert tracking.lists(1).changes == ()
    write_and_look(project, tracking, runtime, b_txt=b"another text\n")
    decided = decisions(1)
    decided.keep([change])  # from a list that is not up to date
    assert decided._window.said == [
        "Companion: kept 0 files; 1 file left as before: b.txt has changed again: look, then decide."
    ]


def test_a_rename_is_reported_as_one_file_and_restored_as_a_whole(project, tracking, runtime, decisions, rules):
    project.write(a_txt=b"text\n", c_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=None, b_txt=b"text\n", c_txt=b"now\n", d_txt=b"new\n")
    decided = decisions(1)
    decided.undo(tracking.lists(1).changes)
    project.write(a_txt=b"the user's, by now\n")
    decided.restore()
    assert (project.read("a.txt"), (project.folder / "b.txt").exists()) == (b"the user's, by now\n", False)
    project.write(a_txt=b"text\n")
    decided.restore()
    assert [said.partition(": ")[2] for said in decided._window.said] == [
        "undid 3 files",
        "restored 2 files; 1 file left as before: a.txt has changed on disk since it was shown.",
        "restored 1 file",
    ]
    assert (project.read("b.txt"), (project.folder / "a.txt").exists()) == (b"text\n", False)
    assert {change.path for change in tracking.lists(1).changes} == {"b.txt", "c.txt", "d.txt"}


def test_a_file_of_two_folders_of_a_window_is_one_file(project, tracking, runtime, decisions, rules):
    project.write(sub__a_txt=b"before\n")
    tracking.track(1, [str(project.folder), str(project.folder / "sub")], rules, tracked=True)
    write_and_look(project, tracking, runtime, sub__a_txt=b"now\n")
    assert len(tracking.lists(1).changes) == 1
    decided = decisions(1)
    decided.undo(tracking.lists(1).changes)
    runtime.step(INTERVAL_SECONDS)
    assert (decided._window.said[-1].partition(": ")[2], tracking.lists(1).changes) == ("undid 1 file", ())
    decided.restore()
    runtime.step(INTERVAL_SECONDS)
    assert project.read("sub/a.txt") == b"now\n"
    assert len(tracking.lists(1).changes) == 1


def test_many_files_are_kept_with_few_writes_and_undone_with_progress_told(
    project, tracking, runtime, decisions, rules, later, monkeypatch
):
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    names = [f"new{number}_txt" for number in range(20)]
    written, write = [], Store.write_record
    monkeypatch.setattr(Store, "write_record", lambda *args, **options: written.append(1) or write(*args, **options))
    went_on = undoing.Progress.went_on
    monkeypatch.setattr(undoing.Progress, "went_on", lambda progress: later(1) or went_on(progress))
    decided = decisions(1)
    for decide, data in ((decided.keep, b"new %d\n"), (decided.undo, b"newer %d\n")):
        write_and_look(project, tracking, runtime, **{name: data % number for number, name in enumerate(names)})
        written.clear()
        decide(tracking.lists(1).changes)
        assert tracking.lists(1).changes == ()
        assert len(written) <= 3
    said = [said.partition(": ")[2] for said in decided._window.said]
    assert said == [
        "kept 20 files",
        *(f"undoing {number} of 20 files" for number in range(1, 21)),
        "undid 20 files",
    ]


def test_an_undo_after_the_clock_was_set_back_is_the_last_one(
    project, tracking, runtime, decisions, rules, monkeypatch
):
    for name in ("one", "two"):
        project.write(**{name + "__a_txt": b"before\n"})
    tracking.track(1, [str(project.folder / name) for name in ("one", "two")], rules, tracked=True)
    write_and_look(project, tracking, runtime, one__a_txt=b"now\n", two__a_txt=b"now\n")
    decided, now = decisions(1), time.time()
    for name, when in (("one", now), ("two", now - 3600.0)):
        monkeypatch.setattr(time, "time", lambda when=when: when)
        decided.undo([change for change in tracking.lists(1).changes if change.folder.endswith(name)])
    decided.restore()
    assert (project.read("one/a.txt"), project.read("two/a.txt")) == (b"before\n", b"now\n")


def test_a_decision_in_a_folder_counts_in_one_around_it(project, tracking, runtime, decisions, rules):
    project.write(sub__a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    tracking.track(2, [str(project.folder / "sub")], rules, tracked=True)
    write_and_look(project, tracking, runtime, sub__a_txt=b"now\n")
    assert [len(tracking.lists(window).changes) for window in (1, 2)] == [1, 1]
    decisions(1).keep(tracking.lists(1).changes)
    assert [len(tracking.lists(window).changes) for window in (1, 2)] == [0, 0]


def test_an_undo_in_a_folder_counts_in_one_around_it(project, tracking, runtime, decisions, rules):
    """However long ago a program was at work: nobody looks unasked any more."""
    project.write(sub__a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    tracking.track(2, [str(project.folder / "sub")], rules, tracked=True)
    write_and_look(project, tracking, runtime, sub__a_txt=b"now\n")
    for decide, count in ((lambda: decisions(2).undo(tracking.lists(2).changes), 0), (decisions(2).restore, 1)):
        runtime.step(ATTENTION_SECONDS * 2)
        runtime.step(ATTENTION_SECONDS * 2)
        decide()
        runtime.step(SOON_SECONDS)
        assert [len(tracking.lists(window).changes) for window in (1, 2)] == [count, count]
