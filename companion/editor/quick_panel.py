"""Lists in which the user chooses what is done, and sees beforehand what it is about.

Rule: names are displayed as `display_names` says, and no markup of theirs is obeyed. What a preview has brought to the
front goes to the back again when the list closes, whatever is done then. Main thread.
"""

from __future__ import annotations

import html
from typing import Callable, NamedTuple, Optional, Sequence

import sublime

from ..common.display_names import shown
from .file_views import bring_back, in_front

Act = Callable[[], object]


class PanelEntry(NamedTuple):
    """A line of a list, and what is done if the user picks it; `preview` is done while it is highlighted."""

    caption: str
    act: Act
    details: str = ""
    annotation: str = ""
    preview: Optional[Act] = None


def choose(
    window: sublime.Window,
    entries: Sequence[PanelEntry],
    placeholder: str = "",
    opens: Act = lambda: None,
    closed: Act = lambda: None,
) -> None:
    """Let the user pick an entry or none. `opens` is called before the list is shown, `closed` when it has gone, before
    anything is done."""
    before = in_front(window) if any(entry.preview for entry in entries) else []
    opens()

    def highlighted(index: int) -> None:
        preview = entries[index].preview if index >= 0 else None
        if preview is not None:
            preview()

    def picked(index: int) -> None:
        bring_back(before)
        closed()
        if index >= 0:
            entries[index].act()

    items = [
        sublime.QuickPanelItem(shown(entry.caption), html.escape(shown(entry.details)), entry.annotation)
        for entry in entries
    ]
    window.show_quick_panel(items, picked, on_highlight=highlighted, placeholder=shown(placeholder))
