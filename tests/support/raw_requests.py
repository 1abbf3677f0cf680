"""HTTP requests written by hand, for tests that send what no client library would."""

from __future__ import annotations

from typing import Dict, Mapping, Optional


def request_head(
    port: int,
    token: str,
    method: str = "POST",
    path: str = "/mcp",
    headers: Optional[Mapping[str, Optional[str]]] = None,
) -> bytes:
    """The head of a request to the MCP endpoint, right in everything that `headers` does not override.

    A header of None is left out. An underscore in a name stands for a hyphen.
    """
    fields: Dict[str, Optional[str]] = {
        "Host": f"127.0.0.1:{port}",
        "Authorization": "Bearer " + token,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    fields.update({name.replace("_", "-"): value for name, value in (headers or {}).items()})
    lines = [f"{method} {path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n"
