"""What the package notes in the settings of views and windows, and how it knows its own notes, views and terminals.

Rule: a project's file, which may be a stranger's, can set all settings of its windows and their views, and a
workspace brings settings with its tabs. So a note counts only if it holds the secret of this installation, and nothing
counts that the project's file says as well. The editor keeps notes across a restart, with the secret in them, and hands
a view's to its clones, so their names are the same in every version, and are spelled out only here. Only scratch
views are ours or terminals: all others hold the user's texts.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from ..settings import project_settings

if TYPE_CHECKING:
    import sublime

SECRET = "secret"
_secret = secrets.token_hex(16)  # until the one that is kept was read


def use_secret(secret: str) -> None:
    """Take the secret that is kept for this installation, before any note is made or read. Main thread."""
    global _secret
    _secret = secret


def put(settings: sublime.Settings, name: str, note: Mapping[str, Any]) -> None:
    """Make a note of JSON values."""
    settings.set(name, {**note, SECRET: _secret})


def read(settings: sublime.Settings, window: Optional[sublime.Window], name: str) -> Optional[Dict[str, Any]]:
    """The note of this name if it is ours, else None. `window` is where the settings are in force. Main thread.

    The caller checks what it holds: another version may have made it.
    """
    found = own(settings, window, name)
    return found if isinstance(found, dict) and found.get(SECRET) == _secret else None


def own(settings: sublime.Settings, window: Optional[sublime.Window], name: str) -> Any:
    """The value of a setting, unless the window's project sets it to just that. Main thread."""
    found = settings.get(name)
    if not found or window is None:
        return found
    return None if project_settings(window.project_data()).get(name) == found else found


# -- whose a view is ---------------------------------------------------------------------------------------------------

ROLE = "gemini_companion.role"  # what a view of ours is for; absent in all others
ORIGINAL, PROPOSAL = "original", "proposal"  # the roles of the two views of a review
PAGE = "page"  # the role of the view in which all changes are reviewed
PAGE_KEYS = "gemini_companion.page"  # true in such a view: the editor asks about its keys nowhere else
TERMINAL = "terminus_view"  # set by Terminus
TERMINAL_ARGUMENTS = "terminus_view.args"  # what it was started with, as well; no two terminals have the same


def is_terminal(view: Optional[sublime.View]) -> bool:
    """Whether the view is a terminal, in a tab or in a panel. Main thread."""
    if view is None or not view.settings().get(TERMINAL):
        return False
    if view.file_name() is not None or not view.is_scratch():
        return False
    settings, window = view.settings(), view.window()
    return any(own(settings, window, each) for each in (TERMINAL, TERMINAL_ARGUMENTS))


def take_role(view: sublime.View, role: str) -> None:
    """Mark a view of ours. Main thread."""
    put(view.settings(), ROLE, {"role": role})


def role_of(view: sublime.View) -> Optional[str]:
    """`ORIGINAL` or `PROPOSAL` if the view is, or before a restart was, part of a review; else None. Main thread."""
    role = _role(view)
    return role if role in (ORIGINAL, PROPOSAL) else None


def is_page(view: Optional[sublime.View]) -> bool:
    """Whether the view is, or before a restart was, that of *Review Changes*. Main thread."""
    return view is not None and _role(view) == PAGE


def _role(view: sublime.View) -> Optional[str]:
    settings = view.settings()
    note = read(settings, view.window(), ROLE) if settings.get(ROLE) else None
    return note.get("role") if note is not None and view.is_scratch() else None
