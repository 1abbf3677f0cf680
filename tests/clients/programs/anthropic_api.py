"""The Messages API of Anthropic as far as Claude Code uses it.

Rule: a request that offers the program's tool for edits is a turn of the chat; all other requests are side questions,
which get an empty JSON object for an answer.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Dict, Iterator, List, Optional

from tests.clients.programs.model_stub import Answer, ModelStub, Reply, Say, calls_of

USAGE = {"input_tokens": 10, "output_tokens": 5}


class AnthropicApi(ModelStub):
    """Base address for ANTHROPIC_BASE_URL: `url`."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(1)

    def answer(self, path: str, request: Dict[str, Any]) -> Optional[Answer]:
        path = path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            return Answer([{"input_tokens": 10}])
        if path != "/v1/messages":
            return None
        is_turn = any(tool.get("name") == "Edit" for tool in request.get("tools") or [])
        blocks = self._blocks(self.take_turn(request) if is_turn else Say("{}"))
        message = {
            "id": f"msg_{next(self._numbers)}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", "none"),
            "content": blocks,
            "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": USAGE,
        }
        if not request.get("stream"):
            return Answer([message])
        return Answer(list(_events(message)), streamed=True, named=True)

    def _blocks(self, reply: Reply) -> List[Dict[str, Any]]:
        if isinstance(reply, Say):
            return [{"type": "text", "text": reply.text}]
        return [
            {"type": "tool_use", "id": f"toolu_{next(self._numbers)}", "name": call.name, "input": dict(call.arguments)}
            for call in calls_of(reply)
        ]


def _events(message: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    """The message as a stream: each block begins empty, grows by one piece, and ends."""
    yield {"type": "message_start", "message": dict(message, content=[], stop_reason=None)}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = dict(block, text=""), {"type": "text_delta", "text": block["text"]}
        else:
            empty, delta = (
                dict(block, input={}),
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": USAGE}
    yield {"type": "message_stop"}


def all_texts(request: Dict[str, Any]) -> List[str]:
    """The texts of a request, oldest first: of the user, of the program's own words to the model, of tools."""
    return [text for message in request["messages"] for text in _texts(message["content"])]


def tool_texts(request: Dict[str, Any]) -> List[str]:
    """What the program's tools have answered in a request, oldest first."""
    return [
        text
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
        for text in _texts(block.get("content") or "")
    ]


def _texts(content: Any) -> List[str]:
    if isinstance(content, str):
        return [content]
    found: List[str] = []
    for block in content:
        if block["type"] == "text":
            found.append(block["text"])
        elif block["type"] == "tool_result":
            found.extend(_texts(block.get("content") or ""))
    return found
