"""Comments on lines: written, shown below their lines, carried along, and there after a restart."""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any, Iterator
from unittest import mock

import sublime

from ....companion.comments.book import CommentBook
from ....companion.comments.window import WindowComments
from ....companion.editor.storage import storage_folder
from ...support.comments_case import CommentsTestCase
from ...support.review_case import PLUGIN
from ...support.selecting import put_caret
from ...support.unreviewed_case import CHANGED, LINES

DRAFT = "Comment (draft) · edit · delete|"


class TestFiles(CommentsTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.endpoint.agents.started("gemini")

    def test_a_comment_stands_below_the_lines_that_were_selected(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one\n<two>", last="line 4")
        yield self.shows(view, ("line 4", DRAFT + "one|<two>"))
        self.assertEqual(self.places(), ["file.py:3-5 draft"])
        self.write_comment(view, "line 7", "?? why")
        yield lambda: ("line 7", "Question (draft) · edit · delete|why") in self.below(view)

    def test_on_a_line_with_a_draft_it_is_edited_and_without_a_text_deleted(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "?? why")
        yield lambda: bool(self.below(view))
        self.assertEqual(self.write_comment(view, "line 2", "not why"), "?? why")
        yield self.shows(view, ("line 2", DRAFT + "not why"))
        self.assertEqual(self.write_comment(view, "line 2", None), "not why")
        self.write_comment(view, "line 2", " ")
        yield self.shows(view)
        self.assertEqual(self.places(), [])

    def test_links_edit_and_delete_it(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one")
        yield self.shows(view, ("line 2", DRAFT + "one"))
        (phantom,) = self.comments.views._display._drawn[view.id()].phantoms.phantoms
        number = self.book.of(self.folder)[0].number
        with mock.patch.object(sublime.Window, "show_input_panel") as panel:
            phantom.on_navigate(f"edit:{number}")
        self.assertEqual(panel.call_args[0][1], "one")
        panel.call_args[0][2]("two")
        yield self.shows(view, ("line 2", DRAFT + "two"))
        phantom.on_navigate(f"delete:{number}")
        yield self.shows(view)
        phantom.on_navigate(f"delete:{number}")
        self.assertTrue(self.says("that comment is no draft any more"))

    def test_it_moves_with_edits_and_says_that_its_line_has_changed(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one")
        yield self.shows(view, ("line 2", DRAFT + "one"))
        self.type(view, 0, "above\nabove\n")
        yield lambda: self.places() == ["file.py:5-5 draft"]
        self.assertEqual(self.below(view), [("line 2", DRAFT + "one")])
        self.type(view, self.text(view).index("line 2"), "my ")
        yield lambda: self.places() == ["file.py:5-5 draft changed"]
        changed = DRAFT.replace("draft", "draft, line has changed")
        yield self.shows(view, ("my line 2", changed + "one"))
        view.run_command("undo")
        yield lambda: self.places() == ["file.py:5-5 draft"]

    def test_it_finds_its_line_in_a_file_that_an_agent_has_written(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one")
        yield self.shows(view, ("line 2", DRAFT + "one"))
        self.write(content="new\n" * 3 + LINES)
        view.run_command("revert")
        yield lambda: self.places() == ["file.py:6-6 draft"]
        yield self.shows(view, ("line 2", DRAFT + "one"))

    def test_a_draft_is_there_after_a_restart(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one")
        yield self.shows(view, ("line 2", DRAFT + "one"))
        yield self.stored
        self.addCleanup(self.book.change, self.folder, [])
        self.book = CommentBook(self.endpoint._runtime, storage_folder())
        before, self.comments = (
            self.comments,
            WindowComments(
                self.comments._scope,
                self.book,
                lambda: self.reviews,
                lambda: (self.folder,),
                mock.Mock(),
                mock.Mock(),
            ),
        )
        before.stop()
        self.endpoint.comments = self.comments
        self.assertEqual(self.below(view), [])
        self.write(content="new\n" + LINES)
        view.run_command("revert")
        self.comments.folders_changed()
        yield self.shows(view, ("line 2", DRAFT + "one"))

    def test_it_goes_with_a_file_that_is_renamed(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one")
        yield self.shows(view, ("line 2", DRAFT + "one"))
        os.rename(self.path(), self.path("other.py"))
        view.retarget(self.path("other.py"))
        self.comments.views.came(view)
        yield lambda: self.places() == ["other.py:3-3 draft"]
        yield self.shows(view, ("line 2", DRAFT + "one"))

    def test_it_goes_with_a_file_or_a_folder_that_is_renamed_in_the_side_bar(self) -> Iterator[Any]:
        os.mkdir(self.path("old"))
        view = yield from self.open_file("old/file.py", LINES)
        self.write_comment(view, "line 2", "one")
        view.close()
        listener = sys.modules[PLUGIN].GeminiCompanionListener()
        other = yield from self.open_file("other.py", LINES)
        for old, new, place in (("old", "new", "new/file.py"), ("new/file.py", "new/a.py", "new/a.py")):
            listener.on_post_window_command(self.window, "rename_path", {"paths": [self.path(old)]})
            yield lambda: bool(self.comments.views._renaming)
            self.comments.views.came(other)  # the panel for the name
            os.rename(self.path(old), self.path(new))
            self.comments.views.came(other)
            yield lambda place=place: self.places() == [f"{place}:3-3 draft"]
            yield lambda: not self.comments.views._renaming

    def test_a_copy_under_another_name_takes_none(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one")
        yield self.shows(view, ("line 2", DRAFT + "one"))
        view.retarget(self.write("other.py", LINES))
        self.comments.views.came(view)
        yield self.shows(view)
        self.assertEqual(self.places(), ["file.py:3-3 draft"])

    def test_a_file_that_is_kept_from_agents_takes_none(self) -> Iterator[Any]:
        yield from self.open_file("secret.env", LINES)
        self.window.set_project_data(
            {**self.window.project_data(), "settings": {"gemini_companion": {"context_exclude": ["*.env"]}}}
        )
        self.endpoint.settings_changed()
        self.command("comment")
        yield lambda: self.says("“context_exclude” keeps this file from agents, and a comment would quote its line")

    @unittest.skipIf(sys.platform == "win32", "links need a privilege there")
    def test_a_link_to_a_file_that_is_kept_from_agents_takes_none(self) -> Iterator[Any]:
        self.write("secret.env", LINES)
        os.symlink(self.path("secret.env"), self.path("link.txt"))
        self.window.set_project_data(
            {**self.window.project_data(), "settings": {"gemini_companion": {"context_exclude": ["*.env"]}}}
        )
        self.endpoint.settings_changed()
        view = self.window.open_file(self.path("link.txt"))
        yield lambda: not view.is_loading()
        self.write_comment(view, "line 2", "one")
        yield lambda: self.says("“context_exclude” keeps this file from agents, and a comment would quote its line")
        self.assertEqual(self.places(), [])
        self.assertEqual(self.write_comment(view, "line 2", None), "one")

    def test_what_was_typed_is_there_again_after_the_panel_was_closed(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        with mock.patch.object(sublime.Window, "show_input_panel") as panel:
            put_caret(view, view.text_point(2, 0))
            self.command("comment")
        panel.call_args[0][3]("half a sent")
        self.assertEqual(self.write_comment(view, "line 4", None), "")
        self.assertEqual(self.write_comment(view, "line 2", "half a sentence"), "half a sent")
        self.assertEqual(self.write_comment(view, "line 2", None), "half a sentence")

    @unittest.skipIf(sys.platform == "win32", "links need a privilege there")
    def test_a_folder_with_two_names_has_all_comments_by_both(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.write_comment(view, "line 2", "one")
        link = self.folder + "-link"
        os.symlink(self.folder, link)
        self.addCleanup(os.unlink, link)
        self.addCleanup(lambda: self.book._folders.pop(link))
        self.book.open(link)
        yield lambda: self.book._folders[link].real is not None
        (first,) = self.book.of(link)
        self.book.change(link, [first, first._replace(number=0, text="two")])
        self.assertEqual([each.text for each in self.book.of(self.folder)], ["one", "two"])
        yield self.stored
        later = CommentBook(self.endpoint._runtime, storage_folder())
        later.open(link)
        yield lambda: [each.text for each in later.of(link)] == ["one", "two"]

    def test_a_keystroke_asks_nothing_while_there_is_no_comment(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        self.type(view, 0, "x")
        self.assertEqual(self.comments.views._marked, {})


class TestReviews(CommentsTestCase):
    def test_a_comment_in_a_review_stands_on_its_side_and_leaves_room_opposite(self) -> Iterator[Any]:
        review = yield from self.change()
        new, old = self.proposal(review), self.original(review)
        self.write_comment(new, "LINE 2", "new")
        yield self.shows(new, ("LINE 2", DRAFT + "new"))
        self.assertEqual(self.below(old), [("line 2", "\xa0|\xa0")])
        self.write_comment(old, "line 9", "old")
        yield lambda: len(self.below(old)) == 2
        self.assertIn(("line 9", DRAFT + "old"), self.below(old))
        self.assertIn(("LINE 9", "\xa0|\xa0"), self.below(new))
        level = [view.text_to_layout(self.text(view).index("line 11"))[1] for view in (old, new)]
        self.assertEqual(*level)

    def test_the_file_shows_what_was_said_of_its_text_only(self) -> Iterator[Any]:
        review = yield from self.change()
        self.write_comment(self.original(review), "line 9", "old")
        self.write_comment(self.proposal(review), "LINE 2", "new")
        view = self.window.open_file(self.path())
        yield lambda: not view.is_loading()
        yield self.shows(view, ("LINE 2", DRAFT + "new"))

    def test_while_a_proposal_waits_the_file_is_the_old_text(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        review = yield from self.open_diff(proposed=CHANGED)
        self.write_comment(self.proposal(review), "LINE 2", "new")
        self.write_comment(self.original(review), "line 9", "old")
        yield self.shows(view, ("line 9", DRAFT + "old"))
        self.assertEqual(self.places(), ["file.py:3-3 draft", "file.py:10-10 draft"])

    def test_where_there_is_no_line_it_says_so(self) -> Iterator[Any]:
        self.window.new_file()
        self.comments.comment()
        yield lambda: self.says("there is no line of a file to comment on here")

    def test_a_comment_is_offered_in_a_review_and_in_files_beside_an_agent(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        put_caret(view, 0)
        self.assertFalse(self.can("GeminiCompanionCommentCommand"))
        review = yield from self.open_diff("other.py")
        self.window.focus_view(self.proposal(review))
        self.assertTrue(self.can("GeminiCompanionCommentCommand"))
        self.window.focus_view(view)
        self.assertFalse(self.can("GeminiCompanionCommentCommand"))
        self.endpoint.agents.started("gemini")
        self.assertTrue(self.can("GeminiCompanionCommentCommand"))

    def test_it_goes_with_a_file_that_an_agent_renames(self) -> Iterator[Any]:
        view = yield from self.open_file(content=LINES)
        yield from self.track()
        self.write_comment(view, "line 2", "one")
        view.close()
        os.rename(self.path(), self.path("other.py"))
        yield from self.listed("other.py")
        yield lambda: self.places() == ["other.py:3-3 draft"]
