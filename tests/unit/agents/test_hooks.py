"""What each program's hooks tell, from literal payloads, and what stands in the programs' settings for that."""

from __future__ import annotations

import json
import shlex

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI, LLXPRT_CODE
from companion.agents.hooks import Happening, HookEntry, HookEvent, ToolKind
from companion.agents.qwen_code import QWEN_CODE
from companion.agents.registry import AGENTS, agents_of
from companion.system.platform import LINUX, WINDOWS, Platform
from tests.support.programs import with_programs

HERE = Platform(LINUX, {}, "/home/me", 1000)
THERE = Platform(WINDOWS, {}, "C:\\Users\\me")
FILE = "/home/me/Package Storage/it's/claude.conf"
HOOKED = [agent for agent in AGENTS if agent.hooks is not None]
PATCH = """*** Begin Patch
*** Add File: new.txt
+x
*** Update File: /w/old.txt
*** Move to: at/moved.txt
@@
-a
+b
*** Delete File: gone.txt
*** End Patch
"""

BEGIN, END = ["curl", "-q", "-sS", "-K", FILE], ["--data-binary", "@-"]
PARENT = ["-H", "X-Companion-Parent: $PPID", "-H", "X-Companion-Terminal: $GEMINI_COMPANION_TERMINAL"]
CLAUDE = {"session_id": "s", "transcript_path": "/t", "cwd": "/w", "prompt_id": "p"}
GEMINI = {"session_id": "s", "transcript_path": "/t", "cwd": "/w", "timestamp": "2026-11-23T10:00:00Z"}
COPILOT = {"sessionId": "s", "timestamp": 1, "cwd": "/w"}
OF_SUBAGENT = {**COPILOT, "sessionId": "t", "agentId": "t", "agentType": "task", "parentAgentId": "s"}


def told(agent, payload, event=""):
    """What the program's hook tells."""
    return agent.hooks.read(payload, event)


def claude(name, **more):
    return {**CLAUDE, "hook_event_name": name, **more}


def gemini(name, **more):
    return {**GEMINI, "hook_event_name": name, **more}


# -- what is told ------------------------------------------------------------------------------------------------------

