"""Arranges a window for its reviews: makes their views, brings them to the front, and restores the window.

Rule: what is visible and what has the focus after a call is decided here explicitly, never left to the side effects of
opening, moving or closing a view. Meanwhile `busy` is true and activations mean nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Callable, Iterator, List, Optional, Sequence, Set, Tuple

import sublime

from ...editor import file_views, view_roles
from ..decision import Review
from ..document import disk
from . import views
from .focus import NEVER, Focus
from .split import SplitLayout

if TYPE_CHECKING:
    from ...runtime import Runtime
    from ...settings import Settings

_CLOSING_MILLISECONDS = 10
_CLOSING_TRIES = 100

Pair = Tuple[Optional[sublime.View], sublime.View]


class Arrangement:
    """The arrangement of one window. Main thread only."""

    def __init__(self, window: sublime.Window, runtime: Runtime, settings: Callable[[], Settings]) -> None:
        self._window = window
        self._runtime = runtime
        self._settings = settings
        self._split = SplitLayout(window)
        self._focus = Focus(window, sublime.active_window)
        self._front: Set[int] = set()  # groups that showed one of the closing views
        self._had_focus = False  # whether one of those views had the focus
        self._elsewhere: Optional[sublime.View] = None  # the view that had it otherwise,
        self._other_sheet: Optional[sublime.Sheet] = None  # and the sheet, which may be no text
        self.busy = False

    def note_activated(self, view: sublime.View) -> None:
        """A tab or a panel of the window was activated."""
        self._focus.note(view)
        self._split.note_activated(view)

    # -- opening ------------------------------------------------------------------------------------------------------

    def make_views(self, review: Review, ours: List[sublime.View]) -> Pair:
        """Make the views for a review and show them. `ours` are the views of the reviews that are open already.

        The first one is None if there is room for the proposal only. The focus goes where the settings say.
        """
        setting = self._settings().review_focus
        takes_focus = self._focus.proposal_may_take_it(setting)
        before = self._focus.holder()
        if not self._split.open:
            self._focus.remember()
        with self._arranging():
            group = self._split.home(review.path, review.same_files)
            groups = self._split.prepare(group, self._side_by_side(group), ours)
            user_views = file_views.views_of_file(review.path, review.same_files)
            user_view = user_views[0] if user_views else None
            original_view = None
            if groups.original != groups.proposal:
                name = views.original_name(review.path, disk.Kind.TEXT)
                original_view = self._make(groups.original, view_roles.ORIGINAL, name, review.path, user_view)
            name = views.proposal_name(review.path, review.owner.client_name)
            proposal_view = self._make(groups.proposal, view_roles.PROPOSAL, name, review.path, user_view)
            self._focus.give(proposal_view if takes_focus else before, setting if takes_focus else NEVER)
        return original_view, proposal_view

    def _make(self, group: int, role: str, name: str, path: str, user_view: Optional[sublime.View]) -> sublime.View:
        self._window.focus_group(group)
        view = views.create(self._window, role, name, path, user_view)
        # Behind all other tabs, so that none of them changes its place.
        sheet = view.sheet()
        if sheet is not None:
            self._window.set_sheet_index(sheet, group, len(self._window.sheets_in_group(group)) - 1)
        return view

    def _side_by_side(self, group: int) -> bool:
        settings = self._settings()
        if settings.review_presentation != "auto":
            return bool(settings.review_presentation == "side_by_side")
        columns = self._split.columns(group)
        return columns is None or columns >= settings.review_inline_below_columns

    # -- while they are open ------------------------------------------------------------------------------------------

    def show(self, pair: Sequence[sublime.View], proposal_view: sublime.View, focus: Optional[bool] = None) -> None:
        """Bring the views of a review to the front.

        The proposal gets the focus if `focus` is true, if it is None only where the settings say so.
        """
        holder = self._focus.holder()
        if focus is None:
            focus = self._focus.proposal_may_take_it(self._settings().review_focus)
        self.pair_up(pair, proposal_view)
        with self._arranging():
            self._focus.give(proposal_view if focus else holder)

    def pair_up(self, pair: Sequence[sublime.View], view: sublime.View) -> None:
        """Show all of `pair`, with the focus on `view`."""
        with self._arranging():
            here = self._window.get_view_index(view)[0]
            for other in pair:
                group = self._window.get_view_index(other)[0]
                if group >= 0 and group != here and self._window.active_view_in_group(group) != other:
                    self._window.focus_view(other)
            if self._window.active_view() != view:
                self._window.focus_view(view)

    # -- closing ------------------------------------------------------------------------------------------------------

    def note_closing(self, closing: Sequence[sublime.View]) -> None:
        """Note what the views that are about to be closed cover, and whether they have the focus."""
        holder = self._focus.holder()
        self._had_focus = self._had_focus or (holder is not None and holder in closing)
        self._elsewhere, self._other_sheet = holder, self._window.active_sheet()
        for view in closing:
            group = self._window.get_view_index(view)[0]
            if group >= 0 and self._window.active_view_in_group(group) == view:
                self._front.add(group)

    def go_on(self, pair: Sequence[sublime.View], proposal_view: sublime.View) -> None:
        """Show this review, which is left, if the one that was closed was visible."""
        front, had_focus = self._take_notes()
        if front:
            holder = self._elsewhere
            self.pair_up(pair, proposal_view)
            with self._arranging():
                self._focus.give(proposal_view if had_focus else holder)

    def restore(self, closed: Sequence[sublime.View], wanted: Callable[[], bool], tries: int = _CLOSING_TRIES) -> None:
        """Restore the window as soon as the views `closed` are gone, unless `wanted()` is true by then.

        The editor may take a moment to close a view. With no `tries` left it is not waited for.
        """
        if wanted() or not self._window.is_valid():
            return
        if tries and any(file_views.is_open(view) and view.file_name() is None for view in closed):
            self._runtime.later_on_main(_CLOSING_MILLISECONDS, self.restore, closed, wanted, tries - 1)
            return
        front, had_focus = self._take_notes()
        with self._arranging():
            self._split.restore(sorted(front))
            if had_focus:
                self._focus.restore()
            elif self._elsewhere is not None:
                self._focus.give(self._elsewhere)
            elif self._other_sheet is not None and self._other_sheet.window() is not None:
                self._window.focus_sheet(self._other_sheet)
        self._elsewhere = self._other_sheet = None

    def _take_notes(self) -> Tuple[Set[int], bool]:
        front, had_focus = self._front, self._had_focus
        self._front, self._had_focus = set(), False
        return front, had_focus

    @contextmanager
    def _arranging(self) -> Iterator[None]:
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before
