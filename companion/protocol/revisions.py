"""The published revisions of the Model Context Protocol and their differences, as one table.

Rule: code asks a revision for its features and never compares revision names. A new revision is a new row.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class Revision(NamedTuple):
    """One published revision."""

    name: str
    handshake: bool
    """It has `initialize` and sessions. Without, every request is self-contained and has its own metadata."""
    batches: bool
    """A POST may have an array of JSON-RPC messages (only 2025-03-26, "Sending Messages to the Server")."""
    primes_streams: bool
    """A stream begins with an event that has an id and empty data (2025-11-25, "Sending Messages to the Server", 6).
    Clients of earlier revisions try to parse the empty data as JSON and drop the connection."""
    argument_errors_are_results: bool
    """Invalid arguments are reported in a result with `isError`, which the model reads, not as a JSON-RPC error
    (2025-11-25, key changes, SEP-1303)."""


_ROWS = (
    #        name          handshake batches primes_streams argument_errors_are_results
    Revision("2026-07-28", False, False, False, True),
    Revision("2025-11-25", True, False, True, True),
    Revision("2025-06-18", True, False, False, False),
    Revision("2025-03-26", True, True, False, False),
    Revision("2024-11-05", True, False, False, False),
)

REVISIONS: Dict[str, Revision] = {row.name: row for row in _ROWS}
SUPPORTED: Tuple[str, ...] = tuple(REVISIONS)
"""Newest first."""
NEWEST_HANDSHAKE = REVISIONS["2025-11-25"]
ASSUMED = REVISIONS["2025-03-26"]
"""The revision of a request without session and `MCP-Protocol-Version` (2025-06-18, "Protocol Version Header")."""


def negotiate(asked: str) -> Revision:
    """The revision for the answer to `initialize`: the requested one if supported, or else the newest with a handshake
    (lifecycle, "Version Negotiation")."""
    revision = REVISIONS.get(asked)
    return revision if revision is not None and revision.handshake else NEWEST_HANDSHAKE
