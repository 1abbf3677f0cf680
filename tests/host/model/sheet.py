"""A sheet: what a tab holds, which is a view of a text, or an image."""

from __future__ import annotations

import os
from typing import Any

IMAGE = 1


class SheetModel:
    """`window` is None once it is closed. The two low bits of the id tell the kind, as in the editor: 0 is a text.

    An image has no `view`, so that its window has no active one (sublime_text 2116), and tells no events; `path` is
    that of its file. `placeholder` is True for the untitled sheet without a tab that a group shows as long as it has
    none.
    """

    def __init__(self, host: Any, window: Any, view: Any, path: str = ""):
        self.id = host.next_id("sheet") * 4 + (0 if view is not None else IMAGE)
        self.window = window
        self.view = view
        self.path = path
        self.transient = False
        self.placeholder = False
        host.sheets[self.id] = self
        if view is not None:
            view.sheet = self

    @property
    def file_name(self) -> str:
        """The path of its file; "" if there is none."""
        return self.view.buffer.file_name or "" if self.view is not None else self.path

    @property
    def dirty(self) -> bool:
        """Whether closing it would lose something."""
        return self.view is not None and self.view.buffer.dirty

    def title(self) -> str:
        """What its tab says."""
        return str(self.view.title()) if self.view is not None else os.path.basename(self.path)

    def promote(self) -> None:
        """A preview, or what stood for an empty group, becomes an ordinary tab."""
        self.placeholder = False
        if self.transient and self.window is not None:
            group = self.window.groups[self.window.group_of(self)]
            self.transient = False
            group.transient = None
            group.sheets.append(self)
