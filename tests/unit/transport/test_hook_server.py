"""The server of programs' hooks: who is answered, and with what, whatever is sent."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import logging

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT_CLI
from companion.protocol.limits import Limits
from companion.transport.connections import OpenConnections
from companion.transport.hook_server import SHORT_BYTES, HookCall, HookServer
from tests.host.waiting import NEVER_SECONDS, ends
from tests.support.raw_requests import request_head
from tests.unit.transport.conftest import read_response

SECRET = "a-secret-that-must-never-be-logged-0123456789"
TEXT = "geheim"
GOES_ON, ASKS = (200, b"{}"), (200, b'{"decision":"ask"}')
EVENT = {"session_id": "s", "cwd": "/w", "hook_event_name": "Stop", "last_assistant_message": TEXT}


class Served:
    """A server, and what its handler was given."""

    def __init__(self):
        self.calls = []
        self.answer = {"decision": "allow"}
        self.cancelled = asyncio.Event()
        self.held, self.over = asyncio.Event(), asyncio.Event()
        self.hold = False
        self.unread = []
        self.server = HookServer(SECRET, self._handle, self._unread)
        self.server.serve({"claude": CLAUDE_CODE.hooks.schema, "copilot": COPILOT_CLI.hooks.schema})
        self.port = 0

    def _unread(self, program, event, why):
        self.unread.append((program, event, why))
        return {"decision": "ask"}

    async def _handle(self, call):
        self.calls.append(call)
        if self.hold:
            self.held.set()
            try:
                await self.over.wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def refused(self, *arguments, **named):
        """Why the same is not handled if it holds a write; without, the program goes on."""
        self.calls.clear()
        assert await self.send(*arguments, **named) == GOES_ON
        assert await self.send(*arguments, X_Companion_Held="PreToolUse", **named) == ASKS
        assert self.calls == []
        (told,) = self.unread
        assert told[:2] == ("claude", "PreToolUse")
        return told[2]

    async def connect(self, body=json.dumps(EVENT).encode(), path="/hook/claude", method="POST", **headers):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        fields = {"Authorization": None, "X-Companion-Secret": SECRET, "Content-Length": str(len(body)), **headers}
        writer.write(request_head(self.port, "", method, path, fields) + body)
        return reader, writer

    async def send(self, *arguments, **named):
        """The status and the body of the answer."""
        reader, writer = await self.connect(*arguments, **named)
        status, _, body = await read_response(reader)
        writer.close()
        return status, body


def served(test):
    """A test with a server, for so many seconds at most; afterwards nothing that was sent is in the log."""

    @functools.wraps(test)
    def run(caplog, **fixtures):
        async def main():
            bench = Served()
            bench.port = (await bench.server.start()).port
            try:
                await test(bench, **fixtures)
            finally:
                await bench.server.stop(0.05)

        with caplog.at_level(logging.DEBUG):
            asyncio.run(ends(main()))
        assert SECRET not in caplog.text
        assert TEXT not in caplog.text

    del run.__wrapped__  # pytest asks for what this one takes
    fixtures = list(inspect.signature(test).parameters.values())[1:]
    run.__signature__ = inspect.Signature(
        [*fixtures, inspect.Parameter("caplog", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    )
    return run


@served
async def test_what_a_hook_sends_is_handed_on_and_the_answer_handed_back(bench):
    answer = await bench.send(X_Companion_Event="Stop", X_Companion_Parent="4711", X_Companion_Terminal="a.1")
    assert answer == (200, b'{"decision":"allow"}')
    assert bench.calls == [HookCall("claude", "Stop", 4711, EVENT, terminal="a.1")]


@served
async def test_it_says_what_takes_long_to_read(bench):
    long = {**EVENT, "prompt": "x" * SHORT_BYTES}
    for event in (EVENT, long):
        assert await bench.send(json.dumps(event).encode()) == (200, b'{"decision":"allow"}')
    assert [call.is_long for call in bench.calls] == [False, True]


@pytest.mark.parametrize("process", ["", "x", "-1", "1.5", "\u0664"])
@served
async def test_a_process_that_is_no_number_is_not_known(bench, process):
    assert (await bench.send(X_Companion_Parent=process))[0] == 200
    assert bench.calls[0].process is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-Companion-Secret": None}, 401),
        ({"X-Companion-Secret": ""}, 401),
        ({"X-Companion-Secret": SECRET + "x"}, 401),
        ({"X-Companion-Secret": None, "Authorization": "Bearer " + SECRET}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1:1"}, 403),
    ],
)
@served
async def test_strangers_and_web_pages_are_refused(bench, headers, status):
    assert await bench.send(**headers) == (status, b"{}")
    assert bench.calls == []


@served
async def test_a_hook_that_is_held_names_its_event(bench):
    assert await bench.send(X_Companion_Held="PreToolUse") == (200, b'{"decision":"allow"}')
    assert bench.calls == [HookCall("claude", "PreToolUse", None, EVENT, is_held=True)]
    assert bench.unread == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "object"),
        (b"7", "object"),
        (b"\xff", "not UTF-8"),
        (b'{"session_id": "s", "cwd": "/w", "x": "\xc3"}', "not UTF-8"),
        (b'{"session_id": "s"}', "cwd"),
        (b'{"session_id": "s", "cwd": 7}', "cwd"),
        (b'{"session_id": ["s"], "cwd": "/w"}', "session_id"),
        (b'{"session_id": "' + b"s" * 5000 + b'", "cwd": "/w"}', "session_id"),
        (json.dumps(EVENT)[:-1].encode() + b', "x": ' + b"[" * 70 + b"]" * 70 + b"}", "deeper than 64 levels"),
        (json.dumps({**EVENT, "x": [1] * 50001}).encode(), "more than 50000 values"),
        (json.dumps({**EVENT, "x": "x" * 1400000 + "\ud800", "y": [1] * 50001}).encode(), "more than 50000 values"),
        (b'{"session_id": "s", "cwd": "/w", "x": NaN}', "NaN"),
        (b'{"session_id": "s", "cwd": "/w", "x": ' + b"9" * 5000 + b"}", "digits"),
    ],
    ids=range(15),
)
@served
async def test_what_is_not_understood_lets_no_program_write(bench, body, why):
    assert why in await bench.refused(body)


@served
async def test_of_a_name_said_twice_the_last_one_counts_as_with_the_programs(bench):
    body = json.dumps(EVENT)[:-1].encode() + b', "tool_name": "Write", "tool_name": "Edit"}'
    assert await bench.send(body, X_Companion_Held="PreToolUse") == (200, b'{"decision":"allow"}')
    assert bench.calls[0].payload["tool_name"] == "Edit"


@pytest.mark.parametrize(
    "request_",
    [
        {"path": "/hook/nobody"},
        {"path": "/mcp"},
        {"path": "/hook/"},
        {"method": "GET"},
    ],
)
@served
async def test_what_is_asked_otherwise_lets_the_program_go_on(bench, request_):
    assert await bench.send(**request_) == GOES_ON
    assert bench.calls == []


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Content-Type": "application/x-www-form-urlencoded"}, "The body must be application/json."),
        ({"Content-Type": None}, "The header Content-Type is missing: send application/json."),
        ({"Content-Encoding": "gzip"}, "The body must not be compressed."),
    ],
)
@served
async def test_a_body_in_another_form_lets_no_program_write(bench, headers, why):
    assert await bench.refused(**headers) == why


@served
async def test_a_body_that_is_too_large_lets_no_program_write(bench):
    bench.server.limits = Limits(body_bytes=1000)
    too_large = "The body is larger than 1000 bytes."
    assert await bench.refused(json.dumps({**EVENT, "x": TEXT * 1000}).encode()) == too_large
    bench.unread.clear()
    assert await bench.refused(b"{}", Content_Length="100000000") == too_large


@served
async def test_a_body_that_never_comes_lets_no_program_write(bench):
    bench.server.limits = Limits(request_seconds=0.01)
    reader, writer = await bench.connect(b"{", Content_Length="100", X_Companion_Held="PreToolUse")
    assert (await read_response(reader))[0::2] == ASKS
    writer.close()


@served
async def test_too_many_hooks_at_once_let_no_program_write(bench, monkeypatch):
    monkeypatch.setattr(OpenConnections, "admit", lambda *_: False)
    assert "Too many connections" in await bench.refused()


@pytest.mark.parametrize("answer", [ValueError("failed"), {"x": float("nan")}, {"x": object()}])
@served
async def test_a_handler_that_fails_lets_no_program_write(bench, answer):
    bench.answer = answer
    assert await bench.send() == GOES_ON
    assert await bench.send(X_Companion_Held="PreToolUse") == ASKS
    assert bench.unread == [("claude", "PreToolUse", "The editor failed; its log says why.")]


@served
async def test_a_handler_is_cancelled_once_its_program_has_gone(bench):
    bench.hold = True
    _, writer = await bench.connect()
    await bench.held.wait()
    writer.close()
    await bench.cancelled.wait()


@pytest.mark.parametrize(("held", "answer"), [(None, GOES_ON), ("PreToolUse", ASKS)])
@served
async def test_what_is_under_way_at_the_end_lets_no_program_write(bench, held, answer):
    bench.hold = True
    reader, writer = await bench.connect(X_Companion_Held=held)
    half, other = await bench.connect(b"{", Content_Length="100", X_Companion_Held=held)
    await bench.held.wait()
    while len(bench.server._running) < 2:
        await asyncio.sleep(0)
    await bench.server.stop(0.01)
    assert [(await read_response(each))[0::2] for each in (reader, half)] == [answer, answer]
    assert bench.cancelled.is_set()
    writer.close()
    other.close()


@served
async def test_what_is_decided_at_the_end_is_still_said(bench):
    bench.hold = True
    reader, writer = await bench.connect()
    await bench.held.wait()
    stopping = asyncio.ensure_future(bench.server.stop(NEVER_SECONDS))
    await asyncio.sleep(0)
    bench.over.set()
    await stopping
    assert (await read_response(reader))[0::2] == (200, b'{"decision":"allow"}')
    writer.close()


@served
async def test_after_the_end_nobody_is_let_in_and_no_connection_is_left(bench):
    reader, writer = await bench.connect()
    await read_response(reader)
    await bench.server.stop(0.01)
    await bench.server.stop(0.01)
    assert await reader.read() == b""
    with pytest.raises(OSError):
        await bench.connect()
    writer.close()


@served
async def test_many_at_once_are_all_answered(bench):
    answers = await asyncio.gather(*(bench.send() for _ in range(50)))
    assert set(answers) == {(200, b'{"decision":"allow"}')}
    assert len(bench.calls) == 50


@served
async def test_a_flood_of_strangers_keeps_nobody_out(bench):
    strangers = [await asyncio.open_connection("127.0.0.1", bench.port) for _ in range(200)]
    assert (await bench.send())[0] == 200
    for _, writer in strangers:
        writer.close()


@served
async def test_programs_that_are_served_from_now_on_are(bench):
    bench.server.serve({})
    assert await bench.send() == (200, b"{}")
    bench.server.serve({"claude": CLAUDE_CODE.hooks.schema})
    assert await bench.send() == (200, b'{"decision":"allow"}')
