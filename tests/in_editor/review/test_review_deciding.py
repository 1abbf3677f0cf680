"""Accepting and rejecting: all the ways to do it, and what the client is told."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any, Iterator

import sublime

from ....companion.review.decision import Outcome
from ...support.review_case import GEMINI, PLUGIN, PROPOSED, TEXT, DecidingTestCase

ODD_TEXTS = {
    "line feeds": "a\nb\n",
    "carriage returns and line feeds": "a\r\nb\r\n",
    "mixed endings": "a\r\nb\nc\rd",
    "no final newline": "a\nb",
    "byte order mark": "\ufeffa\n",
    "NUL": "a\x00b\n",
    "lone surrogates": "a\ud800b\udfffc\n",
    "astral characters": "\U0001f600\n",
    "form feeds and other separators": "a\x0cb\x0bc\u2028d\x85e\n",
    "tabs and trailing blanks": "\tx  \n \t\n",
    "empty": "",
    "only blank lines": "\n\n\n",
}


class TestAccepting(DecidingTestCase):
    def test_the_client_gets_the_text_and_writes_the_file_itself(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.reviews.commands.accept(review)
        yield self.closed
        session, outcome = self.only_outcome()
        self.assertEqual(session, GEMINI.session_id)
        self.assertEqual((outcome.path, outcome.content), (self.path(), PROPOSED))
        self.assertEqual(self.read().decode(), TEXT)

    def test_edits_are_part_of_the_text(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "# mine\n" + PROPOSED)

    def test_a_text_without_edits_or_with_edits_undone_equals_the_proposal(self) -> Iterator[Any]:
        self.write("file.txt", "a\n")
        for name, text in ODD_TEXTS.items():
            for edited in (False, True):
                with self.subTest(name, edited=edited):
                    del self.told[:]
                    review = yield from self.open_diff("file.txt", text)
                    if edited:
                        self.type(self.proposal(review), 0, "x")
                        self.proposal(review).run_command("undo")
                    self.reviews.commands.accept(review)
                    yield self.closed
                    self.assertEqual(self.only_outcome()[1].content, text)

    def test_one_line_of_five_megabytes(self) -> Iterator[Any]:
        text = "x" * 5000000
        self.write("file.txt", "a\n")
        review = yield from self.open_diff("file.txt", text)
        yield lambda: self.proposal(review).size() == len(text)
        self.assertIn("Coarse comparison", self.header(review))
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertTrue(self.only_outcome()[1].content == text)

    def test_a_text_accepted_before_it_was_shown(self) -> Iterator[Any]:
        text = "line\n" * 100000
        self.write("file.txt", "a\n")
        self.reviews.open_diff(GEMINI, self.path("file.txt"), text)
        self.reviews.commands.accept(self.reviews.pending()[0])
        yield self.closed
        self.assertTrue(self.only_outcome()[1].content == text)

    def test_edited_lines_keep_the_line_endings_of_the_proposal(self) -> Iterator[Any]:
        self.write("file.txt", b"a\r\nb\r\n")
        review = yield from self.open_diff("file.txt", "a\r\nc\r\n")
        self.type(self.proposal(review), 0, "new\n")
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "new\r\na\r\nc\r\n")

    def test_undo_does_not_take_the_proposal_away(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        for _ in range(3):
            self.proposal(review).run_command("undo")
        self.assertEqual(self.text(self.proposal(review)), PROPOSED)

    def test_an_emptied_proposal_is_warned_of(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        view.run_command("select_all")
        view.run_command("right_delete")
        yield lambda: "ignores an empty text" in self.header(review)


class TestWaysToDecide(DecidingTestCase):
    def test_commands(self) -> Iterator[Any]:
        self.write()
        for command, content in (("accept", PROPOSED), ("reject", None)):
            del self.told[:]
            review = yield from self.open_diff()
            self.assertTrue(self.reviews.open_reviews.in_front() is review)
            self.window.run_command(f"gemini_companion_{command}")
            yield self.closed
            self.assertEqual(self.only_outcome()[1].content, content)

    def test_links_in_the_header(self) -> Iterator[Any]:
        self.write()
        for link, content in (("accept", PROPOSED), ("reject", None)):
            del self.told[:]
            review = yield from self.open_diff()
            self.assertIn(f'href="{link}@1"', self.header_html(review))
            self.reviews.commands.follow(review, link)
            yield self.closed
            self.assertEqual(self.only_outcome()[1].content, content)

    def test_saving_the_proposal_accepts(self) -> Iterator[Any]:
        self.write()
        for save in (
            lambda view: self.press("save", view),
            lambda view: self.press("save"),
            lambda view: self.press("save", view, **{"async": True}),
            lambda view: self.press("lsp_save", view, **{"async": True}),
            lambda view: self.press("chain", commands=[["save"], ["close"]]),
            lambda view: self.press("chain", commands=[{"command": "lsp_save"}, {"command": "close_file", "args": {}}]),
            lambda view: (self.press("save", view), self.press("close")),
            lambda view: [self.press("nv_feed_key", character="Z") for _ in range(2)],
            lambda view: [self.press("nv_feed_key", view, key="Z") for _ in range(2)],
        ):
            del self.told[:]
            review = yield from self.open_diff()
            save(self.proposal(review))
            yield self.closed
            self.assertEqual(self.only_outcome()[1].content, PROPOSED)
            self.assertEqual(self.read().decode(), TEXT)

    def test_a_command_that_only_sounds_like_saving_decides_nothing(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        for name in ("auto_save", "project_save", "save_session"):
            self.press(name, view)
            self.press(name)
            self.press("chain", commands=[[name], {"command": name}])
        yield 50
        self.assertEqual((review.pending, self.told), (True, []))

    def test_saving_the_original_does_nothing(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.press("save", self.original(review))
        yield 50
        self.assertTrue(review.pending)
        self.assertEqual(self.told, [])

    def test_the_users_own_files_are_saved_as_ever(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.type(view, 0, "# mine\n")
        view.run_command("save")
        yield lambda: self.read().decode().startswith("# mine\n")
        self.assertTrue(review.pending)

    def test_closing_either_tab_rejects_and_gives_the_window_back(self) -> Iterator[Any]:
        yield from self.open_file()
        before = self.picture()
        for which in (self.proposal, self.original):
            del self.told[:]
            review = yield from self.open_diff()
            which(review).close()
            yield self.closed
            session, outcome = self.only_outcome()
            self.assertEqual((session, outcome), (GEMINI.session_id, Outcome(self.path(), None)))
            yield lambda: self.picture() == before

    def test_a_tab_that_the_user_cloned_goes_with_its_clone_wherever_that_is(self) -> Iterator[Any]:
        yield from self.open_file()
        before = self.picture()
        for kind in (self.proposal, self.original):
            review = yield from self.open_diff()
            view = kind(review)
            self.window.focus_view(view)
            self.window.run_command("clone_file")
            yield lambda view=view: len(view.clones()) == 1
            (clone,) = view.clones()
            self.window.set_view_index(clone, 0, 0)
            self.window.focus_view(self.window.find_open_file(self.path()))
            self.window.focus_view(view)
            view.close()
            yield self.closed
            yield lambda: self.picture() == before

    def test_the_context_of_the_key_bindings(self) -> Iterator[Any]:
        user_view = yield from self.open_file()
        review = yield from self.open_diff()
        answer = sys.modules[PLUGIN].application.query_context
        key = "gemini_companion.in_review"
        for view, inside in ((self.proposal(review), True), (self.original(review), True), (user_view, False)):
            self.assertIs(answer(view, key, sublime.OP_EQUAL, True), inside)
            self.assertIs(answer(view, key, sublime.OP_NOT_EQUAL, True), not inside)
            self.assertIs(answer(view, key, sublime.OP_EQUAL, False), not inside)
        self.assertIsNone(answer(self.proposal(review), "other.key", sublime.OP_EQUAL, True))

    def test_the_visible_review_is_meant_when_a_terminal_has_the_focus(self) -> Iterator[Any]:
        yield from self.open_file()
        self.assertIsNone(self.reviews.open_reviews.in_front())
        self.terminal()
        first = yield from self.open_diff()
        second = yield from self.open_diff("other.py")
        self.assertTrue(self.reviews.open_reviews.in_front() is second)
        self.window.focus_view(self.proposal(first))
        self.assertTrue(self.reviews.open_reviews.in_front() is first)


class TestForgetting(DecidingTestCase):
    def test_nothing_of_a_review_is_kept_after_its_end(self) -> Iterator[Any]:
        self.write()
        for end in (self.reviews.commands.accept, lambda review: self.proposal(review).close()):
            review = yield from self.open_diff()
            remains = [weakref.ref(thing) for thing in (review, self.reviews.shown[review])]
            end(review)
            yield self.closed
            del review
            yield lambda remains=remains: gc.collect() is not None and not any(thing() for thing in remains)
