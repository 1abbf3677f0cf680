"""*Review Changes*: all that waits on one page, decided there, and always as the disk has it."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, List, Optional
from unittest import mock

import sublime

from ....companion.agents.window import RESTORES_NOTHING
from ....companion.editor import marks
from ....companion.page import reading, tab
from ....companion.review.document import disk
from ....companion.review.document.text import ProposedText
from ...support.review_case import GEMINI, PLUGIN, PROPOSED
from ...support.selecting import put_caret, select
from ...support.unreviewed_case import CHANGED, LINES, THREE, ChangesTestCase

BODY = """\
@@ -1,12 +1,12 @@
 line 0
 line 1
-line 2
+LINE 2
 line 3
 line 4
 line 5
 line 6
 line 7
 line 8
-line 9
+LINE 9
 line 10
 line 11
"""


class PageTestCase(ChangesTestCase):
    def page_view(self) -> Optional[sublime.View]:
        return next((view for view in self.window.views() if view.name() == "Review Changes"), None)

    def page(self, *parts: str, **arguments: Any) -> Iterator[Any]:
        """Open the page. `yield from` gives the view, once it has the focus and all of these."""
        self.window.run_command("gemini_companion_review_changes", arguments)

        def shown() -> bool:
            view = self.page_view()
            return view is not None and view == self.window.active_view() and all(p in self.text(view) for p in parts)

        yield shown
        yield self.quiet
        return self.page_view()

    def quiet(self) -> bool:
        """Whether the page shows all that it knows of."""
        page = self.endpoint.page
        return not page._stock.under_way and not page._tab.busy

    def act(self, act: str) -> None:
        self.window.run_command("gemini_companion_act_on_page", {"act": act})

    def line(self, view: sublime.View) -> str:
        return view.substr(view.line(view.sel()[0].b))

    def caret_to(self, view: sublime.View, text: str) -> None:
        put_caret(view, self.text(view).index(text))

    def has(self, view: sublime.View, *parts: str) -> Any:
        return lambda: self.quiet() and all(part in self.text(view) for part in parts)

    def propose(self, name: str, proposed: str, owner: Any = GEMINI) -> Any:
        self.reviews.open_diff(owner, self.path(name), proposed)
        return self.open_review(name)

    def turn(self, **files: str) -> Iterator[Any]:
        """A program changes these files, which held `LINES`. `yield from` gives the page."""
        names = [name.replace("_", ".") for name in files]
        for name in names:
            self.write(name, LINES)
        yield from self.track()
        for name, content in zip(names, files.values()):
            self.write(name, content)
            yield from self.listed(*names[: names.index(name) + 1])
        view = yield from self.page(*(f"{each} of {len(names)}  " for each in range(1, len(names) + 1)))
        return view


class TestText(PageTestCase):
    def test_all_that_was_written_is_one_text(self) -> Iterator[Any]:
        self.assertFalse(self.can("GeminiCompanionReviewChangesCommand"))
        for name, content in (("a.py", LINES), ("gone.py", "x\n"), ("old.py", "1\n2\n"), ("end.py", "a\nb")):
            self.write(name, content)
        yield from self.track()
        self.write("a.py", CHANGED)
        yield from self.listed("a.py")
        os.remove(self.path("gone.py"))
        os.rename(self.path("old.py"), self.path("moved.py"))
        self.write("end.py", "a\nB")
        os.mkdir(self.path("sub"))
        self.write("sub/new.py", "new\n")
        yield from self.listed("a.py", "gone.py", "moved.py", "end.py", "sub/new.py")
        view = yield from self.page(
            "5 files to review. ? lists the keys.\n\n1 of 5  a.py  +2 \u22122\n" + BODY,
            "  gone.py  +0 \u22121  deleted\n# The file was deleted.\n@@ -1,1 +0,0 @@\n-x\n",
            "  moved.py\n# Renamed from old.py.\n",
            "  sub/new.py  +1 \u22120  new\n@@ -0,0 +1,1 @@\n+new\n",
            " a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n",
        )
        self.assertTrue(view.is_scratch() and view.is_read_only())
        syntax = view.syntax()
        self.assertEqual(syntax.scope if syntax is not None else "", "source.diff")
        self.assertEqual(self.line(view), "-line 2")

    def test_changes_are_marked_as_in_a_review(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=LINES.replace("line 1\n", "lane 1\n").replace("line 9\n", ""))
        keys = {kind: self.numbered(view, "gutter." + kind) for kind in ("added", "removed", "changed")}
        self.assertEqual(keys, {"added": [], "removed": ["-line 9\n"], "changed": ["-line 1\n", "+lane 1\n"]})
        self.assertEqual(self.numbered(view, "characters.old"), ["line"])
        self.assertEqual(self.numbered(view, "characters.new"), ["lane"])

    def numbered(self, view: sublime.View, key: str) -> List[str]:
        """The texts that are marked in any part of the page."""
        return [
            text for part in self.endpoint.page._tab.layout.parts for text in self.marked(view, f"{key}.{part.number}")
        ]

    def test_what_changes_in_all_of_a_file_is_said(self) -> Iterator[Any]:
        self.write("a.py", LINES)
        self.write("b.py", b"one\r\n")
        yield from self.track()
        self.write("a.py", CHANGED.replace("\n", "\r\n").encode())
        yield from self.listed("a.py")
        self.reviews.open_diff(GEMINI, self.path("b.py"), ProposedText("one\n", RESTORES_NOTHING))
        yield self.settled
        count = LINES.count("\n")
        yield from self.page(
            f"1 of 2  a.py  +2 \u22122\n# All {count} line ends change: LF \u2192 CRLF.\n{BODY}",
            f"2 of 2  b.py  proposed by {GEMINI.client_name}\n# The line end changes: CRLF \u2192 LF.\n",
        )

    def test_what_is_no_text_or_secret_or_long_is_named_only(self) -> Iterator[Any]:
        self.write("logo.png", b"\x89PNG\r\n\x1a\n\x00\x00")
        yield from self.track()
        self.write("logo.png", b"\x89PNG\r\n\x1a\n\x00\x01")
        self.write("long.py", LINES * 20)
        yield from self.listed("logo.png", "long.py")
        patcher = mock.patch.object(disk, "LIMITS", disk.ReadLimits(10**6, 100))
        patcher.start()
        self.addCleanup(patcher.stop)
        self.propose(".env", "PASSWORD=x\n")
        found = yield from self.page("3 files to review. ", f"# {reading.WITHHELD}\n")
        text = self.text(found)
        for name, why in (("logo.png", reading.NO_TEXT), ("long.py", reading.TOO_LONG), (".env", reading.WITHHELD)):
            self.assertIn(f"\n# {why}\n", text[text.index(name) :])
        for content in ("PNG\r", "line 1", "PASSWORD"):
            self.assertNotIn(content, text)

    def test_a_page_has_its_bounds(self) -> Iterator[Any]:
        with mock.patch.object(reading, "MOST_CHARACTERS", 300), mock.patch.object(reading, "PORTION_FILES", 1):
            found = yield from self.turn(one_py=CHANGED, two_py=CHANGED, three_py=CHANGED)
            yield self.has(found, f"# {reading.NO_ROOM}\n")
        self.assertLess(self.text(found).count(BODY), 3)

    def test_the_keys_are_listed_on_demand(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=CHANGED)
        before, line = self.text(view), self.line(view)
        self.act("toggle_help")
        yield self.has(view, "keep hunk", "Shift+Escape")
        self.assertEqual(self.line(view), line)
        self.act("toggle_help")
        yield lambda: self.text(view) == before


class TestPortions(PageTestCase):
    def test_many_changes_come_in_portions_and_keys_are_answered_meanwhile(self) -> Iterator[Any]:
        before, after = LINES * 8, CHANGED * 8
        names = [f"file{number:02}.py" for number in range(40)]
        for name in names:
            self.write(name, before)
        yield from self.track()
        for name in names:
            self.write(name, after)
        yield from self.listed(*names)
        sizes: List[int] = []
        put = tab.PageTab._put

        def counted(page_tab: Any, batch: Any) -> int:
            sizes.append(len({each.at for each in batch}))
            return put(page_tab, batch)

        patcher = mock.patch.object(tab.PageTab, "_put", counted)
        patcher.start()
        self.addCleanup(patcher.stop)
        with mock.patch.object(reading, "PORTION_FILES", 4), self.single_steps():
            self.command("review_changes")
            yield lambda: self.page_view() is not None and "-line 2" in self.text(self.page_view())
            view = self.page_view()
            self.assertLess(self.text(view).count("-line 2"), len(names) * 8)
            yield lambda: self.line(view) == "-line 2"
            self.act("next_change")
            self.assertEqual(self.line(view), "-line 9")
            yield lambda: self.quiet() and self.text(view).count("-line 2") == len(names) * 8
        self.assertEqual(self.line(view), "-line 9")
        self.assertLessEqual(max(sizes), tab.BATCH_EDITS)
        self.assertGreater(len(sizes), len(names) / tab.BATCH_EDITS)


class TestDeciding(PageTestCase):
    def test_a_turn_of_three_files_is_decided_with_four_keys(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=CHANGED, b_py=CHANGED, c_py=CHANGED)
        self.act("keep_file")
        yield self.has(view, "\u2713 kept a.py\n")
        self.assertEqual(self.line(view), "-line 2")
        self.act("undo_hunk")
        yield self.has(view, "2 of 3  b.py  +1 \u22121\n")
        self.assertEqual(self.read("b.py").decode(), CHANGED.replace("LINE 2", "line 2"))
        self.assertEqual(self.line(view), "-line 9")
        self.act("keep_hunk")
        yield self.has(view, "\u2713 decided in part: undone, kept b.py\n")
        self.act("undo_file")
        yield lambda: self.page_view() is None
        self.assertEqual([self.read(name).decode() for name in ("a.py", "c.py")], [CHANGED, LINES])
        yield from self.listed()
        self.assertTrue(self.says("nothing is left to review"))

    def test_the_last_decision_is_taken_back(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=CHANGED, b_py=CHANGED)
        self.act("undo_file")
        yield self.has(view, "\u2713 undone a.py\n")
        self.act("take_back")
        yield self.has(view, "1 of 2  a.py  +2 \u22122\n" + BODY)
        self.assertEqual(self.read("a.py").decode(), CHANGED)
        self.act("take_back")
        self.assertTrue(self.says("nothing was decided that can be taken back"))
        self.caret_to(view, "-line 9")
        self.clock_of_guard().advance(1)
        self.act("keep_hunk")
        yield self.has(view, "1 of 2  a.py  +1 \u22121\n")
        self.act("take_back")
        yield self.has(view, "1 of 2  a.py  +2 \u22122\n")

    def test_what_is_selected_is_decided_by_several_carets(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=THREE)
        text = self.text(view)
        select(view, *(sublime.Region(text.index(line)) for line in ("-line 1\n", "+LINE 9\n")))
        self.act("undo_hunk")
        yield self.has(view, "1 of 1  a.py  +1 \u22121\n")
        self.assertEqual(self.read("a.py").decode(), LINES.replace("line 5", "LINE 5"))

    def test_the_header_of_lines_stands_for_all_below_it(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=CHANGED, b_py=CHANGED)
        self.caret_to(view, "@@")
        self.act("undo_hunk")
        yield self.has(view, "\u2713 undone a.py\n")
        self.assertEqual(self.read("a.py").decode(), LINES)

    def test_where_is_nothing_to_decide_it_is_said(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=CHANGED)
        put_caret(view, 0)
        self.act("keep_hunk")
        self.assertTrue(self.says("there is no change at the cursor"))
        self.act("keep_file")
        self.assertTrue(self.says("there is no file on this line"))
        self.assertEqual(self.names(), ["a.py"])

    def test_proposals_are_accepted_and_rejected(self) -> Iterator[Any]:
        for name in ("one.py", "two.py"):
            self.write(name)
        self.reviews.open_diff(GEMINI, self.path("one.py"), PROPOSED)
        self.reviews.open_diff(GEMINI, self.path("two.py"), PROPOSED)
        yield self.settled
        first, second = self.reviews.pending()
        view = yield from self.page("1 of 2  one.py  ", "2 of 2  two.py  ", "+import sys\n")
        self.act("keep_file")
        yield self.has(view, "\u2713 accepted one.py\n")
        self.assertEqual(first.state.value, "accepted")
        yield lambda: self.window.active_view() == view
        self.act("undo_file")
        yield lambda: self.page_view() is None
        self.assertEqual(second.state.value, "rejected")

    def test_a_hunk_of_a_proposal_is_reverted_before_it_is_shown(self) -> Iterator[Any]:
        self.write("one.py")
        self.write("two.py", LINES)
        self.reviews.open_diff(GEMINI, self.path("one.py"), PROPOSED)
        self.reviews.open_diff(GEMINI, self.path("two.py"), CHANGED)
        yield self.settled
        second = self.reviews.pending()[1]
        view = yield from self.page("2 of 2  two.py  +2 \u22122")
        self.assertNotIn(second, self.reviews.shown)
        self.caret_to(view, "+LINE 9")
        self.act("keep_hunk")
        self.assertTrue(self.says("hunks of a proposal can be reverted"))
        self.act("undo_hunk")
        yield self.has(view, "2 of 2  two.py  +1 \u22121")
        self.act("keep_file")
        yield lambda: self.reviews.accepted_texts.acceptances.any
        self.assertEqual(self.kept_text(second), CHANGED.replace("LINE 9", "line 9"))

    def kept_text(self, review: Any) -> str:
        return str(review.draft.exact)

    def test_a_hunk_of_a_shown_proposal_is_reverted_in_its_review(self) -> Iterator[Any]:
        self.write("one.py", LINES)
        self.reviews.open_diff(GEMINI, self.path("one.py"), CHANGED)
        yield self.settled
        (review,) = self.reviews.pending()
        view = yield from self.page("1 of 1  one.py  +2 \u22122")
        self.caret_to(view, "-line 2")
        self.act("undo_hunk")
        yield self.has(view, "1 of 1  one.py  +1 \u22121")
        self.assertEqual(self.text(self.proposal(review)), CHANGED.replace("LINE 2", "line 2"))


class TestFollowing(PageTestCase):
    def test_it_shows_what_an_agent_writes_meanwhile(self) -> Iterator[Any]:
        guard = self.clock_of_guard()
        view = yield from self.turn(a_py=CHANGED, b_py=CHANGED)
        self.caret_to(view, "+LINE 9")
        self.write("a.py", CHANGED.replace("line 5", "LINE 5"))
        self.tracking.sign()
        yield self.has(view, "1 of 2  a.py  +3 \u22123")
        self.assertEqual(self.line(view), "+LINE 9")
        self.act("keep_file")
        self.assertTrue(self.says("a.py has only just been shown: look, then decide"))
        self.assertEqual(self.names(), ["a.py", "b.py"])
        guard.advance(0.8)
        self.act("keep_file")
        yield self.has(view, "\u2713 kept a.py\n")

    def test_a_change_that_goes_takes_no_key_with_it(self) -> Iterator[Any]:
        guard = self.clock_of_guard()
        view = yield from self.turn(a_py=CHANGED, b_py=CHANGED)
        self.caret_to(view, "-line 2")
        self.write("a.py", CHANGED.replace("LINE 2", "line 2"))
        self.tracking.sign()
        yield self.has(view, "1 of 2  a.py  +1 \u22121")
        self.assertEqual(self.line(view), "-line 9")
        self.act("undo_hunk")
        self.assertTrue(self.says("a.py has only just been shown: look, then decide"))
        guard.advance(0.8)
        self.act("undo_hunk")
        yield self.has(view, "\u2713 undone a.py\n")

    def test_what_is_decided_elsewhere_is_said_and_new_files_come_last(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=CHANGED, b_py=CHANGED)
        self.write("a.py", LINES)
        self.write("c.py", "new\n")
        yield from self.listed("b.py", "c.py")
        yield self.has(view, "\u2713 nothing left to decide: a.py\n2 of 3  b.py", "3 of 3  c.py  +1 \u22120  new\n")

    def test_a_proposal_that_is_another_by_now_is_shown_first(self) -> Iterator[Any]:
        self.write("one.py", LINES)
        self.reviews.open_diff(GEMINI, self.path("one.py"), CHANGED)
        yield self.settled
        (review,) = self.reviews.pending()
        view = yield from self.page("1 of 1  one.py  +2 \u22122")
        self.type(self.proposal(review), 0, "mine\n")
        self.act("keep_file")
        self.assertTrue(self.says("one.py has changed again: look, then decide"))
        self.assertTrue(review.pending)
        yield self.has(view, "1 of 1  one.py  +3 \u22122", "+mine\n")

    def test_a_proposal_that_comes_takes_no_focus_from_the_page(self) -> Iterator[Any]:
        self.write("one.py", LINES)
        view = yield from self.turn(a_py=CHANGED)
        self.reviews.open_diff(GEMINI, self.path("one.py"), CHANGED)
        yield self.settled
        yield self.has(view, "2 of 2  one.py  +2 \u22122  proposed by")
        self.assertEqual(self.window.active_view(), view)
        self.assertEqual(self.line(view), "-line 2")

    def test_it_stays_while_there_are_drafts(self) -> Iterator[Any]:
        self.endpoint.page.has_drafts = lambda: True
        view = yield from self.turn(a_py=CHANGED)
        self.act("keep_file")
        yield self.has(view, "0 files to review. ", "\u2713 kept a.py\n")

    def test_the_last_turn_is_reviewed_alone(self) -> Iterator[Any]:
        yield from self.turn(a_py=CHANGED, b_py=CHANGED)
        begun: List[bool] = []
        self.endpoint.changes.turn_begins(lambda: begun.append(True))
        yield lambda: bool(begun)
        self.write("b.py", CHANGED.replace("line 5", "LINE 5"))
        yield lambda: [each.path for each in self.changes.lists.last_turn] == ["b.py"]
        view = yield from self.page("1 file of the last turn to review. ", "1 of 1  b.py  +1 \u22121")
        self.assertNotIn("a.py", self.text(view))
        yield from self.page("2 files to review. ", "1 of 2  a.py")
        yield from self.page("1 of 1  b.py  +1 \u22121", last_turn=True)
        self.act("undo_file")
        yield lambda: self.page_view() is None
        self.assertEqual(self.read("b.py").decode(), CHANGED)


class TestWalking(PageTestCase):
    def test_keys_go_from_change_to_change_and_from_file_to_file(self) -> Iterator[Any]:
        view = yield from self.turn(a_py=CHANGED, b_py=LINES.replace("line 11\n", ""))
        seen = []
        for act in ("next_change", "next_change", "next_change", "previous_change", "previous_change"):
            self.act(act)
            seen.append(self.line(view))
        self.assertEqual(seen, ["-line 9", "-line 11", "-line 2", "-line 11", "-line 9"])
        self.act("next_file")
        self.assertEqual(self.line(view), "2 of 2  b.py  +0 \u22121")
        self.act("next_file")
        self.assertEqual(self.line(view), "1 of 2  a.py  +2 \u22122")
        self.command("next_change")
        self.assertEqual(self.line(view), "-line 2")

    def test_enter_opens_the_review_at_the_change(self) -> Iterator[Any]:
        view = yield from self.turn(file_py=THREE)
        self.caret_to(view, " line 10\n")
        self.act("open_review")
        yield lambda: self.open_review("file.py") is not None
        review = self.open_review("file.py")
        yield lambda: review in self.reviews.shown and self.settled()
        yield lambda: self.line(self.proposal(review)) == "LINE 9"
        self.window.focus_view(view)
        self.caret_to(view, "-line 5\n")
        self.act("open_review")
        yield lambda: self.line(self.proposal(review)) == "LINE 5"

    def test_the_file_is_opened_at_the_line(self) -> Iterator[Any]:
        view = yield from self.turn(file_py=CHANGED)
        self.caret_to(view, "+LINE 9")
        self.act("open_file")
        yield lambda: self.window.active_view() != view and not self.window.active_view().is_loading()
        self.assertEqual(self.line(self.window.active_view()), "LINE 9")

    def test_places_of_comments(self) -> Iterator[Any]:
        view = yield from self.turn(file_py=CHANGED)
        start = self.text(view).index("+LINE 2")
        select(view, sublime.Region(start, start + len("+LINE 2\n line 3\n")))
        (place,) = self.endpoint.page.places()
        self.assertEqual(place[1:], (place.side.NEW, 3, 4, "LINE 2\nline 3"))
        self.assertEqual(place.path, self.path("file.py"))
        self.caret_to(view, "-line 9")
        (place,) = self.endpoint.page.places()
        self.assertEqual(place[1:], (place.side.OLD, 10, 10, "line 9"))


class TestView(PageTestCase):
    def test_its_keys_are_its_own(self) -> Iterator[Any]:
        review = yield from self.change()
        view = yield from self.page("1 of 1  file.py")
        other = self.window.new_file()
        listener = sys.modules[PLUGIN].GeminiCompanionListener()
        for each, in_page, in_review in ((view, True, False), (self.proposal(review), False, True)):
            for key, value in (("in_page", in_page), ("in_review", in_review)):
                context = f"gemini_companion.{key}"
                self.assertEqual(listener.on_query_context(each, context, sublime.OP_EQUAL, True, False), value)
        self.assertFalse(listener.on_query_context(other, "gemini_companion.in_page", sublime.OP_EQUAL, True, False))

    def test_one_that_an_earlier_start_has_left_is_closed(self) -> Iterator[Any]:
        yield from self.change()
        yield from self.page("1 of 1  file.py")
        self.endpoint.page._tab.view = None  # as after a crash
        self.endpoint.page.recover()
        yield lambda: self.page_view() is None

    def test_saved_under_a_name_it_is_the_users(self) -> Iterator[Any]:
        yield from self.change()
        view = yield from self.page("1 of 1  file.py")
        view.retarget(self.path("all.diff"))
        view.run_command("save")
        yield lambda: not marks.is_page(view) and not view.is_read_only()
        self.assertFalse(view.settings().has("gemini_companion.page") or view.settings().has("gemini_companion.role"))
