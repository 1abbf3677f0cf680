"""Whose a view is: how the package's own views and terminals are known.

Rule: the editor keeps a view's settings across a restart and hands them to clones, so these names are the same in every
version, and nobody else spells them out. Only scratch views are ours or terminals: all others hold the user's texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from . import marks

if TYPE_CHECKING:
    import sublime

ROLE = "gemini_companion.role"  # what a view of ours is for; absent in all others
ORIGINAL, PROPOSAL = "original", "proposal"  # the roles of the two views of a review
TERMINAL = "terminus_view"  # set by Terminus
TERMINAL_ARGUMENTS = "terminus_view.args"  # what it was started with, as well; no two terminals have the same


def is_terminal(view: Optional[sublime.View]) -> bool:
    """Whether the view is a terminal, in a tab or in a panel. Main thread."""
    if view is None or not view.settings().get(TERMINAL):
        return False
    if view.file_name() is not None or not view.is_scratch():
        return False
    settings, window = view.settings(), view.window()
    return any(marks.own(settings, window, name) for name in (TERMINAL, TERMINAL_ARGUMENTS))


def take_role(view: sublime.View, role: str) -> None:
    """Mark a view of ours. Main thread."""
    marks.put(view.settings(), ROLE, {"role": role})


def role_of(view: sublime.View) -> Optional[str]:
    """`ORIGINAL` or `PROPOSAL` if the view is, or before a restart was, part of a review; else None. Main thread."""
    settings = view.settings()
    if not settings.get(ROLE):
        return None
    note = marks.read(settings, view.window(), ROLE)
    role = note.get("role") if note is not None and view.is_scratch() else None
    return role if role in (ORIGINAL, PROPOSAL) else None
