"""Arranges a window for its reviews: makes their views, brings them to the front, and restores the window.

Rule: what is visible and what has the focus after a call is decided here explicitly, never left to the side effects of
opening, moving or closing a view. Meanwhile `busy` is true and activations mean nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

import sublime

from ...editor import file_views, marks
from ...editor.file_views import is_in
from ...editor.scope import Scope
from ...settings import SIDE_BY_SIDE
from ..decision import Review
from ..document import disk
from . import views
from .focus import ALWAYS, NEVER, Focus, Place
from .split import SplitLayout

_CLOSING_MILLISECONDS = 10
_CLOSING_TRIES = 100
_PROJECT_TRIES = 30
"""How often to look, where all tabs were closed, whether another project takes the window."""

Pair = Tuple[Optional[sublime.View], sublime.View]


class _Closing(NamedTuple):
    """The layout of the window, and its other tabs, when a tab of a review was closed by the user or the editor."""

    layout: Any
    others: List[sublime.Sheet]


class Arrangement:
    """The arrangement of one window. Main thread only. `focus` is who has the focus, `split` where the reviews are."""

    def __init__(self, scope: Scope) -> None:
        self._window, self._runtime, self._settings = scope
        self.split = SplitLayout(self._window)
        self.focus = Focus(self._window, self._runtime.on_main)
        self._front: Set[int] = set()  # groups that showed one of the closing views
        self._had_focus = False  # whether one of those views had the focus
        self._elsewhere: Optional[Place] = None  # what had it otherwise
        self._closing: Optional[_Closing] = None  # if the last review ends by that
        self.busy = False

    def note_activated(self, view: sublime.View) -> None:
        """A tab or a panel of the window was activated."""
        self.focus.note(view)
        self.split.note_activated(view)
        self.focus.go_on()

    def note_left(self, view: sublime.View) -> None:
        """A tab, a panel or an overlay has lost the focus."""
        self.focus.note_left(view)
        self.focus.go_on()

    @property
    def is_still_there(self) -> bool:
        """Whether the window is open and has the project that it had when it was arranged."""
        return self._window.is_valid() and not self.split.project_has_gone

    # -- opening ------------------------------------------------------------------------------------------------------

    def tab_in_use(self) -> Optional[sublime.View]:
        """The tab or terminal that has the focus, even while a palette or another panel covers it."""
        holder = self.focus.holder()
        if holder is None or holder.element() is None or marks.is_terminal(holder):
            return holder
        return self._window.active_view_in_group(self._window.active_group())

    @property
    def may_interrupt(self) -> bool:
        """Whether a review may take the place of another one that the user is in, because the settings say so."""
        return self._settings().review_focus == ALWAYS

    def make_views(
        self,
        review: Review,
        ours: List[sublime.View],
        in_use: Sequence[sublime.View],
        alone: bool,
        behind: bool = False,
    ) -> Pair:
        """Make the views for a review and show them. `ours` are the views of the reviews that are open already.

        The first one is None if there is room for the proposal only, or if it is to be shown `alone`. Beside another
        review that stands side by side it never is: the other half would show that one's file. The focus goes where the
        settings say. `in_use` are the views of a review that the user is in, the one with the focus last: they stay in
        front. `behind`: everything stays in front that is there.
        """
        setting = self._settings().review_focus
        takes_focus = not in_use and not behind and self.focus.proposal_may_take_it(setting)
        before = self.focus.place()
        in_front = file_views.in_front(self._window) if behind else []
        self._closing = None
        if not self.split.open:
            self.focus.remember()
        with self._arranging():
            group = self.split.home(review.path, review.same_files)
            groups = self.split.prepare(group, not alone and self._side_by_side(group), ours)
            user_views = file_views.views_of_file(review.path, review.same_files)
            user_view = user_views[0] if user_views else None
            original_view = None
            pair = groups.original != groups.proposal
            if pair:
                name = views.original_name(review.path, disk.Kind.TEXT, review.words)
                original_view = self._make(groups.original, marks.ORIGINAL, name, review.path, user_view, False)
            name = views.proposal_name(review)
            proposal_view = self._make(groups.proposal, marks.PROPOSAL, name, review.path, user_view, not pair)
            if in_use:
                self.pair_up(in_use, in_use[-1])
            file_views.bring_back(in_front)
            self.focus.give(proposal_view if takes_focus else before, setting if takes_focus else NEVER)
        return original_view, proposal_view

    def _make(
        self, group: int, role: str, name: str, path: str, user_view: Optional[sublime.View], alone: bool
    ) -> sublime.View:
        self._window.focus_group(group)
        view = views.create(self._window, role, name, path, user_view, alone)
        # Behind all other tabs, so that none of them changes its place.
        sheet = view.sheet()
        if sheet is not None:
            self._window.set_sheet_index(sheet, group, len(self._window.sheets_in_group(group)) - 1)
        return view

    def _side_by_side(self, group: int) -> bool:
        presentation = self._settings().review_presentation
        if isinstance(presentation, str):
            return presentation == SIDE_BY_SIDE
        columns = self.split.columns(group)
        return columns is None or columns >= presentation

    def half_is_too_narrow(self, review: Review, text: str, longer: Callable[[int], bool]) -> bool:
        """Whether changes of a file are better shown in one view, though there is room for two: `longer` says whether
        changed lines are longer than so many columns, and in the user's own tab they wrap."""
        if isinstance(self._settings().review_presentation, str):
            return False
        half = self.split.columns_of_half(self.split.home(review.path, review.same_files))
        return half is not None and longer(half) and views.user_wraps(review.path, text, review.same_files)

    def open_file(self, path: str, in_front: bool, preview: bool) -> Optional[sublime.Sheet]:
        """Show a file in the active group because a client asks for that; its sheet.

        It gets the focus where a proposal would, and stays behind the other tabs if it is not to be `in_front`, or if
        the user is in a review, unless the settings say otherwise. A `preview` has no tab of its own, and the next one
        takes its place; without the focus it would go at once, so it is a tab then.
        """
        setting, holder, front = self._settings().review_focus, self.focus.place(), self._window.active_sheet()
        view = front.view() if front is not None else None
        if view is not None and marks.role_of(view) is not None and setting != ALWAYS:
            in_front = False
        takes_focus = in_front and self.focus.proposal_may_take_it(setting)
        with self._arranging():
            flags = sublime.TRANSIENT if preview and takes_focus else sublime.NewFileFlags.NONE
            view = self._window.open_file(path, flags)
            sheet = view.sheet() if view.is_valid() else self._window.active_sheet()  # an image is no view
            if takes_focus:
                self.focus.give(view if view.is_valid() else sheet, setting)
                return sheet
            if not in_front:
                self.focus.give(front)
            self.focus.give(holder)
        return sheet

    # -- while they are open ------------------------------------------------------------------------------------------

    def show(self, pair: Sequence[sublime.View], proposal_view: sublime.View, focus: Optional[bool] = None) -> None:
        """Bring the views of a review to the front, in the window that the user has put the proposal into.

        The proposal gets the focus if `focus` is true, and its window comes to the front; if it is None only where the
        settings say so.
        """
        holder = self.focus.place()
        if not is_in(proposal_view, self._window):
            if focus or (focus is None and self.may_interrupt):
                self._show_elsewhere(pair, proposal_view)
            return
        setting = ALWAYS if focus else self._settings().review_focus
        if focus is None:
            focus = self.focus.proposal_may_take_it(setting)
        self.pair_up(pair, proposal_view)
        with self._arranging():
            self.focus.give(proposal_view if focus else holder, setting if focus else NEVER)

    def _show_elsewhere(self, pair: Sequence[sublime.View], proposal_view: sublime.View) -> None:
        """Show a proposal that the user has put into another window, and that window."""
        self.pair_up(pair, proposal_view)
        window = proposal_view.window()
        if window is not None:
            window.bring_to_front()

    def pair_up(self, pair: Sequence[sublime.View], view: sublime.View) -> None:
        """Show all of `pair` that are in the window of `view`, which gets the focus there."""
        window = view.window()
        if window is None:
            return
        with self._arranging():
            here = window.get_view_index(view)[0]
            for other in pair:
                group = window.get_view_index(other)[0] if is_in(other, window) else -1
                if group >= 0 and group != here and window.active_view_in_group(group) != other:
                    window.focus_view(other)
            if window.active_view() != view:
                window.focus_view(view)

    # -- closing ------------------------------------------------------------------------------------------------------

    @property
    def closed_by_others(self) -> bool:
        """Whether a tab of the review that is being closed was closed by the user or the editor."""
        return self._closing is not None

    def note_closing(self, closing: Sequence[sublime.View]) -> None:
        """Note what the views that are about to be closed cover, and whether they have the focus."""
        self._elsewhere = self.focus.place()
        self._had_focus = self._had_focus or self._elsewhere in closing
        for view in closing:
            group = self._window.get_view_index(view)[0] if is_in(view, self._window) else -1
            if group >= 0 and self._window.active_view_in_group(group) == view:
                self._front.add(group)

    def note_closed_by_others(self, closing: Sequence[sublime.View]) -> None:
        """Note that the user closes these views, or the editor, which closes all tabs for another project."""
        self.note_closing(closing)
        if self._closing is None:
            ours = [view.sheet() for view in closing]
            others = [sheet for sheet in self._window.sheets() if sheet not in ours]
            self._closing = _Closing(self._window.layout(), others)

    def go_on(self, pair: Sequence[sublime.View], proposal_view: sublime.View) -> bool:
        """Show this review, which is left, if the one that was closed was visible. True if it got the focus."""
        self._closing = None
        front, had_focus = self._take_notes()
        if not front:
            return False
        if not is_in(proposal_view, self._window):
            if had_focus and self.focus.in_active_window:
                self._show_elsewhere(pair, proposal_view)
            return had_focus
        holder = self._elsewhere
        self.pair_up(pair, proposal_view)
        with self._arranging():
            self.focus.give(proposal_view if had_focus else holder)
        return had_focus

    def restore(
        self,
        closed: Sequence[sublime.View],
        wanted: Callable[[], bool],
        then: Callable[[bool, bool], None] = lambda had_focus, has_left: None,
        tries: int = _CLOSING_TRIES,
    ) -> None:
        """Restore the window as soon as the views `closed` are gone, unless `wanted()` is true by then. After that
        `then` is called: with whether one of those views had the focus, and whether another project has the window.

        The editor may take a moment to close a view, and to put another project in the place of this one: its tabs and
        its columns may come before its name and its settings. With no `tries` left it is not waited for.
        """
        if wanted() or not self._window.is_valid():
            self._closing = None
            return
        if tries and any(file_views.is_open(view) and view.file_name() is None for view in closed):
            self._runtime.later_on_main(_CLOSING_MILLISECONDS, self.restore, closed, wanted, then, tries - 1)
            return
        closing, has_left = self._closing, False
        if closing is not None and not any(sheet.window() == self._window for sheet in closing.others):
            if closing.layout != self._window.layout():
                self.split.leave()
                has_left = True
            elif tries and self.is_still_there:
                tries = min(tries, _PROJECT_TRIES) - 1
                self._runtime.later_on_main(_CLOSING_MILLISECONDS, self.restore, closed, wanted, then, tries)
                return
        self._closing = None
        front, had_focus = self._take_notes()
        has_left = has_left or not self.is_still_there
        with self._arranging():
            self.split.restore(sorted(front))
            if had_focus:
                self.focus.restore()
            else:
                self.focus.give(self._elsewhere)
        self._elsewhere = None
        then(had_focus, has_left)

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
