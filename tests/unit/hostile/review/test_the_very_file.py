"""What is written is the very file that was compared, whatever its path or its time stamp says."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, List

import pytest

from companion.review.document import disk, file_replacement
from companion.review.document.disk import ChangedError, DiskError, Kind
from companion.review.document.preparation import FileRequest, PathError, prepare
from companion.review.document.text import DEFAULT_FALLBACK
from tests.host.waiting import NEVER_SECONDS
from tests.support.writing import write_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links are POSIX's")


def read(path: Path, **options: Any) -> disk.Original:
    return disk.read(str(path), disk.ReadLimits(1000, 100), **options)


def releases(folder: Path, second: bytes = b"text\n") -> Path:
    """Two folders, and a link to the first one."""
    for name, content in (("release1", b"text\n"), ("release2", second)):
        (folder / name).mkdir()
        (folder / name / "file").write_bytes(content)
    (folder / "current").symlink_to("release1")
    return folder / "current" / "file"


def retarget(folder: Path) -> None:
    (folder / "current").unlink()
    (folder / "current").symlink_to("release2")


@pytest.mark.parametrize("second", [b"text\n", b"other\n"], ids=["the same text", "another text"])
def test_a_folder_link_that_was_retargeted(tmp_path: Path, second: bytes) -> None:
    path = releases(tmp_path, second)
    original = read(path)
    retarget(tmp_path)
    assert disk.changed(original)
    with pytest.raises(ChangedError):
        write_file(original, b"new\n")
    assert (tmp_path / "release1" / "file").read_bytes() == b"text\n"
    assert (tmp_path / "release2" / "file").read_bytes() == second
    write_file(read(path), b"new\n")  # which is the one in the second release
    assert (tmp_path / "release1" / "file").read_bytes() == b"text\n"
    assert (tmp_path / "release2" / "file").read_bytes() == b"new\n"


def test_which_paths_are_the_same_file_is_asked_anew_each_time(tmp_path: Path) -> None:
    path = releases(tmp_path)
    first, second = str(tmp_path / "release1" / "file"), str(tmp_path / "release2" / "file")
    others = [first, second, str(tmp_path / "missing")]
    assert disk.same_files(str(path), others) == {first}
    retarget(tmp_path)
    assert disk.same_files(str(path), others) == {second}
    assert disk.same_files(str(tmp_path / "missing"), others) == {str(tmp_path / "missing")}


def test_a_change_of_the_same_size_and_time_stamp(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"ours\n")
    os.utime(str(path), ns=(10**18, 10**18))
    original = read(path)
    path.write_bytes(b"them\n")
    os.utime(str(path), ns=(10**18, 10**18))
    with pytest.raises(ChangedError):
        write_file(original, b"new\n")
    assert path.read_bytes() == b"them\n"
    assert os.listdir(str(tmp_path)) == ["file"]


@pytest.mark.parametrize("text", [b"text\n", b""])
def test_a_file_in_place_of_another_with_the_same_text(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(text)
    original = read(path)
    (tmp_path / "other").write_bytes(text)
    os.replace(str(tmp_path / "other"), str(path))
    assert disk.changed(original)
    with pytest.raises(ChangedError):
        write_file(original, b"new\n")


def test_a_dangling_link_is_answered_in_a_sentence(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("nowhere")
    original = read(link)
    assert (original.kind, original.notice) == (
        Kind.UNREADABLE,
        "link is a link to nowhere, which does not exist.",
    )
    with pytest.raises(DiskError, match="link is not overwritten"):
        disk.encoded(original, "text")


def test_a_new_file_in_whose_place_a_dangling_link_has_come(tmp_path: Path) -> None:
    link = tmp_path / "link"
    original = read(link)
    link.symlink_to("nowhere")
    with pytest.raises(DiskError, match="link is a link to nowhere, which does not exist"):
        write_file(original, b"new\n")
    assert os.listdir(str(tmp_path)) == ["link"]


def test_a_client_that_asks_for_a_diff_of_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    file_request = FileRequest(str(tmp_path / "link"), disk.ReadLimits(1000, 100), DEFAULT_FALLBACK, {})
    with pytest.raises(PathError, match="link is a link to nowhere, which does not exist"):
        prepare(file_request, "text")


@pytest.mark.parametrize("second", ["file", "link", "hard link", "other"])
def test_one_file_is_written_by_one_at_a_time_whatever_its_name(tmp_path: Path, monkeypatch: Any, second: str) -> None:
    (tmp_path / "file").write_bytes(b"text\n")
    (tmp_path / "other").write_bytes(b"text\n")
    (tmp_path / "link").symlink_to("file")
    os.link(str(tmp_path / "file"), str(tmp_path / "hard link"))
    real, both = file_replacement.replace_content, threading.Barrier(2)
    met: List[bool] = []
    problems: List[str] = []

    def slow(*arguments: Any) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait(NEVER_SECONDS if second == "other" else 0.5)
            met.append(True)
        real(*arguments)

    def write(original: disk.Original, data: bytes) -> None:
        try:
            disk.write(original, data, str(tmp_path / "storage"))
        except ChangedError as error:
            problems.append(str(error))

    monkeypatch.setattr(file_replacement, "replace_content", slow)
    writers = [threading.Thread(target=write, args=(read(tmp_path / name), name.encode())) for name in ("file", second)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(NEVER_SECONDS)
    if second == "other":
        assert met
        assert not problems
    else:
        assert not met
        assert len(problems) == 1
        assert "has changed on disk" in problems[0]
        assert (tmp_path / "file").read_bytes() in (b"file", second.encode())
