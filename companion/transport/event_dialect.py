"""The dialect of the plain event stream `/events`: names and params of the companion's notifications.

Rule: clients written for the Neovim companion get exactly its names and shapes. Notifications that it does not define
pass unchanged.
Implements the Neovim companion's communication document, "Notification Events".
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

IDE_NOTIFICATIONS = ("ide/contextUpdate", "ide/diffAccepted", "ide/diffRejected")


def to_event_dialect(method: str, params: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
    """The method and params on `/events` for an MCP notification."""
    if method == "ide/contextUpdate":
        return "notifications/context-update", _context(params)
    if method in IDE_NOTIFICATIONS:
        return "notifications/" + method, params
    return method, params


def _context(params: Dict[str, Any]) -> Dict[str, Any]:
    files: List[Dict[str, Any]] = params.get("workspaceState", {}).get("openFiles", [])
    context: Dict[str, Any] = {"openFiles": [{"path": file["path"], "timestamp": file["timestamp"]} for file in files]}
    for file in files:
        if file.get("isActive"):
            active = context["activeFile"] = {"path": file["path"]}
            if "cursor" in file:
                active["cursorPosition"] = file["cursor"]
            if "selectedText" in file:
                active["selection"] = file["selectedText"]
            break
    return context