BEGINS = [
    (
        CLAUDE_CODE,
        claude(
            "PreToolUse",
            permission_mode="default",
            tool_name="Write",
            tool_input={"file_path": "/w/a.txt", "content": "x"},
            tool_use_id="toolu_1",
        ),
        "",
        HookEvent(
            Happening.TOOL_BEGINS,
            "s",
            "/w",
            "PreToolUse",
            tool="Write",
            kind=ToolKind.WRITES,
            call="toolu_1",
            has_id=True,
            paths=("/w/a.txt",),
            arguments={"file_path": "/w/a.txt", "content": "x"},
            mode="default",
        ),
    ),
    (
        QWEN_CODE,
        claude(
            "PreToolUse",
            permission_mode="yolo",
            tool_name="edit",
            tool_input={"file_path": "/w/a.txt", "old_string": "a", "new_string": "b"},
            tool_call_id="call_1",
        ),
        "",
        HookEvent(
            Happening.TOOL_BEGINS,
            "s",
            "/w",
            "PreToolUse",
            tool="edit",
            kind=ToolKind.WRITES,
            call="call_1",
            has_id=True,
            paths=("/w/a.txt",),
            arguments={"file_path": "/w/a.txt", "old_string": "a", "new_string": "b"},
            mode="yolo",
        ),
    ),
    (
        CODEX_CLI,
        claude("PreToolUse", tool_name="apply_patch", tool_input={"command": PATCH}, tool_use_id="c1", turn_id="t"),
        "",
        HookEvent(
            Happening.TOOL_BEGINS,
            "s",
            "/w",
            "PreToolUse",
            tool="apply_patch",
            kind=ToolKind.WRITES,
            call="c1",
            has_id=True,
            paths=("/w/new.txt", "/w/old.txt", "/w/at/moved.txt", "/w/gone.txt"),
            arguments={"command": PATCH},
        ),
    ),
    (
        CODEX_CLI,
        claude("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="c2"),
        "",
        HookEvent(
            Happening.TOOL_BEGINS,
            "s",
            "/w",
            "PreToolUse",
            tool="Bash",
            kind=ToolKind.SHELL,
            call="c2",
            has_id=True,
            arguments={"command": "ls"},
        ),
    ),
]


@pytest.mark.parametrize(("agent", "payload", "event", "expected"), BEGINS)
def test_a_tool_that_is_about_to_run(agent, payload, event, expected):
    assert told(agent, payload, event) == expected


@pytest.mark.parametrize(
    ("agent", "payload", "event", "paths"),
    [
        (
            GEMINI_CLI,
            gemini("BeforeTool", tool_name="write_file", tool_input={"file_path": "a.txt", "content": "x"}),
            "",
            ("/w/a.txt",),
        ),
        (
            COPILOT_CLI,
            {**COPILOT, "toolName": "create", "toolArgs": {"path": "/w/a.txt", "file_text": "x"}},
            "preToolUse",
            ("/w/a.txt",),
        ),
        (
            COPILOT_CLI,
            {**COPILOT, "toolName": "apply_patch", "toolArgs": PATCH},
            "preToolUse",
            ("/w/new.txt", "/w/old.txt", "/w/at/moved.txt", "/w/gone.txt"),
        ),
    ],
)
def test_a_call_without_an_id_is_known_by_its_arguments(agent, payload, event, paths):
    read = told(agent, payload, event)
    assert (read.happening, read.kind, read.paths) == (Happening.TOOL_BEGINS, ToolKind.WRITES, paths)
    assert read.call
    assert told(agent, {**payload, "timestamp": "later"}, event).call == read.call
    other = "toolName" if agent is COPILOT_CLI else "tool_name"
    assert told(agent, {**payload, other: "another"}, event).call != read.call


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"path": "a"}, ("/w/a",)),
        ({"file_path": "a"}, ("/w/a",)),
        ({"path": "a", "file_path": "a"}, ("/w/a",)),
        ({"path": "a", "file_path": "b"}, ()),
        ({}, ()),
    ],
)
def test_copilot_that_names_two_files_for_one_is_not_understood(arguments, paths):
    payload = {**COPILOT, "toolName": "create", "toolArgs": {"file_text": "x", **arguments}}
    assert told(COPILOT_CLI, payload, "preToolUse").paths == paths


