"""What the screen is like: sizes that change without an event, how long lines wrap, and the caret's line.

Rules:
* No event tells of another screen or a moved splitter, nor of colours that follow the system from dark to light, so
  sizes and colours are looked at now and then, the cheapest first. Zoom, padding and wrapping are settings, which have
  an event. Sizes are device-independent pixels.
* Lines wrap side by side in both views alike, so that equal lines are equally high. The user says how in either view,
  and the other one follows. Where the user names no column both wrap at the width of the narrower one: the views differ
  in width as soon as their gutters do, or the line between them was moved.
* The caret's line does not move.

Main thread only.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import Enum
from itertools import count
from math import ceil
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import sublime

from ...common.clock import clock
from ...editor.edits import first_caret
from ..window.views import WORD_WRAP, wraps

WRAP_WIDTH = "wrap_width"


# -- wrapping ---------------------------------------------------------------------------------------------------------


class Wrapping:
    """The wrapping of the two views of a review."""

    def __init__(self, left: sublime.View, right: sublime.View) -> None:
        self._settings: List[sublime.Settings] = [left.settings(), right.settings()]
        self._both: Dict[str, Any] = {name: self._settings[1].get(name) for name in (WORD_WRAP, WRAP_WIDTH)}
        self._own_width: Optional[int] = None  # the column that the user has not named
        self._columns = 0

    def align(self, columns: int, settings_changed: bool) -> bool:
        """See that both views wrap alike; `columns` fit into the narrower one. True if a setting was changed."""
        if not settings_changed and columns == self._columns:
            return False
        self._columns = columns
        wraps, width = self._chosen(WORD_WRAP), self._chosen(WRAP_WIDTH)
        if self._own_width is not None and width == self._own_width:
            width = 0
        self._own_width = columns if wraps and not width and columns else None
        return any([self._set(WORD_WRAP, wraps), self._set(WRAP_WIDTH, self._own_width or width)])

    def _chosen(self, name: str) -> Any:
        """What the user has set last: the value of a view that is not what both had."""
        values = [settings.get(name) for settings in self._settings]
        return next((value for value in values if value != self._both[name]), self._both[name])

    def _set(self, name: str, value: Any) -> bool:
        self._both[name] = value
        others = [settings for settings in self._settings if settings.get(name) != value]
        for settings in others:
            settings.set(name, value)
        return bool(others)


# -- sizes ------------------------------------------------------------------------------------------------------------

_QUICK_EVERY, _WHOLE_EVERY = 0.14, 2.0  # seconds between two looks
_QUICK_EVERY_ALONE = 0.21  # of one view, which is asked where it is scrolled to as well
# They move text, or colour it, at the same sizes.
_OTHER_SETTINGS = ("color_scheme", WORD_WRAP, WRAP_WIDTH, "indent_subsequent_lines", "syntax", "margin", "tab_size")
_BESIDE_IT = 2  # columns that are in sight beside what is looked at
_MOST_MARGIN, _MOST_TAB_SIZE = 1000, 100  # beyond them a project's file means no good
_numbers: Iterator[int] = count(1)


class Sizes(NamedTuple):
    """What a view's blocks are measured by. `extent` is the width in sight, `margin` is free on both sides of it."""

    line_height: float
    em_width: float
    extent: float
    margin: float = 0.0

    @classmethod
    def of(cls, view: Optional[sublime.View], margin: float) -> Sizes:
        """The sizes of a view now, which leaves this margin free."""
        if view is None:
            return cls(0.0, 0.0, 0.0)
        return cls(view.line_height(), view.em_width(), view.viewport_extent()[0], margin)

    @property
    def width(self) -> float:
        """The width of the text, which a block may fill."""
        return max(0.0, self.extent - 2 * self.margin)

    @property
    def columns(self) -> int:
        """How many characters fit into a row of text."""
        return int(self.width / self.em_width) if self.em_width else 0

    @property
    def row(self) -> int:
        """The height of a row of a block, in whole pixels."""
        return max(1, int(self.line_height))

    @property
    def least(self) -> int:
        """The least height of a block, where the editor rounds; that of a row of text is no whole number of pixels."""
        return max(1, ceil(self.line_height))

    @property
    def room(self) -> int:
        """The width that a block may take beside one character without making the view scroll."""
        return max(0, int(self.width - 2 * self.em_width))


