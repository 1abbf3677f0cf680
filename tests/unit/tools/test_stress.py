"""`--stress`: the same tests again and again, with pauses where work crosses threads, beside programs that compute."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.host.driver import Host
from tests.tools import cache, legs, pauses, stress

COUNTING = """
import time
slept = []
time.sleep = slept.append
from tests.unit import conftest
from companion.common.workers import Workers
from companion.runtime import Runtime
import threading
done = threading.Event()
workers = Workers("some", 2, 4, lambda *_: None)
for number in range(300):
    workers.submit(lambda: None)
workers.submit(done.set)
done.wait()
print(len(slept), max(slept, default=0))
"""


def counted(env):
    command = [sys.executable, "-c", f"from tests.tools import pauses\n{COUNTING}"]
    output = subprocess.check_output(command, cwd=cache.ROOT, env=dict(os.environ, **env), universal_newlines=True)
    count, longest = output.split()
    return int(count), float(longest)


def test_there_are_pauses_where_work_is_handed_over_and_only_if_asked_for():
    assert counted({pauses.PAUSES: ""}) == (0, 0)
    count, longest = counted({pauses.PAUSES: "1"})
    assert 20 < count < 200  # of 600 crossings
    assert longest <= pauses.LONG_SECONDS


RUNTIME = "getattr(__import__('sys').modules.get('Gemini Companion.companion.runtime'), 'Runtime', None)"


def test_the_editor_has_them_as_well():
    with Host.start(env=stress.environment(7)) as host:
        host.wait_until(f"hasattr({RUNTIME}, 'on_loop') and hasattr({RUNTIME}.on_loop, '__wrapped__')")


def leg(name):
    return legs.Leg(name, ["python", "-m", "pytest", "tests"], lambda code, folder: legs.Counts(1, 0, 0), {"A": "1"})


@pytest.fixture
def _quiet(monkeypatch):
    monkeypatch.setattr(stress, "BURNING", "")


def test_each_round_has_a_seed_of_its_own_and_only_legs_with_such_tests(_quiet, capsys):
    ran = []

    def run(chosen):
        ran.append([(each.name, each.env[pauses.PAUSES], each.command[-2:]) for each in chosen])
        counts = {"unit": legs.Counts(2, int(len(ran) == 3), 0), "ends": legs.Counts()}
        return [legs.Outcome(each.name, counts[each.name[:4]], "FFF", 1.0) for each in chosen]

    (unit, ends) = stress.rounds([leg("unit"), leg("ends")], 3, 5, run)
    plugin = ["-p", "tests.tools.pauses"]
    assert ran[0] == [("unit (seed 5)", "5", plugin), ("ends (seed 5)", "5", plugin)]
    assert ran[1:] == [[("unit (seed 6)", "6", plugin)], [("unit (seed 7)", "7", plugin)]]
    assert (unit.counts, unit.output) == (legs.Counts(6, 1, 0), "unit (seed 7):\nFFF\n")
    assert ends.counts == legs.Counts()
    assert "round 3 of 3, seed 7: 1 failed so far" in capsys.readouterr().out
