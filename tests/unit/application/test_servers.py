"""One window's servers: which are started, what they leave behind, and what goes to each."""

from __future__ import annotations

import asyncio

import pytest

from companion.agents.claude_dialect import CLAUDE
from companion.agents.copilot_dialect import COPILOT
from companion.agents.dialect import Message
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint import servers as module
from companion.endpoint.servers import DIALECTS, PRIMARY, Servers
from companion.protocol.serving import Address


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
    assert DIALECTS == (IDE_COMPANION, CLAUDE, COPILOT)
    assert PRIMARY is IDE_COMPANION
    tokens = [token for dialect in DIALECTS for token in bench.servers.secrets(dialect)]
    assert len(set(tokens)) == len(tokens)
    for dialect in DIALECTS:
        task = bench.servers.task_of(dialect)
        assert (task.listener, task.calls) == (f"listener of {dialect.key}", f"calls of {dialect.key}")
        assert task.options["dialect"] is dialect
        assert task.options["body_mebibytes"] == 32
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
    assert bench.asked(CLAUDE) == [("run", states[CLAUDE.key])]
    assert bench.asked(PRIMARY) == [("run", None)]
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
    assert bench.servers.secrets(PRIMARY) == ("token", "of its own")
    assert bench.servers.secrets(COPILOT) == ("other",)
    service = bench.servers.services[PRIMARY.key]
    assert (service.dialect, service.began, service.agent_tokens) == (PRIMARY, 1000500, (("Gemini CLI", "of its own"),))
