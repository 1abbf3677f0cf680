"""While nobody does anything, the package does next to nothing.

Timers look for what the editor has no event for (folders, renamed and deleted files, its own crash); beside them only
heartbeats wake anything up. Each wake-up of a sleeping processor costs more than what is done then, so these are
counted where they happen. What the headless editor does itself on the main thread, such as looking at the files of all
packages, is not counted. How little of a processor it takes is measured by `tests/benchmarks/quiet.py`.
"""

from __future__ import annotations

import pytest
from idle import COUNT, WAKE_UPS, Idle

SECONDS = 25.0


@pytest.mark.parametrize("clients", sorted(WAKE_UPS))
def test_while_nobody_does_anything(editor, clients):
    editor.enable()
    if clients:
        editor.connect(clients)
    editor.host.pump(3)  # what the beginning set off is over
    editor.host.execute(COUNT)
    editor.host.pump(3)  # and every timer is one that is counted
    looks = [Idle.measure(editor.host, SECONDS)]
    while not looks[-1].is_quiet(clients) and len(looks) < 3:
        looks.append(Idle.measure(editor.host, SECONDS))  # on a busy machine the beginning takes longer
    print(*looks, sep="\n")
    assert looks[-1].timers > 0, "nothing is counted"
    assert looks[-1].wakes > 0, "nothing is counted"
    assert looks[-1].is_quiet(clients), editor.host.evaluate("dict(wakes.by_thread)")
