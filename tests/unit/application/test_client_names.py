"""What a client is called that introduces itself with the name of a library, or with none."""

from __future__ import annotations

import pytest

from companion.endpoint.client import ANONYMOUS_CLIENTS, display_name
from companion.protocol.tools import ClientSession

CLIENT = ClientSession("session-1", "gemini-cli", "1.0", "2025-06-18", 0.0, "Gemini CLI")


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
    assert display_name(CLIENT._replace(client_name=name, token_name=token_name)) == shown
    assert set(ANONYMOUS_CLIENTS.values()) == {"CLI", "client"}
