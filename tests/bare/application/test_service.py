"""One window's server: begun again until it listens, restarted, stopped, handed over, and what is told of it."""

from __future__ import annotations

import asyncio
import errno

import aiohttp
import pytest

import companion.transport.server
from companion.protocol.limits import ENVELOPE, MEBIBYTE
from companion.protocol.tools import EMPTY, ClientSession
from companion.service import COME_BACK_SECONDS, RETRY_SECONDS, Inheritance, Listener, Service

TOKEN = "secret-token"
FAMILY = {"gemini": "other-token"}
CLIENT = ClientSession("session-1", "client", "1", "2025-06-18", 0.0)
OTHER = ClientSession("session-2", "other", "1", "2025-06-18", 0.0)
TAKEN = OSError(errno.EADDRINUSE, "Address already in use")


class Server:
    """Stands for the real one, which tests of its own cover."""

    made = []
    failures = []  # what the next starts raise
    kept = {}  # the sessions that an imported state brings
    slow = False  # whether the next start waits until it is let go

    def __init__(self, **options):
        self.options = options
        self.sessions = {}
        self.imported = None
        self.asked_port = None
        self.stops = []
        self.calls = []
        self.gate = None
        Server.made.append(self)

    def import_state(self, state):
        self.imported = state
        self.sessions = dict(Server.kept)

    async def start(self, port=0):
        self.asked_port = port
        if Server.slow:
            self.gate = asyncio.get_running_loop().create_future()
            await self.gate
        if Server.failures:
            raise Server.failures.pop(0)
        return port or 5000 + len(Server.made)

    async def stop(self, *, come_back_seconds=None, seconds=None):
        self.stops.append(come_back_seconds)

    def export_state(self):
        return {"state of": len(Server.made)}

    def notify(self, *args, **options):
        self.calls.append(("notify", args, options))
        return True

    def disconnect(self):
        self.calls.append(("disconnect",))

    def limit_bodies(self, size):
        self.calls.append(("limit", size))


class Libraries:
    """There from the start, or once they are let come."""

    def __init__(self):
        self.missing = None

    async def available(self):
        if self.missing is not None:
            await self.missing


class Told:
    """What the main thread was told, in order."""

    def __init__(self):
        self.all = []
        tell = {
            "serving": lambda port, *secrets: self.all.append(("serving", port)),
            "client_came": lambda client: self.all.append(("came", client.id)),
            "client_went": lambda client, tags: self.all.append(("went", client.id, tags)),
            "problem": lambda problem: self.all.append(("problem", problem)),
        }
        self.listener = Listener(*[tell.get(name, self.all.append) for name in Listener._fields])

    def since(self):
        told, self.all = self.all, []
        return told


@pytest.fixture
def servers(monkeypatch):
    for name, value in (("made", []), ("failures", []), ("kept", {}), ("slow", False)):
        monkeypatch.setattr(Server, name, value)
    monkeypatch.setattr(companion.transport.server, "CompanionServer", Server)
    return Server


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def libraries():
    return Libraries()


async def call_tool(call):
    return EMPTY


@pytest.fixture
def make(runtime, libraries, told):
    """Makes services."""
    return lambda **options: Service(
        runtime, libraries, told.listener, call_tool, token=TOKEN, agent_tokens=FAMILY, version="1.2",
        **{"body_mebibytes": lambda: 3, **options},
    )  # fmt: skip


@pytest.fixture
def service(servers, make):
    return make()


@pytest.fixture
def now(loop, runtime):
    """Begins a coroutine and lets all run that can run: first on the loop, then on the main thread."""

    def run(coroutine=None, seconds=0.0):
        task = loop.create_task(coroutine) if coroutine is not None else None
        loop.step(seconds)
        runtime.editor.step()
        return task.result() if task is not None and task.done() else None

    return run


