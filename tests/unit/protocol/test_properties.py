"""What must hold for any input: nothing raises, nothing is answered twice, nothing reaches the wrong client."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from companion.protocol.jsonrpc import NotJson, TooDeep, decode, encode
from companion.protocol.tools import ArgumentChecker, Tool, text_result

SETTINGS = settings(max_examples=200)

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4))
methods = st.sampled_from(
    [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "server/discover",
        "subscriptions/listen",
        "notifications/x",
        "",
        "é",
    ]
)
near_messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": st.integers() | st.text() | values,
        "method": methods | values,
        "params": st.dictionaries(st.sampled_from(["name", "arguments", "_meta", "protocolVersion"]), values) | values,
        "result": values,
    },
)
header_names = ["MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-ID"]
headers = st.dictionaries(
    st.sampled_from(header_names),
    st.sampled_from(["2025-03-26", "2026-07-28", "2025-06-18", "ping", "1-1", ""]) | st.text(),
)


def ids_of(value: Any) -> List[str]:
    """The ids that must be answered, in what was sent."""
    messages = value if isinstance(value, list) else [value]
    return [json.dumps(message["id"]) for message in messages if isinstance(message, dict) and "id" in message]


texts = (near_messages | st.lists(near_messages, max_size=4) | values).map(lambda value: json.dumps(value).encode())


@SETTINGS
@given(texts | st.binary(max_size=200), headers)
def test_anything_is_answered_once(wire_class, body, sent_headers):
    wire = wire_class()
    reply = wire.raw(body, sent_headers)
    final = wire.finish(reply, text_result("x")) if reply.calls else reply  # which is made of one answer at most
    assert final.answer is not None or final.opened, "not answered at all"
    if final.answer is not None and final.answer.body:
        json.loads(final.answer.body.decode("ascii"))


@SETTINGS
@given(st.lists(st.tuples(st.integers() | st.text(), methods), min_size=1, max_size=5))
def test_in_a_batch_every_request_gets_exactly_one_answer(wire_class, requests):
    wire = wire_class()
    session = wire.connect("2025-03-26")
    batch = [{"jsonrpc": "2.0", "id": request_id, "method": method} for request_id, method in requests]
    answers = wire.post(batch, {"Mcp-Session-Id": session}).json
    assert sorted(ids_of(answers)) == sorted(ids_of(batch))


@SETTINGS
@given(values)
def test_json_survives_both_ways(value):
    assert decode(encode(value), 10**6) == value


@SETTINGS
@given(st.binary())
def test_decoding_refuses_in_two_ways_only(body):
    try:
        decode(body, 8)
    except (NotJson, TooDeep):
        return
    json.loads(body.decode("utf-8"))


plain_schemas = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        "properties": st.dictionaries(
            st.sampled_from("abc"),
            st.fixed_dictionaries(
                {"type": st.sampled_from(["string", "boolean", "integer"])}, optional={"minLength": st.integers(0, 2)}
            ),
        ),
        "required": st.lists(st.sampled_from("abc"), min_size=1, unique=True),
    },
)


@SETTINGS
@given(plain_schemas, st.dictionaries(st.sampled_from("abcd"), leaves))
def test_the_fast_validation_agrees_with_jsonschema(schema, arguments):
    checker = ArgumentChecker([Tool("tool", "", "", schema)])
    checker.prepare()
    valid = not list(checker._validators["tool"].iter_errors(arguments))
    assert (checker.complaint("tool", arguments) is None) == valid


class Delivery(RuleBasedStateMachine):
    """Several clients on failing connections: each gets all that is its own, once, in order, and nothing else."""

    wire_class: Any = None
    clients = Bundle("clients")

    def __init__(self) -> None:
        super().__init__()
        self.wire = self.wire_class()
        self.sent: Dict[str, List[int]] = {}
        self.got: Dict[str, List[int]] = {}
        self.last_id: Dict[str, Any] = {}
        self.streams: Dict[str, Any] = {}
        self.count = 0

    @rule(target=clients, revision=st.sampled_from(["2024-11-05", "2025-06-18", "2025-11-25"]))
    def connect(self, revision):
        session = self.wire.connect(revision)
        self.sent[session], self.got[session] = [], []
        return session

    @rule(client=clients)
    def open_stream(self, client):
        """Open a stream, or take over from one whose connection is dead and has not been noticed."""
        if client in self.streams and client not in self.last_id:
            return
        self.streams[client] = self.wire.listen(client, self.last_id.get(client))

    @rule(client=clients, everybody=st.booleans())
    def notify(self, client, everybody):
        self.count += 1
        self.wire.notify("note", {"n": self.count}, None if everybody else client)
        for each in self.sent if everybody else [client]:
            self.sent[each].append(self.count)

    @rule(client=clients, read=st.integers(0, 3), was_reset=st.booleans())
    def cut(self, client, read, was_reset):
        """The connection breaks after the client has read some of what was written to it."""
        stream = self.streams.pop(client, None)
        if stream is None:
            return
        written = self.wire.read(stream)
        self.receive(client, written[:read])
        # A client that closes with unread data resets; one that has read all may do either.
        self.wire.lose(stream, was_reset or len(written) > read)

    @rule(client=clients)
    def read_all(self, client):
        if client in self.streams:
            self.receive(client, self.wire.read(self.streams[client]))

    def receive(self, client, messages):
        for event_id, message in messages:
            self.last_id[client] = event_id
            self.got[client].append(message["params"]["n"])

    @invariant()
    def in_order_and_nothing_foreign(self):
        for client, got in self.got.items():
            assert got == self.sent[client][: len(got)]

    def teardown(self):
        for client in self.sent:
            self.open_stream(client)
            self.read_all(client)
            assert self.got[client] == self.sent[client]


def test_delivery_over_failing_connections(wire_class):
    case = type("Case", (Delivery,), {"wire_class": wire_class}).TestCase()
    case.settings = settings(max_examples=60, stateful_step_count=30)
    case.runTest()
