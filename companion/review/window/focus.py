"""What has the focus, what may take it, what gets it back, and what the user meant while it moved.

Rules: an overlay or a panel that the user types into keeps the focus, and is not ended: what would touch the focus
waits until it has gone. The focus of another group and a new file end or blur them (sublimehq/sublime_text 1041, 1320).
Otherwise with the setting `auto` a terminal keeps the focus, in a tab or in a panel, and so does another window,
because the user may be about to answer there. In all other cases the proposal gets it. Opening and closing views moves
the focus as a side effect, so it is always set explicitly afterwards.

What the user does while a review comes to the front by itself, or gets another text, was meant for what was there
before. So for a moment nothing decides such a review, be it a key, a click, a command or a closing tab, and nothing
edits it; the status bar says so. Nothing comes to the front of a user who is typing.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Union
from weakref import WeakKeyDictionary

import sublime

from ...common.clock import clock
from ...editor.file_views import is_in
from ...editor.marks import is_terminal

ALWAYS, NEVER = "always", "never"
# Overlays show tabs behind them, of which the editor may tell as if they had the focus.
_OVERLAYS = frozenset(["command_palette:input", "goto_anything:input", "quick_panel:input"])

Place = Union["sublime.View", "sublime.Sheet"]
"""What can have the focus: a view, or a sheet that is none, such as an image. No event tells of those."""


class Focus:
    """The focus of one window. Main thread only. `note` exists because the editor reports panels only by activation."""

    def __init__(self, window: sublime.Window, soon: Callable[[Callable[[], None]], None]) -> None:
        """`soon` calls a function in another turn of the main thread."""
        self._window = window
        self._soon = soon
        self._latest: Optional[sublime.View] = None
        self._before: Optional[Place] = None
        self._input: Optional[sublime.View] = None  # the overlay or panel that the user types into
        self._is_overlay = False
        self._waiting: List[Callable[[], None]] = []
        self._goes_on = False  # whether the next of those is to be done soon

    def note(self, view: sublime.View) -> None:
        """Remember that `view` was activated: a tab or a terminal, or what the user types into beside them."""
        element = view.element()
        if element is None or is_terminal(view):
            self._latest = view
            if not self._is_overlay:
                self._input = None
        elif ":input" in element:
            self._input, self._is_overlay = view, element in _OVERLAYS

    def note_left(self, view: sublime.View) -> None:
        """`view` has lost the focus."""
        if self._input is not None and self._input.id() == view.id():
            self._input, self._is_overlay = None, False

    @property
    def free(self) -> bool:
        """Whether the focus can be moved without ending or blurring the overlay or panel that the user types into."""
        return self._input is None or not self._input.is_valid()

    def when_free(self, act: Callable[[], None]) -> None:
        """Call `act`, which moves the focus, now if it is free and nothing waits, else in turn."""
        if self._waiting or not self.free:
            self.in_turn(act)
        else:
            act()

    def in_turn(self, act: Callable[[], None]) -> None:
        """Call `act` after what has waited longer, in a later turn of the main thread that is its own: each may take a
        while, and what the user has picked in a list may open another one at once."""
        self._waiting.append(act)
        self.go_on()

    def go_on(self) -> None:
        """Do what waits, as long as the focus is free."""
        if self._waiting and self.free and not self._goes_on:
            self._goes_on = True
            self._soon(self._do_next)

    def _do_next(self) -> None:
        self._goes_on = False
        if self._waiting and self.free:
            act = self._waiting.pop(0)
            self.go_on()
            act()

    def holder(self) -> Optional[sublime.View]:
        """The view that has the focus, as far as can be known."""
        latest = self._latest
        if latest is not None and is_in(latest, self._window):
            # A tab no longer in front has lost the focus to a sheet without events, such as an image.
            active = self._window.active_view()
            if latest.element() is not None or latest == active or (active is not None and active.element()):
                return latest
        return self._window.active_view()

    def place(self) -> Optional[Place]:
        """What has the focus: a view, or a sheet that is none."""
        return self.holder() or self._window.active_sheet()

    def remember(self) -> None:
        """Note what has the focus now, before the first review takes it."""
        self._before = self.place()

    def proposal_may_take_it(self, setting: str) -> bool:
        """Whether a proposal that opens now gets the focus, by the setting `review_focus`."""
        if setting in (ALWAYS, NEVER):
            return setting == ALWAYS
        return self.in_active_window and not is_terminal(self.holder())

    def give(self, view: Optional[Place], setting: str = NEVER) -> None:
        """Give `view` the focus, if it still exists. With `ALWAYS` its window comes to the front as well."""
        if isinstance(view, sublime.Sheet):
            if self._window.get_sheet_index(view)[0] >= 0 and self._window.active_sheet() != view:
                self._window.focus_sheet(view)
            return
        if view is None or not is_in(view, self._window):
            return
        latest = self._latest
        in_panel = latest is not None and latest.element() is not None
        # Focusing a view that has the focus might deselect the sheets that show beside it.
        if in_panel or view != self._window.active_view():
            self._window.focus_view(view)
        self._latest = view
        if setting == ALWAYS and not self.in_active_window:
            self._window.bring_to_front()

    def restore(self) -> None:
        """Give the focus to what had it when `remember` was called."""
        before, self._before = self._before, None
        self.give(before)

    @property
    def in_active_window(self) -> bool:
        """Whether the window is the one in front."""
        return sublime.active_window().id() == self._window.id()


# -- what was meant for another review ---------------------------------------------------------------------------------

# A key that is held repeats after up to 0.66 seconds, as the systems come.
_AFTER_COMING_SECONDS = 0.7
_AFTER_A_REPEAT_SECONDS = 0.3
TYPING_SECONDS = 1.5  # so long after an edit its author is still typing
_SAME_MOMENT_SECONDS = 0.25  # an edit so close to a look at the disk is not the user's
_MOST = 100  # views of which the times are remembered: widgets are views, too, each with a new id


class InputGuard:
    """The guard of one window's reviews, and of what else is decided there. Main thread only. Views are named by their
    ids."""

    def __init__(self) -> None:
        self._clock = clock
        self._until: WeakKeyDictionary[object, float] = WeakKeyDictionary()
        self._until_any = float("-inf")  # which review it will be is not known yet
        self._edited: Dict[int, float] = {}
        self._reloaded: Dict[int, float] = {}

    def edited(self, view: int) -> None:
        """A view was edited, in whatever window. Called for every keystroke."""
        self._note(self._edited, view)

    def reloaded(self, view: int) -> None:
        """The editor has read a view's file again: the user has not made that edit."""
        self._note(self._reloaded, view)

    def _note(self, times: Dict[int, float], view: int) -> None:
        if len(times) > _MOST:
            times.clear()
        times[view] = self._clock.now()

    def typed_in(self, view: int) -> bool:
        """Whether the user is typing in the view, which has the focus."""
        edited = self._edited.get(view, float("-inf"))
        by_disk = abs(edited - self._reloaded.get(view, float("-inf"))) < _SAME_MOMENT_SECONDS
        return self._clock.now() - edited < TYPING_SECONDS and not by_disk

    def came(self, review: Optional[object] = None, typing: bool = False) -> None:
        """The review, or whichever it will be, has come to the front, or shows another text, and the user has not asked
        for that."""
        until = self._clock.now() + (TYPING_SECONDS if typing else _AFTER_COMING_SECONDS)
        if review is None:
            self._until_any = until
        else:
            self._until_any = float("-inf")
            self._until[review] = until

    def asked_for(self, review: object) -> None:
        """The user has gone to the review."""
        if self.ignores(review):
            self._until_any = float("-inf")
            self._until.pop(review, None)

    def ignores(self, review: object) -> bool:
        """Whether what is done now does not decide this review."""
        return self._clock.now() < max(self._until_any, self._until.get(review, self._until_any))

    def pressed(self, review: object) -> bool:
        """The user has asked to decide the review. True if that is to be ignored, as are the repeats of a held key."""
        ignored = self.ignores(review)
        if ignored:
            repeated = self._clock.now() + _AFTER_A_REPEAT_SECONDS
            self._until[review] = max(repeated, self._until_any, self._until.get(review, repeated))
        return ignored
