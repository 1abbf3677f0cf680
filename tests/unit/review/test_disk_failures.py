"""A write that fails leaves the file as it was, and a change is seen however the clock ticks."""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from companion.review.document import disk, journal
from companion.review.document.disk import ChangedError, DiskError, Kind
from companion.review.document.journal import PlannedWrite
from companion.system.files import NotRegularError, opened, read_all
from tests.support.writing import write_file

OLD = b"old line\r\n" * 100
NEW = b"a much longer new line\r\n" * 4000


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return disk.read(str(path), disk.ReadLimits(10**6, 10**4))


def is_as_before(original):
    """The file has its old bytes and mode, and nothing lies beside it."""
    path = Path(original.path)
    assert path.read_bytes() == OLD
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert not disk.changed(original)


class TestAFullDisk:
    @pytest.mark.skipif(os.name == "nt", reason="limits of this kind are POSIX's")
    @pytest.mark.parametrize("room", [0, 100, len(OLD), 2 * len(OLD), len(NEW) - 1])
    def test_the_old_text_is_back_when_the_new_one_breaks_off(self, original, room):
        """The kernel itself cuts the write off in its midst: no file may grow beyond `room` bytes or the old text."""
        import resource

        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(room, len(OLD)), limits[1]))
        try:
            with pytest.raises(DiskError) as caught:
                write_file(original, NEW)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert not isinstance(caught.value, ChangedError)
        assert str(caught.value).startswith("file.txt cannot be written: File too large")
        is_as_before(original)


def test_what_cannot_be_noted_is_not_begun(tmp_path, original):
    (tmp_path / "storage").write_bytes(b"a file")
    for path in (original.path, str(tmp_path / "new" / "file.txt")):
        found = disk.read(path, disk.ReadLimits(10**6, 10**4))
        with pytest.raises(
            DiskError, match=r"file.txt cannot be written: .+ \(in the editor's folder Package Storage\)\."
        ):
            disk.write(found, NEW, str(tmp_path / "storage" / "folder"))
    (tmp_path / "storage").unlink()
    is_as_before(original)


def test_a_disk_that_takes_nothing_without_an_error_is_not_waited_for(original, monkeypatch):
    monkeypatch.setattr(os, "write", lambda descriptor, data: 0)
    with pytest.raises(DiskError, match="cannot be written: Input/output error"):
        write_file(original, NEW)
    is_as_before(original)


def test_a_disk_that_knows_no_flushing_is_written_to(original, monkeypatch):
    def refuse(descriptor):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuse)
    write_file(original, NEW)
    assert Path(original.path).read_bytes() == NEW


class TestWhatIsNoFile:
    """Its other end notices when it is opened, and it may come between a look and the opening."""

    @pytest.fixture
    def fifo(self, tmp_path):
        if not hasattr(os, "mkfifo"):
            pytest.skip("FIFOs are POSIX's")
        path = str(tmp_path / "fifo")
        os.mkfifo(path)
        return path

    def test_it_is_not_opened(self, fifo, monkeypatch):
        monkeypatch.setattr(os, "open", lambda *arguments: pytest.fail("opened"))
        with pytest.raises(NotRegularError), opened(fifo, os.O_RDONLY):
            pass

    def test_one_that_came_meanwhile_is_closed_again(self, fifo, original, monkeypatch):
        file, closed = os.stat(original.path), []
        real = os.close
        monkeypatch.setattr(os, "stat", lambda path: file)
        monkeypatch.setattr(os, "close", lambda descriptor: (closed.append(descriptor), real(descriptor)))
        with pytest.raises(NotRegularError), opened(fifo, os.O_RDONLY):
            pass
        assert len(closed) == 1


class TestSeeingAChange:
    """Two writes within one tick of the file system's clock bear the same time."""

    def same_size(self, original, when):
        path = Path(original.path)
        path.write_bytes(OLD.replace(b"old", b"new"))
        os.utime(str(path), ns=(when, when))
        assert path.stat().st_size == len(OLD)

    def test_one_of_the_same_size_in_the_same_tick(self, original):
        self.same_size(original, original.stamp.modified)
        assert disk.changed(original)

    def test_one_of_the_same_size_that_bears_an_old_time(self, original):
        self.same_size(original, original.stamp.modified - 10**11)
        assert disk.changed(original)

    def test_one_of_the_same_size_whose_clock_is_ahead(self, tmp_path, original):
        ahead = time.time_ns() + 3600 * 10**9
        os.utime(original.path, ns=(ahead, ahead))
        original = disk.read(original.path, disk.ReadLimits(10**6, 10**4))
        self.same_size(original, ahead)
        assert disk.changed(original)

    def test_one_of_another_size_at_the_same_time(self, original):
        Path(original.path).write_bytes(OLD[:-1])
        os.utime(original.path, ns=(original.stamp.modified,) * 2)
        assert disk.changed(original)

    def test_a_file_that_was_only_touched_has_not_changed(self, original):
        later = time.time_ns() + 10**10
        os.utime(original.path, ns=(later, later))
        assert not disk.changed(original)

    @pytest.mark.parametrize("kind", [Kind.HUGE, Kind.UNREADABLE])
    def test_what_was_never_read_has_not_changed(self, original, tmp_path, kind):
        path = original.path
        if kind is Kind.UNREADABLE:
            path = str(tmp_path / "dangling")
            os.symlink(str(tmp_path / "nothing"), path)
        found = disk.read(path, disk.ReadLimits(10, 10))
        assert found.kind is kind
        assert not disk.changed(found)

    def test_what_cannot_be_looked_at_now_has_not_changed(self, original, monkeypatch):
        def fail(*args, **options):
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(os, "stat", fail)
        assert not disk.changed(original)


