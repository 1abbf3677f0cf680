"""Calls to a process that speaks JSON lines: requests on its standard input, answers and events on its output.

Rule: a call is answered or raises within its time. What its end and its silence raise, subclasses say.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
import time
from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type

from .waiting import NEVER_SECONDS


class CallError(Exception):
    """A call failed inside the process: its `.type`, `.message` and `.traceback`."""

    def __init__(self, type_name: str, message: str, traceback: str = "") -> None:
        super().__init__(f"{type_name}: {message}\n{traceback}" if traceback else f"{type_name}: {message}")
        self.type = type_name
        self.message = message
        self.traceback = traceback


class Pending:
    """A call under way. `result()` waits for its answer."""

    def __init__(self, process: JsonLines, request_id: int, name: str) -> None:
        self._process = process
        self._id = request_id
        self._name = name

    def done(self) -> bool:
        self._process.pump(0)
        return self._id in self._process.answers

    def result(self, timeout: float = NEVER_SECONDS) -> Any:
        """The call's result. Raises what `JsonLines` does, with `timeout` in seconds."""
        self._process.pump_until(lambda: self._id in self._process.answers, timeout, self._name)
        answer = self._process.answers.pop(self._id)
        if "error" in answer:
            error = answer["error"]
            raise self._process.failed(error["type"], error["message"], error.get("traceback", ""))
        return answer["result"]


class JsonLines:
    """One process. One thread uses it."""

    #: What errors call the process, and what a call raises that failed inside it.
    called = "process"
    failed: Type[CallError] = CallError

    def __init__(self, command: Sequence[str], cwd: str, env: Mapping[str, str], errors: IO[bytes]) -> None:
        self.answers: Dict[int, Dict[str, Any]] = {}
        self.events: List[Dict[str, Any]] = []
        self.on_event: Optional[Callable[[Dict[str, Any]], None]] = None
        self._next_id = 0
        self._lines: queue.Queue[Optional[bytes]] = queue.Queue()
        self.process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=dict(env), cwd=cwd
        )
        threading.Thread(target=self._read, daemon=True).start()

    def gone(self, reason: str) -> CallError:
        """What is raised once the process has ended."""
        raise NotImplementedError

    def late(self, what: str, seconds: float) -> Exception:
        """What is raised if `what` was waited for in vain."""
        raise NotImplementedError

    def start_call(self, name: str, /, **arguments: Any) -> Pending:
        """Begins a call and returns at once. Raises what `gone` says."""
        self._next_id += 1
        line = json.dumps({"id": self._next_id, "call": name, "arguments": arguments}).encode("ascii") + b"\n"
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except (OSError, ValueError):
            raise self.gone(f"{name}: the {self.called} has ended") from None
        return Pending(self, self._next_id, name)

    def pump(self, seconds: float) -> None:
        """Takes in one line if one comes within the time. Raises what `gone` says."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return
        if line is None:
            self._lines.put(None)  # for whoever asks next
            raise self.gone(f"the {self.called} has ended with code {self.process.wait()}")
        message = json.loads(line.decode("utf-8"))
        if "event" not in message:
            self.answers[message["id"]] = message
            return
        self.events.append(message)
        if self.on_event is not None:
            self.on_event(message)

    def pump_until(self, done: Callable[[], Any], seconds: float, what: str) -> None:
        """Takes in lines until `done()`. Raises what `late` and `gone` say."""
        deadline = time.monotonic() + seconds
        while not done():
            left = deadline - time.monotonic()
            if left <= 0:
                raise self.late(what, seconds)
            self.pump(left)

    def end_input(self) -> None:
        """Closes its standard input, by which it is told to end."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # closing flushes; what could not be sent any more is of no interest
            self.process.stdin.close()

    def release(self) -> None:
        """Waits for its end and closes both streams."""
        self.end_input()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):  # closed by us
            for line in self.process.stdout:
                self._lines.put(line)
        self._lines.put(None)
