"""Whose a view is: the marks by which the package's own views and terminals are known.

Rule: the editor keeps a view's settings across a restart and hands them to clones, so these names are the same in every
version, and nobody else spells them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    import sublime

ROLE = "gemini_companion.role"  # what a view of ours is for; absent in all others
ORIGINAL, PROPOSAL = "original", "proposal"  # the roles of the two views of a review
TERMINAL = "terminus_view"  # set by Terminus


def is_terminal(view: Optional[sublime.View]) -> bool:
    """Whether the view is a terminal, in a tab or in a panel. Main thread."""
    return view is not None and bool(view.settings().get(TERMINAL))


def role_of(view: sublime.View) -> Optional[str]:
    """`ORIGINAL` or `PROPOSAL` if the view is, or before a restart was, part of a review; else None. Main thread."""
    role = view.settings().get(ROLE)
    return role if role in (ORIGINAL, PROPOSAL) else None
