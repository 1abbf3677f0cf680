"""Every write is reviewed before it happens: what the user sees, and what a program hears by the real `curl`."""

from __future__ import annotations

import http.client
import json
import os
from typing import Any, Dict, Iterator, List, Optional
from unittest import mock

import sublime

from ....companion.agents.agent import Agent
from ....companion.agents.claude_code import CLAUDE, CLAUDE_CODE
from ....companion.agents.codex_cli import CODEX_CLI
from ....companion.agents.copilot_cli import COPILOT, COPILOT_CLI
from ....companion.agents.gemini_cli import GEMINI_CLI
from ....companion.agents.qwen_code import QWEN_CODE
from ....companion.review import proposing
from ....companion.review.decision import Ticket
from ...host.waiting import NEVER_SECONDS
from ...support.hook_case import HookCase

BEFORE, AFTER = "one\ntwo\n", "one\n2\n"
EVENTS = {
    "claude": "PreToolUse",
    "gemini": "BeforeTool",
    "qwen": "PreToolUse",
    "codex": "PreToolUse",
    "copilot": "preToolUse",
}
ALL = (CLAUDE_CODE, GEMINI_CLI, QWEN_CODE, CODEX_CLI, COPILOT_CLI)


def patch(*parts: str) -> str:
    return "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"


