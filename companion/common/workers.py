"""Worker threads, and the work on them.

Jobs are taken in order, and one that hangs neither stops the others nor keeps a process alive.

Theory of operation: a pool has a few threads. A thread whose job takes longer than `STUCK_SECONDS` (a file on a dead
network drive) is no longer counted: if jobs wait, another thread replaces it, up to a limit. When its job ends after
all, it exits if there are enough threads without it.

Rule: the threads are daemons. Python would wait for those of `ThreadPoolExecutor` when it exits.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from queue import Queue
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, Optional, Tuple, TypeVar

from .clock import clock

Item = TypeVar("Item")
Result = TypeVar("Result")
Later = Callable[[float, Callable[[], None]], object]  # seconds, function

STUCK_SECONDS = 1.0
NOTHING_TO_TELL = object()
"""What work on a worker thread returns to leave the main thread asleep."""
COMPUTING_THREADS = 2, 4  # a long comparison and another one behind it; with those that take long
ITEM_THREADS = 4  # of `together`
FEW_ITEMS = 16
DISK_THREADS = 4, 32  # each may hang on a dead drive


class WrongThreadError(RuntimeError):
    """Something was called on a thread to which it does not belong."""


class Computation:
    """Work under way on a worker thread.

    `cancel` may be called from any thread; from then on neither `then` nor `failed` is called, and the working
    function sees `cancelled()` become true.
    """

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._ended = threading.Event()
        self._delivery: Optional[Callable[[], Any]] = None  # set once, by `end`

    def cancel(self) -> None:
        """Ask the work to stop and drop its result. Any thread; returns at once."""
        self._cancelled.set()

    def cancelled(self) -> bool:
        """Whether the result is no longer wanted. Any thread."""
        return self._cancelled.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait until the work has ended, its result not being delivered yet. Any thread. False if it takes longer."""
        return self._ended.wait(seconds)

    def deliver(self) -> None:
        """Call `then` or `failed` now that the work has ended, if that was not done yet. Main thread."""
        delivery, self._delivery = self._delivery, None
        if delivery is not None and not self._cancelled.is_set():
            delivery()

    def end(self, delivery: Optional[Callable[[], Any]]) -> None:
        """Note that the work has ended, and what tells of its result. The worker thread, once."""
        self._delivery = delivery
        self._ended.set()


def together(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Tuple[Item, Result]]:
    """Call `function` with each of the items and yield both, in no certain order. Worker threads.

    Where they are many that is done on several threads: a disk brings what several of them wait for to its end at once.
    Raises what one of the calls raised; then no further one begins, and none is left under way.
    """
    waiting = deque(items)
    if len(waiting) < FEW_ITEMS:
        yield from ((item, function(item)) for item in waiting)
        return
    outcomes: Queue[Tuple[Item, Any, Optional[BaseException]]] = Queue()

    def run() -> None:
        with suppress(IndexError):
            while True:
                item = waiting.popleft()
                try:
                    outcomes.put((item, function(item), None))
                except BaseException as error:  # noqa: BLE001 - raised by the caller
                    outcomes.put((item, None, error))

    count = len(waiting)
    threads = [threading.Thread(target=run, name="gemini-companion-item", daemon=True) for _ in range(ITEM_THREADS)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(count):
            item, result, error = outcomes.get()
            if error is not None:
                raise error
            yield item, result
    finally:
        waiting.clear()
        for thread in threads:
            thread.join()


class Workers:
    """A pool of at most `size` threads, hanging ones apart, and of `most` in all. Any thread may call."""

    def __init__(self, name: str, size: int, most: int, later: Later) -> None:
        """`later` calls a function after so many seconds, on a thread that no job keeps busy."""
        self._name = name
        self._later = later
        self._size, self._most = size, most
        self._changed = threading.Condition()  # guards the fields below
        self._jobs: Deque[Callable[[], None]] = deque()
        self._begun: Dict[threading.Thread, float] = {}  # the busy threads, and since when each is
        self._idle = 0
        self._watched = False
        self._stopped = False

    def submit(self, job: Callable[[], None]) -> bool:
        """Let a thread call `job`, which must not raise. False after `stop`."""
        with self._changed:
            if self._stopped:
                return False
            self._jobs.append(job)
            self._provide()
            return True

    def stop(self) -> None:
        """Drop the waiting jobs, without waiting for those under way."""
        with self._changed:
            self._stopped = True
            self._jobs.clear()
            self._changed.notify_all()

    def _provide(self) -> None:
        """See that a thread takes the next job. Under the lock."""
        if len(self._jobs) <= self._idle:
            self._changed.notify()
            return
        stuck = self._stuck()
        if self._idle + len(self._begun) - stuck < self._size and len(self._begun) < self._most:
            thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._begun[thread] = clock.now()
            thread.start()
        elif not self._watched and len(self._begun) < self._most:
            self._watched = True
            self._later(STUCK_SECONDS, self._replace_stuck)

    def _stuck(self) -> int:
        limit = clock.now() - STUCK_SECONDS
        return sum(begun <= limit for begun in self._begun.values())

    def _replace_stuck(self) -> None:
        with self._changed:
            self._watched = False
            if self._jobs and not self._stopped:
                self._provide()

    def _run(self) -> None:
        this = threading.current_thread()
        while True:
            with self._changed:
                self._begun.pop(this, None)
                if self._idle + len(self._begun) - self._stuck() >= self._size:
                    return  # another one has taken this one's place
                self._idle += 1
                while not self._jobs and not self._stopped:
                    self._changed.wait()
                self._idle -= 1
                if self._stopped:
                    return
                job = self._jobs.popleft()
                self._begun[this] = clock.now()
                if self._jobs:
                    self._provide()
            job()
            del job  # free what it references before the next job comes
