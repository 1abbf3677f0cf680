"""The command palette and the menus: entries of all packages, with what their commands say about showing them.

Rule kept here: an entry that cannot be run as it stands is not run; choosing it raises LookupError.
"""

from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, List

from .stock import MAIN_MENU


class Palette:
    """The entries of all `.sublime-commands` files."""

    def __init__(self, host: Any):
        self._host = host

    def entries(self, window: Any) -> List[Dict[str, Any]]:
        """Every entry with its caption, and whether it shows and is enabled in this window."""
        found = []
        for resource in self._host.find_resources("*.sublime-commands"):
            for entry in self._host.read_list(resource):
                if not isinstance(entry.get("command"), str):
                    self._host.complain("%s: an entry needs a command: %r" % (resource, entry))
                    continue
                found.append(dict(_with_state(self._host, window, entry), resource=resource))
        return found

    def show(self, window: Any) -> None:
        """Open the palette: a list over the tabs, whose choice runs when it has gone."""
        found = [entry for entry in self.entries(window) if entry["visible"] and entry["enabled"]]

        def picked(index: int) -> None:
            if index >= 0 and window.valid:
                self._host.commands.run_in_window(window, found[index]["command"], found[index]["args"])

        items = [{"trigger": entry["caption"], "details": [], "annotation": "", "kind": [0, "", ""]} for entry in found]
        window.panels.show_quick(items, picked, 0, -1, None, "")

    def run(self, window: Any, caption: str) -> None:
        """Choose an entry. Raises LookupError if none with this caption shows and is enabled."""
        entries = self.entries(window)
        for entry in entries:
            if entry["caption"] == caption and entry["visible"] and entry["enabled"]:
                self._host.commands.run_in_window(window, entry["command"], entry["args"])
                return
        reason = "is not enabled" if any(e["caption"] == caption and e["visible"] for e in entries) else "is not there"
        raise LookupError("palette entry %r %s" % (caption, reason))


class Menus:
    """The menus of all packages, merged by id into the editor's own."""

    def __init__(self, host: Any):
        self._host = host

    def tree(self, name: str = "Main") -> List[Dict[str, Any]]:
        """The merged items of `NAME.sublime-menu`."""
        items: List[Dict[str, Any]] = copy.deepcopy(MAIN_MENU) if name == "Main" else []
        for resource in self._host.find_resources(name + ".sublime-menu"):
            _merge(items, self._host.read_list(resource))
        return items

    def entries(self, window: Any, name: str = "Main") -> List[Dict[str, Any]]:
        """Every item that runs a command, with its path of captions and its state."""
        return [dict(_with_state(self._host, window, item), path=path) for path, item in _leaves(self.tree(name), [])]

    def run(self, window: Any, path: List[str], name: str = "Main") -> None:
        """Choose an item by its captions. Raises LookupError if it does not show or is not enabled."""
        for entry in self.entries(window, name):
            if entry["path"] == list(path):
                if not entry["visible"] or not entry["enabled"]:
                    raise LookupError("menu item %r is not enabled" % (path,))
                self._host.commands.run_in_window(window, entry["command"], entry["args"], told=True)
                return
        raise LookupError("menu item %r is not there" % (path,))


def _with_state(host: Any, window: Any, entry: Dict[str, Any]) -> Dict[str, Any]:
    args = entry.get("args") or None
    state = host.commands.state(window, entry["command"], args)
    caption = entry.get("caption") or state["description"] or entry["command"]
    return {
        "caption": caption,
        "command": entry["command"],
        "args": args,
        "exists": host.commands.exists(entry["command"]),
        "visible": state["visible"],
        "enabled": state["enabled"],
        "checked": state["checked"],
    }


def _merge(items: List[Dict[str, Any]], more: List[Dict[str, Any]]) -> None:
    for item in more:
        same = next((old for old in items if "id" in item and old.get("id") == item["id"]), None)
        if same is None:
            items.append(copy.deepcopy(item))
            continue
        children = item.get("children", [])
        same.update({key: value for key, value in item.items() if key != "children"})
        if children:
            _merge(same.setdefault("children", []), children)


def _leaves(items: List[Dict[str, Any]], path: List[str]) -> Iterator[tuple]:
    for item in items:
        here = path + [item.get("caption", item.get("command", ""))]
        if isinstance(item.get("command"), str):
            yield here, item
        yield from _leaves(item.get("children", []), here)
