"""The ends of WebSocket connections: closed by us or by the client, in order or not, or never opened."""

from __future__ import annotations

import asyncio
import json
import socket as sockets

import aiohttp
import pytest

from companion.diagnosis.client import WebSocketClient
from companion.protocol.tools import Cancellation
from companion.transport.base import STOP_SECONDS
from tests.host.waiting import NEVER_SECONDS, a_moment
from tests.unit.transport.websocket_bench import (
    CALL,
    HEADER,
    INITIALIZE,
    INITIALIZED,
    TOKEN,
    Bench,
    connect,
    handshake,
    run,
)  # fmt: skip


def test_a_plain_request_is_answered_and_its_connection_closed():
    async def scenario(bench, http, port):
        async with http.get(f"http://127.0.0.1:{port}/", headers={HEADER: TOKEN}) as answer:
            assert (answer.status, answer.headers["Upgrade"]) == (426, "websocket")
            assert answer.headers["Connection"] == "close"
            assert "Only WebSocket connections" in (await answer.json())["error"]["message"]

    run(scenario)


def test_a_lost_connection_cancels_its_call_and_its_writing():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        (peer,) = bench.server._peers.values()
        await socket.send_json(CALL)
        await bench.until(lambda: bench.called)
        socket._response.connection.transport.abort()
        await bench.until(lambda: bench.closed)
        assert bench.cancelled == [Cancellation.CONNECTION_LOST]
        assert not bench.server._peers
        bench.decision.set_result("too late")
        await bench.until(lambda: not bench.server._cancelled and peer._writer.done())

    run(scenario)


def test_the_user_disconnects_everybody():
    async def scenario(bench, http, port):
        both = [await connect(http, port) for _ in range(2)]
        for socket in both:
            await handshake(socket)
        bench.server.disconnect()
        for socket in both:
            message = await socket.receive(NEVER_SECONDS)
            assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1001)
        await bench.until(lambda: len(bench.closed) == 2)
        await handshake(await connect(http, port))

    run(scenario)


def test_who_came_by_a_token_that_is_taken_no_more_is_out_and_others_stay():
    async def scenario(bench, http, port):
        bench.server.take({"": TOKEN, "OpenClaude": "a-token-of-its-own"})
        own, other = await connect(http, port, "a-token-of-its-own"), await connect(http, port)
        for socket in (own, other):
            await handshake(socket)
        silent = await connect(http, port, "a-token-of-its-own")
        await bench.until(lambda: len(bench.server._peers) == 3)
        bench.server.take({"": TOKEN})
        for socket in (own, silent):
            message = await socket.receive(5)
            assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, 1001)
        await bench.until(lambda: [one.token_name for one in bench.closed] == ["OpenClaude"])
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await connect(http, port, "a-token-of-its-own")
        await handshake(other)

    run(scenario)


def frame(message):
    """A masked text frame. RFC 6455, 5.2; a mask of zeros changes nothing."""
    payload = json.dumps(message).encode()
    length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return b"\x81" + length + bytes(4) + payload


def test_a_client_that_reads_nothing_is_disconnected_with_all_others(later):
    async def scenario(bench, http, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.get_extra_info("socket").setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        head = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{HEADER}: {TOKEN}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        writer.write(head.encode())
        await reader.readuntil(b"\r\n\r\n")
        writer.write(frame(INITIALIZE) + frame(INITIALIZED))
        await bench.until(lambda: bench.opened)
        for _ in range(100):  # more than the system takes
            bench.server.notify("at_mentioned", {"text": "x" * 100000})
            await asyncio.sleep(0)
        assert not bench.closed
        bench.server.disconnect()
        await a_moment()
        assert not bench.closed
        later(STOP_SECONDS)
        await bench.until(lambda: bench.closed)
        writer.close()

    run(scenario)


def test_a_stop_sends_what_waits_and_closes_with_a_reason():
    async def scenario(bench, http, port):
        socket = await connect(http, port)
        await handshake(socket)
        for number in range(100):
            bench.server.notify("at_mentioned", {"n": number})
        stopping = asyncio.ensure_future(bench.server.stop())
        messages = [await socket.receive(NEVER_SECONDS) for _ in range(101)]
        assert [json.loads(message.data)["params"]["n"] for message in messages[:-1]] == list(range(100))
        assert (messages[-1].type, messages[-1].data) == (aiohttp.WSMsgType.CLOSE, 1001)
        await socket.close()
        await stopping
        await bench.server.stop()
        with pytest.raises(aiohttp.ClientConnectionError):
            await connect(http, port)
        assert not [task for task in asyncio.all_tasks() if "_Peer" in repr(task)]

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


def test_a_taken_port_is_an_error_and_a_free_one_can_be_had_again():
    async def scenario(bench, http, port):
        other = Bench()
        with pytest.raises(OSError):
            await other.server.start(port)
        await other.server.stop()
        await bench.server.stop()
        assert (await other.server.start(port)).port == port
        try:
            assert await WebSocketClient(port, HEADER, TOKEN, "1").count_tools() == 1
        finally:
            await other.server.stop()

    run(scenario)
