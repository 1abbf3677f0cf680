"""Modal dialogs, answered by a script given in advance.

Rule kept here: a dialog that no script expects is recorded as an error, and is answered as if it were cancelled.
"""

from __future__ import annotations

from typing import Any, Dict, List

from .. import errors

CANCELLED = {"save_changes": "cancel"}


class Dialogs:
    """`shown` lists every dialog in order: its kind, text and answer."""

    def __init__(self) -> None:
        self._answers: List[Dict[str, Any]] = []
        self.shown: List[Dict[str, Any]] = []

    def expect(self, kind: str, answer: Any = None) -> None:
        """Answer the next dialog of this kind with `answer`.

        Kinds: message, error, save (a path, or None), save_changes ("save", "discard", "cancel"), ok_cancel (a truth).
        """
        self._answers.append({"kind": kind, "answer": answer})

    def ask(self, kind: str, text: str, **details: Any) -> Any:
        """Show a dialog and return its answer."""
        for script in self._answers:
            if script["kind"] == kind:
                self._answers.remove(script)
                answer, scripted = script["answer"], True
                break
        else:
            answer, scripted = CANCELLED.get(kind), False
        self.shown.append(dict(details, kind=kind, message=text, answer=answer, scripted=scripted))
        if not scripted:
            errors.record("a dialog that nobody asked for (%s)" % kind, text)
        return answer
