"""The OpenAI API as far as Qwen Code uses it: chat completions, streamed or whole.

Rule: a request that offers the program's tools is a turn of the chat; all other requests are side questions,
which get an empty JSON object for an answer.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Dict, List, Optional

from tests.clients.programs.model_stub import Answer, CallTool, ModelStub, Reply, Say, calls_of


class OpenAiApi(ModelStub):
    """Base address for OPENAI_BASE_URL: `url` + "/v1"."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(1)

    def answer(self, path: str, request: Dict[str, Any]) -> Optional[Answer]:
        if path != "/v1/chat/completions":
            return None
        reply = self.take_turn(request) if request.get("tools") else Say("{}")
        if not request.get("stream"):
            return Answer([_completion("message", "chat.completion", self._message(reply), _finish(reply))])
        chunks = [
            _completion("delta", "chat.completion.chunk", self._message(reply), None),
            _completion("delta", "chat.completion.chunk", {}, _finish(reply)),
        ]
        return Answer(chunks, streamed=True, ending="[DONE]")

    def _message(self, reply: Reply) -> Dict[str, Any]:
        if isinstance(reply, Say):
            return {"role": "assistant", "content": reply.text}
        calls = [self._call(index, call) for index, call in enumerate(calls_of(reply))]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def _call(self, index: int, call: CallTool) -> Dict[str, Any]:
        """What a tool takes as plain text is its only argument, "input"."""
        kind, said = "function", {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
        if list(call.arguments) == ["input"]:
            kind, said = "custom", {"name": call.name, "input": call.arguments["input"]}
        return {"index": index, "id": f"call_{next(self._numbers)}", "type": kind, kind: said}


def _finish(reply: Reply) -> str:
    return "stop" if isinstance(reply, Say) else "tool_calls"


def _completion(field: str, kind: str, message: Dict[str, Any], finish: Optional[str]) -> Dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 1,
        "model": "none",
        "choices": [{"index": 0, field: message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def user_texts(request: Dict[str, Any]) -> List[str]:
    """The texts of a request that came from the user's side, oldest first."""
    return [text for message in request["messages"] if message["role"] == "user" for text in _texts(message)]


def tool_texts(request: Dict[str, Any]) -> List[str]:
    """What the program's tools have answered in a request, oldest first."""
    return [text for message in request["messages"] if message["role"] == "tool" for text in _texts(message)]


def _texts(message: Dict[str, Any]) -> List[str]:
    content = message["content"]
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or [] if "text" in part]
