"""What the in-editor tests of comments share.

Rule: tests look at what a user sees (what stands below which line) and at the texts that leave.
"""

from __future__ import annotations

import os
import re
from html import unescape
from typing import Any, Iterator, List, Optional, Tuple
from unittest import mock

import sublime

from ...companion.comments.model import CommentState
from .selecting import select
from .unreviewed_case import ChangesTestCase


class CommentsTestCase(ChangesTestCase):
    """The comments are those of the window's own endpoint; what is sent comes to the test."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.comments = self.endpoint.comments
        self.endpoint.workspace_changed()
        yield lambda: self.comments._folders() == (self.folder,)
        self.book = self.comments._book
        yield lambda: self.book._folders[self.folder].real is not None
        self.sent: List[Tuple[str, int, Any]] = []
        self.comments._sent._deliver = lambda *delivery: self.sent.append(delivery)
        self.addCleanup(lambda: self.book.change(self.folder, []))

    def write_comment(self, view: sublime.View, line: str, text: Optional[str], last: str = "") -> str:
        """Select the lines from `line` to `last`, choose *Comment on Line…* and type; None leaves the panel. Gives what
        the panel held."""
        whole = self.text(view)
        start = whole.index(line)
        end = whole.index(last) + len(last) if last else start
        self.window.focus_view(view)
        select(view, sublime.Region(start, end))
        with mock.patch.object(sublime.Window, "show_input_panel") as panel:
            self.command("comment")
        self.assertEqual(panel.call_count, 1, self.said)
        _, held, done = panel.call_args[0][:3]
        if text is not None:
            done(text)
        return held

    def below(self, view: sublime.View) -> List[Tuple[str, str]]:
        """What stands below which line of a view, empty room included."""
        drawn = self.comments.views._display._drawn.get(view.id())
        phantoms = drawn.phantoms.phantoms if drawn is not None else []
        places = view.query_phantoms([phantom.id for phantom in phantoms])
        texts = [re.sub(r"<style>.*?</style>", "", phantom.content).replace("<br>", "|") for phantom in phantoms]
        return [
            (view.substr(view.line(place)), unescape(re.sub("<[^>]+>", "", text))) for place, text in zip(places, texts)
        ]

    def shows(self, view: sublime.View, *blocks: Tuple[str, str]) -> Any:
        """What waits until just these blocks stand there."""
        return lambda: self.below(view) == list(blocks)

    def places(self) -> List[str]:
        """Where the comments are, as the agent reads it, and their states."""
        return [
            f"{each.path}:{each.first}-{each.last} {each.state.value}{' changed' if each.changed else ''}"
            for each in self.book.of(self.folder)
        ]

    def stored(self) -> bool:
        """Whether the disk has what is in memory."""
        return not self.book._folders[self.folder].writing.under_way

    def answer(self, state: CommentState, sentence: str = "") -> None:
        """What comes of the review that was sent last."""
        self.sent[-1][2](state, sentence)

    def rest_files(self) -> List[str]:
        return [name for name in os.listdir(self.folder) if "review" in name]
