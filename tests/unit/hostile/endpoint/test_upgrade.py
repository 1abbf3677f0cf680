"""The package is replaced while a call is under way, and a port is lost to somebody else."""

from __future__ import annotations

import json
import socket

from tests.host.waiting import NEVER_SECONDS, until
from tests.support import taken_port
from tests.support.raw_requests import request_head

# The main thread gives no answer any more. It waits for the end of the servers, but not for ever; what the clients have
# under way would be waited for longer than that.
HOLD = f"""
import sys
application = sys.modules["Gemini Companion.plugin"].application
application.runtime.later_on_main = lambda milliseconds, function, *args: None
sys.modules["Gemini Companion.companion.application"].STOP_SECONDS = {NEVER_SECONDS / 2}
sys.modules["Gemini Companion.companion.transport.base"].STOP_SECONDS = {10 * NEVER_SECONDS}
"""


class Connection:
    """One connection with a session, as a client has it."""

    def __init__(self, announcement):
        self.port, self.token = announcement["port"], announcement["authToken"]
        self.session = None
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=NEVER_SECONDS)

    def send(self, message):
        body = json.dumps(message).encode()
        headers = {"Content-Length": str(len(body)), "Mcp-Session-Id": self.session}
        self.socket.sendall(request_head(self.port, self.token, headers=headers) + body)

    def answer(self):
        """(status, headers, body) of the next answer."""
        file = self.socket.makefile("rb")
        status = int(file.readline().split(b" ")[1])
        headers = {}
        for line in iter(file.readline, b"\r\n"):
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, file.read(int(headers.get("content-length", 0)))

    def initialize(self):
        information = {"name": "attacked", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": information}
        self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        status, headers, _ = self.answer()
        assert status == 200
        self.session = headers["mcp-session-id"]
        return self

    def ping(self):
        self.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
        return self.answer()[0]


def call_under_way(desktop, connection):
    """Send a call that the main thread will never answer."""
    desktop.host.execute(HOLD)
    arguments = {"filePath": desktop.path("a.py"), "newContent": "new\n"}
    params = {"name": "openDiff", "arguments": arguments}
    connection.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    servers = "sys.modules['Gemini Companion.companion.endpoint.servers']"
    endpoint = "list(sys.modules['Gemini Companion.plugin'].application.endpoints())[0]"
    task = endpoint + ".servers._tasks[" + servers + ".PRIMARY.key]"
    server = task + "._server"
    desktop.host.wait_until("{}._in_flight == 1".format(server.replace("sys.", "__import__('sys').")))


def test_an_upgrade_while_a_call_is_under_way(desktop):
    before = desktop.wait_published()
    for _ in range(2):
        connection = Connection(before).initialize()
        call_under_way(desktop, connection)
        desktop.host.disable_package()
        status, _, body = connection.answer()
        assert status == 200
        assert json.loads(body)["result"]["isError"] is True
        desktop.host.enable_package()
        assert desktop.wait_published() == before  # the same port and token
        again = Connection(before)
        again.session = connection.session
        assert again.ping() == 200


def test_an_upgrade_beside_clients_that_read_or_send_nothing_more(desktop):
    """Neither is waited for: else the port, the token and the sessions would not be handed over."""
    before = desktop.wait_published()
    suspended = Connection(before).initialize()
    suspended.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    port, token = before["port"], before["authToken"]
    suspended.socket.sendall(request_head(port, token, "GET", headers={"Mcp-Session-Id": suspended.session}))
    uploading = Connection(before).initialize()
    uploading.socket.sendall(request_head(port, token, headers={"Content-Length": "1000000"}) + b"{")
    sessions = "list(__import__('sys').modules['Gemini Companion.plugin'].application.endpoints()[0].agents._clients)"
    desktop.host.wait_until(lambda: suspended.session in desktop.host.evaluate(sessions))
    desktop.host.execute(
        "import sys\n"
        "endpoint = sys.modules['Gemini Companion.plugin'].application.endpoints()[0]\n"
        "dialects = sys.modules['Gemini Companion.companion.agents.dialect']\n"
        "dialect = sys.modules['Gemini Companion.companion.endpoint.servers'].PRIMARY\n"
        "for number in range(100):\n"
        "    endpoint.servers.notify(dialect, dialects.ClientNotice('ide/test', {'x': 'y' * 100000}), "
        + repr(suspended.session)
        + ")\n"
    )
    # Ten megabytes are on their way once the first of them is here: more than the buffers of both sides hold.
    until(lambda: b"ide/test" in suspended.socket.recv(65536, socket.MSG_PEEK))
    desktop.host.execute(HOLD)
    desktop.host.disable_package()
    desktop.host.enable_package()
    assert desktop.wait_published() == before
    again = Connection(before)
    again.session = suspended.session
    assert again.ping() == 200


def test_a_port_that_is_lost_takes_its_tokens_along(desktop):
    before = desktop.wait_published()
    client = Connection(before).initialize()
    desktop.host.disable_package()
    with taken_port.take(before["port"]):
        desktop.host.enable_package()
        after = desktop.wait_published()
        assert after["port"] != before["port"]
        assert after["authToken"] != before["authToken"]
        # What the thief was shown is worth nothing; what the discovery file says lets the client in.
        shown = Connection({**after, "authToken": before["authToken"]})
        shown.session = client.session
        assert shown.ping() == 401
        inherited = Connection(after)
        inherited.session = client.session
        assert inherited.ping() == 404
        assert Connection(after).initialize().ping() == 200
