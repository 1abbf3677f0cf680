"""A whole day of reviews, on which the editor is asked only on its main thread, and the disk never there."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Iterator, List

from ....companion.common.workers import WrongThreadError
from ....companion.editor.edits import text_steps
from ....companion.review.decision import Owner
from ....companion.review.document.preparation import prepare
from ...support.listening_client import ListeningClient, announced
from ...support.review_case import GEMINI, PROPOSED, TEXT, DecidingTestCase
from ...support.thread_guard import MainThreadWork, ThreadGuard

PLUGIN = __package__.partition(".")[0] + ".plugin"
MOST_CALLS = 3000  # of functions in one piece of work on the main thread: twice what the most takes, to open a diff
LONGEST_TEXT = 1 << 19  # characters in one call


class CallingClient(ListeningClient):
    """One that calls tools as well, each on a thread of its own."""

    def call(self, name: str, **arguments: Any) -> List[Any]:
        """Call a tool. What is returned will hold True once it was answered."""
        done: List[Any] = []

        def run() -> None:
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
            self._post(dict(message, params={"name": name, "arguments": arguments}))
            done.append(True)

        threading.Thread(target=run, daemon=True).start()
        return done

    def outcomes(self) -> List[str]:
        return [each["method"] for each in self.notifications if each["method"].startswith("ide/diff")]


class TestDay(DecidingTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        application = sys.modules[PLUGIN].application
        # The review manager of the endpoint itself, so that everything from the socket to the disk takes part.
        self.hand_events_to(self.endpoint._agent_window._reviews)
        application.workspace_changed(self.window)
        yield lambda: announced(self.folder, os.getppid()) is not None
        self.client = CallingClient(announced(self.folder, os.getppid()) or {})
        self.addCleanup(self.client.close)
        yield lambda: self.client.listening and self.endpoint.agents.any_connected

    def review_of(self, name: str, **arguments: Any) -> Iterator[Any]:
        path = self.path(name)
        done = self.client.call("openDiff", filePath=path, newContent=arguments.get("text", PROPOSED))
        yield lambda: bool(done)
        review = next(review for review in self.reviews.pending() if review.path == path)
        yield lambda: self.header(review) != ""
        yield self.settled
        return review

    def test_a_day(self) -> Iterator[Any]:
        guard = ThreadGuard(self.folder)
        view = yield from self.open_file("open.py")
        self.write("a.py")
        self.write("linked.py")
        guard.start()
        self.addCleanup(guard.stop)
        # The client writes; the user accepts, edits and rejects.
        review = yield from self.review_of("a.py")
        self.type(self.proposal(review), 0, "# mine\n")
        yield self.settled
        self.window.run_command("gemini_companion_next_change")
        self.reviews.commands.revert_hunk(review)
        yield self.settled
        again = self.client.call("openDiff", filePath=self.path("a.py"), newContent="newer\n")
        yield lambda: bool(again)
        yield self.settled
        self.reviews.commands.accept(review)
        yield self.closed
        # Else it is shown again once the client has gone and has had its time, beside the reviews that come then.
        self.write("a.py", "newer\n")
        yield lambda: not self.reviews.accepted_texts.awaiting
        review = yield from self.review_of("new.py")
        self.reviews.commands.reject(review)
        yield self.closed
        yield lambda: len(self.client.outcomes()) == 2
        # The client decides.
        for tool in ("acceptDiff", "rejectDiff", "closeDiff"):
            yield from self.review_of("a.py", text=tool + "\n")
            done = self.client.call(tool, filePath=self.path("a.py"))
            yield lambda done=done: bool(done)
            yield self.closed
        self.assertEqual(self.read("a.py"), b"acceptDiff\n")
        # A file that a tab shows, that changes on disk, and is edited.
        review = yield from self.review_of("open.py")
        self.write("open.py", "theirs\n")
        self.endpoint.review_events.on_file_changed(view)
        yield lambda: "has changed on disk" in self.header(review)
        self.reviews.commands.run("reload", review)
        yield lambda: "has changed on disk" not in self.header(review)
        yield self.settled
        # The client goes, and we write: through the tab, a new file in a new folder, and after a refusal.
        yield lambda: self.text(view) == "theirs\n"
        self.client.say_goodbye()
        yield lambda: not self.endpoint.agents.any_connected
        self.assertTrue(review.orphaned)
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual((self.read("open.py").decode(), self.text(view)), (PROPOSED, PROPOSED))
        self.reviews.open_diff(GEMINI, self.path(os.path.join("deep", "new.py")), "new\n")
        self.reviews.open_diff(Owner("gone", "Qwen Code"), self.path("linked.py"), PROPOSED)
        yield lambda: all(self.header(review) != "" for review in self.reviews.pending())
        yield self.settled
        self.write("linked.py", TEXT + "\n")
        first, second = self.reviews.pending()
        self.reviews.commands.accept(first)
        self.reviews.commands.accept(second)
        yield lambda: "look again" in self.header(second) or "has changed on disk" in self.header(second)
        yield lambda: second.pending and self.text(self.original(second)) == TEXT + "\n"  # it is read again
        yield self.settled
        self.reviews.commands.accept(second)
        yield self.closed
        guard.stop()
        self.assertEqual(self.read(os.path.join("deep", "new.py")), b"new\n")
        self.assertEqual(self.read("linked.py").decode(), PROPOSED)
        self.assertEqual(sorted(set(guard.complaints)), [])
        # It has seen something at all.
        self.assertGreater(guard.calls["disk"], 20)
        self.assertGreater(guard.calls["editor"], 200)
        print("{editor} calls of the editor, {disk} of the disk".format(**guard.calls))

    def test_the_guard_notices(self) -> Iterator[Any]:
        """What the day above would complain of."""
        guard = ThreadGuard(self.folder)
        file_request = self.reviews.file_request(self.write())
        guard.start()
        self.addCleanup(guard.stop)
        prepare(file_request, PROPOSED)
        self.assertTrue(any("called os." in complaint for complaint in guard.complaints), guard.complaints)
        del guard.complaints[:]
        done: List[bool] = []

        def ask() -> None:
            self.reviews.open_reviews.in_front()
            done.append(True)

        threading.Thread(target=ask).start()
        yield lambda: bool(done)
        guard.stop()
        self.assertTrue(any("called Window.active_view on" in complaint for complaint in guard.complaints))

    def test_the_guard_notices_every_method_of_a_view(self) -> Iterator[Any]:
        """Also those that the editor's class inherits from another."""
        view = yield from self.open_file()
        guard = ThreadGuard(self.folder)
        guard.start()
        self.addCleanup(guard.stop)
        thread = threading.Thread(target=lambda: list(text_steps(view, TEXT)))
        thread.start()
        yield lambda: not thread.is_alive()
        guard.stop()
        for name in ("size", "substr"):
            self.assertTrue(any(f"called View.{name} on" in each for each in guard.complaints), guard.complaints)
        guard.start()
        methods = {name: getattr(view, name) for name in dir(view) if not name.startswith("_")}
        unwatched = [name for name, method in methods.items() if callable(method) and not guard.watches(method)]
        guard.stop()
        self.assertEqual(unwatched, [])

    def test_the_package_notices_itself(self) -> Iterator[Any]:
        errors: List[Any] = []

        def cross() -> None:
            for function in (
                lambda: self.reviews.file_request(self.path()),
                lambda: self.reviews.open_diff(GEMINI, self.path(), ""),
            ):
                try:
                    function()
                except WrongThreadError as error:
                    errors.append(error)

        thread = threading.Thread(target=cross)
        thread.start()
        yield lambda: not thread.is_alive()
        self.assertEqual(len(errors), 2)
        with self.assertRaises(WrongThreadError):
            self.endpoint._runtime.assert_loop_thread()
        self.endpoint._runtime.assert_main_thread()


