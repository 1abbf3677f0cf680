"""Whether the user has paused the sharing of a window.

Rule: a pause ends only when the user resumes. So it is kept in the window's settings, which the editor stores with its
session and with the workspace of a project: there it outlasts an upgrade of the package however long that takes, and a
restart. Carried over by the package itself it would end with the first upgrade that goes wrong, unseen.

Another project brings the window other settings. The window then is paused if it was, and if it had been when that
project was last open. A project's file can pause a window, if the editor lets it have a say in the window's settings;
what the user has said in the window goes before it, either way.
"""

from __future__ import annotations

import sublime

KEY = "gemini_companion.sharing_paused"  # stays as it is: windows are stored with it


class Pause:
    """The pause of one window. True while it lasts. Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._on = self._stored()

    def __bool__(self) -> bool:
        return self._on

    def set(self, on: bool) -> None:
        """The user pauses, or resumes."""
        self._on = on
        self._store()

    def look_again(self) -> None:
        """The window's settings may be those of another project now. Nothing of this can end the pause."""
        stored = self._stored()
        if self._on and not stored:
            self._store()
        self._on = self._on or stored

    def _stored(self) -> bool:
        return bool(self._window.settings().get(KEY))

    def _store(self) -> None:
        settings = self._window.settings()
        if self._on:
            settings.set(KEY, True)
            return
        settings.erase(KEY)
        if settings.get(KEY):  # somebody else's, further down: the project's, say
            settings.set(KEY, False)
