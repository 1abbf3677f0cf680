"""The lists in which the user chooses among unreviewed changes, and what is done with all of them, or without a review.

Rule: what undoes several files says how many they are, and asks first. Main thread only.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Callable, List, Sequence, Tuple

import sublime

from ..common.display_names import shown
from ..editor.file_views import bring_back, in_front
from ..editor.status_bar import say
from .deciding import keep_changes, restore_undone, undo_changes
from .listing import ListedChange
from .model import Scope
from .texts import change_item, file_count
from .tracking import Tracking

if TYPE_CHECKING:
    from .reviewing import ChangeReviews
    from .undoing import Refusal

OTHERS = {Scope.SINCE_KEPT: "All unreviewed changes", Scope.LAST_TURN: "Changes of the last turn only"}
HEADINGS = {Scope.SINCE_KEPT: "Unreviewed changes", Scope.LAST_TURN: "Changes of the last turn"}
NONE = "no file was changed outside the editor"


class ChangeLists:
    """Those of one window. `reviews` are made later than this."""

    def __init__(self, window: sublime.Window, tracking: Tracking, reviews: Callable[[], ChangeReviews]) -> None:
        self._window = window
        self._tracking = tracking
        self._reviews = reviews

    def show(self, scope: Scope = Scope.SINCE_KEPT) -> None:
        """Let the user pick a change and go there, or list those of the other scope."""
        reviews = self._reviews()
        reviews.list_since(scope)
        listed = reviews.listed
        if not listed:
            say(self._window, NONE)
            return
        before = in_front(self._window)

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
        if turn and [each[:-1] for each in turn] != [each[:-1] for each in reviews.lists.changes]:
            count = len(turn if other is Scope.LAST_TURN else reviews.lists.changes)
            items.append(_item(OTHERS[other], "", file_count(count)))
        heading = HEADINGS[reviews.scope]
        self._window.show_quick_panel(items, picked, on_highlight=highlighted, placeholder=heading)

    def ask(self, change: ListedChange) -> None:
        """Let the user decide a change that is no text."""

        def kept() -> None:
            self._keep([change])

        def undone() -> None:
            self._undo([change])

        choices: List[Tuple[str, Callable[[], None]]] = [("Keep", kept)]
        choices += [("Undo", undone)] if not change.obstacle else []
        choices += [("Decide later", lambda: None)]
        why = change.obstacle or f"{change.path} cannot be shown as text."

        def picked(index: int) -> None:
            if index >= 0:
                choices[index][1]()

        self._window.show_quick_panel([caption for caption, _ in choices], picked, placeholder=shown(why))

    def keep_all(self) -> None:
        """Keep every change that is listed."""
        if self._any():
            self._keep(self._reviews().listed)

    def undo_all(self) -> None:
        """Undo every change that is listed, if the user confirms it."""
        if not self._any():
            return
        reviews = self._reviews()
        listed, files = reviews.listed, file_count(len(reviews.listed))
        which = " of the last turn" if reviews.scope is Scope.LAST_TURN else ""

        def picked(index: int) -> None:
            if index == 0:
                self._undo(listed)

        entries = [f"Undo the changes{which} of {files}", "Cancel"]
        self._window.show_quick_panel(entries, picked, placeholder=f"Undo what was changed in {files}?")

    @property
    def can_restore(self) -> bool:
        """Whether something was undone."""
        return self._tracking.can_restore(self._window.id())

    def restore(self) -> None:
        """Bring back what was undone last."""

        def restored(count: int, refused: List[Refusal]) -> None:
            if count or refused:
                self._say("restored", count, refused)
            else:
                say(self._window, "there is no undone change to restore")

        restore_undone(self._tracking, self._window.id(), restored)

    def _any(self) -> bool:
        if not self._reviews().listed:
            say(self._window, NONE)
        return bool(self._reviews().listed)

    def _keep(self, changes: Sequence[ListedChange]) -> None:
        def kept(others: int) -> None:
            files = f"kept {file_count(len(changes) - others)}"
            say(self._window, f"{files}; {file_count(others)} left as before: changed again" if others else files)

        keep_changes(self._tracking, changes, kept)

    def _undo(self, changes: Sequence[ListedChange]) -> None:
        def undone(refused: List[Refusal]) -> None:
            self._say("undid", len(changes) - len(refused), refused)

        undo_changes(self._tracking, changes, undone)

    def _say(self, did: str, count: int, refused: Sequence[Refusal]) -> None:
        files = f"{did} {file_count(count)}"
        left = f"; {file_count(len(refused))} left as before: {refused[0].sentence}" if refused else ""
        say(self._window, files + left)


def _item(trigger: str, details: str, annotation: str) -> sublime.QuickPanelItem:
    return sublime.QuickPanelItem(shown(trigger), html.escape(shown(details)), annotation)
