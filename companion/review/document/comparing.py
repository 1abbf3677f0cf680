"""What is compared in a review, and how: whole or coarsely, with the whitespace that the user wants to see.

Rule: the same question gets the same answer, on whichever thread. So one that was answered before the views were made
is not asked again.

The editor is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, NamedTuple, Optional, Tuple

from ...comparison import Lines, Whitespace
from .analysis import Analysis, analyse, analyse_coarsely
from .carrying import Carried, carried
from .disk import Limits

if TYPE_CHECKING:
    from ...settings import Settings


class Question(NamedTuple):
    """What is to be compared. The right text comes in portions. `drawn` is the text that was drawn last, if a single
    edit made the right one of it."""

    left: str
    right: Tuple[str, ...]
    ignored: Whitespace
    limits: Limits
    drawn: Optional[str] = None


class Compared(NamedTuple):
    """An answer. `text` is the right text; `edit` made it of the one that was drawn last.

    There is no `analysis` of texts that are too long even for a coarse one.
    """

    question: Question
    text: str
    analysis: Optional[Analysis]
    edit: Optional[Carried] = None


def compare(question: Question, cancelled: Callable[[], bool]) -> Compared:
    """Answer the question. A worker thread. Raises `comparison.Cancelled` when `cancelled()` becomes true."""
    left, portions, ignored, limits, drawn = question
    right = "".join(portions)
    if all(len(text) <= limits.length and text.count("\n") <= limits.lines for text in (left, right)):
        analysis = analyse(left, right, cancelled, ignored=ignored)
        return Compared(question, right, analysis, carried(drawn, right) if drawn is not None else None)
    if max(len(left), len(right)) > limits.longest:
        return Compared(question, right, None)
    left_lines, right_lines = Lines(left, cancelled), Lines(right, cancelled)
    if max(len(left_lines), len(right_lines)) > limits.most_lines:
        return Compared(question, right, None)
    return Compared(question, right, analyse_coarsely(left_lines, right_lines, cancelled))


class WhitespaceChoice:
    """Which changes of whitespace one review leaves unmarked. Main thread only.

    It is as the settings say, until the user says otherwise for this review. What is chosen for the review ends with
    the next change of the setting.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._setting = self._read()
        self._chosen: Optional[Whitespace] = None

    @property
    def ignored(self) -> Whitespace:
        """Which whitespace is not marked."""
        return self._setting if self._chosen is None else self._chosen

    @property
    def shown_here(self) -> bool:
        """Whether all is marked in this review although the settings say otherwise."""
        return self.ignored is Whitespace.NONE and self._setting is not Whitespace.NONE

    def toggle(self) -> None:
        """Mark all, or hide what the settings hide; all changes of whitespace if they hide none."""
        if self.ignored is not Whitespace.NONE:
            self._chosen = Whitespace.NONE
        else:
            self._chosen = Whitespace.ALL if self._setting is Whitespace.NONE else self._setting

    def settings_changed(self) -> bool:
        """Read the setting again. True if something else holds now."""
        before, setting = self.ignored, self._read()
        if setting is not self._setting:
            self._setting, self._chosen = setting, None
        return self.ignored is not before

    def _read(self) -> Whitespace:
        return Whitespace(self._settings().review_ignore_whitespace)
