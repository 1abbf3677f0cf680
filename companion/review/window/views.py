"""The two views of a review: how they are made, named, recognised and closed.

Rules: both are scratch views of our own, so that closing them never asks anything; a user's tab is never one of them.
Nothing that the editor does to a view on its own (trimming, wrapping, folding, saving on focus lost) may change the
text or spoil the alignment. Which tabs show a file is decided without the disk here: what links lead to comes from a
look on a disk thread, as `same_files`.
"""

from __future__ import annotations

import os
import secrets
from typing import Any, Dict, FrozenSet, List, Optional

import sublime

from ...display_names import client_name as shown_client
from ...display_names import file_name
from ...editor.view_roles import ROLE
from ..document.disk import Kind
from ..document.indentation import guess

RUN = "gemini_companion.run"  # which run of the package made a view
THIS_RUN = secrets.token_hex(8)
ORIGINAL = "original"
PROPOSAL = "proposal"
_ENOUGH_TO_GUESS = 100000  # characters

# A restart brings scratch views back with their settings, so these marks are all that is left to know them by.
_SETTINGS: Dict[str, Any] = {
    "ensure_newline_at_eof_on_save": False,
    "fold_buttons": False,
    "mini_diff": False,
    "save_on_focus_lost": False,
    "scroll_past_end": True,
    "trim_trailing_white_space_on_save": "none",
    "word_wrap": False,
}
# What the user may have set for the file, and what makes lines higher or wider.
_FROM_THE_FILE = ("tab_size", "translate_tabs_to_spaces", "use_tab_stops", "rulers", "font_size", "font_face")


def role_of(view: sublime.View) -> Optional[str]:
    """`ORIGINAL` or `PROPOSAL` if the view is, or before a restart was, part of a review; else None."""
    role = view.settings().get(ROLE)
    return role if role in (ORIGINAL, PROPOSAL) else None


def is_left_over(view: sublime.View) -> bool:
    """Whether the view is part of a review of an earlier run, which nobody can decide any more."""
    return role_of(view) is not None and view.settings().get(RUN) != THIS_RUN


def original_name(path: str, kind: Kind) -> str:
    """The title of the view that shows the file."""
    return {
        Kind.TEXT: "{} (on disk)",
        Kind.HUGE: "{} (on disk)",
        Kind.NEW: "{} (new file)",
        Kind.BINARY: "{} (binary)",
        Kind.UNDECODABLE: "{} (not decodable)",
        Kind.UNREADABLE: "{} (not readable)",
    }[kind].format(file_name(path))


def proposal_name(path: str, client_name: str) -> str:
    """The title of the view that shows the proposal."""
    return f"{file_name(path)} \u2190 {shown_client(client_name)} (proposal)"


def create(window: sublime.Window, role: str, name: str, path: str, user_view: Optional[sublime.View]) -> sublime.View:
    """Make an empty view for the file `path` in the active group. It takes the focus.

    `user_view` is a view of the same file, whose syntax and indentation are taken over.
    """
    view = window.new_file()
    view.set_scratch(True)
    view.set_name(name)
    settings = view.settings()
    settings.set(ROLE, role)
    settings.set(RUN, THIS_RUN)
    for key, value in _SETTINGS.items():
        settings.set(key, value)
    settings.set("default_dir", os.path.dirname(path))
    if user_view is not None:
        theirs = user_view.settings()
        for key in _FROM_THE_FILE:
            if theirs.get(key) != settings.get(key):
                settings.set(key, theirs.get(key))
    return view


def indent_as(view: sublime.View, text: str) -> None:
    """Let the view indent as `text` does, if the user wants that to be found out."""
    settings = view.settings()
    found = guess(text[:_ENOUGH_TO_GUESS].splitlines(True)) if settings.get("detect_indentation", True) else None
    if found is not None:
        settings.set("translate_tabs_to_spaces", found.spaces)
        if found.width:
            settings.set("tab_size", found.width)


def assign_syntax(view: sublime.View, path: str, text: str, same_files: FrozenSet[str] = frozenset()) -> None:
    """Give the view the syntax that the file has in a tab, or would get."""
    user_views = views_of_file(path, same_files)
    syntax = user_views[0].syntax() if user_views else None
    if syntax is None:
        syntax = sublime.find_syntax_for_file(path, text[: text.find("\n")] if "\n" in text else text[:200])
    if syntax is not None:
        view.assign_syntax(syntax)


def is_open(view: Optional[sublime.View]) -> bool:
    """Whether the view is still in a window."""
    return view is not None and view.is_valid() and view.window() is not None


def close(view: Optional[sublime.View]) -> None:
    """Close one of our views and its clones. One that the user has saved as a file has become theirs and stays."""
    if view is None or not is_open(view):
        return
    if view.file_name() is not None:
        release(view)
        return
    for clone in view.clones():
        clone.close()
    view.close()


def release(view: sublime.View) -> None:
    """Take our marks off a view that is not ours any more."""
    settings = view.settings()
    settings.erase(ROLE)
    settings.erase(RUN)
    for key in _SETTINGS:
        settings.erase(key)
    view.set_scratch(False)


def views_of_file(path: str, same_files: FrozenSet[str] = frozenset()) -> List[sublime.View]:
    """Every view of the file in any window, but for ours. `same_files` are further names by which tabs call it."""
    return [view for view in views_named_like(path) if is_same_file(view.file_name(), path, same_files)]


def views_named_like(path: str) -> List[sublime.View]:
    """Every view, but for ours, that may show the file: links are followed only where the names are the same."""
    key, name = same_key(path), _name_key(path)
    found = []
    for window in sublime.windows():
        for view in window.views():
            other = view.file_name()
            if other is not None and (_name_key(other) == name or same_key(other) == key) and role_of(view) is None:
                found.append(view)
    return found


def tabs_of(path: str) -> Dict[str, str]:
    """The files of the views that may show the file, with their encodings; empty while a view is loading."""
    return {view.file_name() or "": "" if view.is_loading() else view.encoding() for view in views_named_like(path)}


def is_same_file(one: Optional[str], other: str, same_files: FrozenSet[str] = frozenset()) -> bool:
    """Whether two paths lead to the same file, as far as that is known without looking at the disk."""
    return one is not None and (one in same_files or same_key(one) == same_key(other))


def same_key(path: str) -> str:
    """What two spellings of one path have in common, without looking at the disk."""
    return os.path.normcase(os.path.normpath(path))


def _name_key(path: str) -> str:
    return os.path.normcase(os.path.basename(path))
