"""Malformed requests: whatever comes, the next client is served, and nothing of it is in the log."""

from __future__ import annotations

import asyncio
import json
import random

from companion.protocol.limits import Limits
from tests.host.waiting import NEVER_SECONDS

ROUNDS = 400
PIECES = [
    b"\r\n", b"\r\n\r\n", b"\n", b"\x00", b":", b" ", b"HTTP/1.1", b"HTTP/9.9", b"GET", b"POST", b"\xff\xfe",
    b"0\r\n\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Length: -1\r\n",
    b"Content-Length: 5\r\nContent-Length: 6\r\n", b"Transfer-Encoding: gzip, chunked\r\n",
    b"Upgrade: websocket\r\nConnection: Upgrade\r\n", b"Host: a\r\nHost: b\r\n", b"Connection: close\r\n",
    b"Expect: 100-continue\r\n", b"/mcp", b"http://evil/mcp", b"{", b"[" * 50, b'"\\ud800"',
    b"Last-Event-ID: \xe9\r\n", b"Mcp-Session-Id: \x01\r\n", b"Accept: ;;;q=x,\r\n", b"Content-Type: ;\r\n",
    b"ffffffffffffffff\r\n",
]  # fmt: skip


def malformed(random_numbers: random.Random, good: bytes) -> bytes:
    """A request with something cut out, doubled, flipped, or put in between."""
    data = bytearray(good)
    for _ in range(random_numbers.randint(1, 4)):
        place = random_numbers.randrange(len(data) + 1)
        kind = random_numbers.randrange(4)
        if kind == 0:
            del data[place : place + random_numbers.randint(1, 30)]
        elif kind == 1:
            data[place:place] = random_numbers.choice(PIECES)
        elif kind == 2 and place < len(data):
            data[place] = random_numbers.randrange(256)
        else:
            data[place:place] = data[: random_numbers.randint(1, 40)]
    return bytes(data)


def test_malformed_requests(run, caplog):
    random_numbers = random.Random(3)

    async def knock(served, data):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        try:
            writer.write(data)
            writer.write_eof()
            answer = await asyncio.wait_for(reader.read(65536), NEVER_SECONDS)
        except (ConnectionError, OSError):
            answer = b""
        finally:
            writer.close()
        assert answer == b"" or answer.startswith((b"HTTP/1.1 ", b"HTTP/1.0 ")), answer[:80]
        assert b"Traceback" not in answer
        assert b"aiohttp" not in answer.lower()

    async def scenario(served):
        call = {"name": "closeDiff", "arguments": {"filePath": "geheim"}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
        post = served.head(Content_Length=str(len(body))) + body
        get = served.head("GET", Mcp_Session_Id="x", Last_Event_ID="1-1")
        for number in range(ROUNDS):
            await knock(served, malformed(random_numbers, post if number % 3 else get))
            if number % 40 == 0:
                assert (await served.post())[0] == 200
        assert (await served.post())[0] == 200

    run(scenario, Limits(request_seconds=1.0))
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_random_bytes(run):
    random_numbers = random.Random(4)

    async def scenario(served):
        for _ in range(100):
            data = bytes(random_numbers.randrange(256) for _ in range(random_numbers.randrange(300)))
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(data)
            writer.write_eof()
            await asyncio.wait_for(reader.read(), NEVER_SECONDS)
            writer.close()
        assert (await served.post())[0] == 200

    run(scenario, Limits(request_seconds=1.0))
