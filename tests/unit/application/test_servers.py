"""One window's servers: which are started, what they leave behind, and what each transport is told."""

from __future__ import annotations

import asyncio

import pytest

from companion.agents.claude_dialect import CLAUDE
from companion.agents.copilot_dialect import COPILOT
from companion.agents.dialect import Message
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint import servers as module
from companion.endpoint import serving
from companion.endpoint.address import Address
from companion.endpoint.servers import DIALECTS, PRIMARY, Servers
from companion.protocol.limits import Limits
from companion.protocol.tools import ClientSession, Implementation

CLIENT = ClientSession("session-1", "claude-code", "1", "2025-11-25", 0.0)
IDENTITY = Implementation("gemini-companion", "Gemini Companion", "1")


class State:
    """What a former server has left."""

    def __init__(self, token):
        self.token, self.agent_tokens = token, {"Gemini CLI": "former"}


class Task:
    """Keeps what it is asked."""

    def __init__(self, runtime, libraries, listener, calls, **options):
        self.listener, self.calls, self.options = listener, calls, options
        self.asked = []
        self.left = f"left by {options['dialect'].key}"

    async def run(self, state):
        self.asked.append(("run", state))

    async def stop(self, *, for_good):
        self.asked.append(("stop", for_good))
        return self.left

    async def restart(self):
        self.asked.append("restart")

    def loop_lost(self):
        self.asked.append("loop lost")

    def disconnect(self):
        self.asked.append("disconnect")

    def settings_changed(self, size):
        self.asked.append(size)

    def notify(self, *what):
        self.asked.append(what)


class Runtime:
    """Runs at once."""

    def __init__(self):
        self.order = []

    def spawn(self, function, *args):
        self.order.append(function)
        return asyncio.run(function(*args))

    def on_loop(self, function, *args):
        function(*args)


class Bench:
    """Servers whose tasks keep what they are asked."""

    def __init__(self, states=None):
        self.runtime = Runtime()
        self.servers = Servers(
            self.runtime,
            "libraries",
            "1.2.3",
            32,
            states=states or {},
            listener_of=lambda dialect: f"listener of {dialect.key}",
            calls_of=lambda dialect: f"calls of {dialect.key}",
        )

    def asked(self, dialect):
        return self.servers.task_of(dialect).asked


@pytest.fixture(autouse=True)
def tasks(monkeypatch):
    monkeypatch.setattr(module, "ServerTask", Task)


@pytest.fixture
def bench():
    return Bench()


def test_each_dialect_has_one_server_with_a_token_of_its_own(bench):
    assert DIALECTS == (IDE_COMPANION, CLAUDE, COPILOT) and PRIMARY is IDE_COMPANION
    tokens = [token for dialect in DIALECTS for token in bench.servers.secrets(dialect)]
    assert len(set(tokens)) == len(tokens)
    for dialect in DIALECTS:
        task = bench.servers.task_of(dialect)
        assert (task.listener, task.calls) == (f"listener of {dialect.key}", f"calls of {dialect.key}")
        assert task.options["dialect"] is dialect and task.options["body_mebibytes"] == 32
        assert (task.options["token"], *task.options["agent_tokens"].values()) == bench.servers.secrets(dialect)
    assert set(bench.servers.task_of(PRIMARY).options["agent_tokens"]) == {"Gemini CLI", "Qwen Code", "LLxprt Code"}
    assert not bench.servers.task_of(CLAUDE).options["agent_tokens"]


def test_the_wanted_ones_are_started_once_and_the_primary_one_always_and_last(bench):
    bench.servers.start([CLAUDE])
    assert bench.runtime.order == [bench.servers.task_of(CLAUDE).run, bench.servers.task_of(PRIMARY).run]
    bench.servers.start([CLAUDE, COPILOT])
    assert [bench.asked(dialect) for dialect in DIALECTS] == [[("run", None)]] * 3


def test_a_former_state_goes_to_its_own_server_and_only_once():
    states = {CLAUDE.key: State("kept")}
    bench = Bench(states)
    assert bench.servers.secrets(CLAUDE) == ("kept", "former")
    bench.servers.start([CLAUDE])
    assert bench.asked(CLAUDE) == [("run", states[CLAUDE.key])] and bench.asked(PRIMARY) == [("run", None)]
    assert list(states) == [CLAUDE.key], "whoever gave them keeps them"


