"""What a client is called: as its program is, and by the name that it gives itself, be it that of a library or none."""

from __future__ import annotations

import pytest

from companion.agents.claude_code import CLAUDE
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint.clients import Client, Presence, display_name, name_of
from tests.unit.endpoint.clients_world import client


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
    ("presence", "dialect", "name"),
    [
        (Presence.SHOWN, CLAUDE, "Claude Code"),
        (Presence.HIDDEN, CLAUDE, "claude-code"),
        (Presence.SHOWN, IDE_COMPANION, "claude-code"),
        (Presence.EXPECTED, None, "claude-code"),
    ],
)
def test_the_program_is_known_only_of_a_client_that_is_shown_and_by_its_dialect(presence, dialect, name):
    made = Client()
    made.presence, made.dialect = presence, dialect
    assert name_of(client(1, "claude-code"), made) == name
    assert name_of(client(1, "claude-code"), None) == "claude-code"
