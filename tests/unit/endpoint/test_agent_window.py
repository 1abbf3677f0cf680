"""A window as programs may use it: reviews that calls wait for, what is shared, what is saved and opened."""

from __future__ import annotations

import asyncio
import itertools
import os
import threading

import pytest

from companion.agents.window import ActiveFile, CannotDo, FileDiagnostics, OpenEditor, TextPosition
from companion.protocol.tools import Cancellation
from companion.review.decision import Outcome, ReviewError
from companion.review.proposing import PREPARE_SECONDS
from companion.system.files import Stamp
from tests.support.agent_windows import CLIENT, OWNER, Bench, Syntax, View


@pytest.fixture
def module(load):
    return load("companion.endpoint.agent_window")


@pytest.fixture
def bench(module, tmp_path):
    (tmp_path / "file.py").write_bytes(b"old\n")
    return Bench(module, os.path.realpath(str(tmp_path)))


class TestReview:
    def test_it_is_shown_for_the_client_and_waits_for_the_decision(self, bench):
        def accept():
            (ticket,) = bench.reviews.tickets
            assert (ticket.name, ticket.waiting) == ("its name", True)
            ticket.settle(Outcome(bench.path(), "edited\n"))

        assert bench.review(accept) == "edited\n"
        assert bench.reviews.asked == [("open", OWNER, bench.path(), "new\n", "old\n")]
        assert bench.runtime.disk == ["make_ready"]
        assert bench.runtime.main == ["file_request", "show"]

    def test_a_rejected_text_is_none(self, bench):
        outcome = Outcome("/a", None)
        assert bench.review(lambda: bench.reviews.tickets[0].settle(outcome)) is None

    def test_a_review_that_is_taken_back_is_no_decision(self, bench):
        with pytest.raises(CannotDo, match="answered elsewhere"):
            bench.review(lambda: bench.reviews.tickets[0].settle(None))

    def test_what_cannot_be_shown_is_said(self, bench):
        with pytest.raises(CannotDo, match="is a folder"):
            bench.review(lambda: None, path=bench.folder)
        bench.reviews.fails = ReviewError("The editor window has been closed.")
        with pytest.raises(CannotDo, match="has been closed"):
            bench.review(lambda: None)

    def test_a_disk_that_does_not_answer_is_said(self, bench, later):
        bench.runtime.hangs = True
        with pytest.raises(CannotDo, match="The disk does not answer"):
            bench.review(lambda: later(PREPARE_SECONDS))

    def test_a_client_that_takes_its_call_back_takes_the_review_with_it(self, bench):
        with pytest.raises(CannotDo, match="answered elsewhere"):
            bench.review(lambda: bench.tool_call.cancel(Cancellation.BY_CLIENT))
        assert bench.reviews.taken_back == bench.reviews.tickets
        assert not bench.runtime.later
        assert not bench.reviews.tickets[0].waiting

    @pytest.mark.parametrize("lives", [True, False])
    def test_after_a_broken_connection_a_review_goes_if_the_client_lives_on(self, bench, lives):
        with pytest.raises(CannotDo, match="answered elsewhere"):
            bench.review(lambda: bench.tool_call.cancel(Cancellation.CONNECTION_LOST))
        assert not bench.reviews.taken_back
        ((milliseconds, look),) = bench.runtime.later
        assert milliseconds == 10000
        if not lives:
            bench.agents.remove(CLIENT.id)
        look()
        assert bench.reviews.taken_back == (bench.reviews.tickets if lives else [])

    def test_a_call_that_is_taken_back_while_the_file_is_read_shows_nothing(self, bench):
        async def take_back():
            bench.tool_call.cancel(Cancellation.BY_CLIENT)

        while_it_is_read(bench, take_back)
        with pytest.raises(CannotDo, match="answered elsewhere"):
            bench.review(lambda: None)
        assert not bench.reviews.asked

    @pytest.mark.parametrize("name", ["its name", None])
    def test_a_question_answered_in_the_terminal_meanwhile_shows_nothing(self, bench, name):
        bench.reviews.withdraw = lambda session, name=None: 0
        closed = []

        async def close():
            for session in ("another", CLIENT.id):
                if name is not None:
                    assert await bench.subject.withdraw_review(session, "another name") is False
                    closed.append(await bench.subject.withdraw_review(session, name))
                else:
                    closed.append(await bench.subject.withdraw_reviews(session))

        while_it_is_read(bench, close)
        with pytest.raises(CannotDo, match="answered elsewhere"):
            bench.review(lambda: None)
        assert (closed, bench.reviews.asked) == ([0, 1], [])
        assert bench.review(lambda: bench.reviews.tickets[0].settle(Outcome(bench.path(), "next\n"))) == "next\n"

    @pytest.mark.parametrize("closed", [True, False])
    def test_so_it_is_for_a_proposal_that_no_call_waits_for(self, bench, closed):
        bench.reviews.close_diff = lambda *args, **options: None

        async def close():
            path = bench.path() if closed else bench.path("another.py")
            assert await bench.subject.close_proposal(CLIENT, path, silently=True) is None

        while_it_is_read(bench, close)
        asyncio.run(bench.subject.propose(CLIENT, bench.path(), "new\n"))
        assert len(bench.reviews.asked) == (0 if closed else 1)

    @pytest.mark.parametrize("called", [True, False])
    def test_a_program_switched_off_meanwhile_is_told_so_and_shows_nothing(self, bench, called):
        async def switch_off():
            bench.agents.hidden.add(CLIENT.id)

        while_it_is_read(bench, switch_off)
        with pytest.raises(CannotDo, match="does not share this window"):
            if called:
                bench.review(lambda: None)
            else:
                asyncio.run(bench.subject.propose(CLIENT, bench.path(), "new\n"))
        assert not bench.reviews.asked

    def test_the_later_of_two_proposals_is_shown_however_slow_the_first_is(self, bench):
        async def send_again():
            await bench.subject.propose(CLIENT, bench.path(), "newer\n")

        while_it_is_read(bench, send_again)
        asyncio.run(bench.subject.propose(CLIENT, bench.path(), "new\n"))
        assert [asked[3] for asked in bench.reviews.asked] == ["newer\n"]


