"""Comments for the tests of the room."""

from __future__ import annotations

from typing import Any

from companion.comments.model import Comment, TextSide, numbers


def comment(text: str = "use a list", path: str = "src/a.py", first: int = 3, **more: Any) -> Comment:
    """A draft on one line, unless `more` says otherwise."""
    given = {"side": TextSide.NEW, "last": first, "line": "    total = 0", "number": next(numbers), **more}
    return Comment(path=path, first=first, text=text, **given)
