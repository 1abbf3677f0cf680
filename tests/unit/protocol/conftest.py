"""Drives the protocol core without a network: a client here is a few method calls, and time is a number."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

import pytest

from companion.protocol.core import Protocol
from companion.protocol.exchanges import Answer, OpenStream, Reaction, RunCalls, SessionClosed, SessionOpened, refused
from companion.protocol.jsonrpc import RpcError, read_value
from companion.protocol.limits import Limits
from companion.protocol.tools import EMPTY, Implementation, Tool, ToolResult
from tests.support.dialects import dialect

TOOLS = (
    Tool(
        "echo",
        "Echo",
        "Gives back its text.",
        {
            "type": "object",
            "properties": {"text": {"type": "string", "minLength": 1}, "loud": {"type": "boolean"}},
            "required": ["text"],
        },
        {"readOnlyHint": True},
    ),
)
IDENTITY = Implementation("test", "Test", "1.0")
STATELESS = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "2"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Headers(Dict[str, str]):
    """Looked up without regard to case, as HTTP asks."""

    def __init__(self, values: Optional[Dict[str, str]] = None) -> None:
        super().__init__({key.lower(): value for key, value in (values or {}).items()})

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key.lower(), default)


class Reply:
    """What a request was answered with, in one reaction or in several."""

    def __init__(self, *reactions: Reaction) -> None:
        self.reactions = reactions
        replies = [reaction.reply for reaction in reactions]
        answers = [reply for reply in replies if isinstance(reply, Answer)]
        self.answer = answers[0] if answers else None
        self.calls = [call for reply in replies if isinstance(reply, RunCalls) for call in reply.calls]
        self.opened = [reply for reply in replies if isinstance(reply, OpenStream)]
        assert len(answers) + len(self.opened) <= 1, "answered twice"
        self.callers: List[str] = []

    @property
    def status(self) -> int:
        assert self.answer is not None
        return self.answer.status

    @property
    def json(self) -> Any:
        assert self.answer is not None
        return json.loads(self.answer.body)

    @property
    def error(self) -> Any:
        return self.json["error"]

    @property
    def result(self) -> Any:
        return self.json["result"]


class Wire:
    """A core and what reaches it."""

    def __init__(self, limits: Limits = Limits(), **traits: Any) -> None:
        self.core = Protocol(dialect(TOOLS, **traits), IDENTITY, limits)
        self.now = 0.0
        self.opened: List[Any] = []
        self.closed: List[Any] = []
        self.sessions: Dict[Any, Any] = {}  # by stream

    def note(self, events: Any) -> Any:
        """Keep what the application would be told."""
        for event in events:
            if isinstance(event, SessionOpened):
                self.opened.append(event.client)
            elif isinstance(event, SessionClosed):
                self.closed.append(event.client)
        return events

    def reply(self, reaction: Reaction) -> Reply:
        """Keep what the application would be told, and the reply."""
        self.note(reaction.events)
        if isinstance(reaction.reply, OpenStream):
            self.sessions[reaction.reply.stream] = reaction.reply.session
        return Reply(reaction)

    def ask(self, question: Any, *args: Any) -> Reply:
        """The reply to a GET or a DELETE."""
        try:
            return self.reply(question(*args))
        except RpcError as error:
            return self.reply(Reaction(refused(error)))

    def raw(self, body: bytes, headers: Optional[Dict[str, str]] = None, **options: Any) -> Reply:
        """POST bytes; calls are left open."""
        try:
            value = read_value(body, self.core.limits)
        except RpcError as error:
            return self.reply(Reaction(refused(error)))
        return self.reply(self.core.post(value, Headers(headers), self.now, **options))

    def post(
        self, message: Any, headers: Optional[Dict[str, str]] = None, result: ToolResult = EMPTY, token_name: str = ""
    ) -> Reply:
        """POST a message; each call it makes gives `result` at once."""
        reply = self.raw(json.dumps(message).encode(), headers, token_name=token_name)
        return self.finish(reply, result) if reply.calls else reply

    def finish(self, reply: Reply, result: Optional[ToolResult]) -> Reply:
        """What a POST is answered with once all its calls have this result."""
        (reaction,) = reply.reactions
        for call in reaction.reply.calls:
            self.note(self.core.finish(call, result, self.now))
        answered = Reply(reaction, Reaction(reaction.reply.answer()))
        answered.callers = [call.session.id for call in reply.calls]
        return answered

    def request(self, method: str, params: Any = None, session: Optional[str] = None, **headers: str) -> Reply:
        """POST a request with id 1."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params if params is not None else {}}
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        if session is not None:
            named["Mcp-Session-Id"] = session
        return self.post(message, named)

    def modern(self, method: str, params: Any = None, token_name: str = "", **headers: Optional[str]) -> Reply:
        """POST a complete request of the stateless revision; None leaves a header out."""
        named: Dict[str, Optional[str]] = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method}
        if params and "name" in params:
            named["Mcp-Name"] = params["name"]
        named.update({key.replace("_", "-"): value for key, value in headers.items()})
        full = {"_meta": META, **(params or {})}
        sent = {name: value for name, value in named.items() if value is not None}
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": full}, sent, token_name=token_name)

    def connect(self, revision: str = "2025-06-18", name: str = "client") -> str:
        """Initialize; the session's id."""
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        reply = self.request("initialize", params)
        assert reply.status == 200
        assert reply.answer is not None
        return reply.answer.headers["Mcp-Session-Id"]

    def listen(self, session: str, last_event_id: Optional[str] = None, **headers: str) -> Any:
        """GET the event stream; the stream, or the refusal's reply."""
        named = {"Mcp-Session-Id": session, **{key.replace("_", "-"): value for key, value in headers.items()}}
        if last_event_id is not None:
            named["Last-Event-ID"] = last_event_id
        reply = self.ask(self.core.registry.listen, Headers(named), True, self.now)
        return reply.opened[0].stream if reply.opened else reply

    def initialize(self, token_name: str) -> Reply:
        """POST `initialize` with this token."""
        return self.raw(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', token_name=token_name)

    def events(self, last_event_id: Optional[str] = None, token_name: str = "") -> Any:
        """GET /events; the stream."""
        named = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        reply = self.ask(self.core.registry.listen_without_session, Headers(named), True, self.now, token_name)
        return reply.opened[0].stream if reply.opened else reply

    def notify(
        self,
        method: str,
        params: Any,
        session: Optional[str] = None,
        collapse: Optional[str] = None,
    ) -> Any:
        """Send a notification."""
        return self.note(self.core.registry.notify(method, params, session, collapse))

    def take(self, stream: Any) -> bytes:
        """All the bytes that a connection would write now."""
        parts = []
        while True:
            part = self.sessions[stream].take_for(stream)
            if not part:
                return b"".join(parts)
            parts.append(part)

    def read(self, stream: Any) -> List[Any]:
        """All the messages that a connection would carry now, as (event id, message)."""
        return events(self.take(stream))

    def delete(self, session: Optional[str]) -> Reply:
        """DELETE the endpoint."""
        headers = {} if session is None else {"Mcp-Session-Id": session}
        return self.ask(self.core.registry.delete, Headers(headers))

    def lose(self, stream: Any, was_reset: bool = False) -> Any:
        """The connection that carried the stream is gone."""
        return self.note(self.core.registry.stream_lost(self.sessions[stream], stream, was_reset, self.now))


def events(data: bytes) -> List[Any]:
    """(id, message) of each event that carries a message, read as the HTML standard says."""
    found = []
    for block in data.decode("ascii").split("\n\n"):
        fields = [line.partition(": ") for line in block.split("\n") if line and not line.startswith(":")]
        values = {name: value for name, _, value in fields}
        if values.get("data"):
            found.append((values.get("id"), json.loads(values["data"])))
    return found


@pytest.fixture
def wire() -> Wire:
    """A core with the usual limits."""
    return Wire()


@pytest.fixture
def make_wire() -> Any:
    """Makes cores with other limits or options."""
    return Wire


@pytest.fixture(scope="session")
def wire_class() -> Any:
    """For tests that make many cores themselves."""
    return Wire
