"""What one caret movement costs on the editor's main thread, in µs beyond a listener that does nothing.

    python3 tests/benchmarks/events.py [--json]

The tracker runs on stand-ins for the window and its views, which answer at once: measured is our own work, not the
editor's. Fails when an event costs more than the limits below, by the median of all batches.
"""

from __future__ import annotations

import sys
import time
import types
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from ratio import Measurement, show, summary  # noqa: E402

BATCH = 1000
BATCHES = 60
EVENTS_PER_FLUSH = 20  # continuous typing at 100 events a second, answered every 200 ms
LIMITS = {"event, nobody listens": 5.0, "event, a client listens": 20.0, "event and its share of the updates": 20.0}


class Region:
    def __init__(self, a: int, b: int) -> None:
        self.a, self.b = a, b

    def begin(self) -> int:
        return min(self.a, self.b)

    def end(self) -> int:
        return max(self.a, self.b)

    def empty(self) -> bool:
        return self.a == self.b


class View:
    """A view of a file with 300 characters selected, which moves on with each question for it."""

    def __init__(self, number: int, window: Window) -> None:
        self.number, self._window, self.point = number, window, 0
        self.text = "def function(argument):  # 30\n" * 1000

    def id(self) -> int:
        return self.number

    def window(self) -> Window:
        return self._window

    def is_valid(self) -> bool:
        return True

    def element(self) -> None:
        return None

    def file_name(self) -> str:
        return f"/code/file{self.number}.py"

    def settings(self) -> Dict[str, Any]:
        return {}

    def sel(self) -> List[Region]:
        self.point = (self.point + 1) % 20000
        return [Region(self.point, self.point + 300)]

    def rowcol_utf16(self, point: int) -> Any:
        return divmod(point, 30)

    def substr(self, region: Region) -> str:
        return self.text[region.begin() : region.end()]


class Window:
    def __init__(self, count: int) -> None:
        self.open = [View(number, self) for number in range(1, count + 1)]

    def settings(self) -> Dict[str, Any]:
        return {}

    def active_view(self) -> View:
        return self.open[0]

    def views(self, include_transient: bool = False) -> List[View]:
        return self.open


class Runtime:
    """Keeps what should run later, and looks for files at once."""

    def __init__(self) -> None:
        self.later: List[Any] = []

    def later_on_main(self, milliseconds: int, function: Callable[..., Any], *args: Any) -> None:
        self.later.append((milliseconds, function, args))

    def use_disk(self, function: Any, paths: Any, then: Any, failed: Any) -> None:
        then({path: path for path in paths})

    def run(self) -> None:
        """All timers but the slow one that looks for files again."""
        waiting, self.later = self.later, []
        for milliseconds, function, args in waiting:
            if milliseconds < 1000:
                function(*args)
            else:
                self.later.append((milliseconds, function, args))


class BareListener:
    def on_selection_modified(self, view: View) -> None:
        return None


def batch(handler: Callable[[View], None], view: View) -> float:
    """The mean processor time of a call, in µs."""
    began = time.thread_time()
    for _ in range(BATCH):
        handler(view)
    return (time.thread_time() - began) / BATCH * 1e6


def per_event(handler: Callable[[View], None], view: View, events: int = 1) -> List[float]:
    """What each event costs beyond a bare listener, in µs, batch by batch. A call stands for so many `events`."""
    bare = BareListener().on_selection_modified
    return [batch(handler, view) / events - batch(bare, view) for _ in range(BATCHES)]


def measure() -> Dict[str, List[float]]:
    """What each kind of event costs beyond a bare listener, in µs."""
    stand_in = types.ModuleType("sublime")
    stand_in.Region = Region  # type: ignore[attr-defined]
    sys.modules.setdefault("sublime", stand_in)
    sys.path.insert(0, str(ROOT))
    from companion.context.tracker import ContextTracker
    from companion.settings import Settings

    runtime, window, settings, published = Runtime(), Window(30), Settings(), []
    now = [0.0]
    tracker = ContextTracker(
        window,
        runtime=runtime,  # type: ignore[arg-type]
        settings=lambda: settings,
        look_at_project=lambda: None,
        publish=published.append,
    )
    tracker._debounce._clock = lambda: now[0]
    view = window.open[0]
    tracker.on_activated(view)  # type: ignore[arg-type]
    results = {"event, nobody listens": per_event(tracker.on_selection_modified, view)}  # type: ignore[arg-type]

    tracker.set_listening(True)
    for _ in range(5):
        now[0] += 1
        runtime.run()
    assert published, "the tracker publishes nothing, so nothing is measured"
    tracker._debounce._clock = time.monotonic  # what an event itself costs in use
    results["event, a client listens"] = per_event(tracker.on_selection_modified, view)  # type: ignore[arg-type]

    tracker._debounce._clock = lambda: now[0]
    tracker._debounce.cancel()
    runtime.run()
    before = len(published)

    def burst(view: View) -> None:
        for _ in range(EVENTS_PER_FLUSH):
            tracker.on_selection_modified(view)  # type: ignore[arg-type]
        now[0] += 1
        runtime.run()

    results["event and its share of the updates"] = per_event(burst, view, EVENTS_PER_FLUSH)
    assert len(published) - before >= BATCH * BATCHES, "not every burst was answered by an update"
    return results


def measurements() -> Iterator[Measurement]:
    """What each kind of event costs, with its limit."""
    for what, costs in measure().items():
        yield summary(what, costs, target=LIMITS[what], unit="us")


if __name__ == "__main__":
    sys.exit(show(measurements()))
