"""An editor without windows and a runtime that does at once what it is given, to test when folders are looked at."""

from __future__ import annotations

import asyncio
from functools import partial

from companion.common.workers import NOTHING_TO_TELL
from companion.unreviewed.schedule import INTERVAL_SECONDS
from tests.support.stepping import SteppedLoop


class Editor:
    """No window, no tab."""

    @staticmethod
    def windows():
        return []


class Window:
    """One of which only its number matters."""

    def __init__(self, number):
        self.id = lambda: number
        self.said = []
        self.status_message = self.said.append


class AtOnce:
    """A runtime that does everything at once, and keeps the loop's time."""

    def __init__(self):
        self.loop = SteppedLoop()
        self.jobs = 0
        self.woken = 0

    def on_loop(self, function, *args):
        self.loop.call_soon(function, *args)

    def on_main(self, function, *args):
        self.woken += 1
        function(*args)

    def use_disk(self, function, *args, then, failed=None):
        self.jobs += 1
        result = function(*args, lambda: False)
        if result is not NOTHING_TO_TELL:
            self.on_main(then, result)

    def step(self, seconds=0.0):
        asyncio.set_event_loop(self.loop)
        self.loop.step()
        self.loop.step(seconds)


def write_and_look(project, tracking, runtime, **files):
    """A program writes these, gives a sign, and they are looked at."""
    project.write(**files)
    tracking.sign()
    runtime.step(INTERVAL_SECONDS)


def save_tab(tracking, tabs, path, text, line_endings="Unix"):
    """A tab with this text was saved to `path`."""
    tracking.carry_out_at(path, partial(tabs.take_over, path, text, "UTF-8", line_endings))
