"""The demo tools that scenarios of the MCP conformance suite call, registered on the package's own server.

Rule: the server under test is `CompanionServer` as shipped; only its tools are different. Run as a program, it prints
its port as one line and serves until its standard input ends. Token in the environment variable COMPANION_TEST_TOKEN;
with the argument `--shipped` the tools are the package's own.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import Any, Dict, List, Optional

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from companion.agents.ide_companion import IDE_COMPANION, IdeCompanion
from companion.protocol.serving import Hooks
from companion.protocol.tools import (
    ClientSession,
    Implementation,
    Tool,
    ToolCall,
    ToolResult,
    error_result,
    text_result,
)
from companion.transport.server import CompanionServer
from tests.conformance.demo_methods import install

ONE_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
IMAGE = {"type": "image", "data": ONE_PIXEL, "mimeType": "image/png"}


def _tool(name: str, properties: Optional[Dict[str, Any]] = None) -> Tool:
    schema = {"type": "object", "properties": properties or {}}
    return Tool(name, name.replace("_", " ").title(), "A tool of the conformance suite.", schema)


RICH_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

DEMO_TOOLS: List[Tool] = [
    _tool("test_simple_text"),
    _tool("test_image_content"),
    _tool("test_audio_content"),
    _tool("test_embedded_resource"),
    _tool("test_multiple_content_types"),
    _tool("test_logging_tool"),
    _tool("test_error_handling"),
    _tool("test_streaming_elicitation"),
    _tool("test_trigger_tool_change"),
    _tool("test_missing_capability"),
    Tool("json_schema_2020_12_tool", "Rich Schema", "A schema with what 2020-12 brought.", RICH_SCHEMA),
    _tool("test_mirrored_parameter", {"region": {"type": "string", "x-mcp-header": "Region"}}),
]


def _resource(uri: str, mime_type: str, text: str) -> Dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


REQUIRED_CAPABILITIES: Dict[str, Dict[str, Any]] = {"test_missing_capability": {"sampling": {}}}


async def call_demo_tool(call: ToolCall) -> ToolResult:
    """Does what the suite's descriptions of its tools ask for."""
    name = call.name
    if name == "test_simple_text":
        return text_result("This is a simple text response for testing.")
    if name == "test_image_content":
        return ToolResult([IMAGE])
    if name == "test_audio_content":
        return ToolResult([{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}])
    if name == "test_embedded_resource":
        text = "This is an embedded resource content."
        return ToolResult([_resource("test://embedded-resource", "text/plain", text)])
    if name == "test_multiple_content_types":
        first = {"type": "text", "text": "Multiple content types test:"}
        last = _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
        return ToolResult([first, IMAGE, last])
    if name == "test_error_handling":
        return error_result("This tool intentionally returns an error for testing")
    return text_result("Done.")


CONTEXT = {"workspaceState": {"openFiles": [{"path": "/workspace/greeting.txt", "timestamp": 1, "isActive": True}]}}


class Editor:
    """Stands in for the editor behind the package's own tools: its user accepts every diff after adding a line."""

    server: CompanionServer

    def client_came(self, client: ClientSession) -> None:
        """Tells a client what is open, as the package does."""
        self.server.notify("ide/contextUpdate", CONTEXT, session=client.id, collapse="ide/contextUpdate")

    async def call(self, call: ToolCall) -> ToolResult:
        """Answers at once; the user takes a moment."""
        if call.name == "openDiff":
            asyncio.get_running_loop().call_later(0.1, self._accept, call)
        return text_result('{"content": null}') if call.name == "closeDiff" else ToolResult()

    def _accept(self, call: ToolCall) -> None:
        params = {"filePath": call.arguments["filePath"], "content": call.arguments["newContent"] + "edited\n"}
        self.server.notify("ide/diffAccepted", params, session=call.session.id)


class Demo(IdeCompanion):
    """The package's own dialect, with other tools."""

    tools = tuple(DEMO_TOOLS)


async def main() -> None:
    shipped = "--shipped" in sys.argv[1:]
    editor = Editor()
    if not shipped:
        install(DEMO_TOOLS, REQUIRED_CAPABILITIES)
    server = editor.server = CompanionServer(
        IDE_COMPANION if shipped else Demo(),
        {"": os.environ["COMPANION_TEST_TOKEN"]},
        Hooks(editor.call, editor.client_came) if shipped else Hooks(call_demo_tool),
        identity=Implementation("gemini-companion", "Gemini Companion", "0.0.0"),
    )
    print((await server.start()).port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
