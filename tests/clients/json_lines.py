"""Runs a client program that speaks JSON lines (see `json_lines.mjs`), and talks to it.

Rule: the program ends with the `with` block, or with this process: the end of its standard input ends it.
"""

from __future__ import annotations

import collections
import json
import queue
import subprocess
import tempfile
import threading
import time
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence, TypeVar

_Program = TypeVar("_Program", bound="Program")


class ClientError(Exception):
    """A call failed inside the client program: its `.type`, `.message` and traceback."""

    def __init__(self, type_name: str, message: str, traceback: str = "") -> None:
        super().__init__(f"{type_name}: {message}\n{traceback}")
        self.type = type_name
        self.message = message


class Pending:
    """A call under way. `result()` waits for its answer."""

    def __init__(self, program: Program, request_id: int, name: str) -> None:
        self._program = program
        self._id = request_id
        self._name = name

    def done(self) -> bool:
        self._program.pump(0)
        return self._id in self._program.answers

    def result(self, timeout: float = 30.0) -> Any:
        """The call's result. Raises ClientError with its error, or TimeoutError after `timeout` seconds."""
        self._program.pump_until(lambda: self._id in self._program.answers, timeout, self._name)
        answer = self._program.answers.pop(self._id)
        if "error" in answer:
            error = answer["error"]
            raise ClientError(error["type"], error["message"], error.get("traceback", ""))
        return answer["result"]


class Program:
    """One running client program. One thread uses it."""

    def __init__(self, command: Sequence[str], cwd: str, env: Mapping[str, str], start_timeout: float = 60.0) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the program has ended
        self._process = subprocess.Popen(
            list(command), cwd=cwd, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        self._lines: queue.Queue[Optional[bytes]] = queue.Queue()
        self.answers: Dict[int, Dict[str, Any]] = {}
        self.events: Deque[Dict[str, Any]] = collections.deque()
        self.on_event: Optional[Callable[[Dict[str, Any]], None]] = None
        self._next_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.wait_event("ready", timeout=start_timeout)
        except BaseException:
            self.kill()
            raise

    def start_call(self, name: str, /, **arguments: Any) -> Pending:
        """Begins a call and returns at once."""
        self._next_id += 1
        line = json.dumps({"id": self._next_id, "call": name, "arguments": arguments}) + "\n"
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode("ascii"))
        self._process.stdin.flush()
        return Pending(self, self._next_id, name)

    def call(self, name: str, /, call_timeout: float = 30.0, **arguments: Any) -> Any:
        """Makes a call and waits for its result."""
        return self.start_call(name, **arguments).result(call_timeout)

    def wait_event(
        self, name: str, matches: Callable[[Dict[str, Any]], Any] = lambda event: True, timeout: float = 30.0
    ) -> Dict[str, Any]:
        """Takes out and returns the next event of this name for which `matches` is true; earlier ones stay."""
        found: List[Dict[str, Any]] = []

        def look() -> bool:
            for event in self.events:
                if event["event"] == name and matches(event):
                    self.events.remove(event)
                    found.append(event)
                    return True
            return False

        self.pump_until(look, timeout, f"event {name}")
        return found[0]

    def pump_until(self, done: Callable[[], bool], timeout: float, what: str) -> None:
        deadline = time.monotonic() + timeout
        while not done():
            left = deadline - time.monotonic()
            if left <= 0:
                recent = list(self.events)[-5:]
                message = f"{what}: nothing after {timeout:g} s; last events {recent}; errors:\n{self.error_text()}"
                raise TimeoutError(message)
            self.pump(left)

    def pump(self, seconds: float) -> None:
        """Takes in one line if one comes within the time."""
        try:
            line = self._lines.get(timeout=seconds) if seconds > 0 else self._lines.get_nowait()
        except queue.Empty:
            return
        if line is None:
            self._lines.put(None)
            raise ClientError("ClientGone", f"the client ended with code {self._process.wait()}", self.error_text())
        message = json.loads(line.decode("utf-8"))
        if "event" in message:
            self.events.append(message)
            if self.on_event is not None:
                self.on_event(message)
        else:
            self.answers[message["id"]] = message

    def error_text(self) -> str:
        """The end of what the program wrote to standard error."""
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        return self._errors.read()[-4000:].decode("utf-8", "replace")

    def close(self) -> None:
        """Ends the program as closing a terminal window does: its input ends."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            try:
                self._process.stdin.close()
            except OSError:
                pass  # it has gone already; closing flushes what nobody reads any more
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self._release()

    def kill(self) -> None:
        """Kills the program: no goodbye to the editor."""
        self._process.kill()
        self._process.wait()
        self._release()

    def _release(self) -> None:
        for stream in (self._process.stdout, self._errors):
            if stream is not None:
                stream.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._lines.put(line)
        except ValueError:
            return  # closed by us
        self._lines.put(None)

    def __enter__(self: _Program) -> _Program:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
