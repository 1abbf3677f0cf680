"""Runs a client program that speaks JSON lines (see `json_lines.mjs`), and talks to it.

Rule: the program ends with the `with` block, or with this process: the end of its standard input ends it.
"""

from __future__ import annotations

import subprocess
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Sequence, TypeVar

from tests.host.json_lines import CallError, JsonLines
from tests.host.waiting import NEVER_SECONDS

_Program = TypeVar("_Program", bound="Program")


class ClientError(CallError):
    """A call failed inside the client program, or the program has ended."""


class Program(JsonLines):
    """One running client program. One thread uses it."""

    called = "client"
    failed = ClientError

    def __init__(self, command: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the program has ended
        super().__init__(command, cwd, env, self._errors)
        try:
            self.wait_event("ready")
        except BaseException:
            self.kill()
            raise

    def call(self, name: str, /, call_timeout: float = NEVER_SECONDS, **arguments: Any) -> Any:
        """Makes a call and waits for its result. Raises ClientError with its error, or TimeoutError."""
        return self.start_call(name, **arguments).result(call_timeout)

    def wait_event(
        self, name: str, matches: Callable[[Dict[str, Any]], Any] = lambda event: True, timeout: float = NEVER_SECONDS
    ) -> Dict[str, Any]:
        """Takes out and returns the next event of this name for which `matches` is true; earlier ones stay."""
        found: List[Dict[str, Any]] = []

        def look() -> bool:
            found[:] = [event for event in self.events if event["event"] == name and matches(event)][:1]
            return bool(found)

        self.pump_until(look, timeout, f"event {name}")
        self.events.remove(found[0])
        return found[0]

    def gone(self, reason: str) -> ClientError:
        return ClientError("ClientGone", reason, self.error_text())

    def late(self, what: str, seconds: float) -> TimeoutError:
        recent = self.events[-5:]
        return TimeoutError(f"{what}: nothing after {seconds:g} s; last events {recent}; errors:\n{self.error_text()}")

    def error_text(self) -> str:
        """The end of what the program wrote to standard error."""
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        return self._errors.read()[-4000:].decode("utf-8", "replace")

    def close(self) -> None:
        """Ends the program as closing a terminal window does: its input ends."""
        self.end_input()
        try:
            self.process.wait(NEVER_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.release()

    def kill(self) -> None:
        """Kills the program: no goodbye to the editor."""
        self.process.kill()
        self.release()

    def release(self) -> None:
        super().release()
        self._errors.close()

    def __enter__(self: _Program) -> _Program:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
