"""Drives the protocol core without a network: a client here is a few method calls, and time is a number."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.protocol.core import Arrival, Protocol
from companion.protocol.effects import Answer, CallTool, OpenStream, SessionClosed, SessionOpened
from companion.protocol.limits import Limits
from companion.protocol.tools import EMPTY, Implementation, Tool, ToolResult

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
    Tool("needy", "Needy", "Needs sampling.", {"type": "object"}, required_capabilities={"sampling": {}}),
    Tool(
        "mirrored",
        "Mirrored",
        "Mirrors parameters into headers.",
        {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "where": {"type": "object", "properties": {"line": {"type": "integer", "x-mcp-header": "Line"}}},
                "deep": {"type": "boolean", "x-mcp-header": "Deep"},
            },
        },
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
    """What a POST was answered with."""

    def __init__(self, effects: List[Any]) -> None:
        self.effects = effects
        answers = [effect for effect in effects if isinstance(effect, Answer)]
        assert len(answers) <= 1, "answered twice"
        self.answer = answers[0] if answers else None
        self.calls = [effect.call for effect in effects if isinstance(effect, CallTool)]
        self.opened = [effect for effect in effects if isinstance(effect, OpenStream)]
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

    def __init__(self, limits: Limits = Limits(), **options: Any) -> None:
        self.core = Protocol(TOOLS, IDENTITY, limits=limits, **options)
        self.now = 0.0
        self.opened: List[Any] = []
        self.closed: List[Any] = []

    def note(self, effects: List[Any]) -> List[Any]:
        """Keep what the application would be told."""
        for effect in effects:
            if isinstance(effect, SessionOpened):
                self.opened.append(effect.client)
            elif isinstance(effect, SessionClosed):
                self.closed.append(effect.client)
        return effects

    def raw(self, body: bytes, headers: Optional[Dict[str, str]] = None, **accepts: bool) -> Reply:
        """POST bytes; calls are left open."""
        return Reply(self.note(self.core.post(Arrival(Headers(headers), body, **accepts), self.now)))

    def post(self, message: Any, headers: Optional[Dict[str, str]] = None, result: ToolResult = EMPTY) -> Reply:
        """POST a message; each call it makes gives `result` at once."""
        reply = self.raw(json.dumps(message).encode(), headers)
        effects = list(reply.effects)
        for call in reply.calls:
            effects += self.note(self.core.finish(call, result, self.now))
        answered = Reply(effects)
        answered.callers = [call.session.id for call in reply.calls]
        return answered

    def request(self, method: str, params: Any = None, session: Optional[str] = None, **headers: str) -> Reply:
        """POST a request with id 1."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params if params is not None else {}}
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        if session is not None:
            named["Mcp-Session-Id"] = session
        return self.post(message, named)

    def modern(self, method: str, params: Any = None, **headers: str) -> Reply:
        """POST a complete request of the stateless revision."""
        named = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method}
        if params and "name" in params:
            named["Mcp-Name"] = params["name"]
        named.update({key.replace("_", "-"): value for key, value in headers.items()})
        full = {"_meta": META, **(params or {})}
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": full}, named)

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
        reply = Reply(self.note(self.core.presence.listen(Headers(named), True, self.now)))
        return reply.opened[0].stream if reply.opened else reply

    def events(self, last_event_id: Optional[str] = None) -> Any:
        """GET /events; the stream."""
        named = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        reply = Reply(self.note(self.core.presence.listen_plainly(Headers(named), True, self.now)))
        return reply.opened[0].stream if reply.opened else reply

    def notify(self, method: str, params: Any, session: Optional[str] = None, collapse: Optional[str] = None) -> Any:
        """Send a notification."""
        return self.note(self.core.presence.notify(method, params, session, collapse))

    def take(self, stream: Any) -> bytes:
        """All the bytes that a connection would write now."""
        parts = []
        while True:
            part = self.core.presence.take(stream)
            if not part:
                return b"".join(parts)
            parts.append(part)

    def read(self, stream: Any) -> List[Any]:
        """All the messages that a connection would carry now, as (event id, message)."""
        return events(self.take(stream))

    def delete(self, session: Optional[str]) -> Reply:
        """DELETE the endpoint."""
        headers = {} if session is None else {"Mcp-Session-Id": session}
        return Reply(self.note(self.core.presence.delete(Headers(headers))))

    def lose(self, stream: Any, was_reset: bool = False) -> Any:
        """The connection that carried the stream is gone."""
        return self.note(self.core.presence.broken(stream, was_reset, self.now))


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