@pytest.mark.parametrize(
    ("agent", "payload", "event", "happening", "prompt"),
    [
        (CLAUDE_CODE, claude("SessionStart", source="startup", model="m"), "", Happening.OTHER, ""),
        (CLAUDE_CODE, claude("UserPromptSubmit", prompt="do it"), "", Happening.PROMPT, "do it"),
        (CLAUDE_CODE, claude("Stop", last_assistant_message="done"), "", Happening.TURN_ENDED, ""),
        (CLAUDE_CODE, claude("Notification", notification_type="permission_prompt"), "", Happening.WAITS, ""),
        (CLAUDE_CODE, claude("Notification", message="Claude needs you"), "", Happening.WAITS, ""),
        (CLAUDE_CODE, claude("SessionEnd", reason="clear"), "", Happening.SESSION_ENDED, ""),
        (GEMINI_CLI, gemini("BeforeAgent", prompt="do it"), "", Happening.PROMPT, "do it"),
        (GEMINI_CLI, gemini("AfterAgent", prompt="do it", prompt_response="done"), "", Happening.TURN_ENDED, ""),
        (GEMINI_CLI, gemini("Notification", notification_type="ToolPermission"), "", Happening.WAITS, ""),
        (GEMINI_CLI, gemini("SessionEnd"), "", Happening.SESSION_ENDED, ""),
        (
            QWEN_CODE,
            claude("UserPromptSubmit", submitted_prompt="do it"),
            "",
            Happening.PROMPT,
            "do it",
        ),
        (QWEN_CODE, claude("UserPromptSubmit", prompt=""), "", Happening.GOES_ON, ""),
        (CLAUDE_CODE, claude("UserPromptSubmit", prompt="<task-notification>\n1"), "", Happening.GOES_ON, ""),
        (CLAUDE_CODE, claude("SubagentStop", agent_id="1"), "", Happening.SUBAGENT_ENDED, ""),
        (CODEX_CLI, claude("SubagentStart", agent_id="1"), "", Happening.SUBAGENT_BEGINS, ""),
        (CODEX_CLI, claude("UserPromptSubmit", prompt="do it"), "", Happening.PROMPT, "do it"),
        (CODEX_CLI, claude("Interrupt"), "", Happening.TURN_ENDED, ""),
        (COPILOT_CLI, {**COPILOT, "prompt": "do it"}, "userPromptSubmitted", Happening.PROMPT, "do it"),
        (COPILOT_CLI, {**COPILOT, "transcriptPath": "/t"}, "agentStop", Happening.TURN_ENDED, ""),
        (COPILOT_CLI, {**OF_SUBAGENT, "prompt": "do it"}, "userPromptSubmitted", Happening.SUBAGENT_BEGINS, ""),
        (COPILOT_CLI, {**OF_SUBAGENT, "transcriptPath": "/t"}, "agentStop", Happening.SUBAGENT_ENDED, ""),
        (COPILOT_CLI, {**COPILOT, "reason": "user_exit"}, "sessionEnd", Happening.SESSION_ENDED, ""),
        (
            COPILOT_CLI,
            {**COPILOT, "toolName": "edit", "toolInput": {"diff": ""}},
            "permissionRequest",
            Happening.WAITS,
            "",
        ),
        (COPILOT_CLI, claude("x", notification_type="permission_prompt"), "notification", Happening.WAITS, ""),
    ],
)
def test_turns_and_questions(agent, payload, event, happening, prompt):
    read = told(agent, payload, event)
    assert (read.happening, read.prompt, read.session, read.folder) == (happening, prompt, "s", "/w")


@pytest.mark.parametrize(
    ("tasks", "background"),
    [
        (None, None),
        ([], set()),
        ([{"id": "1", "status": "running", "agent_type": "x"}, {"id": "2", "status": "completed"}], {"1"}),
        ([{"id": "1", "status": "running", "command": "serve"}, "odd"], set()),
    ],
)
def test_which_subagents_work_on_though_the_turn_ends(tasks, background):
    assert told(QWEN_CODE, claude("Stop", background_tasks=tasks)).background == background


def test_an_interrupted_turn_of_codex_has_no_subagents_until_one_tells():
    assert [told(CODEX_CLI, claude(name)).background for name in ("Stop", "Interrupt")] == [None, set()]


def test_a_subagent_that_is_not_named_tells_nothing():
    assert told(CLAUDE_CODE, claude("SubagentStop")) is None


def test_a_tool_that_has_run_is_the_call_that_began():
    began = gemini("BeforeTool", tool_name="run_shell_command", tool_input={"command": "make"})
    ended = gemini("AfterTool", tool_name="run_shell_command", tool_input={"command": "make"}, tool_response={})
    assert told(GEMINI_CLI, began).call == told(GEMINI_CLI, ended).call
    failed = claude("PostToolUseFailure", tool_name="Bash", tool_use_id="7", error="x", is_interrupt=False)
    assert (told(CLAUDE_CODE, failed).happening, told(CLAUDE_CODE, failed).call) == (Happening.TOOL_ENDED, "7")


@pytest.mark.parametrize("agent", HOOKED, ids=lambda agent: agent.key)
@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"hook_event_name": "NoSuchEvent"},
        {"hook_event_name": ["Stop"]},
        {"session_id": "", "sessionId": ""},
        {"cwd": "relative"},
        {"cwd": None},
    ],
)
def test_what_makes_no_sense_is_no_event(agent, wrong):
    right = {**CLAUDE, **COPILOT, "hook_event_name": next(iter(agent.hooks.events))}
    payload = {**right, **wrong} if wrong else {}
    assert told(agent, payload, "" if "hook_event_name" in wrong else next(iter(agent.hooks.events))) is None


