"""When folders are looked at, and what the windows hear of it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest

from companion.review.document.file_replacement import beside
from companion.unreviewed import user_acts
from companion.unreviewed.evidence import Doer, OpenCall, Origin
from companion.unreviewed.files import Rules
from companion.unreviewed.folder import Folder
from companion.unreviewed.listing import Lists
from companion.unreviewed.reading import COPIED_BYTES
from companion.unreviewed.schedule import ATTENTION_SECONDS, INTERVAL_SECONDS
from companion.unreviewed.store import STORE, Store
from companion.unreviewed.workspace import Workspace
from tests.host.waiting import NEVER_SECONDS
from tests.support.at_once import save_tab, write_and_look


def texts(tracking):
    """What the only file that is listed held before, and what it holds."""
    (change,) = tracking.lists(1).changes
    workspace = tracking.workspace_of(change.folder)
    return workspace.copies.data(change.before), workspace.copies.data(change.now)


def test_repositories_inside_have_workspaces_of_their_own(repository, tracking, runtime, rules):
    repository.write(nested__a_txt=b"before\n", a_txt=b"before\n")
    repository.git("init", "-q", "nested")
    tracking.track(1, [str(repository.folder)], rules, tracked=True)
    write_and_look(repository, tracking, runtime, nested__a_txt=b"now\n", a_txt=b"now\n")
    found = {(os.path.basename(change.folder), change.path) for change in tracking.lists(1).changes}
    assert found == {("project", "a.txt"), ("nested", "a.txt")}


def test_a_repository_inside_that_has_become_a_link_is_not_followed(repository, tracking, runtime, tmp_path, rules):
    repository.write(nested__a_txt=b"before\n")
    repository.git("init", "-q", "nested")
    repository.git("-C", "nested", "add", "-A")
    repository.git("-C", "nested", "commit", "-q", "-m", "inside")
    repository.git("add", "nested")  # as a submodule is
    (repository.folder / "nested").rename(tmp_path / "elsewhere")
    (repository.folder / "nested").symlink_to(tmp_path / "elsewhere")
    tracking.track(1, [str(repository.folder)], rules, tracked=True)
    write_and_look(repository, tracking, runtime, nested__a_txt=b"now\n", b_txt=b"new\n")
    assert [change.path for change in tracking.lists(1).changes] == ["b.txt"]


def test_a_repository_inside_that_is_none_any_more_is_not_listed_by_itself(
    repository, tracking, runtime, rules, tmp_path
):
    repository.write(nested__a_txt=b"before\n")
    repository.git("init", "-q", "nested")
    tracking.track(1, [str(repository.folder)], rules, tracked=True)
    write_and_look(repository, tracking, runtime, nested__a_txt=b"now\n")
    tracking.leave(1)
    (repository.folder / "nested" / ".git").rename(tmp_path / "away")
    tracking.track(2, [str(repository.folder)], rules, tracked=False)
    assert tracking.lists(2).changes == ()
    (tmp_path / "away").rename(repository.folder / "nested" / ".git")
    tracking.leave(2)
    tracking.track(3, [str(repository.folder)], rules, tracked=False)
    assert [change.path for change in tracking.lists(3).changes] == ["a.txt"]


def test_what_a_window_leaves_is_listed_where_the_folder_is_opened_again(project, tracking, runtime, decisions, rules):
    project.write(a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    project.write(a_txt=b"now\n")
    tracking.leave(1)  # with a last look
    assert tracking.workspace_of(str(project.folder)) is None
    tracking.track(2, [str(project.folder)], rules, tracked=False)
    assert [change.path for change in tracking.lists(2).changes] == ["a.txt"]
    decisions(2).undo(tracking.lists(2).changes)
    tracking.track(2, [str(project.folder)], rules, tracked=True)
    tracking.track(2, [str(project.folder)], rules, tracked=False)
    assert tracking.lists(2) == Lists(restorable=True)
    decisions(2).restore()
    assert project.read("a.txt") == b"now\n"


def test_what_is_excluded_is_not_read_by_whatever_name_of_its_folder(project, tracking, runtime, tmp_path, rules):
    link = tmp_path / "link"
    link.symlink_to(project.folder)
    hiding = Rules(lambda path: path == str(link / "hidden.txt"), lambda path, is_folder: False)
    project.write(hidden_txt=b"before\n")
    tracking.track(1, [str(link)], hiding, tracked=True)
    write_and_look(project, tracking, runtime, hidden_txt=b"now\n", secret=b"new")
    assert {change.path: change.excluded for change in tracking.lists(1).changes} == {
        "secret": False,
        "hidden.txt": True,
    }
    tracking.track(1, [str(link)], rules, tracked=True)
    runtime.step(INTERVAL_SECONDS)
    (change,) = tracking.lists(1).changes  # of what the rules hide now nothing is known any more
    assert (change.path, change.excluded) == ("hidden.txt", False)


def test_what_is_excluded_is_not_read_when_a_tab_saves_it(project, tracking, runtime, tabs, monkeypatch):
    opened, read = tabs.opened, []
    monkeypatch.setattr(tabs, "opened", lambda path, flags: read.append(path) or opened(path, flags))
    hiding = Rules(lambda path: path.endswith("hidden.txt"), lambda path, is_folder: False)
    project.write(hidden_txt=b"mine\n", a_txt=b"mine\n")
    tracking.track(1, [str(project.folder)], hiding, tracked=True)
    for name in ("hidden.txt", "a.txt"):
        save_tab(tracking, tabs, str(project.folder / name), "mine\n")
    assert [os.path.basename(path) for path in read] == ["a.txt"]


def test_an_excluded_file_saved_while_its_folder_is_opened_is_not_read(project, tracking, tabs, rules, monkeypatch):
    path = str(project.folder / "secret")
    project.write(secret=b"SECRET=1\n")
    kept = []
    use, keep = Workspace.use, Store.keep

    def using(workspace, rules):
        save_tab(tracking, tabs, path, "SECRET=1\n")
        use(workspace, rules)

    monkeypatch.setattr(Workspace, "use", using)
    monkeypatch.setattr(Store, "keep", lambda store, name, data: kept.append(data) or keep(store, name, data))
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    assert b"SECRET=1\n" not in kept


def test_what_the_editor_makes_beside_a_file_for_a_moment_is_not_listed(project, tracking, runtime, rules):
    project.write(a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    Path(beside(str(project.folder / "a.txt"))).write_bytes(b"after\n")
    write_and_look(project, tracking, runtime, a_txt=b"now\n")
    assert [change.path for change in tracking.lists(1).changes] == ["a.txt"]


def test_what_was_written_while_nobody_tracked_is_the_user_s(project, tracking, runtime, rules):
    project.write(a_txt=b"1\n2\n3\n4\n5\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=b"agent\n2\n3\n4\n5\n")
    tracking.track(1, [str(project.folder)], rules, tracked=False)
    project.write(a_txt=b"agent\n2\n3\n4\nuser\n", b_txt=b"user\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    assert [change.path for change in tracking.lists(1).changes] == ["a.txt"]
    assert texts(tracking) == (b"1\n2\n3\n4\nuser\n", b"agent\n2\n3\n4\nuser\n")


def test_the_list_outlives_the_agent_and_the_editor(module, project, tracking, runtime, decisions, tmp_path, rules):
    project.write(a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    project.write(a_txt=b"now\n")
    tracking.track(1, [str(project.folder)], rules, tracked=False)  # the last look
    assert len(tracking.lists(1).changes) == 1
    later = module.Tracking(runtime, lambda: None, lambda: str(tmp_path / "storage"))
    later.track(7, [str(project.folder)], rules, tracked=False)
    assert [change.path for change in later.lists(7).changes] == ["a.txt"]
    afterwards = decisions(7, later)
    afterwards.undo(later.lists(7).changes)
    assert project.read("a.txt") == b"before\n"
    afterwards.restore()
    assert project.read("a.txt") == b"now\n"
    assert [said.partition(": ")[2] for said in afterwards._window.said] == ["undid 1 file", "restored 1 file"]


def test_what_was_written_in_the_last_turn_is_known_in_a_later_process(
    module, project, tracking, runtime, tmp_path, rules
):
    project.write(a_txt=b"1\n", b_txt=b"1\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=b"2\n")
    tracking.begin_turn(1)
    write_and_look(project, tracking, runtime, b_txt=b"2\n")
    later = module.Tracking(runtime, lambda: None, lambda: str(tmp_path / "storage"))
    later.track(7, [str(project.folder)], rules, tracked=True)
    assert [change.path for change in later.lists(7).last_turn] == ["b.txt"]
    assert {change.path for change in later.lists(7).changes} == {"a.txt", "b.txt"}


def test_a_write_in_a_repository_that_is_new_belongs_to_the_last_turn(repository, tracking, runtime, rules):
    repository.write(a_txt=b"1\n")
    tracking.track(1, [str(repository.folder)], rules, tracked=True)
    write_and_look(repository, tracking, runtime, a_txt=b"2\n")
    tracking.begin_turn(1)
    repository.write(nested__b_txt=b"1\n")
    repository.git("init", "-q", "nested")
    write_and_look(repository, tracking, runtime)
    write_and_look(repository, tracking, runtime, nested__b_txt=b"2\n")
    assert [change.path for change in tracking.lists(1).last_turn] == ["b.txt"]


def test_what_a_tab_has_read_is_not_the_user_s_when_he_saves_it(project, tracking, runtime, tabs, rules):
    project.write(a_txt=b"1\n2\n3\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    path = str(project.folder / "a.txt")
    project.write(a_txt=b"agent\n2\n3\n")
    tracking.carry_out_at(path, tabs.refresh)
    tracking.saves.begin(path)
    project.write(a_txt=b"agent\n2\nuser\n")
    save_tab(tracking, tabs, path, "agent\n2\nuser\n")
    assert texts(tracking) == (b"1\n2\nuser\n", b"agent\n2\nuser\n")


def test_what_is_asked_for_about_a_folder_is_done_in_that_order(project, tracking, runtime, rules, monkeypatch):
    """The threads may begin with any job."""
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    jobs, done = [], []
    monkeypatch.setattr(runtime, "use_disk", lambda function, *args, then, failed=None: jobs.append(function))
    for number in range(3):
        path = str(project.folder / f"{number % 2}.txt")
        tracking.carry_out_at(path, lambda workspace, name, number=number: done.append((number, name)))
    while jobs:
        jobs.pop()(lambda: False)
    assert done == [(0, "0.txt"), (1, "1.txt"), (2, "0.txt")]


def test_a_file_that_the_user_makes_is_not_listed(project, tracking, runtime, tabs, rules):
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    path = str(project.folder / "new.txt")
    tracking.saves.begin(path)
    project.write(new_txt=b"mine\r\n")
    save_tab(tracking, tabs, path, "mine\n", "Windows")
    tracking.saves.ended(path)
    write_and_look(project, tracking, runtime)
    assert tracking.lists(1).changes == ()
    write_and_look(project, tracking, runtime, new_txt=b"mine\r\nagent\r\n")
    assert [change.kind.value for change in tracking.lists(1).changes] == ["changed"]


@pytest.mark.parametrize("lines", [1, COPIED_BYTES // 4], ids=["small", "too large to be kept"])
def test_what_the_user_saves_of_a_file_with_mixed_line_ends_is_not_listed(
    project, tracking, runtime, tabs, rules, lines
):
    """How the lines of a tab end in its file is told for all of them together."""
    project.write(a_txt=b"1\r\n2\n" * lines)
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    project.write(a_txt=b"1\r\n2\n" * lines + b"mine\r\n")
    path = str(project.folder / "a.txt")
    save_tab(tracking, tabs, path, "1\n2\n" * lines + "mine\n", "Windows")
    write_and_look(project, tracking, runtime)
    assert tracking.lists(1).changes == ()


def test_what_a_program_writes_just_after_a_save_is_not_the_user_s(project, tracking, runtime, tabs, rules):
    project.write(a_txt=b"1\n2\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    project.write(a_txt=b"agent\n2\nmine\n")
    save_tab(tracking, tabs, str(project.folder / "a.txt"), "1\n2\nmine\n")
    write_and_look(project, tracking, runtime)
    assert texts(tracking) == (b"1\n2\nmine\n", b"agent\n2\nmine\n")


@pytest.mark.skipif(os.name == "nt", reason="not every user may make links there")
def test_what_the_user_saves_through_a_link_is_not_listed(project, tracking, runtime, tabs, rules):
    project.write(a_txt=b"1\n")
    (project.folder / "link.txt").symlink_to("a.txt")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    project.write(a_txt=b"2\n")
    save_tab(tracking, tabs, str(project.folder / "link.txt"), "2\n")
    write_and_look(project, tracking, runtime)
    assert tracking.lists(1).changes == ()


def test_an_accepted_proposal_is_not_listed_when_it_arrives(project, tracking, runtime, rules):
    project.write(a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    tracking.expect(str(project.folder / "a.txt"), b"accepted\n")
    write_and_look(project, tracking, runtime, a_txt=b"acc")  # half of it
    write_and_look(project, tracking, runtime, a_txt=b"accepted\n")
    assert tracking.lists(1).changes == ()


def test_a_path_in_another_case_is_the_same_where_that_does_not_matter(project, tracking, rules, monkeypatch):
    """As programs on Windows spell the letter of a drive."""
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    path = str(project.folder).upper() + "/sub/../a.txt"
    assert tracking.find_by_window_path(path) == []
    monkeypatch.setattr("os.path.normcase", str.lower)
    assert [name for _, name in tracking.find_by_window_path(path)] == ["a.txt"]


def test_a_folder_that_comes_while_a_tab_is_saved_is_in_nobody_s_way(project, tracking, rules, monkeypatch):
    """The main thread asks for the names of folders while a disk thread looks at another one."""

    class Folders(dict):
        """Between two of them another thread adds one, unless it has to wait."""

        def values(self):
            for each in list(super().values()):
                looking.append(Thread(target=self.track))
                looking[-1].start()
                written.wait(0.1)
                yield each

        def track(self):
            tracking.track(2, [str(project.folder / "other")], rules, tracked=True)

        def setdefault(self, name, root):
            written.set()
            return super().setdefault(name, root)

    project.write(a_txt=b"1\n", other__b_txt=b"1\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    written, looking = Event(), []
    monkeypatch.setattr(tracking, "_roots", Folders(tracking._roots))
    assert [name for _, name in tracking.find_by_window_path(str(project.folder / "a.txt"))] == ["a.txt"]
    for thread in looking:
        thread.join(NEVER_SECONDS)
    assert written.is_set()


def test_nobody_is_woken_while_nothing_happens(project, tracking, runtime, rules):
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=b"now\n")
    runtime.step(ATTENTION_SECONDS + 1)
    runtime.step(ATTENTION_SECONDS + 1)
    jobs, woken = runtime.jobs, runtime.woken
    for _ in range(100):
        runtime.step(10.0)
    assert (runtime.jobs, runtime.woken) == (jobs, woken)


def test_an_untracked_window_is_never_looked_at_and_no_sign_wakes_anybody(project, tracking, runtime, tabs, rules):
    tracking.track(1, [str(project.folder)], rules, tracked=False)
    runtime.step(ATTENTION_SECONDS * 2)
    jobs = runtime.jobs
    tabs.Tabs(tracking).activated()
    write_and_look(project, tracking, runtime, a_txt=b"now\n")
    assert (tracking._timer, runtime.jobs) == (None, jobs)
    assert tracking.workspace_of(str(project.folder)) is None


def test_a_file_that_grows_all_the_time_does_not_fill_the_disk(
    module, project, tracking, runtime, rules, tmp_path, later, monkeypatch
):
    monkeypatch.setattr(module, "UNTIDY_BYTES", 20000)
    project.write(a_log=b"begun\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    for _ in range(30):
        write_and_look(project, tracking, runtime, a_log=b"begun\n" + os.urandom(3000))
        later(10)
    kept = [path.stat().st_size for path in (tmp_path / "storage" / "Unreviewed").iterdir()]
    assert sum(kept) < 40000
    assert tracking.lists(1).changes[0].obstacle == ""


def test_no_earlier_copy_of_a_file_stays_that_is_excluded_by_now(project, tracking, runtime, rules, tmp_path, later):
    project.write(a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    for number in range(3):
        write_and_look(project, tracking, runtime, a_txt=b"%d\n" % number)
    hiding = Rules(lambda path: path.endswith("a.txt"), lambda path, is_folder: False)
    tracking.track(1, [str(project.folder)], hiding, tracked=True)
    later(61)
    write_and_look(project, tracking, runtime, b_txt=b"new\n")
    store = Store(str(tmp_path / "storage" / STORE))
    names = [path.stem for path in (tmp_path / "storage" / STORE).glob("*.kept")]
    assert [store.kept(name) for name in names if store.kept(name) != b"new\n"] == []


def test_what_is_kept_is_tidied_at_the_beginning_and_then_every_hour(
    module, project, tracking, runtime, rules, monkeypatch
):
    tidied = []
    monkeypatch.setattr("companion.unreviewed.store.Store.tidy", lambda store: tidied.append(1))
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    for expected in (1, 2):
        for number in range(3):
            write_and_look(project, tracking, runtime, a_txt=b"%d %d\n" % (expected, number))
            assert len(tidied) == expected
        runtime.step(module.TIDY_SECONDS)


def test_the_main_thread_hears_of_changes_alone(project, tracking, runtime, rules):
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, a_txt=b"now\n")
    woken, jobs = runtime.woken, runtime.jobs
    for _ in range(10):
        tracking.sign()
        runtime.step(INTERVAL_SECONDS)
    assert runtime.jobs >= jobs + 10
    assert runtime.woken == woken


def test_what_a_look_has_found_is_told_though_another_one_follows_at_once(
    module, project, runtime, tmp_path, rules, monkeypatch
):
    told = []
    tracking = module.Tracking(runtime, lambda: told.append(1), lambda: str(tmp_path / "storage"))
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    told.clear()
    look, once = Folder.visit, [True]

    def asked_again(self, *arguments):
        if once:
            once.clear()
            self.queue.ask()
        return look(self, *arguments)

    monkeypatch.setattr(Folder, "visit", asked_again)
    write_and_look(project, tracking, runtime, a_txt=b"new\n")
    assert told


def test_a_program_is_held_until_the_folders_of_its_window_were_looked_at(project, tracking, runtime, rules, tmp_path):
    looked = []
    (tmp_path / "elsewhere").mkdir()
    tracking.track(1, [str(project.folder), str(tmp_path / "elsewhere")], rules, tracked=True)
    project.write(user_txt=b"user\n")
    tracking.call_begins(1, "call", OpenCall(Doer("Claude Code", "go on")), partial(looked.append, "begins"))
    assert looked == ["begins"]
    assert [change.origin.who for change in tracking.lists(1).changes] == [""]
    project.write(a_txt=b"1\n")
    tracking.call_ended(1, "call", partial(looked.append, "ended"))
    assert looked == ["begins", "ended"]
    assert tracking.lists(1).changes[-1].origin == Origin("Claude Code", "go on")


@pytest.mark.parametrize("has_run", [True, False])
def test_writes_of_a_call_that_asked_the_user_are_counted_at_its_end(
    project, tracking, runtime, rules, tmp_path, has_run
):
    (tmp_path / "elsewhere").mkdir()
    tracking.track(1, [str(project.folder), str(tmp_path / "elsewhere")], rules, tracked=True)
    tracking.only_hooked(1, True)
    tracking.call_begins(1, "call", OpenCall(Doer("Claude Code")), lambda: None)
    tracking.call_doubtful(1, "call")
    tracking.call_doubtful(1, "another")  # which has ended
    project.write(a_txt=b"1\n")
    (tmp_path / "elsewhere" / "b.txt").write_bytes(b"1\n")
    write_and_look(project, tracking, runtime)
    assert (tracking.lists(1).changes, len(tracking.lists(1).outside)) == ((), 2)
    tracking.call_ended(1, "call", lambda: None, has_run=has_run)
    counted, apart = tracking.lists(1).changes, tracking.lists(1).outside
    assert (len(counted), len(apart)) == ((2, 0) if has_run else (0, 2))
    assert {change.origin for change in counted} == ({Origin("Claude Code", perhaps=True)} if has_run else set())


@pytest.mark.parametrize("doubtful", [True, False])
@pytest.mark.parametrize("seconds", [0.0, INTERVAL_SECONDS, ATTENTION_SECONDS + 10 * INTERVAL_SECONDS])
def test_the_last_look_at_a_call_is_certain_unless_the_user_had_time(
    project, tracking, runtime, rules, seconds, doubtful
):
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    tracking.call_begins(1, "call", OpenCall(Doer("Claude Code"), (), doubtful), lambda: None)
    runtime.step(seconds)
    project.write(a_txt=b"1\n")
    tracking.call_ended(1, "call", lambda: None)
    (change,) = tracking.lists(1).changes
    assert change.origin == Origin("Claude Code", perhaps=doubtful and seconds > ATTENTION_SECONDS)


def test_a_program_that_works_where_nothing_is_tracked_goes_on_at_once(project, tracking, runtime, rules):
    looked = []
    tracking.track(1, [str(project.folder)], rules, tracked=False)
    jobs = runtime.jobs
    for window in (1, 2):
        tracking.call_begins(window, "call", OpenCall(Doer("Claude Code")), partial(looked.append, window))
        tracking.call_ended(window, "call", partial(looked.append, window))
    assert (looked, runtime.jobs) == ([1, 1, 2, 2], jobs)


def test_calls_that_come_while_a_folder_is_looked_at_share_the_next_look(
    module, project, tracking, runtime, rules, monkeypatch
):
    """What has begun to look may have passed the files already."""
    looked, looks, waiting = [], [], []
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    look = Folder.visit
    monkeypatch.setattr(Folder, "visit", lambda *args: looks.append(1) or look(*args))
    monkeypatch.setattr(runtime, "use_disk", lambda function, *args, then: waiting.append(partial(function, *args)))
    for number in range(5):
        tracking.call_begins(1, number, OpenCall(Doer("Claude Code")), partial(looked.append, number))
    waiting.pop(0)(lambda: False)
    assert (sorted(looked), len(looks)) == ([0, 1, 2, 3, 4], 1)


def test_a_programs_write_is_its_own_in_another_window_on_the_same_folder(project, tracking, runtime, rules, tmp_path):
    (tmp_path / "link").symlink_to(project.folder)
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    tracking.track(2, [str(tmp_path / "link")], rules, tracked=True)
    tracking.only_hooked(2, True)
    tracking.call_begins(1, "call", OpenCall(Doer("Claude Code")), lambda: None)
    project.write(a_txt=b"1\n")
    tracking.call_ended(1, "call", lambda: None)
    runtime.step(INTERVAL_SECONDS)
    assert [change.origin.who for change in tracking.lists(2).changes] == ["Claude Code"]


def test_where_only_hooked_programs_are_at_work_nothing_else_is_counted(project, tracking, runtime, rules):
    """As soon as another program has come, it may have written since the last look. In a second window is none."""
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    tracking.track(2, [str(project.folder)], rules, tracked=False)
    tracking.only_hooked(1, True)
    write_and_look(project, tracking, runtime, a_txt=b"1\n")
    assert [change.path for change in tracking.lists(1).outside] == []
    write_and_look(project, tracking, runtime, b_txt=b"1\n")
    lists = tracking.lists(1)
    assert ([each.path for each in lists.changes], [each.path for each in lists.outside]) == (["a.txt"], ["b.txt"])
    tracking.only_hooked(1, False)
    write_and_look(project, tracking, runtime, c_txt=b"1\n")
    assert [each.path for each in tracking.lists(1).changes] == ["a.txt", "c.txt"]


def test_what_the_user_deletes_in_the_side_bar_is_not_listed(project, tracking, runtime, tabs, rules):
    project.write(a_txt=b"1\n", b_txt=b"1\n", sub__c_txt=b"1\n", d_txt=b"1\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, b_txt=b"2\n")
    events = tabs.Tabs(tracking)
    project.write(a_txt=None, b_txt=None, sub__c_txt=None)
    (project.folder / "sub").rmdir()
    events.commanded("delete_file", {"files": [str(project.folder / f"{name}.txt") for name in "abd"]})
    events.commanded("delete_folder", {"dirs": [str(project.folder / "sub")]})
    for arguments in (None, {}, {"files": "a.txt"}, {"files": [1]}):
        events.commanded("delete_file", arguments)
    write_and_look(project, tracking, runtime)
    assert tracking.lists(1) == Lists()
    write_and_look(project, tracking, runtime, d_txt=None)  # the user has decided not to
    assert [change.path for change in tracking.lists(1).changes] == ["d.txt"]


def test_a_packages_confirmed_delete_is_listed_only_if_perhaps_a_programs(
    project, tracking, runtime, tabs, rules, later
):
    project.write(a_txt=b"1\n", b_txt=b"1\n", c_txt=b"1\n", d_txt=b"1\n", sub__e_txt=b"1\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, b_txt=b"2\n")
    events, paths = tabs.Tabs(tracking), [str(project.folder / name) for name in ("a.txt", "b.txt", "c.txt", "sub")]
    events.commanded("side_bar_delete", {"paths": paths})
    runtime.step(INTERVAL_SECONDS)  # the user answers
    write_and_look(project, tracking, runtime, a_txt=None, b_txt=None, sub__e_txt=None)
    assert tracking.lists(1) == Lists()
    tracking.call_begins(1, "call", OpenCall(Doer("Claude Code")), lambda: None)
    runtime.step(INTERVAL_SECONDS)
    write_and_look(project, tracking, runtime, c_txt=None)
    tracking.call_ended(1, "call", lambda: None)
    runtime.step(INTERVAL_SECONDS)
    events.commanded("side_bar_delete", {"paths": [str(project.folder / "d.txt")]})
    later(user_acts.DELETING_SECONDS)  # so long that the user has decided not to
    write_and_look(project, tracking, runtime, d_txt=None)
    assert [change.path for change in tracking.lists(1).changes] == ["c.txt", "d.txt"]


@pytest.mark.parametrize("command", ["rename_path", "side_bar_move", "side_bar_cut"])
@pytest.mark.parametrize("name", ["a.txt", "sub"])
def test_a_side_bar_rename_by_the_user_is_not_listed_and_moves_the_change(
    project, tracking, runtime, tabs, rules, name, command
):
    project.write(a_txt=b"1\n", sub__b_txt=b"1\n", sub__c_txt=b"one\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    write_and_look(project, tracking, runtime, sub__c_txt=b"two\n")
    tabs.Tabs(tracking).commanded(command, {"paths": [str(project.folder / name)]})
    runtime.step(INTERVAL_SECONDS)
    (project.folder / name).rename(project.folder / "moved")
    write_and_look(project, tracking, runtime)
    found = [(change.path, change.kind.value) for change in tracking.lists(1).changes]
    assert found == [("sub/c.txt" if name == "a.txt" else "moved/c.txt", "changed")]
    assert texts(tracking) == (b"one\n", b"two\n")


def test_a_user_who_comes_back_is_told_what_was_written_in_the_meantime(project, tracking, runtime, tabs, rules):
    project.write(a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    events = tabs.Tabs(tracking)
    events.activated()
    runtime.step(ATTENTION_SECONDS * 2)
    runtime.step(INTERVAL_SECONDS)
    project.write(a_txt=b"now\n")
    events.activated()  # from another application
    runtime.step(INTERVAL_SECONDS)
    assert [change.path for change in tracking.lists(1).changes] == ["a.txt"]


def test_what_a_program_writes_as_soon_as_it_has_come_is_listed(project, tracking, runtime, rules):
    project.write(a_txt=b"before\n")
    tracking.track(1, [str(project.folder)], rules, tracked=False)
    runtime.step(ATTENTION_SECONDS * 2)
    tracking.track(1, [str(project.folder)], rules, tracked=True)
    project.write(a_txt=b"now\n")
    runtime.step(INTERVAL_SECONDS)
    assert [change.path for change in tracking.lists(1).changes] == ["a.txt"]
