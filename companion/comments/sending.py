"""Reviews on their way to an agent: what has gone out, and what has come of it.

Rule: a review counts as sent once an event of the agent proves it. A file with the rest of a long one lies in the
agent's folder, because some agents read no other; it goes with a review that comes back, with the second turn that
begins after it was sent, and with the window. Main thread.
"""

from __future__ import annotations

import logging
import os
import secrets
from functools import partial
from typing import Callable, Dict, List, NamedTuple, Sequence

import sublime

from ..common.clock import clock
from ..editor.status_bar import say
from ..runtime import Runtime
from ..system import files
from .book import CommentBook
from .model import Comment, CommentState, go
from .text import Letter, compose

logger = logging.getLogger("gemini_companion.comments")

REST_FILE = ".gemini-companion-review-"
_READ_AFTER = 2  # turns that have begun since

Told = Callable[[CommentState, str], None]
"""Gets what has come of a review, with a sentence for the user: it waits, it has arrived, or it is a draft again."""
Deliver = Callable[[str, int, Told], None]
"""Brings a text of so many comments to an agent, and calls `Told` on the main thread, now or later."""


class Outgoing(NamedTuple):
    """A review on its way: its folder, the numbers of its comments, and the file with its rest, "" if it has none."""

    folder: str
    numbers: Sequence[int]
    rest_file: str


class SentReviews:
    """The reviews that one window has sent."""

    def __init__(self, window: sublime.Window, runtime: Runtime, book: CommentBook, deliver: Deliver) -> None:
        self._window = window
        self._runtime = runtime
        self._book = book
        self._deliver = deliver
        self._waiting: List[Outgoing] = []
        self._rests: Dict[Outgoing, int] = {}  # whose files are there, with the turns until they are read; 0: not known

    def send(self, folder: str, comments: Sequence[Comment], whole_paths: bool) -> None:
        """Send the review of these drafts. `whole_paths`: whether the file with the rest is named with its folder."""
        name = f"{REST_FILE}{secrets.token_hex(3)}.md"
        path = os.path.join(folder, name)
        letter = compose(comments, path if whole_paths else name)
        rest_file = path if letter.rest else ""
        outgoing = Outgoing(folder, tuple(each.number for each in comments), rest_file)
        self._go(outgoing, CommentState.WAITING)
        self._waiting.append(outgoing)
        hand_over = partial(self._hand_over, outgoing, sum(each.is_comment for each in comments))
        if not rest_file:
            hand_over(letter.text)
            return
        self._rests[outgoing] = 0
        self._book.leave_file(folder, rest_file)
        failed = partial(self._not_written, outgoing)
        self._runtime.use_disk(_write_rest, rest_file, letter, then=hand_over, failed=failed)

    def _hand_over(self, outgoing: Outgoing, count: int, text: str) -> None:
        self._deliver(text, count, partial(self._told, outgoing))

    def _not_written(self, outgoing: Outgoing, error: Exception) -> None:
        logger.warning("the rest of a review cannot be written: %s", type(error).__name__)
        self._told(outgoing, CommentState.DRAFT, "the review is too long to be sent, and no file can hold its rest")

    def _told(self, outgoing: Outgoing, state: CommentState, sentence: str) -> None:
        self._go(outgoing, state)
        if state is not CommentState.WAITING and outgoing in self._waiting:
            self._waiting.remove(outgoing)
        if state is CommentState.DRAFT:
            self._remove_rest(outgoing)
        elif state is CommentState.SENT and outgoing in self._rests:
            self._rests[outgoing] = _READ_AFTER
        if sentence:
            say(self._window, sentence)

    def _go(self, outgoing: Outgoing, state: CommentState) -> None:
        comments = self._book.of(outgoing.folder)
        self._book.change(outgoing.folder, go(comments, outgoing.numbers, state, clock.date()))

    # -- the files with the rests -------------------------------------------------------------------------------------

    def turn_begins(self) -> None:
        """The agent begins another turn."""
        for outgoing, turns in list(self._rests.items()):
            if turns == 1:
                self._remove_rest(outgoing)
            elif turns:
                self._rests[outgoing] = turns - 1

    def stop(self) -> None:
        """The window has gone: what has not arrived is a draft again."""
        for outgoing in self._waiting:
            self._go(outgoing, CommentState.DRAFT)
        for outgoing in list(self._rests):
            self._remove_rest(outgoing)

    def exit(self) -> None:
        """The editor has ended. Any thread."""
        for outgoing in self._rests:
            files.remove(outgoing.rest_file)

    def _remove_rest(self, outgoing: Outgoing) -> None:
        if self._rests.pop(outgoing, None) is not None:
            self._book.remove_file(outgoing.folder, outgoing.rest_file)


def _write_rest(path: str, letter: Letter, cancelled: object) -> str:
    """Write what the text names, for the agent that the user runs; the text. Disk thread."""
    with files.new_file(path) as descriptor:
        files.write_all(descriptor, 0, letter.rest.encode("utf-8"))
    return letter.text
