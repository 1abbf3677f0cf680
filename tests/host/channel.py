"""The driver's end of the control channel: the editor process, its answers and events, and its end.

Rules: a request is answered or raises within its time; when `wait_for_end` returns, neither the editor nor its
plugin host is left.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

CONSOLE_TAIL = 6000  # characters of the console shown with an error


class HostError(Exception):
    """A call failed inside the host: `.type`, the message, and the host's `.traceback`."""

    def __init__(self, type_name: str, message: str, traceback: str = "") -> None:
        super().__init__(f"{type_name}: {message}\n{traceback}" if traceback else f"{type_name}: {message}")
        self.type = type_name
        self.message = message
        self.traceback = traceback


class HostGone(HostError):
    """The host ended, or does not answer; the text ends with the last lines of its console."""


class Channel:
    """One editor process, started with its command line. One thread uses it."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str, console: str) -> None:
        self.events: List[Dict[str, Any]] = []
        self.on_event: Optional[Callable[[Dict[str, Any]], None]] = None
        self.ready: Dict[str, Any] = {}
        self._console = console
        self._answers: Dict[int, Dict[str, Any]] = {}
        self._next_id = 0
        self._lines: queue.Queue[Optional[bytes]] = queue.Queue()
        with open(console, "ab") as errors:
            self.process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=dict(env), cwd=cwd
            )
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def wait_ready(self, seconds: float) -> None:
        """Waits until the API is ready. Raises HostGone."""
        self._pump_until(lambda: bool(self.ready), seconds, "start")

    def request(self, name: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """Makes one call and returns its result. Raises HostError with the call's error, or HostGone."""
        self._next_id += 1
        request_id = self._next_id
        line = json.dumps({"id": request_id, "call": name, "arguments": arguments}).encode("ascii") + b"\n"
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except (OSError, ValueError):
            raise HostGone("HostGone", f"{name}: the editor has ended", self.console_tail()) from None
        self._pump_until(lambda: request_id in self._answers, seconds, name)
        answer = self._answers.pop(request_id)
        if "error" in answer:
            error = answer["error"]
            raise HostError(error["type"], error["message"], error["traceback"])
        return answer["result"]

    def pump(self, seconds: float) -> None:
        """Takes in one line if one comes within the time. Raises HostGone."""
        try:
            self._take(self._lines.get(timeout=seconds))
        except queue.Empty:
            return

    def console_tail(self) -> str:
        return read_console(self._console)[-CONSOLE_TAIL:]

    def wait_for_end(self, seconds: float) -> None:
        """Waits until both processes have ended; what does not end in time is killed."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self._take(self._lines.get(timeout=max(0.01, deadline - time.monotonic())))
            except HostGone:
                break
            except queue.Empty:
                self.process.kill()
        self.process.wait()
        plugin_host = self.ready.get("plugin_host_pid")
        while plugin_host and is_alive(plugin_host):
            if time.monotonic() > deadline:
                kill_process(plugin_host)
            time.sleep(0.01)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue  # closing flushes; what could not be sent any more is of no interest

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _take(self, line: Optional[bytes]) -> None:
        if line is None:
            self.process.wait()
            self._lines.put(None)  # for whoever asks next
            reason = f"the editor has ended with code {self.process.returncode}"
            raise HostGone("HostGone", reason, self.console_tail())
        message = json.loads(line.decode("utf-8"))
        if "event" not in message:
            self._answers[message["id"]] = message
            return
        self.events.append(message)
        if message["event"] == "ready":
            self.ready = message
        if self.on_event is not None:
            self.on_event(message)

    def _pump_until(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            left = deadline - time.monotonic()
            if left <= 0:
                self._dump_threads()
                raise HostGone("HostGone", f"{what}: no answer within {seconds:g} s", self.console_tail())
            try:
                self.pump(left)
            except HostGone:
                if done():
                    return
                raise

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
