"""Debounce, coalesce, serialise, take turns: four ways to handle calls that come often.

`Debounce` is for bursts of events, of which only the end counts. `Latest` is for questions of which only the newest
counts, such as what a file holds now. `InOrder` is for orders, of which each counts and none may overtake another.
`Turns` is for calls to a thread that has other things to do as well.

Rule: one question, one order of a key, or one call is under way at a time. So a disk that hangs is not asked a second
time and holds up no other caller, and a flood of calls leaves the other thread its turns.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Callable, Deque, Dict, Optional

from .clock import clock

Schedule = Callable[[int, Callable[[], None]], None]  # milliseconds, function

# A timer may fire this much early by its own rounding, in seconds.
_TOLERANCE = 0.002


class Debounce:
    """Calls `act` `quiet` milliseconds after the last `mark`, at the latest `longest` after the first.

    One thread only. `mark` is called for every caret movement of the user, so it does next to nothing: it notes the
    time, and sets a timer only if none is running.
    """

    __slots__ = ("_act", "_first", "_last", "_longest", "_quiet", "_schedule", "_ticking")

    def __init__(
        self,
        schedule: Schedule,
        act: Callable[[], None],
        quiet: int = 50,
        longest: int = 200,
    ) -> None:
        self._schedule = schedule
        self._act = act
        self._quiet = quiet / 1000.0
        self._longest = longest / 1000.0
        self._first: Optional[float] = None  # of the burst under way, if there is one
        self._last = 0.0
        self._ticking = False

    def mark(self) -> None:
        """Something happened."""
        self._last = now = clock.now()
        if self._first is None:
            self._first = now
            if not self._ticking:
                self._ticking = True
                self._schedule(int(self._quiet * 1000), self._tick)

    @property
    def pending(self) -> bool:
        """Whether a burst is under way."""
        return self._first is not None

    def cancel(self) -> None:
        """Forget the burst under way."""
        self._first = None

    def _tick(self) -> None:
        self._ticking = False
        if self._first is None:
            return
        now = clock.now()
        due = min(self._last + self._quiet, self._first + self._longest)
        if now + _TOLERANCE >= due:
            self._first = None
            self._act()
            return
        self._ticking = True
        self._schedule(max(1, int((due - now) * 1000 + 0.5)), self._tick)


class Latest:
    """One question, asked whenever something may have changed. Any thread.

    `ask` begins it; the code that gets the answer calls `answered`.
    """

    def __init__(self, begin: Callable[[], object]) -> None:
        """`begin` has the question answered later, on any thread."""
        self._begin = begin
        self._lock = threading.Lock()  # guards what follows; never held over a call out of this class
        self._under_way = False
        self._once_more = False

    @property
    def under_way(self) -> bool:
        """Whether a question has no answer yet."""
        return self._under_way

    def ask(self) -> None:
        """Ask now, or once more as soon as the question that is under way has its answer."""
        with self._lock:
            self._once_more = self._under_way
            if self._under_way:
                return
            self._under_way = True
        self._begin()

    def answered(self) -> bool:
        """Note that the answer has come, or that none will. True if it is the newest; otherwise ask once more."""
        with self._lock:
            is_newest, self._once_more = not self._once_more, False
            self._under_way = not is_newest
        if not is_newest:
            self._begin()
        return is_newest


class _Queue:
    """The orders of one key that wait."""

    __slots__ = ("orders", "turn")

    def __init__(self) -> None:
        self.orders: Deque[Callable[[], object]] = deque()
        self.turn = threading.Lock()  # held over an order


class InOrder:
    """Orders that are carried out in the order in which they were given, as far as they have the same key."""

    def __init__(
        self, hand_over: Callable[[Callable[[], None]], object], failed: Callable[[Exception], object]
    ) -> None:
        """`hand_over` has a function called on a worker thread; `failed` hears there what an order raised."""
        self._hand_over = hand_over
        self._failed = failed
        self._lock = threading.Lock()  # guards what follows; never held over an order
        self._queues: Dict[str, _Queue] = {}  # those that a worker thread is at, or will be

    def add(self, order: Callable[[], object], key: str = "") -> None:
        """Carry this out after what was added before with the same key. Any thread; returns at once."""
        with self._lock:
            queue = self._queues.get(key)
            if queue is not None:
                queue.orders.append(order)
                return
            queue = self._queues[key] = _Queue()
            queue.orders.append(order)
        self._hand_over(lambda: self.catch_up(key))

    def catch_up(self, key: str = "") -> None:
        """Carry out what waits, on this worker thread; all that was added before is done when this returns."""
        with self._lock:
            queue = self._queues.get(key)
        if queue is None:
            return
        with queue.turn:
            while True:
                with self._lock:
                    if not queue.orders:
                        if self._queues.get(key) is queue:
                            del self._queues[key]
                        return
                    order = queue.orders.popleft()
                try:
                    order()
                except Exception as error:  # noqa: BLE001 - those that follow are carried out all the same
                    self._failed(error)


class Turns:
    """Calls to another thread, each handed over when the one before is over and not sooner: between two of them that
    thread can do everything else. Loop thread. `to_other` has a call made on the other thread, `to_this` on
    the loop thread."""

    def __init__(
        self, to_other: Callable[[Callable[[], None]], None], to_this: Callable[[Callable[[], None]], None]
    ) -> None:
        self._to_other = to_other
        self._to_this = to_this
        self._waiting: Deque[Callable[[], None]] = deque()

    def add(self, call: Callable[[], None]) -> None:
        """Make this call, which raises nothing, after those that were added before."""
        self._waiting.append(call)
        if len(self._waiting) == 1:
            self._to_other(self._take)

    def _take(self) -> None:
        """The other thread."""
        self._waiting[0]()
        self._to_this(self._over)

    def _over(self) -> None:
        self._waiting.popleft()
        if self._waiting:
            self._to_other(self._take)
