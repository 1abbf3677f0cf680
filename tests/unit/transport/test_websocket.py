"""Programs that speak over a WebSocket, on real sockets: who gets in, what they hear, and what is left afterwards."""

from __future__ import annotations

import asyncio
import json

import aiohttp
import pytest

from companion.protocol.json_text import AT_ONCE_BYTES, decode
from companion.protocol.serving import Hooks, Secrets
from companion.protocol.tools import Implementation, Tool, text_result
from companion.transport.bodies import in_default_executor
from companion.transport.client import Refused, WebSocketClient
from companion.transport.websocket_server import WebSocketServer
from tests.support.dialects import dialect
from tests.support.held import LONG, long_texts

HEADER = "X-Claude-Code-Ide-Authorization"
TOKEN = "the-secret-of-this-test"
TOOL = Tool("openDiff", "Open Diff", "Opens a diff.", {"type": "object"})


class Bench:
    """A server whose one tool is answered by the test."""

    def __init__(self):
        self.opened, self.closed, self.listed, self.called, self.cancelled = [], [], [], [], []
        self.worked = []
        self.further = {}
        self.decision = asyncio.get_running_loop().create_future()
        self.server = WebSocketServer(
            dialect([TOOL], secret_header=HEADER),
            Secrets(TOKEN, self.further),
            Hooks(self.call, self.opened.append, self.closed.append, self.listed.append),
            identity=Implementation("gemini-companion", "Gemini Companion", "1"),
            in_worker=self.in_worker,
        )

    async def in_worker(self, function, *args):
        self.worked.append(function)
        return await in_default_executor(function, *args)

    async def call(self, call):
        self.called.append(call)
        call.on_cancelled(self.cancelled.append)
        return text_result(await self.decision)


async def until(condition):
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to be")


async def connect(http, port, **headers):
    return await http.ws_connect(f"http://127.0.0.1:{port}/", protocols=["mcp"], headers={HEADER: TOKEN, **headers})


async def handshake(socket):
    await socket.send_str(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "clientInfo": {"name": "claude-code", "version": "2.1.330"}}}))  # fmt: skip
    assert json.loads((await socket.receive(5)).data)["id"] == 0
    await socket.send_str('{"jsonrpc":"2.0","method":"notifications/initialized"}')


def run(scenario):
    async def main():
        bench = Bench()
        port = (await bench.server.start()).port
        try:
            async with aiohttp.ClientSession() as http:
                await asyncio.wait_for(scenario(bench, http, port), 20)
        finally:
            await bench.server.stop()

    asyncio.run(main())


def test_a_program_connects_is_notified_and_answered():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        assert socket.protocol == "mcp"
        await handshake(socket)
        await until(lambda: bench.opened)
        bench.server.notify("selection_changed", {"text": "x"})
        assert json.loads((await socket.receive(5)).data)["params"] == {"text": "x"}
        await socket.send_str('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        assert json.loads((await socket.receive(5)).data)["id"] == 1
        assert bench.listed
        await socket.send_str('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"openDiff"}}')
        bench.decision.set_result("DIFF_REJECTED")
        assert json.loads((await socket.receive(5)).data)["result"]["content"][0]["text"] == "DIFF_REJECTED"
        await socket.close()
        await until(lambda: bench.closed and not bench.server.sessions)

    run(scenario)


def test_a_program_with_a_token_of_its_own_is_known_by_it_also_if_that_came_later():
    async def scenario(bench, http, port):
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await connect(http, port, **{HEADER: "a-token-of-its-own"})
        bench.further["OpenClaude"] = "a-token-of-its-own"
        for token, name in (("a-token-of-its-own", "OpenClaude"), (TOKEN, "")):
            socket = await connect(http, port, **{HEADER: token})
            await handshake(socket)
            await until(lambda: bench.opened)
            assert bench.opened.pop().token_name == name
            await socket.close()

    run(scenario)


def test_only_a_large_message_is_decoded_on_a_worker_thread():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        for padding, workers in (("x", []), ("x" * AT_ONCE_BYTES, [decode])):
            await socket.send_str(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"of": padding}}))
            assert json.loads((await socket.receive(5)).data)["id"] == 1
            assert bench.worked == workers
        await socket.close()

    run(scenario)


def test_a_call_that_waits_holds_its_message_no_longer():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        params = {"name": "openDiff", "arguments": {"text": "x" * 2 * LONG}}
        await socket.send_str(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}))
        del params
        await until(lambda: bench.called)
        assert long_texts() == []
        bench.decision.set_result("DIFF_REJECTED")
        await socket.close()

    run(scenario)


@pytest.mark.parametrize(
    "headers, status",
    [
        ({HEADER: "wrong"}, 401),
        ({HEADER: ""}, 401),
        ({"Host": "evil.example:80"}, 403),
        ({"Origin": "https://evil.example"}, 403),
    ],
)
def test_whoever_may_not_come_in_is_refused_before_the_upgrade(headers, status):
    async def scenario(bench, http, port):
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await connect(http, port, **headers)
        assert caught.value.status == status
        assert not bench.opened

    run(scenario)


def test_a_plain_request_is_told_what_is_served_here():
    async def scenario(bench, http, port):
        async with http.get(f"http://127.0.0.1:{port}/", headers={HEADER: TOKEN}) as answer:
            assert answer.status == 426

    run(scenario)


def test_a_broken_connection_takes_back_the_call_that_waits():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        await socket.send_str('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"openDiff"}}')
        await until(lambda: bench.opened)
        await socket.send_str('{"jsonrpc":"2.0","id":3,"method":"ping"}')
        await socket.receive(5)
        socket._response.connection.transport.abort()
        await until(lambda: bench.cancelled and bench.closed)
        bench.decision.set_result("late")

    run(scenario)


def test_two_programs_hear_only_what_is_theirs():
    async def scenario(bench, http, port):
        sockets = [await connect(http, port) for _ in range(2)]
        for count, socket in enumerate(sockets, 1):
            await handshake(socket)
            await until(lambda count=count: len(bench.opened) == count)
        bench.server.notify("at_mentioned", {"n": 1}, session=bench.opened[0].id)
        bench.server.notify("at_mentioned", {"n": 2}, session=bench.opened[1].id)
        assert [json.loads((await socket.receive(5)).data)["params"]["n"] for socket in sockets] == [1, 2]

    run(scenario)


def test_a_stop_closes_the_connections_in_order():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        await until(lambda: bench.opened)
        stopping = asyncio.ensure_future(bench.server.stop())
        assert (await socket.receive(5)).type is aiohttp.WSMsgType.CLOSE
        await socket.close()
        await stopping
        assert not [task for task in asyncio.all_tasks() if "_Peer" in repr(task)]

    run(scenario)


def test_our_own_client_finds_the_server_well():
    async def scenario(bench, http, port):
        assert await WebSocketClient(port, HEADER, TOKEN, "self-test", "1").count_tools() == 1
        with pytest.raises(Refused, match="401"):
            await WebSocketClient(port, HEADER, "wrong", "self-test", "1").count_tools()

    run(scenario)
