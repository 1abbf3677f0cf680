"""Calls that take long: answered once, or taken back; never both, and never neither."""

from __future__ import annotations

import json
from typing import Any, Dict, List

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule

from companion.protocol.exchanges import Answer, CallCancelled
from companion.protocol.tools import Cancellation, text_result


def request(request_id):
    params = {"name": "echo", "arguments": {"text": "x"}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def begun(wire, request_id=1, session=None):
    """What is to be run, and gives the answer then."""
    headers = {} if session is None else {"Mcp-Session-Id": session}
    return wire.raw(json.dumps(request(request_id)).encode(), headers).reactions[0].reply


def begin(wire, request_id=1, session=None):
    return begun(wire, request_id, session).calls[0]


def finish(wire, run, text="done"):
    """The answer to the POST once its only call has this result."""
    assert wire.core.finish(run.calls[0], text_result(text), 0.0) == []
    return run.answer()


def take_back(wire, request_id, session=None, **headers):
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}
    named = {"Mcp-Session-Id": session} if session is not None else headers
    return wire.raw(json.dumps(message).encode(), named).reactions[0]


def cancelled(events):
    return [(event.call, event.reason) for event in events if isinstance(event, CallCancelled)]


def ignore(reason):
    return None


class TestOthers:
    """What ends for one client ends for no other."""

    def test_the_calls_of_another_session_go_on_when_one_ends(self, wire):
        sessions = wire.connect(), wire.connect()
        runs = [begun(wire, session=session) for session in sessions]
        for run in runs:
            run.calls[0].on_cancelled(ignore)
        told = [pair for reaction in wire.delete(sessions[0]).reactions for pair in cancelled(reaction.events)]
        assert told == [(runs[0].calls[0], Cancellation.SESSION_CLOSED)]
        assert b"done" in finish(wire, runs[1]).body

    def test_a_request_of_the_same_number_of_another_session_goes_on(self, wire):
        sessions = wire.connect(), wire.connect()
        runs = [begun(wire, session=session) for session in sessions]
        for run in runs:
            run.calls[0].on_cancelled(ignore)
        assert cancelled(take_back(wire, 1, sessions[1]).events) == [(runs[1].calls[0], Cancellation.BY_CLIENT)]
        assert b"done" in finish(wire, runs[0]).body

    @pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
    def test_a_request_of_the_same_number_without_a_session_goes_on(self, wire, version):
        (call,) = wire.modern("tools/call", {"name": "echo", "arguments": {"text": "x"}}).calls
        call.on_cancelled(ignore)
        assert take_back(wire, 1, **{"MCP-Protocol-Version": version}).events == []
        begin(wire).on_cancelled(ignore)
        assert take_back(wire, 1, **{"MCP-Protocol-Version": version}).events == []


class TestTakenBack:
    def test_it_is_told_and_not_answered(self, wire):
        session = wire.connect()
        run = begun(wire, session=session)
        run.calls[0].on_cancelled(ignore)
        reaction = take_back(wire, 1, session)
        (event,) = reaction.events
        assert event == CallCancelled(run.calls[0], Cancellation.BY_CLIENT)
        assert reaction.reply.status == 202
        assert finish(wire, run, "late") == Answer(202, {}, b""), "the POST ends without an answer"
        assert take_back(wire, 1, session).events == []

    def test_one_that_does_not_listen_for_it_runs_to_its_end(self, wire):
        session = wire.connect()
        run = begun(wire, session=session)
        assert take_back(wire, 1, session).events == []
        assert b"done" in finish(wire, run).body

    @pytest.mark.parametrize("other", [2, "1", 1.0, True, None, [1]])
    def test_only_the_very_id_is_meant(self, wire, other):
        session = wire.connect()
        begin(wire, session=session).on_cancelled(ignore)
        assert take_back(wire, other, session).events == []


class TestBrokenConnections:
    def test_a_reply_that_nobody_can_fetch_is_not_waited_for(self, wire):
        call = begin(wire, session=wire.connect())
        call.on_cancelled(ignore)
        assert cancelled(wire.core.registry.calls.connection_lost([call], 0.0)) == [
            (call, Cancellation.CONNECTION_LOST)
        ]

    def test_one_that_runs_to_its_end_does_not_keep_the_session(self, wire):
        session = wire.connect()
        call = begin(wire, session=session)
        assert wire.core.registry.next_deadline() is None
        assert cancelled(wire.core.registry.calls.connection_lost([call], 0.0)) == []
        assert wire.core.registry.next_deadline() is not None


class Conversation(RuleBasedStateMachine):
    """Any order of answers, cancellations and broken sockets."""

    wire_class: Any = None
    posts = Bundle("posts")

    def __init__(self) -> None:
        super().__init__()
        self.wire = self.wire_class()
        self.session = self.wire.connect("2025-03-26")
        self.runs: Dict[int, Any] = {}  # by the number of their POST
        self.calls: Dict[Any, int] = {}  # with the number of their POST
        self.ids: Dict[Any, int] = {}
        self.cancelled: List[Any] = []
        self.count = 0

    def perform(self, events: Any) -> None:
        self.cancelled += [event.call for event in events if isinstance(event, CallCancelled)]

    @rule(target=posts, size=st.integers(1, 3), with_session=st.booleans(), cancellable=st.booleans())
    def post(self, size, with_session, cancellable):
        ids = list(range(self.count + 1, self.count + size + 1))
        self.count += size
        messages = [request(request_id) for request_id in ids]
        headers = {"Mcp-Session-Id": self.session} if with_session else {}
        reply = self.wire.raw(json.dumps(messages if size > 1 else messages[0]).encode(), headers)
        post = ids[0]
        self.runs[post] = reply.reactions[0].reply
        for request_id, call in zip(ids, reply.calls):
            self.calls[call], self.ids[call] = post, request_id
            if cancellable:
                call.on_cancelled(ignore)
        return post

    def some(self, post, which):
        return self.runs[post].calls[which % len(self.runs[post].calls)]

    @rule(post=posts, which=st.integers(0, 2))
    def finish(self, post, which):
        self.perform(self.wire.core.finish(self.some(post, which), text_result("x"), 0.0))

    @rule(post=posts, which=st.integers(0, 2))
    def take_back(self, post, which):
        self.perform(take_back(self.wire, self.ids[self.some(post, which)], self.session).events)

    @rule(post=posts)
    def break_socket(self, post):
        self.perform(self.wire.core.registry.calls.connection_lost(self.runs[post].calls, 0.0))

    def teardown(self):
        for call in self.calls:
            for _ in range(2):  # The second time nothing may come of it.
                self.perform(self.wire.core.finish(call, text_result("x"), 0.0))
        assert len(self.cancelled) == len(set(self.cancelled))
        for run in self.runs.values():
            body = json.loads(run.answer().body or b"[]")
            answered = [answer["id"] for answer in (body if isinstance(body, list) else [body])]
            wanted = [self.ids[call] for call in run.calls if call not in self.cancelled]
            assert sorted(answered) == wanted, "answered once, or taken back"
        assert not self.wire.core.registry.calls
        assert self.wire.core.registry.find(self.session).requests == 0


def test_no_order_answers_a_call_twice_or_never(wire_class):
    case = type("Case", (Conversation,), {"wire_class": wire_class}).TestCase()
    case.settings = settings(max_examples=150, stateful_step_count=30)
    case.runTest()
