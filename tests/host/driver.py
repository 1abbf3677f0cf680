"""Drives a headless editor from a test: start it, tell it what a user would do, read what a user would see.

    with Host.start(folders=[workspace]) as host:
        host.call("open_file", path=...)
        host.wait_until("view and not view.is_loading()")
        assert host.errors() == []

Rules: every call answers or raises within its time; leaving the `with` block ends every process,
whatever happened inside. One thread drives one host.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import launch

START_SECONDS = 60.0
CALL_SECONDS = 30.0
QUIT_SECONDS = 15.0


class HostError(Exception):
    """A call failed inside the host: `.type`, the message, and the host's `.traceback`."""

    def __init__(self, type_name: str, message: str, traceback: str = "") -> None:
        super().__init__(f"{type_name}: {message}\n{traceback}" if traceback else f"{type_name}: {message}")
        self.type = type_name
        self.message = message
        self.traceback = traceback


class HostGone(HostError):
    """The host ended, or does not answer; the message ends with the last lines of its console."""


class Host:
    """One running editor. Made by `Host.start`; see there for what can be chosen."""

    def __init__(self, data: str, settings: Dict[str, Any], python: str, environment: Dict[str, str], owns_data: bool):
        self.data = data
        self.python = python
        self.environment = environment
        self._settings = settings
        self._owns_data = owns_data
        self._next_id = 0
        self._answers: Dict[int, Dict[str, Any]] = {}
        self._ready: Dict[str, Any] = {}
        self.events: List[Dict[str, Any]] = []
        self.on_event: Optional[Callable[[Dict[str, Any]], None]] = None
        self._launch()

    # ---- starting and ending -----------------------------------------------------------------------

    @classmethod
    def start(
        cls,
        package: Optional[str] = "tree",
        folders: Sequence[str] = (),
        files: Sequence[str] = (),
        python: Optional[str] = None,
        data: Optional[str] = None,
        env: Optional[Mapping[str, Optional[str]]] = None,
        libraries: launch.Libraries = "environment",
        settings: Optional[Mapping[str, Mapping[str, Any]]] = None,
        packages: Sequence[str] = (),
    ) -> Host:
        """Starts an editor and returns when the package is loaded and the API is ready.

        package    "tree": this work tree; a `.sublime-package` file; a package folder; None
        packages   further packages, files or folders
        folders    the folders of the first window; `files` are opened in it
        python     the Python that runs the plugin host (default: this one)
        data       the data folder, kept; a second start with the same one restores the session
        env        more environment; None removes a variable. HOME and TMPDIR are always the host's own
                   unless they are given here
        libraries  "environment" (the Python's site-packages), "none", or a list of folders
        settings   user settings by name: {"Gemini Companion": {...}, "Preferences": {...}}
        Raises HostGone when the editor does not come up.
        """
        chosen = python or sys.executable
        owns_data = data is None
        folder = os.path.realpath(data) if data else os.path.realpath(tempfile.mkdtemp(prefix="sublime-host-"))
        prepared = launch.prepare_data(folder, package, libraries, chosen)
        for extra in packages:
            launch.install_package(folder, extra)
        launch.write_user_settings(folder, settings or {})
        prepared.update(
            python=chosen,
            folders=[os.path.realpath(path) for path in folders],
            files=[os.path.realpath(path) for path in files],
        )
        return cls(folder, prepared, chosen, launch.environment(folder, env), owns_data)

    def _launch(self) -> None:
        self._ready = {}
        self._lines: queue.Queue[Optional[bytes]] = queue.Queue()
        self._process = subprocess.Popen(
            launch.editor_command(self.python, self._settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=open(self._settings["console"], "ab"),  # noqa: SIM115 - the child's from here on
            env=self.environment,
            cwd=self.data,
        )
        threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()
        try:
            self._pump_until(lambda: bool(self._ready), START_SECONDS, "start")
        except HostError:
            self.kill()
            raise

    def quit(self) -> None:
        """Quits as a user would: `on_exit` is called, `plugin_unloaded` is not, the session is kept."""
        if self._process.poll() is None:
            self.call("host.quit", call_timeout=QUIT_SECONDS)
            self._wait_for_end(QUIT_SECONDS)

    def kill(self) -> None:
        """Kills the editor with no warning; returns when the plugin host has ended, too."""
        if self._process.poll() is None:
            self._process.kill()
        self._wait_for_end(QUIT_SECONDS)

    def restart(self) -> None:
        """Starts the editor again, after `quit` or `kill`, with the same data folder; folders come from the session."""
        self._settings = dict(self._settings, folders=[], files=[])
        self._launch()

    def close(self) -> None:
        """Ends everything that is left, and removes the data folder if it was a temporary one."""
        try:
            self.quit()
        except HostError:
            self.kill()
        finally:
            if self._owns_data:
                shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *exception: Any) -> None:
        if exception and exception[0] is not None:
            sys.stderr.write("---- the host's console ----\n" + self.console()[-6000:] + "\n")
        self.close()

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None and process.poll() is None:
            process.kill()

    @property
    def editor_pid(self) -> int:
        """What `os.getppid()` is inside a plugin."""
        return int(self._process.pid)

    @property
    def plugin_host_pid(self) -> int:
        return int(self._ready["plugin_host_pid"])

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    # ---- calls -------------------------------------------------------------------------------------

    def call(self, name: str, /, call_timeout: float = CALL_SECONDS, **arguments: Any) -> Any:
        """Runs one gesture (or `host.*` call) on the editor's main thread. Raises HostError with its error."""
        self._next_id += 1
        request_id = self._next_id
        line = json.dumps({"id": request_id, "call": name, "arguments": arguments}).encode("ascii") + b"\n"
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise HostGone("HostGone", f"{name}: the editor has ended", self.console()[-4000:]) from None
        self._pump_until(lambda: request_id in self._answers, call_timeout, name)
        answer = self._answers.pop(request_id)
        if "error" in answer:
            error = answer["error"]
            raise HostError(error["type"], error["message"], error["traceback"])
        return answer["result"]

    def evaluate(self, expression: str) -> Any:
        """The JSON value of a Python expression in the plugin host (`sublime`, `window`, `view` are there)."""
        return self.call("host.evaluate", expression=expression)

    def execute(self, code: str, result: Optional[str] = None) -> Any:
        """Runs Python statements in the plugin host; `result` names the variable to give back."""
        return self.call("host.execute", code=code, result=result)

    def wait_until(self, condition: Any, timeout: float = 10.0) -> Any:
        """Waits for an expression (a str, polled inside the host) or a callable (polled here) to be true.

        Returns the true value. Raises HostError of type TimeoutError after `timeout` seconds.
        """
        if isinstance(condition, str):
            return self.call("host.wait", call_timeout=timeout + CALL_SECONDS, expression=condition, timeout=timeout)
        deadline = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise HostError("TimeoutError", f"still not true after {timeout:g} s", self.console()[-2000:])
            self.pump(0.02)

    def snapshot(self) -> Any:
        """Everything a user would see now."""
        return self.call("snapshot")

    def disable_package(self, name: str = launch.PACKAGE) -> None:
        """Adds the package to `ignored_packages`: `plugin_unloaded` is called."""
        self.call("host.disable_package", name=name)

    def enable_package(self, name: str = launch.PACKAGE) -> None:
        """Takes the package out of `ignored_packages`: its plugins are loaded, `plugin_loaded` is called."""
        self.call("host.enable_package", name=name)

    def upgrade_package(self, package: str, name: str = launch.PACKAGE) -> None:
        """Upgrades as Package Control does: disable, replace the files, enable."""
        self.disable_package(name)
        launch.install_package(self.data, package, name)
        self.enable_package(name)

    def errors(self) -> List[Dict[str, Any]]:
        """Every error a plugin raised and nobody caught, and every bad declaration, oldest first."""
        return list(self.call("host.errors"))

    def clear_errors(self) -> None:
        self.call("host.clear_errors")

    def console(self) -> str:
        """The text of the editor's console so far (standard output and error of the plugin host)."""
        path = self._settings["console"]
        if not os.path.isfile(path):
            return ""
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            return file.read()

    def pump(self, seconds: float) -> None:
        """Takes in events for some time; for callers that poll something else."""
        try:
            self._take(self._lines.get(timeout=seconds))
        except queue.Empty:
            return

    # ---- the channel -------------------------------------------------------------------------------

    @staticmethod
    def _read(process: subprocess.Popen[bytes], lines: queue.Queue[Optional[bytes]]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def _take(self, line: Optional[bytes]) -> None:
        if line is None:
            self._process.wait()
            self._lines.put(None)  # for whoever asks next
            reason = f"the editor has ended with code {self._process.returncode}"
            raise HostGone("HostGone", reason, self.console()[-4000:])
        message = json.loads(line.decode("utf-8"))
        if "event" not in message:
            self._answers[message["id"]] = message
            return
        self.events.append(message)
        if message["event"] == "ready":
            self._ready = message
        if self.on_event is not None:
            self.on_event(message)

    def _pump_until(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            left = deadline - time.monotonic()
            if left <= 0:
                self._dump_threads()
                raise HostGone("HostGone", f"{what}: no answer within {seconds:g} s", self.console()[-6000:])
            try:
                self._take(self._lines.get(timeout=left))
            except queue.Empty:
                continue
            except HostGone:
                if done():
                    return
                raise

    def _wait_for_end(self, seconds: float) -> None:
        """Waits until both processes have ended; what does not end in time is killed."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self._take(self._lines.get(timeout=max(0.01, deadline - time.monotonic())))
            except HostGone:
                break
            except queue.Empty:
                self._process.kill()
        self._process.wait()
        plugin_host = self._ready.get("plugin_host_pid")
        while plugin_host and is_alive(plugin_host):
            if time.monotonic() > deadline:
                _kill_process(plugin_host)
            time.sleep(0.01)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue  # closing flushes; what could not be sent any more is of no interest

    def _dump_threads(self) -> None:
        """Asks the plugin host to write what its threads are doing into the console."""
        plugin_host = self._ready.get("plugin_host_pid")
        if plugin_host and hasattr(signal, "SIGUSR1"):
            try:
                os.kill(plugin_host, signal.SIGUSR1)
            except OSError:
                return
            time.sleep(0.3)


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


def _kill_process(pid: int) -> None:
    try:
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    except OSError:
        return
