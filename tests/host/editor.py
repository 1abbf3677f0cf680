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

import json
import signal
import subprocess
import sys
import threading
from typing import Any, BinaryIO, Dict

from . import launch

QUIT_SECONDS = 30.0


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

    def run(self) -> int:
        """Relays until the plugin host has exited. Returns the exit code for the process."""
        signal.signal(signal.SIGINT, lambda number, frame: None)  # Ctrl-C is for the driver, which ends us or its pipe
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
                self._send(line)
                if b'"host.quit"' in line:
                    self._end_within(QUIT_SECONDS)
        self._send(b'{"id": null, "call": "host.quit"}\n')  # the driver has exited or closed its pipe
        self._end_within(QUIT_SECONDS)

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
