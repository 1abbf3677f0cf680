"""What the user's clicks and keys mean for a review.

Rule: a link's name and a context key mean one thing, said here and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Protocol

import sublime

from .display.markup import ACCEPT, AS_PROPOSED, NEXT, PREVIOUS, REJECT, RELOAD, REVERT, UNDO, WHITESPACE, parse_link

SAVE = "save"  # the editor's command that accepts a proposal
IN_REVIEW = "gemini_companion.in_review"
JUST_SHOWN = "gemini_companion.just_shown"  # the review has come to the front by itself: a key may mean another one

_DECIDING = (ACCEPT, AS_PROPOSED, REJECT)

if TYPE_CHECKING:
    from .changes import Changes
    from .decision import Review


class Deciding(Protocol):
    """What a clicked link may decide."""

    def accept(self, review: Review) -> None: ...
    def accept_as_proposed(self, review: Review) -> None: ...
    def reject(self, review: Review) -> None: ...
    def ignores_click(self, review: Review) -> bool: ...


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
    if verb in actions and not (verb in _DECIDING and reviews.ignores_click(review)):
        actions[verb]()


def answer(value: bool, operator: int, operand: Any) -> Optional[bool]:
    """Whether a context key with this value fulfils what a key binding asks; None for operators it does not know."""
    wanted = operand if isinstance(operand, bool) else True
    if operator == sublime.OP_EQUAL:
        return value == wanted
    return value != wanted if operator == sublime.OP_NOT_EQUAL else None
