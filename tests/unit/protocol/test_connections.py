"""One client on a connection that carries messages both ways: what Claude Code and opencode say, and the answers."""

from __future__ import annotations

import json

from companion.protocol.core import Protocol
from companion.protocol.exchanges import CallCancelled, Notified, SessionClosed, SessionOpened, ToolsListed, Wake
from companion.protocol.limits import Limits
from companion.protocol.sessions import SessionState
from companion.protocol.tools import Cancellation, Implementation, Tool, ToolCall, text_result
from tests.support.dialects import dialect

TOOL = Tool("openDiff", "Open Diff", "Opens a diff.", {"type": "object", "properties": {"path": {"type": "string"}}})
INITIALIZE = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"roots": {"listChanged": True}, "elicitation": {}},
        "clientInfo": {"name": "claude-code", "version": "2.1.330"},
    },
    "jsonrpc": "2.0",
    "id": 0,
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Talk:
    """One connection: its effects, without those that only say that there is something to write, and its calls."""

    def __init__(self, limits):
        self.core = Protocol(dialect([TOOL]), Implementation("companion", "Companion", "1"), limits)
        self.core.catalogue.arguments.prepare()
        self.session = self.core.registry.connection("client-1", 0.0)

    @property
    def state(self):
        return self.session.state

    def receive(self, message):
        reaction = self.core.receive(self.session, message, 0, 0.0)
        return [*told(reaction.events), *(reaction.reply.calls if reaction.reply is not None else ())]

    def finish(self, call, result):
        return told(self.core.finish(call, result, 0.0))

    def notify(self, method, params, collapse=None):
        return told(self.core.registry.notify(method, params, None, collapse))

    def lost(self):
        return told(self.core.registry.close(self.session, "the connection has ended"))

    def take(self):
        return self.session.take()


def told(events):
    return [each for each in events if type(each) is not Wake]


def new(limits=Limits()):
    return Talk(limits)


def say(talk, message):
    return talk.receive(message)


def heard(talk):
    return [json.loads(payload) for payload in talk.take()]


def opened(limits=Limits()):
    talk = new(limits)
    say(talk, INITIALIZE)
    say(talk, INITIALIZED)
    heard(talk)
    return talk


def call(talk, number=1, name="openDiff", **arguments):
    return say(
        talk,
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}},
    )


def test_the_handshake_of_claude_code():
    talk = new()
    assert say(talk, INITIALIZE) == []
    (answer,) = heard(talk)
    assert answer["id"] == 0
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    (effect,) = say(talk, INITIALIZED)
    assert isinstance(effect, SessionOpened)
    assert effect.client[:4] == ("client-1", "claude-code", "2.1.330", "2025-11-25")
    assert say(talk, {"method": "ide_connected", "params": {"pid": 4711}, "jsonrpc": "2.0"}) == [
        Notified(effect.client, "ide_connected", {"pid": 4711})
    ]
    assert say(talk, {"method": "tools/list", "jsonrpc": "2.0", "id": 1}) == [ToolsListed(effect.client)]
    assert [tool["name"] for tool in heard(talk)[0]["result"]["tools"]] == ["openDiff"]


def test_no_notification_goes_out_before_the_client_is_ready():
    talk = new()
    talk.notify("selection_changed", {"text": "early"})
    say(talk, INITIALIZE)
    talk.notify("selection_changed", {"text": "early"})
    assert [message.get("method") for message in heard(talk)] == [None]
    say(talk, INITIALIZED)
    talk.notify("selection_changed", {"text": "now"})
    assert heard(talk) == [{"jsonrpc": "2.0", "method": "selection_changed", "params": {"text": "now"}}]


def test_what_a_client_tells_before_it_is_ready_counts_for_nothing():
    talk = new()
    connected = {"method": "ide_connected", "params": {"pid": 4711}, "jsonrpc": "2.0"}
    assert say(talk, connected) == []
    say(talk, INITIALIZE)
    assert say(talk, connected) == []


def test_a_newer_selection_takes_the_place_of_one_that_still_waits():
    talk = opened()
    for text in ("one", "two"):
        talk.notify("selection_changed", {"text": text}, "selection")
    talk.notify("at_mentioned", {"filePath": "/a.py"})
    assert [message["params"] for message in heard(talk)] == [{"text": "two"}, {"filePath": "/a.py"}]


