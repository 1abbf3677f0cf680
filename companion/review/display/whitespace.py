"""Which changes of whitespace one review leaves unmarked.

Rule: it is as the settings say, until the user says otherwise for this review. What is chosen for the review ends with
the next change of the setting.

The editor is not known here. Main thread only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Optional

from ...comparison import Whitespace

if TYPE_CHECKING:
    from ...settings import Settings


class WhitespaceChoice:
    """The choice of one review. `ignored` is what holds now."""

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
