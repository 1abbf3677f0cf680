"""The revision without a handshake: each request says what it is, and is checked."""

from __future__ import annotations

import json

import pytest

from companion.protocol.metadata import REVISIONS, Introduction
from tests.unit.protocol.conftest import META

PREFIX = "io.modelcontextprotocol/"
SERVER = {PREFIX + "serverInfo": {"name": "test", "title": "Test", "version": "1.0"}}


def without(key):
    return {name: value for name, value in META.items() if name != PREFIX + key}


def test_discover_says_everything_at_once(wire):
    result = wire.modern("server/discover").result
    assert result["supportedVersions"][0] == "2026-07-28"
    assert result["resultType"] == "complete"
    assert result["_meta"] == SERVER
    assert "tools" in result["capabilities"]
    assert (result["ttlMs"] > 0, result["cacheScope"]) == (True, "private")
    assert not wire.opened


def test_results_carry_what_the_revision_asks_for(wire):
    listing = wire.modern("tools/list").result
    assert (listing["resultType"], listing["_meta"], listing["cacheScope"]) == ("complete", SERVER, "private")
    called = wire.modern("tools/call", {"name": "echo", "arguments": {"text": "x"}}).result
    assert called == {"content": [], "resultType": "complete", "_meta": SERVER}


def test_wrong_arguments_are_told_in_a_result(wire):
    assert wire.modern("tools/call", {"name": "echo", "arguments": {}}).result["isError"] is True


def test_a_client_need_not_introduce_itself(wire):
    assert wire.modern("tools/list", {"_meta": without("clientInfo")}).status == 200


@pytest.mark.parametrize(
    ("meta", "word"),
    [
        (None, "protocolVersion"),
        ([], "protocolVersion"),
        (5, "protocolVersion"),
        (without("protocolVersion"), "protocolVersion"),
        (without("clientCapabilities"), "clientCapabilities"),
        ({**without("clientInfo"), PREFIX + "protocolVersion": 5}, "protocolVersion"),
        ({**without("clientInfo"), PREFIX + "clientCapabilities": []}, "clientCapabilities"),
        ({**without("clientInfo"), PREFIX + "clientInfo": "x"}, "clientInfo"),
        ({**without("clientInfo"), PREFIX + "logLevel": "loud"}, "logLevel"),
    ],
)
def test_metadata_that_is_missing_or_of_the_wrong_type_is_refused(wire, meta, word):
    reply = wire.modern("tools/list", {"_meta": meta})
    assert (reply.status, reply.error["code"], reply.json["id"]) == (400, -32602, 1)
    assert word in reply.error["message"]


def test_a_version_we_do_not_speak_is_refused_with_those_we_do(wire):
    meta = {**without("clientInfo"), PREFIX + "protocolVersion": "2030-01-01"}
    reply = wire.modern("tools/list", {"_meta": meta}, MCP_Protocol_Version="2030-01-01")
    assert (reply.status, reply.error["code"]) == (400, -32022)
    assert reply.error["data"]["requested"] == "2030-01-01"
    assert "2026-07-28" in reply.error["data"]["supported"]


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("MCP_Protocol_Version", None),
        ("MCP_Protocol_Version", "2025-11-25"),
        ("Mcp_Method", None),
        ("Mcp_Method", ""),
        ("Mcp_Method", "tools/list"),
        ("Mcp_Method", "TOOLS/CALL"),
        ("Mcp_Name", None),
        ("Mcp_Name", ""),
        ("Mcp_Name", "other"),
        ("Mcp_Name", "=?base64?!!?="),
        ("Mcp_Name", "=?base64?/w==?="),
    ],
)
def test_a_header_that_is_missing_or_contradicts_the_body_is_refused(wire, header, value):
    reply = wire.modern("tools/call", {"name": "echo", "arguments": {"text": "x"}}, **{header: value})
    assert (reply.status, reply.error["code"], reply.json["id"]) == (400, -32020, 1)


@pytest.mark.parametrize("name", ["echo", "  echo ", "=?base64?ZWNobw==?="])
def test_a_right_tool_name_header_is_taken_in_any_spelling(wire, name):
    assert wire.modern("tools/call", {"name": "echo", "arguments": {"text": "x"}}, Mcp_Name=name).status == 200


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/list", "x"])
def test_methods_that_do_not_exist_get_404(wire, method):
    reply = wire.modern(method)
    assert (reply.status, reply.error["code"], reply.json["id"]) == (404, -32601, 1)


def test_a_session_id_means_nothing_here(wire):
    assert wire.modern("tools/list", Mcp_Session_Id="gone").status == 200


def test_there_is_no_get(wire):
    refused = wire.listen("x", MCP_Protocol_Version="2026-07-28")
    assert (refused.status, refused.answer.headers["Allow"]) == (405, "POST")


