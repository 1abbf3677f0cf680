"""Accepted texts that outlive the editor: private, whole, and gone as soon as they are not needed."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Callable, List

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.document.kept_texts import KeptText, Text, left_over


def running() -> bool:
    """What work on a disk thread asks for: nobody has cancelled it."""
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Package Storage" / "Gemini Companion"


@pytest.fixture
def keep(tmp_path: Path, folder: Path) -> Callable[..., KeptText]:
    def kept(content: str = "mine\n", name: str = "file.py") -> KeptText:
        made = KeptText(str(folder), Text(str(tmp_path / name), "A client", content))
        made.keep(running)
        return made

    return kept


def found(folder: Path) -> List[Text]:
    return [kept.text for kept in left_over(str(folder), running)]


@pytest.mark.parametrize("content", ["mine\r\n", "", "\u00fc \U0001f600 \ud800", "\x00"])
def test_what_was_kept_is_found_to_the_letter(
    tmp_path: Path, folder: Path, keep: Callable[..., KeptText], content: str
):
    keep(content)
    assert found(folder) == [Text(str(tmp_path / "file.py"), "A client", content)]


def test_a_text_that_is_kept_while_the_last_other_one_goes(
    folder: Path, keep: Callable[..., KeptText], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder goes with the last text, perhaps just before this one's file is made."""
    others, real = [keep("other\n")], os.open

    def late(path: str, *flags: int) -> int:
        if others:
            others.pop().drop(running)
        return real(path, *flags)

    monkeypatch.setattr(os, "open", late)
    keep("mine\n")
    assert [text.content for text in found(folder)] == ["mine\n"]


def test_where_no_folder_can_be_made_that_is_the_end_of_it(
    folder: Path, keep: Callable[..., KeptText], caplog: pytest.LogCaptureFixture
) -> None:
    folder.parent.mkdir()
    folder.symlink_to("nothing")
    keep()
    assert "could not be kept" in caplog.text


def test_two_texts_of_one_file_are_two(folder: Path, keep: Callable[..., KeptText]) -> None:
    keep("one\n")
    keep("two\n")
    assert sorted(text.content for text in found(folder)) == ["one\n", "two\n"]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_only_the_user_can_read_it(folder: Path, keep: Callable[..., KeptText]) -> None:
    keep()
    (file,) = folder.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)


def test_nothing_stays_of_what_is_needed_no_more(folder: Path, keep: Callable[..., KeptText]) -> None:
    first, second = keep("one\n"), keep("two\n")
    first.drop(running)
    assert [text.content for text in found(folder)] == ["two\n"]
    second.drop(running)
    assert not folder.exists() and found(folder) == []


def test_one_that_is_dropped_before_it_is_made_is_not_made(tmp_path: Path, folder: Path) -> None:
    kept = KeptText(str(folder), Text(str(tmp_path / "file.py"), "A client", "mine\n"))
    kept.drop(running)
    kept.keep(running)
    assert not folder.exists()


def test_one_that_was_found_can_be_dropped(folder: Path, keep: Callable[..., KeptText]) -> None:
    keep()
    left_over(str(folder), running)[0].drop(running)
    assert not folder.exists()


@pytest.mark.parametrize("written", [b"mine\n", b"mine\r\n"])
def test_one_that_was_written_after_all_is_dropped(
    tmp_path: Path, folder: Path, keep: Callable[..., KeptText], written: bytes
) -> None:
    keep()
    (tmp_path / "file.py").write_bytes(written)
    assert found(folder) == [] and not folder.exists()


def test_one_whose_file_holds_something_else_is_not(
    tmp_path: Path, folder: Path, keep: Callable[..., KeptText]
) -> None:
    (tmp_path / "file.py").write_bytes(b"mine")
    keep()
    assert len(found(folder)) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"path": "/a", "client": "b"}', b'{"path": "a", "client": "b", "content": "c"}', b"\xff"],
)
def test_what_is_none_of_ours_stays_and_is_not_shown(folder: Path, content: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / "other.json").write_bytes(content)
    assert found(folder) == [] and (folder / "other.json").exists()


def test_a_folder_that_cannot_be_made_stops_nobody(tmp_path: Path, folder: Path, keep: Callable[..., KeptText]) -> None:
    folder.parent.mkdir()
    folder.write_bytes(b"a file")
    keep().drop(running)
    assert found(folder) == []
