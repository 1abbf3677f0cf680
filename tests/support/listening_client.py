"""A client made of the standard library alone, which connects as Gemini CLI does and notes what it is told.

Rule: network waits happen on its own thread, so a test that runs on the editor's main thread only looks at lists.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..host.waiting import NEVER_SECONDS


def discovery_directory() -> str:
    """Where Gemini CLI looks."""
    temporary = next((os.environ[name] for name in ("TMPDIR", "TMP", "TEMP") if os.environ.get(name)), None)
    if temporary is None or os.name == "nt":
        temporary = tempfile.gettempdir()
    return os.path.join(temporary, "gemini", "ide")


def announced(workspace: str, editor_pid: int) -> Optional[Dict[str, Any]]:
    """The content of this editor's discovery file for exactly this `workspacePath`, or None."""
    directory = discovery_directory()
    if not os.path.isdir(directory):
        return None
    for name in sorted(os.listdir(directory)):
        if not name.startswith(f"gemini-ide-server-{editor_pid}-"):
            continue
        try:
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                content = json.load(file)
        except (OSError, ValueError):
            continue  # removed since it was listed
        if content["workspacePath"] == workspace:
            return dict(content)
    return None


def in_thread(function: Callable[..., Any], *arguments: Any) -> List[Any]:
    """Call a function that waits, away from the main thread. Gives a list that its result will be in."""
    results: List[Any] = []
    threading.Thread(target=lambda: results.append(function(*arguments)), daemon=True).start()
    return results


class ListeningClient:
    """Connects on a thread of its own; `contexts` grows as updates come in."""

    def __init__(self, announcement: Dict[str, Any]) -> None:
        self.contexts: List[Dict[str, Any]] = []
        self.notifications: List[Dict[str, Any]] = []
        self.problem: Optional[BaseException] = None
        self.listening = False
        self._port = announcement["port"]
        self._token = announcement["authToken"]
        self._session: Optional[str] = None
        self._socket: Optional[socket.socket] = None  # the stream's
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="listening-client", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up, as a client that ends does."""
        self._closed = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)  # closing alone waits for the read under way
            except OSError:
                return  # the other side was faster

    def call_tool(self, name: str, **arguments: Any) -> Dict[str, Any]:
        """The result of a tool call, once the client listens. Waits for it."""
        params = {"name": name, "arguments": arguments}
        answer = self._post({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})[1]
        return dict(json.loads(answer)["result"])

    @property
    def ended(self) -> bool:
        """Whether it listens no more: the other side has ended the stream, or refused it."""
        return not self._thread.is_alive()

    def say_goodbye(self) -> None:
        """End the session, so that the server need not find out by itself. Returns at once."""
        thread = threading.Thread(target=self._end_session, name="listening-client-goodbye", daemon=True)
        thread.start()
        self._closed = True

    def _end_session(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=NEVER_SECONDS)
        connection.request("DELETE", "/mcp", headers=self._headers())
        connection.getresponse().read()
        connection.close()

    @property
    def open_files(self) -> List[Dict[str, Any]]:
        """The files of the newest update."""
        return list(self.contexts[-1]["workspaceState"]["openFiles"]) if self.contexts else []

    @property
    def paths(self) -> List[str]:
        """Their paths, in the order sent."""
        return [file["path"] for file in self.open_files]

    @property
    def active(self) -> Optional[Dict[str, Any]]:
        """The active file of the newest update, found as clients find it: the newest file, if it is active."""
        files = sorted(self.open_files, key=lambda file: -file["timestamp"])
        return files[0] if files and files[0].get("isActive") else None

    @property
    def active_path(self) -> Optional[str]:
        active = self.active
        return active["path"] if active is not None else None

    def _run(self) -> None:
        try:
            self._connect()
            self._listen()
        except (OSError, ValueError, http.client.HTTPException, AttributeError) as error:
            if not self._closed:  # closing the socket under a read makes it fail in any of these ways
                self.problem = error

    def _headers(self) -> Dict[str, str]:
        headers = {
            "Authorization": "Bearer " + self._token,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self._session is not None:
            headers.update({"Mcp-Session-Id": self._session, "MCP-Protocol-Version": "2025-06-18"})
        return headers

    def _post(self, message: Dict[str, Any]) -> Tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=NEVER_SECONDS)
        connection.request("POST", "/mcp", json.dumps(message), self._headers())
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status >= 300:
            raise ValueError("{} answered with {}".format(message["method"], answer.status))
        return answer, body

    def _connect(self) -> None:
        answer, _ = self._post(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "listening-client", "version": "1.0"},
                },
            }
        )
        self._session = answer.getheader("Mcp-Session-Id")
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _listen(self) -> None:
        stream = http.client.HTTPConnection("127.0.0.1", self._port, timeout=None)
        stream.request("GET", "/mcp", headers=dict(self._headers(), Accept="text/event-stream"))
        self._socket = stream.sock
        answer = stream.getresponse()
        if answer.status != 200:
            raise ValueError(f"the stream answered with {answer.status}")
        self.listening = True
        data: List[str] = []
        while True:
            line = answer.readline().decode("utf-8")
            if not line:
                return
            line = line.rstrip("\r\n")
            if line.startswith("data:"):
                data.append(line[5:].lstrip())
            elif not line and data:
                self._take(json.loads("\n".join(data)))
                data = []

    def _take(self, message: Dict[str, Any]) -> None:
        self.notifications.append(message)
        if message.get("method") == "ide/contextUpdate":
            self.contexts.append(message["params"])
