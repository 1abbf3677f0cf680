"""What programs write without asking: when it is looked for, and what the list says of it."""

from __future__ import annotations

import html
import os
import sys
from functools import partial
from typing import Any, Dict, Iterator, List, Optional, Tuple
from unittest import mock

import sublime

from ....companion.agents.registry import AGENTS
from ....companion.review.decision import Ticket
from ....companion.terminals.launcher import RUN, TAG
from ....companion.unreviewed.evidence import Doer, OpenCall
from ....companion.unreviewed.model import ChangeScope
from ....companion.unreviewed.schedule import INTERVAL_SECONDS
from ...support.review_case import PLUGIN, PROPOSED
from ...support.unreviewed_case import CHANGED, LINES, THREE, ChangesTestCase


class TestListing(ChangesTestCase):
    def test_a_changed_file_is_counted_and_nothing_opens(self) -> Iterator[Any]:
        view = yield from self.open_file("mine.py")
        self.write("file.py", LINES)
        yield from self.track()
        before = self.picture()
        self.write("file.py", CHANGED)
        self.write("new.py", "new\n")
        self.tracking.sign()
        yield lambda: "2 to keep or undo" in view.get_status("gemini_companion")
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
        self.write("wide.txt", "\ufefftext, as the review shows it\n".encode("utf-16-le"))
        yield from self.listed("changed.py", "gone.py", "there.py", "new.py", "picture", "wide.txt")
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
                "wide.txt": ("", "+1 \u22120, new"),
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

    def test_what_is_excluded_from_the_context_is_listed_by_its_name_alone(self) -> Iterator[Any]:
        self.write(".env", "SECRET=1\n")
        yield from self.track()
        self.write(".env", "SECRET=22\n")
        self.write("other.py", "theirs\n")
        yield from self.listed(".env", "other.py")
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.command("show_unreviewed_changes")
            (entry,) = [item for item in panel.call_args[0][0] if item.trigger == ".env"]
            self.assertEqual(entry.annotation, "changed, not shown: excluded")
            self.changes.show(next(change for change in self.changes.listed if change.path == ".env"))
            yield lambda: panel.call_count == 2
            self.assertEqual([item.trigger for item in panel.call_args[0][0]], ["Keep", "Decide later"])
            panel.call_args[0][1](0)
        yield from self.listed("other.py")

    def test_what_the_user_has_accepted_is_not_listed(self) -> Iterator[Any]:
        self.write()
        self.write("western.py", b"# caf\xe9\n")
        self.write("wide.py", "\ufeffone\r\ntwo\r\n".encode("utf-16-le"))
        yield from self.track()
        texts = {"file.py": PROPOSED, "western.py": "# caf\xe9s\n", "wide.py": "\ufeffone\r\nTWO\r\n"}
        for name, proposed in texts.items():
            review = yield from self.open_diff(name, proposed)
            self.reviews.commands.accept(review)
            yield self.nothing_open
        self.assertEqual(self.read("western.py"), b"# caf\xe9s\n")
        self.assertEqual(self.read("wide.py"), texts["wide.py"].encode("utf-16-le"))
        self.write("other.py", "theirs\n")
        yield from self.listed("other.py")

    def test_accepted_edits_saved_over_the_clients_write_are_not_listed(self) -> Iterator[Any]:
        self.write()
        yield from self.track()
        review = yield from self.open_diff()
        review.ticket = Ticket("its name", edits_return=False, deliver=lambda outcome: None)
        self.type(self.proposal(review), 0, "# mine\n")
        with mock.patch.object(self.reviews.accepted_texts, "_is_connected", lambda owner: True):
            self.reviews.commands.accept(review)
            yield self.nothing_open
            self.write("file.py", PROPOSED)
            yield lambda: self.read().decode() == "# mine\n" + PROPOSED
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

    def test_it_is_counted_within_one_interval(self) -> Iterator[Any]:
        self.assertLess(INTERVAL_SECONDS, 2)  # as long as nobody wonders
        view = yield from self.open_file("mine.py")
        yield from self.track()
        self.tracking.sign()
        for number in range(3):
            self.write(f"new{number}.py", "new\n")
            count = f"{number + 1} to keep or undo"
            yield lambda count=count: count in view.get_status("gemini_companion")

    def test_the_folder_of_a_file_is_tracked_where_the_window_has_none(self) -> Iterator[Any]:
        self.window.set_project_data({})
        yield from self.open_file("mine.py")
        self.endpoint.workspace_changed()
        self.endpoint.agents.started()
        yield self.looked
        self.write("new.py", "new\n")
        yield from self.listed("new.py")

    def test_a_file_in_the_home_folder_makes_no_project_of_it(self) -> Iterator[Any]:
        self.window.set_project_data({})
        with mock.patch.dict(os.environ, {"HOME": self.folder, "USERPROFILE": self.folder}):
            yield from self.open_file("mine.py")
            self.endpoint.workspace_changed()
            yield lambda: self.endpoint.folders() == (self.folder,)
            self.endpoint.agents.started()
            self.endpoint.workspace_changed()
        self.assertNotIn(self.folder, self.tracking._roots)

    def test_the_patterns_of_the_editor_and_of_the_project_leave_files_out(self) -> Iterator[Any]:
        preferences = sublime.load_settings("Preferences.sublime-settings")
        former = preferences.get("folder_exclude_patterns")
        preferences.set("folder_exclude_patterns", ["//build", "deep/er"])
        self.addCleanup(preferences.set, "folder_exclude_patterns", former)
        data = self.window.project_data()
        data["folders"] = [{"path": self.folder, "folder_exclude_patterns": ["mine"], "file_exclude_patterns": ["*.o"]}]
        self.window.set_project_data(data)
        self.endpoint.settings_changed()
        for folder in ("build", "src/build", "src/deep/er", "src/mine"):
            os.makedirs(self.path(folder))
        yield from self.track()
        self.write("src/new.o", "new\n")
        for folder in ("build", "src/build", "src/deep", "src/deep/er", "src/mine"):
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

    def test_what_a_program_does_in_a_tool_call_bears_its_name_and_its_prompt(self) -> Iterator[Any]:
        yield from self.hooked("mine.py")
        yield from self.call({"mine.py": CHANGED})
        yield from self.listed("mine.py")
        items, _ = self.panel("show_unreviewed_changes")[0]
        self.assertEqual(items[0].annotation, '+2 \u22122, Claude Code: "make the tests pass"')
        review = yield from self.show("mine.py")
        self.assertIn('Claude Code: "make the tests pass"', html.unescape(self.header(review)))
        self.assertEqual(self.proposal(review).name(), "mine.py \u2190 Claude Code")

    def test_what_nobody_vouches_for_is_not_counted_and_stands_behind_one_line(self) -> Iterator[Any]:
        view = yield from self.hooked("mine.py", "other.py", "both.py", "sure.py")
        for name in ("mine.py", "other.py"):
            self.write(name, CHANGED)
        self.write("both.py", CHANGED)
        self.tracking.sign()
        yield lambda: len(self.changes.lists.outside) == 3
        self.assertNotIn("to keep or undo", view.get_status("gemini_companion"))
        yield from self.call({"both.py": THREE, "sure.py": CHANGED})
        yield from self.listed("both.py", "sure.py")
        yield lambda: "2 to keep or undo" in view.get_status("gemini_companion")
        items, picked = self.panel("show_unreviewed_changes")[0]
        self.assertEqual(items[-1].trigger, "2 more files changed outside of an agent's steps")
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            picked(len(items) - 1)
        entries = [item.trigger for item in panel.call_args[0][0]]
        self.assertEqual(sorted(entries), ["All unreviewed changes", "mine.py", "other.py"])
        self.said.clear()
        self.command("keep_all_changes")
        yield lambda: self.says("kept 1 file; 3 files left to be decided one by one: perhaps your own")
        self.assertEqual([change.path for change in self.changes.lists.changes], ["both.py"])
        self.assertEqual(self.panel("show_unreviewed_changes")[0][0][0].trigger, "both.py")
        review = yield from self.show("both.py")
        self.assertIn("A part of it may be your own.", html.unescape(self.header(review)))
        self.said.clear()
        self.command("undo_all_changes")
        yield lambda: self.says("undid 0 files; 3 files left")
        self.assertEqual(self.read("both.py"), THREE.encode())

    def test_what_nobody_vouches_for_is_reviewed_and_decided_as_all_else_is(self) -> Iterator[Any]:
        yield from self.hooked("mine.py", "other.py")
        for name in ("mine.py", "other.py"):
            self.write(name, CHANGED)
        self.tracking.sign()
        yield lambda: len(self.changes.lists.outside) == 2
        self.assertFalse(self.can("GeminiCompanionKeepAllChangesCommand"))
        items, picked = self.panel("show_unreviewed_changes")[0]
        self.assertEqual([item.trigger for item in items], ["2 files changed outside of an agent's steps"])
        with mock.patch.object(sublime.Window, "show_quick_panel"):
            picked(0)
        review = yield from self.show("mine.py")
        self.command("reject")
        yield lambda: not review.pending and self.open_review("other.py") is not None
        self.assertEqual(self.read("mine.py"), LINES.encode())

    def test_what_the_side_bar_deletes_is_not_listed(self) -> Iterator[Any]:
        self.write("mine.py", LINES)
        self.write("theirs.py", LINES)
        yield from self.track()
        for name in ("mine.py", "theirs.py"):
            os.unlink(self.path(name))
        listener = sys.modules[PLUGIN].GeminiCompanionListener()
        listener.on_post_window_command(self.window, "delete_file", {"files": [self.path("mine.py")]})
        yield from self.listed("theirs.py")

    def test_what_a_package_for_the_side_bar_deletes_or_moves_is_not_listed(self) -> Iterator[Any]:
        """It does so a while after its command."""
        for name in ("deleted.py", "moved.py", "theirs.py"):
            self.write(name, LINES + name)
        yield from self.track()
        listener, heard = sys.modules[PLUGIN].GeminiCompanionListener(), []
        for command, name in (("side_bar_delete", "deleted.py"), ("side_bar_rename", "moved.py")):
            listener.on_post_window_command(self.window, command, {"paths": [self.path(name)]})
            self.tracking.carry_out_at(self.path(name), lambda *_: None, heard.append)
        yield lambda: len(heard) == 2
        for name in ("deleted.py", "theirs.py"):
            os.unlink(self.path(name))
        os.rename(self.path("moved.py"), self.path("other.py"))
        yield from self.listed("theirs.py")

    def hooked(self, *names: str) -> Iterator[Any]:
        """Only programs that tell of their calls are at work. `yield from` gives the tab of the first file."""
        view = yield from self.open_file(names[0], LINES)
        for name in names[1:]:
            self.write(name, LINES)
        yield from self.track()
        self.tracking.only_hooked(self.window.id(), True)
        self.addCleanup(self.tracking.only_hooked, self.window.id(), False)
        yield from self.call({})
        return view

    def call(self, files: Dict[str, str]) -> Iterator[Any]:
        """A program writes files in a tool call."""
        looked: List[int] = []
        self.tracking.call_begins(
            self.window.id(), 1, OpenCall(Doer("Claude Code", "make the tests pass")), partial(looked.append, 1)
        )
        yield lambda: len(looked) == 1
        for name, text in files.items():
            self.write(name, text)
        self.tracking.call_ended(self.window.id(), 1, partial(looked.append, 1))
        yield lambda: len(looked) == 2

    def test_a_row_of_the_list_shows_its_diff_and_gives_the_tab_back(self) -> Iterator[Any]:
        for name in ("one.py", "two.py"):
            self.write(name, LINES)
        mine = yield from self.open_file("mine.py")
        yield from self.track()
        for name in ("one.py", "two.py"):
            self.write(name, CHANGED)
        yield from self.listed("one.py", "two.py")
        (_, picked), options = self.panel("show_unreviewed_changes")
        for number, name in ((1, "two.py"), (0, "one.py")):
            options["on_highlight"](number)
            yield lambda name=name: self.previewed() == (name, "-line 2")
        picked(-1)
        yield lambda: self.window.views(include_transient=True) == [mine]
        self.assertEqual(self.window.active_view(), mine)
        (_, picked), options = self.panel("show_unreviewed_changes")
        picked(1)
        yield lambda: self.open_review("two.py") is not None
        self.assertFalse(any(view.name() == "Review Changes" for view in self.window.views()))

    def previewed(self) -> Optional[Tuple[str, str]]:
        """The file that the page in front is at, and the line at its caret."""
        view = self.window.active_view()
        if view is None or view.name() != "Review Changes" or not view.sel():
            return None
        caret = view.sel()[0].b
        heads = [region.begin() for region in view.find_all(r"^\d of \d") if region.begin() <= caret]
        name = view.substr(view.line(heads[-1])).split("  ")[1] if heads else ""
        return name, view.substr(view.line(caret))

    def test_a_file_the_user_is_previewing_stays_when_a_row_is_highlighted(self) -> Iterator[Any]:
        view = self.window.open_file(self.write("new.py", "before\n"), sublime.TRANSIENT)
        yield lambda: not view.is_loading()
        yield from self.track()
        self.write("new.py", "new\n")
        yield from self.listed("new.py")
        (_, picked), options = self.panel("show_unreviewed_changes")
        options["on_highlight"](0)
        self.assertEqual(self.window.active_view(), view)
        picked(-1)
        self.assertEqual((self.window.active_view(), view.sheet().is_transient()), (view, True))

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

    def test_a_list_that_has_become_empty_behind_the_other_one_is_not_opened(self) -> Iterator[Any]:
        self.write("file.py", LINES)
        yield from self.track()
        self.write("new.py", "new\n")
        yield from self.listed("new.py")
        yield from self.open_diff()
        items, picked = self.panel("show_pending_diffs")[0]
        self.command("keep_all_changes")
        yield from self.listed()
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            picked(len(items) - 1)
        self.assertEqual(panel.call_count, 0)
        self.assertTrue(self.says("no file was changed outside the editor"))


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
        self.assertEqual(entries[0].trigger, "Undo the changes of the last turn of 2 files")
        picked(0)
        yield from self.listed("both.py", "early.py")
        self.assertEqual(self.read("both.py"), b"both.py\n" + LINES.replace("line 2\n", "LINE 2\n").encode())
        self.assertEqual(self.read("late.py"), b"late.py\n" + LINES.encode())
        self.assertEqual(self.changes.scope, ChangeScope.SINCE_KEPT)

    def test_a_review_of_the_last_turn_shows_it_alone_and_keeps_it(self) -> Iterator[Any]:
        yield from self.turns()
        self.last_turn()
        review = yield from self.show("both.py")
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["LINE 9\n"])
        self.command("accept")
        yield lambda: self.names() == ["late.py"]
        self.command("show_unreviewed_changes")
        self.window.run_command("hide_overlay")
        kept = next(change for change in self.changes.listed if change.path == "both.py")
        self.assertEqual((kept.added, kept.removed), (1, 1))
