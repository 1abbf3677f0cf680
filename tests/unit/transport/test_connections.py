"""When connections and sessions end: in time, for good, and without hurting what goes on."""

from __future__ import annotations

import asyncio
import json

from companion.protocol.limits import Limits
from companion.protocol.tools import EMPTY
from tests.host.waiting import a_moment
from tests.unit.transport.conftest import TOKEN, read_response

OWN_TOKEN = "a-token-of-one-program"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

SILENT = Limits(silent_session_seconds=60.0)


def test_only_the_first_header_of_a_connection_is_counted(run):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            for _ in range(3):
                await client.call("openDiff", filePath="/a", newContent="x" * 800_000)
        assert len(served.calls) == 3

    run(scenario)


def test_a_stop_ends_as_soon_as_the_last_stream_has_ended(run, clock):
    """Not when its time is over: that does not pass here."""

    async def scenario(served):
        async with served.client() as one, served.client() as other:
            for client in (one, other):
                await client.connect()
                await (await client.listen()).content.readline()
            await served.server.stop()

    run(scenario)


def test_a_client_whose_token_is_revoked_gets_what_waited_and_is_out(run):
    async def scenario(served):
        served.server.take({"": TOKEN, "Gemini CLI": OWN_TOKEN})
        async with served.client("gemini") as gemini, served.client("other") as other:
            gemini.token = OWN_TOKEN
            streams = [await (await client.connect()).listen() for client in (gemini, other)]
            plain = await gemini.http.get(f"http://127.0.0.1:{served.port}/events", headers=gemini.headers())
            served.server.notify("note", {"n": 1})
            served.server.take({"": TOKEN})
            served.server.notify("note", {"n": 2})
            await gemini.read(streams[0])  # to its end
            assert b'{"n":2}' not in await plain.read()
            await other.read(streams[1], lambda: len(other.messages) == 2)
            assert [message["params"]["n"] for message in gemini.messages if message] == [1]
            assert (await gemini.send(PING))[0] == 401
            assert (await other.send(PING))[0] == 200
            assert {one.token_name for one in served.closed} == {"Gemini CLI"}

    run(scenario)


def test_what_was_let_in_before_and_comes_afterwards_is_refused(run, monkeypatch):
    async def scenario(served):
        served.server.take({"": TOKEN, "Gemini CLI": OWN_TOKEN})
        admitted, admit = [], served.server._gate.admit
        monkeypatch.setattr(served.server._gate, "admit", lambda *args: admitted.append(admit(*args)) or admitted[-1])
        body = json.dumps(PING).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(served.head(Authorization="Bearer " + OWN_TOKEN, Content_Length=str(len(body))))
        await served.until(lambda: admitted == ["Gemini CLI"])
        served.server.take({"": TOKEN})
        writer.write(body)
        assert (await read_response(reader))[0] == 401
        writer.close()

    run(scenario)


def test_disconnecting_ends_every_session_and_its_stream(run):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            response = await client.listen()
            await response.content.readline()
            served.server.disconnect()
            await client.read(response)  # to its end
            assert len(served.closed) == 1
            assert not served.server.sessions
            status, _, _ = await client.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            assert status == 404

    run(scenario)


def test_a_client_that_is_silent_after_a_long_call_is_let_go_in_time(run, later):
    """While the call ran no time did, so nothing was left that would have gone off."""

    servers, closed_meanwhile = [], []

    async def call_tool(call):
        later(SILENT.silent_session_seconds + 1)
        await a_moment()
        closed_meanwhile.extend(servers[0].closed)
        return EMPTY

    async def scenario(served):
        servers.append(served)
        async with served.client() as client:
            await client.connect()
            await client.call("openDiff", filePath="/a", newContent="x")
            assert not closed_meanwhile
            await a_moment()
            assert not served.closed
            later(SILENT.silent_session_seconds)
            await served.until(lambda: bool(served.closed))

    run(scenario, SILENT, call_tool)


def test_several_clients_that_are_silent_are_let_go_one_after_the_other(run, clock):
    async def scenario(served):
        for name in ("first", "second", "third"):
            async with served.client(name) as client:
                await client.connect()
            clock.advance(1)
        clock.advance(SILENT.silent_session_seconds - 3)
        for count in (1, 2, 3):
            await served.until(lambda count=count: len(served.closed) == count)
            clock.advance(1)
        assert [client.client_name for client in served.closed] == ["first", "second", "third"]

    run(scenario, SILENT)


def test_a_connection_that_we_reset_does_not_count_as_closed_by_the_client(run):
    async def scenario(served):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(served.head("GET", "/events"))
        await reader.readuntil(b"\r\n\r\n")
        (connection,) = served.server._manager.connections
        told = []
        connection.on_lost = told.append
        connection.transport.abort()
        await served.until(lambda: told)
        assert told == [True]
        writer.close()

    run(scenario)
