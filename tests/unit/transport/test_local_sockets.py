"""Programs that connect to a socket in the file system, as GitHub Copilot CLI does: who gets in, and what is left."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import sys

import aiohttp
import pytest

if sys.platform == "win32":
    pytest.skip("Windows has named pipes instead", allow_module_level=True)

from companion.diagnosis.client import HttpClient, Refused
from companion.protocol.serving import Hooks
from companion.protocol.tools import Implementation, Tool
from companion.system import folders
from companion.transport import listening as local_sockets
from companion.transport.server import CompanionServer
from tests.host.waiting import ends
from tests.support.dialects import dialect

HEADER, PROCESS = "X-Secret", "X-PID"
TOKEN = "the-secret-of-this-test"
TOOL = Tool("open_diff", "Open Diff", "Opens a diff.", {"type": "object"})
PROBE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "server/discover",
    "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}},
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "copilot-cli", "version": "1.0.102"},
    },
}
HEADERS = {HEADER: TOKEN, "Host": "localhost", "Accept": "application/json, text/event-stream"}


class Bench:
    """A server on a socket, and a client that speaks HTTP on it."""

    def __init__(self):
        self.opened, self.processes = [], []
        traits = {"secret_header": HEADER, "handshake_only": True, "deleted_status": 200, "process_id_header": PROCESS}
        identity = Implementation("gemini-companion", "Gemini Companion", "1")
        hooks = Hooks(lambda call: None, self.opened.append, process_known=lambda *told: self.processes.append(told))
        served = dialect([TOOL], on_socket=True, **traits)
        self.server = CompanionServer(served, {"": TOKEN}, hooks, identity=identity)


def run(scenario):
    async def main():
        bench = Bench()
        path = (await bench.server.start()).socket
        try:
            async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(path)) as http:
                await ends(scenario(bench, http, path))
        finally:
            await bench.server.stop()
        assert not os.path.exists(os.path.dirname(path)), "the socket and its folder are gone"

    asyncio.run(main())


async def post(http, message, **headers):
    sent = {**HEADERS, **headers}
    return await http.post("http://localhost/mcp", json=message, headers=sent)


def test_the_request_that_opens_a_session_tells_the_process_id():
    async def scenario(bench, http, path):
        for told in ("4321", "2147483647", "2147483648", "0", "-1", "", "x"):
            (await post(http, INITIALIZE, **{PROCESS: told})).close()
        assert bench.processes == [(bench.opened[0], 4321), (bench.opened[1], 2147483647)]

    run(scenario)


def test_a_dialect_may_lack_the_stateless_revision():
    async def scenario(bench, http, path):
        async with await post(http, PROBE) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (200, -32601)
        async with await post(http, INITIALIZE) as answer:
            known = {"mcp-session-id": answer.headers["mcp-session-id"]}
        async with http.delete("http://localhost/mcp", headers={**HEADERS, **known}) as answer:
            assert (answer.status, await answer.read()) == (200, b""), "with 204 Copilot CLI shows an error"

    run(scenario)


def test_folder_and_socket_are_the_users_alone():
    async def scenario(bench, http, path):
        assert len(os.fsencode(path)) <= 103
        folder = os.lstat(os.path.dirname(path))
        assert stat.S_IMODE(folder.st_mode) == 0o700
        assert folder.st_uid == os.getuid()
        assert stat.S_ISSOCK(os.lstat(path).st_mode)
        assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600

    run(scenario)


@pytest.mark.parametrize(
    "headers, status",
    [
        ({HEADER: "wrong"}, 401),
        ({HEADER: ""}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost:80"}, 403),
        ({"Origin": "http://localhost"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_whoever_may_not_come_in_is_refused(headers, status):
    async def scenario(bench, http, path):
        async with await post(http, INITIALIZE, **headers) as answer:
            assert answer.status == status
        assert not bench.opened

    run(scenario)


def test_a_long_temporary_directory_is_avoided(tmp_path, monkeypatch):
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr(folders.tempfile, "tempdir", str(long))
    folder = folders.make_folder()
    try:
        assert len(os.fsencode(folder)) < 60
        assert not os.listdir(long)
    finally:
        folders.remove(folder)


def test_what_was_made_is_removed_if_the_socket_cannot_be_had(monkeypatch):
    made, sockets = [], []
    real, real_socket = folders.make_folder, socket.socket
    monkeypatch.setattr(local_sockets, "make_folder", lambda: made.append(real()) or made[-1])

    def make_socket(*kind):
        sockets.append(real_socket(*kind))
        return sockets[-1]

    async def scenario():
        async def refuse(*args, **options):
            raise OSError("no more sockets")

        monkeypatch.setattr(asyncio.get_running_loop(), "create_unix_server", refuse)
        monkeypatch.setattr(local_sockets.socket, "socket", make_socket)
        with pytest.raises(OSError, match="no more sockets"):
            await local_sockets.listen_locally(asyncio.Protocol)

    asyncio.run(scenario())
    assert not os.path.exists(made[0])
    assert [each.fileno() for each in sockets] == [-1], "closed"


def test_our_own_client_finds_the_server_well():
    async def scenario(bench, http, path):
        assert await HttpClient(path, HEADER, TOKEN, "1").count_tools() == 1
        with pytest.raises(Refused, match="401"):
            await HttpClient(path, HEADER, "wrong", "1").count_tools()

    run(scenario)


class TestCleaned:
    """Systems remove old files from their directories for temporary ones."""

    @pytest.mark.parametrize("whole_folder", [True, False])
    def test_a_socket_that_was_removed_is_made_again_for_the_same_sessions(self, whole_folder):
        async def scenario(bench, http, path):
            async with http.post("http://localhost/mcp", json=INITIALIZE, headers=HEADERS) as answer:
                session = {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}
            os.unlink(path)
            if whole_folder:
                os.rmdir(os.path.dirname(path))
            await asyncio.gather(bench.server.renew_socket(), bench.server.renew_socket())
            assert stat.S_IMODE(os.lstat(os.path.dirname(path)).st_mode) == 0o700
            assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(path)) as other:
                for each in (http, other):
                    async with each.post("http://localhost/mcp", json=ping, headers={**HEADERS, **session}) as answer:
                        assert (await answer.json())["result"] == {}

        run(scenario)

    def test_one_that_is_there_is_left_alone(self, caplog):
        async def scenario(bench, http, path):
            before = bench.server._listener
            await bench.server.renew_socket()
            assert bench.server._listener is before
            assert "the socket was removed" not in caplog.text

        run(scenario)

    def test_none_is_made_in_what_somebody_else_has_put_in_its_place(self, tmp_path, caplog):
        async def scenario(bench, http, path):
            folder = os.path.dirname(path)
            os.unlink(path)
            os.rmdir(folder)
            os.symlink(str(tmp_path), folder)
            await bench.server.renew_socket()
            assert "cannot be made again" in caplog.text
            assert os.listdir(str(tmp_path)) == []
            os.unlink(folder)

        run(scenario)
