"""The command palette: the entries of all packages, with what their commands say about showing them.

Rule kept here: an entry that cannot be run as it stands is not run; choosing it raises LookupError.
"""

from __future__ import annotations

from typing import Any, Dict, List


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
