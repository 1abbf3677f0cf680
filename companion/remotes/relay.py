"""What agents start on the other side that can do without a port: messages on its standard input and output, one a
line, to and from the editor's HTTP endpoint behind a socket.

It stands beside the sockets, for as long as the helper runs. Its arguments are the socket and the file with the secret.

Rules: Python 3.6 and newer, the standard library alone. It ends with its input, and when the editor's notifications
end: so the agent says that it is disconnected, and its user can connect again.
"""

import http.client
import json
import os
import socket
import sys
import threading
from typing import Any, Dict


class SocketConnection(http.client.HTTPConnection):
    """To the socket."""

    def connect(self) -> None:
        """Open it."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sys.argv[1])


class Relay:
    """Carries the messages of one agent."""

    def __init__(self, secret: str) -> None:
        self._headers = {
            "Authorization": "Bearer " + secret,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }  # type: Dict[str, str]
        self._writing = threading.Lock()

    def run(self) -> None:
        """Until the input ends. What takes long holds up no other message."""
        for line in sys.stdin.buffer:
            message = json.loads(line.decode("utf-8"))
            if message.get("method") in ("initialize", "notifications/initialized"):
                self.post(line, message)
            else:
                threading.Thread(target=self.post, args=(line, message), daemon=True).start()
        self._request("DELETE").read()

    def _request(self, method: str, body: bytes = b"") -> Any:
        connection = SocketConnection("localhost")
        connection.request(method, "/mcp", body or None, self._headers)
        return connection.getresponse()

    def post(self, line: bytes, message: Dict[str, Any]) -> None:
        """Send one message, and write what comes back."""
        response = self._request("POST", line)
        session = response.getheader("Mcp-Session-Id")
        if session and message.get("method") == "initialize":
            self._headers["Mcp-Session-Id"] = session
        if "event-stream" in response.getheader("Content-Type", ""):
            self._write_events(response)
        elif response.status == 200:
            self._write(response.read())
        elif response.status >= 400:
            error = {"code": -32000, "message": "the editor answers " + str(response.status)}
            if "id" in message:
                self._write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode("ascii"))
        elif message.get("method") == "notifications/initialized":
            threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        """Write the editor's notifications as long as there are any."""
        try:
            self._write_events(self._request("GET"))
        finally:
            os._exit(0)

    def _write_events(self, response: Any) -> None:
        for line in response:
            if line.startswith(b"data:") and line[5:].strip():
                self._write(line[5:])

    def _write(self, message: bytes) -> None:
        with self._writing:
            sys.stdout.buffer.write(message.strip() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        Relay(file.read()).run()
