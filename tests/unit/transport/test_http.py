"""What each request over HTTP is answered with."""

from __future__ import annotations

import asyncio
import json

import pytest

from companion.protocol.limits import Limits
from tests.unit.transport.conftest import read_response

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def test_a_whole_conversation(run):
    async def scenario(served):
        async with served.client("gemini") as client:
            await client.connect()
            assert [one.client_name for one in served.opened] == ["gemini"]
            listing = await client.request("tools/list")
            assert [tool["name"] for tool in listing["tools"]] == ["openDiff", "closeDiff", "acceptDiff", "rejectDiff"]
            assert await client.call("openDiff", filePath="/a", newContent="geheim") == {"content": []}
            closed = await client.call("closeDiff", filePath="/a")
            assert json.loads(closed["content"][0]["text"]) == {"content": None}
            served.server.notify("ide/contextUpdate", {"workspaceState": {}}, collapse="context")
            served.server.notify("ide/diffAccepted", {"filePath": "/a", "content": "geheim"}, session=client.session_id)
            await client.follow(2)
            assert [message["method"] for message in client.messages] == ["ide/contextUpdate", "ide/diffAccepted"]
            async with client.http.delete(served.url, headers=client.headers()) as response:
                assert response.status == 204
            assert [one.client_name for one in served.closed] == ["gemini"]

    run(scenario)


def test_health_tells_liveness_to_anybody_and_nothing_else(run):
    async def scenario(served):
        status, headers, body = await served.raw(served.head("GET", "/health", Authorization=None))
        assert (status, body) == (200, b'{"status":"ok"}')
        assert set(headers) == {"content-type", "content-length", "date", "server"}
        assert headers["server"] == "MCP"
        assert (await served.raw(served.head("POST", "/health", Authorization=None, Content_Length="0")))[0] == 405
        assert (await served.raw(served.head("GET", "/health", Host="evil.example")))[0] == 403

    run(scenario)


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"Authorization": "Bearer another"}, 401),
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer s\u00e9cret"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": None}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Transfer-Encoding": "gzip, chunked"}, 501),
        ({"Target": "http://evil.example/mcp"}, 403),
        ({"Twice": "Host: evil.example"}, 403),
        ({"Revoked": ""}, 401),
    ],
    ids=lambda value: next(iter(value), "unchanged") if isinstance(value, dict) else str(value),
)
def test_each_request_of_a_connection_is_judged(run, changed, status):
    """What is let in once is let in again only by the same headers, and while its token is taken."""

    async def scenario(served):
        length = str(len(PING))
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        try:
            for _ in range(2):
                writer.write(served.head(**{"Content-Length": length}) + PING)
                assert (await read_response(reader))[0] == 200
            headers = {name: value for name, value in changed.items() if name not in ("Target", "Twice", "Revoked")}
            if "Transfer-Encoding" not in changed:
                headers["Content-Length"] = length
            head = served.head("POST", changed.get("Target", "/mcp"), **headers)
            if "Twice" in changed:
                head = head[:-2] + changed["Twice"].encode() + b"\r\n\r\n"
            if "Revoked" in changed:
                served.server._gate.tokens = {"": "another"}
            writer.write(head + PING)
            expected = (200,) if status == 200 else (status, 400)  # some of it the parser refuses
            assert (await read_response(reader))[0] in expected
        finally:
            writer.close()

    run(scenario)


def test_a_target_in_absolute_form_is_judged_by_its_own_host(run):
    """RFC 9112, 3.2.2."""

    async def scenario(served):
        here = f"127.0.0.1:{served.port}"
        length = str(len(PING))
        for target, host, expected in [
            ("http://evil.example/mcp", here, 403),
            (f"http://{here}@evil.example/mcp", here, 403),
            (f"https://{here}/mcp", here, 403),
            (f"http://{here}/mcp", here, 200),
            (f"http://{here}/mcp", "evil.example", 200),
            (f"http://{here}/mcp", None, 403),
        ]:
            head = served.head("POST", target, Host=host, Content_Length=length)
            status, _, _ = await served.raw(head + PING)
            assert status == expected or (host is None and status == 400), (target, host)

    run(scenario)


@pytest.mark.parametrize(
    "coding", ["gzip, chunked", "gzip,chunked", "chunked, gzip", "gzip", "identity", "chunked, chunked"]
)
def test_transfer_codings_that_are_not_understood_are_refused(run, coding):
    """RFC 9112, 6.1. Some of them the parser refuses as malformed."""

    async def scenario(served):
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)
        status, headers, _ = await served.raw(served.head(Transfer_Encoding=coding) + body)
        assert status in (400, 501)
        assert headers["connection"] == "close"
        assert status == 501 or coding != "gzip, chunked"
        assert (await served.raw(served.head(Transfer_Encoding="Chunked") + body))[0] == 200

    run(scenario)


