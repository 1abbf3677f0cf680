"""The context of one window as every program is told it, each in its own words.

Rule: pure values. What is in here has passed the user's settings: what is not to be shared is not in it.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Tuple


class Position(NamedTuple):
    """A place in a text: line and character from 0, characters in UTF-16 units."""

    line: int
    character: int


class ActiveFile(NamedTuple):
    """The file that the user was last in, and one selection in it, with its text; without text it is the caret.

    Of several selections it is the last that is not empty: programs that know of one take its text for the range's.
    """

    path: str
    start: Position
    end: Position
    text: str = ""
    selections: Tuple[Tuple[Position, Position], ...] = ()
    """All of them, where there are several that are not empty."""


class SharedContext(NamedTuple):
    """All at once: what the IDE companion protocol calls `IdeContext`, and the file in front, if it is shared."""

    ide_context: Mapping[str, Any]
    active: Optional[ActiveFile] = None


NOTHING = SharedContext({"workspaceState": {"openFiles": []}})
"""What is told where nothing is shared."""
