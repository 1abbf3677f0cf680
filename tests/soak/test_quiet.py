"""While nobody does anything, the package does next to nothing.

Timers look for what the editor has no event for (folders, renamed and deleted files, its own crash); beside them only
heartbeats wake anything up. All of it together must be too little to measure, and each wake-up of a sleeping processor
costs more than what is done then, so these are counted where they happen. What the headless editor does itself on the
main thread, such as looking at the files of all packages, is not counted.
"""

from __future__ import annotations

import pytest
from idle import COUNT, WAKE_UPS, Idle

from tests.soak.conftest import LONG

SECONDS = 25.0 if LONG else 12.0
MOST_OF_A_CORE = 0.001
ONE_MORE = 1 / SECONDS  # a second: where a period begins is chance


@pytest.mark.parametrize("clients", sorted(WAKE_UPS))
def test_while_nobody_does_anything(editor, clients):
    editor.enable()
    if clients:
        editor.connect(clients)
    editor.host.pump(3)  # what the beginning set off is over
    editor.host.execute(COUNT)
    editor.host.pump(3)  # and every timer is one that is counted
    looks = [measure(editor.host)]
    while len(looks) < 3 and not all(quiet_enough(looks, clients)):
        looks.append(measure(editor.host))  # what else runs on the machine can only add to it
    assert all(look.timers > 0 for look in looks), "nothing is counted"
    assert quiet_enough(looks, clients) == (True, True), looks


def quiet_enough(looks, clients):
    """Were wake-ups and processor time, each in some look, as few as they must be?"""
    return (
        min(look.wake_ups for look in looks) <= WAKE_UPS[clients] + ONE_MORE,
        min(look.share for look in looks) <= MOST_OF_A_CORE,
    )


def measure(host):
    idle = Idle.measure(host, SECONDS)
    print(idle)
    return idle