class TestLongTexts(DecidingTestCase):
    def test_thirty_megabytes(self) -> Iterator[Any]:
        text = "line with some words\r\n" * (30 * (1 << 20) // 22)
        file_request = self.reviews.file_request(self.write("file.txt", "a\n"))
        prepared: List[Any] = []
        threading.Thread(target=lambda: prepared.append(prepare(file_request, text)), daemon=True).start()
        yield lambda: bool(prepared)
        patcher = self.single_steps()
        patcher.start()
        self.addCleanup(patcher.stop)
        work = MainThreadWork()
        work.start()
        self.addCleanup(work.stop)
        work.run(self.reviews.open_diff, GEMINI, self.path("file.txt"), *prepared[0])
        review = self.reviews.pending()[0]
        yield self.settled
        self.assertIn("too long", self.header(review))
        self.assertEqual(self.proposal(review).size(), len(text) - text.count("\r"))
        work.run(self.reviews.commands.accept, review)
        yield self.closed
        work.stop()
        self.assertTrue(self.only_outcome()[1].content == text)
        print(
            f"{len(work.pieces)} pieces of work, the longest of {max(work.pieces)} calls,"
            f" and a text of {work.longest} characters"
        )
        self.assertGreater(len(work.pieces), len(text) // LONGEST_TEXT)
        self.assertLess(max(work.pieces), MOST_CALLS)
        self.assertLessEqual(work.longest, LONGEST_TEXT)
