"""The Gemini API as far as Gemini CLI uses it: streamed chat turns, counting of tokens, small questions.

Rule: a request that offers the program's tools is a turn of the chat; all other requests are side questions,
which get an empty JSON object for an answer.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from tests.clients.programs.model_stub import Answer, ModelStub, Say, calls_of


class GeminiApi(ModelStub):
    """Base address for GOOGLE_GEMINI_BASE_URL: `url`."""

    def answer(self, path: str, request: Dict[str, Any]) -> Optional[Answer]:
        method = path.partition("?")[0].rpartition(":")[2]
        if method == "countTokens":
            return Answer([{"totalTokens": 10}])
        if method == "generateContent":
            return Answer([_response([{"text": "{}"}])])
        if method != "streamGenerateContent":
            return None
        if not request.get("tools"):
            return Answer([_response([{"text": "{}"}])], streamed=True)
        reply = self.take_turn(request)
        if isinstance(reply, Say):
            return Answer([_response([{"text": reply.text}])], streamed=True)
        calls = [{"name": call.name, "args": dict(call.arguments)} for call in calls_of(reply)]
        return Answer([_response([{"functionCall": call} for call in calls])], streamed=True)


def _response(parts: List[Dict[str, Any]]) -> Dict[str, Any]:
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
    }


def user_texts(request: Dict[str, Any]) -> List[str]:
    """The texts of a request that came from the user's side, oldest first."""
    parts = [part for content in request["contents"] if content["role"] == "user" for part in content["parts"]]
    return [part["text"] for part in parts if "text" in part]


def tool_responses(request: Dict[str, Any]) -> List[Dict[str, Any]]:
    """What the program's tools have answered in a request: name and response of each, oldest first."""
    parts = [part for content in request["contents"] for part in content["parts"]]
    return [part["functionResponse"] for part in parts if "functionResponse" in part]
