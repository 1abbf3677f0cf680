"""JSON as Sublime Text reads it: with comments and trailing commas.

The text is first cleaned without moving a character (comments and superfluous commas become
spaces), then given to the standard parser, so that every error names the true line and column.
Rule: nothing else is forgiven. What the editor would refuse must be refused here too.
"""

from __future__ import annotations

import json
import re
from typing import Any

# One alternative per thing whose inside must not be looked at, then any single significant character.
_TOKEN = re.compile(
    r"""
    (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<other>[^\s])
    """,
    re.VERBOSE | re.DOTALL,
)


class LenientJsonError(ValueError):
    """The text is not JSON, even leniently. The message names source, line and column (1-based)."""


def loads(text: str, source: str = "<text>") -> Any:
    """Parses `text`. Raises LenientJsonError, naming `source`. Any thread."""
    cleaned = strip(text)
    try:
        return json.loads(cleaned, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise LenientJsonError(f"{source}:{error.lineno}:{error.colno}: {error.msg}") from None
    except ValueError as error:
        raise LenientJsonError(f"{source}: {error}") from None


def strip(text: str) -> str:
    """Returns `text` of the same length with comments and trailing commas replaced by spaces."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    pieces = list(text)
    before, pending_comma = "", -1
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "comment":
            for index in range(*match.span()):
                if pieces[index] != "\n":
                    pieces[index] = " "
            continue
        if match.group() in ("]", "}") and pending_comma >= 0:
            pieces[pending_comma] = " "
        # A comma is trailing only behind a value: `[,]` stays the mistake that it is.
        pending_comma = match.start() if match.group() == "," and before not in ("", "[", "{", ",") else -1
        before = match.group()
    return "".join(pieces)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
