"""All limits of the server in one table.

Rule: everything that a client can make grow has a limit here. Exceeding it gives that client a clear error and affects
no other. The transport and the core read this table and have no limits of their own.
"""

from __future__ import annotations

from typing import NamedTuple

MEBIBYTE = 1024 * 1024
TEXT_BYTES = 32 * MEBIBYTE  # of the largest text that an agent can propose
ENVELOPE = MEBIBYTE // 4  # bytes of a message around the text it carries


class Limits(NamedTuple):
    """Sizes are in bytes, times in seconds; the rest are counts."""

    body_bytes: int = TEXT_BYTES + ENVELOPE
    """Largest request body, its envelope included. Over it: 413."""
    header_bytes: int = 16 * 1024
    """Longest request line and longest header field. Over it: 431."""
    headers_bytes: int = 64 * 1024
    """Largest whole header, or trailer, of any request; counted in chunks of 8 KiB. Over it: 431."""
    header_lines: int = 256
    """As `headers_bytes`, in lines: a short line takes a hundred times its size in memory."""
    pipelined_requests: int = 16
    """Most requests that wait on one connection for the answer to an earlier one. Over it: 429 and closed."""
    nesting: int = 64
    """Deepest nesting of arrays and objects in a message. Over it: 400, -32600."""
    values: int = 50_000
    """Most values in a message: members of arrays and objects. Counted before any is decoded. Over it: 400, -32600."""
    batch_messages: int = 100
    """Most messages in one batch. Over it: 400, -32600."""
    sessions: int = 512
    """Most sessions at once. Over it the one that was silent longest, and never had a stream, is closed, else 503. None
    is closed within `stream_grace_seconds`."""
    sessions_per_token: int = 256
    """As `sessions`, of those whose clients show the same token: they make room for each other."""
    streams_per_session: int = 16
    """Most streams open at once in one session. Over it: 429."""
    calls_per_connection: int = 64
    """Most calls that wait for their results on one connection which carries messages both ways. Over it: -32600."""
    requests_in_flight: int = 256
    """Most requests being read or answered at once. Over it: 503."""
    bodies_at_once: int = 4
    """Most bodies of the largest size in memory at once, counted by their bytes. Over it: 503."""
    queued_messages: int = 4096
    """Most messages that wait for one client. Over it the session is closed, because no message may be dropped."""
    queued_bytes: int = 128 * MEBIBYTE
    """As `queued_messages`, in bytes. A single message may always exceed it."""
    replay_messages: int = 2048
    """Most sent messages kept per stream for `Last-Event-ID`. Over it the oldest is forgotten."""
    replay_bytes: int = 16 * MEBIBYTE
    """As `replay_messages`, in bytes. The newest message is always kept."""
    finished_streams: int = 16
    """Most broken streams kept per session for `Last-Event-ID`."""
    connections: int = 1024
    """Most connections at once in the whole process, and never more than half of its descriptors. Over it: 503."""
    unauthenticated_connections: int = 64
    """Most unauthenticated connections in the whole process, and never more than an eighth of its descriptors. Over
    it the oldest one is closed."""
    request_seconds: float = 20.0
    """Time for a client to send a request's header, from its connection or the first byte, and to send each body. Over
    it: 408 and closed."""
    keepalive_seconds: float = 75.0
    """How long an idle connection between two requests is kept."""
    heartbeat_seconds: float = 15.0
    """Time between heartbeats on an idle stream. Node.js's fetch gives up after 300 s without a byte."""
    stream_grace_seconds: float = 8.0
    """How long a session outlives its last stream. The SDKs reconnect after one second and give up two seconds later;
    a server that is about to be replaced tells them to wait six seconds."""
    silent_session_seconds: float = 1800.0
    """How long a session that never opened a stream outlives its last request."""
