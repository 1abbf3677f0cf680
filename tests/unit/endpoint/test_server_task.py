"""One window's server: begun again until it listens, restarted, stopped, handed over, and what is told of it."""

from __future__ import annotations

import asyncio
import errno

import pytest

import companion.transport.server
import companion.transport.websocket_server
from companion.agents.claude_code import CLAUDE
from companion.agents.dialect import ClientNotice
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint.servers import (
    COME_BACK_SECONDS,
    ENDING_SECONDS,
    RETRY_SECONDS,
    ServerListener,
    ServerState,
    ServerTask,
)
from companion.protocol.serving import Address, Hooks
from companion.protocol.streams import GONE_SECONDS
from companion.protocol.tools import ClientSession

CLIENT = ClientSession("session-1", "client", "1", "2025-06-18", 0.0)
OTHER = ClientSession("session-2", "other", "1", "2025-06-18", 0.0)
TAKEN = OSError(errno.EADDRINUSE, "Address already in use")
EXHAUSTED = OSError(errno.EMFILE, "Too many open files")
LEFT = ServerState(4711, {"": "secret-token", "gemini": "other-token"}, {"sessions": ["some"]})


class Server:
    """Stands for the real one, which tests of its own cover."""

    made = []
    failures = []  # what the next starts raise
    kept = {}  # the sessions that an imported state brings
    slow = False  # whether the next start waits until it is let go

    def __init__(self, dialect, tokens, hooks, **options):
        self.dialect, self.tokens, self.hooks, self.options = dialect, tokens, hooks, options
        self.sessions = {}
        self.stops, self.calls = [], []
        Server.made.append(self)

    async def start(self, port, state):
        self.asked = (port, state)
        if state:
            self.sessions = dict(Server.kept)
        if Server.slow:
            self.gate = asyncio.get_running_loop().create_future()
            await self.gate
        if Server.failures:
            raise Server.failures.pop(0)
        return Address(port or 5000 + len(Server.made))

    async def stop(self, come_back_seconds=None, seconds=None):
        self.stops.append((come_back_seconds, seconds))

    def export_state(self):
        return {"state of": len(Server.made)}

    def notify(self, *args, **options):
        self.calls.append(("notify", args, options))

    def take(self, tokens):
        self.tokens = tokens

    def disconnect(self):
        self.calls.append(("disconnect",))


class Libraries:
    """There from the start, or once they are let come."""

    missing = None

    async def imported(self, load):
        if self.missing is not None:
            await self.missing
        return load()


class Told:
    """What the main thread was told, in order."""

    def __init__(self):
        self.all = []
        self.listener = ServerListener(
            serving=lambda dialect, address, tokens: self.all.append(("serving", address.port)),
            problem=lambda dialect, problem: self.all.append(("problem", problem)),
            hooks=lambda dialect: Hooks(
                lambda call: None,
                came=lambda client: self.all.append(("came", client.id)),
                went=lambda client: self.all.append(("went", client.id)),
            ),
        )

    def since(self):
        told, self.all = self.all, []
        return told


@pytest.fixture(autouse=True)
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


@pytest.fixture
def make(runtime, libraries, told):
    """Makes tasks, which go on with what a former server has left if that is given."""
    return lambda state=None, dialect=IDE_COMPANION: ServerTask(
        runtime, libraries, told.listener, "1.2", dialect, state
    )


@pytest.fixture
def task(make):
    return make()


@pytest.fixture
def heir(make):
    return make(LEFT)


@pytest.fixture
def now(loop, runtime):
    """Begins a coroutine and lets all run that can run: first on the loop, then on the main thread."""

    def run(coroutine=None, seconds=0.0):
        begun = loop.create_task(coroutine) if coroutine is not None else None
        loop.step(seconds)
        runtime.editor.step()
        return begun.result() if begun is not None and begun.done() else None

    return run


