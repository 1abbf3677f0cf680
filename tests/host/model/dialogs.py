"""Modal dialogs: nobody is there to answer them.

Rule kept here: a dialog is answered as if it were cancelled, is recorded in `unexpected`, and makes the test fail.
"""

from __future__ import annotations

from typing import Any, Dict, List

CANCELLED = {"save_changes": "cancel"}


class Dialogs:
    """`unexpected` lists every dialog in order: its kind and text."""

    def __init__(self) -> None:
        self.unexpected: List[Dict[str, Any]] = []

    def ask(self, kind: str, text: str) -> Any:
        """Show a dialog (save_changes or save) and return its answer."""
        self.unexpected.append({"kind": kind, "message": text})
        return CANCELLED.get(kind)
