"""What a user sees of a review: two views, their titles, marks, alignment and header."""

from __future__ import annotations

import os
import sys
import unittest.mock
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List

import sublime

from ....companion import application
from ....companion.editor.edits import PORTION, Edit, apply_edits, set_text, text_steps
from ....companion.review.display import pacing
from ....companion.review.document import preparation
from ....companion.review.window.views import _FROM_THE_FILE, _SETTINGS
from ...support.review_case import GEMINI, PROPOSED, TEXT, ReviewTestCase
from ...support.selecting import put_caret, select


class TestViews(ReviewTestCase):
    def test_original_left_proposal_right(self) -> Iterator[Any]:
        yield from self.open_file()
        review = yield from self.open_diff()
        original, proposal = self.original(review), self.proposal(review)
        self.assertEqual(self.text(original), TEXT)
        self.assertEqual(self.text(proposal), PROPOSED)
        self.assertTrue(original.is_read_only())
        self.assertFalse(proposal.is_read_only())
        self.assertEqual(self.window.get_view_index(original)[0], 0)
        self.assertEqual(self.window.get_view_index(proposal)[0], 1)
        self.assertEqual(original.syntax(), proposal.syntax())
        self.assertEqual(proposal.syntax(), sublime.find_syntax_for_file(self.path()))

    def test_titles_say_which_file_and_which_client(self) -> Iterator[Any]:
        yield from self.open_file()
        yield from self.open_diff()
        self.assertEqual(self.titles(), [["file.py", "file.py (on disk)"], ["file.py \u2190 Gemini CLI (proposal)"]])

    def test_a_new_file_is_empty_and_labelled(self) -> Iterator[Any]:
        review = yield from self.open_diff("new.py", "a = 1\nb = 2\n")
        self.assertEqual(self.text(self.original(review)), "")
        self.assertEqual(self.original(review).name(), "new.py (new file)")
        self.assertIn("new file", self.header(review))
        self.assertIn("+2 \u22120", self.header(review))

    def test_encoding_and_line_endings_of_the_file(self) -> Iterator[Any]:
        self.write("file.txt", b"\xef\xbb\xbfa\r\nb\r\n")
        review = yield from self.open_diff("file.txt", "a\nc\n")
        original = self.original(review)
        self.assertEqual(original.line_endings(), "Windows")
        self.assertEqual(original.encoding(), "UTF-8 with BOM")
        self.assertEqual(self.text(original), "a\nb\n")
        self.assertIn("+1 \u22121", self.header(review))

    def test_the_users_own_tab_is_left_alone(self) -> Iterator[Any]:
        view = yield from self.open_file()
        settings = self.touched(view)
        place = self.window.get_view_index(view)
        review = yield from self.open_diff()
        self.assertNotIn(view, [self.original(review), self.proposal(review)])
        self.assertEqual(self.window.get_view_index(view), place)
        self.assertEqual(self.picture()["decorated"], sorted([self.original(review).id(), self.proposal(review).id()]))
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        self.assertTrue(view.is_valid())
        self.assertEqual(self.touched(view), settings)

    def touched(self, view: sublime.View) -> Dict[str, Any]:
        """The settings of a view that the package gives to its own; other packages may change the rest."""
        ours = {*_SETTINGS, *_FROM_THE_FILE, "syntax", "default_dir"}
        found = view.settings().to_dict().items()
        return {name: value for name, value in found if name in ours or name.startswith("gemini_companion")}

    def test_what_is_on_disk_is_shown_not_unsaved_edits(self) -> Iterator[Any]:
        view = yield from self.open_file()
        self.type(view, 0, "# unsaved\n")
        review = yield from self.open_diff()
        self.assertEqual(self.text(self.original(review)), TEXT)
        self.assertTrue(view.is_dirty())

    def test_syntax_of_the_users_view(self) -> Iterator[Any]:
        view = yield from self.open_file("file.unknown")
        other = next((syntax for syntax in sublime.list_syntaxes() if syntax != view.syntax()), None)
        if other is None:
            self.skipTest("this editor has one syntax only")
        view.assign_syntax(other)
        yield lambda: view.syntax() == other
        review = yield from self.open_diff("file.unknown")
        self.assertEqual(self.proposal(review).syntax(), view.syntax())
        self.assertEqual(self.original(review).syntax(), view.syntax())

    def test_nothing_changes_the_text_or_the_alignment_by_itself(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        for view in (self.original(review), self.proposal(review)):
            self.assertTrue(view.is_scratch())
            settings = view.settings()
            self.assertIs(settings.get("word_wrap"), False)
            self.assertIs(settings.get("fold_buttons"), False)
            self.assertIs(settings.get("save_on_focus_lost"), False)
            self.assertIs(settings.get("ensure_newline_at_eof_on_save"), False)
            self.assertEqual(settings.get("trim_trailing_white_space_on_save"), "none")

    def test_a_file_reached_through_a_link_is_the_same_file(self) -> Iterator[Any]:
        view = yield from self.open_file()
        link = self.path("link")
        try:
            os.symlink(self.folder, link, target_is_directory=True)
        except OSError:
            self.skipTest("links cannot be made here")
        review = yield from self.open_diff(os.path.join("link", "file.py"))
        self.type(view, 0, "# unsaved\n")
        yield lambda: "unsaved edits" in self.header(review)

    def test_the_disk_is_asked_of_no_tabs_but_those_of_that_name(self) -> Iterator[Any]:
        os.mkdir(self.path("folder"))
        for name in ("file.py", "other.py", os.path.join("folder", "file.py")):
            yield from self.open_file(name)
        tabs = self.reviews.file_request(self.path()).tabs
        self.assertEqual(set(tabs), {self.path(), self.path(os.path.join("folder", "file.py"))})

    def test_the_tab_key_does_what_it_would_do_in_the_file(self) -> Iterator[Any]:
        for name, text, spaces in (
            ("two.txt", "a:\n  b:\n    c\n", True),
            ("tabs.txt", "a:\n\tb\n", False),
            ("new.txt", None, True),
        ):
            if text is not None:
                self.write(name, text)
            review = yield from self.open_diff(name, text or "x:\n  y\n")
            for view in (self.original(review), self.proposal(review)):
                self.assertIs(view.settings().get("translate_tabs_to_spaces"), spaces, name)
                if spaces:
                    self.assertEqual(view.settings().get("tab_size"), 2, name)

    def test_tabs_in_a_proposal_stay_tabs(self) -> Iterator[Any]:
        view = yield from self.open_file()
        view.settings().set("translate_tabs_to_spaces", True)
        review = yield from self.open_diff("file.py", "\tif x:\n\t\ty\n")
        self.assertEqual(self.text(self.proposal(review)), "\tif x:\n\t\ty\n")
        self.assertTrue(self.proposal(review).settings().get("translate_tabs_to_spaces"))

    def test_several_edits_are_made_where_they_were_meant_and_undone_together(self) -> Iterator[Any]:
        view = yield from self.open_file("other.py", "one two three\n")
        apply_edits(view, [Edit(0, 3, "first"), Edit(4, 7, ""), Edit(8, 13, "3"), Edit(14, 14, "end")])
        self.assertEqual(self.text(view), "first  3\nend")
        view.run_command("undo")
        self.assertEqual(self.text(view), "one two three\n")
        view.set_read_only(True)
        apply_edits(view, [Edit(0, 0, "x")])
        self.assertEqual(self.text(view), "xone two three\n")
        self.assertTrue(view.is_read_only(), "as it was")

    def test_a_new_text_leaves_alone_what_is_the_same_in_it(self) -> Iterator[Any]:
        view = yield from self.open_file("other.py", "one two three\n")
        view.add_regions("marked", [sublime.Region(0, 3), sublime.Region(8, 13)])
        set_text(view, "one 2 three\n")
        self.assertEqual(self.text(view), "one 2 three\n")
        self.assertEqual([view.substr(region) for region in view.get_regions("marked")], ["one", "three"])

    def test_a_long_text_is_put_in_a_portion_at_a_time(self) -> Iterator[Any]:
        """The editor draws and answers in between."""
        view = yield from self.open_file("other.py", "old\n")
        text = "a line of text\n" * (2 * PORTION // 15 + 1)
        pauses = sum(1 for _ in text_steps(view, text))
        self.assertEqual(self.text(view), text)
        self.assertGreaterEqual(pauses, 3)
        self.assertEqual(
            sum(1 for _ in text_steps(view, "short\n")), 2, "the long one is taken out, the short one put in"
        )
        self.assertEqual(self.text(view), "short\n")
        self.assertEqual(sum(1 for _ in text_steps(view, "shorter\n")), 0)


class TestStatusBar(ReviewTestCase):
    def test_it_says_at_once_how_many_there_are_to_review(self) -> Iterator[Any]:
        self.write()
        first = yield from self.open_diff()
        yield lambda: "1 to review" in self.status()
        second = yield from self.open_diff("other.py")
        yield lambda: "2 to review" in self.status()
        self.reviews.commands.accept(first)
        yield lambda: "1 to review" in self.status()
        self.reviews.commands.reject(second)
        yield lambda: "to review" not in self.status()

    def test_it_says_so_without_a_tab_that_comes_to_the_front(self) -> Iterator[Any]:
        self.use(review_focus="never")
        self.write()
        with unittest.mock.patch.object(application, "CHECKS_PER_STATUS", sys.maxsize):
            yield from self.open_file("open.py", TEXT)
            review = yield from self.open_diff("file.py")
            yield lambda: "1 to review" in self.status()
            self.reviews.commands.reject(review)
            yield lambda: "to review" not in self.status()

    def status(self) -> str:
        view = self.window.active_view()
        return view.get_status("gemini_companion") if view is not None else ""


class TestMarks(ReviewTestCase):
    def open_prepared(self, proposed: str) -> Any:
        """Let a client ask for a review, as its tool does, and return it at once. Slow machines do not count."""
        request = self.reviews.file_request(self.path())
        with unittest.mock.patch.object(preparation, "clock", SimpleNamespace(now=lambda: 0.0)):
            proposal, prepared = preparation.prepare(request, proposed)
        with unittest.mock.patch.object(pacing, "time", SimpleNamespace(perf_counter=lambda: 0.0)):
            self.reviews.open_diff(GEMINI, self.path(), proposal, prepared)
        return self.reviews.pending()[0]

    def test_changed_lines_in_both_views(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        left, right = self.original(review), self.proposal(review)
        self.assertEqual("".join(self.marked(left, "lines")), "    return 1\n")
        self.assertEqual("".join(self.marked(right, "lines")), "import sys\n    return 42\n")
        self.assertEqual(self.marked(right, "gutter.added"), ["import sys\n"])
        self.assertEqual(self.marked(right, "gutter.changed"), ["    return 42\n"])
        self.assertEqual(self.marked(left, "gutter.changed"), ["    return 1\n"])

    def test_removed_lines(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff("file.py", TEXT.replace("    return 1\n", ""))
        self.assertEqual(self.marked(self.original(review), "gutter.removed"), ["    return 1\n"])
        self.assertEqual(self.marked(self.proposal(review), "gutter.removed"), ["\n"], "the line in their place")
        self.assertEqual(self.marked(self.proposal(review), "lines"), [])

    def test_they_come_with_the_texts(self) -> Iterator[Any]:
        self.write()
        review = self.open_prepared(PROPOSED)
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["import sys\n", "    return 42\n"])
        self.assertIn("2 changes", self.header(review))
        yield self.settled

    def test_hidden_whitespace_is_so_from_the_beginning(self) -> Iterator[Any]:
        self.use(review_ignore_whitespace="all")
        self.write()
        review = self.open_prepared(TEXT.replace("    ", "\t"))
        self.assertEqual(self.marked(self.proposal(review), "lines"), [])
        self.assertIn("whitespace changes are hidden", self.header(review))
        yield self.settled

    def test_marks_follow_edits(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        for number in range(3):
            self.type(view, 0, f"# typed {number}\n")
            yield lambda number=number: f"# typed {number}\n" in "".join(self.marked(view, "lines"))
            yield self.settled
        self.assertIn("+5 \u22121", self.header(review))

    def test_blocks_that_have_moved_with_an_edit_are_left_alone(self) -> Iterator[Any]:
        for presentation in ("inline", "side_by_side"):
            self.use(review_presentation=presentation)
            self.write()
            review = yield from self.open_diff(proposed=PROPOSED.replace("\n\n\ndef second():\n    return 2", ""))
            view = self.proposal(review)
            yield lambda review=review: self.fits(review)
            real, drawn = sublime.PhantomSet.update, []

            def update(phantoms: Any, new: Any, real: Any = real, drawn: List[Any] = drawn) -> None:
                drawn.append((phantoms.view, phantoms.key))
                real(phantoms, new)

            with unittest.mock.patch.object(sublime.PhantomSet, "update", update):
                self.type(view, view.text_point(1, 0), "# typed\n# typed\n")
                yield lambda view=view: "# typed\n# typed\n" in "".join(self.marked(view, "lines"))
                yield self.settled
            self.assertNotIn((view, "gemini_companion.blocks.0"), drawn)
            self.assertIn((view, "gemini_companion.top"), drawn)
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def test_nothing_in_the_views_holds_a_review_that_has_ended(self) -> Iterator[Any]:
        """The editor keeps what a link calls as long as it shows the link."""
        self.write()
        review = yield from self.open_diff()
        shown = self.reviews.shown[review]
        self.assertEqual(len(self.marked(shown.proposal_view, "revert")), 2)
        shown.retire()
        self.assertEqual(self.marked(shown.proposal_view, "revert"), [])
        self.assertEqual(self.header_html(review), "")

    def test_marks_that_two_edits_have_moved_are_drawn_anew(self) -> Iterator[Any]:
        """The text is as it was when they were drawn, but what was marked in between was gone for a moment."""
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        place = self.text(view).index("42")
        select(view, sublime.Region(place, place + 2))
        view.run_command("right_delete")
        view.run_command("insert", {"characters": "42"})
        yield self.settled
        self.assertEqual(self.text(view), PROPOSED)
        self.assertEqual(self.marked(view, "characters"), ["42"])

    def test_marks_vanish_when_the_texts_become_equal(self) -> Iterator[Any]:
        self.write("file.txt", "a\nb\n")
        review = yield from self.open_diff("file.txt", "a\nx\n")
        view = self.proposal(review)
        select(view, sublime.Region(2, 3))
        view.run_command("insert", {"characters": "b"})
        yield lambda: "no changes" in self.header(review)
        yield self.settled
        for key in ("lines", "characters", "gutter.changed", "revert"):
            self.assertEqual(self.marked(view, key), [], key)


class TestHeader(ReviewTestCase):
    def test_a_click_on_an_older_header_decides_nothing_and_redraws_the_header(self) -> Iterator[Any]:
        """The editor may show the older one still (sublimehq/sublime_text 5511)."""
        self.write()
        review = yield from self.open_diff()
        yield from self.open_diff(proposed=PROPOSED + "# newer\n")
        yield lambda: 'href="accept@2"' in self.header_html(review) and self.settled()
        real, drawn = sublime.PhantomSet.update, []

        def update(phantoms: Any, new: Any) -> None:
            drawn.append((phantoms.key, len(new)))
            real(phantoms, new)

        with unittest.mock.patch.object(sublime.PhantomSet, "update", update):
            self.reviews.shown[review]._link("accept@1")
            yield lambda: drawn[:2] == [("gemini_companion.top", 0), ("gemini_companion.top", 1)]
        self.assertTrue(review.pending)

    def test_the_status_bar_is_given_only_what_it_does_not_say_yet(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        shown, view = self.reviews.shown[review], self.proposal(review)
        yield lambda: "change 1 of 2" in view.get_status("gemini_companion.review")
        with unittest.mock.patch.object(sublime.View, "set_status") as set_status:
            shown.complain("No.", look_again=False)
            self.assertIn("No.", self.header(review))
        self.assertEqual(set_status.mock_calls, [])

    def test_it_says_all_there_is_to_know(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        header = self.header(review)
        for words in ("Accept", "Reject", "\u2191", "\u2193", "1 of 2", "+2 \u22121"):
            self.assertIn(words, header)
        for link in ("accept", "reject", "previous", "next"):
            self.assertIn(f'href="{link}@1"', self.header_html(review))

    def test_the_current_change_follows_the_caret(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        put_caret(view, self.text(view).index("42"))
        yield lambda: "2 of 2" in self.header(review)
        put_caret(view, view.size())
        yield lambda: "2 changes" in self.header(review)

    def test_unsaved_edits_are_warned_of(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.assertNotIn("unsaved", self.header(review))
        self.type(view, 0, "# unsaved\n")
        yield lambda: "file.py has unsaved edits in a tab." in self.header(review)
        view.run_command("undo")
        yield lambda: "unsaved" not in self.header(review)

    def test_a_change_on_disk_is_warned_of(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.assertNotIn("on disk since", self.header(review))
        self.write("file.py", TEXT + "# appended\n")
        yield lambda: "file.py has changed on disk since the diff was opened." in self.header(review)
        self.assertIn('href="reload@1"', self.header_html(review))
        self.reviews.commands.follow(review, "reload")
        yield lambda: "on disk since" not in self.header(review)
        yield lambda: self.text(self.original(review)).endswith("# appended\n")