class TestSubscriptions:
    """`subscriptions/listen`."""

    def listen(self, wire, wanted):
        reply = wire.modern("subscriptions/listen", {"notifications": wanted})
        return reply.opened[0].stream if reply.opened else reply

    def test_the_first_message_says_what_was_granted(self, make_wire):
        wire = make_wire(subscribable=["note"])
        stream = self.listen(wire, {"note": True, "toolsListChanged": True})
        ((event_id, message),) = wire.read(stream)
        assert event_id is None, "streams of this revision cannot be resumed"
        assert message["method"] == "notifications/subscriptions/acknowledged"
        assert message["params"] == {"_meta": {PREFIX + "subscriptionId": 1}, "notifications": {"note": True}}

    def test_only_what_was_asked_for_comes_and_it_is_tagged(self, make_wire):
        wire = make_wire(subscribable=["note", "other"])
        stream = self.listen(wire, {"note": True})
        wire.read(stream)
        wire.notify("other", {})
        wire.notify("note", {"n": 1})
        wire.notify("note", {})
        assert [message["params"] for _, message in wire.read(stream)] == [
            {"_meta": {PREFIX + "subscriptionId": 1}, "n": 1},
            {"_meta": {PREFIX + "subscriptionId": 1}},
        ]

    def test_its_client_is_there_while_it_listens(self, make_wire):
        wire = make_wire(subscribable=["note"])
        stream = self.listen(wire, {"note": True})
        client = wire.opened[0]
        assert (client.client_name, client.protocol_version) == ("modern", "2026-07-28")
        wire.notify("note", {"n": 1}, session=client.id)
        assert len(wire.read(stream)) == 2
        wire.lose(stream)
        wire.note(wire.core.registry.tick(100))
        assert wire.closed == [client]

    @pytest.mark.parametrize("request_id", ["1.50", "1e400", "9" * 40])
    def test_its_id_is_told_to_the_digit_and_keeps_nothing_from_others(self, make_wire, request_id):
        wire = make_wire(subscribable=["note"])
        listener = wire.listen(wire.connect())
        message = {"jsonrpc": "2.0", "id": 0, "method": "subscriptions/listen"}
        text = json.dumps({**message, "params": {"_meta": META, "notifications": {"note": True}}})
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
        stream = wire.raw(text.replace('"id": 0', '"id": ' + request_id).encode(), headers).opened[0].stream
        wire.notify("note", {"n": 1})
        wire.core.stop()
        told = wire.take(stream)
        assert told.count(b'/subscriptionId":' + request_id.encode() + b"}") == 3
        assert [message["params"] for _, message in wire.read(listener)] == [{"n": 1}]

    def test_a_call_and_a_subscription_of_one_client_have_one_identity(self, make_wire):
        wire = make_wire(subscribable=["note"])
        self.listen(wire, {})
        reply = wire.modern("tools/call", {"name": "echo", "arguments": {"text": "x"}})
        assert reply.callers == [wire.opened[0].id]

    def test_clients_that_call_themselves_otherwise_are_kept_apart(self, make_wire):
        wire = make_wire(subscribable=["note"])
        self.listen(wire, {"note": True})
        meta = {**without("clientInfo"), PREFIX + "clientInfo": {"name": "other", "version": "2"}}
        reply = wire.modern("tools/call", {"name": "echo", "arguments": {"text": "x"}, "_meta": meta})
        assert reply.callers != [wire.opened[0].id]

    def test_it_ends_with_its_result(self, make_wire):
        wire = make_wire(subscribable=["note"])
        stream = self.listen(wire, {})
        wire.read(stream)
        wire.core.stop()
        ((_, message),) = wire.read(stream)
        assert message["id"] == 1
        assert message["result"]["_meta"][PREFIX + "subscriptionId"] == 1
        assert stream.closing

    @pytest.mark.parametrize("wanted", [None, [], True])
    def test_nonsense_is_refused(self, wire, wanted):
        reply = self.listen(wire, wanted)
        assert (reply.status, reply.error["code"]) == (400, -32602)
        assert not wire.opened


def test_token_and_name_tell_clients_apart_but_not_run_together(wire):
    def known_by(token_name, name, revision="2026-07-28"):
        return wire.core.registry.client_without_session(Introduction(REVISIONS[revision], name), token_name, 0.0).id

    ids = [known_by("one", "two"), known_by("onet", "wo"), known_by("", "onetwo"), known_by("one", "2")]
    assert len(set(ids)) == 4
    assert known_by("one", "two") == known_by("one", "two", "2025-03-26") == ids[0]


def test_of_two_servers_nobody_is_taken_for_a_client_of_the_other(make_wire):
    """A window asks for one by its id, whichever of the window's servers it came to."""
    call = {"name": "echo", "arguments": {"text": "x"}}
    assert make_wire().modern("tools/call", call).callers != make_wire().modern("tools/call", call).callers
