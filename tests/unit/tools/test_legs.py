"""The legs of the test command: when one is ended, and what is printed of it."""

from __future__ import annotations

import os
import sys

import pytest

from tests.tools import cache, legs

TALKS = "import sys, time\nfor _ in range(12):\n    print('.', end='', flush=True)\n    time.sleep(0.1)\n"
HANGS = "import threading\nprint('now it hangs', flush=True)\nthreading.Event().wait()\n"


@pytest.fixture(autouse=True)
def _kept_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "ROOT", str(tmp_path))


def run(code):
    return legs.check_leg("sample: it", [sys.executable, "-X", "faulthandler", "-u", "-c", code]).run()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_leg_that_is_silent_is_ended_and_says_what_it_was_doing(monkeypatch):
    monkeypatch.setattr(legs, "SILENT_SECONDS", 0.5)
    outcome = run(HANGS)
    assert outcome.counts == legs.Counts(0, 1, 0)
    assert "now it hangs" in outcome.output
    assert "KILLED: silent for 0.5 s" in outcome.output
    assert "in wait" in outcome.output


def test_a_leg_that_is_slow_goes_on_while_it_prints(monkeypatch):
    monkeypatch.setattr(legs, "SILENT_SECONDS", 60)
    assert run(TALKS).output == "." * 12


def test_what_a_leg_prints_is_kept_whole_and_shown_where_it_failed(tmp_path):
    assert run("print('fine')").shown == ""
    outcome = run("print('x' * 250000)\nfor n in range(5000): print('line', n)\nraise SystemExit(1)")
    shown = outcome.shown.splitlines()
    assert len(shown) <= legs.SHOWN_LINES + 1
    assert max(map(len, shown)) < legs.SHOWN_CHARACTERS + 50
    assert shown[-1] == "line 4999"
    assert legs.output_file("sample: it") in shown[0]
    legs.keep(outcome)
    kept = (tmp_path / legs.output_file("sample: it")).read_text(encoding="utf-8")
    assert kept == outcome.output
    assert "x" * 250000 in kept


def test_what_was_skipped_is_named():
    outcome = run("print('SKIPPED [2] tests/a.py:3: only on Windows\\ntest_b (a.B) ... skipped \\'no size\\'\\nok')")
    assert outcome.skips == ["SKIPPED [2] tests/a.py:3: only on Windows", "test_b (a.B) ... skipped 'no size'"]
