"""Disks that hang stop neither other work nor the end of the process; what is no regular file is not waited for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Callable, List

import pytest

from companion.common.workers import STUCK_SECONDS, Workers
from companion.review.document import disk
from companion.review.document.disk import ChangedError, DiskError, Kind
from tests.support.writing import write_file

ROOT = Path(__file__).resolve().parents[4]
AT_ONCE = 5.0
"""Seconds. What hangs does so for ever, so that a busy machine has time enough."""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="FIFOs are POSIX's")


def read(path: Any, **options: Any) -> disk.Original:
    return disk.read(str(path), disk.Limits(1000, 100), **options)


def timed(function: Callable[[], Any]) -> float:
    started = time.monotonic()
    function()
    return time.monotonic() - started


def test_a_file_that_became_a_fifo_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"text\n")
    original = read(path)
    path.unlink()
    os.mkfifo(str(path))

    def write() -> None:
        with pytest.raises(ChangedError, match="has changed on disk"):
            write_file(original, b"new\n")

    assert timed(write) < AT_ONCE
    assert timed(lambda: disk.changed(original)) < AT_ONCE
    assert disk.changed(original)
    assert timed(lambda: read(path)) < AT_ONCE
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
    assert timed(lambda: read(path)) < AT_ONCE


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="there is no file here whose reading hangs")
def test_a_read_that_would_hang() -> None:
    originals: List[disk.Original] = []
    for _ in range(20):  # the first ones may find something
        assert timed(lambda: originals.append(read("/proc/kmsg"))) < AT_ONCE
    assert originals[-1].kind is Kind.UNREADABLE
    with pytest.raises(DiskError):
        disk.encoded(originals[-1], "text")


def test_a_file_without_an_end_is_not_read_for_ever() -> None:
    if not os.path.exists("/dev/zero"):
        pytest.skip("no such device")
    assert timed(lambda: read("/dev/zero")) < AT_ONCE
    assert read("/dev/zero").kind is Kind.UNREADABLE


def test_three_jobs_that_hang_hold_up_no_other() -> None:
    def wait_for_another() -> float:
        workers, release, done = Workers("test", 4, 32), threading.Event(), threading.Event()
        for _ in range(3):
            workers.submit(lambda: release.wait(30) and None)
        seconds = timed(lambda: workers.submit(done.set) and done.wait(5))
        release.set()
        workers.stop()
        assert done.is_set()
        return seconds

    seconds = min(wait_for_another() for _ in range(3))
    assert seconds < STUCK_SECONDS / 2
    print(f"another job was done after {seconds * 1000:.1f} ms")


def test_more_jobs_that_hang_than_there_are_threads() -> None:
    workers, release, done = Workers("test", 4, 32), threading.Event(), threading.Event()
    for _ in range(9):
        workers.submit(lambda: release.wait(60) and None)
    seconds = timed(lambda: workers.submit(done.set) and done.wait(30))
    assert done.is_set()
    assert seconds < 4 * STUCK_SECONDS + 10
    release.set()
    workers.submit(lambda: None)
    limit = time.monotonic() + 10
    while sum(thread.name == "test" for thread in threading.enumerate()) > 4:
        assert time.monotonic() < limit, "more threads stay than the pool has"
        time.sleep(0.01)
    workers.stop()
    print(f"another job was done after {seconds:.2f} s")


def test_there_is_a_bound_on_threads() -> None:
    workers, release = Workers("bound", 1, 3), threading.Event()
    for _ in range(10):
        workers.submit(lambda: release.wait(60) and None)
    limit = time.monotonic() + 20
    while sum(thread.name == "bound" for thread in threading.enumerate()) < 3:
        assert time.monotonic() < limit, "jobs that hang get no more threads"
        time.sleep(0.01)
    time.sleep(2 * STUCK_SECONDS)
    assert sum(thread.name == "bound" for thread in threading.enumerate()) == 3
    workers.submit(lambda: None)
    assert sum(thread.name == "bound" for thread in threading.enumerate()) == 3, "nor by what comes later"
    release.set()
    workers.stop()


def test_a_thread_that_has_nothing_to_do_takes_the_next_job() -> None:
    workers, took = Workers("next", 4, 32), set()
    limit = time.monotonic() + 10
    for _ in range(5):
        while took and workers._idle < 1:
            assert time.monotonic() < limit, "the thread does not come back"
            time.sleep(0.001)
        done = threading.Event()

        def job(done: threading.Event = done) -> None:
            took.add(threading.get_ident())
            done.set()

        workers.submit(job)
        assert done.wait(10)
    workers.stop()
    assert len(took) == 1


def test_an_idle_thread_holds_nothing_of_its_last_job() -> None:
    class Text:
        """A long one."""

        def look(self) -> None:
            pass

    workers, text = Workers("idle", 1, 1), Text()
    gone = threading.Event()
    weakref.finalize(text, gone.set)
    workers.submit(text.look)
    del text
    assert gone.wait(10)
    workers.stop()


def test_jobs_are_done_in_order_and_none_after_the_stop() -> None:
    workers, done, release = Workers("order", 1, 1), [], threading.Event()
    for number in range(100):
        workers.submit(lambda number=number: done.append(number))  # type: ignore[misc]
    last = threading.Event()
    workers.submit(last.set)
    assert last.wait(10)
    assert done == list(range(100))
    workers.submit(lambda: release.wait(10) and None)
    workers.submit(lambda: done.append("late"))
    workers.stop()
    release.set()
    assert not workers.submit(lambda: done.append("later"))
    assert "late" not in done


def test_work_that_hangs_does_not_keep_the_process_alive() -> None:
    program = (
        "import threading; from companion.common.workers import Workers\n"
        "workers = Workers('test', 4, 32)\n"
        "for _ in range(3): workers.submit(lambda: threading.Event().wait())\n"
    )
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", program], cwd=str(ROOT), timeout=20, check=True)
    print(f"the process ended after {time.monotonic() - started:.2f} s")
