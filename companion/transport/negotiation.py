"""Content negotiation: which body comes in, which body may go out.

Rules: a header that is missing is no reason to refuse, except `Content-Type`, whose absence a web page can use; only
identity-encoded UTF-8 JSON comes in.
Implements RFC 9110, 8.3, 8.4 and 12.5.1, as far as two media types need it.
"""

from __future__ import annotations

from typing import Mapping, Optional, Tuple


def accepted(value: Optional[str]) -> Tuple[bool, bool]:
    """(JSON, event stream): what an `Accept` header allows."""
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


def body_complaint(headers: Mapping[str, str]) -> Optional[str]:
    """None if the body may be read as UTF-8 JSON, else a sentence for a 415."""
    content_type = headers.get("Content-Type")
    if content_type != "application/json":
        if content_type is None:
            return "The header Content-Type is missing: send application/json."
        media_type, _, parameters = content_type.lower().partition(";")
        if media_type.strip() != "application/json":
            return "The body must be application/json."
        for parameter in parameters.split(";"):
            name, _, value = parameter.partition("=")
            if name.strip() == "charset" and value.strip(' "') not in ("utf-8", "utf8"):
                return "The body must be UTF-8."
    encoding = headers.get("Content-Encoding")
    if encoding is not None and encoding.strip().lower() not in ("", "identity"):
        return "The body must not be compressed."
    return None
