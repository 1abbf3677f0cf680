"""An event loop on a thread of its own, for clients that tests call from theirs."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Coroutine, List

from tests.host.waiting import NEVER_SECONDS, until


class LoopThread:
    """A base of clients: `run` waits for a coroutine, `wait_until` for what comes in. Closed by its owner."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="client", daemon=True)
        self._thread.start()
        self.notifications: List[Any] = []
        """What the server has sent unasked, oldest first: (method, params)."""

    def run(self, work: Coroutine[Any, Any, Any], seconds: float = NEVER_SECONDS) -> Any:
        """The result of a coroutine that runs on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    def begin(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The same without waiting: a future with `result(seconds)`."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        """Wait for a true value of `condition` and return it."""
        return until(condition, lambda: f"notifications: {self.notifications}")

    def wait_notification(self, method: str, fits: Callable[[Any], bool] = lambda params: True) -> Any:
        """The params of the newest notification of this method that fits; waits for one."""

        def found() -> Any:
            return [params for name, params in self.notifications if name == method and fits(params)]

        return self.wait_until(found)[-1]

    def end_loop(self) -> None:
        """Stop the thread; what is still under way is cancelled."""

        async def cancel() -> None:
            under_way = asyncio.all_tasks() - {asyncio.current_task()}
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

        self.run(cancel())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(NEVER_SECONDS)
        self._loop.close()
