"""The editor process: parent of the plugin host, and the end of the control channel.

Control channel: JSON lines, requests in on standard input, answers and events out on standard output.
  {"id": 1, "call": "open_file", "arguments": {...}}    ->  {"id": 1, "result": ...}
                                                        or  {"id": 1, "error": {type, message, traceback}}
  {"event": "ready", "editor_pid": ..., "plugin_host_pid": ...}, {"event": "exited", "code": ...}, ...
`host.quit` ends the editor as a user would; the end of standard input does the same.
Rules: this process runs no plugin code. If it is killed, the plugin host sees its pipe break and
ends at once without a word to the plugins, as in a crash of the real editor.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from typing import Any, BinaryIO, Dict, List, Optional

from . import launch

QUIT_SECONDS = 10.0


class Editor:
    """Starts the plugin host and relays lines between it and the driver."""

    def __init__(self, settings: Dict[str, Any], requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests = requests
        self._answers = answers
        self._write_lock = threading.Lock()
        self._child = subprocess.Popen(
            launch.plugin_host_command(settings.get("python") or sys.executable, settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._quitting = False

    def run(self) -> int:
        """Relays until the plugin host has exited. Returns the exit code for the process."""
        signal.signal(signal.SIGINT, self._interrupted)
        threading.Thread(target=self._relay_requests, name="requests", daemon=True).start()
        assert self._child.stdout is not None
        for line in self._child.stdout:
            self._answer(line)
        code = self._child.wait()
        self._answer((json.dumps({"event": "exited", "code": code}) + "\n").encode())
        return 0 if code == 0 else 1

    def _relay_requests(self) -> None:
        for line in self._requests:
            if line.strip():
                self._quitting = self._quitting or b'"host.quit"' in line
                self._send(line if line.endswith(b"\n") else line + b"\n")
                if self._quitting:
                    self._end_within(QUIT_SECONDS)
        self._quit()  # the driver has exited or closed its pipe

    def _quit(self) -> None:
        """Quits in the ordinary way, without a request."""
        self._quitting = True
        self._send(b'{"id": null, "call": "host.quit"}\n')
        self._end_within(QUIT_SECONDS)

    def _interrupted(self, number: int, frame: Any) -> None:
        """Ctrl-C in the terminal that started us ends the editor as its user would."""
        threading.Thread(target=self._quit, name="interrupted", daemon=True).start()

    def _send(self, line: bytes) -> None:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(line)
            self._child.stdin.flush()
        except OSError:
            return  # the plugin host has ended; `run` is about to notice and say so

    def _end_within(self, seconds: float) -> None:
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._answer(b'{"event": "hung", "message": "the plugin host did not end; it was killed"}\n')
            self._child.kill()

    def _answer(self, line: bytes) -> None:
        with self._write_lock:
            try:
                self._answers.write(line)
                self._answers.flush()
            except OSError:
                return  # the driver has exited; the end of standard input ends this process


def run(settings: Dict[str, Any]) -> int:
    """Entry point of the editor process, see `start.py`."""
    return Editor(settings, sys.stdin.buffer, sys.stdout.buffer).run()


def main(arguments: Optional[List[str]] = None) -> int:
    """The command line: prepares the folders, then becomes the editor process."""
    parser = argparse.ArgumentParser(prog="python -m tests.host", description="A headless Sublime Text for tests.")
    parser.add_argument("--folder", action="append", default=[], help="open this folder in the first window")
    parser.add_argument("--file", action="append", default=[], help="open this file")
    parser.add_argument("--package", default="tree", help="'tree', a .sublime-package file, a folder, or 'none'")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs the plugin host")
    parser.add_argument("--libraries", action="append", default=[], help="'environment', 'none', or a folder")
    parser.add_argument("--data", help="the data folder; kept. Without it a temporary one is used")
    parser.add_argument("--real-home", action="store_true", help="keep HOME and the temp folder of this terminal")
    options = parser.parse_args(arguments)

    data = os.path.abspath(options.data) if options.data else tempfile.mkdtemp(prefix="sublime-host-")
    libraries: launch.Libraries = options.libraries or "environment"
    if options.libraries in (["environment"], ["none"]):
        libraries = options.libraries[0]
    package = None if options.package == "none" else options.package
    settings = launch.prepare_data(data, package, libraries, options.python)
    settings.update(
        python=options.python,
        folders=[os.path.abspath(folder) for folder in options.folder],
        files=[os.path.abspath(file) for file in options.file],
    )
    keep = {name: os.environ.get(name) for name in ("HOME", "TMPDIR", "TMP", "TEMP", "USERPROFILE")}
    environment = launch.environment(data, keep if options.real_home else None)
    print(f"data folder: {data}\nconsole: {settings['console']}", file=sys.stderr, flush=True)
    # A child, not a replacement: that works the same on every platform, and pipes pass through.
    editor = subprocess.Popen(launch.editor_command(options.python, settings), env=environment)
    while True:
        try:
            return editor.wait()
        except KeyboardInterrupt:
            continue  # the editor got it, too, and is quitting
