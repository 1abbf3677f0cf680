"""The list in which the user chooses among unreviewed changes, and what is done with all of them.

Rule: what undoes several files says how many they are, and asks first. Main thread only.
"""

from __future__ import annotations

import html

import sublime

from ..common.display_names import shown
from ..editor.file_views import bring_back, in_front
from ..editor.status_bar import say
from .deciding import ChangeDecisions
from .model import Scope
from .reviewing import ChangeReviews
from .texts import change_item, file_count

OTHERS = {Scope.SINCE_KEPT: "All unreviewed changes", Scope.LAST_TURN: "Changes of the last turn only"}
HEADINGS = {Scope.SINCE_KEPT: "Unreviewed changes", Scope.LAST_TURN: "Changes of the last turn"}


class ChangeLists:
    """Those of one window."""

    def __init__(self, window: sublime.Window, reviews: ChangeReviews, decisions: ChangeDecisions) -> None:
        self._window = window
        self._reviews = reviews
        self.decisions = decisions

    def show(self, scope: Scope = Scope.SINCE_KEPT) -> None:
        """Let the user pick a change and go there, or list those of the other scope."""
        reviews = self._reviews
        reviews.list_since(scope)
        listed, before = reviews.listed, in_front(self._window)

        def highlighted(index: int) -> None:
            if index < len(listed):
                reviews.preview(listed[index])

        def picked(index: int) -> None:
            bring_back(before)
            reviews.end_preview()
            if 0 <= index < len(listed):
                reviews.show(listed[index])
            elif index >= 0:
                self.show(other)

        items = [_item(*change_item(change)) for change in listed]
        turn, other = reviews.lists.last_turn, next(each for each in Scope if each is not reviews.scope)
        if turn and turn != reviews.lists.changes:
            count = len(turn if other is Scope.LAST_TURN else reviews.lists.changes)
            items.append(_item(OTHERS[other], "", file_count(count)))
        if not items:  # they have gone while the user was in the list that leads here
            say(self._window, "no file was changed outside the editor")
            return
        heading = HEADINGS[reviews.scope]
        self._window.show_quick_panel(items, picked, on_highlight=highlighted, placeholder=heading)

    def keep_all(self) -> None:
        """Keep every change that is listed."""
        self.decisions.keep(self._reviews.listed)

    def undo_all(self) -> None:
        """Undo every change that is listed, if the user confirms it."""
        listed, files = self._reviews.listed, file_count(len(self._reviews.listed))
        which = " of the last turn" if self._reviews.scope is Scope.LAST_TURN else ""

        def picked(index: int) -> None:
            if index == 0:
                self.decisions.undo(listed)

        entries = [f"Undo the changes{which} of {files}", "Cancel"]
        self._window.show_quick_panel(entries, picked, placeholder=f"Undo what was changed in {files}?")


def _item(trigger: str, details: str, annotation: str) -> sublime.QuickPanelItem:
    return sublime.QuickPanelItem(shown(trigger), html.escape(shown(details)), annotation)