@pytest.mark.parametrize("agent", [CLAUDE_CODE, QWEN_CODE])
def test_a_notice_that_asks_nothing_tells_nothing(agent):
    assert told(agent, claude("Notification", notification_type="idle_prompt")) is None


def test_the_process_is_what_the_command_says():
    assert CLAUDE_CODE.hooks.read(claude("Stop"), "", 4711).process == 4711


def test_a_tool_event_without_a_tool_makes_no_sense():
    assert told(CLAUDE_CODE, claude("PreToolUse", tool_input={})) is None


def test_odd_arguments_are_none():
    read = told(CLAUDE_CODE, claude("PreToolUse", tool_name="Write", tool_input=["x"], tool_use_id=7))
    assert (read.arguments, read.paths) == ({}, ())
    assert told(COPILOT_CLI, {**COPILOT, "toolName": "edit", "toolArgs": None}, "preToolUse").paths == ()
    assert told(CODEX_CLI, claude("PreToolUse", tool_name="apply_patch", tool_input={"command": 7})).paths == ()


def test_sessions_and_folders_are_texts_that_are_not_empty():
    schema = COPILOT_CLI.hooks.schema
    name = {"type": "string", "minLength": 1, "maxLength": 4096}
    assert (schema["type"], schema["required"]) == ("object", ["cwd"])
    names = dict.fromkeys(("parentAgentId", "sessionId", "session_id", "cwd"), name)
    assert schema["properties"] == {**names, "toolName": {"type": "string"}}


# -- what is installed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", HOOKED, ids=lambda agent: agent.key)
def test_only_what_names_tools_that_write_may_be_held(agent):
    held = [entry for entry in agent.hooks.entries() if entry.holds]
    assert held
    for entry in held:
        assert set(entry.matcher.split("|")) == set(agent.hooks.writes.tools)
        assert agent.hooks.events[entry.event] in (Happening.TOOL_BEGINS, Happening.WAITS)
    assert len(set(agent.hooks.entries())) == len(agent.hooks.entries())
    assert {entry.event for entry in agent.hooks.entries()} == set(agent.hooks.events)


def test_the_entries_of_codex_are_trusted_by_their_place_and_never_change():
    writing, shell = "apply_patch", "Bash"
    assert CODEX_CLI.hooks.entries() == [
        HookEntry("UserPromptSubmit", "", False),
        HookEntry("PreToolUse", writing, True),
        HookEntry("PreToolUse", shell, False),
        HookEntry("PermissionRequest", writing, True),
        HookEntry("PermissionRequest", shell, False),
        HookEntry("PostToolUse", "apply_patch|Bash", False),
        HookEntry("Stop", "", False),
        HookEntry("Interrupt", "", False),
        HookEntry("SessionEnd", "", False),
        HookEntry("SubagentStart", "", False),
        HookEntry("SubagentStop", "", False),
    ]


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        (CLAUDE_CODE, [*BEGIN, *PARENT, *END, "||", "true"]),
        (GEMINI_CLI, [*BEGIN, *PARENT, *END, "||", "true"]),
        (CODEX_CLI, [*BEGIN, *END]),
        (COPILOT_CLI, [*BEGIN, *PARENT, "-H", "X-Companion-Event: preToolUse", *END, "||", "true"]),
    ],
    ids=lambda value: getattr(value, "key", ""),
)
def test_the_command_line(agent, expected):
    assert shlex.split(agent.hooks.command(FILE, "preToolUse", HERE)) == expected


@pytest.mark.parametrize("agent", HOOKED, ids=lambda agent: agent.key)
def test_only_a_hook_that_may_be_held_says_so_and_names_its_event(agent):
    for entry in agent.hooks.entries():
        definition = json.dumps(agent.hooks.definition(entry, FILE, HERE))
        assert (f"'X-Companion-Held: {entry.event}'" in definition) is entry.holds
        assert ("X-Companion-Held" in definition) is entry.holds