class TestListening:
    def test_it_tells_the_port_once_it_listens(self, service, servers, told, now, loop, runtime):
        loop.create_task(service.run())
        loop.step()
        assert told.all == [], "the main thread hears of it on the main thread"
        runtime.editor.step()
        assert told.since() == [("problem", None), ("serving", 5001)]
        options = servers.made[0].options
        assert (options["token"], options["further_tokens"]) == (TOKEN, FAMILY)
        assert options["limits"].body_bytes == 3 * MEBIBYTE + ENVELOPE
        assert servers.made[0].asked_port == 0

    def test_without_the_libraries_it_waits(self, service, servers, libraries, told, now, loop):
        libraries.missing = loop.create_future()
        now(service.run(), 1000)
        assert servers.made == []
        libraries.missing.set_result(None)
        now()
        assert told.since()[-1] == ("serving", 5001)

    def test_it_tries_again_with_growing_pauses_and_says_why(self, service, servers, told, now):
        servers.failures[:] = [TAKEN] * 7
        now(service.run())
        pauses = list(RETRY_SECONDS) + [RETRY_SECONDS[-1]] * 2
        for attempt, pause in enumerate(pauses, 1):
            assert told.since() == [("problem", "could not open a port: Address already in use")]
            now(seconds=pause - 0.5)
            assert len(servers.made) == attempt
            now(seconds=0.5)
            assert len(servers.made) == attempt + 1
        assert told.since() == [("problem", None), ("serving", 5008)]

    def test_once_stopped_it_does_not_try_again(self, service, servers, now):
        servers.failures[:] = [TAKEN] * 3
        now(service.run())
        assert now(service.stop()) is None
        now(seconds=100)
        assert len(servers.made) == 1

    def test_a_server_that_listens_only_after_the_stop_is_ended_and_told_to_nobody(self, service, servers, told, now):
        servers.slow = True
        now(service.run())
        assert now(service.stop()) is None
        servers.made[0].gate.set_result(None)
        now()
        assert servers.made[0].stops == [None]
        assert told.since() == []

    def test_an_attempt_that_was_overtaken_gives_way(self, service, servers, told, now):
        servers.slow = True
        now(service.run())
        servers.slow = False
        now(service.run())
        assert told.since() == [("problem", None), ("serving", 5002)]
        servers.made[0].gate.set_result(None)
        now()
        assert servers.made[0].stops == [None]
        assert servers.made[1].stops == []
        assert told.since() == []


    def test_so_does_one_that_waits_to_try_again(self, service, servers, told, now):
        servers.failures[:] = [TAKEN]
        now(service.run())
        now(service.run())
        assert len(servers.made) == 2
        now(seconds=1000)
        assert len(servers.made) == 2


class TestTakingOver:
    LEFT = Inheritance(4711, TOKEN, FAMILY, {"sessions": ["some"]})

    def test_it_goes_on_with_port_and_sessions(self, service, servers, told, now):
        servers.kept = {CLIENT.id: CLIENT}
        now(service.run(self.LEFT))
        assert servers.made[0].asked_port == 4711
        assert servers.made[0].imported == self.LEFT.state
        assert told.since() == [("came", CLIENT.id), ("problem", None), ("serving", 4711)]

    def test_if_the_port_is_taken_it_begins_anew_at_once(self, service, servers, told, now):
        servers.failures[:] = [TAKEN]
        now(service.run(self.LEFT))
        assert len(servers.made) == 2
        assert servers.made[1].asked_port == 0
        assert servers.made[1].imported is None, "its clients cannot come back"
        assert told.since() == [("problem", None), ("serving", 5002)]


