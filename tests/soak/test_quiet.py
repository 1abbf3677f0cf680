"""While nobody does anything, the package does next to nothing.

Timers look for what the editor has no event for (folders, renamed and deleted files, its own crash), because clients
must hear of it within a second; beside them only heartbeats wake anything up. All of it together must be too little to
measure. What the headless editor does itself on the main thread, such as looking at the files of all packages, is not
counted.
"""

from __future__ import annotations

import time

CLIENTS = 10
SECONDS = 25.0
MOST_OF_A_CORE = 0.001
HEARTBEAT_SECONDS = 15.0
MOST_TURNS_A_HEARTBEAT = 4
EDITOR_CHECKS_A_SECOND = 1  # turns of the loop that see whether the editor is still there
TIMERS_A_SECOND = 1 + 1 + 1  # the look at the windows, the look at the files, and its answer

COUNT = """
import probe
watch = probe.Probe(time.thread_time)
watch.install()
turns = []
select = application.runtime._loop._selector.select
def counted_select(timeout=None):
    events = select(timeout)
    turns.append(time.monotonic())
    return events
application.runtime._loop._selector.select = counted_select
"""
USED = """
[time.process_time() - time.thread_time(), sum(own for _, own, _ in watch.slices), len(watch.slices), len(turns)]
"""


def test_ten_idle_clients_cost_nothing_and_wake_nothing_up_but_heartbeats_and_the_slow_timers(editor):
    editor.enable()
    editor.connect(CLIENTS)
    editor.host.execute(COUNT)
    editor.host.pump(3)  # what a connection sets off is over, and every timer is one that is counted
    share = measure(editor.host)
    if share > MOST_OF_A_CORE:
        share = measure(editor.host)  # what else runs on the machine can only add to it
    assert share <= MOST_OF_A_CORE, f"{100 * share:.3f} % of a core"


def measure(host):
    """The package's share of a core while nobody does anything. Raises AssertionError if it is woken up too often."""
    before = host.evaluate(USED)
    began = time.monotonic()
    time.sleep(SECONDS)
    seconds = time.monotonic() - began
    elsewhere, on_main, timers, turns = (after - earlier for after, earlier in zip(host.evaluate(USED), before))
    share = (elsewhere + on_main) / seconds
    told = (
        f"{100 * share:.3f} % of a core ({elsewhere / seconds * 1e6:.0f} us a second off the main thread,"
        f" {on_main / seconds * 1e6:.0f} us on it), {timers} timers and {turns} turns of the loop in {seconds:.0f} s"
    )
    print(told)
    assert 0 < timers <= TIMERS_A_SECOND * seconds + 3, told
    checks = EDITOR_CHECKS_A_SECOND * seconds + 1
    assert turns <= MOST_TURNS_A_HEARTBEAT * (seconds / HEARTBEAT_SECONDS + 1) + checks, told
    return share