def test_a_file_too_large_to_compare_is_watched_and_written_in_its_own_way(tmp_path):
    path = tmp_path / "large.txt"
    path.write_bytes(OLD)
    original = disk.read(str(path), disk.ReadLimits(1000, 9))
    assert original.kind is Kind.HUGE
    assert not disk.changed(original)
    write_file(original, disk.encoded(original, "new\nline\n"))
    assert path.read_bytes() == b"new\r\nline\r\n"
    assert disk.changed(original)


class TestRewriting:
    """The file is written over in place: it stays what it was, but for its text."""

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
    def test_it_is_the_same_file_with_its_mode_and_its_attributes(self, tmp_path, mode):
        path = tmp_path / "file.txt"
        path.write_bytes(OLD)
        path.chmod(mode)
        with suppress(OSError, AttributeError):  # a disk, or a system, without attributes
            os.setxattr(str(path), "user.note", b"kept")
        before, attributes = path.stat(), attributes_of(path)
        write_file(disk.read(str(path), disk.ReadLimits(10**6, 10**4)), NEW)
        after = path.stat()
        assert path.read_bytes() == NEW
        assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
        assert attributes_of(path) == attributes

    @pytest.mark.skipif(os.name == "nt", reason="marks of this kind are POSIX's")
    def test_a_mark_that_the_system_takes_off_is_given_back(self, original, monkeypatch):
        path, real = Path(original.path), os.write
        path.chmod(0o4755)

        def write(descriptor, data):
            written = real(descriptor, data)
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                path.chmod(0o755)  # as for anybody but root
            return written

        monkeypatch.setattr(os, "write", write)
        write_file(original, NEW)
        assert path.read_bytes() == NEW
        assert stat.S_IMODE(path.stat().st_mode) == 0o4755

    def test_what_only_seems_to_be_put_back_comes_from_another_file(self, tmp_path, monkeypatch):
        path, real = tmp_path / "file.txt", os.write
        path.write_bytes(b"torn")

        def write(descriptor, data):
            is_it = os.path.samestat(os.fstat(descriptor), path.stat())
            return len(data) if is_it else real(descriptor, data)

        monkeypatch.setattr(os, "write", write)
        with opened(str(path), os.O_RDWR) as (descriptor, _):
            journal.put_back(descriptor, PlannedWrite(str(path), str(tmp_path / "other"), old=OLD))
        assert path.read_bytes() == OLD
        assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]

    def test_a_disk_that_keeps_nothing_leaves_the_file_to_the_next_start(self, tmp_path, monkeypatch):
        path = tmp_path / "file.txt"
        path.write_bytes(b"torn")
        monkeypatch.setattr(os, "write", lambda descriptor, data: len(data))
        with opened(str(path), os.O_RDWR) as (descriptor, _), pytest.raises(OSError, match="Input/output error"):
            journal.put_back(descriptor, PlannedWrite(str(path), str(tmp_path / "other"), old=OLD))
        assert path.read_bytes() == b"torn"
        assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]


def attributes_of(path):
    return os.listxattr(str(path)) if hasattr(os, "listxattr") else []


@pytest.mark.skipif(not hasattr(os, "listxattr"), reason="elsewhere Python knows no attributes")
class TestTheFileThatTakesItsPlace:
    """Where a file cannot be written back, one that is like it has the old bytes."""

    @pytest.fixture
    def replaced(self, tmp_path):
        path = tmp_path / "file.txt"
        path.write_bytes(b"torn")
        path.chmod(0o640)

        def replace():
            former = path.stat().st_ino
            journal._put_another(PlannedWrite(str(path), str(tmp_path / "other"), old=OLD))
            assert path.read_bytes() == OLD
            assert path.stat().st_ino != former
            return stat.S_IMODE(path.stat().st_mode)

        return path, replace

    def test_the_new_file_has_the_old_mode_and_attributes_and_not_the_folders(self, replaced, monkeypatch):
        path, replace = replaced
        new_file = journal.new_file

        @contextmanager
        def handing_down(path):
            with new_file(path) as descriptor:
                os.setxattr(descriptor, "user.handed-down", b"1")
                yield descriptor

        try:
            os.setxattr(str(path), "user.kept", b"1")
        except OSError as error:
            pytest.skip(f"this disk has no attributes: {error.strerror}")
        monkeypatch.setattr(journal, "new_file", handing_down)
        assert replace() == 0o640
        assert os.listxattr(str(path)) == ["user.kept"]

    @pytest.mark.parametrize("call", ["fchown", "fchmod"])
    def test_what_cannot_be_given_leaves_it_to_the_user_alone(self, replaced, monkeypatch, call):
        def refuse(*arguments):
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(os, call, refuse)
        assert replaced[1]() == 0o600

    def test_where_files_have_no_attributes(self, replaced, monkeypatch):
        def refuse(file):
            raise OSError(errno.ENOTSUP, "Operation not supported")

        monkeypatch.setattr(os, "listxattr", refuse)
        assert replaced[1]() == 0o640


@pytest.mark.parametrize(("most", "expected"), [(None, 100), (99, 100), (100, 100), (10, 11), (0, 1)])
def test_a_file_that_grows_is_read_only_until_it_is_known_to_be_too_long(tmp_path, most, expected):
    path = tmp_path / "file.txt"
    path.write_bytes(b"x" * 100)
    with opened(str(path), os.O_RDONLY) as (descriptor, _):
        assert len(read_all(descriptor, most)) == expected
        assert len(read_all(descriptor, most)) == expected, "each time from the start"
