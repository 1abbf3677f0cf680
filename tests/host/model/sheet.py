"""A sheet: what a tab holds, which here is always a view of a text."""

from __future__ import annotations

from typing import Any


class SheetModel:
    """`window` is None once it is closed. The two low bits of the id tell the kind, as in the editor: 0 is a text.

    `placeholder` is True for the untitled sheet without a tab that a group shows as long as it has none.
    """

    def __init__(self, host: Any, window: Any, view: Any):
        self.id = host.next_id("sheet") * 4
        self.window = window
        self.view = view
        self.transient = False
        self.placeholder = False
        host.sheets[self.id] = self
        view.sheet = self

    def promote(self) -> None:
        """A preview, or what stood for an empty group, becomes an ordinary tab."""
        self.placeholder = False
        if self.transient and self.window is not None:
            group = self.window.groups[self.window.group_of(self)]
            self.transient = False
            group.transient = None
            group.sheets.append(self)
