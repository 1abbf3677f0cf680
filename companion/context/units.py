"""Text in UTF-16 code units, which is what clients count in, and text made safe to send.

Rule: a character outside the Basic Multilingual Plane is two units and is never cut in half.
"""

from __future__ import annotations


def utf16_length(text: str) -> int:
    """The number of UTF-16 code units in `text`."""
    if text.isascii():
        return len(text)
    return len(text) + sum(1 for character in text if character > "\uffff")


def cut(text: str, units: int) -> str:
    """The longest beginning of `text` that has at most `units` UTF-16 code units."""
    if len(text) * 2 <= units:
        return text
    text = text[:units]  # no character has less than one unit
    excess = utf16_length(text) - units
    while excess > 0:
        # Each dropped character has one unit or two; the loop ends after a few rounds.
        dropped = text[len(text) - (excess + 1) // 2 :]
        text = text[: len(text) - len(dropped)]
        excess -= utf16_length(dropped)
    return text


def well_formed(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD, and each pair of surrogates joined into one character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
