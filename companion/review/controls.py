"""What the user's clicks and keys mean for a desk.

Rule: a link's name and a context key mean one thing, said here and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

import sublime

from .markup import ACCEPT, NEXT, PREVIOUS, REJECT, RELOAD, REVERT, UNDO, parse_link

SAVE = "save"  # the editor's command that answers a review

if TYPE_CHECKING:
    from .desk import Desk
    from .review import Review


def follow_link(desk: Desk, review: Review, href: str) -> None:
    """Do what a clicked link in a review's views stands for. Main thread."""
    verb, number = parse_link(href)
    actions: Dict[str, Callable[[], None]] = {
        ACCEPT: lambda: desk.accept(review),
        REJECT: lambda: desk.reject(review),
        NEXT: lambda: desk.next_change(review),
        PREVIOUS: lambda: desk.previous_change(review),
        REVERT: lambda: desk.revert_hunk(review, number),
        UNDO: lambda: desk.undo_revert_hunk(review, number),
        RELOAD: lambda: desk.reload(review),
    }
    if verb in actions:
        actions[verb]()


def answer(value: bool, operator: int, operand: Any) -> Optional[bool]:
    """Whether a context key with this value fulfils what a key binding asks; None for operators it does not know."""
    wanted = operand if isinstance(operand, bool) else True
    if operator == sublime.OP_EQUAL:
        return value == wanted
    return value != wanted if operator == sublime.OP_NOT_EQUAL else None
