"""The log keeps what matters within bounds, and belongs to nobody else."""

from __future__ import annotations

import logging
import re
import threading

import pytest

from companion import log


@pytest.fixture
def buffer():
    installed = log.install()
    yield installed
    log.uninstall()


def logger(name="part"):
    return logging.getLogger(f"{log.ROOT}.{name}")


def test_a_line_has_time_level_part_and_message(buffer):
    logger("server_task").info("window %s is served", 7)
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} info    server_task: window 7 is served", buffer.lines()[0])


def test_details_are_kept_while_they_are_wanted(buffer):
    logger().debug("too fine")
    log.keep_details(True)
    assert log.has_details()
    logger().debug("fine enough")
    log.keep_details(False)
    logger().debug("too fine again")
    assert [line.split(": ")[1] for line in buffer.lines()] == ["fine enough"]


def test_only_the_latest_lines_are_kept(buffer):
    for number in range(log.CAPACITY + 10):
        logger().info("%d", number)
    assert len(buffer.lines()) == log.CAPACITY
    assert buffer.lines()[0].endswith(": 10")


def test_a_huge_record_loses_its_middle(buffer):
    logger().info("start %s end", "x" * (1 << 20))
    (line,) = buffer.lines()
    assert len(line) < log.LONGEST + 100
    assert "start" in line
    assert line.endswith("end")
    assert "characters left out" in line


def test_problems_are_kept_apart_and_reach_the_console(buffer, capsys):
    logger().info("fine")
    logger().warning("not so fine")
    assert [line.split(": ")[1] for line in buffer.problems()] == ["not so fine"]
    assert "not so fine" in capsys.readouterr().out
    for number in range(log.PROBLEMS + 5):
        logger().error("%d", number)
    assert len(buffer.problems()) == log.PROBLEMS


def test_what_repeats_is_kept_once(buffer):
    for _ in range(3):
        logger().warning("no room in /there")
    assert len(buffer.lines()) == 1


def test_a_traceback_is_part_of_its_record(buffer):
    try:
        raise KeyError("missing")
    except KeyError:
        logger().exception("failed")
    (line,) = buffer.lines()
    assert "Traceback" in line
    assert "KeyError: 'missing'" in line


def test_a_follower_gets_every_line_once(buffer):
    """Whoever begins to follow while others log misses none and sees none twice."""
    ready = threading.Barrier(3)

    def talk(name):
        ready.wait()
        for number in range(500):
            logger(name).info("%d", number)

    threads = [threading.Thread(target=talk, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    later = []
    ready.wait()
    earlier = buffer.follow(later.append)
    for thread in threads:
        thread.join()
    assert sorted(earlier + later) == sorted(buffer.lines())
    assert len(buffer.lines()) == 1000
    buffer.follow(None)
    logger().info("unheard")
    assert not [line for line in later if "unheard" in line]


def test_the_root_logger_of_the_editor_hears_nothing(buffer):
    heard = []

    class Ear(logging.Handler):
        def emit(self, record):
            heard.append(record)

    ear = Ear()
    logging.getLogger().addHandler(ear)
    try:
        logger().error("ours")
        logging.getLogger("somebody").error("theirs")
    finally:
        logging.getLogger().removeHandler(ear)
    assert [record.getMessage() for record in heard] == ["theirs"]


def test_a_second_installation_replaces_the_first(buffer):
    second = log.install()
    logger().info("once")
    assert len(second.lines()) == 1
    assert not buffer.lines()
