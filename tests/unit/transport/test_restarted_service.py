"""What is told while a window's server is being restarted reaches its client."""

from __future__ import annotations

import asyncio

from companion.agents.dialect import Message
from companion.agents.ide_companion import IDE_COMPANION
from companion.endpoint.server_task import Listener, ServerState, ServerTask

TOKEN = "a-token-of-this-test"
OUTCOME = {"filePath": "/a", "content": "accepted"}


class Loop:
    """Stands for the runtime and the libraries: everything happens at once."""

    def on_main(self, function, *args):
        function(*args)

    def assert_loop_thread(self):
        return None

    async def in_worker(self, function, *args):
        return function(*args)

    async def imported(self, load):
        return load()


def run(scenario):
    async def main():
        told = []
        listener = Listener(*(lambda *values, name=name: told.append((name, values)) for name in Listener._fields))
        stub = Loop()
        state = ServerState(0, TOKEN, {}, {})
        server_task = ServerTask(stub, stub, listener, stub.in_worker, "1", IDE_COMPANION, state)
        await server_task.run()
        try:
            await asyncio.wait_for(scenario(server_task, told), 30)
        finally:
            await server_task.stop(for_good=False)

    asyncio.run(main())


async def request(port, method, body=b"", **headers):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [
        f"{method} /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {TOKEN}",
        "Accept: application/json, text/event-stream",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    return reader, writer


async def connect(port):
    reader, writer = await request(port, "POST", b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    writer.close()
    return head.split("Mcp-Session-Id: ")[1].split("\r\n")[0]


def test_an_answer_that_is_given_meanwhile_waits_for_the_next_server():
    async def scenario(server_task, told):
        session = await connect(server_task._address.port)
        await server_task._end()
        server_task.notify(Message("ide/diffAccepted", OUTCOME), session)
        await server_task.run()
        reader, writer = await request(server_task._address.port, "GET", Mcp_Session_Id=session)
        assert b'"accepted"' in await reader.readuntil(b'"accepted"')
        writer.close()

    run(scenario)
