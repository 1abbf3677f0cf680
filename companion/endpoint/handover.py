"""Carries endpoints across an upgrade of the package, so that connected clients go on.

When Package Control replaces the package, everything of the old one ends: threads, sockets, modules. What the new one
needs to take up the same port, token and sessions lies meanwhile in a module object of no package, in memory only.

Rule: it is taken once, and only within the few seconds in which a client still tries to come back.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType
from typing import Any, Dict, Mapping

from .server_task import ServerState

MODULE = "gemini_companion_handover"
SECONDS = 20.0  # longer than any client waits
FORMAT = 1  # of the values kept: another version's are left alone


def leave(server_states: Mapping[int, ServerState]) -> None:
    """Keep what the endpoints left, by window id. Main thread."""
    module = ModuleType(MODULE, "What a replaced Gemini Companion left to its successor.")
    # Plain values only: the classes of the package that is ending must not live on in the next one.
    kept: Dict[str, Any] = {
        "format": FORMAT,
        "time": time.monotonic(),
        "windows": {window: tuple(server_state) for window, server_state in server_states.items()},
    }
    module.__dict__["kept"] = kept
    sys.modules[MODULE] = module


def take() -> Dict[int, ServerState]:
    """Take what was left, if it is fresh. Main thread."""
    module = sys.modules.pop(MODULE, None)
    kept = getattr(module, "kept", None)
    if not isinstance(kept, dict) or kept.get("format") != FORMAT or time.monotonic() - kept["time"] > SECONDS:
        return {}
    return {window: ServerState(*values) for window, values in kept["windows"].items()}
