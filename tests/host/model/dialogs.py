"""Modal dialogs, answered by a script given in advance.

Rule kept here: a dialog that no script expects is recorded in `unexpected`, is answered as if it were cancelled,
and makes the test fail.
"""

from __future__ import annotations

from typing import Any, Dict, List

CANCELLED = {"save_changes": "cancel"}


class Dialogs:
    """`shown` lists every dialog in order: its kind, text and answer."""

    def __init__(self) -> None:
        self._answers: List[Dict[str, Any]] = []
        self.shown: List[Dict[str, Any]] = []
        self.unexpected: List[Dict[str, Any]] = []

    def expect(self, kind: str, answer: Any = None) -> None:
        """Answer the next dialog of this kind with `answer`.

        Kinds: message, error, save (a path, or None), save_changes ("save", "discard", "cancel").
        """
        self._answers.append({"kind": kind, "answer": answer})

    def unused(self) -> List[Dict[str, Any]]:
        """The answers that no dialog has asked for."""
        return list(self._answers)

    def ask(self, kind: str, text: str, **details: Any) -> Any:
        """Show a dialog and return its answer."""
        for script in self._answers:
            if script["kind"] == kind:
                self._answers.remove(script)
                answer, scripted = script["answer"], True
                break
        else:
            answer, scripted = CANCELLED.get(kind), False
        entry = dict(details, kind=kind, message=text, answer=answer, scripted=scripted)
        self.shown.append(entry)
        if not scripted:
            self.unexpected.append(entry)
        return answer
