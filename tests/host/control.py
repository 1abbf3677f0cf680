"""The plugin host's end of the control channel: requests in, answers out, all on the main thread.

A call named `host.<name>` is answered by `HostCalls` below; every other name is a gesture, a plain
function of `gestures.py` with JSON arguments and a JSON result.
Rule: a request always gets exactly one answer, an error at worst; only `host.quit` ends the process.
"""

from __future__ import annotations

import json
import os
import threading
import time
import traceback
from typing import Any, BinaryIO, Callable, Dict, Optional

from . import errors

Reply = Callable[[Any], None]
POLL_MILLISECONDS = 10


class Later:
    """Returned by a call that answers later: calls `start(reply, fail)` and leaves the rest to it."""

    def __init__(self, start: Callable[[Reply, Callable[[BaseException], None]], None]) -> None:
        self.start = start


class Control:
    """Reads requests on a thread of its own, runs them on the main thread, writes the answers."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO, post: Callable[[Callable[[], None]], None]) -> None:
        self._requests = requests
        self._answers = answers
        self._post = post
        self._lock = threading.Lock()

    def start(self, find: Callable[[str], Callable[..., Any]]) -> None:
        """Begins to serve; `find` maps a call's name to a function, or raises LookupError."""
        threading.Thread(target=self._read, args=(find,), name="host control", daemon=True).start()

    def event(self, name: str, **details: Any) -> None:
        """Sends an event. Any thread."""
        self._write(dict(details, event=name))

    def _read(self, find: Callable[[str], Callable[..., Any]]) -> None:
        for line in self._requests:
            self._post(lambda line=line: self._serve(line, find))  # type: ignore[misc]
        os._exit(1)  # the editor has been killed: no plugin hears of it

    def _serve(self, line: bytes, find: Callable[[str], Callable[..., Any]]) -> None:
        request_id: Any = None
        try:
            request = json.loads(line.decode("utf-8"))
            request_id = request.get("id")
            result = find(request["call"])(**request.get("arguments", {}))
            if isinstance(result, Later):
                result.start(
                    lambda value: self._succeed(request_id, value), lambda error: self._fail(request_id, error)
                )
            else:
                self._succeed(request_id, result)
        except Exception as error:
            self._fail(request_id, error)

    def _succeed(self, request_id: Any, value: Any) -> None:
        try:
            self._write({"id": request_id, "result": value})
        except (TypeError, ValueError) as error:
            self._fail(request_id, TypeError(f"the result is not JSON: {error}"))

    def _fail(self, request_id: Any, error: BaseException) -> None:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        details = {"type": type(error).__name__, "message": str(error), "traceback": text}
        self._write({"id": request_id, "error": details})

    def _write(self, message: Dict[str, Any]) -> None:
        data = json.dumps(message, allow_nan=False).encode("ascii") + b"\n"
        with self._lock:
            try:
                self._answers.write(data)
                self._answers.flush()
            except OSError:
                os._exit(1)  # the editor has been killed


class HostCalls:
    """The `host.*` calls. `plugin_host` is the running PluginHost; methods run on the main thread."""

    def __init__(self, plugin_host: Any) -> None:
        self._host = plugin_host
        self._namespace: Dict[str, Any] = dict(plugin_host.namespace)

    def evaluate(self, expression: str) -> Any:
        """The value of a Python expression; it sees `sublime`, `window`, `view` and what `execute` defined."""
        return eval(compile(expression, "<expression>", "eval"), self._fresh())  # noqa: S307 - a test's own code

    def execute(self, code: str, result: Optional[str] = None) -> Any:
        """Runs Python statements; names they define stay for later calls. `result` names what to give back."""
        namespace = self._fresh()
        exec(compile(code, "<code>", "exec"), namespace)
        return namespace[result] if result else None

    def wait(self, expression: str, timeout: float = 10.0) -> Later:
        """Answers with the expression's value as soon as it is true; a TimeoutError after `timeout` seconds."""
        code = compile(expression, "<expression>", "eval")
        deadline = time.monotonic() + timeout

        def start(reply: Reply, fail: Callable[[BaseException], None]) -> None:
            def look() -> None:
                try:
                    value = eval(code, self._fresh())  # noqa: S307 - a test's own code
                except Exception as error:
                    fail(error)
                    return
                if value:
                    reply(value if isinstance(value, (str, int, float, list, dict)) else True)
                elif time.monotonic() > deadline:
                    fail(TimeoutError(f"still not true after {timeout:g} s: {expression}"))
                else:
                    self._host.post_later(POLL_MILLISECONDS, look)

            look()

        return Later(start)

    def disable_package(self, name: str) -> None:
        self._host.packages.disable(name)

    def enable_package(self, name: str) -> None:
        self._host.packages.enable(name)
        self._host.model.check_disk()  # else its settings are read later, in place of what was set meanwhile

    def loaded_plugins(self) -> Any:
        return self._host.packages.loaded()

    def errors(self) -> Any:
        return errors.recorded()

    def clear_errors(self) -> None:
        errors.clear()

    def run_tests(self, **options: Any) -> Any:
        """Runs in-editor tests, see `unittesting/runner.py`; answers with the counts when they are over."""
        return Later(lambda reply, fail: self._host.run_tests(options, reply, fail))

    def quit(self) -> None:
        """Quits as a user would: the session is kept, `on_exit` is called, the process ends."""
        self._host.quit()

    def _fresh(self) -> Dict[str, Any]:
        window = self._namespace["sublime"].active_window()
        self._namespace.update(window=window, view=window.active_view() if window else None)
        return self._namespace
