"""After any failure at any byte a file holds the old text or the new one, whole, and is what it was otherwise."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from companion.review.document import disk, file_replacement
from companion.review.document.disk import ChangedError, DiskError
from companion.review.document.journal import recover
from tests.support.everything import sample
from tests.support.writing import write_file

sys.path.insert(0, str(Path(__file__).resolve().parent))
from faults import CALLS, FailingDisk

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, modes and mounts are POSIX's")

ONE_IN = 3
PAIRS = [(0, 5), (5, 0), (5, 5), (4096, 8192), (8192, 4096), (100, 70000), (70000, 100)]
PORTION = {size: max(1, size // 5) for pair in PAIRS for size in pair}


def read(path: Path, **options: Any) -> disk.Original:
    return disk.read(str(path), disk.ReadLimits(1000000, 100000), **options)


def plain(path: Path) -> Path:
    return path


def with_hard_link(path: Path) -> Path:
    os.link(str(path), str(path.with_name("other name")))
    return path


def behind_link(path: Path) -> Path:
    link = path.with_name("link")
    link.symlink_to(path)
    return link


def alone_in_closed_folder(path: Path) -> Path:
    return path


SITUATIONS = [plain, with_hard_link, behind_link, alone_in_closed_folder]


@pytest.fixture
def closed_folder(monkeypatch: Any) -> Callable[[], None]:
    def close() -> None:
        def refused(path: str, mode: int = 0o600) -> Any:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(file_replacement, "new_file", refused)

    return close


def picture(folder: Path) -> Any:
    """All that has to stay, by name, but for contents."""
    found = {}
    for path in sorted(folder.iterdir()):
        status = path.lstat()
        attributes = {name: os.getxattr(str(path), name) for name in _attributes(path)}
        found[path.name] = (status.st_mode, status.st_uid, status.st_gid, status.st_nlink, attributes)
    return found


def _attributes(path: Path) -> Any:
    return os.listxattr(str(path)) if hasattr(os, "listxattr") and not path.is_symlink() else []


def attempt(
    path: Path, name: Path, old: bytes, new: bytes, arrange: Callable[[], FailingDisk], monkeypatch: Any
) -> FailingDisk:
    """Write `new` over `old` on a failing disk, and look at what is left."""
    before = picture(path.parent)
    original = read(name)
    failing = arrange()
    problem = None
    try:
        write_file(original, new)
    except DiskError as error:
        problem = str(error)
    finally:
        monkeypatch.undo()
    expected = old if problem else new
    assert path.read_bytes() == expected, (failing.made, problem)
    assert name.read_bytes() == expected
    assert picture(path.parent) == before
    if failing.failed and problem:
        assert "cannot be written: No space left on device" in problem
    return failing


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "{}-to-{}".format(*pair))
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_a_write_that_fails_once_at_any_place_leaves_the_file_whole(
    tmp_path: Path, monkeypatch: Any, closed_folder: Callable[[], None], situation: Any, pair: Any
) -> None:
    old, new = b"o" * pair[0], b"n" * pair[1]
    path = tmp_path / "file.txt"

    def at(number: int) -> FailingDisk:
        for left in list(tmp_path.iterdir()):
            left.unlink()
        path.write_bytes(old)
        path.chmod(0o640)
        name = situation(path)

        def arrange() -> FailingDisk:
            if situation is alone_in_closed_folder:
                closed_folder()
            return FailingDisk(monkeypatch, number, portion=PORTION[max(pair)])

        return attempt(path, name, old, new, arrange, monkeypatch)

    calls = at(-1).made  # each write, flush, cut and rename
    assert len(calls) > 2
    for number in sample(range(len(calls)), ONE_IN):
        assert at(number).failed


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "{}-to-{}".format(*pair))
@pytest.mark.parametrize("situation", [plain, with_hard_link, behind_link], ids=lambda situation: situation.__name__)
def test_a_disk_that_takes_nothing_any_more(tmp_path: Path, monkeypatch: Any, situation: Any, pair: Any) -> None:
    """The file is whole; or the user is told that it is not, and the next start makes it so."""
    old, new = b"o" * pair[0], b"n" * pair[1]
    folder, storage = tmp_path / "folder", tmp_path / "storage"
    path = folder / "file.txt"

    def at(number: int) -> FailingDisk:
        shutil.rmtree(str(folder), ignore_errors=True)
        folder.mkdir()
        path.write_bytes(old)
        name = situation(path)
        original = read(name)
        failing = FailingDisk(
            monkeypatch, number, ("write", "fsync", "ftruncate"), for_good=True, portion=PORTION[max(pair)]
        )
        try:
            disk.write(original, new, str(storage))
        except DiskError as error:
            monkeypatch.undo()
            is_damaged = "may be damaged" in str(error)
            assert is_damaged or name.read_bytes() == old
            assert len(recover(str(storage), lambda: False)) <= is_damaged
            assert name.read_bytes() in ((old, new) if is_damaged else (old,))
        else:
            monkeypatch.undo()
            assert name.read_bytes() == new
        assert not storage.exists()
        assert not [left for left in folder.iterdir() if file_replacement.SUFFIX in left.name]
        return failing

    for number in sample(range(len(at(-1).made)), ONE_IN):
        assert at(number).failed


@pytest.mark.parametrize("situation", [plain, with_hard_link])
def test_the_next_start_puts_the_old_text_back_where_nothing_else_could(
    tmp_path: Path, monkeypatch: Any, situation: Any
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old\n")
    original = read(situation(path))
    storage, real = tmp_path / "storage", os.write

    def write(descriptor: int, data: bytes) -> int:
        if os.fstat(descriptor).st_ino != path.stat().st_ino:
            return real(descriptor, data)
        FailingDisk(monkeypatch, 0, CALLS, for_good=True)
        return real(descriptor, data[:2])

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(DiskError, match="may be damaged. Its former text is put back, if possible, when the"):
        disk.write(original, b"newer text\n", str(storage))
    monkeypatch.undo()
    assert path.read_bytes() == b"old\nr "
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".")]
    assert recover(str(storage), lambda: False) == [
        "file.txt was being written when the editor ended: it has its former text again"
    ]
    assert path.read_bytes() == b"old\n"
    assert not storage.exists()
    assert not [left for left in tmp_path.iterdir() if left.name.startswith(".")]


@pytest.mark.parametrize("size", [0, 1, 9, 70000])
def test_a_new_file_that_failed_leaves_nothing_behind(tmp_path: Path, monkeypatch: Any, size: int) -> None:
    path = tmp_path / "a" / "b" / "new.txt"

    def at(number: int) -> FailingDisk:
        original = read(path)
        failing = FailingDisk(monkeypatch, number, portion=max(1, size // 5))
        try:
            write_file(original, b"n" * size)
        except DiskError as error:
            assert "cannot be written: No space left" in str(error)
            assert list(tmp_path.iterdir()) == []
        else:
            assert path.read_bytes() == b"n" * size
            shutil.rmtree(str(tmp_path / "a"))
        monkeypatch.undo()
        return failing

    for number in sample(range(len(at(-1).made)), ONE_IN):
        assert at(number).failed


def test_folders_that_were_there_stay_when_a_new_file_fails(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a").mkdir()
    original = read(tmp_path / "a" / "b" / "new.txt")
    FailingDisk(monkeypatch, 1, ("write",))  # of what it is noted in comes before
    with pytest.raises(DiskError):
        write_file(original, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert list((tmp_path / "a").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no extended attributes for Python")
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_owner_mode_attributes_and_links_stay(
    tmp_path: Path, closed_folder: Callable[[], None], situation: Any
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old\n")
    name = situation(path)
    path.chmod(0o4751)
    if os.geteuid() == 0:
        os.chown(str(path), 0, 12345)
        path.chmod(0o4751)
    try:
        os.setxattr(str(path), "user.colour", b"blue")
    except OSError:
        print("no extended attributes on this file system")
    if situation is alone_in_closed_folder:
        closed_folder()
    before = picture(tmp_path)
    write_file(read(name), b"new and longer\n")
    assert path.read_bytes() == name.read_bytes() == b"new and longer\n"
    assert picture(tmp_path) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_stays_theirs(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old\n")
    os.chown(str(path), 65534, 65534)
    number = path.stat().st_ino
    write_file(read(path), b"new\n")
    assert (path.stat().st_uid, path.stat().st_ino, path.read_bytes()) == (65534, number, b"new\n")


@pytest.mark.parametrize("situation", [plain, with_hard_link], ids=lambda situation: situation.__name__)
@pytest.mark.parametrize("moment", ["write", "fsync"])
@pytest.mark.parametrize("in_place", [True, False], ids=["in place", "by another file"])
def test_what_somebody_else_writes_meanwhile_is_not_lost(
    tmp_path: Path, monkeypatch: Any, moment: str, situation: Any, in_place: bool
) -> None:
    """While the journal is written."""
    path = tmp_path / "file.txt"
    path.write_bytes(b"old\n")
    original = read(situation(path))
    real = getattr(os, moment)

    def disturbed(*arguments: Any) -> Any:
        monkeypatch.undo()
        theirs = path if in_place else path.with_name("theirs")
        theirs.write_bytes(b"theirs\n")
        os.replace(str(theirs), str(path))
        return real(*arguments)

    monkeypatch.setattr(os, moment, disturbed)
    with pytest.raises(ChangedError):
        write_file(original, b"new\n")
    assert path.read_bytes() == b"theirs\n"
    assert not [left for left in tmp_path.iterdir() if file_replacement.SUFFIX in left.name]


# -- a real disk ------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB, where one can be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounting = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], stderr=subprocess.PIPE, check=False
        )
        if sys.platform == "linux" and os.geteuid() == 0
        else None
    )
    if mounting is None or mounting.returncode != 0:
        pytest.skip("no file system can be mounted here: the faults above stand in for it")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("linked", [False, True], ids=["one name", "two names"])
def test_a_small_disk_of_any_fullness(small_disk: Path, linked: bool) -> None:
    written = kept = 0
    for old_size, new_size in [(4096, 8192), (8192, 4096), (4096, 20000), (1, 40000), (30000, 29999), (16384, 32768)]:
        for filled in sample(range(0, 60 * 1024, 4096), ONE_IN):
            for left in list(small_disk.iterdir()):
                left.unlink()
            path = small_disk / "file.txt"
            path.write_bytes(b"o" * old_size)
            if linked:
                os.link(str(path), str(small_disk / "other"))
            try:
                (small_disk / "filler").write_bytes(b"f" * filled)
            except OSError:
                continue  # no room left for less
            names = sorted(left.name for left in small_disk.iterdir())
            try:
                write_file(read(path), b"n" * new_size)
            except DiskError as error:
                assert "No space left" in str(error)
                assert path.read_bytes() == b"o" * old_size
                kept += 1
            else:
                assert path.read_bytes() == b"n" * new_size
                written += 1
            assert sorted(left.name for left in small_disk.iterdir()) == names
            assert stat.S_ISREG(path.lstat().st_mode)
    assert written
    assert kept
    print(f"{written} written, {kept} kept")
