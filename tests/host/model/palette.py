"""The command palette: the entries of all packages, and whether they can be run in a window as it stands."""

from __future__ import annotations

from typing import Any, Dict, List

from .. import errors


class Palette:
    """The entries of all `.sublime-commands` files. One whose command is disabled or hidden does not show."""

    def __init__(self, host: Any):
        self._host = host

    def entries(self, window: Any) -> List[Dict[str, Any]]:
        """Every entry, and whether its command exists, is enabled and is visible in this window."""
        found = []
        for resource in self._host.find_resources("*.sublime-commands"):
            for entry in self._host.read_list(resource):
                if not isinstance(entry.get("command"), str):
                    errors.record("palette", "%s: an entry needs a command: %r" % (resource, entry))
                    continue
                if "caption" not in entry:
                    continue  # the palette asks no command for its description (sublimehq/sublime_text 2247)
                found.append(with_state(self._host, window, entry))
        return found

    def show(self, window: Any) -> None:
        """Open the palette: a list over the tabs, whose choice runs when it has gone."""
        found = [entry for entry in self.entries(window) if entry["enabled"] and entry["visible"]]

        def picked(index: int) -> None:
            if index >= 0 and window.valid:
                self._run(window, found[index])

        items = [{"trigger": entry["caption"], "details": [], "annotation": ""} for entry in found]
        window.panels.show_quick(items, picked, 0, -1, None, "")

    def run(self, window: Any, caption: str) -> None:
        """Choose an entry. Raises LookupError if none with this caption is enabled."""
        found = [entry for entry in self.entries(window) if entry["caption"] == caption]
        enabled = [entry for entry in found if entry["enabled"] and entry["visible"]]
        if not enabled:
            raise LookupError("palette entry %r is not %s" % (caption, "enabled" if found else "there"))
        self._run(window, enabled[0])

    def _run(self, window: Any, entry: Dict[str, Any]) -> None:
        self._host.commands.run_in_window(window, entry["command"], entry["args"])


def with_state(host: Any, window: Any, entry: Dict[str, Any]) -> Dict[str, Any]:
    """An entry of the palette or of a menu, and whether its command exists, is enabled and visible in this window."""
    command, args = entry["command"], entry.get("args") or None
    return {
        "caption": entry.get("caption", command),
        "command": command,
        "args": args,
        "exists": host.commands.exists(command),
        "enabled": host.commands.is_enabled(window, command, args),
        "visible": host.commands.is_enabled(window, command, args, "is_visible_"),
    }
