"""Carries the state of servers across an upgrade of the package, so that connected clients can go on.

When Package Control replaces the package, everything of the old one ends: threads, sockets, modules. The new one needs
the ports, tokens and sessions. They wait in a module object that belongs to no package, in memory only.

Rule: the state is taken once, and only within the few seconds in which clients try to come back.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType
from typing import Any, Dict, Mapping

from .server_task import ServerState
from .servers import PRIMARY, States

MODULE = "gemini_companion_handover"
SECONDS = 20.0  # longer than any client waits
FORMAT = 3  # of the values kept: one that is not known is left alone
FORMAT_OF_ONE_SERVER = 1  # of releases that had one for each window


def leave(windows: Mapping[int, States]) -> None:
    """Keep what the endpoints left, by window id. Main thread."""
    module = ModuleType(MODULE, "What a replaced Gemini Companion left to its successor.")
    # Plain values only: no class of the old package may live on in the new one.
    kept: Dict[str, Any] = {
        "format": FORMAT,
        "time": time.monotonic(),
        "windows": {window: {key: tuple(state) for key, state in states.items()} for window, states in windows.items()},
    }
    module.__dict__["kept"] = kept
    sys.modules[MODULE] = module


def take() -> Dict[int, States]:
    """Take what was left, if it is fresh. Main thread."""
    module = sys.modules.pop(MODULE, None)
    kept = getattr(module, "kept", None)
    if not isinstance(kept, dict) or time.monotonic() - kept.get("time", 0.0) > SECONDS:
        return {}
    if kept.get("format") == FORMAT_OF_ONE_SERVER:
        return {window: {PRIMARY.key: ServerState(*values)} for window, values in kept["windows"].items()}
    if kept.get("format") != FORMAT:
        return {}
    return {
        window: {key: ServerState(*values) for key, values in states.items()}
        for window, states in kept["windows"].items()
    }