class TestListening:
    def test_it_tells_the_port_once_it_listens(self, task, servers, told, loop, runtime):
        loop.create_task(task.run())
        loop.step()
        assert told.all == [], "the main thread hears of it on the main thread"
        runtime.editor.step()
        assert told.since() == [("problem", None), ("serving", 5001)]
        (server,) = servers.made
        assert server.dialect is IDE_COMPANION
        assert server.asked == (0, {})

    def test_an_admitted_program_gets_a_token_is_announced_and_keeps_it(self, task, servers, told, now):
        task.admit(["", "early"])
        now(task.run())
        (server,) = servers.made
        first = dict(server.tokens)
        told.since()
        task.admit(["", "early", "late"])
        now()
        assert told.since() == [("serving", 5001)]
        task.admit(["late", "early", ""])
        now()
        assert told.since() == []
        assert {name: server.tokens[name] for name in first} == first
        assert len(set(server.tokens.values())) == len(server.tokens) == 3

    @pytest.mark.parametrize("who", ["", "early"])
    def test_a_program_that_is_admitted_no_more_loses_its_token_for_good(self, task, servers, told, now, who):
        task.admit(["", "early"])
        now(task.run())
        (server,) = servers.made
        first = server.tokens
        told.since()
        task.admit([each for each in first if each != who])
        now()
        assert server.tokens == {name: token for name, token in first.items() if name != who}
        assert told.since() == [("serving", 5001)], "its file names a token that nobody takes"
        task.admit(list(first))
        assert server.tokens[who] != first[who]

    def test_a_program_switched_off_during_the_start_is_off_after_the_start(self, task, servers, now):
        servers.slow = True
        task.admit(["early", "late"])
        now(task.run())
        task.admit(["early"])
        servers.made[0].gate.set_result(None)
        now()
        assert list(servers.made[0].tokens) == ["early"]

    def test_a_dialect_for_websockets_gets_a_server_for_them(self, servers, make, now, monkeypatch):
        monkeypatch.setattr(companion.transport.websocket_server, "WebSocketServer", servers)
        monkeypatch.delattr(companion.transport.server, "CompanionServer")
        now(make(dialect=CLAUDE).run())
        assert [server.dialect for server in servers.made] == [CLAUDE]

    def test_without_the_libraries_it_waits(self, task, servers, libraries, told, now, loop):
        libraries.missing = loop.create_future()
        now(task.run(), 1000)
        assert servers.made == []
        libraries.missing.set_result(None)
        now()
        assert told.since()[-1] == ("serving", 5001)

    def test_it_tries_again_with_growing_pauses_and_says_why(self, task, servers, told, now):
        servers.failures[:] = [TAKEN] * 7
        now(task.run())
        pauses = list(RETRY_SECONDS) + [RETRY_SECONDS[-1]] * 2
        for attempt, pause in enumerate(pauses, 1):
            assert told.since() == [("problem", "could not open a port: Address already in use")]
            now(seconds=pause - 0.5)
            assert len(servers.made) == attempt
            now(seconds=0.5)
            assert len(servers.made) == attempt + 1
        assert told.since() == [("problem", None), ("serving", 5008)]

    @pytest.mark.parametrize("end", ["stop", "another run"])
    def test_another_run_or_the_end_replaces_a_wait_to_try_again(self, task, servers, now, end):
        servers.failures[:] = [TAKEN]
        now(task.run())
        now(task.run() if end == "another run" else task.stop(for_good=False))
        so_far = len(servers.made)
        now(seconds=1000)
        assert len(servers.made) == so_far == (2 if end == "another run" else 1)

    @pytest.mark.parametrize("end", ["stop", "another run"])
    def test_a_server_that_listens_too_late_is_ended_and_told_to_nobody(self, task, servers, told, now, end):
        servers.slow = True
        now(task.run())
        servers.slow = False
        now(task.run() if end == "another run" else task.stop(for_good=False))
        told.since()
        servers.made[0].gate.set_result(None)
        now()
        assert servers.made[0].stops == [(None, None)]
        assert [server.stops for server in servers.made[1:]] == ([[]] if end == "another run" else [])
        assert told.since() == []


class TestTakingOver:
    def test_it_goes_on_with_port_tokens_and_sessions(self, heir, servers, told, now):
        servers.kept = {CLIENT.id: CLIENT}
        now(heir.run())
        assert servers.made[0].asked == (4711, LEFT.state)
        assert servers.made[0].tokens == LEFT.tokens
        assert told.since() == [("came", CLIENT.id), ("problem", None), ("serving", 4711)]

    def test_if_the_port_is_taken_it_begins_anew_at_once_with_other_tokens(self, heir, servers, told, now):
        """Whoever has the port now is shown the old ones."""
        servers.failures[:] = [TAKEN]
        now(heir.run())
        former, new = servers.made
        assert new.asked == (0, {}), "its clients cannot come back"
        assert told.since() == [("problem", None), ("serving", 5002)]
        assert former.tokens == LEFT.tokens
        assert not {*former.tokens.values()} & {*new.tokens.values()}
        assert len({*new.tokens.values()}) == 2

    def test_a_failure_of_another_kind_is_no_reason_to_give_the_clients_up(self, heir, servers, now):
        servers.failures[:] = [EXHAUSTED]
        now(heir.run())
        now(seconds=RETRY_SECONDS[0])
        assert servers.made[1].asked == (4711, LEFT.state)
        assert servers.made[1].tokens[""] == LEFT.tokens[""]

    @pytest.mark.parametrize("before", ["start", "libraries", "port", "second try"])
    def test_what_it_has_not_gone_on_with_yet_is_left_to_the_next_one(
        self, heir, servers, libraries, now, loop, before
    ):
        """The package is replaced again before it listens, or the server was not wanted meanwhile."""
        if before == "libraries":
            libraries.missing = loop.create_future()
        servers.slow = before == "port"
        servers.failures[:] = [EXHAUSTED] if before == "second try" else []
        if before != "start":
            now(heir.run())
        assert now(heir.stop(for_good=False)) == LEFT

    def test_a_state_whose_port_is_taken_is_left_to_nobody(self, heir, servers, now):
        servers.failures[:] = [TAKEN, EXHAUSTED]
        now(heir.run())
        assert now(heir.stop(for_good=False)) is None

    def test_begun_again_before_it_listens_it_goes_on_with_the_same(self, heir, servers, libraries, now, loop):
        libraries.missing = loop.create_future()
        now(heir.run())
        now(heir.restart())
        libraries.missing.set_result(None)
        now()
        assert [server.asked for server in servers.made] == [(4711, LEFT.state)]


