"""One window's settings: those of the user, narrowed by those of the window's project, checked and cached.

Rule: asking costs nothing, because the answer is cached; whoever hears of a change calls `refresh`.
"""

from __future__ import annotations

from typing import Any, List

import sublime

from ..agents.registry import wrong_rows
from ..settings import FILE_NAME, Settings, project_layer, read


class WindowSettings:
    """`window_settings()` is the current `Settings`. Any thread may ask; only the main thread refreshes."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._current = Settings()
        self._project: Any = None  # as last read

    def __call__(self) -> Settings:
        return self._current

    def refresh(self) -> List[str]:
        """Read the settings again and return a sentence for each wrong value."""
        self._project = self._window.project_data()
        reading = read(
            [
                ("the settings", sublime.load_settings(FILE_NAME).to_dict()),
                ("the project's settings", project_layer(self._project)),
            ]
        )
        self._current = reading.settings
        return [*reading.complaints, *wrong_rows(reading.settings)]

    def project_has_changed(self) -> bool:
        """Whether the project is no longer what was read. The editor has no event for that."""
        return bool(self._window.project_data() != self._project)
