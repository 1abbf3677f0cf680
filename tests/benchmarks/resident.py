"""A headless editor that starts without the package, and clients that cost nothing themselves.

For whoever measures what the package costs while it is there: benchmarks and soak tests.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path
from typing import Any, Iterator, List

HERE = Path(__file__).resolve().parent
sys.path[:0] = [path for path in (str(HERE), str(HERE.parents[1])) if path not in sys.path]

from traffic import Client, Target  # noqa: E402

from tests.host.driver import Host  # noqa: E402
from tests.tools.desktop import Desktop  # noqa: E402

WITHOUT_PACKAGE = {"Preferences": {"ignored_packages": ["Gemini Companion"]}}


class Listener:
    """A client that reads its stream to nowhere; `received` counts the events with a context."""

    def __init__(self, target: Target) -> None:
        self.client = Client(target)
        self.received = 0
        threading.Thread(target=self._read, args=(self.client.stream,), daemon=True).start()

    def _read(self, stream: Any) -> None:
        try:
            while True:
                data = stream.recv(1 << 20)
                if not data:
                    return
                self.received += data.count(b"ide/contextUpdate")
        except OSError:
            return  # which is how it is closed

    def end(self) -> None:
        self.client.end()


class Editor:
    """A host on a workspace, in which the package can be switched on and off."""

    def __init__(self, host: Host, workspace: str) -> None:
        self.host = host
        self.workspace = workspace
        self.desktop = Desktop(host, workspace)
        host.execute(f"import gc, os, sys, threading, time\nsys.path.append({str(HERE)!r})")
        self.listeners: List[Listener] = []

    def enable(self) -> None:
        """Load the package and wait until clients can find it."""
        self.host.enable_package()
        announcement = self.desktop.wait_published()
        self.target = Target(int(announcement["port"]), announcement["authToken"])
        self.host.execute(
            "plugin = sys.modules['Gemini Companion.plugin']\n"
            "application = plugin.application\n"
            "endpoint = application.endpoints()[0]"
        )

    def connect(self, count: int = 1) -> None:
        """So many more clients, which listen."""
        self.listeners += [Listener(self.target) for _ in range(count)]
        self.host.wait_until(f"len(endpoint.agents.connected) == {len(self.listeners)}")

    def disconnect(self) -> None:
        """All clients go."""
        for listener in self.listeners:
            listener.end()
        self.listeners = []
        self.host.wait_until("not endpoint.agents.connected")


@contextlib.contextmanager
def starting(folder: str) -> Iterator[Editor]:
    """An editor without the package, with a workspace in an empty folder; at the end nothing may have gone wrong."""
    workspace = os.path.realpath(os.path.join(folder, "workspace"))
    os.mkdir(workspace)
    path = os.path.join(workspace, "greeting.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"line = {number}\n" for number in range(200)))
    with Host.start(folders=[workspace], files=[path], settings=WITHOUT_PACKAGE) as host:
        host.wait_until("not view.is_loading()")
        yield Editor(host, workspace)
