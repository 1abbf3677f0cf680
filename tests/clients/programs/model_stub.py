"""A model on loopback that says what a test has written for it, and keeps what it was asked.

Subclasses speak the Gemini API (`gemini_api.py`), the OpenAI API (`openai_api.py`) and that of Anthropic
(`anthropic_api.py`).
Rule: every request is answered at once, unless the test says Later; a turn of the chat with no answer left is an error
that the test sees.
"""

from __future__ import annotations

import collections
import http.server
import json
import threading
from typing import Any, Deque, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from tests.host.waiting import NEVER_SECONDS


class Say(NamedTuple):
    """The model ends its turn with a text."""

    text: str


class CallTool(NamedTuple):
    """The model calls one of the program's tools."""

    name: str
    arguments: Mapping[str, Any]


class CallTools(NamedTuple):
    """The model calls several of them in one turn."""

    calls: Sequence[CallTool]


class Later(NamedTuple):
    """The model thinks until something has happened, such as what the user does meanwhile."""

    happened: threading.Event
    reply: Union[Say, CallTool, CallTools]


Reply = Union[Say, CallTool, CallTools]


def calls_of(reply: Union[CallTool, CallTools]) -> Sequence[CallTool]:
    """The calls in a reply that is no text."""
    return [reply] if isinstance(reply, CallTool) else reply.calls


class ModelStub:
    """A server thread; leaving the `with` block ends it. Any thread may read and script it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._replies: Deque[Union[Reply, Later]] = collections.deque()
        self._aside: Deque[Union[Reply, Later]] = collections.deque()
        self._text = ""
        self._turns: List[Dict[str, Any]] = []
        self._problems: List[str] = []
        stub = self

        class Handler(_Handler):
            model = stub

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="model", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address that a client puts its paths after."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *replies: Union[Reply, Later]) -> None:
        """Adds answers to the coming turns of the chat, in order."""
        with self._lock:
            self._replies.extend(replies)

    def script_aside(self, text: str, *replies: Union[Reply, Later]) -> None:
        """Adds answers to those coming turns whose requests do not hold this text: to a subagent, which is not told
        what the user has said."""
        with self._lock:
            self._text = text
            self._aside.extend(replies)

    @property
    def turns(self) -> List[Dict[str, Any]]:
        """The requests of the chat so far, oldest first."""
        with self._lock:
            return list(self._turns)

    @property
    def problems(self) -> List[str]:
        """What came that no test had prepared for; empty in a good run."""
        with self._lock:
            return list(self._problems)

    def forget(self) -> None:
        """What was scripted, asked and noted so far is another test's."""
        with self._lock:
            self._replies.clear()
            self._aside.clear()
            self._turns.clear()
            self._problems.clear()

    def take_turn(self, request: Dict[str, Any]) -> Reply:
        """Keeps a request of the chat and returns the answer to it. Server threads only."""
        with self._lock:
            self._turns.append(request)
            is_aside = bool(self._aside) and self._text not in json.dumps(request)
            replies = self._aside if is_aside else self._replies
            reply = replies.popleft() if replies else None
        if reply is None:
            self.problem("the model was asked once more than the test has answers for")
            return Say("(nothing more was prepared)")
        if not isinstance(reply, Later):
            return reply
        if not reply.happened.wait(NEVER_SECONDS):
            self.problem("what the model was to wait for never came")
        return reply.reply

    def problem(self, sentence: str) -> None:
        with self._lock:
            self._problems.append(sentence)

    def answer(self, path: str, request: Dict[str, Any]) -> Optional[Answer]:
        """The answer to a POST, or None where the API has no such path. Server threads only."""
        raise NotImplementedError

    def __enter__(self) -> ModelStub:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(NEVER_SECONDS)


class Answer(NamedTuple):
    """A response: one JSON value, or a stream of events with one each."""

    values: List[Any]
    streamed: bool = False
    ending: str = ""  # the data of a last event that is no JSON
    named: bool = False  # whether each event has the value's type for a name


class _Handler(http.server.BaseHTTPRequestHandler):
    """Turns the subclass's answers into HTTP."""

    protocol_version = "HTTP/1.1"
    model: ModelStub

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        answer = self.model.answer(self.path, json.loads(body or b"{}"))
        if answer is None:
            self.model.problem(f"POST {self.path} is not served")
            self.send_error(404)
            return
        if answer.streamed:
            events = [(json.dumps(value), value["type"] if answer.named else "") for value in answer.values]
            if answer.ending:
                events.append((answer.ending, ""))
            names = (f"event: {name}\r\n" if name else "" for _, name in events)
            lines = (f"{name}data: {data}\r\n\r\n" for name, (data, _) in zip(names, events))
            self._send("text/event-stream", "".join(lines))
        else:
            self._send("application/json", json.dumps(answer.values[0]))

    def do_GET(self) -> None:
        self.model.problem(f"GET {self.path} is not served")
        self.send_error(404)

    def _send(self, content_type: str, text: str) -> None:
        data = text.encode("utf-8")
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: Any) -> None:
        """Silent: what matters is kept by the stub."""