def while_it_is_read(bench, act):
    """Does something while the next file that is to be reviewed is read."""
    real = bench.runtime.in_worker

    async def in_worker(function, *args):
        bench.runtime.in_worker = real
        await act()
        return await real(function, *args)

    bench.runtime.in_worker = in_worker


class TestWhatIsThere:
    def test_only_the_tabs_that_are_shared(self, bench):
        bench.window.tabs = [
            View(bench.path("one.py"), dirty=True, syntax=Syntax()),
            View(None),
            View(bench.path("secret.py")),
            View(bench.path("two.py")),
        ]
        bench.share("one.py", "two.py", active="two.py")
        assert asyncio.run(bench.subject.open_editors()) == [
            OpenEditor(bench.path("one.py"), False, True, "Python"),
            OpenEditor(bench.path("two.py"), True, False, ""),
        ]

    def test_a_file_that_is_asked_for_need_not_be_among_those_told_unasked(self, bench):
        found = self.found(bench)
        bench.window.tabs = [View(bench.path(f"{number}.py"), dirty=True) for number in range(12)]
        bench.share(*(f"{number}.py" for number in range(10)))
        eleventh = bench.path("10.py")
        assert asyncio.run(bench.subject.is_dirty(eleventh)) is True
        assert asyncio.run(bench.subject.diagnostics(eleventh)) == [FileDiagnostics(eleventh, ())]
        assert len(asyncio.run(bench.subject.diagnostics(None))) == 10
        assert [len(paths) for paths in found] == [1, 10]

    def test_unsaved_edits_are_told_of_shared_files_only(self, bench):
        bench.window.tabs = [View(bench.path("one.py"), dirty=True), View(bench.path("secret.py"), dirty=True)]
        bench.window.tabs.append(View(bench.path("two.py")))
        bench.tracker.withheld.append(bench.path("secret.py"))
        dirty = {name: asyncio.run(bench.subject.is_dirty(bench.path(name))) for name in ("one.py", "two.py")}
        assert dirty == {"one.py": True, "two.py": False}
        assert asyncio.run(bench.subject.is_dirty(bench.path("secret.py"))) is None

    def test_the_selection_is_the_trackers(self, bench):
        bench.tracker.active = ActiveFile("/a.py", TextPosition(0, 0), TextPosition(0, 1), "x")
        assert asyncio.run(bench.subject.selection()) is bench.tracker.active
        assert bench.runtime.main == ["context"]

    def found(self, bench):
        """Something is found in every file; returns the list of what was asked for, each time."""
        asked = []
        shared = bench.subject._diagnostics._shared_files

        async def of(paths):
            asked.append(list(shared() if paths is None else paths))
            return [FileDiagnostics(path, ()) for path in asked[-1]]

        bench.subject._diagnostics.of = of
        return asked

    def test_diagnostics_of_a_file_that_is_not_shared_are_not_told(self, bench):
        asked = self.found(bench)
        bench.share("one.py", "two.py")
        bench.window.tabs = [View(bench.path(name)) for name in ("one.py", "two.py", "secret.py")]
        bench.tracker.withheld.append(bench.path("secret.py"))
        for path in (bench.path("two.py"), bench.path("secret.py"), None):
            asyncio.run(bench.subject.diagnostics(path))
        assert asked == [[bench.path("two.py")], [], [bench.path("one.py"), bench.path("two.py")]]
        assert bench.runtime.main == ["_askable_files"] * 4 + ["_shared_files"], "of all it is looked up while reading"

    @pytest.mark.parametrize("name", ["two.py", None])
    def test_diagnostics_of_a_file_withheld_while_they_are_read_are_not_told(self, bench, name):
        bench.share("one.py", "two.py")
        bench.window.tabs = [View(bench.path(name)) for name in ("one.py", "two.py")]

        async def of(paths):
            bench.share("one.py")
            bench.tracker.withheld.append(bench.path("two.py"))
            return [FileDiagnostics(bench.path(each), ()) for each in ("one.py", "two.py") if name in (None, each)]

        bench.subject._diagnostics.of = of
        told = asyncio.run(bench.subject.diagnostics(name and bench.path(name)))
        assert [file.path for file in told] == ([] if name else [bench.path("one.py")])

    def linked(self, bench, name):
        """The same file by way of a link to the folder, as a program names it that resolves links, or does not."""
        link = bench.path("link")
        if not os.path.lexists(link):
            os.symlink(bench.folder, link)
        return os.path.join(link, name)

    def test_diagnostics_of_a_file_that_the_program_spells_otherwise(self, bench, monkeypatch):
        self.found(bench)
        bench.window.tabs = [View(None), View(bench.path("file.py")), View(bench.path("two.py"))]
        for spelled in (bench.path("file.py"), bench.path("./file.py"), self.linked(bench, "file.py")):
            # Under the name it was asked for by: the program compares the two.
            assert asyncio.run(bench.subject.diagnostics(spelled)) == [FileDiagnostics(spelled, ())]
        assert bench.runtime.disk == ["same_files"], "not where the names say it"
        monkeypatch.chdir(bench.folder)
        for other in ("file.py", self.linked(bench, "gone.py")):
            assert asyncio.run(bench.subject.diagnostics(other)) == []

    def test_a_file_the_program_spells_otherwise_is_dirty_and_is_saved(self, bench):
        view = View(bench.path(), dirty=True)
        bench.window.tabs = [View(None), view]
        bench.share("file.py")
        spelled = self.linked(bench, "file.py")
        view.saves = False
        assert asyncio.run(bench.subject.is_dirty(spelled)) is True
        view.saves = True
        assert asyncio.run(bench.subject.save(spelled)) is True
        assert not view.dirty

    def test_what_is_not_shared_is_not_saved_by_another_name(self, bench):
        view = View(bench.path(), dirty=True)
        bench.window.tabs = [view]
        bench.tracker.withheld = [bench.path()]
        assert asyncio.run(bench.subject.save(self.linked(bench, "file.py"))) is False
        assert not view.commands


