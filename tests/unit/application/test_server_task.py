"""One window's server: begun again until it listens, restarted, stopped, handed over, and what is told of it."""

from __future__ import annotations

import asyncio
import errno

import aiohttp
import pytest

import companion.transport.server
import companion.transport.websocket_server
from companion.agents.claude_dialect import CLAUDE
from companion.agents.dialect import Message
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint.server_task import (
    COME_BACK_SECONDS,
    ENDING_SECONDS,
    GONE_SECONDS,
    RETRY_SECONDS,
    Listener,
    ServerState,
    ServerTask,
)
from companion.protocol.limits import ENVELOPE, MEBIBYTE
from companion.protocol.serving import Address
from companion.protocol.tools import EMPTY, ClientSession

TOKEN = "secret-token"
AGENT_TOKENS = {"gemini": "other-token"}
CLIENT = ClientSession("session-1", "client", "1", "2025-06-18", 0.0)
OTHER = ClientSession("session-2", "other", "1", "2025-06-18", 0.0)
GONE = "a session that has ended"
TAKEN = OSError(errno.EADDRINUSE, "Address already in use")


class Server:
    """Stands for the real one, which tests of its own cover."""

    made = []
    failures = []  # what the next starts raise
    kept = {}  # the sessions that an imported state brings
    slow = False  # whether the next start waits until it is let go

    def __init__(self, dialect, secrets, hooks, **options):
        self.dialect, self.secrets, self.hooks, self.options = dialect, secrets, hooks, options
        self.sessions = {}
        self.imported = None
        self.asked_port = None
        self.stops = []
        self.patience = None
        self.calls = []
        self.gate = None
        Server.made.append(self)

    async def start(self, port=0, state=None):
        self.asked_port = port
        if state:
            self.imported = state
            self.sessions = dict(Server.kept)
        if Server.slow:
            self.gate = asyncio.get_running_loop().create_future()
            await self.gate
        if Server.failures:
            raise Server.failures.pop(0)
        return Address(port or 5000 + len(Server.made))

    async def stop(self, come_back_seconds=None, seconds=None):
        self.stops.append(come_back_seconds)
        self.patience = seconds

    def abandon(self):
        self.calls.append(("abandon",))

    def export_state(self):
        return {"state of": len(Server.made)}

    def notify(self, *args, **options):
        self.calls.append(("notify", args, options))
        return options["session"] != GONE

    def disconnect(self):
        self.calls.append(("disconnect",))

    def limit_bodies(self, size):
        self.calls.append(("limit", size))


class Libraries:
    """There from the start, or once they are let come."""

    def __init__(self):
        self.missing = None

    async def imported(self, load):
        if self.missing is not None:
            await self.missing
        return load()


