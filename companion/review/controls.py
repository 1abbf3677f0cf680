"""What the user's clicks and keys mean for a review.

Rule: a link's name and a context key mean one thing, said here and nowhere else.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Protocol

import sublime

from .display.markup import ACCEPT, AS_PROPOSED, NEXT, PREVIOUS, REJECT, RELOAD, REVERT, UNDO, WHITESPACE, parse_link
from .window.neovintageous import FEED

IN_REVIEW = "gemini_companion.in_review"
REVIEW_BELOW = "gemini_companion.review_below"  # a proposal is behind the panel that has the focus

_DECIDING = (ACCEPT, AS_PROPOSED, REJECT)

if TYPE_CHECKING:
    from .changes import Changes
    from .decision import Review


class Deciding(Protocol):
    """What a clicked link may decide."""

    def accept(self, review: Review) -> None: ...
    def accept_as_proposed(self, review: Review) -> None: ...
    def reject(self, review: Review) -> None: ...
    def decide(self, review: Review, act: Callable[[Review], None]) -> None: ...


def follow_link(reviews: Deciding, changes: Changes, review: Review, href: str) -> None:
    """Do what a clicked link in a review's views stands for. Main thread."""
    verb, number = parse_link(href)
    actions: Dict[str, Callable[[], None]] = {
        ACCEPT: lambda: reviews.accept(review),
        AS_PROPOSED: lambda: reviews.accept_as_proposed(review),
        REJECT: lambda: reviews.reject(review),
        NEXT: lambda: changes.next_change(review),
        PREVIOUS: lambda: changes.previous_change(review),
        REVERT: lambda: changes.revert_hunk(review, number),
        UNDO: lambda: changes.undo_revert_hunk(review, number),
        RELOAD: lambda: changes.reload(review),
        WHITESPACE: lambda: changes.toggle_whitespace(review),
    }
    if verb in _DECIDING:
        reviews.decide(review, lambda _: actions[verb]())
    elif verb in actions:
        actions[verb]()


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
