"""The two views of a review: how they are made, named, recognised and closed.

Rules: both are scratch views of our own, so that closing them never asks anything; a user's tab is never one of them.
Nothing that the editor does to a view on its own (trimming, wrapping, folding, saving on focus lost) may change the
text or spoil the alignment.
"""

from __future__ import annotations

import os
from typing import Any, Dict, FrozenSet, Optional

import sublime

from ...common.display_names import client_name as shown_client
from ...common.display_names import file_name
from ...editor import file_views
from ...editor.file_views import is_open, views_of_file
from ...editor.view_roles import ROLE, take_role
from ..decision import Words
from ..document.disk import Kind
from ..document.indentation import guess
from . import neovintageous

_ENOUGH_TO_GUESS = 100000  # characters

# After a restart scratch views are back with their settings, so they are known by these alone.
_SETTINGS: Dict[str, Any] = {
    "draw_centered": False,
    "ensure_newline_at_eof_on_save": False,
    "fold_buttons": False,
    # LSP attaches to views without a file, too, where a server wants that: to none of this scheme.
    "lsp_uri": "gemini-companion:review",
    "mini_diff": False,
    "save_on_focus_lost": False,
    "scroll_past_end": True,
    "trim_trailing_white_space_on_save": "none",
}
_SIDE_BY_SIDE: Dict[str, Any] = {"word_wrap": False}  # until the user says otherwise; alone it is as the user has it
# What the user may have set for the file, and what makes lines higher or wider.
_FROM_THE_FILE = ("tab_size", "translate_tabs_to_spaces", "use_tab_stops", "rulers", "font_size", "font_face")


def original_name(path: str, kind: Kind, words: Words) -> str:
    """The title of the view that shows the file."""
    return {
        Kind.TEXT: f"{{}} ({words.left})",
        Kind.HUGE: f"{{}} ({words.left})",
        Kind.NEW: "{} (new file)",
        Kind.BINARY: "{} (binary)",
        Kind.UNDECODABLE: "{} (not decodable)",
        Kind.UNREADABLE: "{} (not readable)",
    }[kind].format(file_name(path))


def proposal_name(path: str, client_name: str, words: Words) -> str:
    """The title of the view that shows the proposal."""
    return f"{file_name(path)} \u2190 {shown_client(client_name)} ({words.right})"


def create(
    window: sublime.Window, role: str, name: str, path: str, user_view: Optional[sublime.View], alone: bool
) -> sublime.View:
    """Make an empty view for the file `path` in the active group. It takes the focus.

    `user_view` is a view of the same file, whose syntax and indentation are taken over. `alone` is whether it is the
    only view of its review.
    """
    view = window.new_file()
    view.set_scratch(True)
    view.set_name(name)
    take_role(view, role)
    settings = view.settings()
    for key, value in {**_SETTINGS, **({} if alone else _SIDE_BY_SIDE)}.items():
        settings.set(key, value)
    settings.set(neovintageous.SETTING, neovintageous.handled_keys(settings.get(neovintageous.SETTING)))
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


def close(view: Optional[sublime.View]) -> None:
    """Close one of our views and its clones. A view that the user has saved as a file stays."""
    if view is None or not is_open(view):
        return
    if view.file_name() is not None:
        release(view)
        return
    for each in [*view.clones(), view]:
        file_views.close(each)


def release(view: sublime.View) -> None:
    """Give the user a view that they have saved as a file, and its clones: nothing of ours stays in their settings."""
    for each in [view, *view.clones()]:
        _forget(each.settings())
    view.set_scratch(False)
    view.set_read_only(False)


def _forget(settings: sublime.Settings) -> None:
    settings.erase(ROLE)
    for key in (*_SETTINGS, *_SIDE_BY_SIDE, "wrap_width", neovintageous.SETTING):
        settings.erase(key)