class Told:
    """What the main thread was told, in order."""

    def __init__(self):
        self.all = []
        tell = {
            "serving": lambda address, *secrets: self.all.append(("serving", address.port)),
            "client_came": lambda client: self.all.append(("came", client.id)),
            "client_went": lambda client: self.all.append(("went", client.id)),
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
    return lambda **options: ServerTask(
        runtime, libraries, told.listener, call_tool, token=TOKEN, version="1.2",
        **{"agent_tokens": dict(AGENT_TOKENS), "dialect": IDE_COMPANION, "body_mebibytes": 3, **options},
    )  # fmt: skip


@pytest.fixture
def server_task(servers, make):
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
    def test_it_tells_the_port_once_it_listens(self, server_task, servers, told, now, loop, runtime):
        loop.create_task(server_task.run())
        loop.step()
        assert told.all == [], "the main thread hears of it on the main thread"
        runtime.editor.step()
        assert told.since() == [("problem", None), ("serving", 5001)]
        assert servers.made[0].dialect is IDE_COMPANION
        assert servers.made[0].secrets == (TOKEN, AGENT_TOKENS)
        assert servers.made[0].options["limits"].body_bytes == 3 * MEBIBYTE + ENVELOPE
        assert servers.made[0].asked_port == 0

    def test_a_program_that_is_admitted_later_gets_a_token_and_is_announced_and_keeps_it(
        self, servers, told, now, make, loop, runtime
    ):
        tokens = dict(AGENT_TOKENS)
        task = make(agent_tokens=tokens)
        task.admit(["early"])
        now(task.run())
        early = servers.made[0].secrets.further["early"]
        told.since()
        task.admit(["early", "late"])
        now()
        assert told.since() == [("serving", 5001)]
        assert set(servers.made[0].secrets.further) == {"gemini", "early", "late"}
        task.admit(["late", "early"])
        now()
        assert told.since() == []
        assert servers.made[0].secrets.further["early"] == early
        assert len({TOKEN, *tokens.values()}) == 4

    def test_a_dialect_for_websockets_gets_a_server_for_them(self, servers, make, now, monkeypatch):
        monkeypatch.setattr(companion.transport.websocket_server, "WebSocketServer", servers)
        monkeypatch.delattr(companion.transport.server, "CompanionServer")
        now(make(dialect=CLAUDE).run())
        assert [server.dialect for server in servers.made] == [CLAUDE]

    def test_without_the_libraries_it_waits(self, server_task, servers, libraries, told, now, loop):
        libraries.missing = loop.create_future()
        now(server_task.run(), 1000)
        assert servers.made == []
        libraries.missing.set_result(None)
        now()
        assert told.since()[-1] == ("serving", 5001)

    def test_it_tries_again_with_growing_pauses_and_says_why(self, server_task, servers, told, now):
        servers.failures[:] = [TAKEN] * 7
        now(server_task.run())
        pauses = list(RETRY_SECONDS) + [RETRY_SECONDS[-1]] * 2
        for attempt, pause in enumerate(pauses, 1):
            assert told.since() == [("problem", "could not open a port: Address already in use")]
            now(seconds=pause - 0.5)
            assert len(servers.made) == attempt
            now(seconds=0.5)
            assert len(servers.made) == attempt + 1
        assert told.since() == [("problem", None), ("serving", 5008)]

    def test_once_stopped_it_does_not_try_again(self, server_task, servers, now):
        servers.failures[:] = [TAKEN] * 3
        now(server_task.run())
        assert now(server_task.stop(for_good=False)) is None
        now(seconds=100)
        assert len(servers.made) == 1

    def test_a_server_that_listens_only_after_the_stop_is_ended_and_told_to_nobody(
        self, server_task, servers, told, now
    ):
        servers.slow = True
        now(server_task.run())
        assert now(server_task.stop(for_good=False)) is None
        servers.made[0].gate.set_result(None)
        now()
        assert servers.made[0].stops == [None]
        assert told.since() == []

    def test_an_attempt_that_was_overtaken_gives_way(self, server_task, servers, told, now):
        servers.slow = True
        now(server_task.run())
        servers.slow = False
        now(server_task.run())
        assert told.since() == [("problem", None), ("serving", 5002)]
        servers.made[0].gate.set_result(None)
        now()
        assert servers.made[0].stops == [None]
        assert servers.made[1].stops == []
        assert told.since() == []

    def test_so_does_one_that_waits_to_try_again(self, server_task, servers, told, now):
        servers.failures[:] = [TAKEN]
        now(server_task.run())
        now(server_task.run())
        assert len(servers.made) == 2
        now(seconds=1000)
        assert len(servers.made) == 2


class TestTakingOver:
    LEFT = ServerState(4711, TOKEN, AGENT_TOKENS, {"sessions": ["some"]})

    def test_it_goes_on_with_port_and_sessions(self, server_task, servers, told, now):
        servers.kept = {CLIENT.id: CLIENT}
        now(server_task.run(self.LEFT))
        assert servers.made[0].asked_port == 4711
        assert servers.made[0].imported == self.LEFT.state
        assert told.since() == [("came", CLIENT.id), ("problem", None), ("serving", 4711)]

    def test_if_the_port_is_taken_it_begins_anew_at_once(self, server_task, servers, told, now):
        servers.failures[:] = [TAKEN]
        now(server_task.run(self.LEFT))
        assert len(servers.made) == 2
        assert servers.made[1].asked_port == 0
        assert servers.made[1].imported is None, "its clients cannot come back"
        assert told.since() == [("problem", None), ("serving", 5002)]

    def test_whoever_has_the_port_now_does_not_get_to_know_tokens_that_hold(self, server_task, servers, now):
        servers.failures[:] = [TAKEN]
        now(server_task.run(self.LEFT))
        used = [{secrets.token, *secrets.further.values()} for secrets in (server.secrets for server in servers.made)]
        assert used[0] == {TOKEN, *AGENT_TOKENS.values()}
        assert not used[0] & used[1]
        assert len(used[1]) == 1 + len(AGENT_TOKENS)

    def test_a_failure_of_another_kind_is_no_reason_to_give_the_clients_up(self, server_task, servers, now):
        servers.failures[:] = [OSError(errno.EMFILE, "Too many open files")]
        now(server_task.run(self.LEFT))
        now(seconds=RETRY_SECONDS[0])
        assert (servers.made[1].asked_port, servers.made[1].imported) == (4711, self.LEFT.state)
        assert servers.made[1].secrets.token == TOKEN

    @pytest.mark.parametrize("before", ["libraries", "port", "second try"])
    def test_what_it_has_not_gone_on_with_yet_is_left_to_the_next_one(
        self, server_task, servers, libraries, now, loop, before
    ):
        """The package is replaced again before it listens."""
        if before == "libraries":
            libraries.missing = loop.create_future()
        servers.slow = before == "port"
        servers.failures[:] = [OSError(errno.EMFILE, "Too many open files")] if before == "second try" else []
        now(server_task.run(self.LEFT))
        assert now(server_task.stop(for_good=False)) == self.LEFT

    def test_a_state_whose_port_is_taken_is_left_to_nobody(self, server_task, servers, now):
        servers.failures[:] = [TAKEN, OSError(errno.EMFILE, "Too many open files")]
        now(server_task.run(self.LEFT))
        assert now(server_task.stop(for_good=False)) is None

    def test_restarted_before_it_listens_it_goes_on_with_the_same(self, server_task, servers, libraries, now, loop):
        libraries.missing = loop.create_future()
        now(server_task.run(self.LEFT))
        now(server_task.restart())
        libraries.missing.set_result(None)
        now()
        assert [(server.asked_port, server.imported) for server in servers.made] == [(4711, self.LEFT.state)]


class TestEnding:
    def test_clients_are_told_to_leave_a_successor_its_time(self, server_task, servers, now):
        now(server_task.run())
        left = now(server_task.stop(for_good=False))
        assert servers.made[0].stops == [COME_BACK_SECONDS]
        assert servers.made[0].patience == ENDING_SECONDS < 0.2, "the editor waits for it"
        assert left == ServerState(5001, TOKEN, AGENT_TOKENS, {"state of": 1})

    def test_without_a_successor_they_have_given_up_within_a_second(self, server_task, servers, now):
        """They try twice, each time after what they were told."""
        now(server_task.run())
        now(server_task.stop(for_good=True))
        assert servers.made[0].stops == [GONE_SECONDS]
        assert 2 * GONE_SECONDS < 1
        assert servers.made[0].patience == ENDING_SECONDS

    def test_there_is_nothing_to_leave_twice(self, server_task, servers, now):
        now(server_task.run())
        now(server_task.stop(for_good=False))
        assert now(server_task.stop(for_good=False)) is None
        assert len(servers.made[0].stops) == 1

    def test_a_restart_comes_back_at_once_with_port_and_sessions(self, server_task, servers, told, now):
        now(server_task.run())
        told.since()
        now(server_task.restart())
        assert servers.made[0].stops == [None], "nobody is told to wait"
        assert (servers.made[1].asked_port, servers.made[1].imported) == (5001, {"state of": 1})
        assert told.since() == [("problem", None), ("serving", 5001)]

    def test_a_restart_during_a_restart_changes_nothing(self, server_task, servers, now, monkeypatch):
        now(server_task.run())

        async def slow_stop(*times):
            await asyncio.sleep(1)

        monkeypatch.setattr(servers.made[0], "stop", slow_stop)
        now(server_task.restart())
        now(server_task.restart())
        now(seconds=2)
        assert len(servers.made) == 2

    def test_after_a_restart_that_failed_another_one_is_possible(self, server_task, servers, now, monkeypatch):
        now(server_task.run())

        async def fail(*times):
            raise LookupError("nothing")

        monkeypatch.setattr(servers.made[0], "stop", fail)
        with pytest.raises(LookupError):
            now(server_task.restart())
        now(server_task.restart())
        assert len(servers.made) == 2

    def test_a_loop_that_was_lost_is_made_up_for_on_the_next(self, server_task, servers, now, runtime):
        now(server_task.run())
        server_task.loop_lost()
        assert servers.made[0].calls == [("abandon",)]
        ((function, arguments),) = runtime.spawned
        assert function == server_task.run
        assert arguments == (ServerState(5001, TOKEN, AGENT_TOKENS, {"state of": 1}),)

    def test_but_not_after_the_stop(self, server_task, now, runtime):
        now(server_task.run())
        now(server_task.stop(for_good=False))
        server_task.loop_lost()
        assert runtime.spawned == []


class TestClients:
    def come(self, server, client):
        server.sessions[client.id] = client
        server.hooks.came(client)

    def test_they_come_and_go(self, server_task, servers, told, now):
        now(server_task.run())
        told.since()
        self.come(servers.made[0], CLIENT)
        servers.made[0].hooks.went(CLIENT)
        now()
        assert told.since() == [("came", CLIENT.id), ("went", CLIENT.id)]

    def test_those_that_a_restart_could_not_keep_have_gone(self, server_task, servers, told, now):
        now(server_task.run())
        self.come(servers.made[0], CLIENT)
        self.come(servers.made[0], OTHER)
        now()
        told.since()
        servers.kept = {CLIENT.id: CLIENT}
        now(server_task.restart())
        assert told.since() == [("came", CLIENT.id), ("went", OTHER.id), ("problem", None), ("serving", 5001)]
        now(server_task.restart())
        assert ("went", OTHER.id) not in told.since(), "once is enough"

    def test_what_is_for_them_reaches_the_server_while_there_is_one(self, server_task, servers, now):
        server_task.notify(Message("note", {}), None)
        server_task.disconnect()
        server_task.settings_changed(3)
        now(server_task.run())
        server_task.notify(Message("note", {"n": 1}, "key"), "session")
        server_task.disconnect()
        server_task.settings_changed(3)
        assert servers.made[0].calls == [
            ("notify", ("note", {"n": 1}), {"session": "session", "collapse": "key"}),
            ("disconnect",),
            ("limit", 3 * MEBIBYTE + ENVELOPE),
        ]
        now(server_task.stop(for_good=False))
        server_task.notify(Message("note", {}), None)
        assert len(servers.made[0].calls) == 3

    def test_what_is_for_one_of_them_waits_for_the_next_server(self, server_task, servers, now):
        server_task.notify(Message("note", {"n": 1}), CLIENT.id)
        server_task.notify(Message("note", {"n": 2}), None)
        now(server_task.run())
        assert servers.made[0].calls == [("notify", ("note", {"n": 1}), {"session": CLIENT.id, "collapse": None})]


def test_a_real_client_reads_on_its_stream_to_come_back_after_four_seconds(make, told, runtime):
    """A successor needs some seconds; clients give up after three if they are not told otherwise."""

    async def scenario():
        server_task = make()
        await server_task.run()
        runtime.editor.step()
        url = f"http://127.0.0.1:{told.all[-1][1]}/mcp"
        headers = {"Authorization": "Bearer " + TOKEN, "Accept": "application/json, text/event-stream"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        async with aiohttp.ClientSession() as http:
            async with http.post(url, json=message, headers=headers) as response:
                headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
            async with http.get(url, headers=headers) as stream:
                await stream.content.readline()
                await server_task.stop(for_good=False)
                return await stream.content.read()

    assert b"retry: 4000\n" in asyncio.run(asyncio.wait_for(scenario(), 30))
