"""What programs write without asking: it is listed, shown in the review, kept or undone; nothing else is touched."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Iterator, List
from unittest import mock

import sublime

from ..companion.agents.registry import AGENTS
from ..companion.review.manager import ReviewManager
from ..companion.terminals.launcher import RUN, TAG
from ..companion.unreviewed.model import Scope
from ..companion.unreviewed.schedule import Schedule
from .review_support import PLUGIN, ReviewTestCase
from .support.selecting import put_caret, select

LINES = "".join(f"line {number}\n" for number in range(12))
THREE = LINES.replace("line 1\n", "LINE 1\n").replace("line 5\n", "LINE 5\n").replace("line 9\n", "LINE 9\n")
CHANGED = LINES.replace("line 2\n", "LINE 2\n").replace("line 9\n", "LINE 9\n")


class ChangesTestCase(ReviewTestCase):
    """The reviews are those of the window's own endpoint; no client is connected, but one was started."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        data = self.window.project_data() or {}
        data["settings"] = {"gemini_companion": {"review_presentation": "side_by_side"}}
        self.window.set_project_data(data)
        self.endpoint.settings_changed()
        self.changes = self.endpoint.changes.reviews
        self.tracking = self.endpoint.changes._tracking
        self.tracking._schedule = Schedule()  # looks of the tests before this one do not hold up its own
        self.said: List[str] = []
        patcher = mock.patch.object(sublime.Window, "status_message", lambda window, text: self.said.append(text))
        patcher.start()
        self.addCleanup(patcher.stop)

    def hand_events_to(self, reviews: ReviewManager) -> None:
        self.reviews = self.endpoint.reviews

    def track(self) -> Iterator[Any]:
        """A program is started. `yield from` returns once its folder was looked at."""
        self.endpoint.workspace_changed()
        self.endpoint.changes.started()
        yield self.looked

    def looked(self) -> bool:
        folder = self.tracking._folders.get(self.folder)
        return folder is not None and not folder.busy

    def names(self) -> List[str]:
        return [change.path for change in self.changes.listed]

    def listed(self, *names: str) -> Iterator[Any]:
        """Wait until just these are listed."""
        self.tracking.sign()
        yield lambda: sorted(self.names()) == sorted(names)

    def change(self, name: str = "file.py", before: str = LINES, after: str = CHANGED) -> Iterator[Any]:
        """A program changes a file. `yield from` gives its review."""
        self.write(name, before)
        yield from self.track()
        self.write(name, after)
        yield from self.listed(name)
        review = yield from self.show(name)
        return review

    def show(self, name: str) -> Iterator[Any]:
        """Choose a file of the list. `yield from` gives its review, once it is drawn."""
        self.changes.show(self.changes.listed[self.names().index(name)])
        yield lambda: self.open_review(name) is not None
        review = self.open_review(name)
        yield lambda: review in self.reviews._presentations and self.header(review) != ""
        yield self.settled
        yield lambda: not self.reviews.open_reviews.input_guard.ignores(review)
        return review

    def open_review(self, name: str) -> Any:
        return next((each for each in self.reviews.open_reviews.pending() if each.path == self.path(name)), None)

    def nothing_open(self) -> bool:
        return not self.reviews.open_reviews.all()

    def caret(self, review: Any, row: int) -> None:
        view = self.proposal(review)
        self.window.focus_view(view)
        put_caret(view, view.text_point(row, 0))

    def command(self, name: str, **arguments: Any) -> None:
        self.window.run_command("gemini_companion_" + name, arguments)

    def panel(self, name: str, **arguments: Any) -> Any:
        """The arguments of the quick panel that a command shows."""
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.command(name, **arguments)
        self.assertEqual(panel.call_count, 1)
        return panel.call_args

    def can(self, name: str) -> bool:
        """Whether a command is enabled."""
        return sys.modules[PLUGIN].__dict__[name](self.window).is_enabled()


