"""The rows of the table of agents: what each is called, and which connections and sessions with hooks are one agent."""

from __future__ import annotations

import pytest

from companion.agents.claude_code import CLAUDE, CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.registry import AGENTS
from companion.endpoint.agent_row import Client, HookedAgent, Presence, agent_of, display_name, joined, name_of
from companion.remotes.mapped import MappedDialect
from companion.remotes.texts import RemoteFiles
from companion.system.platform import LINUX
from tests.unit.endpoint.agents_world import client


@pytest.mark.parametrize(
    ("name", "token_name", "shown"),
    [
        ("gemini-cli", "Gemini CLI", "gemini-cli"),
        ("streamable-http-client", "Qwen Code", "Qwen Code"),
        ("streamable-http-client", "", "CLI"),
        ("  ", "", "client"),
        ("", "Gemini CLI", "Gemini CLI"),
    ],
)
def test_a_client_without_a_name_of_its_own_is_called_by_its_token(name, token_name, shown):
    assert display_name(client(1, name, token_name)) == shown


@pytest.mark.parametrize(
    ("name", "dialect", "token_name", "key"),
    [
        ("claude-code", CLAUDE, "", "claude"),
        ("claude-code", IDE_COMPANION, "", None),
        ("somebody", CLAUDE, "", None),
        ("streamable-http-client", IDE_COMPANION, "Qwen Code", "qwen"),
    ],
)
def test_an_agent_is_known_by_name_or_token_among_those_of_its_dialect(name, dialect, token_name, key):
    found = agent_of(dialect, client(1, name, token_name), AGENTS)
    assert (found.key if found is not None else None) == key


def test_a_client_that_is_not_known_yet_is_called_as_it_introduces_itself():
    assert name_of(client(1, "claude-code"), Client()) == "claude-code"
    assert name_of(client(1, "claude-code"), None) == "claude-code"


def connected(agent, process=None):
    made = Client()
    made.session, made.agent, made.process = client(1, agent.client_names[0]), agent, process
    return made


@pytest.mark.parametrize(
    ("clients", "hooked", "rows"),
    [
        ([(CLAUDE_CODE, None)], [(CLAUDE_CODE, 1)], ["client and hooks"]),
        ([(CLAUDE_CODE, 1)], [(CLAUDE_CODE, None)], ["client and hooks"]),
        ([(CLAUDE_CODE, 1)], [(CLAUDE_CODE, 2)], ["client", "hooks"]),
        ([(CLAUDE_CODE, 1)], [(CODEX_CLI, 1)], ["client", "hooks"]),
        ([(CLAUDE_CODE, None), (CLAUDE_CODE, 2)], [(CLAUDE_CODE, 2)], ["client", "client and hooks"]),
        ([(CLAUDE_CODE, 1), (CLAUDE_CODE, 2)], [(CLAUDE_CODE, 2), (CLAUDE_CODE, 1)], ["client and hooks"] * 2),
        ([(CLAUDE_CODE, None)], [(CLAUDE_CODE, None)] * 2, ["client and hooks", "hooks"]),
    ],
)
def test_a_connection_and_a_hooked_session_of_one_process_are_one_agent(clients, hooked, rows):
    found = joined([connected(*each) for each in clients], [HookedAgent(*each) for each in hooked])
    ways = (("client", "client"), ("hooks", "hooked"))
    assert [" and ".join(word for word, name in ways if getattr(row, name)) for row in found] == rows


def test_an_agent_on_another_machine_is_none_whose_hooks_are_heard_here():
    there = connected(CLAUDE_CODE)
    there.dialect = MappedDialect(CLAUDE, "web", RemoteFiles(None, None, {"/srv/app": ""}, "/copies", LINUX, print))
    there.go(Presence.SHOWN)
    rows = joined([there], [HookedAgent(CLAUDE_CODE, None)])
    assert [(row.name, row.hooked is not None) for row in rows] == [
        ("Claude Code on web", False),
        ("Claude Code", True),
    ]
    assert rows[0].key != CLAUDE_CODE.key
