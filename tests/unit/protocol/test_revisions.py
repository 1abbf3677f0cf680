"""The handshake: who gets which revision, and what a session is told."""

from __future__ import annotations

import pytest

HANDSHAKE_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("revision", HANDSHAKE_REVISIONS)
def test_a_known_revision_is_agreed_to(wire, revision):
    reply = wire.request("initialize", {"protocolVersion": revision, "capabilities": {}})
    assert reply.result["protocolVersion"] == revision
    assert reply.result["serverInfo"] == {"name": "test", "title": "Test", "version": "1.0"}
    assert "tools" in reply.result["capabilities"]
    assert reply.answer.headers["Mcp-Session-Id"].isascii()


@pytest.mark.parametrize(
    "asked", [{}, *({"protocolVersion": name} for name in ("1.0", "2099-01-01", "2026-07-28", ""))]
)
def test_an_unknown_revision_or_none_gets_the_newest_with_a_handshake(wire, asked):
    assert wire.request("initialize", asked).result["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("params", [{"protocolVersion": 3}, {"clientInfo": "me"}])
def test_initialize_with_nonsense_is_refused_and_opens_nothing(wire, params):
    assert wire.request("initialize", params).error["code"] == -32602
    assert not wire.opened


def test_the_application_hears_who_came(wire):
    wire.connect("2025-06-18", "gemini-cli-mcp-client")
    client = wire.opened[0]
    assert (client.client_name, client.client_version, client.protocol_version) == (
        "gemini-cli-mcp-client", "1", "2025-06-18",
    )  # fmt: skip
    assert wire.core.registry.clients == {client.id: client}


def test_session_ids_are_long_random_and_different(wire):
    ids = {wire.connect() for _ in range(50)}
    assert len(ids) == 50
    assert min(map(len, ids)) >= 32


def test_a_session_is_initialized_once(wire):
    session = wire.connect()
    assert wire.request("initialize", {}, session).status == 400


def test_an_unknown_session_gets_404(wire):
    reply = wire.request("ping", session="gone")
    assert (reply.status, reply.error["code"]) == (404, -32600)


def test_an_unknown_version_header_gets_400_with_what_we_speak(wire):
    reply = wire.request("ping", session=wire.connect(), MCP_Protocol_Version="2000-01-01")
    assert reply.status == 400
    assert reply.error["code"] == -32022
    assert reply.error["data"] == {
        "supported": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        "requested": "2000-01-01",
    }


def test_every_session_gets_ping_and_log_levels(wire):
    session = wire.connect()
    assert wire.request("ping", session=session).result == {}
    assert wire.request("logging/setLevel", {"level": "error"}, session).result == {}
    assert wire.request("logging/setLevel", {"level": "loud"}, session).error["code"] == -32602


def test_a_request_without_a_session_is_served(wire):
    assert [tool["name"] for tool in wire.request("tools/list").result["tools"]] == ["echo"]
    reply = wire.request("tools/call", {"name": "echo", "arguments": {"text": "x"}})
    assert reply.result == {"content": []}
    assert not wire.opened


def test_clients_without_a_session_are_one_for_each_token(wire):
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}'
    callers = [wire.raw(body, token_name=name).calls[0].session.id for name in ("one", "other", "one")]
    assert callers[0] == callers[2] != callers[1]


def test_delete_ends_a_session(wire):
    session = wire.connect()
    stream = wire.listen(session)
    assert wire.delete(session).status == 204
    assert stream.closing
    assert [client.id for client in wire.closed] == [session]
    assert wire.request("ping", session=session).status == 404
    assert wire.delete(session).status == 404
    assert wire.delete(None).status == 400


@pytest.mark.parametrize(
    "name, shown",
    [
        ("Gemini CLI", "Gemini CLI"),
        ("two\nlines\tand  more", "two lines and more"),
        ("\ud800half", "half"),
        ("\u202eturned", "turned"),
        ("\0 \n", ""),
        ("n" * 5000, "n" * 100),
        (None, ""),
        (["list"], ""),
    ],
)
def test_what_a_client_calls_itself_is_one_short_printable_line(wire, name, shown):
    wire.connect(name=name)
    assert wire.opened[-1].client_name == shown
