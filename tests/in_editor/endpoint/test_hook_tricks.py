"""Calls that are made so that something is written unseen, or never ends: what a hostile program could try."""

from __future__ import annotations

import json
import os
from typing import Any, Iterator, List, Tuple
from unittest import mock

from ....companion.agents.claude_code import CLAUDE_CODE
from ....companion.agents.codex_cli import CODEX_CLI
from ....companion.agents.gemini_cli import GEMINI_CLI
from ....companion.endpoint import agent_row
from .test_hook_gate import BEFORE, EVENTS, GateCase, decision, patch, reason


class TestPatches(GateCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        yield from self.connect(CODEX_CLI)
        self.write(content=BEFORE)

    def patched(self, *parts: str) -> Any:
        """The process of a hook that tells of this patch."""
        return self.start("PreToolUse", CODEX_CLI, tool_name="apply_patch", tool_input={"command": patch(*parts)})

    def test_a_file_that_is_named_in_two_ways_is_not_shown_as_two(self) -> Iterator[Any]:
        os.symlink(self.path(), self.path("link.py"))
        for name in (f"{self.folder}/./file.py", "file.py", self.path("link.py")):
            process = self.patched(
                f"*** Update File: {self.path()}\n@@\n-two\n+2\n", f"*** Update File: {name}\n@@\n-one\n+1\n"
            )
            answer = yield from self.answer(process)
            self.assertEqual(decision(answer), "deny", name)
            self.assertTrue(self.nothing_open())

    def test_a_file_that_is_moved_out_of_the_workspace_is_reviewed(self) -> Iterator[Any]:
        self.write("secret.py", "x\n")
        outside = os.path.join(os.path.dirname(self.folder), "moved-" + os.path.basename(self.folder))
        process = self.patched(
            f"*** Update File: {self.path()}\n@@\n-two\n+2\n",
            f"*** Update File: {self.path('secret.py')}\n*** Move to: {outside}\n@@\n-x\n+y\n",
        )
        review = yield from self.shown()
        self.reviews.commands.accept(review)
        yield lambda: self.open_review("file.py") is None
        self.assertIsNone(process.poll())
        moved = yield from self.shown(outside)
        self.assertIn("moves secret.py here", self.header(moved))
        self.reviews.commands.reject(moved)
        answer = yield from self.answer(process)
        self.assertEqual(decision(answer), "deny")

    def test_what_changes_no_text_can_be_accepted(self) -> Iterator[Any]:
        self.write("empty.py", "")
        for part in (
            f"*** Delete File: {self.path('empty.py')}\n",
            f"*** Update File: {self.path('file.py')}\n*** Move to: {self.path('other.py')}\n@@\n two\n",
        ):
            process = self.patched(part)
            yield self.reviews.pending
            (review,) = self.reviews.pending()
            yield from self.shown(os.path.basename(review.path))
            self.reviews.commands.accept(review)
            answer = yield from self.answer(process)
            self.assertEqual(answer, {}, "it goes on")
            yield from self.tell("Stop", CODEX_CLI)


class TestPaths(GateCase):
    def test_a_name_that_no_file_can_have_is_asked_for(self) -> Iterator[Any]:
        written = {"tool_name": "Write", "tool_input": {"file_path": self.path("a\ud800.py"), "content": "x"}}
        for connected in (False, True):  # others write it under a name that there can be
            with mock.patch.object(self.gate, "_is_connected", lambda session, now=connected: now):
                said = yield from self.tell("PreToolUse", permission_mode="auto", **written)
            self.assertEqual(decision(json.loads(said)), "ask", connected)

    def test_an_edit_that_the_program_finds_and_we_do_not_is_asked_for(self) -> Iterator[Any]:
        self.write(content="say(\u201ctwo\u201d)\n")
        fields = {**self.wants(CLAUDE_CODE, old='"two"', new='"2"'), "permission_mode": "auto"}
        said = yield from self.tell(EVENTS["claude"], **fields)
        self.assertEqual(decision(json.loads(said)), "ask")


class TestCallsThatNeverEnd(GateCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.write(content=BEFORE)

    def test_a_call_whose_session_has_ended_is_not_open_any_more(self) -> Iterator[Any]:
        calls: List[Tuple[Any, ...]] = []
        for name in ("call_begins", "call_ended"):
            real = getattr(self.tracking, name)
            patcher = mock.patch.object(
                self.tracking,
                name,
                lambda *told, name=name, real=real, **more: (calls.append((name, told[1])), real(*told, **more)),
            )
            patcher.start()
            self.addCleanup(patcher.stop)
        for event in ("SessionEnd", "UserPromptSubmit", "Stop"):
            process, _ = yield from self.hold()
            yield from self.tell(event)
            answer = yield from self.answer(process)
            self.assertEqual(decision(answer), "ask")
            begun = {number for name, number in calls if name == "call_begins"}
            ended = {number for name, number in calls if name == "call_ended"}  # those of windows that have gone, too
            self.assertLessEqual(begun, ended, event)
            yield self.nothing_open

    def test_a_session_is_not_forgotten_while_its_user_thinks(self) -> Iterator[Any]:
        yield from self.connect(CODEX_CLI)
        process, review = yield from self.hold(CODEX_CLI)
        self.later(2 * agent_row.FORGOTTEN_SECONDS)
        looked: List[bool] = []
        for _ in range(2):  # what the first one asks the main thread comes before the second one's end
            self.application.runtime.on_loop(self.sessions.drop_gone)
            self.application.runtime.on_loop(self.application.runtime.on_main, looked.append, True)
            yield lambda count=len(looked): len(looked) > count
        self.assertTrue(review.pending)
        self.assertIsNone(process.poll())
        self.command("reject")
        answer = yield from self.answer(process)
        self.assertEqual(reason(answer), "The user rejected this change.")


class TestWhatIsNotWritten(GateCase):
    """What the user has accepted is waited for only as long as the program may still write it."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.write(content=BEFORE)

    def awaited(self) -> bool:
        return self.path() in [each.path for each in self.reviews.accepted_texts._texts]

    def test_a_part_of_a_patch_that_is_refused_is_not_waited_for(self) -> Iterator[Any]:
        yield from self.connect(CODEX_CLI)
        said = patch(f"*** Update File: {self.path()}\n@@\n-two\n+2\n", f"*** Add File: {self.path('new.py')}\n+new\n")
        process, first = yield from self.hold(CODEX_CLI, tool_name="apply_patch", tool_input={"command": said})
        self.reviews.commands.accept(first)
        second = yield from self.shown("new.py")
        self.reviews.commands.reject(second)
        answer = yield from self.answer(process)
        self.assertEqual(decision(answer), "deny")
        yield from self.tell("Stop", CODEX_CLI)
        yield lambda: not self.awaited()
        self.assertTrue(self.says("Codex CLI has not written file.py: what you accepted changes nothing"))

    def test_what_a_program_that_says_goodbye_has_not_written_is_not_written(self) -> Iterator[Any]:
        yield from self.connect(GEMINI_CLI)
        process, _ = yield from self.hold(GEMINI_CLI)  # it tells nothing of an Esc, and writes nothing then
        self.command("accept")
        yield from self.answer(process)
        yield from self.tell("SessionEnd", GEMINI_CLI)
        yield lambda: not self.awaited()
        self.assertEqual(self.read(), BEFORE.encode())
        self.assertTrue(self.says("what you accepted changes nothing"))
