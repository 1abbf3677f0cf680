"""Each bound has its own clear answer, and nobody else notices."""

from __future__ import annotations

import asyncio
import json

import pytest

from companion.protocol.limits import Limits
from companion.protocol.tools import EMPTY
from tests.host.waiting import a_moment

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large(run, chunked):
    async def scenario(served):
        body = b" " * 2001
        if chunked:
            head = served.head(Transfer_Encoding="chunked")
            answer = await served.raw(head + b"7d1\r\n" + body + b"\r\n0\r\n\r\n")
        else:
            answer = await served.post(body)
        assert answer[0] == 413
        assert "2000 bytes" in json.loads(answer[2])["error"]["message"]
        assert (await served.post(b" " * 1000 + PING))[0] == 200

    run(scenario, Limits(body_bytes=2000))


def test_one_that_turns_out_to_be_too_large_counts_no_more(run):
    async def scenario(served):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(served.head(Transfer_Encoding="chunked", Expect="100-continue"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        writer.write(b"7d1\r\n" + b" " * 2001 + b"\r\n0\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 413 ")
        writer.close()
        assert served.server._bodies._held == 0, "nor less than nothing"

    run(scenario, Limits(body_bytes=2000))


def test_a_body_that_announces_too_much_is_refused_before_it_comes(run):
    async def scenario(served):
        assert (await served.raw(served.head(Content_Length=str(2**40))))[0] == 413

    run(scenario)


@pytest.mark.parametrize("where", ["field", "target", "many"])
def test_a_header_that_is_too_large(run, where):
    async def scenario(served):
        extra = {"field": {"X_Long": "x" * 20000}, "target": {}, "many": {}}[where]
        if where == "target":
            head = served.head(path="/mcp?" + "x" * 20000)
        elif where == "many":
            lines = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 8000) for number in range(200))
            head = served.head()[:-2] + lines + b"\r\n"
        else:
            head = served.head(**extra)
        try:
            status, _, _ = await served.raw(head)
        except (ConnectionError, asyncio.IncompleteReadError):
            status = 431  # Cut while it was still sending.
        assert status in (400, 431)
        assert (await served.post())[0] == 200

    run(scenario)


def test_a_body_that_does_not_come(run):
    async def scenario(served):
        status, _, body = await served.raw(served.head(Content_Length="10"))
        assert status == 408
        assert "too long" in json.loads(body)["error"]["message"]

    run(scenario, Limits(request_seconds=0.2))


def test_a_request_that_does_not_come(run):
    async def scenario(served):
        assert (await served.raw(b"POST /mcp HT"))[0] == 408
        assert (await served.raw(b""))[0] == 408

    run(scenario, Limits(request_seconds=0.2))


def test_too_many_connections(run):
    async def scenario(served):
        held = []
        for _ in range(5):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(served.head(Content_Length=str(len(PING))) + PING)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            held.append((reader, writer))
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        assert (await reader.read()).startswith(b"HTTP/1.1 503 ")
        writer.close()
        for _, one in held:
            one.close()
        while (await served.post())[0] != 200:  # the server hears of it a moment later
            await a_moment()

    run(scenario, Limits(connections=5))


def test_connections_that_have_shown_no_token_make_room(run):
    async def scenario(served):
        idle = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(5)]
        await asyncio.sleep(0)
        assert (await served.post())[0] == 200
        assert (await idle[0][0].read()).startswith(b"HTTP/1.1 503 "), "the oldest one"
        for _, one in idle:
            one.close()

    run(scenario, Limits(connections=5))


def test_too_many_requests_at_once(run):
    released = []

    async def tool(call):
        while not released:
            await a_moment()
        return EMPTY

    async def scenario(served):
        call = {"name": "rejectDiff", "arguments": {"filePath": "/a"}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
        running = [asyncio.ensure_future(served.post(body)) for _ in range(3)]
        await served.until(lambda: len(served.calls) == 3)
        status, headers, answer = await served.post(PING)
        assert (status, headers["retry-after"]) == (503, "1")
        assert json.loads(answer)["error"]["code"] == -32603
        released.append(True)
        assert [one[0] for one in await asyncio.gather(*running)] == [200] * 3
        assert (await served.post(PING))[0] == 200

    run(scenario, Limits(requests_in_flight=3), call_tool=tool)


def test_a_client_that_never_reads_is_let_go(run):
    async def scenario(served):
        async with served.client("deaf") as deaf, served.client("good") as good:
            await deaf.connect()
            await good.connect()
            await deaf.listen()
            response = await good.listen()
            reading = asyncio.ensure_future(good.read(response))
            sent = 0
            for number in range(400):
                sent += 1
                served.server.notify("ide/diffAccepted", {"n": number, "content": "x" * 100000})
                await asyncio.sleep(0)
                if number % 20 == 0:
                    await served.until(lambda number=number: len(good.messages) >= number)
                if served.closed:
                    break
            assert [one.client_name for one in served.closed] == ["deaf"]
            await served.until(lambda: len(good.messages) == sent)
            assert [message["params"]["n"] for message in good.messages] == list(range(sent))
            reading.cancel()
            response.close()

    run(scenario, Limits(queued_messages=50))
