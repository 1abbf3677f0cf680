"""Drives a headless editor from a test: start it, tell it what a user would do, read what a user would see.

    with Host.start(folders=[workspace]) as host:
        host.call("open_file", path=...)
        host.wait_until("view and not view.is_loading()")

Rules: every call answers or raises within its time; leaving the `with` block ends every process, whatever happened
inside, and raises AssertionError if something went wrong that nobody has cleared. One thread drives one host.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import launch
from .channel import Channel, HostError, HostGone, is_alive, kill_process, read_console
from .waiting import NEVER_SECONDS

__all__ = ["Host", "HostError", "HostGone", "is_alive", "kill_process"]

START_SECONDS = 60.0
QUIT_SECONDS = 60.0


class Host:
    """One running editor. Made by `Host.start`; see there for what can be chosen."""

    def __init__(self, data: str, settings: Dict[str, Any], python: str, environment: Dict[str, str], owns_data: bool):
        self.data = data
        self.python = python
        self.environment = environment
        self._settings = settings
        self._owns_data = owns_data
        self._channel = self._launch()

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
        try:
            return cls(folder, prepared, chosen, launch.environment(folder, env), owns_data)
        except BaseException:
            if owns_data:
                shutil.rmtree(folder, ignore_errors=True)
            raise

    def _launch(self) -> Channel:
        command = launch.editor_command(self.python, self._settings)
        channel = Channel(command, self.environment, self.data, self._settings["console"])
        try:
            channel.wait_ready(START_SECONDS)
        except BaseException:
            channel.process.kill()
            channel.wait_for_end(QUIT_SECONDS)
            raise
        return channel

    def quit(self) -> None:
        """Quits as a user would: `on_exit` is called, `plugin_unloaded` is not, the session is kept."""
        if self.running:
            self.call("host.quit", call_timeout=QUIT_SECONDS)
            self._channel.wait_for_end(QUIT_SECONDS)

    def kill(self) -> None:
        """Kills the editor with no warning; returns when the plugin host has ended, too."""
        if self.running:
            self._channel.process.kill()
        self._channel.wait_for_end(QUIT_SECONDS)

    def restart(self) -> None:
        """Starts the editor again, after `quit` or `kill`, with the same data folder; folders come from the session."""
        self._settings = dict(self._settings, folders=[], files=[])
        self._channel = self._launch()

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
        try:
            if exception and exception[0] is not None:
                sys.stderr.write("---- the host's console ----\n" + self.console_tail() + "\n")
            elif self.running:
                errors = [f"{error['where']}: {error['traceback'] or error['message']}" for error in self.errors()]
                if errors:
                    raise AssertionError("\n".join(errors))
        finally:
            self.close()

    def __del__(self) -> None:
        channel = getattr(self, "_channel", None)
        if channel is not None and channel.running:
            channel.process.kill()

    @property
    def editor_pid(self) -> int:
        """What `os.getppid()` is inside a plugin."""
        return int(self._channel.process.pid)

    @property
    def plugin_host_pid(self) -> int:
        return int(self._channel.ready["plugin_host_pid"])

    @property
    def running(self) -> bool:
        return self._channel.running

    @property
    def events(self) -> List[Dict[str, Any]]:
        """The events of this start so far, oldest first."""
        return self._channel.events

    def on_event(self, function: Optional[Callable[[Dict[str, Any]], None]]) -> None:
        """From now on each event is given to `function` while a call is waited for."""
        self._channel.on_event = function

    # ---- calls -------------------------------------------------------------------------------------

    def call(self, name: str, /, call_timeout: float = NEVER_SECONDS, **arguments: Any) -> Any:
        """Runs one gesture (or `host.*` call) on the editor's main thread. Raises HostError with its error."""
        return self._channel.request(name, arguments, call_timeout)

    def evaluate(self, expression: str) -> Any:
        """The JSON value of a Python expression in the plugin host (`sublime`, `window`, `view` are there)."""
        return self.call("host.evaluate", expression=expression)

    def execute(self, code: str, result: Optional[str] = None) -> Any:
        """Runs Python statements in the plugin host; `result` names the variable to give back."""
        return self.call("host.execute", code=code, result=result)

    def wait_until(self, condition: Any, timeout: float = NEVER_SECONDS) -> Any:
        """Waits for an expression (a str, polled inside the host) or a callable (polled here) to be true.

        Returns the true value. Raises HostError of type TimeoutError after `timeout` seconds.
        """
        if isinstance(condition, str):
            return self.call("host.wait", call_timeout=timeout + NEVER_SECONDS, expression=condition, timeout=timeout)
        deadline = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise HostError("TimeoutError", f"still not true after {timeout:g} s", self.console_tail())
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
        """Everything that went wrong, oldest first: where, type, message and traceback."""
        return list(self.call("host.errors"))

    def clear_errors(self) -> None:
        self.call("host.clear_errors")

    def console(self) -> str:
        """The text of the editor's console so far (standard output and error of the plugin host)."""
        return read_console(self._settings["console"])

    def console_tail(self) -> str:
        """The end of that text, as it is shown with an error."""
        return self._channel.console_tail()

    def pump(self, seconds: float) -> None:
        """Takes in events for some time; for callers that poll something else."""
        self._channel.pump(seconds)
