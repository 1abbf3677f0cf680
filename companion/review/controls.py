"""What the editor's commands and the context of our key bindings mean for a review."""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, Optional

import sublime

from .window.neovintageous import FEED

IN_REVIEW = "gemini_companion.in_review"
REVIEW_BELOW = "gemini_companion.review_below"  # a proposal is behind the panel that has the focus


class TabAction(Enum):
    """What a command of the editor, or of another package, does to the tab in front."""

    SAVE = "save"
    CLOSE = "close"
    TYPE = "type"  # a key of NeoVintageous, which may be one of the other two


_SAVING = frozenset(["save", "lsp_save"])  # the second is that of LSP, which binds it to the save key
_CLOSING = frozenset(["close", "close_file"])


def tab_action(name: str, arguments: Optional[Dict[str, Any]]) -> Optional[TabAction]:
    """What a command does; None for all that neither save nor close. Called for every command.

    Accepting writes a file, so what merely sounds like saving the tab in front does not: `auto_save` switches a package
    on, and other packages save projects or sessions. Of several commands, as the editor's `chain` runs them, saving
    counts more than closing.
    """
    if name in _SAVING:
        return TabAction.SAVE
    if name in _CLOSING:
        return TabAction.CLOSE
    if name == FEED:
        return TabAction.TYPE
    commands = (arguments or {}).get("commands")
    if not isinstance(commands, list):
        return None
    found = {tab_action(each, None) for each in map(_name, commands)}
    return next((each for each in (TabAction.SAVE, TabAction.CLOSE) if each in found), None)


def _name(command: Any) -> str:
    """The name of one command of several: a pair of it and its arguments, or an object."""
    if isinstance(command, dict):
        command = [command.get("command")]
    name = command[0] if isinstance(command, list) and command else command
    return name if isinstance(name, str) else ""


def answer(value: bool, operator: int, operand: Any) -> Optional[bool]:
    """Whether a context key with this value fulfils what a key binding asks; None for operators it does not know."""
    wanted = operand if isinstance(operand, bool) else True
    if operator == sublime.OP_EQUAL:
        return value == wanted
    return value != wanted if operator == sublime.OP_NOT_EQUAL else None
