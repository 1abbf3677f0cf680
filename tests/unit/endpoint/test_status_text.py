"""What the status bar says of a window's agents: who is there, who asks, who is done, and whose writes are reviewed."""

from __future__ import annotations

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.endpoint.clients import HookedPrograms, Waiting, status_text


def test_programs_that_are_clients_too_are_named_once():
    hooked = HookedPrograms((CLAUDE_CODE, CLAUDE_CODE, CODEX_CLI))
    assert hooked.not_among(["claude", ""]) == ["Claude Code", "Codex CLI"]
    assert not hooked.include(["claude", ""])
    assert hooked.include(["claude", "claude"])
    assert not hooked.include(["claude", "claude", "claude"])


ASKS, DONE = Waiting("Claude Code", tool="Bash"), Waiting("Claude Code", is_done=True)
WRITES = Waiting("Claude Code", tool="Edit", writes=True)


@pytest.mark.parametrize(
    ("clients", "waiting", "text"),
    [
        ([], [ASKS], "Claude Code asks: Bash"),
        ([], [Waiting("Claude Code")], "Claude Code asks"),
        ([], [ASKS._replace(tool="mcp__" + "x" * 99)], "Claude Code asks: mcp__xxxxxxxxxx…xxxxxxxxxxxxxx"),
        (["Claude Code"], [DONE], "Claude Code is done"),
        (["Claude Code", "Qwen Code"], [ASKS], "Qwen Code, Claude Code asks: Bash"),
        (["Claude Code"] * 3, [ASKS, WRITES], "Claude Code, 2 Claude Code ask: Bash + Edit"),
        (["A", "B"], [DONE._replace(title="A"), DONE._replace(title="B")], "A + B are done"),
        ([], [DONE, ASKS], "Claude Code asks: Bash, Claude Code is done"),
    ],
)
def test_the_status_bar_says_who_asks_and_who_is_done(clients, waiting, text):
    assert status_text(clients=clients, waiting=waiting) == text
    assert status_text(clients=clients, waiting=waiting, pending=2) == f"{text}, 2 to review"


@pytest.mark.parametrize(
    ("clients", "waiting", "held", "text"),
    [
        (["Claude Code"], [], ["Claude Code"], "Claude Code waits: 3 to review"),
        (["A", "B", "C"], [], ["A", "B"], "C, A + B wait: 3 to review"),
        ([], [WRITES], ["Claude Code"], "Claude Code waits: 3 to review"),
        ([], [ASKS], ["Claude Code"], "Claude Code asks: Bash, Claude Code waits: 3 to review"),
        ([], [DONE], [], "Claude Code is done, 3 to review"),
    ],
)
def test_the_status_bar_says_that_an_agent_waits_for_a_review(clients, waiting, held, text):
    assert status_text(clients=clients, waiting=waiting, held=held, pending=3) == text


@pytest.mark.parametrize(
    ("clients", "hooked", "waiting", "text"),
    [
        ([CLAUDE_CODE], [CLAUDE_CODE], [], "Claude Code: every write is reviewed"),
        ([], [CLAUDE_CODE, CODEX_CLI], [], "Claude Code + Codex CLI: every write is reviewed"),
        ([GEMINI_CLI], [], [], "Gemini CLI: writes are not reviewed (no hooks)"),
        ([CODEX_CLI], [], [], "Codex CLI"),  # its hooks tell nothing before the first prompt
        ([GEMINI_CLI, CLAUDE_CODE], [CLAUDE_CODE], [], "{claude}, Gemini CLI: not reviewed (no hooks)"),
        ([CLAUDE_CODE] * 3, [CLAUDE_CODE] * 2, [], "2 {claude}, Claude Code"),
        ([CLAUDE_CODE, CODEX_CLI], [CLAUDE_CODE] * 2, [], "2 {claude}, Codex CLI"),
        ([], [GEMINI_CLI], [], "Gemini CLI: writes are not reviewed (no hooks)"),  # its file has gone
        ([CLAUDE_CODE], [CLAUDE_CODE], [ASKS], "Claude Code asks: Bash"),
        ([CLAUDE_CODE] * 2, [CLAUDE_CODE], [ASKS], "Claude Code, Claude Code asks: Bash"),
        ([GEMINI_CLI], [CLAUDE_CODE], [ASKS], "{gemini}, Claude Code asks: Bash"),
        ([], [], [], ""),
    ],
)
def test_the_status_bar_says_whose_writes_are_reviewed(clients, hooked, waiting, text):
    leading = frozenset({"claude", "codex"})
    told = HookedPrograms(tuple(hooked), tuple(waiting))
    coverage = told.coverage([(agent.key, agent.title) for agent in clients], leading)
    claude, gemini = "Claude Code: every write is reviewed", "Gemini CLI: writes are not reviewed (no hooks)"
    text = text.format(claude=claude, gemini=gemini)
    assert status_text(coverage=coverage, waiting=waiting) == text
    if text:
        assert status_text(coverage=coverage, waiting=waiting, sharing=False, pending=2) == (
            f"{text}, sharing paused, 2 to review"
        )