@pytest.mark.parametrize("path", ["/mcp", "/events", "/", "/nothing"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "OPTIONS"])
@pytest.mark.parametrize("authorization", [None, "Bearer wrong", "Basic x"])
def test_without_the_token_every_route_says_401(run, path, method, authorization):
    async def scenario(served):
        head = served.head(method, path, Authorization=authorization, Content_Length="0")
        status, headers, _ = await served.raw(head)
        assert status == 401
        assert headers["www-authenticate"].startswith("Bearer")
        assert "access-control-allow-origin" not in headers

    run(scenario)


def test_a_client_older_than_the_token_is_told_of_in_the_log(run, caplog):
    async def scenario(served):
        await served.post(PING, Authorization=None, User_Agent="node")
        await served.post(PING, Authorization=None, User_Agent="node")

    run(scenario)
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 1
    assert "update the CLI" in warnings[0]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "host.docker.internal:{port}"}, 200),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Origin": "http://localhost:{port}"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content_Type": None}, 415),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/json; charset=utf-16"}, 415),
        ({"Content_Type": "application/json; charset=UTF-8"}, 200),
        ({"Content_Type": "APPLICATION/JSON"}, 200),
        ({"Content_Encoding": "gzip"}, 415),
        ({"Accept": None}, 200),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "application/json"}, 200),
        ({"Accept": "text/event-stream"}, 200),
        ({"Accept": "text/html"}, 406),
        ({"Accept": "application/json;q=0"}, 406),
        ({"Accept": "application/json;q=0, text/*"}, 200),
        ({"Accept": "application/*"}, 200),
        ({"MCP_Protocol_Version": "1999-01-01"}, 400),
        ({"Mcp_Session_Id": "nobody"}, 404),
    ],
)
def test_one_header_decides(run, headers, status):
    async def scenario(served):
        filled = {name: value and value.replace("{port}", str(served.port)) for name, value in headers.items()}
        answer = await served.post(PING, **filled)
        assert answer[0] == status, answer
        assert "access-control-allow-origin" not in answer[1]
        if status >= 400:
            assert json.loads(answer[2])["error"]["message"]

    run(scenario)


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("PUT", "/mcp", 405, "POST, GET, DELETE"),
        ("OPTIONS", "/mcp", 405, "POST, GET, DELETE"),
        ("HEAD", "/mcp", 405, "POST, GET, DELETE"),
        ("POST", "/events", 405, "GET"),
        ("GET", "/nothing", 404, None),
        ("GET", "/mcp", 400, None),
        ("DELETE", "/mcp", 400, None),
    ],
)
def test_routes_and_methods(run, method, path, status, allow):
    async def scenario(served):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(served.head(method, path, Content_Length="0"))
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        assert int(head.split(" ")[1]) == status
        assert (f"Allow: {allow}" in head) == (allow is not None)
        writer.close()

    run(scenario)


def test_a_get_needs_to_take_an_event_stream(run):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            head = served.head("GET", Accept="application/json", Mcp_Session_Id=client.session_id)
            assert (await served.raw(head))[0] == 406

    run(scenario)


def test_heartbeats_are_comments(run):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            response = await client.listen()
            lines = [await response.content.readline() for _ in range(6)]
            assert lines == [b": connected\n", b"\n", b": \n", b"\n", b": \n", b"\n"]
            response.close()

    run(scenario, Limits(heartbeat_seconds=0.05))


def test_a_failing_tool_is_an_internal_error_and_the_server_goes_on(run):
    async def tool(call):
        raise RuntimeError("a failing tool")

    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            arguments = {"name": "rejectDiff", "arguments": {"filePath": "/a"}}
            status, body, _ = await client.send(
                {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": arguments}
            )
            assert (status, body["error"]["code"]) == (200, -32603)
            assert await client.request("ping") == {}

    run(scenario, call_tool=tool)


def test_stopping_ends_streams_cleanly(run):
    async def scenario(served):
        async with served.client() as client:
            await client.connect()
            response = await client.listen()
            await response.content.readline()
            served.server.notify("ide/diffRejected", {"filePath": "/a"}, session=client.session_id)
            stopping = asyncio.ensure_future(served.server.stop())
            await client.read(response)
            assert [one["method"] for one in client.messages] == ["ide/diffRejected"]
            await stopping
            assert not served.closed

    run(scenario)
