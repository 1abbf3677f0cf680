"""One window's servers: which are started, what they leave behind, and what goes to each."""

from __future__ import annotations

import asyncio

import pytest

from companion.agents.claude_code import CLAUDE, CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT, COPILOT_CLI
from companion.agents.dialect import ClientNotice
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.registry import AGENTS
from companion.agents.window import SharedContext
from companion.endpoint import servers as module
from companion.endpoint.servers import DIALECTS, PRIMARY, Servers
from companion.protocol.serving import Address
from companion.remotes.mapped import MappedDialect


class Task:
    """Keeps what it is asked."""

    def __init__(self, runtime, libraries, listener, version, dialect, state):
        self.dialect, self.left = dialect, state
        self.asked = []

    async def run(self):
        self.asked.append("run")

    async def stop(self, *, for_good):
        self.asked.append(("stop", for_good))
        return self.left

    async def restart(self):
        self.asked.append("restart")

    def disconnect(self):
        self.asked.append("disconnect")

    def notify(self, *what):
        self.asked.append(what)

    def admit(self, names):
        self.asked.append(names)


class Runtime:
    """Runs at once."""

    def __init__(self):
        self.order = []

    def spawn(self, function, *args):
        self.order.append(getattr(function.__self__, "dialect", None))
        return asyncio.run(function(*args))

    def on_loop(self, function, *args):
        function(*args)


class Bench:
    """Servers whose tasks keep what they are asked."""

    def __init__(self, **states):
        self.runtime = Runtime()
        self.servers = Servers(self.runtime, None, None, "1.2.3", states)

    def asked(self):
        return [self.servers._tasks[dialect.key].asked for dialect in DIALECTS]


@pytest.fixture(autouse=True)
def tasks(monkeypatch):
    monkeypatch.setattr(module, "ServerTask", Task)


@pytest.fixture
def bench():
    return Bench()


def test_wanted_servers_start_once_and_the_primary_always_and_last(bench):
    assert DIALECTS == (IDE_COMPANION, CLAUDE, COPILOT)
    assert PRIMARY is IDE_COMPANION
    bench.servers.start([CLAUDE_CODE])
    assert bench.runtime.order == [CLAUDE, PRIMARY]
    bench.servers.start([CLAUDE_CODE, COPILOT_CLI])
    assert bench.asked() == [["run"]] * 3


def test_primary_programs_show_own_tokens_and_only_trials_the_shared_one(bench):
    bench.servers.admit(AGENTS)
    own = [agent.title for agent in AGENTS if agent.has_own_token]
    assert bench.asked() == [[["", *own]], [[""]], [[""]]]
    bench.servers.admit([CLAUDE_CODE])
    assert [asked[-1] for asked in bench.asked()] == [[""], [""], []], "nobody comes in where nobody is wanted"


def test_what_is_left_is_that_of_all_that_leave_something_wanted_or_not():
    bench = Bench(claude="of Claude", ide_companion="of the primary one")
    bench.servers.start([])
    assert bench.servers.stop(for_good=False) == {"claude": "of Claude", "ide_companion": "of the primary one"}
    assert bench.asked()[0] == ["run", ("stop", False)]


def test_only_started_ones_are_started_again_and_disconnected(bench):
    bench.servers.start([CLAUDE_CODE])
    bench.servers.restart()
    bench.servers.disconnect()
    assert bench.asked() == [["run", "restart", "disconnect"]] * 2 + [[]]


def test_a_message_goes_to_the_server_of_its_dialect(bench):
    bench.servers.notify(CLAUDE, ClientNotice("method", {"a": 1}, "key"), "session-1")
    bench.servers.notify(PRIMARY, ClientNotice("method", {}), None)
    keyed = ClientNotice("method", {"a": 1}, "key")
    assert bench.asked() == [[(ClientNotice("method", {}), None)], [(keyed, "session-1")], []]


def test_a_context_is_told_to_each_client_in_the_words_of_its_dialect(bench):
    context = SharedContext({"workspaceState": {}})
    (words,), (others,) = PRIMARY.messages(context), CLAUDE.messages(context)
    bench.servers.publish(context, [(PRIMARY, None), (CLAUDE, "session-1"), (CLAUDE, "session-2")])
    assert bench.asked() == [[(words, None)], [(others, "session-1"), (others, "session-2")], []]


def test_what_listens_is_found_with_its_tokens(bench, monkeypatch):
    monkeypatch.setattr(module.time, "time", lambda: 1000.5)
    tokens = {"": "token", "Gemini CLI": "of its own"}
    bench.servers.listens(PRIMARY, Address(50001), tokens)
    bench.servers.listens(COPILOT, Address(socket="/run/x"), {"": "other"})
    assert bench.servers.ports() == {PRIMARY.key: 50001}
    assert bench.servers.secrets() == ["token", "of its own", "other"]
    assert bench.servers.secrets([COPILOT]) == ["other"]
    assert bench.servers.services[PRIMARY.key] == (PRIMARY, Address(50001), tokens, 1000500)


def test_a_remote_that_is_left_ends_no_servers_of_the_next_one(monkeypatch):
    monkeypatch.setattr(module, "ServerTask", Task)
    bench = Bench()
    servers = bench.servers
    monkeypatch.setattr(bench.runtime, "spawn", lambda function: asyncio.run(function()))
    left, again = (MappedDialect(CLAUDE, "web", None) for _ in range(2))
    servers._make = lambda listener, dialect: Task(None, None, listener, "", dialect, None)
    former, task = servers.carry(left, None, []), servers.carry(again, None, [])
    servers.drop(left)
    assert "disconnect" in former.asked
    assert "disconnect" not in task.asked
    servers.drop(again)
    assert "disconnect" in task.asked
