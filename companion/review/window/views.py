"""The two views of a review: how they are made, named, recognised and closed.

Rules: both are scratch views of our own, so that closing them never asks anything; a user's tab is never one of them.
Nothing that the editor does to a view on its own (trimming, wrapping, folding, saving on focus lost) may change the
text or spoil the alignment. Main thread only.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import islice
from typing import Any, Dict, FrozenSet, Iterable, NamedTuple, Optional

import sublime

from ...common.display_names import client_name as shown_client
from ...common.display_names import file_name
from ...editor import file_views
from ...editor.file_views import is_open, views_of_file
from ...editor.marks import PAGE_KEYS, ROLE, take_role
from ..decision import Review, Words
from ..document.disk import Kind

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
WORD_WRAP = "word_wrap"
_SIDE_BY_SIDE: Dict[str, Any] = {WORD_WRAP: False}  # until the user says otherwise; alone it is as the user has it
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


def proposal_name(review: Review) -> str:
    """The title of the view that shows the proposal, or what the file holds now."""
    change, client = review.file_change, shown_client(review.owner.client_name)
    name = file_name(review.path)
    if change.moved_from:
        name = f"{file_name(change.moved_from)} \u2192 {name}"
    if review.source.editable:
        return f"{name} \u2190 {client} ({'deletion' if change.deletes else review.words.right})"
    if change.word:
        return f"{name} ({change.word})"
    return f"{name} \u2190 {client}" + (f" ({review.words.right})" if review.words.right else "")


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
    handled = settings.get(SETTING)
    settings.set(SETTING, {**(handled if isinstance(handled, dict) else {}), **dict.fromkeys(_OURS, False)})
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


def wraps(word_wrap: object, syntax: Optional[sublime.Syntax]) -> bool:
    """Whether lines wrap with this value of the setting in a text of this syntax."""
    return bool(word_wrap) if word_wrap != "auto" else syntax is None or not syntax.scope.startswith("source.")


def user_wraps(path: str, text: str, same_files: FrozenSet[str] = frozenset()) -> bool:
    """Whether the lines of the file wrap in the user's own tab, or would if there were one."""
    tab = next(iter(views_of_file(path, same_files)), None)
    if tab is not None:
        return wraps(tab.settings().get(WORD_WRAP), tab.syntax())
    syntax = sublime.find_syntax_for_file(path, text[:200].partition("\n")[0])
    name = os.path.splitext(os.path.basename(syntax.path))[0] if syntax is not None else ""
    chosen = sublime.load_settings(f"{name}.sublime-settings").get(WORD_WRAP) if name else None
    if chosen is None:
        chosen = sublime.load_settings("Preferences.sublime-settings").get(WORD_WRAP, "auto")
    return wraps(chosen, syntax)


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
    for settings in [each.settings() for each in (view, *view.clones())]:
        for name in (ROLE, *_SETTINGS, *_SIDE_BY_SIDE, "wrap_width", PAGE_KEYS, SETTING):
            settings.erase(name)
    view.set_scratch(False)
    view.set_read_only(False)


# -- indentation -------------------------------------------------------------------------------------------------------
# The Tab key in a proposal does what it would do in the file. The editor guesses that when it loads a file, but not for
# text that a package puts into a view. The guess is made of the steps from line to line, as the editor's is.

_LINES = 2000  # enough to tell
_WIDTHS = range(2, 9)


class Indentation(NamedTuple):
    """Whether a step is made of spaces, and how wide it is in columns; 0 where the text does not say."""

    spaces: bool
    width: int


def guess(lines: Iterable[str]) -> Optional[Indentation]:
    """The indentation of `lines`, or None if none of them is indented."""
    tabs = spaces = 0
    before: Optional[int] = 0
    steps: Counter[int] = Counter()
    for line in islice(lines, _LINES):
        text = line.lstrip(" \t")
        if not text.strip():
            continue
        margin = line[: len(line) - len(text)]
        if margin.startswith("\t"):
            tabs += 1
            before = None  # from here the next step cannot be measured
            continue
        if len(margin) > 1:
            spaces += 1
        if before is not None and len(margin) - before in _WIDTHS:
            steps[len(margin) - before] += 1
        before = len(margin)
    if tabs >= spaces:
        return Indentation(False, 0) if tabs else None
    # Of equally frequent steps the narrower one: a continued line is often indented by two at once.
    width = min(steps, key=lambda step: (-steps[step], step), default=0)
    return Indentation(True, width)


# -- the keys of NeoVintageous -----------------------------------------------------------------------------------------
# Vim's ways to write accept a proposal, and our own keys stay ours. NeoVintageous is loaded after us, so its bindings
# win where their context holds. It leaves those keys alone that the view's setting `vintageous_handle_keys` names;
# every character goes to its command `nv_feed_key`. It writes no view that is not dirty, as ours never are, and would
# close it. `:w` and the like are key bindings of ours in its command line.

FEED = "nv_feed_key"
SETTING = "vintageous_handle_keys"
_OURS = ("<C-s>", "<D-s>", "<f8>", "<S-f8>", "<C-f8>")
_TAKES_A_CHARACTER = "fFtTrmqgz'`\"@"  # the character behind one of these is no command


class Typed:
    """What was typed last in NeoVintageous' normal mode."""

    def __init__(self) -> None:
        self._latest = ""

    def is_write(self, arguments: Optional[Dict[str, Any]]) -> bool:
        """Whether the character of this `nv_feed_key` completes "ZZ", which writes and closes."""
        given = arguments or {}
        character = given.get("character") or given.get("key")
        self._latest = (self._latest + str(character))[-3:]
        if self._latest[-2:] != "ZZ" or (self._latest[:-2] in _TAKES_A_CHARACTER and len(self._latest) > 2):
            return False
        self._latest = ""
        return True