class Room(NamedTuple):
    """What fits into a row of a view: so many columns, of which a tab takes up to `tab_size`.

    Lines wrap at `wrapped_at` columns, unless that is 0.
    """

    columns: int
    tab_size: int
    wrapped_at: int


class BothSizes(NamedTuple):
    """The sizes of the original's view and of the proposal's."""

    left: Sizes
    right: Sizes


class SizeCheck(Enum):
    """What a look at the sizes found. `UNKNOWN`: those that it asked for have not changed; there are more."""

    UNKNOWN = "unknown"
    UNCHANGED = "unchanged"
    CHANGED = "changed"


def margin_of(setting: object) -> float:
    """The margin that the setting of that name means."""
    return float(setting) if isinstance(setting, (int, float)) and 0 <= setting <= _MOST_MARGIN else 0.0


class Watch:
    """Notices that sizes, or colours, have changed since the last drawing."""

    def __init__(self, left: Optional[sublime.View], right: sublime.View) -> None:
        self._left = left
        self._right = right
        self._next_quick = self._next_whole = 0.0
        self._known = False  # whether the sizes below are those of the last look
        self._settings_changed = False
        self._tag = f"gemini_companion.screen.{next(_numbers)}"
        self._others: List[object] = []
        self._wraps = False
        self._colors: Mapping[str, object] = {}
        self._wrapping = Wrapping(left, right) if left is not None else None
        self.sizes = BothSizes(Sizes(0.0, 0.0, 0.0), Sizes(0.0, 0.0, 0.0))  # as of the last look
        self.position = (0.0, 0.0)  # where the right view is scrolled to, as of the last look, if it is alone
        for view in self._views():
            view.settings().add_on_change(self._tag, self._note_settings)

    def stop(self) -> None:
        """Hear no more of the views' settings."""
        for view in self._views():
            if view.is_valid():
                view.settings().clear_on_change(self._tag)

    def note(self) -> None:
        """Take the sizes of now for those that are drawn for. It does not ask again after a look."""
        if not self._known:
            self._ask()

    def sized(self) -> bool:
        """Whether the right view has a width. If it has one now, the sizes are those of now."""
        if self._right.viewport_extent()[0] != self.sizes.right.extent:
            self._ask()
        return self.sizes.right.extent > 0

    def check_sizes(self) -> SizeCheck:
        """Whether a size of the right view has changed, or, every two seconds and after settings have, any."""
        now = clock.now()
        if self._settings_changed or now >= self._next_whole:
            changed, self._settings_changed = self._settings_changed, False
            before = (self.sizes, self._others, self._colors)
            if changed:
                self._others = []
            self._ask()
            unchanged = before == (self.sizes, self._others, self._colors)
            return SizeCheck.UNCHANGED if unchanged else SizeCheck.CHANGED
        if now < self._next_quick:
            return SizeCheck.UNKNOWN
        self._next_quick = now + (_QUICK_EVERY if self._left is not None else _QUICK_EVERY_ALONE)
        if self._left is None:
            self.position = self._right.viewport_position()
        if (
            self._right.line_height() == self.sizes.right.line_height
            and self._right.viewport_extent()[0] == self.sizes.right.extent
        ):
            return SizeCheck.UNKNOWN
        self._known = False
        return SizeCheck.CHANGED

    def _ask(self) -> None:
        settings_changed = not self._others
        if settings_changed:
            self._ask_settings()
        self._known, self._next_whole = True, clock.now() + _WHOLE_EVERY
        self._colors = self._right.style()
        margin = margin_of(self._other("margin"))
        self.sizes = BothSizes(Sizes.of(self._left, margin), Sizes.of(self._right, margin))
        columns = min(self.sizes.left.columns, self.sizes.right.columns)
        if self._wrapping is not None and self._wrapping.align(columns, settings_changed):
            self._ask_settings()

    def _ask_settings(self) -> None:
        self._others = [view.settings().get(name) for view in self._views() for name in _OTHER_SETTINGS]
        self._wraps = wraps(self._right.settings().get(WORD_WRAP), self._right.syntax())

    @property
    def syntax(self) -> str:
        """The syntax of the right view, as of the last look."""
        return str(self._other("syntax") or "")

    def _other(self, name: str) -> object:
        """A setting of the right view."""
        return self._others[_OTHER_SETTINGS.index(name) - len(_OTHER_SETTINGS)] if self._others else None

    @property
    def room(self) -> Room:
        """What fits into a row of the right view, as of the last look."""
        tab, width, columns = self._other("tab_size"), self._other(WRAP_WIDTH), self.sizes.right.columns
        tab_size = tab if isinstance(tab, int) and 0 < tab <= _MOST_TAB_SIZE else 4
        wrapped_at = min(width, columns) if isinstance(width, int) and width > 0 else columns
        return Room(columns, tab_size, wrapped_at if self._wraps else 0)

    def _note_settings(self) -> None:
        self._settings_changed = True

    def _views(self) -> List[sublime.View]:
        return [self._right] if self._left is None else [self._left, self._right]