def test_a_call_is_answered_when_the_user_has_decided():
    talk = opened()
    (run,) = call(talk, 7, path="/a.py")
    assert isinstance(run, ToolCall)
    assert run.arguments == {"path": "/a.py"}
    assert heard(talk) == []
    talk.finish(run, text_result("FILE_SAVED"))
    talk.finish(run, text_result("again"))
    assert heard(talk) == [{"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "FILE_SAVED"}]}}]


def test_a_call_that_was_taken_back_is_not_answered():
    talk = opened()
    (run,) = call(talk, 7)
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert say(talk, cancelled) == [CallCancelled(run, Cancellation.BY_CLIENT)]
    talk.finish(run, text_result("late"))
    assert heard(talk) == []


def test_a_lost_connection_takes_its_calls_back_once():
    talk = opened()
    (run,) = call(talk)
    cancelled, closed = talk.lost()
    assert cancelled == CallCancelled(run, Cancellation.CONNECTION_LOST)
    assert isinstance(closed, SessionClosed)
    assert talk.lost() == []
    assert talk.state is SessionState.CLOSED
    assert talk.finish(run, text_result("late")) == []
    assert heard(talk) == []


def test_what_cannot_be_served_is_said():
    talk = opened()
    for message, code in (
        ({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, -32601),
        ({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "executeCode"}}, -32602),
        (INITIALIZE, -32600),
        ({"id": 3, "method": "ping"}, -32600),
        ([], -32600),
    ):
        assert say(talk, message) == []
        assert heard(talk)[0]["error"]["code"] == code
    call(talk, 9, path=3)
    assert heard(talk)[0]["result"]["isError"] is True


def error_of(talk):
    (message,) = heard(talk)
    return message["id"], message["error"]["code"], message["error"]["message"]


def test_no_tool_is_called_before_the_handshake():
    talk = new()
    assert call(talk, 3) == []
    assert error_of(talk) == (3, -32600, "Initialize first.")
    assert say(talk, {"jsonrpc": "2.0", "id": 4, "method": "ping"}) == []
    assert heard(talk) == [{"jsonrpc": "2.0", "id": 4, "result": {}}]


def test_between_its_two_messages_a_client_may_call_already():
    talk = new()
    say(talk, INITIALIZE)
    assert len(call(talk, 3)) == 1


def test_a_client_is_ready_once():
    talk = new()
    assert say(talk, INITIALIZED) == [], "it has not even said who it is"
    assert talk.state is SessionState.CONNECTED
    say(talk, INITIALIZE)
    assert len(say(talk, INITIALIZED)) == 1
    assert say(talk, INITIALIZED) == []
    assert talk.state is SessionState.LISTENING


def test_a_greeting_that_is_none_is_refused_and_may_be_sent_again():
    talk = new()
    assert say(talk, dict(INITIALIZE, params={"clientInfo": "claude"})) == []
    assert error_of(talk) == (0, -32602, '"clientInfo" must be an object.')
    assert talk.state is SessionState.CONNECTED
    say(talk, INITIALIZE)
    assert talk.state is SessionState.NEW


def test_nothing_is_heard_of_a_client_that_has_gone():
    talk = opened()
    talk.lost()
    assert say(talk, {"jsonrpc": "2.0", "id": 1, "method": "ping"}) == []
    assert heard(talk) == []
    assert talk.notify("selection_changed", {}) == []
    assert heard(talk) == []


def test_calls_that_wait_are_bounded():
    talk = opened()
    for number in range(Limits().calls_per_connection):
        assert len(call(talk, number)) == 1
    assert call(talk, 1000) == []
    assert heard(talk)[0]["error"]["message"] == "Too many calls wait for their results."


def test_a_client_that_reads_nothing_is_given_up():
    talk = opened(Limits(queued_messages=3))
    effects = [talk.notify("at_mentioned", {"n": number}) for number in range(4)]
    assert effects[:3] == [[], [], []]
    assert isinstance(effects[3][0], SessionClosed)


def test_so_is_one_that_asks_and_reads_no_answer():
    talk = opened(Limits(queued_messages=3))
    effects = [say(talk, {"jsonrpc": "2.0", "id": number, "method": "ping"}) for number in range(4)]
    assert effects[:3] == [[], [], []]
    assert isinstance(effects[3][0], SessionClosed)
