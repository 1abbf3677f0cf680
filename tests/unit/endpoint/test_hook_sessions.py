"""The sessions of programs with hooks: to which window they belong, how long they last, and what is said of them."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from companion.agents.claude_code import CLAUDE
from companion.agents.codex_cli import CODEX_CLI
from companion.endpoint import hook_sessions
from companion.endpoint.agent_row import FORGOTTEN_SECONDS, Waiting
from companion.endpoint.hook_sessions import HookAnswer, first_words
from companion.settings import UNFOCUSED, Settings
from companion.unreviewed.evidence import Doer, OpenCall
from tests.host.waiting import a_moment
from tests.support.programs import disabled
from tests.unit.endpoint.agents_world import client
from tests.unit.endpoint.answering_editors import asynchronous
from tests.unit.endpoint.sessions_world import PATCH, Editor, NoOpinion, Window, run_tool


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("", ""),
        (" \n\t ", ""),
        ("make the tests pass", "make the tests pass"),
        ("make\nthe  tests\r\n\tpass", "make the tests pass"),
        ("one " * 30, ("one " * 20).strip() + "\u2026"),
        ("x" * 200, "x" * 79 + "\u2026"),
        ("\u202egnp.exe", "<U+202E>gnp.exe"),
        ("\u4e2d" * 60, "\u4e2d" * 39 + "\u2026"),
    ],
)
def test_the_first_words_of_a_prompt(prompt, words):
    assert first_words(prompt) == words


@asynchronous
async def test_a_call_waits_until_the_main_thread_knows_of_its_session():
    """Until then nothing is tracked, so that there is nothing to look at before the tool runs."""
    editor, knows = Editor(Window("/code")), asyncio.Event()

    async def call_main(function, *arguments):
        await knows.wait()
        return function(*arguments)

    async def for_ever(awaited):
        await awaited

    editor.sessions._runtime.call_main, editor.sessions._within = call_main, for_ever
    events = [asyncio.ensure_future(editor.tell("UserPromptSubmit", prompt="go"))]
    await editor.until(lambda: editor.sessions._sessions)
    events.append(asyncio.ensure_future(editor.tell("PreToolUse", **run_tool(1))))
    for _ in range(20):
        await asyncio.sleep(0)
    assert editor.tracking.open == {}
    knows.set()
    await asyncio.gather(*events)
    assert len(editor.tracking.open) == 1


@asynchronous
async def test_calls_are_told_apart_by_their_ids():
    editor = Editor(Window("/code"))
    await editor.tell("UserPromptSubmit", prompt="go")
    for number in (1, 2):
        assert await editor.tell("PreToolUse", **run_tool(number)) == {}
    await editor.tell("PreToolUse", session="other", **run_tool(1))
    assert sorted(call.doer.why for call in editor.tracking.open.values()) == ["", "go", "go"]
    for number in (2, 1):
        await editor.tell("PostToolUse", **run_tool(number))
    assert [call.doer for call in editor.tracking.open.values()] == [("Claude Code", "")]
    await editor.tell("Stop", session="other")
    assert editor.tracking.open == {}


@asynchronous
async def test_a_call_that_the_user_is_asked_about_is_doubtful_unless_its_program_says_that_it_has_ended():
    editor = Editor(Window("/code"))
    for end, has_run in (("PostToolUse", True), ("PostToolUseFailure", True), ("UserPromptSubmit", False)):
        await editor.tell("PreToolUse", **run_tool(1))
        await editor.tell("PreToolUse", session="other", **run_tool(1))
        assert [call.is_doubtful for call in editor.tracking.open.values()] == [False, False]
        await editor.tell("PermissionRequest", **run_tool(1))
        assert [call.is_doubtful for call in editor.tracking.open.values()] == [True, False]
        await editor.tell(end, **run_tool(1))
        assert editor.tracking.ended.pop() == (OpenCall(Doer("Claude Code"), (), True), has_run)
        await editor.tell("SessionEnd", session="other")
        assert editor.tracking.ended.pop() == (OpenCall(Doer("Claude Code")), False)


@asynchronous
async def test_what_takes_long_to_read_is_read_on_another_thread(monkeypatch):
    editor, threads, read = Editor(Window("/code")), [], CODEX_CLI.hooks.read

    def noted(*arguments):
        threads.append(threading.get_ident())
        return read(*arguments)

    monkeypatch.setattr(CODEX_CLI.hooks, "read", noted)
    for number in (1, 2):
        tool = {"tool_name": "apply_patch", "tool_input": {"command": PATCH}, "tool_use_id": str(number)}
        await editor.tell("PreToolUse", program="codex", is_long=number == 2, **tool)
    here = threading.get_ident()
    assert [thread == here for thread in threads] == [True, False]
    assert [call.paths for call in editor.tracking.open.values()] == 2 * [(os.path.abspath("/code/a"),)]


@asynchronous
async def test_the_end_of_a_call_ends_no_other_one():
    editor = Editor(Window("/code"))
    for number in (1, 2):
        await editor.tell("PreToolUse", **run_tool(number))
    await editor.tell("PermissionRequest", **run_tool(1))  # refused, which nothing tells
    for number in (2, 2, 7):  # told twice; and one that nobody has heard of
        await editor.tell("PostToolUse", **run_tool(number))
    assert len(editor.tracking.ended) == 1
    assert len(editor.tracking.open) == 1


@pytest.mark.parametrize("changed", [("a.py", "b.py"), ("b.py", "a.py")])
@asynchronous
async def test_without_an_id_a_call_is_known_by_its_file_though_a_hook_has_changed_what_is_written(changed):
    editor = Editor(Window("/code"))

    async def tell(event, name, content):
        tool = {"tool_name": "write_file", "tool_input": {"file_path": os.path.abspath(name), "content": content}}
        await editor.tell(event, program="gemini", **tool)

    for name in ("a.py", "b.py"):
        await tell("BeforeTool", name, "proposed")
    for name in changed:
        await tell("AfterTool", name, "changed")
    ended = [(os.path.basename(call.paths[0]), has_run) for call, has_run in editor.tracking.ended]
    assert ended == [(name, True) for name in changed]


@asynchronous
async def test_of_two_calls_that_cannot_be_told_apart_none_has_surely_run():
    signs = []
    window = Window("/code")
    window.changes.sign = lambda: signs.append("a sign")
    editor = Editor(window)

    async def tell(event, command):
        tool = {"tool_name": "run_shell_command", "tool_input": {"command": command}}
        await editor.tell(event, program="gemini", **tool)

    for command in ("make", "make test"):
        await tell("BeforeTool", command)
    for command in ("make -s", "make -s test"):
        await tell("AfterTool", command)
    assert [has_run for _, has_run in editor.tracking.ended] == [False, True]
    assert signs == []
    await tell("AfterTool", "make install")
    assert signs == ["a sign"], "that something has run of which nobody knew"


@asynchronous
async def test_a_tool_that_writes_says_where_and_a_command_may_write_anywhere():
    editor = Editor(Window("/code"))
    await editor.tell("PreToolUse", tool_name="Write", tool_input={"file_path": "src/a.py", "content": ""})
    await editor.tell("PreToolUse", tool_name="Write", tool_input={"content": ""})
    await editor.tell("PreToolUse", **run_tool(1))
    wanted = [(os.path.join(os.path.abspath("/code"), "src/a.py"),), (), ()]
    assert [call.paths for call in editor.tracking.open.values()] == wanted


@asynchronous
async def test_a_session_ends_with_its_process():
    window = Window("/code")
    editor = Editor(window)
    gone = 2**22 + 1  # more than any system gives
    await editor.tell("SessionStart", process=os.getpid())
    await editor.tell("SessionStart", session="of another machine", process=gone)
    editor.sessions.drop_gone()
    assert window.at_work() == ["claude", "claude"]
    editor.sessions._sessions["claude", "s"].process = gone
    await editor.tell("PreToolUse", **run_tool(1))
    editor.sessions.drop_gone()
    assert window.at_work() == ["claude"]
    assert editor.tracking.open == {}


@asynchronous
async def test_a_silent_session_ends_unless_its_program_is_connected(later):
    window = Window("/code")
    editor = Editor(window)
    await editor.tell("SessionStart")
    editor.sessions.drop_gone()
    await asyncio.sleep(0)
    assert window.at_work() == ["claude"]
    later(FORGOTTEN_SECONDS)
    window.world.come(CLAUDE, client(1, "claude-code"))
    editor.sessions.drop_gone()
    await asyncio.sleep(0)
    assert window.at_work() == ["claude"]
    window.agents.went(client(1))
    window.world.come(CLAUDE, client(2, "opencode"))
    editor.sessions.drop_gone()
    await a_moment()
    assert window.at_work() == ["claude"], "that was asked a moment ago"
    later(FORGOTTEN_SECONDS)
    editor.sessions.drop_gone()
    await editor.until(lambda: not window.at_work())


@asynchronous
async def test_one_that_tells_something_now_and_then_is_not_forgotten(later):
    window = Window("/code")
    editor = Editor(window)
    for _ in range(3):
        await editor.tell("SessionStart")
        later(FORGOTTEN_SECONDS * 0.6)
        editor.sessions.drop_gone()
        await a_moment()
        assert window.at_work() == ["claude"]


@asynchronous
async def test_what_the_user_has_not_enabled_or_has_ended_is_no_session():
    window, told = Window("/code"), []
    editor = Editor(window)
    window.agents.hooks_told = told.append
    await editor.tell("SessionEnd")
    window.settings = lambda: disabled("claude")
    await editor.tell("SessionStart")
    assert (told, editor.sessions._sessions) == ([], {})


@asynchronous
async def test_one_that_begins_while_the_main_thread_is_busy_is_not_forgotten(later):
    window = Window("/code")
    editor = Editor(window)
    later(1e9)

    async def busy(function, *arguments):
        editor.sessions.drop_gone()
        await asyncio.sleep(0)
        return function(*arguments)

    editor.sessions._runtime.call_main = busy
    await editor.tell("UserPromptSubmit", program="codex")
    assert [session.agent.key for session in editor.sessions._sessions.values()] == ["codex"]


@asynchronous
async def test_a_session_leaves_with_its_window_and_may_come_back_in_another():
    first, second = Window("/code"), Window("/code/app")
    editor = Editor(first)
    await editor.tell("PreToolUse", folder="/code/app", **run_tool(1))
    editor.windows = [second]
    await editor.tell("PostToolUse", folder="/code/app", **run_tool(1))
    assert (second.at_work(), editor.tracking.open) == (["claude"], {})
    editor.windows = []
    editor.sessions.drop_gone()
    assert editor.sessions._sessions == {}


@asynchronous
async def test_a_session_leaves_its_window_when_that_has_other_folders_only():
    """Else a window that has got another project says of a program that it is reviewed, and is not."""
    window, nowhere = Window("/code"), os.path.abspath("/nowhere")
    editor = Editor(window)
    await editor.tell("UserPromptSubmit")
    await editor.tell("PreToolUse", folder=nowhere, **run_tool(1))
    assert (window.at_work(), len(editor.tracking.open)) == (["claude"], 1)
    await editor.tell("Stop")
    window.discovery.all_folders = ("/other",)
    editor.sessions.drop_gone()
    await editor.until(lambda: window.at_work() == [])
    assert await editor.tell("PreToolUse", folder="/code", **write()) == {}
    assert (editor.tracking.open, editor.sessions._sessions) == ({}, {})
    assert editor.said == [hook_sessions.IN_NO_WINDOW.format("Claude Code", os.path.abspath("/code"))]
    window.discovery.all_folders = ("/code",)
    await editor.tell("PreToolUse", **write())
    assert window.at_work() == ["claude"]


@asynchronous
async def test_however_many_sessions_there_are_the_oldest_make_room(monkeypatch):
    monkeypatch.setattr(hook_sessions, "MOST_SESSIONS", 3)
    window = Window("/code")
    editor = Editor(window)
    for number in range(10):
        await editor.tell("SessionStart", session=str(number))
    assert [session for _, session in editor.sessions._sessions] == ["7", "8", "9"]
    assert window.at_work() == ["claude"] * 3


@asynchronous
async def test_what_waits_is_said_after_a_moment_and_not_if_it_waits_no_more(clock):
    window = Window("/code")
    editor = Editor(window)
    await editor.tell("PermissionRequest", **run_tool(1))
    await a_moment()
    assert window.agents.waiting == []
    await editor.tell("Stop")
    clock.advance(hook_sessions.WAITING_SECONDS)
    await editor.until(lambda: window.agents.waiting == [Waiting("Claude Code", is_done=True)])
    editor.sessions.seen(window)
    await editor.until(lambda: window.agents.waiting == [])


@asynchronous
async def test_who_looks_has_seen_that_a_turn_has_ended_and_not_answered_a_question(later):
    window = Window("/code")
    editor = Editor(window)
    await editor.tell("Stop")
    await editor.tell("PermissionRequest", program="codex", **run_tool(1))
    later(hook_sessions.WAITING_SECONDS)
    await editor.until(lambda: len(window.agents.waiting) == 2)
    editor.sessions.seen(window)
    await editor.until(lambda: [each.title for each in window.agents.waiting] == ["Codex CLI"])


@asynchronous
async def test_a_program_that_ends_twice_has_ended_once():
    window = Window("/code")
    editor = Editor(window)
    for event in ("SessionStart", "SessionEnd", "SessionEnd", "SessionEnd"):
        assert await editor.tell(event, program="gemini") == {}
    assert window.at_work() == []


def write(path="a.py"):
    return {"tool_name": "Write", "tool_input": {"file_path": path, "content": ""}}


@asynchronous
async def test_a_program_whose_folder_is_a_link_into_the_workspace_is_heard(tmp_path):
    (tmp_path / "code" / "app").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "code" / "app")
    editor, there = Editor(Window(os.path.realpath(tmp_path / "code"))), os.path.realpath(tmp_path / "code" / "app")
    for _ in range(2):
        await editor.tell("PreToolUse", folder=tmp_path / "link", **write())
    assert [call.paths for call in editor.tracking.open.values()] == [(os.path.join(there, "a.py"),)] * 2
    assert (editor.windows[0].at_work(), editor.said) == (["claude"], [])


@asynchronous
async def test_that_a_program_writes_outside_of_all_windows_is_said_once():
    editor, nowhere = Editor(Window("/code")), os.path.abspath("/nowhere")
    said = f"Claude Code writes in {nowhere}, which is in no window: its writes are not reviewed"
    editor.windows[0].reviews_every_write = False
    assert await editor.tell("PreToolUse", folder=nowhere, **write()) == {}
    assert (editor.said, editor.sessions.outside) == ([], {"Claude Code": nowhere})
    editor.windows[0].reviews_every_write = True
    await editor.tell("UserPromptSubmit", folder=nowhere)
    await editor.tell("PreToolUse", folder=nowhere, **run_tool(1))
    assert editor.said == []
    for _ in range(2):
        assert await editor.tell("PreToolUse", folder=nowhere, **write()) == {}
    assert editor.said == [said]
    await editor.tell("PreToolUse", session="other", folder=nowhere, **write())
    assert editor.said == [said] * 2
    await editor.tell("PreToolUse", session="other", folder="/code", **write())
    assert editor.sessions.outside == {}


@asynchronous
async def test_programs_that_are_not_known_or_make_no_sense_are_answered_with_nothing():
    editor = Editor(Window("/code"))
    assert await editor.tell("Stop", program="nobody") == {}
    assert await editor.tell("Stop", program="opencode") == {}
    assert await editor.tell("NoSuchEvent") == {}
    assert (editor.sessions._sessions, editor.sessions.last) == ({}, {})


@pytest.mark.parametrize("lacking", [{"session_id": ""}, {"cwd": "relative"}, {"tool_name": ""}])
@asynchronous
async def test_a_write_that_makes_no_sense_is_asked_for_where_all_are_reviewed(lacking):
    editor = Editor(Window("/code"), Window("/other"))
    editor.windows[1].reviews_every_write = False
    call = {"tool_name": "Write", "tool_input": {"file_path": "/code/a.py", "content": ""}, **lacking}
    assert await editor.tell("PreToolUse", **call) == {}
    answer = await editor.tell("PreToolUse", held=True, **call)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
    editor.windows[0].settings = lambda: disabled("claude")
    assert await editor.tell("PreToolUse", held=True, **call) == {}
    editor.windows[0].settings, editor.windows[0].reviews_every_write = Settings, False
    assert await editor.tell("PreToolUse", held=True, **call) == {}


@pytest.mark.parametrize("may_run", [True, False])
@asynchronous
async def test_a_tool_runs_once_that_is_decided_and_not_if_it_may_not(may_run):
    class Gate(NoOpinion):
        async def answer(self, session, event):
            asked.append((event.name, len(editor.tracking.open)))
            return HookAnswer({"decision": may_run}, may_run)

    asked = []
    editor = Editor(Window("/code"))
    editor.sessions._gate = Gate()
    assert await editor.tell("PreToolUse", **run_tool(1)) == {"decision": may_run}
    assert [call.is_doubtful for call in editor.tracking.open.values()] == [True] * may_run
    await editor.tell("PostToolUse", **run_tool(1))
    assert asked == [("PreToolUse", 0), ("PostToolUse", 0)]


@asynchronous
async def test_what_was_decided_stands_though_its_tool_cannot_be_followed(caplog):
    editor = Editor(Window("/code"))
    del editor.tracking.open
    assert await editor.tell("PreToolUse", **run_tool(1)) == {}
    assert "what Claude Code does is not seen" in caplog.text


@asynchronous
async def test_what_a_session_holds_is_over_before_it_ends():
    class Gate(NoOpinion):
        async def answer(self, session, event):
            told.append(event.name)
            return HookAnswer({})

        def session_ended(self, session):
            told.append("it has gone")

    told = []
    editor = Editor(Window("/code"))
    editor.sessions._gate = Gate()
    await editor.tell("SessionStart")
    await editor.tell("SessionEnd")
    assert told[:3] == ["SessionStart", "SessionEnd", "it has gone"]


@asynchronous
async def test_a_session_that_waits_for_an_answer_is_not_forgotten_and_one_that_has_it_is(later):
    class Gate(NoOpinion):
        async def answer(self, session, event):
            await answered.wait()
            return HookAnswer({})

    answered, window = asyncio.Event(), Window("/code")
    editor = Editor(window)
    editor.sessions._gate = Gate()
    task = asyncio.ensure_future(editor.tell("PreToolUse", **run_tool(1)))
    await editor.until(window.at_work)
    later(FORGOTTEN_SECONDS + 1)
    editor.sessions.drop_gone()
    await a_moment()
    assert window.at_work() == ["claude"]
    answered.set()
    await task
    later(FORGOTTEN_SECONDS + 1)
    editor.sessions.drop_gone()
    await editor.until(lambda: not window.at_work())


@asynchronous
async def test_only_a_prompt_begins_a_turn():
    window, turns = Window("/code"), []
    window.changes.turn_begins = turns.append
    editor = Editor(window)
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "UserPromptSubmit"):
        await editor.tell(event)
    assert len(turns) == 2


@asynchronous
async def test_a_prompt_is_answered_once_its_turn_has_begun(clock):
    window, turns = Window("/code"), []
    window.changes.turn_begins = turns.append
    told = asyncio.ensure_future(Editor(window).tell("UserPromptSubmit"))
    while not turns:
        await asyncio.sleep(0)
    assert not told.done()
    turns[0]()
    assert await told == {}


@asynchronous
async def test_what_is_given_up_while_the_files_are_looked_at_is_no_open_call(clock):
    editor = Editor(Window("/code"))
    begins, editor.tracking.call_begins = editor.tracking.call_begins, lambda *call: begins(*call[:3], lambda: None)
    task = asyncio.ensure_future(editor.tell("PreToolUse", **run_tool(1)))
    await editor.until(lambda: editor.tracking.open)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert editor.tracking.open == {}
    await editor.tell("Stop")  # which ends each open call once


@asynchronous
async def test_that_a_program_waits_is_notified_of_once_and_not_to_who_looks(later, monkeypatch):
    said = []
    monkeypatch.setattr(hook_sessions, "notify", lambda text, folders, platform: said.append(text))
    window = Window("/code")
    window.settings, window.folders = lambda: Settings(notify=UNFOCUSED), lambda: ("/code",)
    editor = Editor(window)
    editor.sessions._runtime.use_disk = lambda function, *arguments, then: function(*arguments, lambda: False)
    await editor.tell("Stop")
    later(hook_sessions.WAITING_SECONDS)
    await editor.until(lambda: window.agents.waiting)
    assert said == []
    editor.sessions.in_front = False
    await editor.tell("AfterAgent", program="gemini")
    await editor.tell("Stop", program="codex")
    later(hook_sessions.WAITING_SECONDS)
    await editor.until(lambda: len(window.agents.waiting) == 3)
    assert said == ["Gemini CLI is done", "Codex CLI is done"]
    window.settings = lambda: Settings(notify="never")
    await editor.tell("Stop", session="other")
    later(hook_sessions.WAITING_SECONDS)
    await editor.until(lambda: len(window.agents.waiting) == 4)
    assert len(said) == 2


@asynchronous
async def test_a_turn_is_done_once_its_subagents_are_and_their_calls_end_with_them(clock):
    editor = Editor(Window("/code"))
    (window,) = editor.windows
    sub, running = {"agent_id": "1"}, [{"id": "1", "status": "running", "agent_type": "x"}]
    await editor.tell("UserPromptSubmit", prompt="go")
    await editor.tell("SubagentStart", **sub)
    await editor.tell("PreToolUse", **run_tool(1), **sub)
    await editor.tell("Stop", background_tasks=running)
    assert len(editor.tracking.open) == 1
    clock.advance(hook_sessions.WAITING_SECONDS)
    await a_moment()
    assert window.agents.waiting == []
    await editor.tell("SubagentStop", **sub)
    assert editor.tracking.open == {}
    await editor.tell("UserPromptSubmit", prompt="<task-notification>")
    await editor.tell("Stop", background_tasks=[])
    clock.advance(hook_sessions.WAITING_SECONDS)
    await editor.until(lambda: window.agents.waiting == [Waiting("Claude Code", is_done=True)])
    (session,) = editor.sessions._sessions.values()
    assert session.doer.why == "go"


@asynchronous
async def test_a_subagent_with_a_session_of_its_own_is_no_other_session():
    """Copilot CLI: also one that a subagent has begun."""
    editor, names = Editor(Window("/code")), {"program": "copilot", "event": "", "held": True}
    for own, parent in (("s", ""), ("t", "s"), ("u", "t")):
        ids = {"agentId": own, "parentAgentId": parent} if parent else {}
        await editor.tell(**{**names, "event": "userPromptSubmitted"}, sessionId=own, prompt=own, **ids)
    assert [each.id for each in editor.sessions._sessions.values()] == ["s"]
    assert editor.windows[0].at_work() == ["copilot"]
