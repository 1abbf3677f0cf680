"""What a write left that ended too early is brought to an end, and nothing else is touched."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import Any, Callable, List

import pytest

from companion.review.document import disk, journal
from companion.review.document.journal import PATIENCE_SECONDS, Note, PlannedWrite, recover
from companion.system import files
from companion.system.files import Stamp

OLD, NEW = b"old text\n", b"the new one, longer\n"
HALF = NEW[:4] + OLD[4:]
PUT_BACK = "file.txt was being written when the editor ended: it has its former text again"


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    return tmp_path / "storage"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "project" / "file.txt"
    made.parent.mkdir()
    made.write_bytes(OLD)
    return made


def entry(path: Path) -> PlannedWrite:
    """As it is noted while the file is rewritten, with the copy beside it."""
    identity = Stamp.of(path.stat()).file
    return PlannedWrite(str(path), str(path.with_name(".beside")), identity=identity, old=OLD, new=NEW)


def note(storage: Path, of: PlannedWrite) -> Note:
    return Note(str(storage), of)


def recovered(storage: Path) -> List[str]:
    return recover(str(storage), lambda: False)


def in_place(path: Path, content: bytes) -> None:
    """Write as those do that leave it the same file."""
    with open(str(path), "r+b") as file:
        file.truncate()
        file.write(content)


@pytest.mark.parametrize(
    "left",
    [HALF, OLD + NEW[len(OLD) :], OLD + NEW[len(OLD) : -3], NEW[:-3] + b"\0\0\0", OLD + b"\0" * 5],
    ids=["over the old text", "longer", "still growing", "zeros at the end", "zeros only"],
)
def test_a_file_that_is_half_written_gets_its_old_text_back(path: Path, storage: Path, left: bytes) -> None:
    note(storage, entry(path)).leave()
    path.with_name(".beside").write_bytes(OLD)
    in_place(path, left)
    assert recovered(storage) == [PUT_BACK]
    assert path.read_bytes() == OLD
    assert [each.name for each in path.parent.iterdir()] == ["file.txt"]
    assert not storage.exists()


@pytest.mark.parametrize("left", [OLD, NEW], ids=["old", "new"])
def test_a_whole_file_is_left_as_it_is(path: Path, storage: Path, left: bytes) -> None:
    note(storage, entry(path)).leave()
    in_place(path, left)
    assert recovered(storage) == []
    assert path.read_bytes() == left
    assert not storage.exists()


@pytest.mark.parametrize("left", [b"", b"mended by hand\n", HALF + NEW, HALF.replace(b"t", b"T")])
def test_one_that_was_changed_since_is_left_alone_and_the_old_text_is_kept(
    path: Path, storage: Path, left: bytes
) -> None:
    note(storage, entry(path)).leave()
    in_place(path, left)
    (said,) = recovered(storage)
    before, _, aside = said.partition(": its former text is in ")
    assert before == "file.txt was being written when the editor ended, and has been changed since"
    assert OLD in Path(aside).read_bytes()
    assert path.read_bytes() == left
    assert recovered(storage) == []


def test_it_is_the_same_file_when_the_system_numbers_its_devices_anew(path: Path, storage: Path) -> None:
    """As many do after the power has failed."""
    device, number = Stamp.of(path.stat()).file
    note(storage, entry(path)._replace(identity=(device + 1, number))).leave()
    in_place(path, HALF)
    assert recovered(storage) == [PUT_BACK]
    assert path.read_bytes() == OLD


def test_another_file_in_its_place_is_left_alone_and_the_old_text_is_kept(path: Path, storage: Path) -> None:
    """Many programs save so, and whoever opened the file has seen it half written."""
    note(storage, entry(path)).leave()
    path.with_name("other").write_bytes(HALF)
    os.replace(str(path.with_name("other")), str(path))
    (said,) = recovered(storage)
    assert OLD in Path(said.partition(": its former text is in ")[2]).read_bytes()
    assert path.read_bytes() == HALF


def test_another_file_in_its_place_may_be_whole(path: Path, storage: Path) -> None:
    note(storage, entry(path)).leave()
    path.with_name("other").write_bytes(NEW)
    os.replace(str(path.with_name("other")), str(path))
    assert recovered(storage) == []
    assert not storage.exists()


@pytest.mark.parametrize("is_folder", [False, True], ids=["gone", "a folder"])
def test_nothing_is_put_back_where_there_is_no_file_any_more(path: Path, storage: Path, is_folder: bool) -> None:
    note(storage, entry(path)).leave()
    path.unlink()
    if is_folder:
        path.mkdir()
    assert recovered(storage) == []
    assert path.is_dir() == path.exists() == is_folder
    assert not storage.exists()


def test_a_removal_that_had_not_begun_or_was_done_needs_no_end(path: Path, storage: Path) -> None:
    note(storage, PlannedWrite(str(path), str(path.with_name(".aside")), is_aside=True)).leave()
    assert recovered(storage) == []
    assert path.read_bytes() == OLD
    assert not storage.exists()


def test_a_write_that_is_still_running_is_not_touched(path: Path, storage: Path) -> None:
    """Another editor with the same folder, or this one before an upgrade."""
    running = note(storage, entry(path))
    path.with_name(".beside").write_bytes(OLD)
    in_place(path, HALF)
    assert recovered(storage) == []
    assert path.read_bytes() == HALF
    assert path.with_name(".beside").exists()
    running.remove()


def test_of_a_new_file_nothing_is_left(tmp_path: Path, storage: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "a" / "b"]
    for folder in folders:
        folder.mkdir()
    path = folders[-1] / "file.txt"
    (folders[-1] / ".beside").write_bytes(NEW)
    path.write_bytes(b"")
    of = PlannedWrite(str(path), str(folders[-1] / ".beside"), tuple(map(str, folders)), holds_place=True)
    note(storage, of).leave()
    assert recovered(storage) == []
    assert not folders[0].exists()


def test_a_drive_that_is_away_is_waited_for(
    path: Path, storage: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    note(storage, entry(path)).leave()
    in_place(path, HALF)
    away = path.parent.with_name("away")
    path.parent.rename(away)
    assert recovered(storage) == []
    assert "could not be brought to an end" in caplog.text
    away.rename(path.parent)
    assert recovered(storage) == [PUT_BACK]
    note(storage, entry(path)).leave()
    path.parent.rename(away)
    later = time.time() + PATIENCE_SECONDS
    monkeypatch.setattr(time, "time", lambda: later)
    (said,) = recovered(storage)
    assert OLD in Path(said.partition("the note on it is now ")[2]).read_bytes(), "and then it is not forgotten"
    assert recovered(storage) == []


@pytest.mark.parametrize(
    "content",
    [b"", b"{}\n", b"[]\n", b"\xff\n", b'{"path": 1, "beside": "", "folders": [], "identity": [0, 0], "size": 0}\n'],
)
def test_a_note_that_cannot_be_read_is_said_and_set_aside(
    storage: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    storage.mkdir()
    (storage / ("1" + journal.SUFFIX)).write_bytes(content)
    (said,) = recovered(storage)
    assert "cannot be read: it is now " in said
    assert said in caplog.text
    assert Path(said.partition("it is now ")[2]).read_bytes() == content
    assert recovered(storage) == []


@pytest.mark.parametrize("name", ["file.txt", "\u0444\u0430\u0439\u043b \udcff\n.txt"])
def test_what_is_noted_is_read_again_to_the_byte(storage: Path, name: str) -> None:
    of = PlannedWrite("/" + name, "/." + name, ("/a", "/a/b"), True, (1, 2**63), b"\r\n\0\xff", b"")
    note(storage, of).leave()
    (left,) = files.left_over(str(storage), journal.SUFFIX)
    assert journal.read(left) == of
    left.remove()


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be flushed there")
def test_it_is_on_the_disk_before_the_first_byte_of_the_file_changes(
    path: Path, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(str(path), str(path.with_name("other")))  # so that it is rewritten
    original = disk.read(str(path), disk.ReadLimits(1000, 100))
    flushed, unflushed, write, fsync = set(), [], os.write, os.fsync

    def watched_write(descriptor: int, data: bytes) -> int:
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            noted = [storage, *storage.iterdir()]
            unflushed.append([each for each in noted if each.stat().st_ino not in flushed])
        return write(descriptor, data)

    def watched_fsync(descriptor: int) -> None:
        flushed.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "write", watched_write)
    monkeypatch.setattr(os, "fsync", watched_fsync)
    disk.write(original, NEW, str(storage))
    assert unflushed == [[], []]


@pytest.mark.parametrize("name", ["file.txt", "new.txt"], ids=["there", "new"])
def test_what_gets_a_name_is_on_the_disk_before(
    path: Path, storage: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A name may outlive a failure of the power that its bytes do not."""
    original = disk.read(str(path.with_name(name)), disk.ReadLimits(1000, 100))
    flushed, named, fsync = set(), [], os.fsync

    def watched_fsync(descriptor: int) -> None:
        flushed.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def watched(real: Callable[[str, str], None]) -> Callable[[str, str], None]:
        def give(source: str, target: str) -> None:
            named.append((os.path.basename(target), os.stat(source).st_ino in flushed))
            real(source, target)

        return give

    monkeypatch.setattr(os, "fsync", watched_fsync)
    for call in ("link", "replace", "rename"):
        monkeypatch.setattr(os, call, watched(getattr(os, call)))
    disk.write(original, NEW, str(storage))
    assert all(on_disk for _, on_disk in named), named
    assert (name in [each for each, _ in named]) == (name == "new.txt")
    assert named  # the note, if nothing else


@pytest.mark.parametrize(
    ("new", "steps"),
    [(NEW, ["write", "fsync", "write", "fsync"]), (b"new\n", ["write", "fsync", "ftruncate", "fsync"])],
    ids=["longer", "shorter"],
)
def test_each_step_of_a_rewrite_is_on_the_disk_before_the_next(
    path: Path, storage: Path, monkeypatch: pytest.MonkeyPatch, new: bytes, steps: List[str]
) -> None:
    os.link(str(path), str(path.with_name("other")))
    original = disk.read(str(path), disk.ReadLimits(1000, 100))
    number, made = path.stat().st_ino, []

    def watched(call: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def do(descriptor: int, *arguments: Any) -> Any:
            if os.fstat(descriptor).st_ino == number:
                made.append(call)
            return real(descriptor, *arguments)

        return do

    for call in ("write", "fsync", "ftruncate"):
        monkeypatch.setattr(os, call, watched(call, getattr(os, call)))
    disk.write(original, new, str(storage))
    assert made == steps
    assert path.read_bytes() == new
