"""`PROTOCOL.md` says what the server does: its exchanges are sent as they stand, and the answers compared."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from companion.agents.ide_companion import IDE_COMPANION, TOOLS
from companion.protocol.serving import Hooks
from companion.protocol.tools import EMPTY, Implementation
from companion.transport.server import CompanionServer
from tests.host.waiting import NEVER_SECONDS

DOCUMENT = Path(__file__).resolve().parents[3] / "PROTOCOL.md"
TOKEN = "the-secret-of-this-test"


class Message(NamedTuple):
    """One HTTP message of the document."""

    first_line: str
    headers: Dict[str, str]
    body: str


def exchanges() -> List[Tuple[Message, Message]]:
    messages = [read(block) for block in re.findall(r"```http\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)]
    assert len(messages) >= 10
    assert len(messages) % 2 == 0
    return list(zip(messages[::2], messages[1::2]))


def read(block: str) -> Message:
    head, _, body = block.partition("\n\n")
    first_line, *fields = head.strip().split("\n")
    return Message(first_line, dict(field.split(": ", 1) for field in fields), body.strip().replace("\n", ""))


async def answer_to(port: int, message: Message, values: Dict[str, str]) -> Message:
    """What the server answers to these very bytes; of a stream that stays open, its head."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = [message.first_line, *(f"{name}: {value}" for name, value in message.headers.items())]
    body = message.body.encode()
    if body:
        head.append(f"Content-Length: {len(body)}")
    text = "\r\n".join(head)
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    writer.write(text.encode() + b"\r\n\r\n" + body)
    got = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), NEVER_SECONDS)).decode()
    first_line, *fields = got.strip().split("\r\n")
    headers = dict(field.split(": ", 1) for field in fields)
    size = int(headers.get("Content-Length", 0))
    received = (await asyncio.wait_for(reader.readexactly(size), NEVER_SECONDS)).decode()
    writer.close()
    return Message(first_line, headers, received)


def value_of(body: str):
    return json.loads(body) if body else None


async def hold_the_conversation() -> int:
    async def do_nothing(call):
        return EMPTY

    identity = Implementation("gemini-companion", "Gemini Companion", "1.0.0")
    server = CompanionServer(IDE_COMPANION, {"": TOKEN}, Hooks(do_nothing), identity=identity)
    values = {"port": str((await server.start()).port), "token": TOKEN}
    compared = 0
    try:
        for request, expected in exchanges():
            got = await answer_to(int(values["port"]), request, values)
            assert got.first_line == expected.first_line, request.first_line
            for name, value in expected.headers.items():
                if value == "{session}":
                    values["session"] = got.headers[name]
                else:
                    assert got.headers[name] == value
            assert value_of(got.body) == value_of(expected.body)
            compared += 1
    finally:
        await server.stop()
    return compared


def test_each_exchange_of_the_document_is_what_the_server_says():
    assert asyncio.run(hold_the_conversation()) == len(exchanges())


def test_every_json_example_is_json():
    blocks = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    assert len(blocks) >= 4
    for block in blocks:
        json.loads(block)


def test_every_tool_is_in_the_document():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [tool.name for tool in TOOLS if f"| `{tool.name}` |" not in text] == []
