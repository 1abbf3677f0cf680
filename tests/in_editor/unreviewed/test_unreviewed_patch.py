"""*Read as Patch*: what is to be reviewed as one unified diff, from which each line leads to its review."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, List, Optional
from unittest import mock

import sublime

from ....companion.agents.window import RESTORES_NOTHING
from ....companion.editor import marks
from ....companion.review.document import disk
from ....companion.review.document.text import ProposedText
from ....companion.unreviewed import patch
from ...support.review_case import GEMINI, PLUGIN, PROPOSED, QWEN, TEXT
from ...support.selecting import put_caret
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


class PatchTestCase(ChangesTestCase):
    def patch_view(self) -> Optional[sublime.View]:
        return next((view for view in self.window.views() if view.name() == "Changes as Patch"), None)

    def patch(self, *parts: str) -> Iterator[Any]:
        """Read as patch. `yield from` gives the view, once it has the focus and all of these."""
        self.command("read_as_patch")

        def shown() -> bool:
            view = self.patch_view()
            return view is not None and view == self.window.active_view() and all(p in self.text(view) for p in parts)

        yield shown
        return self.patch_view()

    def line(self, view: sublime.View) -> str:
        return view.substr(view.line(view.sel()[0].b))

    def caret_to(self, view: sublime.View, text: str) -> None:
        put_caret(view, self.text(view).index(text))

    def enter(self, view: sublime.View, text: str) -> None:
        """Press Enter on the line with this text."""
        self.window.focus_view(view)
        self.caret_to(view, text)
        self.command("open_patch_line")

    def propose(self, name: str, proposed: str, owner: Any = GEMINI) -> Any:
        self.reviews.open_diff(owner, self.path(name), proposed)
        return self.open_review(name)

    def context(self, view: sublime.View, key: str) -> Optional[bool]:
        listener = sys.modules[PLUGIN].GeminiCompanionListener()
        return listener.on_query_context(view, key, sublime.OP_EQUAL, True, False)


class TestText(PatchTestCase):
    def test_all_that_was_written_is_one_diff(self) -> Iterator[Any]:
        self.assertFalse(self.can("GeminiCompanionReadAsPatchCommand"))
        for name, content in (("a.py", LINES), ("gone.py", "x\n"), ("old.py", "1\n2\n"), ("end.py", "a\nb")):
            self.write(name, content)
        yield from self.track()
        self.write("a.py", CHANGED)
        os.remove(self.path("gone.py"))
        os.rename(self.path("old.py"), self.path("moved.py"))
        self.write("end.py", "a\nB")
        os.mkdir(self.path("sub"))
        self.write("sub/new.py", "new\n")
        yield from self.listed("a.py", "gone.py", "moved.py", "end.py", "sub/new.py")
        self.assertTrue(self.can("GeminiCompanionReadAsPatchCommand"))
        view = yield from self.patch(
            "# 5 files. ",
            "--- a/a.py\n+++ b/a.py\n" + BODY,
            "--- a/gone.py\n+++ /dev/null\n# The file was deleted.\n@@ -1,1 +0,0 @@\n-x\n",
            "--- a/old.py\n+++ b/moved.py\n# Renamed from old.py.\n",
            "--- /dev/null\n+++ b/sub/new.py\n@@ -0,0 +1,1 @@\n+new\n",
            " a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n",
        )
        self.assertTrue(view.is_scratch() and view.is_read_only())
        syntax = view.syntax()
        self.assertEqual(syntax.scope if syntax is not None else "", "source.diff")
        self.assertEqual(view.sel()[0].b, 0)
        self.assertEqual(self.names(), [change.path for change in self.changes.listed])

    def test_what_changes_in_all_of_a_file_is_said(self) -> Iterator[Any]:
        self.write("a.py", LINES)
        self.write("b.py", b"one\r\n")
        yield from self.track()
        self.write("a.py", CHANGED.replace("\n", "\r\n").encode())
        yield from self.listed("a.py")
        self.reviews.open_diff(GEMINI, self.path("b.py"), ProposedText("one\n", RESTORES_NOTHING))
        yield self.settled
        yield from self.patch("+++ b/b.py")
        count = LINES.count("\n")
        yield from self.patch(
            "+++ b/b.py\n# The line end changes: CRLF \u2192 LF.\n",
            f"+++ b/a.py\n# All {count} line ends change: LF \u2192 CRLF.\n{BODY}",
        )

    def test_the_review_with_the_focus_is_shown_alone_with_the_users_edits(self) -> Iterator[Any]:
        self.write("one.py")
        self.write("two.py")
        first = self.propose("one.py", PROPOSED)
        self.propose("two.py", PROPOSED, QWEN)
        yield self.settled
        view = self.proposal(first)
        self.type(view, 0, "# mine\n")
        self.window.focus_view(view)
        found = yield from self.patch("+# mine\n import os\n+import sys\n")
        self.assertNotIn("two.py", self.text(found))
        found = yield from self.patch("--- a/one.py\n+++ b/one.py\n", "--- a/two.py\n+++ b/two.py\n")
        self.assertEqual(len([view for view in self.window.views() if marks.is_patch(view)]), 1)
        self.assertTrue(first.pending)

    def test_a_written_change_that_is_reviewed_is_shown_alone(self) -> Iterator[Any]:
        for name in ("one.py", "two.py"):
            self.write(name, LINES)
        yield from self.track()
        self.write("one.py", CHANGED)
        self.write("two.py", CHANGED)
        yield from self.listed("one.py", "two.py")
        yield from self.show("two.py")
        found = yield from self.patch("# 1 file. ", "+++ b/two.py\n" + BODY)
        self.assertNotIn("one.py", self.text(found))

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
        self.window.new_file()
        found = yield from self.patch("# 3 files. ")
        for head, why in (
            ("--- a/logo.png\n+++ b/logo.png\n", patch.NO_TEXT),
            ("--- /dev/null\n+++ b/long.py\n", patch.TOO_LONG),
            ("--- /dev/null\n+++ b/.env\n", patch.WITHHELD),
        ):
            self.assertIn(f"{head}# {why}\n", self.text(found))
        for content in ("PNG\r", "line 1", "PASSWORD"):
            self.assertNotIn(content, self.text(found))

    def test_a_patch_has_its_bounds(self) -> Iterator[Any]:
        with mock.patch.object(patch, "MOST_CHARACTERS", 300):
            yield from self.three()
            found = yield from self.patch("# 3 files. ")
        self.assertEqual(self.text(found).count(BODY), 1)
        self.assertEqual(self.text(found).count(f"# {patch.NO_ROOM}\n"), 2)

    def test_a_long_patch_comes_in_portions(self) -> Iterator[Any]:
        self.write("file.py", "a" * 200 + "\n")
        yield from self.track()
        self.write("file.py", ("b" * 200 + "\n") * 3000)
        yield from self.listed("file.py")
        found = yield from self.patch("+++ b/file.py\n")
        yield lambda: self.text(found).count("+bbb") == 3000

    def three(self) -> Iterator[Any]:
        names = ["one.py", "two.py", "three.py"]
        for name in names:
            self.write(name, LINES)
        yield from self.track()
        for name in names:
            self.write(name, CHANGED)
        yield from self.listed(*names)


class TestWalking(PatchTestCase):
    def test_next_change_walks_the_hunks_of_all_files(self) -> Iterator[Any]:
        yield from self.change("file.py", LINES, LINES.replace("line 0\n", "LINE 0\n").replace("line 11\n", ""))
        self.write("other.py", "new\n")
        yield from self.listed("file.py", "other.py")
        self.window.new_file()
        view = yield from self.patch("file.py", "other.py")
        seen: List[str] = []
        for _ in range(4):
            self.command("next_change")
            seen.append(self.line(view))
        self.assertEqual(sorted(seen[:3]), ["@@ -0,0 +1,1 @@", "@@ -1,4 +1,4 @@", "@@ -9,4 +9,3 @@"])
        self.assertEqual(seen[3], seen[0])
        self.command("previous_change")
        self.assertEqual(self.line(view), seen[2])

    def test_enter_opens_the_review_at_the_hunk(self) -> Iterator[Any]:
        self.write("file.py", LINES)
        self.write("proposed.py", TEXT)
        yield from self.track()
        self.write("file.py", THREE)
        yield from self.listed("file.py")
        view = yield from self.patch("+++ b/file.py")
        self.enter(view, " line 10\n")
        yield lambda: self.open_review("file.py") is not None
        review = self.open_review("file.py")
        yield lambda: review in self.reviews._presentations and self.settled()
        yield lambda: self.window.active_view() == self.proposal(review)
        yield lambda: self.line(self.proposal(review)) == "LINE 9"
        self.enter(view, "-line 5\n")  # it is open now
        yield lambda: self.window.active_view() == self.proposal(review)
        yield lambda: self.line(self.proposal(review)) == "LINE 5"

    def test_enter_goes_to_a_proposal(self) -> Iterator[Any]:
        self.write("file.py")
        review = self.propose("file.py", PROPOSED)
        yield self.settled
        self.window.new_file()
        view = yield from self.patch("+++ b/file.py")
        self.enter(view, "+    return 42")
        yield lambda: self.window.active_view() == self.proposal(review)
        self.assertEqual(self.line(self.proposal(review)), "    return 42")

    def test_enter_where_nothing_is_to_be_reviewed(self) -> Iterator[Any]:
        yield from self.track()
        self.write("file.py", LINES)
        yield from self.listed("file.py")
        view = yield from self.patch("+++ b/file.py")
        self.enter(view, "# 1 file")
        self.assertTrue(self.says("there is no change on this line"))
        self.command("keep_all_changes")
        yield from self.listed()
        self.enter(view, "+line 3")
        self.assertTrue(self.says("file.py is not to be reviewed any more"))


class TestView(PatchTestCase):
    def test_its_keys_are_its_own(self) -> Iterator[Any]:
        review = yield from self.change()
        view = yield from self.patch("+++ b/file.py")
        other = self.window.new_file()
        for each, in_patch, in_review in ((view, True, False), (self.proposal(review), False, True)):
            self.assertEqual(self.context(each, "gemini_companion.in_patch"), in_patch)
            self.assertEqual(self.context(each, "gemini_companion.in_review"), in_review)
        self.assertFalse(self.context(other, "gemini_companion.in_patch"))

    def test_it_stays_when_the_reviews_end_and_after_a_restart_it_still_leads_there(self) -> Iterator[Any]:
        review = yield from self.change()
        view = yield from self.patch("+++ b/file.py")
        self.window.focus_view(self.proposal(review))
        self.proposal(review).close()
        yield self.nothing_open
        self.assertEqual(self.titles(), [["Changes as Patch"]])
        # After a restart there is nothing but the view and its settings.
        application = sys.modules[PLUGIN].application
        application.window_closing(self.window)
        self.endpoint = application.window_opened(self.window)
        self.hand_events_to(self.endpoint.reviews)
        self.changes = self.endpoint.changes.reviews
        yield from self.track()
        yield from self.listed("file.py")
        self.window.focus_view(view)
        self.enter(view, "+LINE 9")
        yield lambda: self.open_review("file.py") is not None
        self.assertTrue(view.is_valid())

    def test_saved_under_a_name_it_is_the_users(self) -> Iterator[Any]:
        yield from self.change()
        view = yield from self.patch("+++ b/file.py")
        view.retarget(self.path("all.diff"))
        view.run_command("save")
        yield lambda: not marks.is_patch(view) and not view.is_read_only()
        self.assertFalse(view.settings().has("gemini_companion.patch") or view.settings().has("gemini_companion.role"))
