"""A notification to any number of clients.

Rule: it is serialised at most once per dialect, however many clients get it. Only the id of a subscription is inserted
for each receiver.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

from .json_text import encode, encode_id
from .jsonrpc import RequestId, notification_message

Translate = Callable[[str, Dict[str, Any]], Tuple[str, Dict[str, Any]]]
"""Maps method and params of a notification to those of another dialect."""


class Notice:
    """A notification, serialised on demand."""

    __slots__ = ("method", "_params", "_translate", "_encoded", "_translated", "_inner")

    def __init__(self, method: str, params: Dict[str, Any], translate: Optional[Translate] = None) -> None:
        self.method = method
        self._params = params
        self._translate = translate
        self._encoded: Optional[bytes] = None
        self._translated: Optional[bytes] = None
        self._inner: Optional[bytes] = None

    def encoded(self) -> bytes:
        """The message for MCP sessions."""
        if self._encoded is None:
            self._encoded = notification_message(self.method, self._params)
        return self._encoded

    def translated(self) -> bytes:
        """The message for the plain event stream."""
        if self._translate is None:
            return self.encoded()
        if self._translated is None:
            self._translated = notification_message(*self._translate(self.method, self._params))
        return self._translated

    def tagged(self, subscription_id: RequestId) -> bytes:
        """The message for a subscription, with its id in `_meta` (MCP 2026-07-28, "Receiving Notifications")."""
        if self._inner is None:
            params = {key: value for key, value in self._params.items() if key != "_meta"}
            self._inner = encode(params)[1:]
        tag = b'{"_meta":{"io.modelcontextprotocol/subscriptionId":' + encode_id(subscription_id) + b"}"
        separator = b"" if self._inner == b"}" else b","
        return (
            b'{"jsonrpc":"2.0","method":' + encode(self.method) + b',"params":' + tag + separator + self._inner + b"}"
        )
