"""The Responses API of OpenAI as far as Codex CLI uses it: streamed texts, and scripts that call its tools.

Rule: a request for a value of a schema, such as a title, is a side question, which gets an empty JSON object for an
answer; all other requests are turns of the chat.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Dict, List, Optional

from tests.clients.programs.model_stub import Answer, CallTool, ModelStub, Say, calls_of


class ResponsesApi(ModelStub):
    """Base address for a provider: `url` + "/v1". What a tool takes as plain text is its argument "input"."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(1)

    def answer(self, path: str, request: Dict[str, Any]) -> Optional[Answer]:
        if path != "/v1/responses":
            return None
        reply = Say("{}") if "format" in request.get("text", {}) else self.take_turn(request)
        items = [_message(reply.text)] if isinstance(reply, Say) else [self._call(each) for each in calls_of(reply)]
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": items, "usage": usage}
        events = [
            {"type": "response.created", "response": dict(response, status="in_progress", output=[])},
            *({"type": "response.output_item.done", "output_index": at, "item": item} for at, item in enumerate(items)),
            {"type": "response.completed", "response": response},
        ]
        return Answer(events, streamed=True, named=True)

    def _call(self, call: CallTool) -> Dict[str, Any]:
        """The program's models call its tools from scripts, but for those of a namespace, as `collaboration`."""
        number = next(self._numbers)
        argument = json.dumps(call.arguments.get("input", dict(call.arguments)))
        namespace, _, name = call.name.rpartition(".")
        if namespace:
            ids = {"id": f"item_{number}", "call_id": f"call_{number}"}
            return {"type": "function_call", "namespace": namespace, "name": name, "arguments": argument, **ids}
        return {
            "type": "custom_tool_call",
            "id": f"item_{number}",
            "call_id": f"call_{number}",
            "status": "completed",
            "name": "exec",
            "input": f"text(await tools.{call.name}({argument}));",
        }


def _message(text: str) -> Dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}


def user_texts(request: Dict[str, Any]) -> List[str]:
    """The texts of a request that came from the user's side, oldest first."""
    messages = [item for item in request["input"] if item.get("role") == "user"]
    return [part["text"] for message in messages for part in message["content"] if "text" in part]