# -- scrolling --------------------------------------------------------------------------------------------------------


@contextmanager
def caret_line_kept(view: sublime.View, when: bool = True) -> Iterator[None]:
    """Keep the line of the caret where it is on the screen while blocks above it change, if it is in sight."""
    caret = first_caret(view) if when else 0
    if not caret:
        yield  # blocks stand below lines, and so never above this one
        return
    x, top = view.viewport_position()
    y = view.text_to_layout(caret)[1]
    in_sight = top <= y <= top + view.viewport_extent()[1]
    yield
    if in_sight and view.is_valid():
        moved = view.text_to_layout(caret)[1] - y
        if abs(moved) > 0.01:
            view.set_viewport_position((x, max(0.0, top + moved)), False)


def back_to_top(view: sublime.View) -> None:
    """Show the top of a view, unless the caret would be out of sight.

    In another size the header may take more rows; keeping the caret's line in its place then pushes it out of a view
    that had not been scrolled.
    """
    x, top = view.viewport_position()
    caret = view.text_to_layout(first_caret(view))[1]
    if top > 0 and caret + view.line_height() <= view.viewport_extent()[1]:
        view.set_viewport_position((x, 0.0), False)


def into_sight(view: sublime.View, whole: Tuple[int, int], first: Tuple[int, int]) -> bool:
    """Scroll to where the stretch `first` begins, unless all rows of `whole` and that stretch are in sight already.

    Both are pairs of points; `first` lies on one row of `whole`. What fits into the first rows is shown with the header
    above it. False if the view has no size yet, as one that was not drawn: the editor's own `show_at_center` would put
    the line at its top (sublimehq/sublime_text 3128, 4687).
    """
    height, (wide, high) = view.line_height(), view.viewport_extent()
    if not (wide and high):
        return False
    (_, top), (left, y) = view.text_to_layout(whole[0]), view.text_to_layout(first[0])
    bottom, right = view.text_to_layout(whole[1])[1], max(left, view.text_to_layout(first[1])[0])
    bottom = max(bottom, y + height)
    before = x, shown = view.viewport_position()
    if not (shown <= top and bottom <= shown + high):
        shown = 0.0 if bottom <= high else max(0.0, y + (height - high) / 2)
    margin = _BESIDE_IT * view.em_width()
    if not ((not x or x + margin <= left) and min(right, left + wide / 3) + margin <= x + wide):
        x = 0.0 if min(right, left + wide / 3) + margin <= wide else max(0.0, left - wide / 3)
    if (x, shown) != before:
        view.set_viewport_position((x, shown), False)
    return True
