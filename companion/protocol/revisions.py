"""What differs between the published revisions of the Model Context Protocol, as one table.

Rule: code asks a revision what it may do; it never compares revision names. Adding a revision is adding a row.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class Revision(NamedTuple):
    """One published revision."""

    name: str
    handshake: bool
    """Begins with `initialize` and has sessions; otherwise every request stands alone and carries its own metadata."""
    batches: bool
    """Several JSON-RPC messages may come in one array (only 2025-03-26, "Sending Messages to the Server")."""
    primes_streams: bool
    """A stream may begin with an event of empty data that hands out an event id (2025-11-25, "Sending Messages", 6).
    Clients of earlier revisions try to parse the empty data as JSON and drop the connection."""
    argument_errors_are_results: bool
    """Wrong arguments are told in a result with `isError`, which a model may read, not as a JSON-RPC error
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
"""What a request without session and without `MCP-Protocol-Version` speaks (2025-06-18, "Protocol Version Header")."""


def negotiate(asked: str) -> Revision:
    """The revision that answers `initialize`: the asked one, or the newest with a handshake (lifecycle, "Version
    Negotiation")."""
    revision = REVISIONS.get(asked)
    return revision if revision is not None and revision.handshake else NEWEST_HANDSHAKE