class TestEnding:
    def test_clients_are_told_to_leave_a_successor_its_time(self, service, servers, now):
        now(service.run())
        left = now(service.stop())
        assert servers.made[0].stops == [COME_BACK_SECONDS]
        assert left == Inheritance(5001, TOKEN, FAMILY, {"state of": 1})

    def test_there_is_nothing_to_leave_twice(self, service, servers, now):
        now(service.run())
        now(service.stop())
        assert now(service.stop()) is None
        assert len(servers.made[0].stops) == 1

    def test_a_restart_comes_back_at_once_with_port_and_sessions(self, service, servers, told, now):
        now(service.run())
        told.since()
        now(service.restart())
        assert servers.made[0].stops == [None], "nobody is told to wait"
        assert (servers.made[1].asked_port, servers.made[1].imported) == (5001, {"state of": 1})
        assert told.since() == [("problem", None), ("serving", 5001)]

    def test_a_restart_during_a_restart_changes_nothing(self, service, servers, now, monkeypatch):
        now(service.run())

        async def slow_stop(**options):
            await asyncio.sleep(1)

        monkeypatch.setattr(servers.made[0], "stop", slow_stop)
        now(service.restart())
        now(service.restart())
        now(seconds=2)
        assert len(servers.made) == 2

    def test_after_a_restart_that_failed_another_one_is_possible(self, service, servers, now, monkeypatch):
        now(service.run())

        async def fail(**options):
            raise LookupError("nothing")

        monkeypatch.setattr(servers.made[0], "stop", fail)
        with pytest.raises(LookupError):
            now(service.restart())
        now(service.restart())
        assert len(servers.made) == 2

    def test_a_loop_that_was_lost_is_made_up_for_on_the_next(self, service, servers, now, runtime):
        now(service.run())
        service.loop_lost()
        (function, arguments), = runtime.spawned
        assert function == service.run
        assert arguments == (Inheritance(5001, TOKEN, FAMILY, {"state of": 1}),)

    def test_but_not_after_the_stop(self, service, now, runtime):
        now(service.run())
        now(service.stop())
        service.loop_lost()
        assert runtime.spawned == []


class TestClients:
    def come(self, server, client):
        server.sessions[client.id] = client
        server.options["session_opened"](client)

    def test_they_come_and_go(self, service, servers, told, now):
        now(service.run())
        told.since()
        self.come(servers.made[0], CLIENT)
        servers.made[0].options["session_closed"](CLIENT, ["a tag"])
        now()
        assert told.since() == [("came", CLIENT.id), ("went", CLIENT.id, ["a tag"])]

    def test_those_that_a_restart_could_not_keep_have_gone(self, service, servers, told, now):
        now(service.run())
        self.come(servers.made[0], CLIENT)
        self.come(servers.made[0], OTHER)
        now()
        told.since()
        servers.kept = {CLIENT.id: CLIENT}
        now(service.restart())
        assert told.since() == [("came", CLIENT.id), ("went", OTHER.id, []), ("problem", None), ("serving", 5001)]
        now(service.restart())
        assert ("went", OTHER.id, []) not in told.since(), "once is enough"

    def test_what_is_for_them_reaches_the_server_while_there_is_one(self, service, servers, now):
        service.notify("note", {}, None, None)
        service.disconnect()
        service.settings_changed()
        now(service.run())
        service.notify("note", {"n": 1}, "session", "key", "tag")
        service.disconnect()
        service.settings_changed()
        assert servers.made[0].calls == [
            ("notify", ("note", {"n": 1}), {"session": "session", "collapse": "key", "tag": "tag"}),
            ("disconnect",),
            ("limit", 3 * MEBIBYTE + ENVELOPE),
        ]
        now(service.stop())
        service.notify("note", {}, None, None)
        assert len(servers.made[0].calls) == 3


def test_a_real_client_reads_on_its_stream_to_come_back_after_four_seconds(make, told, runtime):
    """A successor needs some seconds; clients give up after three if they are not told otherwise."""

    async def scenario():
        service = make()
        await service.run()
        runtime.editor.step()
        url = "http://127.0.0.1:{}/mcp".format(told.all[-1][1])
        headers = {"Authorization": "Bearer " + TOKEN, "Accept": "application/json, text/event-stream"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        async with aiohttp.ClientSession() as http:
            async with http.post(url, json=message, headers=headers) as response:
                headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
            async with http.get(url, headers=headers) as stream:
                await stream.content.readline()
                await service.stop()
                return await stream.content.read()

    assert b"retry: 4000\n" in asyncio.run(asyncio.wait_for(scenario(), 30))