def test_what_is_left_is_that_of_the_started_ones_that_leave_something(bench):
    bench.servers.start([CLAUDE])
    bench.servers.task_of(CLAUDE).left = None
    assert bench.servers.stop(for_good=False) == {PRIMARY.key: f"left by {PRIMARY.key}"}
    assert bench.asked(PRIMARY)[-1] == ("stop", False)


def test_what_was_left_for_one_that_is_not_wanted_now_is_left_again():
    states = {CLAUDE.key: State("kept"), PRIMARY.key: State("former")}
    bench = Bench(states)
    bench.servers.start([])
    assert bench.servers.stop(for_good=False) == {PRIMARY.key: f"left by {PRIMARY.key}", CLAUDE.key: states[CLAUDE.key]}


def test_only_started_ones_are_started_again_and_disconnected(bench):
    bench.servers.start([CLAUDE])
    bench.servers.restart()
    bench.servers.loop_lost()
    bench.servers.disconnect()
    for dialect in (PRIMARY, CLAUDE):
        assert bench.asked(dialect)[1:] == ["restart", "loop lost", "disconnect"]
    assert bench.asked(COPILOT) == []


def test_a_limit_is_told_all_since_others_may_be_started_later(bench):
    bench.servers.settings_changed(64)
    assert [bench.asked(dialect) for dialect in DIALECTS] == [[64]] * 3


def test_a_message_goes_to_the_server_of_its_dialect(bench):
    bench.servers.notify(CLAUDE, Message("method", {"a": 1}, "key"), "session-1")
    bench.servers.notify(PRIMARY, Message("method", {}), None)
    assert bench.asked(CLAUDE) == [(Message("method", {"a": 1}, "key"), "session-1")]
    assert bench.asked(PRIMARY) == [(Message("method", {}), None)]
    assert bench.asked(COPILOT) == []


def test_what_listens_is_found_with_its_tokens(bench, monkeypatch):
    monkeypatch.setattr(module.time, "time", lambda: 1000.5)
    bench.servers.listens(PRIMARY, Address(50001), "token", {"Gemini CLI": "of its own"})
    bench.servers.listens(COPILOT, Address(socket="/run/x"), "other", {})
    assert bench.servers.ports() == {PRIMARY.key: 50001}
    assert bench.servers.secrets(PRIMARY) == ("token", "of its own") and bench.servers.secrets(COPILOT) == ("other",)
    service = bench.servers.services[PRIMARY.key]
    assert (service.dialect, service.began, service.agent_tokens) == (PRIMARY, 1000500, (("Gemini CLI", "of its own"),))


class Server:
    """A transport that keeps what it was made with and what it is asked."""

    def __init__(self, **options):
        self.options, self.asked = options, []
        self.sessions = self.clients = {"session-1": CLIENT}

    async def start(self, port):
        self.asked.append(("start", port))
        return port or 50001

    async def start_on_socket(self):
        self.asked.append("start on socket")
        return "/run/x/mcp.sock"

    def import_state(self, state):
        self.asked.append(("import", state))

    def export_state(self):
        return {"sessions": 1}

    async def stop(self, *args, **options):
        self.asked.append(("stop", args, options))

    def notify(self, *args, **options):
        self.asked.append((args, options))
        return True

    def limit_bodies(self, size):
        self.asked.append(("limit", size))

    def disconnect(self):
        self.asked.append("disconnect")


class Carried:
    """A dialect's server on a transport that the test plays."""

    def __init__(self, monkeypatch, dialect):
        made = []

        def make(**options):
            made.append(Server(**options))
            return made[-1]

        monkeypatch.setattr(serving.server, "CompanionServer", make)
        monkeypatch.setattr(serving.websocket_server, "WebSocketServer", make)
        self.heard = []
        hooks = serving.Hooks(
            call_tool="call",
            came="came",
            went=lambda *what: self.heard.append(("went", *what)),
            listed="listed",
            process_known=lambda *what: self.heard.append(("process", *what)),
        )
        secrets = serving.Secrets("token", {"further": "Qwen Code"})
        self.served = serving.make_server(dialect, secrets, hooks, Limits(), IDENTITY, "work")
        (self.server,) = made

    def options(self, *names):
        return tuple(self.server.options[name] for name in names)


@pytest.fixture
def carried(monkeypatch):
    return lambda dialect: Carried(monkeypatch, dialect)


