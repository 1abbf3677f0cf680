"""Threads: the one home for work that moves from one to another.

Four kinds of thread take part. The editor's *main thread* owns every view and is never made to wait. The *loop thread*
runs asyncio, and all network traffic with it. *Computing threads* do what takes the processor: comparisons. *Disk
threads* do what may hang: file access. Code that belongs to one thread says so with `assert_main_thread` or
`assert_loop_thread` where it is entered. No module but this one, its pools (`workers`) and `startup` starts a thread,
calls `sublime.set_timeout` or touches an event loop from outside.

Timers go by the package's clock (`common/clock.py`): those of the main thread, and everything that waits on the loop
(`call_later`, `asyncio.sleep`, `asyncio.wait_for`), whose time is that of the clock.

Rule: after `stop` nothing that was handed over runs any more, so that a replaced package never acts on the editor
again. No failure ends the loop thread before.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import threading
from collections import deque
from concurrent.futures import Future
from functools import partial
from typing import Any, Awaitable, Callable, Deque, Dict, List, NamedTuple, Optional, Tuple, TypeVar

import sublime

from .common.clock import clock
from .common.waiting import Turns
from .common.workers import COMPUTING_THREADS, DISK_THREADS, NOTHING_TO_TELL, Computation, Workers, WrongThreadError

Result = TypeVar("Result")


def _wake() -> None:
    """Do nothing: that something runs has the loop look at its timers."""


def settle(answer: asyncio.Future[Result], result: Result) -> None:
    """Answer what is awaited: only the first result counts, and none once it was given up. Loop thread."""
    if not answer.done():
        answer.set_result(result)


logger = logging.getLogger("gemini_companion.runtime")

# Pauses before a failed event loop is resumed; they grow as long as it does no work in between.
RESUME_SECONDS = (0.0, 0.1, 0.3, 1.0, 5.0, 30.0)
FAILURES_TO_REPORT = 3
CANNOT_GO_ON = "the event loop, without which no agent is answered (restart the editor if this stays so)"


class _Timer(NamedTuple):
    """A call for the main thread, and when it is due by the clock. The number keeps the order of calls that are due at
    one time."""

    due: float
    number: int
    run: Callable[[], None]


class Runtime:
    """Owns the asyncio loop thread, the computing threads and the disk threads.

    `report` gets every exception that was not handled ("worker", "task" …, exception), on the thread where
    it happened.
    """

    def __init__(self, report: Callable[[str, BaseException], None]) -> None:
        self._report = report
        self._lock = threading.Lock()  # guards the fields below; never held over a call out of this class
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._thread: Optional[threading.Thread] = None
        self._waiting: Deque[Tuple[Callable[..., Any], Tuple[Any, ...]]] = deque()
        self._turns = Turns(self.on_main, self.on_loop)  # the loop thread's
        self._main_thread = 0  # the number of the thread on which the editor calls back, 0 before it has
        self._loop_thread = 0
        self._computing = Workers("gemini-companion-computing", *COMPUTING_THREADS, self.later_on_loop)
        self._disk = Workers("gemini-companion-disk", *DISK_THREADS, self.later_on_loop)
        self._timers: Dict[int, _Timer] = {}  # of the main thread, by number
        self._numbers = itertools.count()
        self._editor_gone = False
        self._last_task: Optional[asyncio.Future[None]] = None  # the loop itself refers to tasks only weakly
        self._stopping = threading.Event()
        clock.listen(self._clock_moved)

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the loop thread. Main thread; returns at once, work handed over meanwhile waits for the loop."""
        self._thread = threading.Thread(target=self._run_loop, name="gemini-companion-loop", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 2.0) -> None:
        """Cancel every task, end the loop thread and drop what is still waiting.

        Main thread, or any other once the editor has ended. Waits at most `timeout` seconds for the loop thread, which
        has nothing left but cancellations to run: whatever must still be sent on the network has to be awaited before.
        """
        with self._lock:
            self._stopping.set()
            self._waiting.clear()
            loop, thread = self._loop, self._thread
        clock.forget(self._clock_moved)
        self._timers.clear()
        if loop is not None:
            try:
                loop.call_soon_threadsafe(self._cancel_tasks_and_stop)
            except RuntimeError:
                logger.debug("the loop had already closed")
        self._computing.stop()
        self._disk.stop()
        if thread is not None:
            thread.join(timeout)
            if thread.is_alive():
                logger.error("the loop thread did not end within %s s", timeout)

    def leave_editor(self) -> None:
        """Hand nothing to the main thread any more, because the editor's API has shut down. Thread: as for `stop`.

        The loop goes on, so that the servers can end their sessions.
        """
        self._editor_gone = True

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called. Any thread."""
        return self._stopping.is_set()

    # -- rules --------------------------------------------------------------------------------------------------------

    def assert_main_thread(self) -> None:
        """Raise `WrongThreadError` unless called on the main thread. Costs less than a microsecond."""
        if self._main_thread and threading.get_ident() != self._main_thread:
            raise WrongThreadError(f"called on {threading.current_thread().name}, not on the main thread")

    def assert_loop_thread(self) -> None:
        """Raise `WrongThreadError` unless called on the loop thread."""
        if self._loop_thread and threading.get_ident() != self._loop_thread:
            raise WrongThreadError(f"called on {threading.current_thread().name}, not on the loop thread")

    # -- to the main thread -------------------------------------------------------------------------------------------

    def on_main(self, function: Callable[..., Any], *args: Any) -> None:
        """Call `function(*args)` on the main thread, soon. Any thread."""
        self.later_on_main(0, function, *args)

    def later_on_main(self, milliseconds: int, function: Callable[..., Any], *args: Any) -> None:
        """Call `function(*args)` on the main thread in `milliseconds`, unless the runtime is stopped by then.

        Any thread. An exception is reported, and left to the editor as well.
        """
        if self._editor_gone:
            return

        def run() -> None:
            if self.stopped:
                return
            self._main_thread = threading.get_ident()
            try:
                function(*args)
            except Exception as error:
                self._report("the main thread", error)
                raise  # the editor, too, says which plugin failed

        if milliseconds <= 0:
            sublime.set_timeout(run, 0)
            return
        timer = _Timer(clock.now() + milliseconds / 1000.0, next(self._numbers), run)
        self._timers[timer.number] = timer
        self._set_off(timer.number, milliseconds)

    def _set_off(self, number: int, milliseconds: int) -> None:
        """Have the editor call for a timer. Its own timers cannot be cancelled, so they refer to no object of ours."""
        timers = self._timers  # which `stop` empties

        def go_off() -> None:
            timer = timers.get(number)  # the editor calls more than once if the clock was moved
            if timer is not None and not (clock.frozen and clock.now() < timer.due):
                del timers[number]
                timer.run()

        sublime.set_timeout(go_off, milliseconds)

    def _clock_moved(self) -> None:
        """Have the timers go off when they are due by the clock as it goes now. Any thread."""
        now = clock.now()
        for timer in sorted(self._timers.values()) if not self._editor_gone else ():
            if not clock.frozen or timer.due <= now:
                self._set_off(timer.number, max(0, math.ceil((timer.due - now) * 1000)))
        self.on_loop(_wake)

    async def call_main(self, function: Callable[..., Result], *args: Any) -> Result:
        """Call `function(*args)`, in turn, on the main thread; its result, or raise what it raised. Loop thread."""
        return await self.answer(self._turns.add, function, *args)

    async def answer(
        self, hand_over: Callable[[Callable[[], None]], Any], function: Callable[..., Result], *args: Any
    ) -> Result:
        """Let `hand_over` have `function(*args)` called on another thread, and return its result. Loop thread."""
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

        def settle(result: Optional[Result], error: Optional[BaseException]) -> None:
            if answer.done():
                return  # the caller was cancelled meanwhile
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(result)  # type: ignore[arg-type]

        def run() -> None:
            try:
                result = function(*args)
            except Exception as error:  # noqa: BLE001 - handed to the caller, who awaits it
                self.on_loop(settle, None, error)
            else:
                self.on_loop(settle, result, None)

        hand_over(run)
        return await answer

    # -- to the loop thread -------------------------------------------------------------------------------------------

    def on_loop(self, function: Callable[..., Any], *args: Any) -> None:
        """Call `function(*args)` on the loop thread, soon and in the order of the calls. Any thread."""
        with self._lock:
            if self.stopped:
                return
            if self._loop is None:
                self._waiting.append((function, args))
                return
            loop = self._loop
        try:
            loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # the loop closed between the look and the call
            logger.debug("dropped a call: the loop has ended")

    def later_on_loop(self, seconds: float, function: Callable[..., Any], *args: Any) -> None:
        """Call `function(*args)` on the loop thread in so many seconds. Any thread."""
        self.on_loop(lambda: asyncio.get_running_loop().call_later(seconds, function, *args))

    def spawn(self, coroutine_function: Callable[..., Awaitable[Result]], *args: Any) -> Future[Result]:
        """Run `coroutine_function(*args)` as a task on the loop. Any thread.

        The future returned holds its outcome, unless `stop` comes first. An exception is reported as well.
        """
        outcome: Future[Result] = Future()

        def begin() -> None:
            task = asyncio.ensure_future(coroutine_function(*args))
            task.add_done_callback(finish)

        def finish(task: asyncio.Future[Result]) -> None:
            if task.cancelled():
                outcome.cancel()
                return
            error = task.exception()
            if error is not None:
                outcome.set_exception(error)
                self._report("task", error)
            else:
                outcome.set_result(task.result())

        self.on_loop(begin)
        return outcome

    # -- to a worker thread -------------------------------------------------------------------------------------------

    def compute(
        self,
        function: Callable[..., Result],
        *args: Any,
        then: Callable[[Result], Any],
        failed: Optional[Callable[[Exception], Any]] = None,
    ) -> Computation:
        """Run `function(*args, cancelled)` on a computing thread, then `then(result)` on the main thread. Any thread.

        `cancelled` is a callable without arguments that the function polls. An exception goes to `failed` on the main
        thread, or is reported where there is no `failed`.
        """
        return self._hand_over(self._computing, function, args, then, failed)

    def use_disk(
        self,
        function: Callable[..., Result],
        *args: Any,
        then: Callable[[Result], Any],
        failed: Optional[Callable[[Exception], Any]] = None,
    ) -> Computation:
        """Call a function that reads from the disk or writes to it, on a disk thread; `then` and `failed` are as in
        `compute`. Any thread.

        It may never come back, so a regular caller waits for the answer before it asks again. If it returns
        `NOTHING_TO_TELL`, nothing is called.
        """
        return self._hand_over(self._disk, function, args, then, failed)

    def _hand_over(
        self,
        workers: Workers,
        function: Callable[..., Result],
        args: Tuple[Any, ...],
        then: Callable[[Result], Any],
        failed: Optional[Callable[[Exception], Any]],
    ) -> Computation:
        computation = Computation()

        def cancelled() -> bool:
            return self.stopped or computation.cancelled()

        def outcome() -> Optional[Callable[[], Any]]:
            """What delivers the result; None if there is nothing to deliver."""
            if cancelled():
                return None
            try:
                result = function(*args, cancelled)
            except Exception as error:  # noqa: BLE001 - handed on, or reported
                if failed is not None:
                    return partial(failed, error)
                self._report("worker", error)
                return None
            return partial(then, result) if result is not NOTHING_TO_TELL else None

        def work() -> None:
            delivery = outcome()
            computation.end(delivery)
            if delivery is not None:
                self.on_main(computation.deliver)

        if not workers.submit(work):
            computation.end(None)
        return computation

    async def in_worker(self, function: Callable[..., Result], *args: Any) -> Result:
        """Call a blocking `function(*args)` on a disk thread and return its result. Loop thread."""

        def hand_over(run: Callable[[], None]) -> None:
            if not self._disk.submit(run):
                raise RuntimeError("the package is being unloaded")

        return await self.answer(hand_over, function, *args)

    # -- the loop thread ----------------------------------------------------------------------------------------------

    def _run_loop(self) -> None:
        """Run the event loop until `stop`. It is resumed after a failure; the user hears of one that keeps failing."""
        loop: Optional[asyncio.AbstractEventLoop] = None
        self._loop_thread, failures = threading.get_ident(), 0
        while True:
            worked: List[bool] = []
            try:
                if loop is None:
                    loop = self._open_loop()
                loop.call_soon(worked.append, True)
                loop.run_forever()
                if not self.stopped:
                    raise RuntimeError("the event loop was stopped by other code")
            except BaseException as error:  # noqa: BLE001 - even a request to exit must not end the thread unnoticed
                failures = 1 if worked else failures + 1
                self._report("the event loop" if failures < FAILURES_TO_REPORT else CANNOT_GO_ON, error)
            if self.stopped:
                break
            self._stopping.wait(RESUME_SECONDS[min(failures, len(RESUME_SECONDS)) - 1])
        with self._lock:
            self._loop = None
        try:
            if loop is not None:
                loop.close()
        except Exception as error:  # noqa: BLE001 - the loop was broken before
            logger.debug("the event loop could not be closed: %s", error)

    def _open_loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        loop.time = clock.now  # type: ignore[method-assign]
        loop.set_exception_handler(self._loop_exception)
        with self._lock:
            self._loop = loop
            while self._waiting:
                function, args = self._waiting.popleft()
                loop.call_soon(function, *args)
            if self.stopped:
                loop.call_soon(loop.stop)
        return loop

    def _cancel_tasks_and_stop(self) -> None:
        async def wind_up() -> None:
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            loop = asyncio.get_running_loop()
            await loop.shutdown_asyncgens()
            loop.stop()

        self._last_task = asyncio.ensure_future(wind_up())

    def _loop_exception(self, loop: asyncio.AbstractEventLoop, context: Any) -> None:
        error = context.get("exception")
        if error is not None:
            self._report(context.get("message", "event loop"), error)
        else:
            logger.warning("event loop: %s", context.get("message"))