class GateCase(HookCase):
    """Every write is to be reviewed."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.endpoint.review_every_write(True)
        self.gate = self.application._endpoints.hook_gate

    def tearDown(self) -> Iterator[Any]:
        """No program writes what was accepted: no window of another test is to show it again."""
        accepted = self.reviews.accepted_texts
        for each in list(accepted._texts):
            accepted.over(each.owner.session_id)
        yield lambda: not accepted.awaiting
        yield from super().tearDown()

    def wants(self, agent: Agent, name: str = "file.py", old: str = "two", new: str = "2") -> Dict[str, Any]:
        """What the program says that it will do."""
        path = self.path(name)
        if agent is CODEX_CLI:
            said = patch(f"*** Update File: {path}\n@@\n-{old}\n+{new}\n")
            return {"tool_name": "apply_patch", "tool_input": {"command": said}, "permission_mode": "bypassPermissions"}
        if agent is COPILOT_CLI:
            return {"toolName": "edit", "toolArgs": {"path": path, "old_str": old, "new_str": new}}
        tool = {"claude": "Edit", "gemini": "replace", "qwen": "edit"}[agent.key]
        arguments = {"file_path": path, "old_string": old, "new_string": new}
        return {"tool_name": tool, "tool_input": arguments, "permission_mode": "yolo", "tool_use_id": name}

    def hold(self, agent: Agent = CLAUDE_CODE, name: str = "file.py", **fields: Any) -> Iterator[Any]:
        """The process of a hook that waits, and the review that it waits for, once that can be decided."""
        process = self.start(EVENTS[agent.key], agent, **(fields or self.wants(agent, name)))
        review = yield from self.shown(name)
        self.assertIsNone(process.poll())
        return process, review

    def connection(self, event: str, **fields: Any) -> http.client.HTTPConnection:
        """What a hook of Claude Code has open, to be closed as if it was killed."""
        payload = {"session_id": self.folder, "cwd": self.folder, "hook_event_name": event, **self.wants(CLAUDE_CODE)}
        connection = http.client.HTTPConnection("127.0.0.1", self.answers.port, timeout=NEVER_SECONDS)
        self.addCleanup(connection.close)
        headers = {
            "X-Companion-Secret": self.answers.secret,
            "X-Companion-Parent": str(os.getpid()),
            "Content-Type": "application/json",
        }
        connection.request("POST", "/hook/claude", json.dumps({**payload, **fields}), headers)
        return connection

    def shown(self, name: str = "file.py") -> Iterator[Any]:
        yield lambda: self.open_review(name) is not None
        review = self.open_review(name)
        yield lambda: review in self.reviews.shown and self.header(review) != ""
        yield self.settled
        yield lambda: not self.reviews.open_reviews.input_guard.ignores(review)
        return review

    def answer(self, process: Any) -> Iterator[Any]:
        yield lambda: process.poll() is not None
        with process.stdout as said:
            return json.loads(said.read())

    def edit(self, review: Any, text: str) -> Iterator[Any]:
        """The user makes another text of the proposal."""
        view = self.proposal(review)
        self.window.focus_view(view)
        yield lambda: not view.is_read_only()  # a diff that has just come takes no keys
        view.run_command("select_all")
        view.run_command("insert", {"characters": text})
        yield lambda: self.text(view) == text

    def panel_of(self, command: str) -> Any:
        """The callback of the input panel that a command shows."""
        with mock.patch.object(sublime.Window, "show_input_panel") as panel:
            self.command(command)
        self.assertEqual(panel.call_count, 1)
        return panel.call_args[0][2]


def decision(answer: Dict[str, Any]) -> Optional[str]:
    inner = answer.get("hookSpecificOutput", {})
    return answer.get("decision") or answer.get("permissionDecision") or inner.get("permissionDecision")


def reason(answer: Dict[str, Any]) -> Optional[str]:
    inner = answer.get("hookSpecificOutput", {})
    return answer.get("reason") or answer.get("permissionDecisionReason") or inner.get("permissionDecisionReason")


def changed(answer: Dict[str, Any]) -> Any:
    """The other arguments that a program is given, None if there are none."""
    inner = answer.get("hookSpecificOutput", {})
    return answer.get("modifiedArgs") or inner.get("updatedInput") or inner.get("tool_input")


class TestDecisions(GateCase):
    def test_the_status_bar_says_that_the_agent_waits(self) -> Iterator[Any]:
        _, review = yield from self.hold()
        status = "Companion: Claude Code waits: 1 to review"
        yield lambda: self.window.active_view().get_status("gemini_companion") == status
        self.reviews.commands.accept(review)
        yield lambda: "waits" not in self.window.active_view().get_status("gemini_companion")

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        for agent in ALL[1:]:
            yield from self.connect(agent)
        self.write(content=BEFORE)

    def test_line_ends_that_a_write_would_flip_are_said(self) -> Iterator[Any]:
        self.write("file.py", b"one\r\ntwo\r\n")
        said = {"tool_name": "Write", "tool_input": {"file_path": self.path("file.py"), "content": "one\ntwo\n"}}
        process, review = yield from self.hold(**said)
        yield lambda: "All 2 line ends change: CRLF \u2192 LF." in self.header(review)
        self.assertIn("only the format changes", self.header(review))
        self.reviews.commands.reject(review)
        yield lambda: process.poll() is not None

    def test_a_text_accepted_as_proposed_is_written_by_the_program_itself(self) -> Iterator[Any]:
        for agent in ALL:
            process, review = yield from self.hold(agent)
            self.assertEqual(self.text(self.proposal(review)), AFTER)
            self.command("accept")
            answer = yield from self.answer(process)
            self.assertEqual(decision(answer), None if agent is CODEX_CLI else "allow", agent.title)
            self.assertIsNone(changed(answer))
            self.assertEqual(self.read(), BEFORE.encode(), "nobody but the program writes")
            yield self.nothing_open
            yield from self.tell("Stop" if agent is CLAUDE_CODE else _end(agent), agent)

    def test_a_text_of_the_user_goes_back(self) -> Iterator[Any]:
        for agent in (CLAUDE_CODE, GEMINI_CLI, CODEX_CLI, COPILOT_CLI):
            process, review = yield from self.hold(agent)
            yield from self.edit(review, "one\nzwei\n\u00e4\n")
            self.command("accept")
            answer = yield from self.answer(process)
            self.assertEqual(decision(answer), "allow")
            back = changed(answer)
            (found,) = agent.hooks.writes.proposals(  # type: ignore[union-attr]
                _tool(agent), back, {self.path(): BEFORE}
            )
            self.assertEqual(found.text, "one\nzwei\n\u00e4\n")
            self.assertEqual(set(back), set(self.arguments(agent)))
            self.write(content=found.text)  # the program does that now
            yield from self.tell(_end(agent), agent)
            self.write(content=BEFORE)
            yield self.nothing_open

    def arguments(self, agent: Agent) -> Dict[str, Any]:
        wants = self.wants(agent)
        return dict(wants.get("tool_input") or wants["toolArgs"])

    def test_a_rejection_and_why(self) -> Iterator[Any]:
        for agent in ALL:
            process, _ = yield from self.hold(agent)
            self.command("reject")
            answer = yield from self.answer(process)
            self.assertEqual((decision(answer), reason(answer)), ("deny", "The user rejected this change."))
            process, review = yield from self.hold(agent)
            self.assertIn("Why\u2026", self.header(review))
            self.panel_of("reject_with_reason")("  use f-strings \n")
            answer = yield from self.answer(process)
            self.assertEqual(
                (decision(answer), reason(answer)), ("deny", "The user rejected this change: use f-strings")
            )
            yield self.nothing_open
        self.assertEqual(self.read(), BEFORE.encode())

    def test_comments_on_its_lines_are_the_reason_to_each_agent(self) -> Iterator[Any]:
        self.addCleanup(self.application._endpoints.comment_book.change, self.folder, [])
        for agent in ALL:
            process, review = yield from self.hold(agent)
            self.caret(review, 1)
            self.panel_of("comment")('say "two",\t<b> & \xfc')
            self.command("reject")
            answer = yield from self.answer(process)
            said = 'The user rejected this change: 1 comment.\n\nfile.py:2\n```\n2\n```\nsay "two",\t<b> & \xfc'
            self.assertEqual((decision(answer), reason(answer)), ("deny", said))
            yield self.nothing_open

    def test_nothing_typed_is_no_reason_and_a_late_one_is_said(self) -> Iterator[Any]:
        process, _ = yield from self.hold()
        done = self.panel_of("reject_with_reason")
        done(" ")
        answer = yield from self.answer(process)
        self.assertEqual(reason(answer), "The user rejected this change.")
        yield self.nothing_open
        done("late")
        self.assertTrue(self.says("already been answered"))

    def test_a_question_about_what_was_accepted_is_not_asked_again(self) -> Iterator[Any]:
        process, _ = yield from self.hold(CODEX_CLI)
        asked = yield from self.tell("PermissionRequest", CODEX_CLI, **self.wants(CODEX_CLI))
        self.assertEqual(asked, b"{}", "nobody has accepted it yet")
        self.command("accept")
        yield from self.answer(process)
        asked = yield from self.tell("PermissionRequest", CODEX_CLI, **self.wants(CODEX_CLI, new="3"))
        self.assertEqual(asked, b"{}", "nobody has accepted that")
        asked = yield from self.tell("PermissionRequest", CODEX_CLI, **self.wants(CODEX_CLI))
        self.assertEqual(json.loads(asked)["hookSpecificOutput"]["decision"], {"behavior": "allow"})
        yield from self.tell("PostToolUse", CODEX_CLI, **self.wants(CODEX_CLI))
        asked = yield from self.tell("PermissionRequest", CODEX_CLI, **self.wants(CODEX_CLI))
        self.assertEqual(asked, b"{}", "that call is over")

        process, _ = yield from self.hold(COPILOT_CLI)
        self.command("accept")
        yield from self.answer(process)
        for name, answer in (("other.py", {}), ("file.py", {"behavior": "allow"})):
            question = {"toolName": "edit", "toolInput": {"file_path": self.path(name), "diff": "x"}}
            asked = yield from self.tell("permissionRequest", COPILOT_CLI, **question)
            self.assertEqual(json.loads(asked), answer)

    def test_a_text_that_the_program_cannot_be_told_is_saved_over_its_own(self) -> Iterator[Any]:
        process, review = yield from self.hold(QWEN_CODE)
        self.assertIn("waits 50 seconds", self.header(review))
        yield from self.edit(review, "one\nzwei\n")
        yield lambda: "Accept without them" in self.header(review)
        self.command("accept")
        answer = yield from self.answer(process)
        self.assertEqual((decision(answer), changed(answer)), ("allow", None))
        self.write(content=AFTER)  # the program does that now
        yield from self.tell("PostToolUse", QWEN_CODE, **self.wants(QWEN_CODE))
        yield lambda: self.read() == b"one\nzwei\n"

    def test_no_line_end_at_the_end_of_a_patched_file(self) -> Iterator[Any]:
        process, review = yield from self.hold(CODEX_CLI)
        yield from self.edit(review, "one\nzwei")
        self.command("accept")
        answer = yield from self.answer(process)
        self.assertIn("+zwei\n", changed(answer)["command"])
        self.write(content="one\nzwei\n")
        yield lambda: self.read() == b"one\nzwei"

    def test_all_taken_back_is_a_rejection(self) -> Iterator[Any]:
        process, review = yield from self.hold()
        yield from self.edit(review, BEFORE)
        self.command("accept")
        answer = yield from self.answer(process)
        self.assertEqual(reason(answer), "The user has taken back every part of this change.")


def _end(agent: Agent) -> str:
    return {"gemini": "AfterAgent", "copilot": "agentStop"}.get(agent.key, "Stop")


def _tool(agent: Agent) -> str:
    return {"claude": "Edit", "gemini": "replace", "codex": "apply_patch", "copilot": "edit"}[agent.key]


class TestWhatIsReviewed(GateCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.write(content=BEFORE)

    def test_files_skipped_by_real_path_and_files_outside_are_not_reviewed(self) -> Iterator[Any]:
        data = self.window.project_data()
        settings = sublime.load_settings("Gemini Companion.sublime-settings")
        self.addCleanup(settings.erase, "review_skip")
        settings.set("review_skip", ["docs/**", "*.lock"])
        yield lambda: self.endpoint.settings().review_skip
        self.assertIsNotNone(data)
        os.makedirs(self.path("docs/deep"))
        outside = os.path.join(os.path.dirname(self.folder), "outside-" + os.path.basename(self.folder))
        os.symlink(os.path.dirname(self.folder), self.path("way"))
        os.symlink(self.path("docs"), self.path("papers"))
        os.symlink(self.folder, self.path("docs/up"))
        for name in ("docs/deep/a.md", "yarn.lock", "papers/a.md", outside, "way/" + os.path.basename(outside)):
            written = {"tool_name": "Write", "tool_input": {"file_path": self.path(name), "content": "x"}}
            said = yield from self.tell("PreToolUse", permission_mode="auto", **written)
            self.assertEqual(said, b"{}", name)
        for name in ("docs/up/other.py", "docs.py"):  # these are no documents
            written = {"tool_name": "Write", "tool_input": {"file_path": self.path(name), "content": "x"}}
            process, _ = yield from self.hold(name=name, permission_mode="auto", **written)
            self.command("reject")
            yield from self.answer(process)

    def test_what_cannot_be_shown_the_program_asks_for_or_is_refused(self) -> Iterator[Any]:
        yield from self.connect(CODEX_CLI)
        self.write("latin.py", b"\xe4 two\n")
        os.mkdir(self.path("folder"))
        for expected, fields in (
            ("ask", self.wants(CLAUDE_CODE, old="three")),  # it looks for something similar
            ("ask", self.wants(CLAUDE_CODE, "latin.py")),
            ("ask", self.wants(CLAUDE_CODE, "folder")),
            ("ask", {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": self.path("a.ipynb")}}),
            ("ask", {"tool_name": "Write", "tool_input": {"file_path": 7}}),
            ("deny", self.wants(CODEX_CLI, old="three")),
            ("deny", {"tool_name": "apply_patch", "tool_input": {"command": "x"}}),
        ):
            agent = CODEX_CLI if fields["tool_name"] == "apply_patch" else CLAUDE_CODE
            said = yield from self.tell("PreToolUse", agent, **fields)
            answer = json.loads(said)
            self.assertEqual(decision(answer) or answer, expected, fields)
        self.assertTrue(self.nothing_open())

    def test_programs_go_their_own_way_where_they_ask_themselves(self) -> Iterator[Any]:
        for agent in ALL[1:]:
            yield from self.connect(agent)
        plan = {**self.wants(CLAUDE_CODE), "permission_mode": "plan"}
        said = yield from self.tell("PreToolUse", **plan)
        self.assertEqual(said, b"{}")
        said = yield from self.tell("PreToolUse", QWEN_CODE, **{**self.wants(QWEN_CODE), "permission_mode": "default"})
        self.assertEqual(said, b"{}")
        self.command("review_every_write", on=False)
        for agent in ALL:
            said = yield from self.tell(EVENTS[agent.key], agent, **self.wants(agent))
            self.assertEqual(said, b"{}", agent.title)

    def test_the_toggle_is_said_and_kept_with_the_window(self) -> Iterator[Any]:
        self.assertTrue(self.endpoint.reviews_every_write)
        yield from self.tell("SessionStart")
        yield lambda: self.status() == "Companion: Claude Code: every write is reviewed"
        for name, dialect in (("copilot-cli", COPILOT), ("claude-code", CLAUDE)):
            self.connects(name, dialect)
        self.said.clear()
        self.command("review_every_write", on=True)
        whose = "Claude Code: every write is reviewed, Copilot CLI: not reviewed (no hooks)"
        self.assertEqual(self.status(), "Companion: " + whose)
        self.assertIn("every write is reviewed, but not those of Copilot CLI", "\n".join(self.said))
        self.assertEqual(self.caption(), "Review as the Agent Asks")
        self.command("review_every_write", on=False)
        self.assertEqual(self.caption(), "Review Every Write")
        yield lambda: "every write is reviewed" not in self.status()

    def caption(self) -> str:
        return self.application.actions.caption("gemini_companion_review_every_write", self.window)

    def test_a_project_can_only_make_it_more_careful(self) -> Iterator[Any]:
        self.endpoint._choice = None
        for said, holds in (("always", True), ("as_agent", False)):
            data = self.window.project_data()
            data["settings"] = {"gemini_companion": {"review_before_writing": said, "review_skip": ["*"]}}
            self.window.set_project_data(data)
            self.endpoint.settings_changed()
            self.assertEqual(self.endpoint.reviews_every_write, holds)
            self.assertEqual(self.endpoint.settings().review_skip, ())
        yield

    def test_the_file_changes_while_it_is_reviewed(self) -> Iterator[Any]:
        """Accept shows it again, beside what was saved, with the user's edits, and asks again."""
        process, review = yield from self.hold()
        yield from self.edit(review, "one\nzwei\n")
        self.write(content="zero\n" + BEFORE)
        self.reviews.commands.accept(review)
        yield lambda: "file.py has changed on disk since the diff was opened: look" in self.header(review)
        yield self.settled
        yield lambda: not self.reviews.open_reviews.input_guard.ignores(review)
        self.assertEqual(self.text(self.proposal(review)), "zero\none\nzwei\n")
        self.assertIsNone(process.poll())
        self.reviews.commands.accept(review)
        answer = yield from self.answer(process)
        (found,) = CLAUDE_CODE.hooks.writes.proposals(  # type: ignore[union-attr]
            "Edit", changed(answer), {self.path(): "zero\n" + BEFORE}
        )
        self.assertEqual(found.text, "zero\none\nzwei\n")


