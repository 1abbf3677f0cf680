"""WebSocket connections at their bounds and their ends: too many, too large, not read, closed by us, or by nobody."""

from __future__ import annotations

import asyncio
import json
import socket as sockets

import aiohttp
import pytest

from companion.protocol.limits import Limits
from companion.protocol.serving import Hooks, Secrets
from companion.protocol.tools import Implementation, Tool, text_result
from companion.transport import websocket_server as module
from companion.transport.client import WebSocketClient
from companion.transport.websocket_server import WebSocketServer
from tests.support.dialects import dialect

HEADER = "X-Claude-Code-Ide-Authorization"
TOKEN = "the-secret-of-this-test"
TOOL = Tool("openDiff", "Open Diff", "Opens a diff.", {"type": "object"})
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "claude-code", "version": "2.1.330"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "openDiff"}}


class Bench:
    """A server whose one tool is answered by the test, and what it told the application."""

    def __init__(self, limits):
        self.opened, self.closed, self.listed, self.notified, self.cancelled = [], [], [], [], []
        self.decision = asyncio.get_running_loop().create_future()
        self.calls = 0
        identity = Implementation("gemini-companion", "Gemini Companion", "1")
        hooks = Hooks(
            self.call,
            self.opened.append,
            self.closed.append,
            self.listed.append,
            lambda *told: self.notified.append(told),
        )
        served = dialect([TOOL], secret_header=HEADER, process_id=self.told)
        self.server = WebSocketServer(served, Secrets(TOKEN), hooks, identity=identity, limits=limits)

    def told(self, method, params):
        return params["pid"] if method == "ide_connected" else None

    async def call(self, call):
        self.calls += 1
        call.on_cancelled(self.cancelled.append)
        return text_result(await self.decision)

    async def until(self, condition):
        for _ in range(1000):
            if condition():
                return
            await asyncio.sleep(0.01)
        raise AssertionError("it never came to be")


def run(scenario, limits=None):
    async def main():
        bench = Bench(limits or Limits())
        port = (await bench.server.start()).port
        try:
            async with aiohttp.ClientSession() as http:
                await asyncio.wait_for(scenario(bench, http, port), 30)
        finally:
            await bench.server.stop()
        await bench.until(lambda: not bench.server._peers)
        assert not bench.server.sessions
        assert len(bench.closed) == len(bench.opened), "whoever came has gone"

    asyncio.run(main())


async def connect(http, port, **options):
    return await http.ws_connect(f"http://127.0.0.1:{port}/", protocols=["mcp"], headers={HEADER: TOKEN}, **options)


async def handshake(socket):
    await socket.send_json(INITIALIZE)
    assert json.loads((await socket.receive(5)).data)["id"] == 0
    await socket.send_json(INITIALIZED)
    await socket.send_json(PING)
    assert json.loads((await socket.receive(5)).data)["id"] == 9


def test_the_applications_are_told_each_thing_once():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        assert [client.client_name for client in bench.opened] == ["claude-code"]
        assert list(bench.server.sessions) == [bench.opened[0].id]
        assert not bench.listed
        assert not bench.notified
        await socket.send_json({"jsonrpc": "2.0", "method": "ide_connected", "params": {"pid": 7}})
        await bench.until(lambda: bench.notified)
        assert bench.notified == [(bench.opened[0], 7)]
        assert not bench.listed
        await socket.send_json({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        await socket.receive(5)
        assert bench.listed == [bench.opened[0]]
        await socket.close()
        await bench.until(lambda: bench.closed)
        assert bench.closed == bench.opened
        assert len(bench.notified) == len(bench.listed) == 1

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


def test_a_notification_reaches_who_is_meant_and_nobody_else():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        bench.server.notify("selection_changed", {}, session="nobody")
        bench.server.notify("at_mentioned", {}, session=bench.opened[0].id)
        assert json.loads((await socket.receive(5)).data)["method"] == "at_mentioned"

    run(scenario)


def test_of_several_that_wait_under_one_key_the_last_is_sent():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        for number in range(5):
            bench.server.notify("selection_changed", {"n": number}, collapse="selection")
        await socket.send_json(PING)
        heard = [json.loads((await socket.receive(5)).data) for _ in range(2)]
        assert [message.get("params") for message in heard] == [{"n": 4}, None]

    run(scenario)


def test_what_is_no_text_ends_the_connection_with_a_reason():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        await socket.send_bytes(json.dumps(PING).encode())
        message = await socket.receive(5)
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1003)
        assert message.extra == "text messages only"

    run(scenario)


def test_a_message_that_is_too_large_ends_the_connection():
    async def scenario(bench, http, port):
        first = await connect(http, port)
        await handshake(first)
        bench.server.limit_bodies(1000)
        second = await connect(http, port)
        await handshake(second)
        large = dict(PING, params={"filler": "x" * 1000})
        await second.send_json(large)
        message = await second.receive(5)
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1009)
        await first.send_json(large)
        assert json.loads((await first.receive(5)).data)["id"] == 9, "who was there before keeps the former bound"

    run(scenario)


def test_one_connection_too_many_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 2)

    async def scenario(bench, http, port):
        both = [await connect(http, port) for _ in range(2)]
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await connect(http, port)
        assert caught.value.status == 503
        for socket in both:
            await handshake(socket)
        await both[0].close()
        await bench.until(lambda: len(bench.server._peers) == 1)
        await handshake(await connect(http, port))

    run(scenario)


