"""Disks that hang stop neither other work nor the end of the process; what is no regular file is not waited for.

What hangs does so for ever here: a test that waits for it does not end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import weakref
from functools import partial
from pathlib import Path
from typing import Any, List

import pytest

from companion.common.clock import Clock
from companion.common.workers import Workers
from companion.review.document import disk
from companion.review.document.disk import ChangedError, DiskError, Kind
from tests.host.waiting import NEVER_SECONDS, until
from tests.support.writing import write_file

ROOT = Path(__file__).resolve().parents[4]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="FIFOs are POSIX's")


def read(path: Any, **options: Any) -> disk.Original:
    return disk.read(str(path), disk.ReadLimits(1000, 100), **options)


def test_a_file_that_became_a_fifo_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"text\n")
    original = read(path)
    path.unlink()
    os.mkfifo(str(path))

    with pytest.raises(ChangedError, match="has changed on disk"):
        write_file(original, b"new\n")
    assert disk.changed(original)
    assert (read(path).kind, read(path).notice) == (Kind.UNREADABLE, "file is not a regular file.")


def test_a_path_that_becomes_a_fifo_between_look_and_opening(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"text\n")
    real = os.open

    def late(name: Any, *arguments: Any) -> int:
        monkeypatch.undo()
        path.unlink()
        os.mkfifo(str(path))
        return real(name, *arguments)

    monkeypatch.setattr(os, "open", late)
    assert read(path).kind is Kind.UNREADABLE


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="there is no file here whose reading hangs")
def test_a_read_that_would_hang() -> None:
    originals: List[disk.Original] = []
    for _ in range(20):  # the first ones may find something
        originals.append(read("/proc/kmsg"))
    assert originals[-1].kind is Kind.UNREADABLE
    with pytest.raises(DiskError):
        disk.encoded(originals[-1], "text")


def test_a_file_without_an_end_is_not_read_for_ever() -> None:
    if not os.path.exists("/dev/zero"):
        pytest.skip("no such device")
    assert read("/dev/zero").kind is Kind.UNREADABLE


class Watch:
    """What a pool has asked to be called for later, which is when the test says so."""

    def __init__(self) -> None:
        self.asked: List[Any] = []

    def __call__(self, seconds: float, function: Any) -> None:
        self.asked.append((seconds, function))

    def later(self, clock: Clock) -> None:
        """So much later: whatever is under way counts as stuck by then."""
        until(lambda: self.asked, "the pool looks at its threads no more")
        seconds, function = self.asked.pop()
        clock.advance(seconds)
        function()


@pytest.fixture
def watch() -> Watch:
    return Watch()


def threads_of(name: str) -> int:
    return sum(thread.name == name for thread in threading.enumerate())


def test_three_jobs_that_hang_hold_up_no_other(clock: Clock, watch: Watch) -> None:
    """Nor is it waited until they count as stuck."""
    workers, release, done = Workers("test", 4, 32, watch), threading.Event(), threading.Event()
    for _ in range(3):
        workers.submit(lambda: release.wait() and None)
    workers.submit(done.set)
    assert done.wait(NEVER_SECONDS)
    release.set()
    workers.stop()


def test_more_jobs_that_hang_than_there_are_threads(clock: Clock, watch: Watch) -> None:
    workers, release, done = Workers("more", 4, 32, watch), threading.Event(), threading.Event()
    for _ in range(9):
        workers.submit(lambda: release.wait() and None)
    workers.submit(done.set)
    assert not done.is_set()
    until(lambda: threads_of("more") == 4)
    while not done.is_set():
        if watch.asked:
            watch.later(clock)
        done.wait(0.01)
    assert len(watch.asked) <= 1
    release.set()
    workers.submit(lambda: None)
    until(lambda: threads_of("more") <= 4, "more threads stay than the pool has")
    workers.stop()


def test_there_is_a_bound_on_threads(clock: Clock, watch: Watch) -> None:
    workers, release, most = Workers("bound", 1, 3, watch), threading.Event(), []
    for _ in range(10):
        workers.submit(lambda: release.wait() and None)
    for count in (1, 2):
        until(lambda count=count: len(workers._begun) == count and len(workers._jobs) == 10 - count)  # type: ignore[misc]
        watch.later(clock)
    until(lambda: threads_of("bound") == 3 and len(workers._jobs) == 7, "jobs that hang get no more threads")
    clock.advance(60)  # all of them are stuck by now, and nothing comes of that
    for act in (workers._replace_stuck, partial(workers.submit, lambda: None)):
        act()
        most.append(threads_of("bound"))
    assert most == [3, 3]
    assert watch.asked == []
    release.set()
    workers.stop()


def test_a_thread_that_has_nothing_to_do_takes_the_next_job(watch: Watch) -> None:
    workers, took = Workers("next", 4, 32, watch), set()
    for _ in range(5):
        until(lambda: not took or workers._idle, "the thread does not come back")
        done = threading.Event()

        def job(done: threading.Event = done) -> None:
            took.add(threading.get_ident())
            done.set()

        workers.submit(job)
        assert done.wait(NEVER_SECONDS)
    workers.stop()
    assert len(took) == 1


def test_an_idle_thread_holds_nothing_of_its_last_job(watch: Watch) -> None:
    class Text:
        """A long one."""

        def look(self) -> None:
            pass

    workers, text = Workers("idle", 1, 1, watch), Text()
    gone = threading.Event()
    weakref.finalize(text, gone.set)
    workers.submit(text.look)
    del text
    assert gone.wait(NEVER_SECONDS)
    workers.stop()


def test_jobs_are_done_in_order_and_none_after_the_stop(watch: Watch) -> None:
    workers, done, release = Workers("order", 1, 1, watch), [], threading.Event()
    for number in range(100):
        workers.submit(lambda number=number: done.append(number))  # type: ignore[misc]
    last = threading.Event()
    workers.submit(last.set)
    assert last.wait(NEVER_SECONDS)
    assert done == list(range(100))
    workers.submit(lambda: release.wait(NEVER_SECONDS) and None)
    workers.submit(lambda: done.append("late"))
    workers.stop()
    release.set()
    assert not workers.submit(lambda: done.append("later"))
    assert "late" not in done


def test_work_that_hangs_does_not_keep_the_process_alive() -> None:
    program = (
        "import threading; from companion.common.workers import Workers\n"
        "workers = Workers('test', 4, 32, lambda *_: None)\n"
        "for _ in range(3): workers.submit(lambda: threading.Event().wait())\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=str(ROOT), timeout=NEVER_SECONDS, check=True)
