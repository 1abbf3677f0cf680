"""Whether a client has written what it was to write: line ends, marks, encodings and sizes do not matter."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.document import written

LATIN = "Western (Windows 1252)"


def holds(path: Path, data: bytes, text: str, **options) -> bool:
    path.write_bytes(data)
    return written.find(str(path), text, **options) is not None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\nb\n", "a\r\nb\r\n"),
        (b"a\r\nb\n", "a\nb\n"),
        (b"\xef\xbb\xbfa\n", "a\n"),
        (b"a\n", "\ufeffa\n"),
        ("\ufeff\u0436\n".encode("utf-16-le"), "\u0436\n"),
        (b"", ""),
    ],
)
def test_line_ends_and_a_mark_do_not_matter(tmp_path, data, text):
    assert holds(tmp_path / "file", data, text)


@pytest.mark.parametrize(("data", "text"), [(b"a", "a\n"), (b"a\n", "a"), (b"a\n\n", "a\n")])
def test_the_last_line_end_does_unless_it_is_said_not_to(tmp_path, data, text):
    assert not holds(tmp_path / "file", data, text)
    assert holds(tmp_path / "file", data, text, last_line_end_matters=False)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("known", ["", LATIN])
def test_both_encodings_are_tried(tmp_path, encoding, known):
    fallback = {"fallback": LATIN}
    assert holds(tmp_path / "file", "\u00e9\n".encode(encoding), "\u00e9\n", encoding=known, **fallback)
    assert not holds(tmp_path / "file", "\u00e8\n".encode(encoding), "\u00e9\n", encoding=known, **fallback)


def test_a_file_of_any_size_is_known(tmp_path):
    text = "\U0001f600\n" * 300000
    assert holds(tmp_path / "file", text.replace("\n", "\r\n").encode(), text)
    assert not holds(tmp_path / "file", (text + "x").encode(), text)


def test_one_that_is_far_too_large_is_not_read(tmp_path):
    assert not holds(tmp_path / "file", b"a\n" * 10**6, "a\n")


def test_nor_one_that_is_not_there(tmp_path):
    assert written.find(str(tmp_path / "file"), "") is None
