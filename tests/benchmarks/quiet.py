"""What the package costs while nobody uses it: calls of the editor's API (the host counts them), wake-ups, processor.

    python tests/benchmarks/quiet.py [--json]

Counts do not depend on how busy the machine is; the noise of a rate is one event in the time that was looked on.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Iterator

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from api_calls import (  # noqa: E402
    IDLE,
    IDLE_WITH_CLIENT,
    OPEN_REVIEW,
    REVIEW_IN_SIGHT,
    WITH_CLIENT,
    Calls,
    beside_a_review,
    for_others,
    in_listener,
    per_second,
    while_typing,
)  # fmt: skip
from idle import COUNT, WAKE_UPS, Idle  # noqa: E402
from ratio import Measurement, show  # noqa: E402
from resident import Editor, starting  # noqa: E402

SECONDS = 10.0
SECONDS_OF_WAKE_UPS = 20.0
MOST_OF_A_CORE = 0.1  # per cent


def rate(name: str, calls: Calls, target: float) -> Measurement:
    """So many calls a second."""
    return Measurement("API calls, " + name, calls.rate, 1 / SECONDS, target, "a second")


def share(name: str, calls: Calls, target: float) -> Measurement:
    """So many calls for each event. A count has no noise: one call too many misses the target."""
    return Measurement("API calls, " + name, calls.rate, 0, target, "an event")


def idle(editor: Editor, name: str) -> Iterator[Measurement]:
    """How often the plugin host is woken up, and how much it computes then."""
    looked = Idle.measure(editor.host, SECONDS_OF_WAKE_UPS)
    clients = len(editor.listeners)
    yield Measurement("wake-ups, " + name, looked.wake_ups, 1 / looked.seconds, WAKE_UPS[clients], "a second")
    yield Measurement("processor, " + name, 100 * looked.share, 0.01, MOST_OF_A_CORE, "% of a core")


def api_calls(editor: Editor) -> Iterator[Measurement]:
    """How much is asked for, with ever more going on."""
    host = editor.host
    for event in ("selection_modified", "modified"):
        yield share("on_" + event, in_listener(host, "on_" + event), 0)
    yield share("commands and keys of others", for_others(host), 0)
    yield rate("idle, no client", per_second(host, SECONDS), IDLE)
    editor.connect()
    yield rate("idle, a client", per_second(host, SECONDS), IDLE_WITH_CLIENT)
    yield share("typing, a client", while_typing(host), WITH_CLIENT)
    host.execute(OPEN_REVIEW)
    yield rate("a review in sight", per_second(host, SECONDS), REVIEW_IN_SIGHT)
    assert host.evaluate("window.num_groups()") == 2, "no review was in sight"
    yield share("typing, a review in sight", beside_a_review(host), WITH_CLIENT)


def measurements() -> Iterator[Measurement]:
    """All that is measured, with its targets."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder, starting(folder) as editor:
        editor.enable()
        editor.host.execute("application._editor_settings.set('review_presentation', 'side_by_side')")
        editor.host.wait_until("endpoint.settings().review_presentation == 'side_by_side'")
        yield from api_calls(editor)
        editor.disconnect()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder, starting(folder) as editor:
        editor.enable()
        editor.host.pump(3)
        editor.host.execute(COUNT)
        editor.host.pump(3)
        yield from idle(editor, "no client")
        editor.connect(max(WAKE_UPS))
        editor.host.pump(3)
        yield from idle(editor, "ten idle clients")


if __name__ == "__main__":
    sys.exit(show(list(measurements())))
