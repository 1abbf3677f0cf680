"""How each program comes to be reviewed before it writes, and what it is told, in literal answers."""

from __future__ import annotations

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.hooks import Happening, HookEvent, ToolKind, Way
from companion.agents.qwen_code import QWEN_CODE
from companion.agents.registry import AGENTS

BEFORE = {CLAUDE_CODE: "PreToolUse", GEMINI_CLI: "BeforeTool", QWEN_CODE: "PreToolUse", CODEX_CLI: "PreToolUse"}
BEFORE[COPILOT_CLI] = "preToolUse"
QUESTION = {COPILOT_CLI: "permissionRequest", GEMINI_CLI: "Notification"}
PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"


def event(agent, name, mode="", tool="", arguments=None, paths=()):
    happening = Happening.TOOL_BEGINS if name == BEFORE[agent] else Happening.WAITS
    tool = tool or next(iter(agent.hooks.writes.tools))
    return HookEvent(
        happening, "s", "/w", name, tool=tool, kind=ToolKind.WRITES, mode=mode, arguments=arguments or {}, paths=paths
    )


@pytest.mark.parametrize(
    ("agent", "mode", "connected", "before", "question"),
    [
        (CLAUDE_CODE, "default", True, Way.ALONE, Way.BESIDE),
        (CLAUDE_CODE, "plan", True, Way.ALONE, Way.BESIDE),
        (CLAUDE_CODE, "acceptEdits", True, Way.ASKS, Way.BESIDE),
        (CLAUDE_CODE, "bypassPermissions", True, Way.ASKS, Way.BESIDE),
        (CLAUDE_CODE, "", True, Way.ASKS, Way.BESIDE),
        (CLAUDE_CODE, "default", False, Way.WAITS, Way.ALONE),
        (CLAUDE_CODE, "plan", False, Way.ALONE, Way.ALONE),
        (CLAUDE_CODE, "auto", False, Way.WAITS, Way.ALONE),
        (GEMINI_CLI, "", True, Way.ASKS, Way.ALONE),
        (GEMINI_CLI, "", False, Way.WAITS, Way.ALONE),
        (QWEN_CODE, "default", True, Way.ALONE, Way.ALONE),
        (QWEN_CODE, "default", False, Way.ALONE, Way.WAITS),
        (QWEN_CODE, "yolo", True, Way.WAITS, Way.ALONE),
        (QWEN_CODE, "auto-edit", False, Way.WAITS, Way.ALONE),
        (CODEX_CLI, "default", False, Way.WAITS, Way.FOLLOWS),
        (CODEX_CLI, "bypassPermissions", False, Way.WAITS, Way.FOLLOWS),
        (COPILOT_CLI, "", True, Way.WAITS, Way.FOLLOWS),
        (COPILOT_CLI, "", False, Way.WAITS, Way.FOLLOWS),
    ],
)
def test_the_way_of_a_write(agent, mode, connected, before, question):
    way = agent.hooks.way
    assert way(event(agent, BEFORE[agent], mode), connected) is before
    assert way(event(agent, QUESTION.get(agent, "PermissionRequest"), mode), connected) is question


def claude(name="PreToolUse", **told):
    return {"hookSpecificOutput": {"hookEventName": name, **told}}


@pytest.mark.parametrize("agent", BEFORE, ids=lambda agent: agent.key)
def test_what_cannot_be_read_is_asked_or_refused_and_never_let_through(agent):
    hooks = agent.hooks
    answers = {entry.event: hooks.unread(entry.event, "why") for entry in hooks.entries() if entry.holds}
    held = event(agent, BEFORE[agent])
    wanted = "ask" if hooks.can_ask else "deny"
    assert answers.pop(BEFORE[agent]) == hooks._decision(held, wanted, "why") != {}
    assert all(asked_anyway == {} for asked_anyway in answers.values())
    assert hooks.unread("NoSuchEvent", "why") == {}


ASKED = "The user is asked before anything is written."