class TestWhatIsDone:
    def outside(self, bench):
        return os.path.join(os.path.dirname(bench.folder), "elsewhere.py")

    def test_an_open_file_is_saved_if_it_has_to_be(self, bench):
        for name in ("one.py", "two.py"):
            with open(bench.path(name), "w", encoding="utf-8"):
                pass  # both are on the disk
        dirty, clean = View(bench.path("one.py"), dirty=True), View(bench.path("two.py"))
        bench.window.tabs = [View(None), clean, dirty]
        assert asyncio.run(bench.subject.save(bench.path("one.py"))) is True
        assert asyncio.run(bench.subject.save(bench.path("two.py"))) is True
        assert (dirty.commands, clean.commands) == ([("save", {"async": True})], [])
        assert not dirty.dirty
        assert asyncio.run(bench.subject.save(bench.path("three.py"))) is False
        assert bench.runtime.disk == ["inside_workspace", "_state"] * 2 + ["inside_workspace", "same_files"]

    def test_a_file_that_the_editor_could_not_save_is_not_saved(self, bench, module, later):
        view = View(bench.path(), dirty=True, saves=False)
        view.run_command = lambda *command: later(module.SAVE_SECONDS + 1)
        bench.window.tabs = [view]
        assert asyncio.run(bench.subject.save(bench.path())) is False

    @pytest.mark.parametrize("origin", [None, Stamp(size=4)], ids=["not known", "another"])
    def test_a_file_changed_on_the_disk_is_not_overwritten_by_its_tab(self, bench, origin):
        view = View(bench.path(), dirty=True)
        bench.window.tabs = [view]
        bench.origins[bench.path()] = origin
        with pytest.raises(CannotDo, match="has changed on the disk"):
            asyncio.run(bench.subject.save(bench.path()))
        assert not view.commands

    @pytest.mark.parametrize("dirty", [True, False])
    def test_what_has_been_deleted_is_not_brought_back(self, bench, dirty):
        view = View(bench.path(), dirty=dirty)
        bench.window.tabs = [view]
        bench.origins[bench.path()] = bench.module.stamp(bench.path())
        os.unlink(bench.path())
        with pytest.raises(CannotDo, match="is not on the disk"):
            asyncio.run(bench.subject.save(bench.path()))
        assert not view.commands

    def test_a_tab_without_edits_is_saved_whatever_the_disk_holds(self, bench):
        bench.window.tabs = [View(bench.path())]
        bench.origins[bench.path()] = None
        assert asyncio.run(bench.subject.save(bench.path())) is True

    def test_what_a_link_leads_to_may_be_withheld_too(self, bench):
        os.symlink(bench.path(), bench.path("link.py"))
        bench.window.tabs = [View(bench.path("link.py"), dirty=True)]
        bench.tracker.withheld = [bench.path()]
        assert asyncio.run(bench.subject.save(bench.path("link.py"))) is False
        with pytest.raises(CannotDo, match="does not share this file"):
            asyncio.run(bench.subject.open_file(bench.path("link.py")))
        assert not bench.window.tabs[0].commands
        assert not bench.window.opened

    def test_no_link_in_the_workspace_is_followed_once_it_was_judged(self, bench):
        os.symlink(bench.path(), bench.path("link.py"))
        asyncio.run(bench.subject.open_file(bench.path("link.py")))
        assert bench.window.opened == [bench.path()]
        bench.window.tabs = [View(bench.path("link.py"))]
        asyncio.run(bench.subject.open_file(bench.path("link.py")))
        assert bench.window.opened[1:] == [bench.path("link.py")], "it is open already"

    def test_a_link_that_comes_once_its_place_was_judged_is_not_followed(self, bench, module, monkeypatch):
        judge, link = module.place_inside, bench.path("link.py")

        def judge_then_link(path, folders):
            place = judge(path, folders)
            os.symlink(bench.path(), link)
            return place

        monkeypatch.setattr(module, "place_inside", judge_then_link)
        with pytest.raises(CannotDo, match="no such file"):
            asyncio.run(bench.subject.open_file(link))
        assert bench.window.opened == []

    def test_a_link_that_is_exchanged_all_the_time_opens_nothing_outside(self, bench):
        outside, link = bench.folder + "-secret.py", bench.path("link.py")
        with open(outside, "w", encoding="utf-8") as file:
            file.write("secret")
        over, targets = threading.Event(), itertools.cycle([bench.path(), outside])

        def exchange():
            while not over.is_set():
                os.symlink(next(targets), link + ".new")
                os.replace(link + ".new", link)

        thread = threading.Thread(target=exchange)
        thread.start()
        try:
            for _ in range(200):
                try:
                    asyncio.run(bench.subject.open_file(link))
                except CannotDo:
                    continue
        finally:
            over.set()
            thread.join()
        assert set(bench.window.opened) == {bench.path()}

    def test_a_file_of_more_than_a_review_shows_is_not_opened(self, bench):
        with open(bench.path(), "w", encoding="utf-8") as file:
            file.write("x" * 1000)
        asyncio.run(bench.subject.open_file(bench.path()))
        with open(bench.path(), "a", encoding="utf-8") as file:
            file.write("x")
        with pytest.raises(CannotDo, match="has 1001 bytes.* up to 1000"):
            asyncio.run(bench.subject.open_file(bench.path()))
        assert bench.window.opened == [bench.path()]

    def test_outside_of_the_workspace_nothing_is_saved_or_opened(self, bench):
        view = View(self.outside(bench), dirty=True)
        bench.window.tabs = [view]
        with pytest.raises(CannotDo, match="outside the workspace folders"):
            asyncio.run(bench.subject.save(view.path))
        os.link(bench.path(), view.path)
        with pytest.raises(CannotDo, match="outside the workspace folders"):
            asyncio.run(bench.subject.save(bench.path()))
        with pytest.raises(CannotDo, match="outside the workspace folders"):
            asyncio.run(bench.subject.open_file(view.path))
        assert not view.commands
        assert not bench.window.opened

    def test_of_a_file_that_is_not_shared_nothing_is_learned(self, bench):
        view = View(bench.path(), dirty=True)
        bench.window.tabs = [view]
        bench.tracker.withheld = [view.path, bench.path("none.py")]
        assert asyncio.run(bench.subject.save(view.path)) is False
        for path in bench.tracker.withheld:
            with pytest.raises(CannotDo, match="does not share this file"):
                asyncio.run(bench.subject.open_file(path))
        assert not view.commands
        assert not bench.window.opened

    def test_a_file_may_be_opened_behind_the_others_and_as_a_preview(self, bench):
        asyncio.run(bench.subject.open_file(bench.path(), in_front=False, preview=True))
        assert bench.window.shown == [(bench.path(), False, True)]
        assert bench.runtime.disk == ["_place"]

    def opened(self, bench, *numbers):
        """Have a program open files of these numbers."""
        for number in numbers:
            path = bench.path(f"{number}.py")
            with open(path, "w", encoding="utf-8"):
                pass
            asyncio.run(bench.subject.open_file(path))

    def test_of_files_that_programs_have_opened_so_many_may_be_open(self, bench, module):
        bench.window.tabs = [View(bench.path("mine.py"))]
        most = module.MOST_OPENED
        self.opened(bench, *range(most))
        with pytest.raises(CannotDo, match=f"{most} files that agents have opened are open"):
            self.opened(bench, most)
        assert len(bench.window.opened) == most
        self.opened(bench, 0)
        assert len(bench.window.opened) == most + 1, "it is open already"
        del bench.window.tabs[1]  # the user closes one
        self.opened(bench, most)
        with pytest.raises(CannotDo):
            self.opened(bench, most + 1)

    def test_what_the_user_has_opened_does_not_count(self, bench, module):
        names = [f"{number}.py" for number in range(module.MOST_OPENED + 1)]
        bench.window.tabs = [View(bench.path(name)) for name in names]
        self.opened(bench, *range(len(names)))
        self.opened(bench, "another")
        assert bench.window.opened[-1] == bench.path("another.py")

    def test_while_the_user_types_into_a_list_nothing_is_opened(self, bench):
        """The call is answered once that has been done."""

        async def scenario():
            bench.reviews.waiting = []
            call = asyncio.ensure_future(bench.subject.open_file(bench.path()))
            while not bench.reviews.waiting:
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not call.done()
            assert not bench.window.opened
            bench.reviews.waiting.pop()()
            await call
            assert bench.window.opened == [bench.path()]

        asyncio.run(scenario())

    def test_a_file_that_is_not_there_is_not_made(self, bench):
        with pytest.raises(CannotDo, match="There is no such file"):
            asyncio.run(bench.subject.open_file(bench.path("none.py")))
        assert not bench.window.opened

    def test_reviews_are_withdrawn_and_clients_renamed(self, bench):
        assert asyncio.run(bench.subject.withdraw_review("session-1", "its name")) is True
        assert asyncio.run(bench.subject.withdraw_reviews("session-1")) == 3
        assert bench.reviews.asked == [("withdraw", "session-1", "its name"), ("withdraw", "session-1", None)]
        bench.subject.rename_client("session-1", "Polite greeting")
        assert bench.agents.renamed == [("session-1", "Polite greeting")]
