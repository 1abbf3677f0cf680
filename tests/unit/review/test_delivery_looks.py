"""An accepted text on its way: the file is looked at until it holds the text, and no longer than a minute."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.decision import ACCEPTED, Outcome, Owner
from companion.review.deliveries import Deliveries
from tests.support.stepping import SteppedRuntime

OWNER = Owner("session", "Gemini CLI")


class Reviews:
    """Stands for the window's reviews."""

    def __init__(self):
        self.taken_back = []

    def write_or_reopen(self, owner, outcome):
        self.taken_back.append((owner, outcome))


class World:
    """One accepted text for `path`, of which the client was told."""

    def __init__(self, path):
        self.path = path
        self.runtime = SteppedRuntime()
        self.reviews = Reviews()
        self.stopped = False
        self.deliveries = Deliveries(self.reviews, self.runtime, lambda: self.stopped)
        self.outcome = Outcome(ACCEPTED, str(path), "accepted\n")
        self.delivery = self.deliveries.begin(OWNER, self.outcome)

    def step(self, seconds):
        """Let time pass. True if the file was looked at."""
        self.runtime.editor.step(int(seconds * 1000))
        looked = bool(self.runtime.workers.jobs)
        self.runtime.workers.step()
        self.runtime.editor.step()
        return looked

    def unread(self):
        """The client goes without having read it."""
        self.deliveries.unread(self.delivery)
        self.step(0)


@pytest.fixture
def world(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old\n", encoding="utf-8")
    return World(path)


def test_the_file_is_looked_at_for_a_minute(world):
    assert [second for second in range(1, 200) if world.step(1)] == [1, 5, 20, 60]
    assert world.runtime.editor.waiting == []


def test_a_text_that_was_found_is_looked_for_no_more_and_kept_no_more(world):
    world.path.write_text("accepted\n", encoding="utf-8")
    assert world.step(1)
    assert world.delivery.outcome is None
    assert world.runtime.editor.waiting == []


def test_a_text_that_was_found_is_not_brought_back_over_later_edits(world):
    assert world.step(1)
    world.path.write_text("accepted\n", encoding="utf-8")
    assert world.step(4)
    world.path.write_text("edited\n", encoding="utf-8")
    world.unread()
    assert world.reviews.taken_back == []


def test_a_text_that_nobody_read_or_wrote_is_brought_back_once(world):
    world.step(1)
    world.unread()
    world.unread()
    assert world.reviews.taken_back == [(OWNER, world.outcome)]
    assert not any(world.step(1) for _ in range(100))


def test_nothing_is_looked_at_after_the_end(world):
    world.stopped = True
    assert not any(world.step(1) for _ in range(100))
    assert world.runtime.editor.waiting == []
