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

MODULE = "gemini_companion_handover"
SECONDS = 20.0  # longer than any client waits
FORMAT = 1  # of the values kept; those of another format are not used


def leave(server_states: Mapping[int, ServerState]) -> None:
    """Keep the states of the endpoints, by window id. Main thread."""
    module = ModuleType(MODULE, "What a replaced Gemini Companion left to its successor.")
    # Plain values only: no class of the old package may live on in the new one.
    kept: Dict[str, Any] = {
        "format": FORMAT,
        "time": time.monotonic(),
        "windows": {window: tuple(server_state) for window, server_state in server_states.items()},
    }
    module.__dict__["kept"] = kept
    sys.modules[MODULE] = module


def take() -> Dict[int, ServerState]:
    """Take the states that were left, if they are fresh. Main thread."""
    module = sys.modules.pop(MODULE, None)
    kept = getattr(module, "kept", None)
    if not isinstance(kept, dict) or kept.get("format") != FORMAT or time.monotonic() - kept["time"] > SECONDS:
        return {}
    return {window: ServerState(*values) for window, values in kept["windows"].items()}
