"""The menus of all packages, merged by id into the editor's own.

Rule: an item that cannot be run as it stands is not run; choosing it raises LookupError.
"""

from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, List, Optional

from .palette import with_state
from .stock import MAIN_MENU, SIDE_BAR_MENU

STOCK = {"Main": MAIN_MENU, "Side Bar": SIDE_BAR_MENU}


class Menus:
    """The items of all `.sublime-menu` files."""

    def __init__(self, host: Any):
        self._host = host

    def entries(self, window: Any, name: str = "Main", on: Optional[Dict[str, Any]] = None) -> List[Dict[str, Any]]:
        """Every item of `NAME.sublime-menu` that runs a command, with its path of captions and its state.

        `on` is what was clicked: the editor puts it in the place of the item's arguments of these names.
        """
        items: List[Dict[str, Any]] = copy.deepcopy(STOCK.get(name, []))
        for resource in self._host.find_resources(name + ".sublime-menu"):
            _merge(items, self._host.read_list(resource))
        leaves = list(_leaves(items, []))
        for path, item in leaves:
            arguments = item.get("args") or {}
            arguments.update({key: value for key, value in (on or {}).items() if key in arguments})
            if "caption" not in item:
                path[-1] = item["caption"] = self._host.commands.description(window, item["command"], item.get("args"))
        return [dict(with_state(self._host, window, item), path=path) for path, item in leaves]

    def run(self, window: Any, path: List[str], name: str = "Main", on: Optional[Dict[str, Any]] = None) -> None:
        """Choose an item by its captions. Raises LookupError if it is not there, hidden or not enabled."""
        found = [entry for entry in self.entries(window, name, on) if entry["path"] == list(path)]
        if not found or not (found[0]["enabled"] and found[0]["visible"]):
            raise LookupError("menu item %r is not %s" % (path, "enabled" if found else "there"))
        self._host.commands.run_in_window(window, found[0]["command"], found[0]["args"], told=True)


def _merge(items: List[Dict[str, Any]], more: List[Dict[str, Any]]) -> None:
    for item in more:
        same = next((old for old in items if "id" in item and old.get("id") == item["id"]), None)
        if same is None:
            items.append(copy.deepcopy(item))
            continue
        same.update({key: value for key, value in item.items() if key != "children"})
        _merge(same.setdefault("children", []), item.get("children", []))


def _leaves(items: List[Dict[str, Any]], path: List[str]) -> Iterator[tuple]:
    for item in items:
        here = [*path, item.get("caption", item.get("command", ""))]
        if isinstance(item.get("command"), str):
            yield here, item
        yield from _leaves(item.get("children", []), here)
