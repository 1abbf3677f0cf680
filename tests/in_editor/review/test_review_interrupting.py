"""No typed character lands in a text that came by itself, and no palette or panel ends because a diff comes or goes."""

from __future__ import annotations

from typing import Any, Iterator, List
from unittest import mock

import sublime

from ....companion.review.document.preparation import prepare
from ...support.review_case import GEMINI, PROPOSED, QWEN, TWO_COLUMNS, ClockTestCase


class InterruptingTestCase(ClockTestCase):
    @property
    def arrangement(self) -> Any:
        return self.reviews.open_reviews.arrangement

    def type_in(self, view: sublime.View) -> Iterator[Any]:
        """Type a character where the focus is, and wait until the editor has told of it."""
        known = self.guard._edited.get(view.id())
        self.clock.advance(0.001)
        view.run_command("insert", {"characters": "x"})
        yield lambda: self.guard._edited.get(view.id()) != known


class TestTyping(InterruptingTestCase):
    def test_a_diff_that_comes_meanwhile_waits_behind(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            view = yield from self.open_file()
            yield from self.type_in(view)
            self.clock.advance(1.4)
            review = yield from self.open_diff("other.py")
            self.assertEqual(self.window.active_view(), view)
            self.window.active_view().run_command("insert", {"characters": "x"})
            self.assertEqual(self.text(self.proposal(review)), PROPOSED)
            self.assertIn(self.proposal(review), self.window.views())
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()
            self.assertEqual(self.window.active_view(), view)
            view.run_command("revert")
            view.set_scratch(True)
            view.close()
            yield lambda: not self.window.views()

    def test_so_it_does_where_every_review_takes_the_focus(self) -> Iterator[Any]:
        self.use(review_focus="always")
        view = yield from self.open_file()
        yield from self.type_in(view)
        yield from self.open_diff("other.py")
        self.assertEqual(self.window.active_view(), view)

    def test_and_where_they_type_into_a_proposal(self) -> Iterator[Any]:
        self.use(review_focus="always")
        self.write()
        review = yield from self.open_diff()
        yield from self.type_in(self.proposal(review))
        second = yield from self.open_diff("other.py", owner=QWEN)
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.clock.advance(2)
        yield from self.open_diff("third.py", owner=QWEN)
        self.assertNotEqual(self.window.active_view(), self.proposal(review))
        self.assertIn(second, self.reviews.pending())

    def test_after_a_pause_it_comes_to_the_front(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.type_in(view)
        self.clock.advance(1.6)
        review = yield from self.open_diff("other.py")
        self.assertEqual(self.window.active_view(), self.proposal(review))

    def test_what_the_disk_or_a_terminal_changes_was_not_typed(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.type_in(view)
        view.run_command("revert")
        yield lambda: view.id() in self.guard._reloaded
        self.guard._edited[view.id()] = self.guard._reloaded[view.id()] + 0.01
        review = yield from self.open_diff("other.py")
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()
        terminal = self.terminal()
        self.use(review_focus="always")
        yield from self.type_in(terminal)
        review = yield from self.open_diff("other.py")
        self.assertEqual(self.window.active_view(), self.proposal(review))

    def test_a_newer_proposal_is_not_typed_into(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        looks: List[Any] = []  # whether it may be edited again
        thaw = self.reviews.open_reviews._thaw
        self.reviews.open_reviews._thaw = lambda each: looks.append(thaw(each))
        yield from self.type_in(view)
        self.reviews.open_diff(GEMINI, self.path(), "newer\n")
        yield self.settled
        self.clock.advance(1.4)
        looks.clear()
        yield lambda: bool(looks)
        view.run_command("insert", {"characters": "y"})
        self.assertEqual(self.text(view), "newer\n")
        self.clock.advance(0.2)
        yield lambda: not view.is_read_only()


class TestLists(InterruptingTestCase):
    """The command palette, quick panels, the find panel and input panels."""

    def show(self, kind: str) -> Iterator[Any]:
        self.ended: List[Any] = []
        if kind == "palette":
            self.window.run_command("show_overlay", {"overlay": "command_palette"})
        elif kind == "quick":
            self.window.show_quick_panel(["one", "two"], self.ended.append)
        elif kind == "input":
            self.window.show_input_panel("?", "", None, None, lambda: self.ended.append(-1))
        else:
            self.window.run_command("show_panel", {"panel": "find"})
        yield lambda: not self.arrangement.focus.free

    def hide(self, kind: str) -> Iterator[Any]:
        self.window.run_command("hide_overlay" if kind in ("palette", "quick") else "hide_panel")
        yield lambda: self.arrangement.focus.free

    def test_a_diff_that_comes_is_shown_when_they_have_gone(self) -> Iterator[Any]:
        yield from self.open_file()
        for kind in ("palette", "quick", "find", "input"):
            yield from self.show(kind)
            self.reviews.open_diff(GEMINI, self.path(), PROPOSED)
            (review,) = self.reviews.pending()
            yield 50
            self.assertFalse(self.arrangement.focus.free, kind)
            self.assertEqual((self.ended, self.window.num_groups()), ([], 1), kind)
            yield from self.hide(kind)
            yield lambda: bool(self.reviews.shown)
            yield self.settled
            self.assertEqual(self.window.active_view(), self.proposal(review))
            self.reviews.commands.reject(review)
            yield lambda: self.window.num_groups() == 1

    def test_one_that_its_client_closes_goes_when_they_have_gone(self) -> Iterator[Any]:
        view = yield from self.open_file()
        for kind in ("palette", "quick", "find", "input"):
            review = yield from self.open_diff()
            yield from self.show(kind)
            text = self.reviews.close_diff(review.owner, review.path, suppress_notification=True)
            self.assertEqual((text, self.reviews.pending()), (PROPOSED, []))
            yield 50
            self.assertFalse(self.arrangement.focus.free, kind)
            self.assertEqual((self.ended, self.window.num_groups()), ([], 2), kind)
            yield from self.hide(kind)
            yield lambda: self.window.num_groups() == 1 and self.window.views() == [view]
            self.assertEqual(self.window.active_view(), view)

    def test_one_that_comes_and_goes_meanwhile_is_never_shown(self) -> Iterator[Any]:
        yield from self.open_file()
        yield from self.show("palette")
        self.reviews.open_diff(GEMINI, self.path(), PROPOSED)
        self.reviews.open_diff(GEMINI, self.path(), "newer\n")
        self.assertEqual(len(self.reviews.pending()), 1)
        self.assertEqual(self.reviews.close_diff(GEMINI, self.path(), suppress_notification=False), "newer\n")
        self.assertEqual(len(self.told), 1)
        yield from self.hide("palette")
        yield 50
        self.assertEqual((self.window.num_groups(), len(self.window.views())), (1, 1))

    def test_the_newer_of_two_waiting_proposals_has_the_file_of_its_own_time(self) -> Iterator[Any]:
        yield from self.show("palette")
        for content, proposed in ((None, PROPOSED), ("a\nb\n", "a\nB\n")):
            if content is not None:
                self.write(content=content)
            proposal, prepared = prepare(self.reviews.file_request(self.path()), proposed)
            self.reviews.open_diff(GEMINI, self.path(), proposal, prepared)
        (review,) = self.reviews.pending()
        yield from self.hide("palette")
        yield lambda: self.header(review) != "" and self.settled()
        self.assertEqual([self.text(view(review)) for view in (self.original, self.proposal)], ["a\nb\n", "a\nB\n"])
        self.assertNotIn("new file", self.header(review))
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["B\n"])

    def test_what_a_client_does_with_a_diff_that_waits(self) -> Iterator[Any]:
        yield from self.open_file()
        yield from self.show("palette")
        self.reviews.open_diff(GEMINI, self.path(), PROPOSED)
        said: List[str] = []
        self.reviews.accept_by_client(GEMINI, self.path(), said.append, lambda path: None)
        self.assertEqual(said, ["The user has not opened this diff yet."])
        self.reviews.owner_gone(GEMINI.session_id)
        yield from self.hide("palette")
        (review,) = self.reviews.pending()
        yield lambda: "has gone" in self.header(review) if review in self.reviews.shown else False

    def test_one_that_its_client_accepts_is_written_while_they_are_there(self) -> Iterator[Any]:
        view = yield from self.open_file()
        before = self.picture()
        for kind in ("palette", "quick", "find", "input"):
            self.write()
            yield from self.show(kind)
            self.reviews.open_diff(GEMINI, self.path(), *prepare(self.reviews.file_request(self.path()), PROPOSED))
            self.reviews.accept_by_client(GEMINI, self.path(), self.said.append, lambda path: None)
            yield lambda: self.said[-1:] == [""]
            self.said.clear()
            self.assertEqual(self.read(), PROPOSED.encode("utf-8"))
            self.assertFalse(self.arrangement.focus.free, kind)
            yield from self.hide(kind)
            yield lambda: self.text(view) == PROPOSED
            self.assertEqual((self.reviews.pending(), self.picture()), ([], before))

    def test_a_window_that_ends_has_no_diff_that_waits(self) -> Iterator[Any]:
        yield from self.open_file()
        yield from self.show("input")
        self.reviews.open_diff(GEMINI, self.path(), PROPOSED)
        self.reviews.shutdown()
        self.assertEqual((len(self.told), self.reviews.pending()), (1, []))
        yield from self.hide("input")
        yield 50
        self.assertEqual(self.window.num_groups(), 1)


class TestShowPendingDiffs(InterruptingTestCase):
    def items(self) -> Any:
        """Open the list. Gives its entries, and what is called when one is highlighted and when one is picked."""
        with mock.patch.object(sublime.Window, "show_quick_panel", autospec=True) as shown:
            self.window.run_command("gemini_companion_show_pending_diffs")
        (_, items, picked), named = shown.call_args
        return items, named["on_highlight"], picked

    def list_of_two(self) -> Iterator[Any]:
        """Two diffs in one group with a file, which has the focus, and the list of them."""
        self.use(review_presentation="inline")
        view = yield from self.open_file()
        first = yield from self.open_diff()
        self.clock.advance(5)
        second = yield from self.open_diff("other.py", owner=QWEN)
        self.window.focus_view(view)
        _, highlighted, picked = self.items()
        return view, first, second, highlighted, picked

    def test_a_preview_needs_no_other_group(self) -> Iterator[Any]:
        view, first, second, highlighted, picked = yield from self.list_of_two()
        highlighted(1)
        self.assertEqual(self.window.active_view(), self.proposal(second))
        highlighted(0)
        self.assertEqual(self.window.active_view(), self.proposal(first))
        picked(-1)
        self.assertEqual(self.window.active_view(), view)

    def test_a_diff_answered_meanwhile_is_not_shown_and_the_preview_goes_back(self) -> Iterator[Any]:
        view, first, second, highlighted, picked = yield from self.list_of_two()
        second.reject()  # its views are still there: the list has the focus
        highlighted(1)
        self.assertEqual(self.window.active_view(), view)
        highlighted(0)
        self.assertEqual(self.window.active_view(), self.proposal(first))
        picked(1)
        self.assertIn("that diff has already been answered", self.said[-1])
        self.assertEqual(self.window.active_view(), view)

    def test_side_by_side_there_is_none(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.open_diff()
        yield from self.open_diff("other.py", owner=QWEN)
        self.window.focus_view(view)
        before = [self.window.active_view_in_group(group) for group in range(2)]
        _, highlighted, _ = self.items()
        for index in (0, 1):
            highlighted(index)
            self.assertEqual([self.window.active_view_in_group(group) for group in range(2)], before)
            self.assertEqual(self.window.active_view(), view)

    def test_the_list_stays_open_while_the_user_walks(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            self.window.set_layout(TWO_COLUMNS)
            yield from self.open_file()
            yield from self.open_diff()
            yield from self.open_diff("other.py", owner=QWEN)
            self.window.run_command("gemini_companion_show_pending_diffs")
            yield lambda: not self.arrangement.focus.free
            for _ in range(3):
                self.window.run_command("move", {"by": "lines", "forward": True})
                yield 30
                self.assertFalse(self.arrangement.focus.free)
            self.window.run_command("hide_overlay")
            yield lambda: self.arrangement.focus.free
            self.reviews.shutdown()