@pytest.mark.parametrize(
    ("dialect", "header", "handshake_only", "status"),
    [(IDE_COMPANION, "", False, 204), (COPILOT, "X-Gemini-Companion-Secret", True, 200)],
)
def test_over_http_the_dialects_traits_are_the_servers(carried, dialect, header, handshake_only, status):
    http = carried(dialect)
    assert http.options("secret_header", "handshake_only", "deleted_status") == (header, handshake_only, status)
    assert http.options("token", "further_tokens") == ("token", {"further": "Qwen Code"})
    assert http.options("tools", "call_tool", "session_opened", "in_worker") == (dialect.tools, "call", "came", "work")
    assert http.options("limits", "identity") == (Limits(), IDENTITY)
    assert http.served.sessions == {"session-1": CLIENT}


def test_on_a_port_it_goes_on_with_what_was_left(carried):
    http = carried(IDE_COMPANION)
    assert asyncio.run(http.served.start(50009, {"sessions": 2})) == Address(50009)
    assert http.server.asked == [("import", {"sessions": 2}), ("start", 50009)]
    assert http.served.export_state() == {"sessions": 1}
    fresh = carried(IDE_COMPANION)
    assert asyncio.run(fresh.served.start(0, {})) == Address(50001)
    assert fresh.server.asked == [("start", 0)]


def test_on_a_socket_everybody_begins_anew(carried):
    http = carried(COPILOT)
    assert asyncio.run(http.served.start(50009, {"sessions": 2})) == Address(socket="/run/x/mcp.sock")
    assert http.server.asked == ["start on socket"] and http.served.export_state() == {}


@pytest.mark.parametrize("dialect", [IDE_COMPANION, COPILOT, CLAUDE])
def test_a_stop_is_handed_on_with_its_times(carried, dialect):
    made = carried(dialect)
    asyncio.run(made.served.stop(4.0))
    asyncio.run(made.served.stop(4.0, 0.5))
    if dialect is CLAUDE:
        assert made.server.asked == [("stop", (), {}), ("stop", (0.5,), {})]
    else:
        assert made.server.asked == [
            ("stop", (), {"come_back_seconds": 4.0}),
            ("stop", (), {"come_back_seconds": 4.0, "seconds": 0.5}),
        ]


@pytest.mark.parametrize("dialect", [IDE_COMPANION, CLAUDE])
def test_what_is_sent_limited_and_ended_is_handed_on(carried, dialect):
    made = carried(dialect)
    made.served.notify(Message("method", {"a": 1}, "key"), "session-1")
    made.served.limit_bodies(1000)
    made.served.disconnect()
    options = {"session": "session-1", "collapse": "key"}
    assert made.server.asked == [(("method", {"a": 1}), options), ("limit", 1000), "disconnect"]


@pytest.mark.parametrize(
    ("told", "heard"),
    [
        ("4321", [4321]),
        ("1", [1]),
        ("0", []),
        ("-1", []),
        ("", []),
        ("x", []),
        ("\u0664", []),
        ("2147483647", [2147483647]),
    ]
    + [("2147483648", [])],
)
def test_copilot_cli_tells_the_id_of_its_process_in_a_header(carried, told, heard):
    http = carried(COPILOT)
    http.server.options["described"](CLIENT, {"X-Copilot-PID": told})
    assert http.heard == [("process", CLIENT, pid) for pid in heard]
    http.heard.clear()
    http.server.options["described"](CLIENT, {})
    assert not http.heard


def test_others_tell_none_in_a_header(carried):
    http = carried(IDE_COMPANION)
    http.server.options["described"](CLIENT, {"": "4321", "X-Copilot-PID": "4321"})
    assert not http.heard


def test_over_a_websocket(carried):
    made = carried(CLAUDE)
    assert made.options("token", "secret_header") == ("token", "X-Claude-Code-Ide-Authorization")
    assert made.options("tools", "call_tool", "session_opened", "tools_listed") == (
        CLAUDE.tools,
        "call",
        "came",
        "listed",
    )
    assert made.options("limits", "identity") == (Limits(), IDENTITY)
    made.server.options["session_closed"](CLIENT)
    made.server.options["notified"](CLIENT, "ide_connected", {"pid": 4321})
    made.server.options["notified"](CLIENT, "log_event", {"pid": 4321})
    assert made.heard == [("went", CLIENT), ("process", CLIENT, 4321)]
    assert asyncio.run(made.served.start(50009, {"sessions": 2})) == Address(50009)
    assert made.server.asked == [("start", 50009)]
    assert made.served.export_state() == {} and made.served.sessions == {"session-1": CLIENT}
