"""A sheet: what a tab holds. A text view, or a page of HTML."""

from __future__ import annotations

from typing import Any, Optional

TEXT, IMAGE, HTML = 0, 1, 2


class SheetModel:
    """`window` is None once it is closed. The two low bits of the id tell the kind, as in the editor.

    `placeholder` is True for the untitled sheet without a tab that a group shows as long as it has none.
    """

    def __init__(self, host: Any, kind: int, window: Any):
        self.id = host.next_id("sheet") * 4 + kind
        self.kind = kind
        self.window = window
        self.view: Any = None
        self.name = ""
        self.contents = ""
        self.transient = False
        self.semi_transient = False
        self.placeholder = False
        host.sheets[self.id] = self

    def title(self) -> str:
        return self.view.title() if self.view is not None else self.name

    def given_name(self) -> str:
        return self.view.buffer.name if self.view is not None else self.name

    def file_name(self) -> str:
        return self.view.buffer.file_name if self.view is not None else ""

    def promote(self) -> None:
        """A preview, or what stood for an empty group, becomes an ordinary tab."""
        self.semi_transient = self.placeholder = False
        if self.transient and self.window is not None:
            group = self.window.groups[self.window.group_of(self)]
            self.transient = False
            group.transient = None
            group.sheets.append(self)


def view_of(sheet: Optional[SheetModel]) -> Any:
    """The sheet's view, or None."""
    return sheet.view if sheet is not None else None
