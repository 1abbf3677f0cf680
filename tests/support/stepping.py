"""An editor, workers and an event loop that do nothing by themselves: a test lets each step happen, in its order.

For unit tests of what crosses threads. Rule: time is that of the package's clock, which stands still but for the steps.
"""

from __future__ import annotations

import asyncio
from typing import Any, Callable, List, Tuple

from companion.common.clock import clock


class SteppedEditor:
    """Stands for the module `sublime` where only its timers matter. Until the test is over the clock is frozen."""

    def __init__(self) -> None:
        clock.freeze()
        self._began = clock.now()
        self._timers: List[Tuple[int, int, Callable[[], Any]]] = []
        self._count = 0

    @property
    def now(self) -> int:
        """Milliseconds since the editor was made."""
        return round((clock.now() - self._began) * 1000)

    def set_timeout(self, function: Callable[[], Any], milliseconds: int = 0) -> None:
        """As the editor's. Any thread."""
        self._count += 1
        self._timers.append((self.now + milliseconds, self._count, function))

    @property
    def waiting(self) -> List[int]:
        """In how many milliseconds the timers go off."""
        now = self.now
        return sorted(max(0, when - now) for when, _, _ in self._timers)

    def step(self, milliseconds: int = 0) -> None:
        """Let so much time pass on the main thread; whatever is due runs, and what that asks for."""
        end = self.now + milliseconds
        while True:
            due = min((timer for timer in list(self._timers) if timer[0] <= end), default=None)
            if due is None:
                break
            self._timers.remove(due)
            self._move_to(due[0])
            due[2]()
        self._move_to(end)

    def _move_to(self, when: int) -> None:
        ahead = self._began + when / 1000.0 - clock.now()
        if ahead > 0:
            clock.advance(ahead)


class SteppedWorkers:
    """Stands for a pool of threads: a job runs when the test says so."""

    def __init__(self) -> None:
        self.jobs: List[Callable[[], Any]] = []
        self.stopped = False

    def submit(self, job: Callable[[], Any]) -> bool:
        """As a pool's."""
        if not self.stopped:
            self.jobs.append(job)
        return not self.stopped

    def stop(self) -> None:
        """Drop what waits."""
        self.stopped = True
        self.jobs.clear()

    def step(self) -> None:
        """Run the oldest job to its end, if there is one."""
        if self.jobs:
            self.jobs.pop(0)()


class SteppedLoop(asyncio.SelectorEventLoop):
    """An event loop that runs when the test says so. Until the test is over the clock is frozen."""

    def __init__(self) -> None:
        clock.freeze()
        super().__init__()

    def time(self) -> float:
        """As a loop's."""
        return clock.now()

    def step(self, seconds: float = 0.0) -> None:
        """Let so much time pass, and run all that can run then."""
        if seconds:
            clock.advance(seconds)
        while True:
            self.call_soon(self.stop)
            self.run_forever()
            if not self._ready:  # type: ignore[attr-defined]
                return


class SteppedRuntime:
    """Stands for a `Runtime`: what goes to a thread waits in its list."""

    def __init__(self) -> None:
        self.editor = SteppedEditor()
        self.workers = SteppedWorkers()
        self.spawned: List[Tuple[Callable[..., Any], Tuple[Any, ...]]] = []

    def assert_main_thread(self) -> None:
        """There is only one thread."""

    def assert_loop_thread(self) -> None:
        """There is only one thread."""

    async def in_worker(self, function: Callable[..., Any], *args: Any) -> Any:
        """As the runtime's, but at once."""
        return function(*args)

    def on_main(self, function: Callable[..., Any], *args: Any) -> None:
        """As the runtime's."""
        self.later_on_main(0, function, *args)

    def later_on_main(self, milliseconds: int, function: Callable[..., Any], *args: Any) -> None:
        """As the runtime's."""
        self.editor.set_timeout(lambda: function(*args), milliseconds)

    def spawn(self, function: Callable[..., Any], *args: Any) -> None:
        """As the runtime's, but nothing is begun."""
        self.spawned.append((function, args))

    def compute(self, function: Callable[..., Any], *args: Any, then: Any, failed: Any = None) -> None:
        """As the runtime's."""

        def work() -> None:
            try:
                result = function(*args, lambda: False)
            except Exception as error:  # noqa: BLE001 - as the runtime does
                self.on_main(failed, error)
            else:
                self.on_main(then, result)

        self.workers.submit(work)

    use_disk = compute
