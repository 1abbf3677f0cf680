"""What the endpoint gives a server when it makes it: the dialect to serve, the tokens, and the hooks to call.

Rule: the same for every server, whatever carries its messages.
"""

from __future__ import annotations

import secrets
from typing import Any, Awaitable, Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from .tools import ClientSession, Tool, ToolCall, ToolResult


class Address(NamedTuple):
    """Where a server listens: on a port, or on a socket in the file system (or a named pipe)."""

    port: int = 0
    socket: str = ""


HOOK_SECRET, HOOK_EVENT, HOOK_PROCESS = "X-Companion-Secret", "X-Companion-Event", "X-Companion-Parent"
"""In which headers the hook of a program shows its secret, and says its event and the id of the program's process."""
HOOK_TERMINAL = "X-Companion-Terminal"
"""In which header the hook says in which terminal of the editor its agent runs; it is empty outside of these."""
HOOK_HELD = "X-Companion-Held"
"""In which header a hook that may be held says its event. It is known however little of the body can be read."""

Tokens = Mapping[str, str]
"""The tokens that a server takes, by the name of whose each is; "" has the one that several programs share. Never to be
logged."""


def new_token() -> str:
    """A token of 256 bits, which cannot be guessed. Any thread."""
    return secrets.token_urlsafe(32)


def _nobody(*told: Any) -> None:
    return None


class Hooks(NamedTuple):
    """Whom a server tells, and who carries out its calls. Called on the loop thread."""

    call_tool: Callable[[ToolCall], Awaitable[ToolResult]]
    came: Callable[[ClientSession], None] = _nobody
    went: Callable[[ClientSession], None] = _nobody
    listed: Callable[[ClientSession], None] = _nobody
    """The client has received the list of tools."""
    process_known: Callable[[ClientSession, int], None] = _nobody
    """The client has told the id of its process."""


class ServedDialect:
    """The facts about a dialect that its server needs."""

    tools: Tuple[Tool, ...]
    on_socket = False
    """Over HTTP: on a socket in the file system, not on a port."""
    secret_header = "Authorization"
    """In which header clients show the secret; in `Authorization` it is a bearer token."""
    handshake_only = False
    """Over HTTP: no revision of MCP without sessions is served. A client that asks for one hears that there is no such
    method, and comes back."""
    deleted_status = 204
    """Over HTTP: of the answer that ends a session. There are clients that cannot read 204."""
    subscribable: Sequence[str] = ()
    """Over HTTP: the notifications to which clients of the revision without sessions can subscribe by name."""
    process_id_header = ""
    """Over HTTP: in which header clients tell the id of their process; "" if they do not."""

    def process_id(self, method: str, params: Mapping[str, Any]) -> Optional[int]:
        """Over a WebSocket: the id of the client's process, if this is the notification that tells it."""
        return None

    def plain_event(self, method: str, params: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
        """Over HTTP: a notification as the plain event stream `/events` has it."""
        return method, params
