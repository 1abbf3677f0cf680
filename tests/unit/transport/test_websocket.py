"""Programs that speak over a WebSocket, on real sockets: how they are known, what they hear, what is kept of them."""

from __future__ import annotations

import aiohttp
import pytest

from companion.diagnosis.client import Refused, WebSocketClient
from companion.protocol.jsonrpc import AT_ONCE_BYTES, read_value
from tests.host.waiting import NEVER_SECONDS
from tests.support.held import LONG, long_texts
from tests.unit.transport.websocket_bench import CALL, HEADER, PING, TOKEN, connect, handshake, heard, run


def test_a_program_connects_is_notified_and_answered():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        assert socket.protocol == "mcp"
        await handshake(socket)
        bench.server.notify("selection_changed", {"text": "x"})
        assert (await heard(socket))["params"] == {"text": "x"}
        await socket.send_json(CALL)
        bench.decision.set_result("DIFF_REJECTED")
        assert (await heard(socket))["result"]["content"][0]["text"] == "DIFF_REJECTED"

    run(scenario)


def test_the_application_is_told_each_thing_once():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        assert [client.client_name for client in bench.opened] == ["claude-code"]
        assert list(bench.server.sessions) == [bench.opened[0].id]
        assert not bench.listed
        await socket.send_json({"jsonrpc": "2.0", "method": "ide_connected", "params": {"pid": 7}})
        await socket.send_json({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        await socket.receive(NEVER_SECONDS)
        await socket.close()
        await bench.until(lambda: bench.closed)
        assert bench.closed == bench.listed == bench.opened
        assert bench.notified == [(bench.opened[0], 7)]

    run(scenario)


def test_who_never_shook_hands_was_never_there():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await bench.until(lambda: bench.server._peers)
        bench.server.notify("selection_changed", {})
        await socket.close()
        await bench.until(lambda: not bench.server._peers)
        assert not bench.opened
        assert not bench.closed

    run(scenario)


def test_a_token_that_came_later_tells_its_program_too():
    async def scenario(bench, http, port):
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await connect(http, port, "a-token-of-its-own")
        bench.server.take({"": TOKEN, "OpenClaude": "a-token-of-its-own"})
        for token, name in (("a-token-of-its-own", "OpenClaude"), (TOKEN, "")):
            await handshake(await connect(http, port, token))
            assert bench.opened[-1].token_name == name

    run(scenario)


def test_only_a_large_message_is_decoded_on_a_worker_thread():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        for padding, workers in (("x", []), ("x" * AT_ONCE_BYTES, [read_value])):
            await socket.send_json({**PING, "params": {"of": padding}})
            assert (await heard(socket))["id"] == 9
            assert bench.worked == workers

    run(scenario)


def test_a_call_that_waits_holds_its_message_no_longer():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        await socket.send_json({**CALL, "params": {"name": "openDiff", "arguments": {"text": "x" * 2 * LONG}}})
        await bench.until(lambda: bench.called)
        assert long_texts() == []
        bench.decision.set_result("DIFF_REJECTED")

    run(scenario)


def test_two_programs_hear_only_what_is_theirs():
    async def scenario(bench, http, port):
        sockets = [await connect(http, port) for _ in range(2)]
        for socket in sockets:
            await handshake(socket)
        bench.server.notify("at_mentioned", {"n": 1}, session=bench.opened[0].id)
        bench.server.notify("at_mentioned", {"n": 2}, session=bench.opened[1].id)
        assert [(await heard(socket))["params"]["n"] for socket in sockets] == [1, 2]

    run(scenario)


def test_our_own_client_finds_the_server_well():
    async def scenario(bench, http, port):
        assert await WebSocketClient(port, HEADER, TOKEN, "1").count_tools() == 1
        with pytest.raises(Refused, match="401"):
            await WebSocketClient(port, HEADER, "wrong", "1").count_tools()

    run(scenario)