async def connect_deaf(bench, port):
    """A client that is ready and reads nothing more; what is sent to it is more than the system takes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    writer.get_extra_info("socket").setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    writer.write(
        (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{HEADER}: {TOKEN}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    for message in (INITIALIZE, INITIALIZED):
        writer.write(frame(json.dumps(message).encode()))
    await bench.until(lambda: bench.opened)
    return writer


def test_a_client_that_reads_nothing_is_given_up():
    async def scenario(bench, http, port):
        writer = await connect_deaf(bench, port)
        for _ in range(200):
            bench.server.notify("at_mentioned", {"text": "x" * 100000})
            await asyncio.sleep(0)
            if bench.closed:
                break
        await bench.until(lambda: bench.closed)
        writer.close()

    run(scenario, Limits(queued_messages=8, queued_bytes=400000))


def test_nor_does_it_hold_on_when_the_user_disconnects_everybody(monkeypatch):
    monkeypatch.setattr(module, "STOP_SECONDS", 0.1)

    async def scenario(bench, http, port):
        writer = await connect_deaf(bench, port)
        for _ in range(100):
            bench.server.notify("at_mentioned", {"text": "x" * 100000})
            await asyncio.sleep(0)
        assert not bench.closed
        bench.server.disconnect()
        await bench.until(lambda: bench.closed)
        writer.close()

    run(scenario)


def frame(payload):
    """A masked text frame. RFC 6455, 5.2; a mask of zeros changes nothing."""
    assert 126 <= len(payload) < 65536 or len(payload) < 126
    length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return b"\x81" + length + bytes(4) + payload


def test_a_tool_that_fails_is_answered_and_the_connection_goes_on():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        bench.decision.set_exception(LookupError("nothing"))
        await socket.send_json(CALL)
        answer = json.loads((await socket.receive(5)).data)
        assert (answer["id"], answer["error"]["code"]) == (2, -32603)
        await socket.send_json(PING)
        assert json.loads((await socket.receive(5)).data)["id"] == 9

    run(scenario)


def test_a_call_that_is_taken_back_is_not_answered():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        await socket.send_json(CALL)
        await bench.until(lambda: bench.calls)
        await socket.send_json({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        await bench.until(lambda: bench.cancelled)
        bench.decision.set_result("too late")
        await socket.send_json(PING)
        assert json.loads((await socket.receive(5)).data)["id"] == 9
        assert len(bench.cancelled) == 1
        await bench.until(lambda: not bench.server._running and not bench.server._cancelled)

    run(scenario)


def test_the_user_disconnects_everybody():
    async def scenario(bench, http, port):
        both = [await connect(http, port) for _ in range(2)]
        for socket in both:
            await handshake(socket)
        bench.server.disconnect()
        for socket in both:
            message = await socket.receive(5)
            assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1001)
        await bench.until(lambda: len(bench.closed) == 2)
        await handshake(await connect(http, port))

    run(scenario)


def test_a_stop_sends_what_waits_and_closes_with_a_reason():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        for number in range(100):
            bench.server.notify("at_mentioned", {"n": number})
        stopping = asyncio.ensure_future(bench.server.stop())
        heard = [await socket.receive(5) for _ in range(101)]
        assert [json.loads(message.data)["params"]["n"] for message in heard[:-1]] == list(range(100))
        assert (heard[-1].type, heard[-1].data) == (aiohttp.WSMsgType.CLOSE, 1001)
        await socket.close()
        await stopping
        await bench.server.stop()
        with pytest.raises(aiohttp.ClientConnectionError):
            await connect(http, port)

    run(scenario)


def test_a_stop_waits_only_so_long_for_who_does_not_answer():
    async def scenario(bench, http, port):
        socket = await connect(http, port, autoclose=False, autoping=False)
        await handshake(socket)
        loop = asyncio.get_running_loop()
        began = loop.time()
        await bench.server.stop(seconds=0.2)
        assert loop.time() - began < 5
        await bench.until(lambda: bench.closed)

    run(scenario)


def test_a_port_that_is_taken_is_an_error_and_the_same_one_can_be_had_again():
    async def scenario(bench, http, port):
        other = Bench(Limits())
        with pytest.raises(OSError):
            await other.server.start(port)
        await other.server.stop()
        await bench.server.stop()
        assert (await other.server.start(port)).port == port
        try:
            assert await WebSocketClient(port, HEADER, TOKEN, "self-test", "1").count_tools() == 1
        finally:
            await other.server.stop()

    run(scenario)


def test_a_plain_request_is_answered_and_its_connection_closed():
    async def scenario(bench, http, port):
        async with http.get(f"http://127.0.0.1:{port}/", headers={HEADER: TOKEN}) as answer:
            assert (answer.status, answer.headers["Upgrade"]) == (426, "websocket")
            assert answer.headers["Connection"] == "close"
            assert "Only WebSocket connections" in (await answer.json())["error"]["message"]

    run(scenario)


def test_nothing_of_a_lost_connection_goes_on_writing():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        (peer,) = bench.server._peers.values()
        await socket.send_json(CALL)
        await bench.until(lambda: bench.calls)
        socket._response.connection.transport.abort()
        await bench.until(lambda: bench.closed)
        assert not bench.server._peers
        assert not bench.server.sessions
        bench.decision.set_result("too late")
        await bench.until(lambda: not bench.server._cancelled and peer._writer.done())

    run(scenario)
