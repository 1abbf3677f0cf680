"""What programs write without asking: it is shown in the review, kept or undone; nothing else is touched."""

from __future__ import annotations

import os
import re
import sys
import threading
from typing import Any, Iterator, List
from unittest import mock

import sublime

from ....companion.editor.key_bindings import KeyBindings
from ....companion.review.display.presentation import STATUS
from ....companion.unreviewed import undoing
from ...host.waiting import NEVER_SECONDS
from ...support.review_case import PLUGIN
from ...support.selecting import select
from ...support.unreviewed_case import CHANGED, LINES, THREE, ChangesTestCase

PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00"


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
        yield lambda: not self.reviews.open_reviews.input_guard.ignores(review)
        select(view, sublime.Region(view.text_point(5, 0), view.text_point(10, 0)))
        self.command("accept_hunk")
        kept = THREE.replace("LINE 1\n", "line 1\n")
        yield lambda: self.text(self.original(review)) == kept and self.settled()
        self.assertEqual((self.read(), self.names()), (THREE.encode(), ["file.py"]))

    def test_a_file_that_is_no_text_is_decided_alone(self) -> Iterator[Any]:
        before, after = PICTURE, b"\x89PNG\r\n\x1a\n\x00\x01"
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
            captions = [entry.trigger for entry in entries]
            self.assertEqual(captions, ["Keep", "Undo", "Decide later"])
            picked(captions.index("Decide later"))
            picked(captions.index(choice))
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
        self.assertEqual([entry.trigger for entry in panel.call_args[0][0]], ["Keep", "Decide later"])
        self.assertIn("cannot be undone", panel.call_args[1]["placeholder"])

    def edited_tab(self) -> Any:
        """A tab with an unsaved edit of the user in a file that a program has changed before."""
        view = yield from self.open_file("file.py", LINES)
        yield from self.track()
        self.write("file.py", CHANGED)
        yield lambda: self.text(view) == CHANGED or view.run_command("revert")
        yield from self.listed("file.py")
        self.type(view, 0, "# mine\n")
        return view

    def test_one_hunk_is_undone_in_a_tab_with_unsaved_edits_and_others_stay(self) -> Iterator[Any]:
        view = yield from self.edited_tab()
        review = yield from self.show("file.py")
        self.caret(review, 9)
        self.command("revert_hunk")
        yield lambda: self.text(view) == "# mine\n" + CHANGED.replace("LINE 9\n", "line 9\n")
        self.assertEqual(self.read(), CHANGED.encode())

    def test_what_came_after_a_save_is_shown_first_and_then_what_came_before(self) -> Iterator[Any]:
        view = yield from self.edited_tab()
        view.run_command("save")
        saved = "# mine\n" + CHANGED
        yield lambda: [change.now.size for change in self.changes.listed] == [len(saved)]
        self.write("file.py", saved.replace("line 11\n", "LINE 11\n"))
        yield lambda: [change.since_save for change in self.changes.listed] == [True]
        review = yield from self.show("file.py")
        self.assertEqual(self.text(self.original(review)), saved)
        self.assertIn("Since you saved the file.", self.header(review))
        self.command("reject")
        yield lambda: self.text(self.original(review)) == "# mine\n" + LINES
        self.assertEqual(self.read(), saved.encode())
        self.assertNotIn("Since you saved the file.", self.header(review))

    def test_it_is_shown_as_a_proposal_is(self) -> Iterator[Any]:
        review = yield from self.change()
        self.assertEqual(self.text(self.original(review)), LINES)
        self.assertEqual(self.text(self.proposal(review)), CHANGED)
        self.assertEqual(self.original(review).name(), "file.py (before)")
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["LINE 2\n", "LINE 9\n"])
        self.assertTrue(self.proposal(review).is_read_only())
        header = self.header(review)
        for words in ("Keep", "Undo", "1 of 2", "+2 \u22122"):
            self.assertIn(words, header)
        self.assertNotIn("Accept", header)
        self.assertNotIn("to review", self.proposal(review).get_status("gemini_companion"))

    def test_its_words_are_keep_and_undo_at_every_level(self) -> Iterator[Any]:
        proposal = yield from self.open_diff("other.py")
        self.assertEqual(self.captions(), ["Accept", "Reject", "Revert Hunk", "Accept This Hunk Only"])
        self.reviews.commands.reject(proposal)
        yield self.nothing_open
        review = yield from self.change()
        self.assertEqual(self.captions(), ["Keep", "Undo", "Undo Hunk", "Keep Hunk"])
        links = [re.findall(r">([^<]+)</a>", link) for link in self.links(review, "revert")]
        self.assertEqual(links, [["Keep", "Undo"], ["Keep", "Undo"]])
        self.click_beside(review, 0, "Keep")
        yield lambda: self.text(self.original(review)) == LINES.replace("line 2\n", "LINE 2\n") and self.settled()
        yield lambda: len(self.links(review, "revert")) == 1
        self.click_beside(review, 0, "Undo")
        yield lambda: self.read() == LINES.replace("line 2\n", "LINE 2\n").encode()

    def click_beside(self, review: Any, number: int, caption: str) -> None:
        """Click a link beside a change."""
        (href,) = re.findall(rf'href="([^"]+)">{caption}</a>', self.links(review, "revert")[number])
        self.reviews.shown[review]._link(href)

    def captions(self) -> List[str]:
        """What a menu calls the commands that decide."""
        names = ("Accept", "Reject", "RevertHunk", "AcceptHunk")
        return [
            getattr(sys.modules[PLUGIN], f"GeminiCompanion{name}Command")(self.window).description() for name in names
        ]

    def test_accept_keeps(self) -> Iterator[Any]:
        yield from self.change()
        self.command("accept")
        yield self.nothing_open
        self.assertEqual((self.read(), self.names()), (CHANGED.encode(), []))

    def test_reject_undoes_and_restore_brings_back(self) -> Iterator[Any]:
        yield from self.change()
        self.assertFalse(self.can("GeminiCompanionRestoreUndoneChangesCommand"))
        self.command("reject")
        yield self.nothing_open
        self.assertEqual((self.read(), self.names()), (LINES.encode(), []))
        self.assertTrue(self.can("GeminiCompanionRestoreUndoneChangesCommand"))
        self.command("restore_undone_changes")
        yield from self.listed("file.py")
        self.assertEqual(self.read(), CHANGED.encode())
        # A look may have listed the file while it was being restored.
        yield lambda: not self.can("GeminiCompanionRestoreUndoneChangesCommand")

    def test_closing_the_tab_decides_nothing(self) -> Iterator[Any]:
        review = yield from self.change()
        self.proposal(review).close()
        yield self.nothing_open
        yield from self.listed("file.py")
        self.assertEqual(self.read(), CHANGED.encode())

    def test_a_tab_that_is_closed_during_a_decision_stays_closed(self) -> Iterator[Any]:
        review = yield from self.change()
        self.caret(review, 2)
        with mock.patch.object(self.changes._decisions, "keep") as keep:
            self.command("accept_hunk")
            yield lambda: keep.called
        self.proposal(review).close()
        decided = keep.call_args[0][1]
        decided([])
        yield self.nothing_open
        yield lambda: self.titles() == [[]]

    def test_a_hunk_of_a_file_with_other_line_endings(self) -> Iterator[Any]:
        before, after = LINES.replace("\n", "\r\n"), CHANGED.replace("\n", "\r\n")
        review = yield from self.change("file.py", before, after)
        self.caret(review, 2)
        self.command("revert_hunk")
        yield lambda: self.read() == after.replace("LINE 2", "line 2").encode()

    def test_hunks_whose_lines_are_not_those_of_the_bytes_are_decided_together(self) -> Iterator[Any]:
        before, after = LINES.replace("\n", "\r"), CHANGED.replace("\n", "\r")
        review = yield from self.change("file.py", before, after)
        self.caret(review, 2)
        self.command("revert_hunk")
        yield lambda: self.says("only be kept or undone as a whole")
        self.assertEqual((self.read(), review.pending), (after.encode(), True))

    def test_a_file_that_is_no_text_any_more_is_not_shown_any_longer(self) -> Iterator[Any]:
        yield from self.change()
        self.write("file.py", PICTURE)
        self.tracking.sign()
        yield self.nothing_open
        self.assertEqual(self.names(), ["file.py"])

    def test_files_that_are_no_text_are_passed_over_and_left_to_the_list(self) -> Iterator[Any]:
        self.write("one.py", LINES)
        self.write("two.py", LINES)
        yield from self.track()
        changed = {"one.py": CHANGED, "a.png": PICTURE, "b.png": PICTURE, "two.py": CHANGED}
        for number, (name, content) in enumerate(changed.items(), 1):
            self.write(name, content)
            yield from self.listed(*list(changed)[:number])
        self.assertEqual(self.names(), ["one.py", "a.png", "b.png", "two.py"])
        review = yield from self.show("one.py")
        self.assertIn("Next: two.py", self.header(review))
        self.command("accept")
        yield lambda: self.open_review("two.py") is not None and not review.pending
        for name in ("a.png", "b.png"):
            self.assertTrue(self.says(f"{name} cannot be shown as text"))
        review = yield from self.show("two.py")
        self.said.clear()
        self.command("accept")
        yield lambda: self.says("a.png cannot be shown as text")
        yield self.nothing_open
        self.assertEqual(self.names(), ["a.png", "b.png"])

    def test_files_that_have_come_gone_or_moved_are_taken_back(self) -> Iterator[Any]:
        self.write("gone.py", "gone\n")
        self.write("old.py", LINES)
        yield from self.track()
        os.unlink(self.path("gone.py"))
        os.rename(self.path("old.py"), self.path("moved.py"))
        self.write("new.py", "new\n")
        yield from self.listed("gone.py", "moved.py", "new.py")
        left = {"gone.py", "moved.py", "new.py"}
        for name, note in (("gone.py", "The file was deleted."), ("moved.py", "Renamed from old.py."), ("new.py", "")):
            review = yield from self.show(name)
            self.assertIn(note, self.header(review))
            with mock.patch.dict(os.environ, {"XDG_DATA_HOME": self.folder + "-trash"}):
                self.command("reject")
                left.discard(name)
                yield from self.listed(*left)
            yield lambda: review not in self.reviews.open_reviews.all()  # noqa: B023 - else the next file is yet to come
        found = {name: os.path.exists(self.path(name)) for name in ("gone.py", "old.py", "moved.py", "new.py")}
        self.assertEqual(found, {"gone.py": True, "old.py": True, "moved.py": False, "new.py": False})
        self.assertEqual((self.read("gone.py"), self.read("old.py")), (b"gone\n", LINES.encode()))

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
        self.command("accept")
        yield lambda: self.open_review(second) is not None and self.open_review(first) is None
        other = self.open_review(second)
        yield lambda: other in self.reviews.shown and self.header(other) != ""
        yield lambda: self.window.active_view() == self.proposal(other)
        self.command("reject")  # the key that was held too long
        self.assertTrue(other.pending)
        self.assertEqual(self.read(second), CHANGED.encode())

    def test_a_held_key_decides_no_hunk_of_the_file_that_comes_next(self) -> Iterator[Any]:
        yield from self.three()
        yield from self.show("one.py")
        self.clock_of_guard()
        self.command("accept")
        yield lambda: self.open_review("two.py") is not None and self.open_review("one.py") is None
        other = self.open_review("two.py")
        yield lambda: other in self.reviews.shown and self.header(other) != "" and self.settled()
        self.caret(other, 2)
        for command in ("accept_hunk", "revert_hunk"):
            self.said.clear()
            self.command(command)
            yield lambda: self.says("two.py has only just been shown")
        self.assertTrue(other.pending)
        self.assertEqual((self.read("two.py"), self.names()), (CHANGED.encode(), ["two.py", "three.py"]))

    def test_a_change_written_again_is_not_decided_before_it_could_be_seen(self) -> Iterator[Any]:
        review = yield from self.change()
        clock = self.clock_of_guard()
        self.write("file.py", THREE)
        self.tracking.sign()
        yield lambda: self.text(self.proposal(review)) == THREE and self.settled()
        for command in ("reject", "accept", "accept_hunk", "revert_hunk"):
            self.said.clear()
            self.caret(review, 1)
            self.command(command)
            yield lambda: self.says("file.py has only just been shown")
        self.assertTrue(review.pending)
        clock.advance(1.1)
        self.command("reject")
        yield self.nothing_open
        self.assertEqual(self.read(), LINES.encode())

    def test_what_is_left_after_a_hunk_was_decided_is_decided_at_once(self) -> Iterator[Any]:
        review = yield from self.change(after=THREE)
        self.clock_of_guard()
        for row, command, left in ((1, "revert_hunk", 2), (5, "accept_hunk", 1), (9, "revert_hunk", 0)):
            self.caret(review, row)
            self.command(command)
            yield (
                lambda left=left: (
                    self.settled() and len(self.marked(self.proposal(review), "lines")) == left
                    if left
                    else self.nothing_open()
                )
            )
        self.assertEqual(self.read(), LINES.replace("line 5\n", "LINE 5\n").encode())

    def test_after_a_file_comes_the_next_changed_and_after_the_last_the_first(self) -> Iterator[Any]:
        yield from self.three()
        self.assertEqual(self.names(), ["one.py", "two.py", "three.py"])
        for number, (name, following) in enumerate((("two.py", "three.py"), ("three.py", "one.py")), 2):
            review = yield from self.show(name)
            self.assertIn(f"Next: {following}", self.header(review))
            self.assertIn(f"file {number} of 3", self.header(review))
        self.command("accept")
        yield lambda: self.open_review("one.py") is not None and self.open_review("three.py") is None
        review = yield from self.show("one.py")
        self.assertIn("file 2 of 3", self.header(review), "one of them is decided")

    def test_the_next_file_comes_to_the_front_where_it_is_open_already(self) -> Iterator[Any]:
        yield from self.three()
        for name in ("two.py", "three.py", "one.py"):
            yield from self.show(name)
        self.command("accept")
        yield lambda: self.open_review("one.py") is None
        yield lambda: self.window.active_view() == self.proposal(self.open_review("two.py"))

    def test_from_the_last_change_of_a_file_to_the_next_file_and_back(self) -> Iterator[Any]:
        yield from self.three()
        review = yield from self.show("one.py")
        self.caret(review, 9)
        for name, command, row in (("two.py", "next_change", 2), ("one.py", "previous_change", 9)):
            self.command(command)
            yield lambda name=name: [each.path for each in self.reviews.shown] == [self.path(name)]
            yield self.settled
            (review,) = self.reviews.shown
            view = self.proposal(review)
            yield lambda view=view: self.window.active_view() == view
            self.assertEqual(view.rowcol(view.sel()[0].b)[0], row)
        self.assertEqual(self.names(), ["one.py", "two.py", "three.py"])

    def test_after_the_last_change_of_all_the_keys_are_said(self) -> Iterator[Any]:
        review = yield from self.change()
        self.caret(review, 9)
        with mock.patch.object(KeyBindings, "known", {"next_change": "F8", "accept": "Ctrl+S"}):
            self.command("next_change")
        self.assertIn("Companion: last change: F8 starts again, Ctrl+S keeps", self.said)

    def test_the_title_says_what_became_of_the_file(self) -> Iterator[Any]:
        for name in ("gone.py", "old.py", "empty.py"):
            self.write(name, name * (name != "empty.py"))
        yield from self.track()
        layout = self.window.layout()
        os.rename(self.path("old.py"), self.path("new.py"))
        for name in ("gone.py", "empty.py"):
            os.unlink(self.path(name))
        yield from self.listed("gone.py", "new.py", "empty.py")
        for name, title in (
            ("gone.py", "gone.py (deleted)"),
            ("new.py", "old.py \u2192 new.py (renamed)"),
            ("empty.py", "empty.py (deleted)"),
        ):
            review = yield from self.show(name)
            self.assertEqual(self.window.layout(), layout, "it is shown alone")
            self.assertEqual(self.proposal(review).name(), title)
            self.assertNotIn("no changes", self.header(review) + self.proposal(review).get_status(STATUS))
            self.reviews.end(review, review.reject(), tell=False)
            yield self.nothing_open

    def three(self) -> Iterator[Any]:
        """A program changes three files."""
        names = ["one.py", "two.py", "three.py"]
        for name in names:
            self.write(name, LINES)
        yield from self.track()
        for number, name in enumerate(names, 1):
            self.write(name, CHANGED)
            yield from self.listed(*names[:number])

    def test_two_quick_choices_of_a_file_open_it_once(self) -> Iterator[Any]:
        self.write("file.py", LINES)
        yield from self.track()
        self.write("file.py", CHANGED)
        yield from self.listed("file.py")
        with mock.patch.object(self.changes, "_show", wraps=self.changes._show) as shown:
            self.changes.show(self.changes.listed[0])
            self.changes.show(self.changes.listed[0])
            yield lambda: shown.call_count == 2
        yield lambda: bool(self.presentations()) and self.settled()
        self.assertEqual([review.path for review in self.reviews.open_reviews.pending()], [self.path("file.py")])

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
            self.command("reject")
            yield lambda: any("changed on disk" in each for each in self.said)
        self.assertEqual(self.read(), again.encode())
        self.assertTrue(review.pending)

    def test_unsaved_edits_are_left_and_the_change_is_undone_in_the_tab(self) -> Iterator[Any]:
        view = yield from self.edited_tab()
        yield from self.show("file.py")
        self.command("reject")
        yield lambda: self.text(view) == "# mine\n" + LINES
        self.assertTrue(view.is_dirty())
        self.assertEqual(self.read(), CHANGED.encode())
        view.run_command("undo")
        self.assertEqual(self.text(view), "# mine\n" + CHANGED)

    def test_unsaved_edits_in_what_is_to_be_undone_are_left_as_they_are(self) -> Iterator[Any]:
        self.write("gone.py", LINES)
        views = []
        for name in ("file.py", "gone.py"):
            view = yield from self.open_file(name, LINES)
            views.append(view)
        yield from self.track()
        self.write("file.py", CHANGED)
        yield lambda: self.text(views[0]) == CHANGED or views[0].run_command("revert")
        yield from self.listed("file.py")
        self.type(views[0], views[0].text_point(2, 6), "and mine")
        self.type(views[1], 0, "mine")
        os.unlink(self.path("gone.py"))
        yield from self.listed("file.py", "gone.py")
        for name, view, sentence in zip(
            ("file.py", "gone.py"), views, ("beside what is to be undone", "in a tab: save")
        ):
            typed = self.text(view)
            yield from self.show(name)
            self.command("reject")
            yield lambda sentence=sentence: self.says(sentence)
            self.assertEqual((self.text(view), view.is_dirty()), (typed, True))
        self.assertEqual((self.read(), os.path.exists(self.path("gone.py"))), (CHANGED.encode(), False))


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

    def test_a_file_that_is_edited_while_all_are_undone_is_left_to_its_tab(self) -> Iterator[Any]:
        names = ["mine.py", "one.py", "two.py"]
        for name in names:
            self.write(name, LINES)
        view = yield from self.open_file("mine.py", LINES)
        yield from self.track()
        for name in names:
            self.write(name, CHANGED)
        yield lambda: self.text(view) == CHANGED or view.run_command("revert")
        yield from self.listed(*names)
        order = [change for change in self.changes.listed if change.path != "mine.py"]
        order += [change for change in self.changes.listed if change.path == "mine.py"]
        begun, edited, told = threading.Event(), threading.Event(), threading.Event()
        exchange = undoing.exchange

        def slow(folder: str, path: str, *rest: Any) -> None:
            begun.set()
            (edited if path == order[0].path else told).wait(NEVER_SECONDS)
            exchange(folder, path, *rest)
            self.later(1)

        with mock.patch.object(undoing, "exchange", slow):
            self.changes._decisions.undo(order)
            yield begun.is_set
            self.type(view, 0, "# mine\n")
            edited.set()
            yield lambda: self.says("undoing 1 of 3 files")
            told.set()
            yield lambda: self.says("undid 2 files; 1 file left as before: mine.py has unsaved edits in a tab.")
        self.assertEqual((self.read("mine.py"), self.text(view)), (CHANGED.encode(), "# mine\n" + CHANGED))
        self.assertEqual((self.read("one.py"), self.read("two.py")), (LINES.encode(), LINES.encode()))

    def test_undoing_all_asks_first_and_is_restored_as_a_whole(self) -> Iterator[Any]:
        yield from self.two()
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.command("undo_all_changes")
        entries, picked = panel.call_args[0]
        self.assertEqual(entries[0].trigger, "Undo the changes of 2 files")
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