def test_the_command_line_on_windows():
    """By what is written of each program's shell there; not tried."""
    file = "C:\\Users\\o'm\u2019e\\%OS%.conf"
    assert [agent.hooks.command(file, "x", THERE) for agent in (CLAUDE_CODE, GEMINI_CLI, CODEX_CLI)] == [
        "curl.exe -q -sS -K 'C:/Users/o'\\''m\u2019e/%OS%.conf' --data-binary @- || true",
        "curl.exe -q -sS -K 'C:/Users/o''m\u2019\u2019e/%OS%.conf' --data-binary '@-'; exit 0",
        'curl.exe -q -sS -K "C:/Users/o\'m\u2019e/"^%"OS"^%".conf" --data-binary @-',
    ]


def test_how_a_hook_stands_in_the_settings():
    hooks = {agent.key: agent.hooks for agent in HOOKED}
    held = {
        key: next(one.definition(entry, "/f", HERE) for entry in one.entries() if entry.holds)
        for key, one in hooks.items()
    }
    parent = '-H "X-Companion-Parent: $PPID" -H "X-Companion-Terminal: $GEMINI_COMPANION_TERMINAL"'
    holds = "-H 'X-Companion-Held: {}'".format
    line = f"curl -q -sS -K '/f' {parent} {{}} --data-binary @- || true".format
    assert held["claude"] == {
        "matcher": "Write|Edit|MultiEdit|NotebookEdit",
        "hooks": [{"type": "command", "command": line(holds("PreToolUse")), "timeout": 86400}],
    }
    assert held["gemini"]["hooks"][0] == {
        "type": "command",
        "command": line(holds("BeforeTool")),
        "timeout": 86400000,
        "name": "Sublime Text",
    }
    assert held["qwen"]["hooks"][0]["timeout"] == 86400000
    assert held["codex"]["hooks"][0] == {
        "type": "command",
        "command": f"curl -q -sS -K '/f' {holds('PreToolUse')} --data-binary @-",
        "timeout": 86400,
    }
    assert held["copilot"] == {
        "type": "command",
        "matcher": "create|edit|apply_patch",
        "bash": line(holds("preToolUse")),
        "powershell": f"curl -q -sS -K '/f' {holds('preToolUse')} --data-binary '@-'; exit 0",
        "timeoutSec": 86400,
    }
    signal = hooks["claude"].definition(HookEntry("SessionEnd", "", False), "/f", HERE)
    assert signal == {"hooks": [{"type": "command", "command": line("").replace("  ", " "), "timeout": 5}]}
    ends = {key: one.seconds(HookEntry(one.end_event, "", False)) for key, one in hooks.items()}
    assert ends == {"claude": 330, "gemini": 330000, "qwen": 5000, "codex": 330, "copilot": 330}
    assert hooks["qwen"].definition(HookEntry("Stop", "", False), "/f", THERE)["hooks"][0]["shell"] == "powershell"


def test_a_variable_of_the_user_says_where_hooks_are_configured():
    for agent, variable in [*((agent, agent.home_variable) for agent in HOOKED), (CLAUDE_CODE, "CLAUDE_CONFIG_DIR")]:
        platform = Platform(LINUX, {variable: "/elsewhere"} if variable else {}, "/home/me", 1000)
        file = platform.path.join(agent.configuration(platform), *agent.hooks.below_home)
        assert file.startswith("/elsewhere/" if variable else "/home/me/")


def test_a_row_of_the_user_has_the_hooks_of_the_program_that_it_is_like():
    own = agents_of(with_programs({"Mine": {"command": ["mine"], "dialect": "claude", "folder": "~/.mine"}}))[-1]
    assert own.hooks is CLAUDE_CODE.hooks
    assert own.configuration(HERE) == "/home/me/.mine"
    assert LLXPRT_CODE.hooks is None
