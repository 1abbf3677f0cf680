"""What is done with a folder is done in turn, and a look goes first where a job lets it."""

from __future__ import annotations

from threading import Lock

import pytest

from companion.unreviewed.folder import Queue
from tests.unit.unreviewed.conftest import never


@pytest.fixture
def done():
    """What was done, in this order."""
    return []


@pytest.fixture
def runs():
    """What disk threads are given to run."""
    return []


@pytest.fixture
def queue(done, runs):
    """The queue of a folder, which any thread may run."""
    return Queue(Lock(), runs.append, lambda cancelled: done.append("look"), lambda error: done.append(str(error)))


def fail(cancelled):
    raise OSError("it fails")


def test_jobs_run_in_order_on_one_thread_even_after_one_that_fails(queue, done, runs):
    queue.add(lambda cancelled: done.append("first"))
    queue.add(fail)
    queue.ask()
    queue.ask()
    queue.add(lambda cancelled: done.append("last"))
    (run,) = runs
    run(never)
    assert done == ["first", "it fails", "look", "last"]
    queue.ask()
    runs[1](never)
    assert (done[-1], queue.busy) == ("look", False)


def test_a_look_that_is_asked_for_goes_in_between_the_steps_of_a_long_job(queue, done, runs):
    def long(cancelled):
        for step in ("one", "two", "three"):
            done.append(step)
            if step == "two":
                queue.add(lambda cancelled: done.append("later"))
                queue.ask()
            yield

    queue.add(long)
    runs[0](never)
    assert done == ["one", "two", "look", "three", "later"]
