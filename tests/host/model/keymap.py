"""From keys to commands: the bindings of the editor and of all packages, and the contexts they hold in.

Rules kept here: packages are loaded in the order of their names, Default first and User last, each with its keymap and
then its keymap for this platform. The binding loaded last whose context holds wins; keys without a binding type
themselves.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

from .. import errors
from .stock import BINDINGS

OPERATORS = {
    "equal": 0,
    "not_equal": 1,
    "regex_match": 2,
    "not_regex_match": 3,
    "regex_contains": 4,
    "not_regex_contains": 5,
}


class Keymap:
    """`pending` holds the first keys of a sequence that has begun."""

    def __init__(self, host: Any):
        self._host = host
        self.pending: List[str] = []

    def bindings(self) -> List[Dict[str, Any]]:
        """All bindings of this platform in load order; entries that are no bindings are complained of."""
        found = list(BINDINGS)
        for resource in self._host.find_resources(
            "Default.sublime-keymap", "Default (%s).sublime-keymap" % self._host.platform_title()
        ):
            for entry in self._host.read_list(resource):
                if not isinstance(entry.get("keys"), list) or not isinstance(entry.get("command"), str):
                    errors.record("keymap", "%s: a binding needs keys and a command: %r" % (resource, entry))
                    continue
                found.append(dict(entry, resource=resource))
        return found

    def press(self, window: Any, key: str) -> Optional[str]:
        """Press one key, as "ctrl+s" or "a". Returns the command that ran, if any."""
        keys = self.pending + [_normal(key)]
        view = window.focused_view()
        begins = False
        for binding in reversed(self.bindings()):
            wanted = [_normal(item) for item in binding["keys"]]
            character = wanted == ["<character>"] and len(keys) == len(key) == 1
            if character:
                wanted = keys
            if wanted[: len(keys)] != keys or not self.holds(window, view, binding.get("context") or []):
                continue
            if len(wanted) > len(keys):
                begins = True
                continue
            self.pending = []
            args = dict(binding.get("args") or {}, **({"character": key} if character else {}))
            self._host.commands.run_in_window(window, binding["command"], args or None, told=True)
            return str(binding["command"])
        self.pending = keys if begins else []
        if not begins and len(keys) == 1 and (len(key) == 1 or key == "space") and view is not None:
            self._host.commands.run_in_view(view, "insert", {"characters": " " if key == "space" else key})
            return "insert"
        return None

    # -- contexts --------------------------------------------------------------------------------
    def holds(self, window: Any, view: Any, context: List[Dict[str, Any]]) -> bool:
        return all(self.condition(window, view, item) for item in context)

    def condition(self, window: Any, view: Any, item: Dict[str, Any]) -> bool:
        """Whether one condition holds. Keys that the editor does not know are asked of the listeners."""
        key, operand = str(item.get("key", "")), item.get("operand", True)
        operator = item.get("operator", "equal")
        if operator not in OPERATORS:
            errors.record("keymap", "unknown operator %r in the context key %r" % (operator, key))
            return False
        match_all = bool(item.get("match_all", False))
        values = self._values(window, view, key, operand)
        if values is None:
            plugins = self._host.plugins
            if plugins is None or view is None:
                return False
            return bool(plugins.on_query_context(view.id, key, OPERATORS[operator], operand, match_all))
        results = [_compare(value, operator, operand) for value in values]
        return bool(results) and (all(results) if match_all or len(results) == 1 else any(results))

    def _values(self, window: Any, view: Any, key: str, operand: Any) -> Optional[list]:
        """The key's value, one per selection where it differs; None for a key that belongs to a package."""
        if key.startswith("setting."):
            return [view.settings.get(key[len("setting.") :])] if view is not None else [None]
        if key == "preceding_text":  # on its line
            carets = [caret for _, caret in view.selection.copy()] if view is not None else []
            return [view.buffer.text[:caret].rpartition("\n")[2] for caret in carets]
        simple = {
            "panel_visible": lambda: window.panels.active is not None,
            "panel": lambda: window.panels.active or "",
            "panel_has_focus": lambda: view is not None and bool(view.element) and window.panels.quick is None,
            "overlay_visible": lambda: window.panels.quick is not None,
        }
        if key in simple:
            return [simple[key]()]
        return None


def _compare(value: Any, operator: str, operand: Any) -> bool:
    if operator == "equal":
        return bool(value == operand)
    if operator == "not_equal":
        return bool(value != operand)
    found = (re.fullmatch if operator.endswith("regex_match") else re.search)(str(operand), str(value))
    return (found is None) if operator.startswith("not_") else (found is not None)


def _normal(key: str) -> str:
    """Modifiers in one order; "primary" is ctrl here, other names are the editor's."""
    if len(key) == 1:
        return key
    *modifiers, last = key.split("+") if not key.endswith("++") else key[:-1].rstrip("+").split("+") + ["+"]
    names = {"primary": "ctrl", "control": "ctrl", "option": "alt", "command": "super", "win": "super"}
    order = ["ctrl", "alt", "shift", "super"]
    return "+".join(sorted({names.get(item, item) for item in modifiers}, key=order.index) + [last])
