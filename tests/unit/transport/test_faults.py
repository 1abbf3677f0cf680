"""Faults: connections that break, clients that dawdle, servers that restart. Nothing may be lost or doubled."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
import sys

import aiohttp
import pytest

from companion.protocol.limits import Limits
from tests.host.waiting import NEVER_SECONDS

UPDATES, OUTCOMES, CUTS = 1000, 50, 100


async def talk(served, client, random_numbers, sent, cuts_so_far):
    """Send the updates and outcomes, in small bursts, and all along while the stream is cut."""
    for number in range(UPDATES):
        while number * CUTS > UPDATES * (cuts_so_far() + 1):
            await asyncio.sleep(0.001)
        served.server.notify("ide/contextUpdate", {"n": number}, session=client.session_id)
        sent.append(number)
        if number % (UPDATES // OUTCOMES) == 0:
            served.server.notify("ide/diffAccepted", {"n": UPDATES + number}, session=client.session_id)
            sent.append(UPDATES + number)
        if random_numbers.random() < 0.3:
            await asyncio.sleep(random_numbers.random() * 0.004)


async def cut(response, random_numbers):
    """End a connection the way networks do: politely, or with data unread."""
    await asyncio.sleep(random_numbers.random() * 0.01)
    transport = response.connection.transport if response.connection is not None else None
    if transport is not None and random_numbers.random() < 0.5:
        transport.abort()
    response.close()


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_a_stream_that_is_cut_a_hundred_times(run, revision):
    random_numbers = random.Random(revision)
    cuts = 0

    async def scenario(served):
        nonlocal cuts
        sent = []
        async with served.client(revision=revision) as client:
            await client.connect()
            talking = asyncio.ensure_future(talk(served, client, random_numbers, sent, lambda: cuts))
            while not (talking.done() and len(client.messages) >= len(sent)):
                response = await client.listen()
                if cuts < CUTS:
                    cutting = asyncio.ensure_future(cut(response, random_numbers))
                    with contextlib.suppress(aiohttp.ClientError, OSError):
                        await client.read(response, lambda: len(client.messages) >= UPDATES + OUTCOMES)
                    await cutting
                    cuts += 1
                else:
                    await client.read(response, lambda: len(client.messages) >= UPDATES + OUTCOMES)
                    response.close()
            await talking
            assert [message["params"]["n"] for message in client.messages] == sent
            assert len(sent) == UPDATES + OUTCOMES

    run(scenario)
    assert cuts >= CUTS


@pytest.mark.parametrize("how", ["header", "body"])
def test_two_hundred_slow_senders_do_not_hold_up_a_good_client(run, how):
    async def drip(served, cut_off):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        head = served.head(Content_Length="100000") + b"{" if how == "body" else served.head()[:-40]
        try:
            for byte in head[:30]:
                writer.write(bytes([byte]))
            writer.write(head[30:])
            answer = await reader.read()
            cut_off.append(answer.split(b" ")[1] if answer else b"")
        except ConnectionError:
            cut_off.append(b"")
        finally:
            writer.close()

    async def beside_a_good_client(served, cut_off):
        slow = asyncio.gather(*(drip(served, cut_off) for _ in range(200)))
        async with served.client() as client:
            await client.connect()
            for _ in range(50):
                assert await client.request("ping") == {}
            return slow

    async def never_over(served):
        slow = await beside_a_good_client(served, [])
        slow.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await slow

    async def cut_off_in_time(served):
        cut_off = []
        await (await beside_a_good_client(served, cut_off))
        # Without a token shown, the oldest ones had to make room.
        made_room = cut_off.count(b"503") if how == "header" else 0
        assert cut_off.count(b"408") + made_room == 200

    run(never_over, Limits(request_seconds=10 * NEVER_SECONDS))
    run(cut_off_in_time, Limits(request_seconds=1.0))


def test_a_thirty_two_mebibyte_diff(run):
    text = "a line of text that is about as long as lines are\n" * (32 * 1024 * 1024 // 51)

    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            assert await client.call("openDiff", filePath="/a", newContent=text) == {"content": []}
            assert served.calls[0].arguments["newContent"] == text
            served.server.notify("ide/diffAccepted", {"filePath": "/a", "content": text}, session=client.session_id)
            served.server.notify("ide/diffRejected", {"filePath": "/b"}, session=client.session_id)
            response = await client.listen()
            data = b""
            while b"diffRejected" not in data[-200:]:
                data += await response.content.readany()
            assert len(data) > len(text)
            response.close()

    run(scenario)


class Load:
    """Clients that follow their streams through restarts, and what was sent to each."""

    def __init__(self, served, count):
        self.served = served
        self.clients = [served.client(f"client {number}", "2025-11-25") for number in range(count)]
        self.sent = {}
        self.done = False

    async def follow(self, client):
        wanted = self.sent[client.session_id]

        def complete():
            return self.done and len(client.messages) >= len(wanted)

        while not complete():
            try:
                response = await client.listen()
            except OSError:
                await asyncio.sleep(0.01)
                continue
            await client.read(response, complete)
            response.close()

    def tell_each(self, number):
        for client in self.clients:
            self.served.server.notify("ide/diffAccepted", {"n": number}, session=client.session_id)
            self.sent[client.session_id].append(number)

    async def restart(self):
        former = self.served.server
        await former.stop()
        self.served.server = self.served.make(Limits())
        address = await self.served.server.start(self.served.port, former.export_state())
        assert address.port == self.served.port


def test_a_restart_under_load_loses_no_session_and_no_outcome(run):
    async def scenario(served):
        load = Load(served, 20)
        async with contextlib.AsyncExitStack() as stack:
            for client in load.clients:
                await stack.enter_async_context(client)
                await client.connect()
                load.sent[client.session_id] = []
            following = [asyncio.ensure_future(load.follow(client)) for client in load.clients]
            for number in range(150):
                load.tell_each(number)
                await asyncio.sleep(0.002)
                if number % 30 == 29:
                    await load.restart()
            load.done = True
            load.tell_each("end")
            await asyncio.gather(*following)
            for client in load.clients:
                assert [message["params"]["n"] for message in client.messages] == load.sent[client.session_id]
            assert len(served.opened) == 20
            assert not served.closed

    run(scenario)


def test_a_client_that_went_away_is_noticed(run):
    async def scenario(served):
        async with served.client("gone") as client:
            await client.connect()
            response = await client.listen()
            await response.content.readline()
            response.close()
        await served.until(lambda: bool(served.closed))
        assert [one.client_name for one in served.closed] == ["gone"]
        assert not served.server.sessions

    run(scenario, Limits(stream_grace_seconds=0.3))


ENDS = [("reset", [1, 2]), ("closed", [2])]
if sys.platform == "linux":  # where the socket says so
    ENDS.append(("closed just before it is told more", [1, 2]))


@pytest.mark.parametrize(("how", "again"), ENDS)
def test_only_what_a_torn_connection_may_have_lost_is_sent_again(run, how, again):
    """A client that never shows an event id can only be known by how its connection ended."""

    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(served.head("GET", Mcp_Session_Id=client.session_id, Content_Type=None))
            await reader.readuntil(b": connected")
            served.server.notify("ide/diffAccepted", {"n": 1}, session=client.session_id)
            await reader.readuntil(b'"n":1')
            if how == "reset":
                no_goodbye = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_goodbye)
            writer.close()
            if how in ("reset", "closed"):
                await served.until(lambda: not served.server._streams._writers)
            served.server.notify("ide/diffAccepted", {"n": 2}, session=client.session_id)
            await served.until(lambda: not served.server._streams._writers)
            await client.follow(len(again))
            assert [message["params"]["n"] for message in client.messages] == again

    run(scenario)


def test_a_second_connection_takes_over_from_a_dead_first_one(run):
    """The first one is not closed; it just does not read any more, as a suspended process."""

    async def scenario(served):
        async with served.client(revision="2025-11-25") as client, served.client() as other:
            await client.connect()
            other.session_id, other.revision = client.session_id, client.revision
            dead = await client.listen()
            await client.read(dead, lambda: client.last_event_id is not None)
            other.last_event_id = client.last_event_id
            for number in range(200):  # More than the connection's buffers hold.
                served.server.notify(
                    "ide/diffAccepted", {"n": number, "content": "x" * 100000}, session=client.session_id
                )
            await asyncio.sleep(0.1)
            response = await other.listen()
            await other.read(response, lambda: len(other.messages) == 200)
            with contextlib.suppress(aiohttp.ClientError, OSError):
                await asyncio.wait_for(
                    dead.content.read(), NEVER_SECONDS
                )  # The dead one comes to life, and its connection has ended.
            served.server.notify("ide/diffAccepted", {"n": 200}, session=client.session_id)
            await other.read(response, lambda: len(other.messages) == 201)
            assert [message["params"]["n"] for message in other.messages] == list(range(201))
            response.close()
            dead.close()

    run(scenario, Limits(replay_bytes=64 * 1024 * 1024))


def test_two_hundred_sessions_with_streams(run):
    async def scenario(served):
        clients = [served.client(f"client {number}") for number in range(200)]
        for client in clients:
            await client.__aenter__()
        try:
            await asyncio.gather(*(client.connect() for client in clients))
            following = [asyncio.ensure_future(client.follow(3)) for client in clients]
            await asyncio.sleep(0)
            served.server.notify("ide/contextUpdate", {"n": 0})
            for number, client in enumerate(clients):
                served.server.notify("ide/diffAccepted", {"n": number}, session=client.session_id)
            served.server.notify("ide/contextUpdate", {"n": 1})
            await asyncio.gather(*following)
            for number, client in enumerate(clients):
                assert [message["params"]["n"] for message in client.messages] == [0, number, 1]
            assert len(served.server.sessions) == 200
        finally:
            for client in clients:
                await client.__aexit__()

    run(scenario)


def test_a_stopping_server_says_when_to_come_back(run):
    async def scenario(served):
        for revision in ("2025-06-18", "2025-11-25"):
            async with served.client(revision=revision) as client:
                await client.connect()
                response = await client.listen()
                served.server.notify("ide/diffRejected", {"n": 1}, session=client.session_id)
                await client.read(response, lambda client=client: len(client.messages) == 1)
                former = served.server
                await former.stop(come_back_seconds=5)
                rest = await response.content.read()
                assert b"event: reconnection\nretry: 5000\n" in rest
                served.server = served.make(Limits())
                await served.server.start(served.port)

    run(scenario)
