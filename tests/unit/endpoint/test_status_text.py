"""What the status bar says of a window's agents: who is there, who asks, who is done, and whose writes are reviewed."""

from __future__ import annotations

import pytest

from companion.agents.agent import Agent
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.endpoint.agent_row import AgentAtWork, Client, HookedAgent, Waiting, joined
from companion.endpoint.status_text import status_text
from tests.unit.endpoint.agents_world import client


def called(title):
    """An agent that is called so."""
    agent = Agent()
    agent.title, agent.key = title, title.lower()
    return agent


def clients_of(*agents):
    """A connection of each of these agents."""
    made = [Client() for _ in agents]
    for each, agent in zip(made, agents):
        each.session, each.agent = client(1, agent.title), agent
    return made


def rows(clients, waiting):
    """Agents that are connected, and others whose hooks tell that they wait."""
    told = [HookedAgent(called(each.title), None, each) for each in waiting]

    return joined(clients_of(*map(called, clients)), []) + joined([], told)


ASKS, DONE = Waiting("Claude Code", tool="Bash"), Waiting("Claude Code", is_done=True)
WRITES = Waiting("Claude Code", tool="Edit", writes=True)


@pytest.mark.parametrize(
    ("clients", "waiting", "text"),
    [
        ([], [ASKS], "Claude Code asks: Bash"),
        ([], [Waiting("Claude Code")], "Claude Code asks"),
        ([], [ASKS._replace(tool="mcp__" + "x" * 99)], "Claude Code asks: mcp__xxxxxxxxxx…xxxxxxxxxxxxxx"),
        (["Qwen Code"], [ASKS], "Qwen Code, Claude Code asks: Bash"),
        (["Claude Code"], [ASKS, WRITES], "Claude Code, 2 Claude Code ask: Bash + Edit"),
        ([], [DONE._replace(title="A"), DONE._replace(title="B")], "A + B are done"),
        ([], [DONE, ASKS], "Claude Code asks: Bash, Claude Code is done"),
    ],
)
def test_the_status_bar_says_who_asks_and_who_is_done(clients, waiting, text):
    agents = rows(clients, waiting)
    assert status_text(agents) == text
    assert status_text(agents, pending=2) == f"{text}, 2 to review"


@pytest.mark.parametrize(
    ("clients", "waiting", "held", "text"),
    [
        (["Claude Code"], [], ["Claude Code"], "Claude Code waits: 3 to review"),
        (["A", "B", "C"], [], ["A", "B"], "C, A + B wait: 3 to review"),
        ([], [WRITES], ["Claude Code"], "Claude Code waits: 3 to review"),
        ([], [WRITES, DONE], ["Claude Code"], "Claude Code is done, Claude Code waits: 3 to review"),
        ([], [ASKS], ["Claude Code"], "Claude Code asks: Bash, Claude Code waits: 3 to review"),
        ([], [DONE], [], "Claude Code is done, 3 to review"),
    ],
)
def test_the_status_bar_says_that_an_agent_waits_for_a_review(clients, waiting, held, text):
    assert status_text(rows(clients, waiting), held=held, pending=3) == text


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
    told = [HookedAgent(agent, None, waits) for agent, waits in zip(hooked, [*waiting, *[None] * len(hooked)])]
    agents = joined(clients_of(*clients), told)
    claude, gemini = "Claude Code: every write is reviewed", "Gemini CLI: writes are not reviewed (no hooks)"
    text, leading = text.format(claude=claude, gemini=gemini), {"claude", "codex"}
    assert status_text(agents, leading=leading) == text
    if text:
        assert status_text(agents, leading=leading, sharing=False, pending=2) == f"{text}, sharing paused, 2 to review"


def test_one_that_was_started_and_not_heard_of_is_not_named():
    assert status_text([AgentAtWork("goose", "goose")]) == ""
    assert status_text([AgentAtWork("goose", "goose")], leading={"claude"}) == ""


@pytest.mark.parametrize(
    "state, expected",
    [
        ({}, ""),
        ({"sharing": False}, ""),
        ({"changed": 1}, "1 to keep or undo"),
        ({"agents": ["Gemini CLI"]}, "Gemini CLI"),
        ({"agents": ["Qwen Code", "Gemini CLI", "Gemini CLI"]}, "2 Gemini CLI + Qwen Code"),
        ({"agents": ["Gemini CLI"], "pending": 2}, "Gemini CLI, 2 to review"),
        ({"agents": ["Gemini CLI"], "sharing": False}, "Gemini CLI, sharing paused"),
        ({"problem": "could not open a port"}, "could not open a port"),
    ],
)
def test_the_status_bar_says_what_matters(state, expected):
    agents = rows(state.pop("agents", []), [])
    assert status_text(agents, **state) == expected