class TestListing(ChangesTestCase):
    def test_a_changed_file_is_counted_and_nothing_opens(self) -> Iterator[Any]:
        view = yield from self.open_file("mine.py")
        self.write("file.py", LINES)
        yield from self.track()
        before = self.picture()
        self.write("file.py", CHANGED)
        self.write("new.py", "new\n")
        self.tracking.sign()
        yield lambda: "2 changed files" in view.get_status("gemini_companion")
        self.assertEqual(self.picture(), before)

    def test_the_list_says_what_happened_to_each(self) -> Iterator[Any]:
        for name in ("changed.py", "gone.py", "moved.py"):
            self.write(name, name + "\n" + LINES)
        yield from self.track()
        self.write("changed.py", "changed.py\n" + CHANGED)
        os.unlink(self.path("gone.py"))
        os.rename(self.path("moved.py"), self.path("there.py"))
        self.write("new.py", "one\ntwo\n")
        self.write("picture", b"\x89PNG\r\n\x1a\n\x00\x00")
        yield from self.listed("changed.py", "gone.py", "there.py", "new.py", "picture")
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.command("show_unreviewed_changes")
        found = {item.trigger: (item.details, item.annotation) for item in panel.call_args[0][0]}
        self.assertEqual(
            found,
            {
                "changed.py": ("", "+2 \u22122"),
                "gone.py": ("", "+0 \u221213, deleted"),
                "there.py": ("renamed from moved.py", "renamed"),
                "new.py": ("", "+2 \u22120, new"),
                "picture": ("", "new, binary"),
            },
        )

    def test_a_line_that_the_user_saves_is_not_listed_beside_that_of_a_program(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        yield from self.track()
        self.write(content=CHANGED)
        yield lambda: view.substr(sublime.Region(0, view.size())) == CHANGED
        yield from self.listed("file.py")
        self.type(view, 0, "# mine\n")
        view.run_command("save")
        saved = len("# mine\n" + CHANGED)
        yield lambda: [change.now.size for change in self.changes.listed] == [saved]
        (change,) = self.changes.listed
        self.assertEqual((change.added, change.removed), (2, 2))

    def test_what_is_excluded_from_the_context_is_not_listed(self) -> Iterator[Any]:
        yield from self.track()
        self.write(".env", "SECRET=1\n")
        self.write("other.py", "theirs\n")
        yield from self.listed("other.py")

    def test_what_the_user_has_accepted_is_not_listed(self) -> Iterator[Any]:
        self.write()
        yield from self.track()
        review = yield from self.open_diff()
        self.reviews.accept(review)
        yield self.nothing_open
        self.write("other.py", "theirs\n")
        yield from self.listed("other.py")

    def test_nothing_is_tracked_without_a_program(self) -> Iterator[Any]:
        self.endpoint.workspace_changed()
        yield self.looked
        self.assertFalse(self.endpoint.changes.tracked)
        self.write("other.py", "theirs\n")
        self.tracking.sign()
        yield self.looked
        self.assertEqual(self.names(), [])


    def test_within_two_seconds_it_is_counted(self) -> Iterator[Any]:
        view = yield from self.open_file("mine.py")
        yield from self.track()
        self.tracking.sign()
        for number in range(3):  # wherever in its interval the clock is
            yield 500 + 600 * number
            self.write(f"new{number}.py", "new\n")
            written = time.monotonic()
            count = f"{number + 1} changed file"
            yield lambda count=count: count in view.get_status("gemini_companion")
            self.assertLess(time.monotonic() - written, 2.0)

    def test_the_folder_of_a_file_is_tracked_where_the_window_has_none(self) -> Iterator[Any]:
        self.window.set_project_data({})
        yield from self.open_file("mine.py")
        self.endpoint.workspace_changed()
        self.endpoint.changes.started()
        yield self.looked
        self.write("new.py", "new\n")
        yield from self.listed("new.py")

    def test_a_file_in_the_home_folder_makes_no_project_of_it(self) -> Iterator[Any]:
        self.window.set_project_data({})
        with mock.patch.dict(os.environ, {"HOME": self.folder, "USERPROFILE": self.folder}):
            yield from self.open_file("mine.py")
            self.endpoint.workspace_changed()
            yield lambda: self.endpoint.folders() == (self.folder,)
            self.endpoint.changes.started()
            self.endpoint.workspace_changed()
        self.assertNotIn(self.folder, self.tracking._folders)

    def test_the_editor_s_patterns_of_paths_leave_files_out(self) -> Iterator[Any]:
        preferences = sublime.load_settings("Preferences.sublime-settings")
        former = preferences.get("folder_exclude_patterns")
        preferences.set("folder_exclude_patterns", ["//build", "deep/er"])
        self.addCleanup(preferences.set, "folder_exclude_patterns", former)
        self.endpoint.settings_changed()
        for folder in ("build", "src", "src/build", "src/deep", "src/deep/er"):
            os.makedirs(self.path(folder))
        yield from self.track()
        for folder in ("build", "src/build", "src/deep", "src/deep/er"):
            self.write(folder + "/new.py", "new\n")
        yield from self.listed("src/build/new.py", "src/deep/new.py")

    def test_a_started_program_is_done_once_its_terminal_is_closed(self) -> Iterator[Any]:
        terminal = self.terminal()
        terminal.settings().set("terminus_view.tag", f"{TAG}{AGENTS[0].key}.{self.window.id()}.{RUN}.1")
        self.addCleanup(terminal.close)
        yield from self.track()
        other = self.terminal()
        other.close()
        yield lambda: not other.is_valid()
        self.assertTrue(self.endpoint.changes.tracked)
        terminal.close()
        yield lambda: not self.endpoint.changes.tracked

    def test_the_only_program_that_is_at_work_is_named(self) -> Iterator[Any]:
        self.write("file.py", LINES)
        yield from self.track()
        changes = self.endpoint.changes
        changes._alone = "a session"
        for session, name, expected in (("another", "one.py", ""), ("a session", "two.py", " Claude Code was at work")):
            self.write(name, "new\n")
            changes.sign(session, "Claude Code")
            yield lambda name=name: name in self.names()
            items, _ = self.panel("show_unreviewed_changes")[0]
            self.assertEqual(next(item.annotation for item in items if item.trigger == name)[11:], expected)

    def test_the_list_previews_and_gives_the_tab_back(self) -> Iterator[Any]:
        self.write("gone.py", LINES)
        mine = yield from self.open_file("mine.py")
        yield from self.track()
        self.write("new.py", "new\n")
        yield from self.listed("new.py")
        arguments = self.panel("show_unreviewed_changes")
        arguments[1]["on_highlight"](0)
        yield lambda: self.window.active_view().file_name() == self.path("new.py")
        self.assertEqual([view.file_name() for view in self.window.views()], [mine.file_name()])
        arguments[0][1](-1)
        yield lambda: self.window.active_view() == mine

    def test_the_list_of_pending_diffs_leads_to_it(self) -> Iterator[Any]:
        self.assertFalse(self.can("GeminiCompanionShowPendingDiffsCommand"))
        self.write("file.py", LINES)
        yield from self.track()
        self.write("new.py", "new\n")
        yield from self.listed("new.py")
        self.assertTrue(self.can("GeminiCompanionShowPendingDiffsCommand"))
        self.assertEqual(self.panel("show_pending_diffs")[1]["placeholder"], "Unreviewed changes")
        yield from self.open_diff()
        items, picked = self.panel("show_pending_diffs")[0]
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            picked(len(items) - 1)
        self.assertEqual([item.trigger for item in panel.call_args[0][0]], ["new.py"])


class TestTurns(ChangesTestCase):
    """A program writes in two turns, in the second one to a file that it has written to before, too."""

    def turns(self) -> Iterator[Any]:
        for name in ("early.py", "both.py", "late.py"):
            self.write(name, name + "\n" + LINES)
        yield from self.track()
        self.write("early.py", "early.py\n" + CHANGED)
        self.write("both.py", "both.py\n" + LINES.replace("line 2\n", "LINE 2\n"))
        self.endpoint.changes.turn_begins()
        yield lambda: self.changes.lists.last_turn == () and sorted(self.names()) == ["both.py", "early.py"]
        self.write("both.py", "both.py\n" + CHANGED)
        self.write("late.py", "late.py\n" + CHANGED)
        yield from self.listed("both.py", "early.py", "late.py")

    def last_turn(self) -> None:
        items, picked = self.panel("show_unreviewed_changes")[0]
        self.assertEqual((items[-1].trigger, items[-1].annotation), ("Changes of the last turn only", "2 files"))
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            picked(len(items) - 1)
        found = {item.trigger: item.annotation for item in panel.call_args[0][0]}
        counts = {"both.py": "+1 \u22121", "late.py": "+2 \u22122", "All unreviewed changes": "3 files"}
        self.assertEqual(found, counts)

    def test_the_last_turn_is_undone_alone(self) -> Iterator[Any]:
        yield from self.turns()
        self.last_turn()
        entries, picked = self.panel("undo_all_changes")[0]
        self.assertEqual(entries[0], "Undo the changes of the last turn of 2 files")
        picked(0)
        yield from self.listed("both.py", "early.py")
        self.assertEqual(self.read("both.py"), b"both.py\n" + LINES.replace("line 2\n", "LINE 2\n").encode())
        self.assertEqual(self.read("late.py"), b"late.py\n" + LINES.encode())
        self.assertEqual(self.changes.scope, Scope.SINCE_KEPT)

    def test_a_review_of_the_last_turn_shows_it_alone_and_keeps_it(self) -> Iterator[Any]:
        yield from self.turns()
        self.last_turn()
        review = yield from self.show("both.py")
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["LINE 9\n"])
        self.command("accept_diff")
        yield lambda: self.names() == ["late.py"]
        self.command("show_unreviewed_changes")
        self.window.run_command("hide_overlay")
        kept = next(change for change in self.changes.listed if change.path == "both.py")
        self.assertEqual((kept.added, kept.removed), (1, 1))