class TestWhatEndsIt(GateCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.write(content=BEFORE)

    def test_a_hook_that_is_killed_takes_its_diff_with_it(self) -> Iterator[Any]:
        connection = self.connection("PreToolUse")
        yield from self.shown()
        connection.close()
        yield self.nothing_open
        self.assertFalse(self.gate._held)

    def test_whatever_else_ends_it_lets_the_program_ask(self) -> Iterator[Any]:
        for end in (self.next_prompt, self.folder_goes, self.switched_off, self.window_ends):
            process, _ = yield from self.hold()
            yield from end()
            answer = yield from self.answer(process)
            self.assertEqual(decision(answer), "ask", end.__name__)
            yield self.nothing_open
            if end != self.window_ends:
                yield from self.back()

    def next_prompt(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt="go on")

    def folder_goes(self) -> Iterator[Any]:
        other = self.path("inner")
        os.mkdir(other)
        self.window.set_project_data({"folders": [{"path": other}]})
        self.endpoint.workspace_changed()
        yield

    def switched_off(self) -> Iterator[Any]:
        data = self.window.project_data()
        data["settings"] = {"gemini_companion": {"programs": {"claude": {"enabled": False}}}}
        self.window.set_project_data(data)
        self.endpoint.settings_changed()
        yield

    def window_ends(self) -> Iterator[Any]:
        self.endpoint.stop(for_good=True)
        yield

    def back(self) -> Iterator[Any]:
        self.window.set_project_data({"folders": [{"path": self.folder}]})
        self.endpoint.settings_changed()
        self.endpoint.workspace_changed()
        yield lambda: self.folder in self.endpoint.folders()

    def test_the_package_ends(self) -> Iterator[Any]:
        process, _ = yield from self.hold()
        self.addCleanup(setattr, self.gate, "_ended", False)
        self.application.runtime.on_loop(self.gate.end)
        answer = yield from self.answer(process)
        self.assertEqual(decision(answer), "ask")

    def test_what_fails_is_asked(self) -> Iterator[Any]:
        yield from self.connect(CODEX_CLI)
        with mock.patch.object(proposing, "prepare", side_effect=ZeroDivisionError):
            for agent, expected in ((CLAUDE_CODE, "ask"), (CODEX_CLI, "deny")):
                process = self.start("PreToolUse", agent, **self.wants(agent))
                answer = yield from self.answer(process)
                self.assertEqual(decision(answer), expected)
        self.assertIn("a write of Codex CLI could not be reviewed", "\n".join(self.application.log.lines()))
        yield self.nothing_open

    def test_nobody_answers(self) -> Iterator[Any]:
        yield from self.connect(QWEN_CODE)
        for agent, expected in ((CLAUDE_CODE, "deny"), (QWEN_CODE, "ask")):
            process, _ = yield from self.hold(agent)
            self.later(agent.hooks.patience_seconds)
            answer = yield from self.answer(process)
            self.assertEqual(decision(answer), expected)
            yield self.nothing_open

    def test_the_header_says_that_a_program_may_have_gone_on(self) -> Iterator[Any]:
        yield from self.connect(GEMINI_CLI)
        process, review = yield from self.hold(GEMINI_CLI)
        self.later(GEMINI_CLI.hooks.may_be_gone_after_seconds)
        yield lambda: "Gemini CLI may have gone on without this" in self.header(review)
        self.command("accept")
        yield from self.answer(process)
        yield from self.tell("AfterAgent", GEMINI_CLI)
        yield lambda: self.says("Gemini CLI has not written file.py: what you accepted changes nothing")
        self.assertEqual(self.read(), BEFORE.encode())

    def test_a_program_that_asks_despite_an_acceptance_is_left_to_ask(self) -> Iterator[Any]:
        yield from self.connect(GEMINI_CLI)
        process, _ = yield from self.hold(GEMINI_CLI)
        self.command("accept")
        yield from self.answer(process)
        yield from self.tell("Notification", GEMINI_CLI, notification_type="ToolPermission")
        yield from self.tell("AfterTool", GEMINI_CLI, **self.wants(GEMINI_CLI))
        said = yield from self.tell("BeforeTool", GEMINI_CLI, **self.wants(GEMINI_CLI))
        self.assertEqual(decision(json.loads(said)), "ask")

    def test_a_deleted_file_is_waited_for_by_nobody(self) -> Iterator[Any]:
        yield from self.connect(CODEX_CLI)
        said = patch(f"*** Delete File: {self.path()}\n")
        process, _ = yield from self.hold(CODEX_CLI, tool_name="apply_patch", tool_input={"command": said})
        self.command("accept")
        answer = yield from self.answer(process)
        self.assertEqual(answer, {})
        self.assertNotIn(self.path(), [each.path for each in self.reviews.accepted_texts._texts])


class TestBesideItsOwnDiff(GateCase):
    """Claude Code is connected to the editor as well: its diff comes by that, and its question by a hook."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.endpoint.review_every_write(False)
        self.write(content=BEFORE)
        self.outcomes: List[Any] = []
        session = self.connects("claude-code", CLAUDE)
        self.owner = self.endpoint.agents.owner_of(session)
        self.endpoint.agents.process_known(session, os.getpid())  # which runs the hook's shell

    def question(self) -> Any:
        """The process of the hook of its question."""
        return self.start("PermissionRequest", **{**self.wants(CLAUDE_CODE), "permission_mode": "default"})

    def opens(self) -> Iterator[Any]:
        """Its own diff opens. `yield from` gives the review."""
        ticket = Ticket("its name", True, self.outcomes.append)
        self.reviews.open_diff(self.owner, self.path(), AFTER, None, ticket)
        review = yield from self.shown()
        return review

    def test_every_write_it_is_told_to_ask_at_once(self) -> Iterator[Any]:
        self.endpoint.review_every_write(True)
        for mode, expected in (("auto", "ask"), ("bypassPermissions", "ask"), ("default", None), ("plan", None)):
            said = yield from self.tell("PreToolUse", **{**self.wants(CLAUDE_CODE), "permission_mode": mode})
            self.assertEqual(decision(json.loads(said)), expected, mode)

    def test_the_reason_goes_by_the_question(self) -> Iterator[Any]:
        for first in (self.question, self.opens):
            process, review = yield from self.both(first)
            with mock.patch.object(sublime.Window, "show_input_panel") as panel:
                self.click_on(review, "Why\u2026")
                yield lambda: panel.call_count
            panel.call_args[0][2]("not so")
            answer = yield from self.answer(process)
            told = answer["hookSpecificOutput"]["decision"]
            self.assertEqual(told, {"behavior": "deny", "message": "The user rejected this change: not so"})
            self.assertEqual(self.outcomes.pop(), None, "its diff gets no other answer")
            yield self.nothing_open

    def both(self, first: Any) -> Iterator[Any]:
        """The question and the diff, in either order."""
        if first == self.question:
            process = self.question()
            yield lambda: self.gate._beside
            review = yield from self.opens()
        else:
            review = yield from self.opens()
            process = self.question()
        yield lambda: "Why\u2026" in self.header(review)
        return process, review

    def test_any_other_end_leaves_the_question_to_the_diff(self) -> Iterator[Any]:
        for command, content in (("accept", AFTER), ("reject", None)):
            process, _ = yield from self.both(self.question)
            self.command(command)
            answer = yield from self.answer(process)
            self.assertEqual(answer, {})
            self.assertEqual(self.outcomes.pop().content, content)
            self.write(content=AFTER)
            yield self.nothing_open
            self.assertFalse(self.gate._beside)
            self.write(content=BEFORE)

    def test_it_ends_with_the_call_too(self) -> Iterator[Any]:
        process = self.question()
        yield lambda: self.gate._beside
        yield from self.tell("PostToolUse", **self.wants(CLAUDE_CODE))
        answer = yield from self.answer(process)
        self.assertEqual(answer, {})

    def test_a_question_that_is_killed_takes_the_way_for_reasons_along(self) -> Iterator[Any]:
        connection = self.connection("PermissionRequest", permission_mode="default")
        yield lambda: self.gate._beside
        review = yield from self.opens()
        yield lambda: "Why\u2026" in self.header(review)
        connection.close()
        yield lambda: "Why\u2026" not in self.header(review)
        self.assertTrue(review.pending)
        self.assertFalse(self.can("GeminiCompanionRejectWithReasonCommand"))
        self.reviews.commands.ask_why(review)
        self.assertTrue(self.says("cannot be told why"))
