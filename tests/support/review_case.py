"""What the in-editor tests of the diff review share: a window of their own, files, clients, and eyes.

Rule: tests look at what a user sees (tabs, texts, marks, titles, the layout) and at what clients are told.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import shutil
import sys
import tempfile
import threading
from html import unescape
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Optional, Tuple
from unittest import mock

import sublime

from ...companion.common.clock import Clock, clock
from ...companion.discovery.workspace import inside_workspace
from ...companion.review.accepted_texts import AcceptedTexts
from ...companion.review.decision import Outcome, Owner, Review, Ticket
from ...companion.review.display import pacing
from ...companion.review.document import disk
from ...companion.review.document.journal import KeptTexts
from ...companion.review.document.preparation import prepare
from ...companion.review.events import ReviewEvents
from ...companion.review.reviews import Reviews
from ...companion.settings import Settings
from ..host.waiting import NEVER_SECONDS
from .selecting import put_caret
from .time_case import TimeCase

PLUGIN = __package__.partition(".")[0] + ".plugin"
GEMINI = Owner("session-1", "Gemini CLI")
QWEN = Owner("session-2", "Qwen Code")

TEXT = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n"
PROPOSED = "import os\nimport sys\n\n\ndef first():\n    return 42\n\n\ndef second():\n    return 2\n"

TWO_COLUMNS = {"cols": [0.0, 0.4, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
GRID = {
    "cols": [0.0, 0.6, 1.0],
    "rows": [0.0, 0.5, 1.0],
    "cells": [[0, 0, 1, 2], [1, 0, 2, 1], [1, 1, 2, 2]],
}


class ReviewTestCase(TimeCase):
    """Each test has a new window with one folder, and a review manager whose clients are played by the test."""

    def setUp(self) -> Iterator[Any]:
        yield lambda: sys.modules[PLUGIN].ask(lambda application: True, False)  # imported on another thread
        application = sys.modules[PLUGIN].application
        told: List[bool] = []
        application.runtime.on_main(told.append, True)
        yield lambda: bool(told)  # and so is what the editor reported before: a project that was closed ends reviews
        yield lambda: application.window_opened(sublime.active_window()) is not None
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="review-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        storage = os.path.realpath(tempfile.mkdtemp(prefix="kept-"))
        self.addCleanup(shutil.rmtree, storage, True)
        self.kept = os.path.join(storage, "kept")
        self.said: List[str] = []  # in the status bar of any window
        patcher = mock.patch.object(sublime.Window, "status_message", lambda window, text: self.said.append(text))
        patcher.start()
        self.addCleanup(patcher.stop)
        wait = KeptTexts.wait
        patcher = mock.patch.object(KeptTexts, "wait", lambda kept, seconds: wait(kept, NEVER_SECONDS))
        patcher.start()  # also on a slow disk
        self.addCleanup(patcher.stop)
        self.window = yield from self.new_window()
        # With a folder it stays open although it is empty, also where empty windows are closed.
        self.window.set_project_data({"folders": [{"path": self.folder}]})
        for view in self.window.views():
            view.close()  # the editor may begin with an empty tab
        yield lambda: not self.window.views()
        self.window.bring_to_front()
        yield lambda: sublime.active_window() == self.window
        # Positions of lines that are folded are not documented, and many tests ask for those of all lines.
        self.settings = Settings(review_presentation="side_by_side", review_fold=False)
        self.connected = {GEMINI.session_id, QWEN.session_id}
        self.told: List[Tuple[str, Outcome]] = []
        self.endpoint = application.window_opened(self.window)
        self.hand_events_to(
            Reviews(
                self.window,
                runtime=application.runtime,
                settings=lambda: self.settings,
                notify=lambda review, outcome: self.told.append((review.owner.session_id, outcome)),
                is_connected=lambda owner: owner.session_id in self.connected,
                on_count=self.endpoint.show_status,
                find_elsewhere=application._endpoints._reviews_of,
                is_inside=lambda path: inside_workspace(path, [self.folder]),
            )
        )

    def tearDown(self) -> Iterator[Any]:
        self.reviews.shutdown()
        for view in self.window.views():
            view.set_scratch(True)
        self.window.run_command("close_window")
        yield lambda: not self.window.is_valid()

    # -- the test's world ---------------------------------------------------------------------------------------------

    def new_window(self) -> Iterator[Any]:
        """`yield from` gives a new window."""
        known = {window.id() for window in sublime.windows()}
        sublime.run_command("new_window")
        yield lambda: len(sublime.windows()) > len(known)
        return next(window for window in sublime.windows() if window.id() not in known)

    def another_window(self) -> Iterator[Any]:
        """A window beside that of the test, until the test is over. `yield from` gives it."""
        other = yield from self.new_window()
        self.addCleanup(other.run_command, "close_window")
        return other

    def hand_events_to(self, reviews: Reviews) -> None:
        """Let these be the reviews of the window's endpoint, and the only ones that kept texts are shown in."""
        AcceptedTexts._all.discard(self.endpoint.reviews.accepted_texts)
        reviews.accepted_texts._kept.folder = self.kept  # no other test's, and none of the user's
        self.reviews = self.endpoint.reviews = reviews
        self.endpoint.review_events = ReviewEvents(self.window, self.endpoint._runtime, reviews)

    def limit(self, length: int = 10**6, lines: int = 10**6) -> None:
        """Compare longer texts coarsely, or those of more lines, until the test is over."""
        patcher = mock.patch.object(disk, "LIMITS", disk.ReadLimits(length, lines))
        patcher.start()
        self.addCleanup(patcher.stop)

    def use(self, **changes: Any) -> None:
        """Change settings."""
        self.settings = dataclasses.replace(self.settings, **changes)

    def path(self, name: str = "file.py") -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str = "file.py", content: Any = TEXT) -> str:
        """Make a file; bytes are written as they are."""
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name: str = "file.py") -> bytes:
        with open(self.path(name), "rb") as file:
            return file.read()

    def open_file(self, name: str = "file.py", content: Any = TEXT, group: int = -1) -> Iterator[Any]:
        """Make a file and open it in the window. `yield from` gives its view."""
        view = self.window.open_file(self.write(name, content), 0, group)
        yield lambda: not view.is_loading()
        return view

    def terminal(self, group: int = 0) -> sublime.View:
        """A view that looks like a terminal, with the focus."""
        self.window.focus_group(group)
        view = self.window.new_file()
        view.set_scratch(True)
        view.set_name("Terminal")
        view.settings().set("terminus_view", True)
        self.window.focus_view(view)
        return view

    def clock_of_guard(self) -> Clock:
        """Give the guard against hasty keys a frozen clock of its own: the package's goes on, so reviews are drawn."""
        own = self.reviews.open_reviews.input_guard._clock = Clock()
        own.freeze()
        own.advance(clock.now() - own.now())  # nothing of before is in its future
        return own

    def single_steps(self) -> Any:
        """A patch by which each step of long work takes a second, and so is a piece of work of its own."""
        seconds = itertools.count()
        return mock.patch.object(pacing, "time", SimpleNamespace(perf_counter=lambda: next(seconds)))

    # -- reviews ------------------------------------------------------------------------------------------------------

    def open_diff(
        self, name: str = "file.py", proposed: str = PROPOSED, owner: Owner = GEMINI, drawn: bool = True
    ) -> Iterator[Any]:
        """Let a client ask for a review. `yield from` gives the review, once it is drawn."""
        self.reviews.open_diff(owner, self.path(name), proposed)
        review = next(
            review for review in self.reviews.pending() if review.owner == owner and review.path == self.path(name)
        )
        self.show_at_once(review)
        if drawn:
            yield lambda: self.header(review) != ""
            yield self.settled
        return review

    def show_at_once(self, review: Review) -> None:
        """Let a review open that waits until others of its client are decided, as one of another client does."""
        opened = self.reviews.open_reviews
        if opened.arrangement.focus.free and self.settings.review_open == "at_once":
            opened._open(review)

    def settled(self) -> bool:
        """Whether every review shows its comparison of the text that its view holds."""
        return all(shown.settled for shown in self.presentations())

    def fits(self, review: Review) -> bool:
        """The same of one review, drawn for the screen as it is now: a view has no width before the editor shows it."""
        shown = self.reviews.shown[review]
        drawn_for = [sizes for sizes in shown._drawing._watch.sizes if sizes.extent]
        now = [(view.line_height(), view.viewport_extent()[0]) for view in shown.views]
        return bool(shown.settled) and [(sizes.line_height, sizes.extent) for sizes in drawn_for] == now

    def presentations(self) -> List[Any]:
        return list(self.reviews.shown.values())

    def proposal(self, review: Review) -> sublime.View:
        return self.reviews.shown[review].proposal_view

    def original(self, review: Review) -> sublime.View:
        view = self.reviews.shown[review].original_view
        if view is None:
            self.fail("the review has no original on the left")
        return view

    def type(self, view: sublime.View, point: int, text: str) -> None:
        """Type into a view as a user would."""
        put_caret(view, point)
        view.run_command("insert", {"characters": text})

    def press(self, command: str, view: Optional[sublime.View] = None, **arguments: Any) -> None:
        """Run a command as its key or menu does: listeners hear of it first, which they do not of `run_command`.

        It is a command of `view`, or without one of the window (sublimehq/sublime_text 2400).
        """
        listener = sys.modules[PLUGIN].GeminiCompanionListener()
        if view is not None:
            rewritten = listener.on_text_command(view, command, arguments or None)
        else:
            rewritten = listener.on_window_command(self.window, command, arguments or None)
        name, given = rewritten or (command, arguments)
        (view or self.window).run_command(name, given)

    # -- eyes ---------------------------------------------------------------------------------------------------------

    def says(self, part: str) -> bool:
        """Whether the user was told this in a status bar."""
        return any(part in text for text in self.said)

    def text(self, view: sublime.View) -> str:
        return view.substr(sublime.Region(0, view.size()))

    def marked(self, view: sublime.View, key: str) -> List[str]:
        """The texts that are marked in a view."""
        return [view.substr(region) for region in view.get_regions("gemini_companion." + key)]

    def links(self, review: Review, kind: str) -> List[str]:
        """The links beside the changes, as the view has them."""
        return self.reviews.shown[review]._drawing.regions.annotations("gemini_companion." + kind)

    def header_html(self, review: Review) -> str:
        return self.reviews.shown[review]._drawing._top.document

    def header(self, review: Review) -> str:
        """The words of the header."""
        html = re.sub(r"<style>.*?</style>", "", self.header_html(review))
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())

    def click_on(self, review: Review, caption: str) -> None:
        """Click a link of the header, on which its key may stand as well."""
        before = re.split(rf">{re.escape(caption)}(?: <span[^>]*>[^<]*</span>)?</a>", self.header_html(review))[0]
        self.reviews.shown[review]._link(before.rpartition('href="')[2].split('"')[0])

    def titles(self) -> List[List[str]]:
        """The tabs of each group, in order."""
        return [
            [view.name() or os.path.basename(view.file_name() or "untitled") for view in self.window.views_in_group(g)]
            for g in range(self.window.num_groups())
        ]

    def picture(self) -> Dict[str, Any]:
        """All that has to be given back."""
        groups = range(self.window.num_groups())
        return {
            "layout": self.window.layout(),
            "tabs": [[sheet.id() for sheet in self.window.sheets_in_group(group)] for group in groups],
            "active": [_id(self.window.active_sheet_in_group(group)) for group in groups],
            "selected": [[_id(sheet) for sheet in self.window.selected_sheets_in_group(group)] for group in groups],
            "previews": [_id(self.window.transient_sheet_in_group(group)) for group in groups],
            "active group": self.window.active_group(),
            "focus": _id(self.window.active_view()),
            "side bar": self.window.is_sidebar_visible(),
            "decorated": sorted(
                view.id() for view in self.window.views() if any(view.get_regions(key) for key in ALL_MARKS)
            ),
        }


