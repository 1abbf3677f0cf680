"""What repeats is one line a minute, with a count, and one traceback."""

from __future__ import annotations

import logging

import pytest

from companion.log import MOST, SELDOM, LogBuffer, Repeats


@pytest.fixture
def log(clock):
    """A logger with a buffer of its own; `log.lines()` gives what it kept."""
    logger = logging.getLogger("gemini_companion.repeats")
    buffer = LogBuffer()
    buffer.filters[:] = [Repeats()]
    logger.addHandler(buffer)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.lines = buffer.lines
    yield logger
    logger.removeHandler(buffer)
    logger.propagate = True


def test_what_repeats_is_said_once_a_minute_with_a_count(log, clock):
    for _ in range(100):
        log.warning("no room in %s", "/there")
    assert len(log.lines()) == 1
    clock.advance(61)
    log.warning("no room in %s", "/there")
    assert len(log.lines()) == 2
    assert log.lines()[1].endswith("no room in /there (99 more since the last one)")


def test_the_count_begins_anew_each_time(log, clock):
    for times in (3, 2, 1, 1):
        for _ in range(times):
            log.warning("again")
        clock.advance(60)  # a minute is enough
    assert [line.rpartition(": ")[2] for line in log.lines()] == [
        "again",
        "again (2 more since the last one)",
        "again (1 more since the last one)",
        "again",
    ]


def test_a_line_that_repeats_after_less_than_a_minute_is_not_shown(log, clock):
    log.warning("again")
    clock.advance(59)
    log.warning("again")
    assert len(log.lines()) == 1


def test_the_longest_remembered_is_forgotten_first():
    repeats = Repeats()

    def says(number):
        return repeats.filter(logging.makeLogRecord({"levelno": logging.WARNING, "msg": str(number)}))

    assert all(says(number) for number in range(MOST + 1))
    assert not says(1)
    assert not says(MOST)
    assert says(0), "which had to make room"


def test_what_differs_is_said_each_time(log):
    log.warning("no room in %s", "/here")
    log.warning("no room in %s", "/there")
    assert len(log.lines()) == 2


def test_a_line_about_another_error_is_shown(log):
    for error in (OSError(24, "Too many open files"), OSError(28, "No space left on device")):
        try:
            raise error
        except OSError:
            log.exception("unexpected error in %s", "accept")
    assert len(log.lines()) == 2


def test_a_traceback_is_shown_once(log, clock):
    for _ in range(3):
        for _ in range(10):
            try:
                raise OSError(24, "Too many open files")
            except OSError:
                log.exception("unexpected error in %s", "accept")
        clock.advance(61)
    assert len(log.lines()) == 3
    assert sum(line.count("Traceback") for line in log.lines()) == 1


def test_everyday_lines_may_repeat_unless_they_are_marked(log):
    for _ in range(5):
        log.info("connected")
        log.info("refused what is not HTTP", extra=SELDOM)
    assert [line.rpartition(": ")[2] for line in log.lines()].count("connected") == 5
    assert len(log.lines()) == 6
