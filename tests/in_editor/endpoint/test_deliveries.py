"""A review on its way to an agent: what its hooks are answered, what its terminal gets, and what the user sees."""

from __future__ import annotations

import http.client
import json
from typing import Any, Dict, Iterator, List, Tuple
from unittest import mock

import sublime

from ....companion.agents.agent import Agent
from ....companion.agents.claude_code import CLAUDE_CODE
from ....companion.agents.codex_cli import CODEX_CLI
from ....companion.agents.gemini_cli import GEMINI_CLI
from ....companion.agents.qwen_code import QWEN_CODE
from ....companion.comments.model import CommentState
from ....companion.endpoint import deliveries
from ....companion.terminals import launcher
from ...host.waiting import NEVER_SECONDS
from ...support.hook_case import HookCase

TEXT = 'I reviewed your changes: 3 comments.\n\nfile.py:3\n```\n\tx < "\u00fc" & y\n```\nkeep it small'
TYPE = "Type anything in {} to send 3 comments"
WAITING, SENT, DRAFT = CommentState.WAITING, CommentState.SENT, CommentState.DRAFT


class DeliveryCase(HookCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.deliveries = self.application._endpoints.deliveries
        self.told: List[Tuple[CommentState, str]] = []
        self.typed: List[Tuple[str, str]] = []
        run = sublime.Window.run_command

        def typing(window: sublime.Window, name: str, arguments: Any = None) -> None:
            if name == "terminus_send_string":
                self.typed.append((arguments["tag"], arguments["string"]))
            else:
                run(window, name, arguments)

        patched = mock.patch.object(sublime.Window, "run_command", typing)
        patched.start()
        self.addCleanup(patched.stop)

    def send(self, text: str = TEXT) -> Iterator[Any]:
        """The user sends a review. `yield from` ends once something has come of it."""
        count = len(self.told)
        self.endpoint.comments._sent._deliver(text + "\n", 3, lambda *told: self.told.append(told))
        yield lambda: len(self.told) > count or self.endpoint._sending != ()

    @property
    def state(self) -> CommentState:
        return self.told[-1][0]

    def answered(self, event: str, agent: Agent = CLAUDE_CODE, **fields: Any) -> Iterator[Any]:
        said = yield from self.tell(event, agent, **fields)
        return json.loads(said)

    def added(self, event: str, agent: Agent = CLAUDE_CODE, **fields: Any) -> Iterator[Any]:
        """What the answer adds for the model."""
        answer = yield from self.answered(event, agent, **fields)
        return answer.get("hookSpecificOutput", {}).get("additionalContext")

    def tool(self, number: int = 1) -> Dict[str, Any]:
        return {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": str(number)}

    def starts(self, key: str, number: int = 1) -> str:
        """The tag of a terminal that the editor has started for this agent."""
        tag = f"gemini_companion.{key}.{self.window.id()}.{launcher.RUN}.{number}"
        self.terminal().settings().set("terminus_view.tag", tag)
        return tag


class TestDeliveries(DeliveryCase):
    def test_a_working_agent_reads_it_with_the_next_result_and_it_is_then_sent(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt="go")
        yield from self.tell("PreToolUse", **self.tool())
        yield from self.send()
        yield lambda: "3 comments go to Claude Code with its next step" in self.status()
        self.assertIsNone((yield from self.added("PostToolUse", **self.tool(), agent_id="of a subagent")))
        self.assertEqual((yield from self.added("PostToolUse", **self.tool())), TEXT)
        yield lambda: bool(self.told)
        self.assertEqual(self.state, WAITING)
        self.assertIsNone((yield from self.added("PostToolUse", **self.tool(2))), "it goes out once")
        yield from self.tell("Stop")
        yield lambda: self.told[-1] == (SENT, "Claude Code has your 3 comments")
        yield lambda: "3 comments" not in self.status()

    def test_who_calls_no_tool_any_more_goes_on_at_the_end_of_the_turn(self) -> Iterator[Any]:
        yield from self.connect(GEMINI_CLI)
        yield from self.tell("BeforeAgent", GEMINI_CLI, prompt="make it work")
        yield from self.send()
        answer = yield from self.answered("AfterAgent", GEMINI_CLI)
        self.assertEqual(answer, {"decision": "block", "reason": TEXT})
        self.assertNotIn("is done", self.status())
        yield from self.tell("BeforeAgent", GEMINI_CLI, prompt=TEXT)  # it comes back
        self.assertEqual(self.state, WAITING)
        self.assertEqual((yield from self.answered("AfterAgent", GEMINI_CLI)), {})
        yield lambda: self.state is SENT
        (session,) = self.sessions.in_window(self.endpoint)
        self.assertEqual(session.doer.why, "make it work", "the user has not typed it")

    def test_an_idle_agent_outside_our_terminals_gets_it_with_the_next_prompt(self) -> Iterator[Any]:
        yield from self.connect(GEMINI_CLI)
        yield from self.tell("SessionStart", GEMINI_CLI)
        yield from self.send()
        yield lambda: TYPE.format("Gemini CLI") in self.status()
        yield lambda: sublime.get_clipboard() == TEXT
        self.assertEqual((yield from self.added("BeforeAgent", GEMINI_CLI, prompt="go")), TEXT)
        yield from self.tell("BeforeAgent", GEMINI_CLI, prompt="stop")  # before it has read it
        yield from self.tell("BeforeTool", GEMINI_CLI, tool_name="run_shell_command", tool_input={"command": "make"})
        yield lambda: self.state is SENT

    def test_an_idle_agent_in_a_terminal_of_ours_gets_a_paste_and_return(self) -> Iterator[Any]:
        tag = self.starts("claude")
        self.starts("claude", 2)
        with mock.patch.dict("os.environ", GEMINI_COMPANION_TERMINAL=tag):
            yield from self.tell("SessionStart")
        self.window.focus_view(self.view)
        yield from self.send()
        yield lambda: bool(self.typed)
        self.assertEqual(self.typed, [(tag, f"\x1b[200~{TEXT}\x1b[201~")])
        self.later(1)
        yield lambda: self.typed[1:] == [(tag, "\r")]
        self.assertEqual(self.state, WAITING)
        yield from self.tell("UserPromptSubmit", prompt="half " + TEXT.replace("\t", "    "))
        yield lambda: self.state is SENT

    def two_sessions(self) -> Iterator[Any]:
        """Two of Claude Code. No test has the session of another one."""
        self.second = self.folder + " second"
        yield from self.tell("UserPromptSubmit", prompt="one")
        yield from self.tell("UserPromptSubmit", prompt="two", session_id=self.second)
        yield lambda: len(self.sessions.in_window(self.endpoint)) == 2

    def test_of_two_sessions_the_chosen_one_gets_it(self) -> Iterator[Any]:
        yield from self.two_sessions()
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.endpoint.comments._sent._deliver(TEXT, 3, lambda *told: self.told.append(told))
            yield lambda: panel.call_count == 1
        rows = [item.trigger for item in panel.call_args[0][0]]
        self.assertEqual(rows, ['Claude Code: "one"', 'Claude Code: "two"'])
        panel.call_args[0][1](1)
        yield lambda: self.endpoint._sending != ()
        self.assertIsNone((yield from self.added("PostToolUse", **self.tool())))
        self.assertEqual((yield from self.added("PostToolUse", session_id=self.second, **self.tool())), TEXT)

    def test_with_none_chosen_they_stay_drafts(self) -> Iterator[Any]:
        yield from self.two_sessions()
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.endpoint.comments._sent._deliver(TEXT, 3, lambda *told: self.told.append(told))
            yield lambda: panel.call_count == 1
        panel.call_args[0][1](-1)
        yield lambda: self.told == [(DRAFT, "")]

    def test_what_is_taken_back_is_not_sent(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt="go")
        yield from self.send()
        self.endpoint.comments._take_back()
        yield lambda: self.told == [(DRAFT, "3 comments are drafts again")]
        self.assertIsNone((yield from self.added("PostToolUse", **self.tool())))
        yield lambda: "3 comments" not in self.status()

    def test_when_the_session_ends_first_they_are_drafts_again(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt="go")
        yield from self.send()
        yield from self.tell("SessionEnd")
        yield lambda: self.told == [(DRAFT, "Claude Code has ended: 3 comments are drafts again")]

    def test_a_held_write_is_refused_with_it(self) -> Iterator[Any]:
        self.endpoint.review_every_write(True)
        self.write(content="one\ntwo\n")
        arguments = {"file_path": self.path(), "old_string": "two", "new_string": "2"}
        fields = {"tool_name": "Edit", "tool_input": arguments, "tool_use_id": "1", "permission_mode": "acceptEdits"}
        process = self.start("PreToolUse", **fields)
        yield lambda: self.open_review("file.py") is not None
        yield from self.send()
        yield lambda: process.poll() is not None
        with process.stdout as said:
            answer = json.loads(said.read())["hookSpecificOutput"]
        self.assertEqual(answer["permissionDecision"], "deny")
        self.assertEqual(answer["permissionDecisionReason"], f"The user rejected this change: {TEXT}")
        yield lambda: self.open_review("file.py") is None
        yield from self.tell("Stop")
        yield lambda: self.state is SENT

    def test_codex_is_told_by_its_own_command(self) -> Iterator[Any]:
        yield from self.connect(CODEX_CLI)
        yield from self.tell("UserPromptSubmit", CODEX_CLI, prompt="go")
        yield from self.tell("Stop", CODEX_CLI)
        commands: List[Tuple[str, ...]] = []

        def queued(command: Tuple[str, ...], *_: Any) -> bool:
            commands.append(command)
            return len(commands) > 1

        with mock.patch.object(type(self.deliveries), "queued", staticmethod(queued)):
            yield from self.send()
            yield lambda: TYPE.format("Codex CLI") in self.status()  # it could not
            self.endpoint.comments._take_back()
            yield lambda: self.state is DRAFT
            yield from self.send()
            yield lambda: len(commands) == 2
        self.assertEqual(commands[0], ("codex", "queue", "--thread", self.folder, "--message", TEXT))
        yield from self.tell("UserPromptSubmit", CODEX_CLI, prompt=TEXT)
        yield lambda: self.state is SENT

    def test_an_agent_that_tells_nothing_gets_it_in_its_terminal_without_proof(self) -> Iterator[Any]:
        tag = self.starts("opencode")
        terminal = self.window.active_view()
        self.window.focus_view(self.view)
        yield from self.send()
        yield lambda: self.told == [(WAITING, "pasted 3 comments into the terminal")]
        self.assertEqual(self.typed, [(tag, f"\x1b[200~{TEXT}\x1b[201~")])
        terminal.close()
        yield lambda: self.state is DRAFT

    def test_without_any_agent_they_are_on_the_clipboard_and_stay_drafts(self) -> Iterator[Any]:
        sublime.set_clipboard("")
        yield from self.send()
        yield lambda: self.told == [(DRAFT, "copied 3 comments, not sent: paste that into your agent")]
        self.assertEqual(sublime.get_clipboard(), TEXT)


class TestHeldEnds(DeliveryCase):
    """With `hold_turns`, a turn ends once its review is sent, or nothing is left to review."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        settings = sublime.load_settings("Gemini Companion.sublime-settings")
        settings.set("hold_turns", True)
        self.addCleanup(settings.erase, "hold_turns")
        yield lambda: self.endpoint.settings().hold_turns
        review = mock.patch.object(type(self.endpoint), "has_to_review", new_callable=mock.PropertyMock)
        self.has_to_review = review.start()
        self.addCleanup(review.stop)

    def held(self, event: str = "Stop", agent: Agent = CLAUDE_CODE) -> Iterator[Any]:
        """The process of a hook that holds the end of a turn."""
        process = self.start(event, agent)
        yield lambda: f"{agent.title} waits for your review" in self.status()
        self.assertIsNone(process.poll())
        return process

    def says(self, process: Any) -> Iterator[Any]:
        yield lambda: process.poll() is not None
        with process.stdout as said:
            return json.loads(said.read())

    def test_the_review_lets_it_go_on(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt="go")
        process = yield from self.held()
        yield from self.send()
        answer = yield from self.says(process)
        self.assertEqual(answer["hookSpecificOutput"]["additionalContext"], TEXT)
        yield from self.tell("PreToolUse", **self.tool())
        yield lambda: self.state is SENT
        yield lambda: "waits for your review" not in self.status()

    def test_it_ends_without_a_review_when_nothing_is_left_or_the_user_goes_on(self) -> Iterator[Any]:
        yield from self.connect(GEMINI_CLI)
        process = yield from self.held("AfterAgent", GEMINI_CLI)
        self.deliveries.check_ends()
        self.has_to_review.return_value = False
        self.deliveries.check_ends()
        self.assertEqual((yield from self.says(process)), {})
        self.has_to_review.return_value = True
        process = yield from self.held("AfterAgent", GEMINI_CLI)
        yield from self.tell("BeforeAgent", GEMINI_CLI, prompt="go")
        self.assertEqual((yield from self.says(process)), {})
        process = yield from self.held("AfterAgent", GEMINI_CLI)
        self.later(deliveries.HELD_END_SECONDS)
        self.assertEqual((yield from self.says(process)), {})

    def test_who_is_stopped_while_it_is_held_waits_for_a_prompt(self) -> Iterator[Any]:
        payload = {"session_id": self.folder, "cwd": self.folder, "hook_event_name": "Stop"}
        connection = http.client.HTTPConnection("127.0.0.1", self.answers.port, timeout=NEVER_SECONDS)
        headers = {"X-Companion-Secret": self.answers.secret, "Content-Type": "application/json"}
        connection.request("POST", "/hook/claude", json.dumps(payload), headers)
        yield lambda: "Claude Code waits for your review" in self.status()
        connection.close()  # as if the hook was killed
        yield lambda: "waits for your review" not in self.status()
        yield from self.send()
        yield lambda: TYPE.format("Claude Code") in self.status()

    def test_qwen_is_not_held_nor_is_anybody_with_nothing_to_review(self) -> Iterator[Any]:
        yield from self.connect(QWEN_CODE)
        self.assertEqual((yield from self.answered("Stop", QWEN_CODE)), {})
        self.has_to_review.return_value = False
        self.assertEqual((yield from self.answered("Stop")), {})
