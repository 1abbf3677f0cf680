"""Which settings the package reads from views and windows, and what a stranger's project file might say for them.

A test holds that these are all that the source reads.
"""

from __future__ import annotations

from typing import Any, Tuple

READ_SETTINGS: Tuple[str, ...] = (
    "color_scheme",
    "detect_indentation",
    "fallback_encoding",
    "file_exclude_patterns",
    "folder_exclude_patterns",
    "font_face",
    "font_size",
    "gemini_companion.review_before_writing",
    "gemini_companion.role",
    "gemini_companion.sharing_paused",
    "gemini_companion.stage",
    "indent_subsequent_lines",
    "last_automatic_layout",
    "margin",
    "rulers",
    "syntax",
    "tab_size",
    "terminus_view",
    "terminus_view.args",
    "terminus_view.finished",
    "terminus_view.tag",
    "translate_tabs_to_spaces",
    "use_tab_stops",
    "vintageous_handle_keys",
    "word_wrap",
    "wrap_width",
)

WRONG_VALUES: Tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    {"margin": -1e9, "wrap_width": 10**9}.get,
    10**9,
    "",
    "\u0000",
    "x" * 1000,
    [],
    [None],
    {},
    {"role": ["proposal"], "division": [None], "active": "x", "cmd": 7},
)

_HALVES = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
_WHOLE = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}
_DIVISION = {"group": 0, "before": _HALVES, "after": _WHOLE, "groups": [1], "columns": [0, 0, 1], "rows": [0, 1]}

# By the names, as the package and Terminus write them themselves; the rest as the editor does.
_OWN = {
    "gemini_companion.role": "proposal",
    "gemini_companion.review_before_writing": {"gemini_companion.review_before_writing": "as_agent"},
    "gemini_companion.sharing_paused": False,
    "gemini_companion.stage": {"division": _DIVISION, "automatic": _HALVES, "active_group": 0, "active": [0]},
    "fallback_encoding": "Western (Windows 1252)",
    "last_automatic_layout": _HALVES,
    "margin": 4,
    "tab_size": 4,
    "terminus_view": True,
    "terminus_view.args": {"cmd": ["sh"], "cwd": "/"},
    "terminus_view.finished": True,
    "terminus_view.tag": "gemini_companion.gemini.1.1-1.x",
    "vintageous_handle_keys": {"<C-s>": True},
}
OUR_OWN_VALUES: Tuple[Any, ...] = (
    _OWN.get,
    dict(_OWN, **{"gemini_companion.role": "original", "gemini_companion.sharing_paused": True}).get,
    dict(_OWN, **{"gemini_companion.role": "report"}).get,
)