class TestReviewing(ChangesTestCase):
    def test_several_hunks_are_decided_at_once(self) -> Iterator[Any]:
        review = yield from self.change(after=THREE)
        view = self.proposal(review)
        self.window.focus_view(view)
        select(view, sublime.Region(view.text_point(1, 0), view.text_point(6, 0)))
        self.command("revert_hunk")
        undone = LINES.replace("line 9\n", "LINE 9\n")
        yield lambda: self.text(self.proposal(review)) == undone and self.settled()
        self.assertEqual(self.read(), undone.encode())
        self.command("restore_undone_changes")
        yield lambda: self.text(self.proposal(review)) == THREE and self.settled() and review.pending
        select(view, sublime.Region(view.text_point(5, 0), view.text_point(10, 0)))
        self.command("keep_hunk")
        kept = THREE.replace("LINE 1\n", "line 1\n")
        yield lambda: self.text(self.original(review)) == kept and self.settled()
        self.assertEqual((self.read(), self.names()), (THREE.encode(), ["file.py"]))

    def test_a_file_that_is_no_text_is_decided_alone(self) -> Iterator[Any]:
        before, after = b"\x89PNG\r\n\x1a\n\x00\x00", b"\x89PNG\r\n\x1a\n\x00\x01"
        for name in ("one.png", "two.png"):
            self.write(name, before)
        yield from self.track()
        for name in ("one.png", "two.png"):
            self.write(name, after)
        yield from self.listed("one.png", "two.png")
        for name, choice in (("one.png", "Undo"), ("two.png", "Keep")):
            with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
                self.changes.show(self.changes.listed[self.names().index(name)])
                yield lambda: panel.called
            entries, picked = panel.call_args[0]
            self.assertEqual(entries, ["Keep", "Undo", "Decide later"])
            picked(entries.index("Decide later"))
            picked(entries.index(choice))
            yield lambda name=name: name not in self.names()
        self.assertEqual((self.read("one.png"), self.read("two.png")), (before, after))

    def test_a_large_file_cannot_be_undone_and_says_so(self) -> Iterator[Any]:
        self.write("large.bin", b"0" * (2 << 20))
        yield from self.track()
        self.write("large.bin", b"1" * (2 << 20))
        yield from self.listed("large.bin")
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.changes.show(self.changes.listed[0])
            yield lambda: panel.called
        self.assertEqual(panel.call_args[0][0], ["Keep", "Decide later"])
        self.assertIn("cannot be undone", panel.call_args[1]["placeholder"])

    def test_restoring_is_offered_where_something_was_undone(self) -> Iterator[Any]:
        yield from self.change()
        self.assertFalse(self.can("GeminiCompanionRestoreUndoneChangesCommand"))
        self.command("reject_diff")
        yield self.nothing_open
        self.assertTrue(self.can("GeminiCompanionRestoreUndoneChangesCommand"))
        self.command("restore_undone_changes")
        yield from self.listed("file.py")
        self.assertFalse(self.can("GeminiCompanionRestoreUndoneChangesCommand"))

    def test_one_hunk_is_undone_in_a_tab_with_unsaved_edits_and_the_others_stay(self) -> Iterator[Any]:
        view = yield from self.open_file("file.py", LINES)
        yield from self.track()
        self.write("file.py", CHANGED)
        yield lambda: self.text(view) == CHANGED or view.run_command("revert")
        yield from self.listed("file.py")
        self.type(view, 0, "# mine\n")
        review = yield from self.show("file.py")
        self.caret(review, 9)
        self.command("revert_hunk")
        yield lambda: self.text(view) == "# mine\n" + CHANGED.replace("LINE 9\n", "line 9\n")
        self.assertEqual(self.read(), CHANGED.encode())

    def test_it_is_shown_as_a_proposal_is(self) -> Iterator[Any]:
        review = yield from self.change()
        self.assertEqual(self.text(self.original(review)), LINES)
        self.assertEqual(self.text(self.proposal(review)), CHANGED)
        self.assertEqual(self.original(review).name(), "file.py (before)")
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["LINE 2\n", "LINE 9\n"])
        self.assertTrue(self.proposal(review).is_read_only())
        header = self.header(review)
        for words in ("file.py \u2190 changed outside the editor", "+2 \u22122", "Keep", "Undo"):
            self.assertIn(words, header)
        self.assertNotIn("Accept", header)
        self.assertNotIn("to review", self.proposal(review).get_status("gemini_companion"))

    def test_accept_keeps(self) -> Iterator[Any]:
        yield from self.change()
        self.command("accept_diff")
        yield self.nothing_open
        self.assertEqual((self.read(), self.names()), (CHANGED.encode(), []))

    def test_saving_keeps(self) -> Iterator[Any]:
        review = yield from self.change()
        self.press("save", self.proposal(review))
        yield self.nothing_open
        self.assertEqual((self.read(), self.names()), (CHANGED.encode(), []))

    def test_reject_undoes_and_restore_brings_back(self) -> Iterator[Any]:
        yield from self.change()
        self.command("reject_diff")
        yield self.nothing_open
        self.assertEqual((self.read(), self.names()), (LINES.encode(), []))
        self.command("restore_undone_changes")
        yield from self.listed("file.py")
        self.assertEqual(self.read(), CHANGED.encode())

    def test_closing_the_tab_decides_nothing(self) -> Iterator[Any]:
        review = yield from self.change()
        self.proposal(review).close()
        yield self.nothing_open
        yield from self.listed("file.py")
        self.assertEqual(self.read(), CHANGED.encode())

    def test_one_hunk_is_undone_and_another_kept(self) -> Iterator[Any]:
        review = yield from self.change()
        self.caret(review, 2)
        self.command("revert_hunk")
        undone = CHANGED.replace("LINE 2\n", "line 2\n")
        yield lambda: self.text(self.proposal(review)) == undone and self.settled()
        self.assertEqual(self.read(), undone.encode())
        yield lambda: review.pending
        self.caret(review, 9)
        self.command("keep_hunk")
        yield self.nothing_open
        self.assertEqual((self.read(), self.names()), (undone.encode(), []))

    def test_a_kept_hunk_leaves_the_others(self) -> Iterator[Any]:
        review = yield from self.change()
        self.caret(review, 9)
        self.command("keep_hunk")
        kept = LINES.replace("line 9\n", "LINE 9\n")
        yield lambda: self.text(self.original(review)) == kept and self.settled() and review.pending
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["LINE 2\n"])
        self.command("reject_diff")
        yield self.nothing_open
        self.assertEqual(self.read(), kept.encode())

    def test_a_hunk_of_a_file_with_other_line_endings(self) -> Iterator[Any]:
        before, after = LINES.replace("\n", "\r\n"), CHANGED.replace("\n", "\r\n")
        review = yield from self.change("file.py", before, after)
        self.caret(review, 2)
        self.command("revert_hunk")
        yield lambda: self.read() == after.replace("LINE 2", "line 2").encode()

    def test_a_new_file_is_removed(self) -> Iterator[Any]:
        yield from self.track()
        self.write("new.py", "new\n")
        yield from self.listed("new.py")
        yield from self.show("new.py")
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": self.folder + "-trash"}):
            self.command("reject_diff")
            yield self.nothing_open
        self.assertFalse(os.path.exists(self.path("new.py")))
        self.command("restore_undone_changes")
        yield from self.listed("new.py")
        self.assertEqual(self.read("new.py"), b"new\n")

    def test_a_deleted_file_comes_back(self) -> Iterator[Any]:
        self.write("gone.py", LINES)
        os.chmod(self.path("gone.py"), 0o700)
        yield from self.track()
        os.unlink(self.path("gone.py"))
        yield from self.listed("gone.py")
        review = yield from self.show("gone.py")
        self.assertIn("The file was deleted.", self.header(review))
        self.command("reject_diff")
        yield self.nothing_open
        self.assertEqual(self.read("gone.py"), LINES.encode())
        if os.name == "posix":
            self.assertEqual(os.stat(self.path("gone.py")).st_mode & 0o777, 0o700)

    def test_a_rename_is_taken_back(self) -> Iterator[Any]:
        self.write("old.py", LINES)
        yield from self.track()
        os.rename(self.path("old.py"), self.path("new.py"))
        yield from self.listed("new.py")
        review = yield from self.show("new.py")
        self.assertIn("Renamed from old.py.", self.header(review))
        self.command("reject_diff")
        yield self.nothing_open
        self.assertEqual((self.read("old.py"), os.path.exists(self.path("new.py"))), (LINES.encode(), False))

    def test_the_next_file_is_named_and_comes_after_the_decision(self) -> Iterator[Any]:
        self.write("one.py", LINES)
        self.write("two.py", LINES)
        yield from self.track()
        self.write("one.py", CHANGED)
        self.write("two.py", CHANGED)
        yield from self.listed("one.py", "two.py")
        first, second = self.names()
        review = yield from self.show(first)
        self.assertIn(f"Next: {second}", self.header(review))
        self.command("accept_diff")
        yield lambda: self.open_review(second) is not None and self.open_review(first) is None
        other = self.open_review(second)
        yield lambda: other in self.reviews._presentations and self.header(other) != ""
        yield lambda: self.window.active_view() == self.proposal(other)
        self.command("reject_diff")  # the key that was held too long
        self.assertTrue(other.pending)
        self.assertEqual(self.read(second), CHANGED.encode())

    def test_a_file_that_changes_again_is_compared_anew(self) -> Iterator[Any]:
        review = yield from self.change()
        again = CHANGED.replace("line 5\n", "LINE 5\n")
        self.write("file.py", again)
        self.tracking.sign()
        yield lambda: self.text(self.proposal(review)) == again and self.settled()
        self.assertEqual(len(self.marked(self.proposal(review), "lines")), 3)

    def test_what_is_not_shown_is_not_undone(self) -> Iterator[Any]:
        review = yield from self.change()
        again = CHANGED + "more\n"
        with mock.patch.object(self.tracking, "sign"):
            self.write("file.py", again)
            self.command("reject_diff")
            yield lambda: any("changed on disk" in each for each in self.said)
        self.assertEqual(self.read(), again.encode())
        self.assertTrue(review.pending)

    def test_unsaved_edits_are_left_and_the_change_is_undone_in_the_tab(self) -> Iterator[Any]:
        view = yield from self.open_file("file.py", LINES)
        yield from self.track()
        self.write("file.py", CHANGED)
        yield lambda: self.text(view) == CHANGED or view.run_command("revert")
        yield from self.listed("file.py")
        self.type(view, 0, "# mine\n")
        yield from self.show("file.py")
        self.command("reject_diff")
        yield lambda: self.text(view) == "# mine\n" + LINES
        self.assertTrue(view.is_dirty())
        self.assertEqual(self.read(), CHANGED.encode())
        view.run_command("undo")
        self.assertEqual(self.text(view), "# mine\n" + CHANGED)


