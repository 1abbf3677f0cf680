"""Whatever answers on a port, or does not, the trial of a server ends soon and says what to do."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from companion.diagnosis import client
from companion.diagnosis.checks import CheckOutcome, WindowFacts
from companion.diagnosis.client import check_handshake, on_port, try_server

ROOT = Path(__file__).resolve().parents[3]
INITIALIZED = b'{"jsonrpc":"2.0","id":1,"result":{}}'


def response(status, body=b"", kind=b"application/json", more=b""):
    head = b"HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n"
    return head % (status, kind, len(body), more) + body


def against(*responses, silent=lambda: None):
    """Try a server that gives these responses in turn, and then none, but calls `silent`. Gives the check and the
    requests' methods."""

    async def run():
        requests = []
        waiting = list(responses)

        async def serve(reader, writer):
            head = await reader.readuntil(b"\r\n\r\n")
            requests.append(head.split()[0].decode("ascii"))
            if waiting:
                writer.write(waiting.pop(0))
                await writer.drain()
                writer.close()
            else:
                silent()
                await reader.read()
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            return await check_handshake("it is served", on_port(port, "token", "1.0")), requests
        finally:
            server.close()

    return asyncio.run(run())


def test_a_server_that_answers_is_left_without_a_session():
    tools = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{},{}]}}'
    check, requests = against(response(200, INITIALIZED), response(200, tools), response(204))
    assert check.outcome is CheckOutcome.OK
    assert "2 tools" in check.detail
    assert requests == ["POST", "POST", "DELETE"]


@pytest.mark.parametrize(
    ("responses", "words"),
    [
        ([response(401)], "answered with 401"),
        ([response(200, INITIALIZED), response(500), response(204)], "answered with 500"),
        ([response(200, INITIALIZED), response(200, b"{}"), response(204)], "not what MCP asks for"),
        ([response(200, INITIALIZED), response(200, b"nonsense"), response(204)], "not what MCP asks for"),
        ([response(200, INITIALIZED), response(200, b"x", b"text/html"), response(204)], "connection failed"),
        ([b"SSH-2.0-server\r\n"], "connection failed"),
    ],
)
def test_another_server_is_told_from_ours(responses, words):
    check, _ = against(*responses)
    assert check.outcome is CheckOutcome.FAILED
    assert words in check.detail
    assert "Restart Server" in check.advice


def test_the_session_is_closed_even_if_the_rest_fails():
    _, requests = against(response(200, INITIALIZED), response(500), response(204))
    assert requests[-1] == "DELETE"


def test_a_server_that_never_answers_holds_nobody_up(later):
    check, _ = against(silent=lambda: later(client.SECONDS))
    assert check.outcome is CheckOutcome.FAILED
    assert "no answer in time" in check.detail
    assert check.advice


def test_no_token_is_in_a_check():
    window = WindowFacts("window 1", False, 1, None, (), (), True, (), ())
    checks = asyncio.run(try_server(window, "a-token-of-ours", "1.0"))
    assert len(checks) == 2
    assert "a-token-of-ours" not in repr(checks)


def test_no_name_that_a_client_could_know_makes_it_invisible():
    command = "import tests.unit.conftest, companion.endpoint.agents_at_work as made; print(made.SELF_TEST)"
    names = {
        subprocess.run([sys.executable, "-c", command], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        for _ in range(2)
    }
    assert len(names) == 2, "the name is of one run"
    assert all(len(name.strip()) >= 32 for name in names)
