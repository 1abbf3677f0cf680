"""The driver's end of the control channel: the editor process, its answers and events, and its end.

Rules: a request is answered or raises within its time; when `wait_for_end` returns, neither the editor nor its
plugin host is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import Any, Dict, Mapping, Sequence

from .json_lines import CallError, JsonLines

#: Of a console that is shown with an error: lines, and characters of each.
TAIL_LINES, TAIL_CHARACTERS = 200, 400


class HostError(CallError):
    """A call failed inside the host."""


class HostGone(HostError):
    """The host ended, or does not answer; the text ends with the last lines of its console."""


class Channel(JsonLines):
    """One editor process, started with its command line. One thread uses it."""

    called = "editor"
    failed = HostError

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str, console: str) -> None:
        self._console = console
        with open(console, "ab") as errors:
            super().__init__(command, cwd, env, errors)

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    @property
    def ready(self) -> Dict[str, Any]:
        """The event that says so, empty before it has come."""
        return next((event for event in self.events if event["event"] == "ready"), {})

    def wait_ready(self, seconds: float) -> None:
        """Waits until the API is ready. Raises HostGone."""
        self.pump_until(lambda: self.ready, seconds, "start")

    def request(self, name: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """Makes one call and returns its result. Raises HostError with the call's error, or HostGone."""
        return self.start_call(name, **arguments).result(seconds)

    def gone(self, reason: str) -> HostGone:
        return HostGone("HostGone", reason, self.console_tail())

    def late(self, what: str, seconds: float) -> HostGone:
        self._dump_threads()
        return HostGone("HostGone", f"{what}: no answer within {seconds:g} s", self.console_tail())

    def console_tail(self) -> str:
        return tail(read_console(self._console))

    def wait_for_end(self, seconds: float) -> None:
        """Waits until both processes have ended; what does not end in time is killed."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(HostGone):
            while True:
                self.pump(max(0.01, deadline - time.monotonic()))
                if time.monotonic() > deadline:
                    self.process.kill()
        plugin_host = self.ready.get("plugin_host_pid")
        while plugin_host and is_alive(plugin_host):
            if time.monotonic() > deadline:
                kill_process(plugin_host)
            time.sleep(0.01)
        self.release()

    def _dump_threads(self) -> None:
        """Asks the plugin host to write into the console what its threads are doing, and lets it."""
        plugin_host = self.ready.get("plugin_host_pid")
        if not plugin_host or not hasattr(signal, "SIGUSR1"):
            return
        size = len(read_console(self._console))
        try:
            os.kill(plugin_host, signal.SIGUSR1)
        except OSError:
            return
        deadline = time.monotonic() + 2
        while len(read_console(self._console)) == size and time.monotonic() < deadline:
            time.sleep(0.02)


def read_console(path: str) -> str:
    """The text of a console's log file; empty if there is none yet."""
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="backslashreplace") as file:
        return file.read()


def tail(text: str) -> str:
    """The last lines of a console, long ones cut short."""
    lines = text.splitlines()[-TAIL_LINES:]
    return "\n".join(line if len(line) <= TAIL_CHARACTERS else f"{line[:TAIL_CHARACTERS]} ..." for line in lines)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended but was not yet collected by its parent does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        if os.path.isdir("/proc/self"):
            return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def kill_process(pid: int) -> None:
    """Kills a process without warning; nothing happens if it has ended."""
    try:
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    except OSError:
        return
