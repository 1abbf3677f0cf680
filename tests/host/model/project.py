"""Project data: a window's folders and project settings, in memory or in a `.sublime-project` file."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional

from .values import to_value


class Project:
    """`data` is what a project file holds; None for a window that has neither folders nor a project."""

    def __init__(self, window: Any):
        self.window = window
        self.file_name = ""
        self.data: Optional[Dict[str, Any]] = None

    def workspace_file_name(self) -> str:
        return os.path.splitext(self.file_name)[0] + ".sublime-workspace" if self.file_name else ""

    def folders(self) -> List[str]:
        """The absolute paths of the folders in the side bar; relative ones start at the project file."""
        entries = (self.data or {}).get("folders", [])
        base = os.path.dirname(self.file_name)
        return [
            os.path.normpath(os.path.join(base, entry["path"])) if base else entry["path"]
            for entry in entries
            if isinstance(entry, dict) and isinstance(entry.get("path"), str)
        ]

    def set_data(self, data: Any) -> None:
        """Replace the data; written to the project file if there is one. Raises TypeError unless a dict or None."""
        data = to_value(data)
        if data is not None and not isinstance(data, dict):
            raise TypeError("project data must be a dict or None")
        self.data = data
        if self.file_name:
            self._write()
        self._settings_changed()

    def set_folders(self, folders: List[str]) -> None:
        """What the side bar's menu does: the other project data stays."""
        data = dict(self.data or {})
        kept = {entry["path"]: entry for entry in data.get("folders", [])}
        data["folders"] = [kept.get(path, {"path": path}) for path in folders]
        self.set_data(data)

    def load(self, file_name: str) -> None:
        """Open a project file. Raises OSError or ValueError."""
        with open(file_name, encoding="utf-8") as file:
            data = self.window.host.loads(file.read())
        if not isinstance(data, dict):
            raise ValueError("%s is not a project" % file_name)
        self.file_name, self.data = os.path.abspath(file_name), to_value(data)
        self._settings_changed()

    def save_as(self, file_name: str) -> None:
        self.file_name = os.path.abspath(file_name)
        self.data = self.data or {"folders": []}
        self._write()

    def close(self) -> None:
        self.file_name, self.data = "", None
        self._settings_changed()

    def _write(self) -> None:
        with open(self.file_name, "w", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(self.data or {}, indent="\t", ensure_ascii=False) + "\n")

    def _settings_changed(self) -> None:
        settings = (self.data or {}).get("settings")
        self.window.project_settings.replace(settings if isinstance(settings, dict) else {})
