"""The editor's two threads: the main loop with its timers, and the one worker of the `_async` calls.

Rule kept here: every callback runs to its end on its own thread; one that raises is printed, recorded in `errors`, and
never stops a thread.
"""

from __future__ import annotations

import collections
import heapq
import itertools
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, Deque, Optional

from . import errors


class _Queue:
    """Timed callbacks in the order of their due time, then of their arrival."""

    def __init__(self):
        self.condition = threading.Condition()
        self.items: list = []
        self.running = 0

    def put(self, due: float, number: int, function: Callable[[], Any], hidden: bool) -> None:
        with self.condition:
            heapq.heappush(self.items, (due, number, function, hidden))
            self.condition.notify_all()

    def take(self, deadline: Optional[float]) -> Optional[Callable[[], Any]]:
        """Wait for a callback that is due; None when the deadline (a monotonic time) passes first."""
        with self.condition:
            while True:
                now = time.monotonic()
                if self.items and self.items[0][0] <= now:
                    self.running += 1
                    return heapq.heappop(self.items)[2]
                limits = [item[0] for item in self.items[:1]]
                if deadline is not None:
                    if now >= deadline:
                        return None
                    limits.append(deadline)
                self.condition.wait(max(0.0, min(limits) - now) if limits else None)

    def done(self) -> None:
        with self.condition:
            self.running -= 1
            self.condition.notify_all()

    def busy(self) -> bool:
        """Whether something runs or is due; callbacks of the host itself (`hidden`) do not count."""
        now = time.monotonic()
        with self.condition:
            return bool(self.running) or any(item[0] <= now and not item[3] for item in self.items)


class Scheduler:
    """Main queue and worker queue. The thread that calls `run_main` (or made the object) is the main thread."""

    def __init__(self):
        self._main = _Queue()
        self._async = _Queue()
        self._numbers = itertools.count()
        self._left: Deque[Callable[[], Any]] = collections.deque()
        self._main_thread = threading.get_ident()
        self._worker: Optional[threading.Thread] = None
        self._start = threading.Lock()
        self._stopped = False

    # -- the loops -------------------------------------------------------------------------------
    def run_main(self) -> None:
        """Run the main loop on the calling thread until `stop`."""
        self._main_thread = threading.get_ident()
        while not self._stopped:
            self._step(self._main, None)

    def pump_until(self, condition: Callable[[], Any], timeout: float = 5.0) -> None:
        """Run the main loop until `condition()` is true, for tests that have none running. Raises TimeoutError."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("the condition did not come true within %s s" % timeout)
            self._step(self._main, time.monotonic() + 0.01)

    def stop(self) -> None:
        """End both loops after what runs now; queued callbacks are dropped. Any thread."""
        self._stopped = True
        for queue in (self._main, self._async):
            queue.put(0.0, next(self._numbers), _nothing, True)

    def _step(self, queue: _Queue, deadline: Optional[float]) -> bool:
        function = queue.take(deadline)
        if queue is self._main:
            while self._left:
                self.call(self._left.popleft())
        if function is None:
            return False
        try:
            if not self._stopped:
                self.call(function)
        finally:
            queue.done()
        return True

    def _run_worker(self) -> None:
        while not self._stopped:
            self._step(self._async, None)

    # -- scheduling ------------------------------------------------------------------------------
    def set_timeout(self, function: Callable[[], Any], delay: float = 0, hidden: bool = False) -> None:
        """Queue `function` on the main thread after `delay` milliseconds. Any thread."""
        self._main.put(time.monotonic() + max(0.0, delay / 1000.0), next(self._numbers), function, hidden)

    def set_timeout_async(self, function: Callable[[], Any], delay: float = 0) -> None:
        """Queue `function` on the worker thread after `delay` milliseconds. Any thread."""
        with self._start:
            if self._worker is None and not self._stopped:
                self._worker = threading.Thread(target=self._run_worker, name="async worker", daemon=True)
                self._worker.start()
        self._async.put(time.monotonic() + max(0.0, delay / 1000.0), next(self._numbers), function, False)

    def leave(self, function: Callable[[], Any]) -> None:
        """Have `function` called on the main thread before whatever runs there next. Any thread, under any lock.

        For what garbage has to do: it is collected anywhere, and to wait for a lock there could be for ever.
        """
        self._left.append(function)

    def call_on_main(self, function: Callable[[], Any]) -> Any:
        """Run `function` on the main thread and give back its result or exception. Any thread; blocks the caller."""
        if self.on_main_thread():
            return function()
        future: Future = Future()

        def run() -> None:
            try:
                future.set_result(function())
            except BaseException as error:  # handed to the caller, who decides
                future.set_exception(error)

        self._main.put(0.0, next(self._numbers), run, True)
        while True:
            try:
                return future.result(0.25)
            except FutureTimeout:
                if future.done():  # it is the function's own
                    raise
                if self._stopped:
                    raise RuntimeError("the main loop has stopped") from None

    # -- state -----------------------------------------------------------------------------------
    def on_main_thread(self) -> bool:
        return threading.get_ident() == self._main_thread

    def is_idle(self) -> bool:
        """Whether nothing is queued and due, nor running, on either thread (the caller's own callback aside)."""
        if self._left or self._async.busy():
            return False
        if self.on_main_thread():
            with self._main.condition:
                now = time.monotonic()
                return not any(item[0] <= now and not item[3] for item in self._main.items)
        return not self._main.busy()

    def call(self, function: Callable, *args: Any) -> Any:
        """Call a plugin's function; an exception is printed and recorded, and None is returned."""
        try:
            return function(*args)
        except Exception as error:
            errors.record("plugin", error)
            return None


def _nothing() -> None:
    """Wakes a loop so that it can see that it has been stopped."""