class DecidingTestCase(ReviewTestCase):
    def closed(self) -> bool:
        return not self.reviews.pending() and not any(
            view.settings().has("gemini_companion.role") for view in self.window.views()
        )

    def only_outcome(self) -> Any:
        self.assertEqual(len(self.told), 1, self.told)
        return self.told[0]

    def accept_by_client(self, owner: Owner = GEMINI, name: str = "file.py") -> List[str]:
        """Let a client accept its diff. Gives what it hears of that, later: an empty text once the file is written."""
        answers: List[str] = []
        self.reviews.accept_by_client(owner, self.path(name), answers.append, lambda path: None)
        return answers

    def leave(self, owner: Owner = GEMINI) -> None:
        """The client goes: what is accepted from now on we write."""
        self.connected.discard(owner.session_id)
        self.reviews.owner_gone(owner.session_id)


class ClockTestCase(ReviewTestCase):
    """The time by which it is judged what the user meant is the test's."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.guard = self.reviews.open_reviews.input_guard
        self.clock = self.clock_of_guard()


class DiskTestCase(DecidingTestCase):
    def hold(self, name: str, module: Any = disk) -> threading.Event:
        """Let calls of a function of the disk hang until the event is set, or the test is over."""
        release, real = threading.Event(), getattr(module, name)

        def held(*arguments: Any, **options: Any) -> Any:
            release.wait(NEVER_SECONDS)
            return real(*arguments, **options)

        patcher = mock.patch.object(module, name, held)
        patcher.start()
        self.addCleanup(patcher.stop)
        self.addCleanup(release.set)
        return release


class CallTestCase(DecidingTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.answers: List[Any] = []

    def ticket(self, name: str = "a name", edits_return: bool = True) -> Ticket:
        return Ticket(name, edits_return, lambda outcome: self.answers.append((name, outcome)))

    def open_call(
        self, ticket: Ticket, name: str = "file.py", proposed: str = PROPOSED, owner: Any = GEMINI
    ) -> Iterator[Any]:
        """Let a client call for a review. `yield from` gives it, once it is drawn."""
        path = self.path(name)
        proposal, prepared = prepare(self.reviews.file_request(path), proposed)
        self.reviews.open_diff(owner, path, proposal, prepared, ticket)
        review = self.review_of(ticket)
        if review is None:
            self.fail("no review has come")
        self.show_at_once(review)
        yield lambda: self.header(review) != ""
        yield self.settled
        return review

    def shown_again(self) -> Iterator[Any]:
        """`yield from` gives the only review, once it is drawn."""
        yield lambda: len(self.reviews.pending()) == 1
        (review,) = self.reviews.pending()
        yield lambda: self.header(review) != ""
        yield self.settled
        return review

    def review_of(self, ticket: Ticket) -> Optional[Review]:
        return next((review for review in self.reviews.pending() if review.ticket is ticket), None)


class RestoringTestCase(ReviewTestCase):
    """Compares the window with what it was before the review."""

    def assert_given_back(self, before: Any) -> Iterator[Any]:
        yield lambda: not self.reviews.pending() and len(self.window.views()) == sum(map(len, before["tabs"]))
        yield lambda: self.window.num_groups() == len(before["layout"]["cells"])
        yield 30
        self.assertEqual(self.picture(), before)
        self.assertNotIn("gemini_companion.stage", self.window.settings().to_dict())

    def rectangle(self, group: int) -> Any:
        layout = self.window.layout()
        left, top, right, bottom = layout["cells"][group]
        return layout["cols"][left], layout["rows"][top], layout["cols"][right], layout["rows"][bottom]


ALL_MARKS = [
    "gemini_companion." + key
    for key in (
        "lines",
        "characters",
        "moved",
        "moved_captions",
        "gutter.added",
        "gutter.removed",
        "gutter.changed",
        "gutter.moved",
        "revert",
        "undo",
    )
]


def _id(thing: Optional[Any]) -> Any:
    """What tells a tab from others. What the editor shows in a group without tabs is nobody's, and always another."""
    if thing is None:
        return None
    view = thing.view() if isinstance(thing, sublime.Sheet) else thing
    placeholder = view is not None and view.file_name() is None and not view.size() and view not in _tabs(view)
    return "placeholder" if placeholder else thing.id()


def _tabs(view: sublime.View) -> List[sublime.View]:
    window = view.window()
    return window.views() if window is not None else []
