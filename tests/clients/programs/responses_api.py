"""The Responses API of OpenAI as far as Codex CLI uses it: streamed texts.

Rule: a request for a value of a schema, such as a title, is a side question, which gets an empty JSON object for an
answer; all other requests are turns of the chat.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from tests.clients.programs.model_stub import Answer, ModelStub, Say


class ResponsesApi(ModelStub):
    """Base address for a provider: `url` + "/v1"."""

    def answer(self, path: str, request: Dict[str, Any]) -> Optional[Answer]:
        if path != "/v1/responses":
            return None
        reply = Say("{}") if "format" in request.get("text", {}) else self.take_turn(request)
        assert isinstance(reply, Say), "nothing but a text was needed so far"
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        events = [
            {"type": "response.created", "response": dict(response, status="in_progress", output=[])},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        return Answer(events, streamed=True, named=True)


def user_texts(request: Dict[str, Any]) -> List[str]:
    """The texts of a request that came from the user's side, oldest first."""
    messages = [item for item in request["input"] if item.get("role") == "user"]
    return [part["text"] for message in messages for part in message["content"] if "text" in part]
