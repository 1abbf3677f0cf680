"""A companion client of the standard library: finds the discovery file, speaks MCP over HTTP, follows the event stream.

For tests that must not depend on Node or on any library: rule: it does what Gemini CLI does and nothing cleverer.
One thread uses it; a second one, its own, reads the event stream.
"""

from __future__ import annotations

import http.client
import itertools
import json
import queue
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

PROTOCOL_VERSION = "2025-06-18"


class Client:
    """A connected client. `messages` holds the server's notifications, oldest first."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._headers = {
            "Authorization": "Bearer " + token,
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        self._ids = itertools.count(1)
        self._stream: Optional[http.client.HTTPConnection] = None
        self.messages: queue.Queue[Dict[str, Any]] = queue.Queue()

    @classmethod
    def connect(cls, discovery_file: Path) -> Client:
        """Handshake with the server that a discovery file names, event stream included."""
        found = json.loads(discovery_file.read_text(encoding="utf-8"))
        client = cls(found["port"], found["authToken"])
        client.request(
            "initialize",
            {
                "protocolVersion": PROTOCOL_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "standard-library-client", "version": "1.0.0"},
            },
        )
        status, _ = client._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert status == 202, status
        client._open_stream()
        return client

    def request(self, method: str, params: Dict[str, Any]) -> Any:
        """The result of a request. An error answer raises RuntimeError with its message."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        status, body = self._post(message)
        assert status == 200, (status, body)
        answer = json.loads(body)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def call_tool(self, name: str, **arguments: Any) -> Dict[str, Any]:
        """The result of a tool call, whether it says `isError` or not."""
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        assert isinstance(result, dict)
        return result

    def wait_for(self, method: str, fits: Callable[[Dict[str, Any]], bool], timeout: float = 20.0) -> Dict[str, Any]:
        """The parameters of the next notification of this method that fits; others are passed over."""
        deadline = time.monotonic() + timeout
        passed: List[Any] = []
        while True:
            try:
                message = self.messages.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(f"no fitting {method} within {timeout:g} s, only {passed}") from None
            if message.get("method") == method and fits(message["params"]):
                params = message["params"]
                assert isinstance(params, dict)
                return params
            passed.append(message)

    def close(self) -> None:
        """Hang up, as a CLI does: no DELETE, the socket just closes."""
        if self._stream is not None and self._stream.sock is not None:
            self._stream.sock.close()

    def _post(self, message: Dict[str, Any]) -> Tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.request("POST", "/mcp", json.dumps(message).encode("utf-8"), self._headers)
            answer = connection.getresponse()
            session = answer.getheader("Mcp-Session-Id")
            if session is not None:
                self._headers["Mcp-Session-Id"] = session
                self._headers["MCP-Protocol-Version"] = PROTOCOL_VERSION
            return answer.status, answer.read()
        finally:
            connection.close()

    def _open_stream(self) -> None:
        self._stream = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        self._stream.request("GET", "/mcp", headers={**self._headers, "Accept": "text/event-stream"})
        answer = self._stream.getresponse()
        assert answer.status == 200, answer.status
        threading.Thread(target=self._follow, args=(answer,), name="event stream", daemon=True).start()

    def _follow(self, answer: http.client.HTTPResponse) -> None:
        data: List[str] = []
        try:
            while True:
                line = answer.readline().decode("utf-8")
                if not line:
                    return
                field, _, value = line.rstrip("\r\n").partition(":")
                if field == "data":
                    data.append(value[1:] if value.startswith(" ") else value)
                elif not line.strip() and data:
                    if "".join(data).strip():
                        self.messages.put(json.loads("\n".join(data)))
                    data = []
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return  # the stream was closed, here or there


def discovery_files(temporary: Path) -> List[Path]:
    """The discovery files for Gemini CLI under a temporary folder."""
    return sorted((temporary / "gemini" / "ide").glob("gemini-ide-server-*.json"))
