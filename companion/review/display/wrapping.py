"""How long lines wrap: side by side in both views alike, so that equal lines are equally high.

Rule: the user says so in either view, and the other one follows. Where the user names no column both wrap at the width
of the narrower one: the views differ in width as soon as their gutters do, or the line between them was moved.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import sublime

WORD_WRAP, WRAP_WIDTH = "word_wrap", "wrap_width"


def wraps(view: sublime.View) -> bool:
    """Whether a view wraps its lines."""
    chosen = view.settings().get(WORD_WRAP)
    if chosen != "auto":
        return bool(chosen)
    syntax = view.syntax()
    return syntax is None or not syntax.scope.startswith("source.")


class Wrapping:
    """The wrapping of the two views of a review. Main thread only."""

    def __init__(self, left: sublime.View, right: sublime.View) -> None:
        self._settings: List[sublime.Settings] = [left.settings(), right.settings()]
        self._both: Dict[str, Any] = {name: self._settings[1].get(name) for name in (WORD_WRAP, WRAP_WIDTH)}
        self._own_width: Optional[int] = None  # the column that the user has not named
        self._columns = 0

    def align(self, columns: int, settings_changed: bool) -> bool:
        """See that both views wrap alike; `columns` fit into the narrower one. True if a setting was changed."""
        if not settings_changed and columns == self._columns:
            return False
        self._columns = columns
        wraps, width = self._chosen(WORD_WRAP), self._chosen(WRAP_WIDTH)
        if self._own_width is not None and width == self._own_width:
            width = 0
        self._own_width = columns if wraps and not width and columns else None
        return any([self._set(WORD_WRAP, wraps), self._set(WRAP_WIDTH, self._own_width or width)])

    def _chosen(self, name: str) -> Any:
        """What the user has set last: the value of a view that is not what both had."""
        values = [settings.get(name) for settings in self._settings]
        return next((value for value in values if value != self._both[name]), self._both[name])

    def _set(self, name: str, value: Any) -> bool:
        self._both[name] = value
        others = [settings for settings in self._settings if settings.get(name) != value]
        for settings in others:
            settings.set(name, value)
        return bool(others)
