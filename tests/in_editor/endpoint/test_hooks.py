"""Programs that tell by hooks what they do: what the user sees of it, and when they are answered."""

from __future__ import annotations

import http.client
import json
import os
from typing import Any, Callable, Iterator, List, Tuple
from unittest import mock

import sublime

from ....companion.agents.claude_code import CLAUDE
from ....companion.agents.codex_cli import CODEX_CLI
from ....companion.endpoint import hook_sessions
from ....companion.settings import FILE_NAME
from ...host.waiting import NEVER_SECONDS
from ...support.hook_case import PROMPT, HookCase

RUN = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "1"}


class Calls:
    """Stands for the looks at one window's files: those that have begun, and are over when the test says so. Sessions
    of windows that other tests have closed may end meanwhile."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.told: List[Tuple[Any, ...]] = []
        self.looked: List[Callable[[], None]] = []

    def begins(self, window: int, call: Any, open_call: Any, looked: Callable[[], None]) -> None:
        if window == self.window:
            self.told.append(("begins", window, call, tuple(open_call.doer)))
            self.looked.append(looked)

    def ended(self, window: int, call: Any, looked: Callable[[], None], has_run: bool = True) -> None:
        if window == self.window:
            self.told.append(("ended", window, call))
            self.looked.append(looked)


class TestSessions(HookCase):
    def test_a_program_is_there_as_long_as_its_session(self) -> Iterator[Any]:
        yield lambda: self.status() == ""
        self.assertFalse(self.endpoint.changes.tracked)
        said = yield from self.tell("SessionStart", source="startup")
        self.assertEqual(said, b"{}")
        self.assertTrue(self.endpoint.changes.tracked)
        self.assertEqual(self.status(), "Companion: Claude Code")
        yield from self.tell("SessionEnd", reason="other")
        yield lambda: self.status() == ""
        self.assertFalse(self.endpoint.changes.tracked)

    def test_one_that_has_ended_without_a_word_is_forgotten(self) -> Iterator[Any]:
        gone = self.start("SessionStart")  # whose shell is the program that its hook names
        yield lambda: gone.poll() is not None
        yield lambda: self.status() == "Companion: Claude Code"
        session = self.sessions._sessions["claude", self.folder]
        session.process = gone.pid
        self.application.runtime.on_loop(self.sessions.drop_gone)
        yield lambda: self.status() == ""

    def test_what_belongs_to_no_window_is_answered_with_nothing(self) -> Iterator[Any]:
        for folder in (os.path.dirname(self.folder), self.folder + "-other", "relative", ""):
            said = yield from self.tell("SessionStart", cwd=folder)
            self.assertEqual(said, b"{}")
        self.assertEqual(self.endpoint.agents.hooked, ())

    def test_the_window_is_the_one_with_the_innermost_folder(self) -> Iterator[Any]:
        inner = self.path("inner")
        os.mkdir(inner)
        other = yield from self.another_window()
        other.set_project_data({"folders": [{"path": inner}]})
        endpoint = self.application.window_opened(other)
        endpoint.workspace_changed()
        yield lambda: inner in endpoint.discovery.all_folders
        yield from self.tell("SessionStart", cwd=os.path.join(inner, "deep"))
        self.assertEqual([each.agent.key for each in endpoint.agents.hooked], ["claude"])
        self.assertEqual(self.endpoint.agents.hooked, ())
        yield from self.tell("UserPromptSubmit", cwd=self.folder, prompt=PROMPT)  # the session stays where it is
        self.assertEqual(self.endpoint.agents.hooked, ())

    def test_a_program_that_is_switched_off_is_answered_with_nothing(self) -> Iterator[Any]:
        data = self.window.project_data()
        data["settings"] = {"gemini_companion": {"programs": {"claude": {"enabled": False}}}}
        self.window.set_project_data(data)
        self.endpoint.settings_changed()
        said = yield from self.tell("SessionStart")
        self.assertEqual(said, b"{}")
        self.assertEqual(self.endpoint.agents.hooked, ())

    def test_only_its_own_programs_are_at_work(self) -> Iterator[Any]:
        only: List[bool] = []
        with mock.patch.object(self.tracking, "only_hooked", lambda window, one: only.append(one)):
            yield from self.tell("SessionStart")
            self.assertTrue(only[-1])
            self.endpoint.agents.started("claude")
            self.assertTrue(only[-1])
            self.endpoint.agents.started("goose")
            self.assertFalse(only[-1])
            self.endpoint.agents.terminal_closed()
            self.assertTrue(only[-1])
            self.connects("claude-code", CLAUDE)
            opencode = self.connects("opencode", CLAUDE)
            yield lambda: not only[-1]
            self.endpoint.agents.went(opencode)
            yield lambda: only[-1]
            yield from self.tell("SessionEnd")
            yield lambda: not self.endpoint.agents.hooked
            self.assertFalse(only[-1])


class TestCalls(HookCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.calls = Calls(self.window.id())
        for name, told in (("call_begins", self.calls.begins), ("call_ended", self.calls.ended)):
            patcher = mock.patch.object(self.tracking, name, told)
            patcher.start()
            self.addCleanup(patcher.stop)
        self.freeze()  # a look is waited for as long as it takes

    def looked(self) -> bool:
        return True

    def done(self, process: Any) -> Iterator[Any]:
        """The look that waits is over; the hook is answered then, and not before."""
        yield lambda: self.calls.looked
        self.assertIsNone(process.poll())
        self.calls.looked.pop()()
        yield lambda: process.poll() is not None
        self.assertEqual(process.stdout.read(), b"{}")
        process.stdout.close()

    def test_a_command_is_answered_once_the_files_were_looked_at(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt=f"  {PROMPT}\n\nand \u202e mind this\n" + "x" * 100)
        yield from self.done(self.start("PreToolUse", **RUN))
        yield from self.done(self.start("PostToolUse", **RUN))
        begun, ended = self.calls.told
        why = f"{PROMPT} and <U+202E> mind this\u2026"
        self.assertEqual((begun[0], begun[1], begun[3]), ("begins", self.window.id(), ("Claude Code", why)))
        self.assertEqual(ended, ("ended", self.window.id(), begun[2]))

    def test_a_tool_that_only_reads_is_answered_at_once(self) -> Iterator[Any]:
        yield from self.tell("PreToolUse", tool_name="Read", tool_input={"file_path": "x"}, tool_use_id="1")
        self.assertEqual(self.calls.told, [])

    def test_a_look_that_takes_too_long_is_not_waited_for(self) -> Iterator[Any]:
        process = self.start("PreToolUse", **RUN)
        yield lambda: self.calls.looked
        self.later(hook_sessions.LOOK_SECONDS)
        yield lambda: process.poll() is not None
        self.assertEqual(process.stdout.read(), b"{}")
        process.stdout.close()

    def test_the_next_prompt_ends_calls_of_which_nothing_was_heard_any_more(self) -> Iterator[Any]:
        for event in ("UserPromptSubmit", "Stop", "SessionEnd"):
            yield from self.done(self.start("PreToolUse", **RUN))
            yield from self.tell(event)
            (_, _, key, _), ended = self.calls.told
            self.assertEqual(ended, ("ended", self.window.id(), key))
            del self.calls.told[:]
            del self.calls.looked[:]

    def test_a_call_that_is_given_up_before_the_answer_is_over(self) -> Iterator[Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.answers.port, timeout=NEVER_SECONDS)
        payload = {"session_id": self.folder, "cwd": self.folder, "hook_event_name": "PreToolUse", **RUN}
        headers = {"X-Companion-Secret": self.answers.secret, "Content-Type": "application/json"}
        connection.request("POST", "/hook/claude", json.dumps(payload), headers)
        yield lambda: self.calls.looked
        connection.close()
        yield lambda: len(self.calls.told) == 2
        (_, _, key, _), ended = self.calls.told
        self.assertEqual(ended, ("ended", self.window.id(), key))

    def test_calls_without_identifiers_are_known_by_tool_if_arguments_change(self) -> Iterator[Any]:
        run = {"tool_name": "Bash", "tool_input": {"command": "make"}}
        yield from self.done(self.start("PreToolUse", **run))
        yield from self.done(self.start("PostToolUse", **{**run, "tool_input": {"command": "make -s"}}))
        begun, ended = self.calls.told
        self.assertEqual(ended[2], begun[2])

    def test_an_end_without_a_beginning_is_a_sign(self) -> Iterator[Any]:
        yield from self.tell("SessionStart")
        with mock.patch.object(self.tracking, "sign") as sign:
            yield from self.tell("PostToolUse", **RUN)
        self.assertEqual((sign.call_count, self.calls.told), (1, []))


class TestWaiting(HookCase):
    def test_a_question_waits_until_the_next_event(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt=PROMPT)
        yield from self.tell("PermissionRequest", **RUN)
        yield lambda: self.status() == "Companion: Claude Code asks: Bash"
        yield from self.tell("Notification", notification_type="permission_prompt")
        self.assertEqual(self.status(), "Companion: Claude Code asks: Bash")
        self.application.view_activated(self.view)
        yield from self.tell("PostToolUse", **RUN)
        yield lambda: self.status() == "Companion: Claude Code"

    def test_a_turn_that_has_ended_waits_until_the_window_is_looked_at(self) -> Iterator[Any]:
        yield from self.tell("Stop")
        yield lambda: self.status() == "Companion: Claude Code is done"
        other = yield from self.open_file("other.py")
        yield lambda: other.get_status("gemini_companion") == "Companion: Claude Code"

    def test_two_that_wait_are_named(self) -> Iterator[Any]:
        yield from self.connect(CODEX_CLI)
        yield from self.tell("Stop")
        yield from self.tell("Stop", CODEX_CLI)
        yield lambda: self.status() == "Companion: Claude Code + Codex CLI are done"

    def test_every_window_says_who_waits_and_a_command_goes_there(self) -> Iterator[Any]:
        other = yield from self.another_window()
        view = other.new_file()
        view.set_scratch(True)
        yield lambda: self.application.endpoint_of(other) is not None
        other.bring_to_front()
        yield lambda: sublime.active_window() == other
        yield from self.tell("PermissionRequest", **RUN)
        place = os.path.basename(self.folder)
        yield lambda: view.get_status("gemini_companion") == f"Companion: Claude Code asks in {place}: Bash"
        other.run_command("gemini_companion_go_to_waiting_agent")
        yield lambda: sublime.active_window() == self.window
        yield from self.tell("PostToolUse", **RUN)
        yield lambda: view.get_status("gemini_companion") == ""

    def test_several_windows_in_which_agents_wait_are_listed(self) -> Iterator[Any]:
        other, folder = (yield from self.another_window()), self.path("inner")
        os.mkdir(folder)
        other.set_project_data({"folders": [{"path": folder}]})
        yield lambda: self.application.endpoint_of(other) is not None
        self.application.endpoint_of(other).workspace_changed()
        yield lambda: self.application.endpoint_of(other).folders() == (folder,)
        yield from self.tell("Stop")
        yield from self.tell("PermissionRequest", cwd=folder, session_id=folder, **RUN)
        yield lambda: len(self.application._endpoints.waiting()) == 2
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.window.run_command("gemini_companion_go_to_waiting_agent")
        items, picked = panel.call_args[0]
        listed = [(item.trigger, item.details) for item in items]
        here = ("Claude Code is done", os.path.basename(self.folder))
        self.assertEqual(listed, [("Claude Code asks: Bash", "inner"), here])
        picked(0)
        yield lambda: sublime.active_window() == other

    def test_the_system_says_so_where_the_user_wants_that_and_is_elsewhere(self) -> Iterator[Any]:
        said: List[str] = []
        settings = sublime.load_settings(FILE_NAME)
        self.addCleanup(settings.erase, "notify")
        self.addCleanup(setattr, self.sessions, "in_front", True)
        with mock.patch.object(hook_sessions, "notify", lambda text, folders, platform: said.append(text)):
            for wanted, front, expected in (("never", False, 0), ("unfocused", True, 0), ("unfocused", False, 1)):
                settings.set("notify", wanted)
                yield lambda wanted=wanted: self.endpoint.settings().notify == wanted
                yield from self.tell("UserPromptSubmit", prompt=PROMPT)
                yield lambda: not self.endpoint.agents.waiting
                self.sessions.in_front = front
                yield from self.tell("Notification", notification_type="permission_prompt")
                yield lambda: self.endpoint.agents.waiting
                yield lambda expected=expected: len(said) == expected
        self.assertEqual(said, ["Claude Code asks"])

    def test_the_focus_is_elsewhere_until_a_view_has_it_again(self) -> Iterator[Any]:
        self.application.view_deactivated(self.view)
        self.assertFalse(self.sessions.in_front)
        self.application.view_activated(self.view)
        self.assertTrue(self.sessions.in_front)
        yield


class TestDiagnosis(HookCase):
    def test_diagnose_says_which_hook_came_last(self) -> Iterator[Any]:
        yield from self.tell("UserPromptSubmit", prompt=PROMPT)
        outside = os.path.dirname(self.folder)
        call = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": ""}}
        yield from self.tell("PreToolUse", session_id="outside", cwd=outside, **call)
        yield from self.tell("UserPromptSubmit", prompt=PROMPT)
        self.command("diagnose")

        def text() -> str:
            view = next((each for each in self.window.views() if each.name().endswith("Diagnose")), None)
            return view.substr(sublime.Region(0, view.size())) if view is not None else ""

        yield lambda: "- Claude Code: UserPromptSubmit at " in text()
        self.assertIn(f"## Hooks\n\n- answered on port {self.answers.port}\n", text())
        self.assertIn("- Claude Code writes in ", text())
        self.assertIn(", which is in no window: none of that is reviewed or listed", text())
        self.assertNotIn(self.answers.secret, text())
        self.assertNotIn(PROMPT, text())
        self.assertNotIn(PROMPT, "\n".join(self.application.log.lines()))
        self.assertIn("hook of Claude Code: UserPromptSubmit", "\n".join(self.application.log.lines()))
