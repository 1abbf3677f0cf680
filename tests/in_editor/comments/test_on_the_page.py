"""Comments on lines of the page *Review Changes*."""

from __future__ import annotations

from typing import Any, Iterator

from ....companion.comments.model import CommentState
from ...support.comments_case import CommentsTestCase
from ...support.unreviewed_case import CHANGED, LINES


class TestPage(CommentsTestCase):
    def page(self) -> Iterator[Any]:
        """A file was changed. `yield from` gives the page, once it has the change."""
        self.write(content=LINES)
        yield from self.track()
        self.write(content=CHANGED)
        yield from self.listed("file.py")
        self.command("review_changes")
        yield lambda: "+LINE 9" in self.text(self.window.active_view())
        return self.window.active_view()

    def test_a_comment_is_a_line_of_text_below_its_line(self) -> Iterator[Any]:
        view = yield from self.page()
        self.write_comment(view, "+LINE 2", "one\ntwo")
        yield lambda: "\n+LINE 2\nComment (draft): one\ntwo\n line 3\n" in self.text(view)
        self.write_comment(view, "-line 9", "?? why")
        yield lambda: "\n-line 9\nQuestion (draft): why\n+LINE 9\n" in self.text(view)
        self.assertEqual([each.side.value for each in self.book.of(self.folder)], ["new", "old"])
        self.assertEqual(self.places(), ["file.py:3-3 draft", "file.py:10-10 draft"])
        self.assertEqual(self.write_comment(view, "+LINE 2", ""), "one\ntwo")
        yield lambda: "\n+LINE 2\n line 3\n" in self.text(view)

    def test_it_follows_its_line_while_the_agent_writes(self) -> Iterator[Any]:
        view = yield from self.page()
        self.write_comment(view, "+LINE 9", "one")
        yield lambda: "\n+LINE 9\nComment (draft): one\n" in self.text(view)
        self.write(content="new\nnew\n" + CHANGED)
        self.tracking.sign()
        yield lambda: self.places() == ["file.py:12-12 draft"]
        yield lambda: "+new\n" in self.text(view) and "\n+LINE 9\nComment (draft): one\n" in self.text(view)

    def test_the_page_stays_while_a_draft_is_to_be_sent(self) -> Iterator[Any]:
        view = yield from self.page()
        self.write_comment(view, "+LINE 2", "one")
        yield lambda: "Comment (draft): one" in self.text(view)
        self.command("act_on_page", act="keep_file")
        yield lambda: "\u2713 kept" in self.text(view)
        self.assertEqual(self.window.active_view(), view)
        self.command("send_review")
        self.answer(CommentState.SENT)
        yield lambda: not view.is_valid() or view not in self.window.views()

    def test_what_was_undone_alone_keeps_no_page(self) -> Iterator[Any]:
        view = yield from self.page()
        self.command("act_on_page", act="undo_file")
        yield lambda: self.places() == ["file.py:0-0 draft"]
        yield lambda: view not in self.window.views()

    def test_hunks_that_are_undone_there_are_told_with_their_lines(self) -> Iterator[Any]:
        view = yield from self.page()
        start = self.text(view).index("+LINE 9")
        view.run_command("gemini_companion_move_caret", {"regions": [[start, start]]})
        self.command("act_on_page", act="undo_hunk")
        yield lambda: self.places() == ["file.py:10-10 draft"]
        self.command("send_review")
        self.assertIn("I undid your change at file.py:10; do not put it back.\n```\nLINE 9\n```\n", self.sent[-1][0])
