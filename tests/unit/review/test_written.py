"""Whether a client has written what it was to write: line ends, marks, encodings and sizes do not matter."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.review import accepted_text
from companion.review.document import disk

CYRILLIC = "Cyrillic (Windows 1251)"


def holds(path: Path, data: bytes, text: str, **options) -> bool:
    path.write_bytes(data)
    return accepted_text.find(str(path), text, **options) is not None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\nb\n", "a\r\nb\r\n"),
        (b"a\r\nb\n", "a\nb\n"),
        (b"\xef\xbb\xbfa\n", "a\n"),
        (b"a\n", "\ufeffa\n"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", "\ufeff\ufeffa\n"),
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


@pytest.mark.parametrize(("encoding", "known"), [("utf-8", ""), ("utf-8", CYRILLIC), ("cp1251", CYRILLIC)])
def test_it_may_be_in_the_known_encoding_or_in_utf_8(tmp_path, encoding, known):
    assert holds(tmp_path / "file", "\u0436\n".encode(encoding), "\u0436\n", encoding=known)
    assert not holds(tmp_path / "file", "\u0448\n".encode(encoding), "\u0436\n", encoding=known)


def test_a_file_of_any_size_is_known(tmp_path):
    text = "\U0001f600\n" * 300000
    assert holds(tmp_path / "file", text.replace("\n", "\r\n").encode(), text)
    assert not holds(tmp_path / "file", (text + "x").encode(), text)


def test_one_that_is_far_too_large_is_not_read(tmp_path):
    assert not holds(tmp_path / "file", b"a\n" * 10**6, "a\n")


def test_nor_one_that_is_not_there(tmp_path):
    assert accepted_text.find(str(tmp_path / "file"), "") is None


class TestLooking:
    """What a look at the file sees, and when it proves that the client has written."""

    @pytest.fixture
    def file(self, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(b"old\n")
        return path

    def reviewed(self, file):
        return disk.read(str(file), maximum_bytes=1000, maximum_lines=100)

    def look(self, file, text="new\n", awaited=None, original=None, last=None):
        return accepted_text.look(original, str(file), text, awaited, last)

    def test_a_file_that_holds_the_text_is_found(self, file):
        assert self.look(file).found is None
        file.write_bytes(b"new\r\n")
        assert self.look(file).found.text == "new\n"

    def test_a_file_that_held_it_all_the_time_does_too(self, file):
        assert self.look(file, "old\n", original=self.reviewed(file)).found is not None

    @pytest.mark.parametrize("proposed", ["old\n", "old\r\n"])
    def test_what_was_there_before_was_not_written_in_place_of_the_text(self, file, proposed):
        original = self.reviewed(file)
        assert self.look(file, awaited=proposed, original=original).found is None
        os.utime(str(file), (1, 1))  # as by a client that writes what is there
        assert self.look(file, awaited=proposed, original=original).found is not None

    def test_a_file_that_was_replaced_by_an_equal_one_was_written(self, file, tmp_path):
        original, times = self.reviewed(file), os.stat(str(file))
        (tmp_path / "other").write_bytes(b"old\n")
        os.utime(str(tmp_path / "other"), ns=(times.st_atime_ns, times.st_mtime_ns))
        os.replace(str(tmp_path / "other"), str(file))
        assert self.look(file, awaited="old\n", original=original).found is not None

    def test_in_its_place_the_client_writes_every_letter_but_line_ends(self, file):
        file.write_bytes(b"proposed")
        assert self.look(file, awaited="proposed\n").found is None
        assert self.look(file, text="proposed\n").found is not None, "some restore the file's own end"

    def test_a_file_that_is_as_it_was_is_not_read_again(self, file, monkeypatch):
        os.utime(str(file), (1, 1))
        monkeypatch.setattr(accepted_text.time, "time_ns", lambda: 10**19)  # long after any change
        first = self.look(file)
        monkeypatch.setattr(accepted_text, "find", lambda *arguments, **options: pytest.fail("read again"))
        assert self.look(file, last=first) is first

    def test_one_that_has_just_changed_is(self, file):
        """Two changes may bear one time, and leave one size."""
        first = self.look(file)
        times = os.stat(str(file))
        file.write_bytes(b"new\n")
        os.utime(str(file), ns=(times.st_atime_ns, times.st_mtime_ns))
        assert self.look(file, last=first).found is not None

    def test_a_file_that_is_not_there_yet(self, file):
        file.unlink()
        assert self.look(file, "") == accepted_text.FileLook(())
        file.write_bytes(b"")
        assert self.look(file, "").found is not None

    def test_it_is_read_in_its_own_encoding(self, file):
        original = self.reviewed(file)._replace(encoding=CYRILLIC)
        file.write_bytes("\u0436\n".encode("cp1251"))
        assert self.look(file, "\u0436\n", original=original).found.encoding == CYRILLIC
        assert self.look(file, "text\n", "\u0436\n", original=original).found.encoding == CYRILLIC