class TestAll(ChangesTestCase):
    def two(self) -> Iterator[Any]:
        self.write("one.py", LINES)
        yield from self.track()
        self.write("one.py", CHANGED)
        self.write("new.py", "new\n")
        yield from self.listed("one.py", "new.py")

    def test_keeping_all(self) -> Iterator[Any]:
        yield from self.two()
        self.command("keep_all_changes")
        yield from self.listed()
        self.assertEqual((self.read("one.py"), self.read("new.py")), (CHANGED.encode(), b"new\n"))

    def test_undoing_all_asks_first_and_is_restored_as_a_whole(self) -> Iterator[Any]:
        yield from self.two()
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.command("undo_all_changes")
        entries, picked = panel.call_args[0]
        self.assertEqual(entries[0], "Undo the changes of 2 files")
        picked(1)
        picked(-1)
        self.assertEqual(self.read("one.py"), CHANGED.encode())
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": self.folder + "-trash"}):
            picked(0)
            yield from self.listed()
        self.assertEqual((self.read("one.py"), os.path.exists(self.path("new.py"))), (LINES.encode(), False))
        self.command("restore_undone_changes")
        yield from self.listed("one.py", "new.py")
        self.assertEqual((self.read("one.py"), self.read("new.py")), (CHANGED.encode(), b"new\n"))
