"""Listing and calling tools: what is refused, how the refusal names the field, what the caller gets."""

from __future__ import annotations

import jsonschema
import pytest

from companion.agents.ide_companion import TOOLS
from companion.protocol.tools import EMPTY, Catalogue, Implementation, error_result, text_result

SECRET = "geheim"


def call(wire, arguments, revision="2025-06-18", name="echo", result=EMPTY):
    session = wire.connect(revision)
    message = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return wire.post(message, {"Mcp-Session-Id": session}, result)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ['"text"', "missing"]),
        ({"text": 5}, ['"text"', "string", "number"]),
        ({"text": [SECRET]}, ['"text"', "string", "array"]),
        ({"text": ""}, ['"text"', "short"]),
        ({"text": "x", "loud": SECRET}, ['"loud"', "boolean", "string"]),
        ({"text": None}, ['"text"', "null"]),
    ],
)
def test_wrong_arguments_are_named_and_never_quoted(wire, arguments, words):
    error = call(wire, arguments).error
    assert error["code"] == -32602
    assert all(word in error["message"] for word in words), error["message"]
    assert SECRET not in error["message"]


@pytest.mark.parametrize("revision", ["2025-11-25"])
def test_newer_revisions_tell_it_in_a_result(wire, revision):
    result = call(wire, {}, revision).result
    assert result["isError"] is True
    assert '"text"' in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({}, "name"),
        ({"name": 5}, "name"),
        ({"name": "nope"}, "nope"),
        ({"name": "echo", "arguments": []}, "arguments"),
        ({"name": "echo", "arguments": "x"}, "arguments"),
    ],
)
def test_malformed_calls_are_refused(wire, params, word):
    reply = wire.request("tools/call", params, wire.connect())
    assert (reply.status, reply.error["code"]) == (200, -32602)
    assert word in reply.error["message"]


def test_a_result_reaches_its_caller(wire):
    assert call(wire, {"text": "x"}, result=text_result("hello")).result == {
        "content": [{"type": "text", "text": "hello"}]
    }
    assert call(wire, {"text": "x"}, result=error_result("no")).result["isError"] is True


def test_lone_surrogates_pass_both_ways(wire):
    session = wire.connect()
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\\ud800b"}}}'
    reply = wire.raw(body, {"Mcp-Session-Id": session})
    text = reply.calls[0].arguments["text"]
    assert text == "a\ud800b"
    assert b'"a\\ud800b"' in wire.finish(reply, text_result(text)).answer.body


def test_a_tool_that_fails_gets_its_caller_an_internal_error(wire):
    session = wire.connect()
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}'
    reply = wire.raw(body, {"Mcp-Session-Id": session})
    assert wire.finish(reply, None).error["code"] == -32603
    reply = wire.raw(body, {"Mcp-Session-Id": session})
    assert wire.finish(reply, text_result(float("nan"))).error["code"] == -32603


def test_the_list_is_one_page(wire):
    assert wire.request("tools/list", {"cursor": "2"}, wire.connect()).error["code"] == -32602


def test_a_caller_that_takes_only_a_stream_gets_its_result_as_an_event(wire):
    reply = wire.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', in_event=True)
    assert reply.answer.headers["Content-Type"] == "text/event-stream"
    assert reply.answer.body == b'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'


def test_two_tools_of_one_name_are_a_mistake():
    with pytest.raises(ValueError, match="same name"):
        Catalogue([TOOLS[0], TOOLS[0]], Implementation("a", "A", "1"))


def test_the_schemas_of_our_tools_are_valid_in_every_draft_we_may_meet():
    for name in ("Draft4Validator", "Draft7Validator", "Draft202012Validator"):
        validator = getattr(jsonschema, name, None)
        for tool in TOOLS:
            if validator is not None:
                validator.check_schema(tool.input_schema)
