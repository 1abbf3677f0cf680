"""Dialects for servers under test."""

from __future__ import annotations

from typing import Any, Sequence

from companion.protocol.serving import ServedDialect
from companion.protocol.tools import Tool


def dialect(tools: Sequence[Tool], **traits: Any) -> ServedDialect:
    """One that has these tools and traits, and else what every dialect has."""
    made = ServedDialect()
    made.__dict__.update(traits, tools=tuple(tools))
    return made