@pytest.mark.parametrize(
    ("agent", "allow", "changed", "deny", "ask"),
    [
        (
            CLAUDE_CODE,
            claude(permissionDecision="allow"),
            claude(permissionDecision="allow", updatedInput={"a": 1}),
            claude(permissionDecision="deny", permissionDecisionReason="why"),
            claude(permissionDecision="ask", permissionDecisionReason=ASKED),
        ),
        (
            GEMINI_CLI,
            {"decision": "allow"},
            {"decision": "allow", "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"a": 1}}},
            {"decision": "deny", "reason": "why"},
            {"decision": "ask", "reason": ASKED},
        ),
        (
            CODEX_CLI,
            {},
            claude(permissionDecision="allow", updatedInput={"a": 1}),
            claude(permissionDecision="deny", permissionDecisionReason="why"),
            {},
        ),
        (
            COPILOT_CLI,
            {"permissionDecision": "allow"},
            {"permissionDecision": "allow", "modifiedArgs": {"a": 1}},
            {"permissionDecision": "deny", "permissionDecisionReason": "why"},
            {"permissionDecision": "ask", "permissionDecisionReason": ASKED},
        ),
    ],
)
def test_what_it_is_told_before_a_tool_runs(agent, allow, changed, deny, ask):
    begins, hooks = event(agent, BEFORE[agent]), agent.hooks
    assert hooks.allow(begins) == allow
    assert hooks.allow(begins, {"a": 1}) == changed
    assert hooks.deny(begins, "why") == deny
    assert hooks.ask(begins) == ask
    assert hooks.nothing() == {}
    assert hooks.can_ask == bool(ask)


@pytest.mark.parametrize("agent", [CLAUDE_CODE, QWEN_CODE, CODEX_CLI])
def test_what_its_question_is_answered(agent):
    asked, hooks = event(agent, "PermissionRequest"), agent.hooks
    assert hooks.allow(asked) == claude("PermissionRequest", decision={"behavior": "allow"})
    changed = claude("PermissionRequest", decision={"behavior": "allow", "updatedInput": {"a": 1}})
    assert hooks.allow(asked, {"a": 1}) == changed
    assert hooks.deny(asked, "why") == claude("PermissionRequest", decision={"behavior": "deny", "message": "why"})
    assert hooks.ask(asked) == {}


def test_the_question_of_copilot():
    asked, hooks = event(COPILOT_CLI, "permissionRequest"), COPILOT_CLI.hooks
    assert hooks.allow(asked) == {"behavior": "allow"}
    assert hooks.deny(asked, "why") == {"behavior": "deny", "message": "why"}
    assert hooks.ask(asked) == {}
    begins = event(COPILOT_CLI, "preToolUse", tool="apply_patch")
    assert hooks.allow(begins, {"patch": PATCH})["modifiedArgs"] == PATCH, "it takes a patch as it gives it"


def test_which_question_is_about_what_was_accepted():
    accepted = event(CODEX_CLI, "PreToolUse", arguments={"command": PATCH})
    for patch, same in ((PATCH, True), (PATCH.replace("x", "y"), False), (None, False)):
        asked = event(CODEX_CLI, "PermissionRequest", arguments={"command": patch, "description": "x"})
        assert CODEX_CLI.hooks.is_same(asked, accepted) is same
    accepted = event(COPILOT_CLI, "preToolUse", paths=("/w/a", "/w/b"))
    for paths, same in ((("/w/b",), True), (("/w/c",), False), ((), False), (("/w/a", "/w/c"), False)):
        assert COPILOT_CLI.hooks.is_same(event(COPILOT_CLI, "permissionRequest", paths=paths), accepted) is same


@pytest.mark.parametrize("agent", [CLAUDE_CODE, GEMINI_CLI, QWEN_CODE, CODEX_CLI, COPILOT_CLI])
def test_it_is_answered_before_its_own_time_is_over(agent):
    limit = 60 if agent is QWEN_CODE else 86_400
    assert 0.5 * limit < agent.hooks.patience_seconds < limit


TEXT = '1 comment.\n\nfile.py:3\n```\n\tx < 2 & "\u00fc"\n```\nkeep it'


@pytest.mark.parametrize(
    ("agent", "prompted", "has_run", "ended", "at_the_end"),
    [
        (CLAUDE_CODE, "UserPromptSubmit", "PostToolUse", "Stop", "additionalContext"),
        (GEMINI_CLI, "BeforeAgent", "AfterTool", "AfterAgent", "block"),
        (QWEN_CODE, "UserPromptSubmit", "PostToolUse", "Stop", "block"),
        (CODEX_CLI, "UserPromptSubmit", "PostToolUse", "Stop", "block"),
        (COPILOT_CLI, "userPromptSubmitted", "postToolUse", "agentStop", "block"),
    ],
    ids=lambda value: getattr(value, "key", None),
)
def test_the_users_text_goes_with_a_prompt_a_result_and_a_turns_end(agent, prompted, has_run, ended, at_the_end):
    def given(name, **fields):
        return agent.hooks.with_text(HookEvent(agent.hooks.events[name], "s", "/w", name, **fields), TEXT)

    for name in (prompted, has_run):
        added = given(name)
        inner = added if agent is COPILOT_CLI else added["hookSpecificOutput"]
        assert inner["additionalContext"] == TEXT
        assert "decision" not in added, "it would cost the agent the result"
        assert agent is COPILOT_CLI or inner["hookEventName"] == name
    stopped = given(ended)
    if at_the_end == "block":
        assert stopped == {"decision": "block", "reason": TEXT}
    else:
        assert stopped == {"hookSpecificOutput": {"hookEventName": ended, "additionalContext": TEXT}}
    others = [name for name in agent.hooks.events if name not in (prompted, has_run, ended)]
    assert [given(name) for name in others] == [None] * len(others)
    assert given(has_run, subagent="1") is None, "it is not the one whom the user has told"


def test_codex_takes_a_text_by_a_command_of_its_own():
    assert CODEX_CLI.hooks.queue_words("s", TEXT) == ("queue", "--thread", "s", "--message", TEXT)
    assert [agent for agent in AGENTS if agent.hooks and agent.hooks.queue_words("s", TEXT)] == [CODEX_CLI]
