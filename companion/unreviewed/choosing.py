"""The list in which the user chooses among unreviewed changes, and what is done with all of them.

Rule: what undoes several files says how many they are, and asks first. Main thread only.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, List

from ..editor.quick_panel import Entry, choose
from ..editor.status_bar import say
from .deciding import ChangeDecisions
from .model import Scope
from .reviewing import ChangeReviews
from .texts import change_item, file_count

if TYPE_CHECKING:
    import sublime

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
        entries: List[Entry] = []
        for change in reviews.listed:
            caption, details, annotation = change_item(change)
            act, preview = partial(reviews.show, change), partial(reviews.preview, change)
            entries.append(Entry(caption, act, details, annotation, preview))
        turn, other = reviews.lists.last_turn, next(each for each in Scope if each is not reviews.scope)
        if turn and turn != reviews.lists.changes:
            count = len(turn if other is Scope.LAST_TURN else reviews.lists.changes)
            entries.append(Entry(OTHERS[other], partial(self.show, other), annotation=file_count(count)))
        if not entries:  # they have gone while the user was in the list that leads here
            say(self._window, "no file was changed outside the editor")
            return
        choose(self._window, entries, HEADINGS[reviews.scope], reviews.end_preview)

    def keep_all(self) -> None:
        """Keep every change that is listed."""
        self.decisions.keep(self._reviews.listed)

    def undo_all(self) -> None:
        """Undo every change that is listed, if the user confirms it."""
        listed, files = self._reviews.listed, file_count(len(self._reviews.listed))
        which = " of the last turn" if self._reviews.scope is Scope.LAST_TURN else ""

        undo = Entry(f"Undo the changes{which} of {files}", partial(self.decisions.undo, listed))
        choose(self._window, [undo, Entry("Cancel", lambda: None)], f"Undo what was changed in {files}?")
