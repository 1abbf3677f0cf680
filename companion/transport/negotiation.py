"""Content negotiation: which of the two media types the client accepts.

Rule: a missing `Accept` allows everything.
Implements RFC 9110, 12.5.1, as far as two media types need it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Tuple

from aiohttp import hdrs

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy


def accepted(headers: CIMultiDictProxy[str]) -> Tuple[bool, bool]:
    """Whether the `Accept` headers allow (JSON, event streams)."""
    return _accepted(",".join(headers.getall(hdrs.ACCEPT, ())))


@functools.lru_cache(maxsize=64)
def _accepted(value: str) -> Tuple[bool, bool]:
    if not value or value == "*/*":
        return True, True
    json = events = False
    for part in value.lower().split(","):
        media_type, _, parameters = part.partition(";")
        if _refused(parameters):
            continue
        media_type = media_type.strip()
        if media_type == "*/*":
            return True, True
        json = json or media_type in ("application/json", "application/*")
        events = events or media_type in ("text/event-stream", "text/*")
    return json, events


def _refused(parameters: str) -> bool:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value) <= 0
            except ValueError:
                return False
    return False
