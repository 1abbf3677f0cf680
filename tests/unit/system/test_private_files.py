"""The package's own files: whole or not there, private, and in use by one process at a time."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Dict, List, Tuple

import pytest

from companion.system import files
from tests.host.waiting import NEVER_SECONDS

ROOT = str(Path(__file__).resolve().parents[3])

HOLDER = """
import sys
sys.path.insert(0, sys.argv[1])
from companion.system import files
held = files.make(sys.argv[2], ".text", b"theirs")
print(held.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Package Storage" / "Gemini Companion"


def found(folder: Path) -> List[bytes]:
    left = list(files.left_over(str(folder), ".text"))
    contents = [file.read() for file in left]
    for file in left:
        file.release()
    return contents


@pytest.mark.parametrize("data", [b"", b"text", b"\x00" * 100000], ids=["none", "short", "long"])
def test_what_was_released_is_found_again(folder: Path, data: bytes) -> None:
    files.make(str(folder), ".text", data).release()
    files.make(str(folder), ".other", b"of another kind").release()
    assert found(folder) == [data]
    assert found(folder) == [data]


def test_what_is_in_use_is_found_by_nobody(folder: Path) -> None:
    held = files.make(str(folder), ".text", b"mine")
    assert found(folder) == []
    held.release()
    (taken,) = files.left_over(str(folder), ".text")
    assert found(folder) == []
    taken.release()
    assert found(folder) == [b"mine"]


def test_so_it_is_on_windows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: Dict[int, Tuple[int, int]] = {}  # by inode: the descriptor, and where

    def locking(descriptor: int, mode: int, length: int) -> None:
        assert (mode, length) == (2, 1)
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        assert place > files.MAXIMUM_BYTES, "beyond what is read: a lock keeps others from reading there"
        if held.setdefault(os.fstat(descriptor).st_ino, (descriptor, place)) != (descriptor, place):
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(files, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2), raising=False)
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform="win32"))
    mine = files.make(str(folder), ".text", b"mine")
    assert found(folder) == []
    held.clear()
    mine.release()
    assert found(folder) == [b"mine"]


def test_what_another_process_uses_is_its_own_until_it_ends_however(folder: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, ROOT, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        assert found(folder) == []
        holder.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        holder.wait(NEVER_SECONDS)
        assert found(folder) == [b"theirs"]
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.skipif(os.name == "nt", reason="there nothing is renamed while it is open")
@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_it_is_in_use_as_soon_as_it_can_be_found(folder: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Bringing its name to the disk takes a while, and another window may look for what was left meanwhile."""
    seen, real = [], getattr(os, call)

    def watched(*arguments: object) -> None:
        real(*arguments)
        if list(folder.glob("*.text")):
            seen.append(found(folder))

    monkeypatch.setattr(os, call, watched)
    held = files.make(str(folder), ".text", b"mine")
    assert seen == [[]]
    assert [str(path) for path in folder.iterdir()] == [held.path]
    held.release()
    assert found(folder) == [b"mine"]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_only_the_user_can_read_it(folder: Path) -> None:
    held = files.make(str(folder), ".text", b"mine")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(os.stat(held.path).st_mode) == 0o600
    held.remove()


def test_nothing_stays_of_the_last_one_that_is_removed(folder: Path) -> None:
    one, other = (files.make(str(folder), ".text", b"") for _ in range(2))
    one.remove()
    assert [str(path) for path in folder.iterdir()] == [other.path]
    other.remove()
    assert not folder.exists()


@pytest.mark.parametrize("end", ["remove", "release", "set_aside"])
def test_it_is_closed_once_nobody_uses_it(folder: Path, end: str) -> None:
    held = files.make(str(folder), ".text", b"")
    descriptor = held._descriptor
    getattr(held, end)()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_what_was_never_finished_is_cleared_away(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / ("1.text" + files.TEMPORARY)).write_bytes(b"ha")
    assert found(folder) == []
    assert not folder.exists()


def test_what_is_set_aside_stays_and_is_found_no_more(folder: Path) -> None:
    held = files.make(str(folder), ".text", b"what is this")
    assert Path(held.set_aside()).read_bytes() == b"what is this"
    assert found(folder) == []


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_takes_nothing_is_said_and_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"):
        files.make(str(folder), ".text", b"text")
    with pytest.raises(OSError, match="No space left"):
        files.write(str(folder / "file.text"), b"text")
    assert list(folder.iterdir()) == []


def test_the_folder_may_go_at_any_moment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the last other file, which somebody else has just removed."""
    others, real = [files.make(str(folder), ".text", b"other")], os.open

    def late(path: str, *flags: int) -> int:
        if others:
            others.pop().remove()
        return real(path, *flags)

    monkeypatch.setattr(os, "open", late)
    files.make(str(folder), ".text", b"mine").release()
    assert found(folder) == [b"mine"]