class TestEnding:
    @pytest.mark.parametrize(("for_good", "seconds"), [(False, COME_BACK_SECONDS), (True, GONE_SECONDS)])
    def test_clients_are_told_when_to_come_back_and_the_editor_hardly_waits(
        self, task, servers, now, for_good, seconds
    ):
        """A successor needs its time. Without one they have given up within a second: they try twice."""
        task.admit(["", "gemini"])
        now(task.run())
        tokens = servers.made[0].tokens
        left = now(task.stop(for_good=for_good))
        assert servers.made[0].stops == [(seconds, ENDING_SECONDS)]
        assert left == ServerState(5001, {"": tokens[""], "gemini": tokens["gemini"]}, {"state of": 1})
        assert ENDING_SECONDS < 0.2
        assert 2 * GONE_SECONDS < 1

    def test_a_restart_comes_back_at_once_with_port_and_sessions(self, task, servers, told, now):
        now(task.run())
        told.since()
        now(task.restart())
        assert servers.made[0].stops == [(None, None)], "nobody is told to wait"
        assert servers.made[1].asked == (5001, {"state of": 1})
        assert told.since() == [("problem", None), ("serving", 5001)]

    def test_a_restart_during_a_restart_changes_nothing(self, task, servers, now, monkeypatch):
        now(task.run())

        async def slow_stop(*times):
            await asyncio.sleep(1)

        monkeypatch.setattr(servers.made[0], "stop", slow_stop)
        now(task.restart())
        now(task.restart())
        now(seconds=2)
        assert len(servers.made) == 2

    def test_after_a_restart_that_failed_another_one_is_possible(self, task, servers, now, monkeypatch):
        now(task.run())

        async def fail(*times):
            raise LookupError("nothing")

        monkeypatch.setattr(servers.made[0], "stop", fail)
        with pytest.raises(LookupError):
            now(task.restart())
        now(task.restart())
        assert len(servers.made) == 2


class TestClients:
    def test_those_that_a_restart_could_not_keep_have_gone(self, task, servers, told, now):
        now(task.run())
        for client in (CLIENT, OTHER):
            servers.made[0].sessions[client.id] = client
            servers.made[0].hooks.came(client)
        now()
        told.since()
        servers.kept = {CLIENT.id: CLIENT}
        now(task.restart())
        assert told.since() == [("came", CLIENT.id), ("went", OTHER.id), ("problem", None), ("serving", 5001)]
        now(task.restart())
        assert ("went", OTHER.id) not in told.since(), "once is enough"

    def test_the_latest_message_of_each_kind_waits_for_the_next_server(self, task, servers, now):
        def ask():
            task.notify(ClientNotice("note", {"n": 1}, "key"), None)
            task.disconnect()

        task.notify(ClientNotice("note", {"n": 2}), CLIENT.id)
        task.notify(ClientNotice("note", {"n": 0}, "key"), None)
        ask()
        now(task.run())
        ask()
        waited = [
            ("notify", ("note", {"n": 2}), {"session": CLIENT.id, "collapse": None}),
            ("notify", ("note", {"n": 1}), {"session": None, "collapse": "key"}),
        ]
        expected = [
            *waited,
            ("notify", ("note", {"n": 1}), {"session": None, "collapse": "key"}),
            ("disconnect",),
        ]
        assert servers.made[0].calls == expected
        now(task.stop(for_good=False))
        ask()
        assert servers.made[0].calls == expected
