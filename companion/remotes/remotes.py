"""The remotes of all windows: which the user has set, which are connected, and the list in which they choose.

Rule: main thread only. A remote belongs to the window in which it was connected, as its agents do.
"""

from __future__ import annotations

import os
import secrets
import shutil
from concurrent.futures import Future
from functools import partial
from typing import Dict, List, Tuple

import sublime

from ..editor.pages import NAME
from ..editor.quick_panel import PanelEntry, choose
from ..editor.status_bar import say
from ..editor.storage import storage_folder
from ..endpoint.endpoint import Endpoint
from ..runtime import Runtime
from .channel import shell_line
from .remote import Link, Remote, Sources

NO_REMOTES = "there are no remotes in your settings yet: “remotes” in the documentation says what to write"
WORDS = {Link.CONNECTING: "connecting", Link.CONNECTED: "connected", Link.WAITING: "not connected, trying again"}


class Remotes:
    """One in the process."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._by_window: Dict[Tuple[int, str], Remote] = {}
        self._copies = os.path.join(storage_folder(), "remotes")

    def of(self, endpoint: Endpoint) -> List[Remote]:
        """Those of this window that are connected, or are to be."""
        window = endpoint.window.id()
        return [each for (number, _), each in self._by_window.items() if number == window and each.link is not Link.OFF]

    def choose(self, endpoint: Endpoint) -> None:
        """Let the user pick a remote: it is connected or, if it is, disconnected."""
        entries: List[PanelEntry] = []
        connected = {each.row.name: each for each in self.of(endpoint)}
        for each in connected.values():
            words = WORDS[each.link] + (f" ({each.problem})" if each.problem else "")
            entries.append(PanelEntry(f"Disconnect {each.row.name}", partial(self._disconnect, each), words))
        for name, row in endpoint.settings().remotes.items():
            if name not in connected:
                entries.append(
                    PanelEntry(f"Connect {name}", partial(self.connect, endpoint, name), " ".join(row.command))
                )
        if entries:
            choose(endpoint.window, entries, "Agents that run elsewhere")
        else:
            say(endpoint.window, NO_REMOTES)

    def connect(self, endpoint: Endpoint, name: str) -> None:
        """Connect the remote of this name to the window."""
        row = endpoint.settings().remotes.get(name)
        if row is None:
            say(endpoint.window, NO_REMOTES)
            return
        texts = [
            sublime.load_resource(f"Packages/{NAME}/companion/remotes/{each}.py")
            for each in ("frames", "helper", "relay")
        ]
        sources = Sources(shell_line(texts[0], texts[1]), texts[2])
        copies = os.path.join(self._copies, secrets.token_hex(8))
        remote = Remote(self._runtime, endpoint, row, sources, copies, partial(say, endpoint.window))
        self._by_window[endpoint.window.id(), name] = remote
        remote.start()

    def _disconnect(self, remote: Remote) -> None:
        self._runtime.spawn(remote.stop)

    def close(self, window: sublime.Window) -> None:
        """The window has no endpoint any more."""
        for key in [each for each in self._by_window if each[0] == window.id()]:
            self._disconnect(self._by_window.pop(key))

    def stop(self) -> List[Future[None]]:
        """Leave all of them. Any thread, also without the editor's API."""
        return [self._runtime.spawn(each.stop) for each in self._by_window.values()]


def remove_left_over(storage: str) -> None:
    """Remove the copies that an earlier run has left. Disk thread."""
    shutil.rmtree(os.path.join(storage, "remotes"), ignore_errors=True)
