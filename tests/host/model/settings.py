"""Settings: layers that are asked one after the other, and the callbacks of those who want to know of changes.

Rule kept here: values are JSON; a change is told on the main thread, once per turn of its loop.
"""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Optional

from .. import errors
from .values import as_text, to_value


class SettingsModel:
    """One layer of own values over its parents, nearest first."""

    def __init__(self, host: Any, parents: Optional[Callable[[], List[SettingsModel]]] = None):
        self.id = host.next_id("settings")
        self.own: Dict[str, Any] = {}
        self.children: List[SettingsModel] = []
        self._parents = parents or (list)
        self._host = host
        self._callbacks: Dict[str, List[Callable[[], None]]] = {}
        self._told = False
        host.settings[self.id] = self

    def has(self, key: str) -> bool:
        key = as_text(key)
        return key in self.own or any(parent.has(key) for parent in self._parents())

    def get(self, key: str, default: Any = None) -> Any:
        key = as_text(key)
        if key in self.own:
            return to_value(self.own[key])
        for parent in self._parents():
            if parent.has(key):
                return parent.get(key)
        return default

    def set(self, key: str, value: Any) -> None:
        key, value = as_text(key), to_value(value)
        if key in self.own and json.dumps(self.own[key]) == json.dumps(value):
            return
        self.own[key] = value
        self.changed()

    def erase(self, key: str) -> None:
        if self.own.pop(as_text(key), self) is not self:
            self.changed()

    def to_dict(self) -> Dict[str, Any]:
        """All that `get` would find, the values of the layers below among them."""
        result: Dict[str, Any] = {}
        for parent in reversed(self._parents()):
            result.update(parent.to_dict())
        result.update(to_value(self.own))
        return result

    def replace(self, values: Dict[str, Any]) -> None:
        """Take over all values of a file."""
        values = to_value(values)
        if json.dumps(self.own, sort_keys=True) != json.dumps(values, sort_keys=True):
            self.own = values
            self.changed()

    # -- who wants to know -----------------------------------------------------------------------
    def add_on_change(self, tag: str, callback: Callable[[], None]) -> None:
        if not callable(callback):
            raise TypeError("a callback is required")
        self._callbacks.setdefault(as_text(tag), []).append(callback)

    def clear_on_change(self, tag: str) -> None:
        self._callbacks.pop(as_text(tag), None)

    def changed(self) -> None:
        """Tell the callbacks of this layer and of those that rest on it, in the next turn of the main loop."""
        self._host.settings_changes += 1
        for child in self.children:
            child.changed()
        if self._callbacks and not self._told:
            self._told = True
            self._host.scheduler.set_timeout(self._tell)

    def _tell(self) -> None:
        self._told = False
        for callbacks in list(self._callbacks.values()):
            for callback in list(callbacks):
                self._host.scheduler.call(callback)


class SettingsFiles:
    """Every `.sublime-settings` name that has been asked for, as a user layer over a layer of the packages' files."""

    def __init__(self, host: Any):
        self._host = host
        self._users: Dict[str, SettingsModel] = {}
        self._defaults: Dict[str, SettingsModel] = {}
        self._seen: Dict[str, Any] = {}

    def load(self, base_name: str) -> SettingsModel:
        """The settings of `base_name`; always the same object for the same name."""
        base_name = as_text(base_name)
        if base_name not in self._users:
            defaults = SettingsModel(self._host)
            user = SettingsModel(self._host, lambda: [defaults])
            defaults.children.append(user)
            self._defaults[base_name], self._users[base_name] = defaults, user
            self._read(base_name)
        return self._users[base_name]

    def reload(self) -> None:
        """Read all files again; those whose values changed tell their callbacks."""
        there = self._host.resources.find_resources("*")
        for base_name in list(self._users):
            self._read(base_name, there)

    def _read(self, base_name: str, there: Optional[List[str]] = None) -> None:
        stem, extension = os.path.splitext(base_name)
        platform_name = "%s (%s)%s" % (stem, self._host.platform_title(), extension)
        shipped: Dict[str, Any] = dict(BUILT_IN) if base_name == PREFERENCES else {}
        own: Dict[str, Any] = {}
        for name in (base_name, platform_name):
            for resource in self._host.find_resources(name, among=there):
                values = self._parse(resource)
                (own if resource.startswith("Packages/User/") else shipped).update(values)
        # Values set through the API and not yet saved survive unless a file really changed.
        if self._seen.get(base_name) != (shipped, own):
            self._seen[base_name] = (shipped, own)
            self._defaults[base_name].replace(shipped)
            self._users[base_name].replace(own)

    def _parse(self, resource: str) -> Dict[str, Any]:
        try:
            values = self._host.loads(self._host.resources.load_resource(resource))
            if not isinstance(values, dict):
                raise ValueError("not an object")
            return values
        except ValueError as error:
            errors.record("settings", "Error parsing settings: %s: %s" % (resource, error))
            return {}


PREFERENCES = "Preferences.sublime-settings"
BUILT_IN: Dict[str, Any] = {
    "auto_indent": True,
    "default_line_ending": "system",
    "detect_indentation": True,
    "draw_centered": False,
    "enable_hexadecimal_encoding": True,
    "ensure_newline_at_eof_on_save": False,
    "fallback_encoding": "Western (Windows 1252)",
    "fold_buttons": True,
    "font_size": 10,
    "gutter": True,
    "ignored_packages": ["Vintage"],
    "line_numbers": True,
    "line_padding_bottom": 0,
    "line_padding_top": 0,
    "margin": 4,
    "mini_diff": True,
    "save_on_focus_lost": False,
    "scroll_past_end": 0.5,
    "tab_size": 4,
    "translate_tabs_to_spaces": False,
    "use_tab_stops": True,
    "trim_trailing_white_space_on_save": "none",
    "word_wrap": "auto",
    "wrap_width": 0,
    "close_windows_when_empty": False,
}
