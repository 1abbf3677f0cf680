"""Files are read as the editor reads them, and written back in their own encoding and with their own line endings."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from companion.review.document import disk
from companion.review.document.disk import ChangedError, DiskError, Kind
from companion.review.document.text import codec_of
from tests.support.writing import write_file


def read(path, **options):
    return disk.read(str(path), disk.ReadLimits(1000, 100), **options)


def made(folder, data, name="file.txt"):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "text", "encoding", "endings"),
    [
        (b"a\nb\n", "a\nb\n", "UTF-8", "Unix"),
        (b"a\r\nb\r\n", "a\nb\n", "UTF-8", "Windows"),
        (b"a\rb\r", "a\nb\n", "UTF-8", "CR"),
        (b"a\r\nb\r\nc\n", "a\nb\nc\n", "UTF-8", "Windows"),
        (b"", "", "UTF-8", "Unix"),
        (b"\xef\xbb\xbfa\n", "a\n", "UTF-8 with BOM", "Unix"),
        ("\u00e4\n".encode("utf-8"), "\u00e4\n", "UTF-8", "Unix"),
        (b"\xe4\n", "\u00e4\n", "Western (Windows 1252)", "Unix"),
        ("\ufeff\u00e4\n".encode("utf-16-le"), "\u00e4\n", "UTF-16 LE with BOM", "Unix"),
        ("\ufeff\u00e4\n".encode("utf-16-be"), "\u00e4\n", "UTF-16 BE with BOM", "Unix"),
    ],
)
def test_a_text_file_is_read(tmp_path, data, text, encoding, endings):
    original = read(made(tmp_path, data))
    assert (original.kind, original.text, original.encoding, original.line_endings) == (
        Kind.TEXT,
        text,
        encoding,
        endings,
    )
    assert original.comparable
    assert original.notice == ""


def test_the_encoding_that_the_editor_uses_comes_first(tmp_path):
    path = made(tmp_path, "\u0436\n".encode("cp1251"))
    assert read(path, encoding="Cyrillic (Windows 1251)").text == "\u0436\n"
    assert read(path, encoding="Cyrillic (Windows 1251)").encoding == "Cyrillic (Windows 1251)"


@pytest.mark.parametrize("encoding", ["UTF-8 with BOM", "UTF-16 LE with BOM"])
def test_a_mark_that_is_gone_from_the_file_does_not_come_back(tmp_path, encoding):
    """The editor opened the file when it still had one."""
    original = read(made(tmp_path, b"plain\n"), encoding=encoding)
    assert (original.text, original.encoding) == ("plain\n", "UTF-8")
    assert disk.encoded(original, "new\n") == b"new\n"


def test_the_fallback_encoding_is_the_editors(tmp_path):
    path = made(tmp_path, "\u0436\n".encode("cp1251"))
    assert read(path, fallback="Cyrillic (Windows 1251)").text == "\u0436\n"


def test_a_file_that_does_not_exist_is_new(tmp_path):
    original = read(tmp_path / "new.txt")
    assert (original.kind, original.text, original.notice) == (Kind.NEW, "", "")


def test_a_binary_file_gets_a_notice(tmp_path):
    original = read(made(tmp_path, b"\x7fELF\x00\x01"))
    assert original.kind is Kind.BINARY
    assert original.text == ""
    assert "binary" in original.notice


def test_an_undecodable_file_is_shown_as_far_as_it_can_be(tmp_path):
    original = read(made(tmp_path, b"a\x81\n"))
    assert original.kind is Kind.UNDECODABLE
    assert original.text == "a\ufffd\n"
    assert "decoded" in original.notice


def test_a_file_ten_times_as_long_as_the_limit_is_read(tmp_path):
    original = read(made(tmp_path, b"x" * 10_000))
    assert original.comparable
    assert len(original.text) == 10_000
    assert original.notice == ""


def test_a_longer_one_is_not(tmp_path):
    original = read(made(tmp_path, b"x" * 10_001))
    assert original.kind is Kind.HUGE
    assert original.text == ""
    assert original.notice == "file.txt is too large to be shown (10,001 bytes)."


def test_a_file_of_many_lines_is_not_compared(tmp_path):
    assert read(made(tmp_path, b"\n" * 1000)).comparable
    original = read(made(tmp_path, b"\n" * 1001))
    assert original.kind is Kind.HUGE
    assert len(original.text) == 1001
    assert not original.comparable
    assert original.notice == "file.txt has more than 1,000 lines: shown without a comparison."


def test_a_folder_is_unreadable(tmp_path):
    assert read(tmp_path).kind is Kind.UNREADABLE


@pytest.fixture
def bound_by_modes():
    """A folder in which file modes bind this process: it is somebody else for a while if it runs as root."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        if root:
            os.chown(folder, 65534, -1)
            os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_file_without_permission_is_unreadable_and_said_so(bound_by_modes):
    path = made(bound_by_modes, b"a")
    path.chmod(0)
    original = read(path)
    assert original.kind is Kind.UNREADABLE
    assert original.notice == "file.txt cannot be read: Permission denied."


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_file_that_may_only_be_read_is_not_written(bound_by_modes):
    path = made(bound_by_modes, b"a\n")
    path.chmod(0o444)
    with pytest.raises(DiskError, match="cannot be written: Permission denied"):
        write_file(read(path), b"b\n")
    assert path.read_bytes() == b"a\n"


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"a\r\nb\r\n", "a\nB\n", b"a\r\nB\r\n"),
        (b"a\nb\n", "a\r\nB\r\n", b"a\nB\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nC\n", b"a\r\nb\nC\r\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffA\n", b"\xef\xbb\xbfA\n"),
        (b"\xef\xbb\xbfa\n", "A\n", b"\xef\xbb\xbfA\n"),
        (b"\xe4\n", "\u00e4\u00f6\n", b"\xe4\xf6\n"),
        (b"", "a\r\nb", b"a\r\nb"),
        (b"a", "\ufeffA", b"A"),
        (b"a\r\n", "", b""),
    ],
)
def test_a_text_is_written_as_the_file_was(tmp_path, before, text, after):
    path = made(tmp_path, before)
    original = read(path)
    write_file(original, disk.encoded(original, text))
    assert path.read_bytes() == after


def test_a_new_file_gets_exactly_the_proposed_text(tmp_path):
    original = read(tmp_path / "deep" / "new.txt")
    write_file(original, disk.encoded(original, "\ufeffa\r\nb\n"))
    assert (tmp_path / "deep" / "new.txt").read_bytes() == b"\xef\xbb\xbfa\r\nb\n"


def test_a_character_that_the_encoding_lacks_is_refused(tmp_path):
    path = made(tmp_path, b"\xe4\n")
    with pytest.raises(DiskError, match="Windows 1252"):
        disk.encoded(read(path), "\u0436\n")
    with pytest.raises(DiskError, match="UTF-8"):
        disk.encoded(read(tmp_path / "new"), "\ud800")


@pytest.mark.parametrize(
    "content, why",
    [(b"\x00", "binary"), (b"\x81\xff\n", "decoded"), (None, "be read"), (b"x" * 10001, "too large to be read")],
)
def test_a_file_not_read_as_text_is_never_overwritten_and_the_reason_told(tmp_path, content, why):
    if content is None:
        path = tmp_path / "fifo"
        os.mkfifo(str(path))
    else:
        path = made(tmp_path, content)
    with pytest.raises(DiskError, match="is not overwritten, because .*" + why):
        disk.encoded(read(path), "text")


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path):
    path = made(tmp_path, b"a\n")
    original = read(path)
    assert not disk.changed(original)
    path.write_bytes(b"b\n")
    assert disk.changed(original)
    with pytest.raises(ChangedError):
        write_file(original, b"c\n")
    assert path.read_bytes() == b"b\n"


def test_a_file_that_appeared_or_vanished_meanwhile_is_not_written(tmp_path):
    new = read(tmp_path / "new")
    made(tmp_path, b"theirs", "new")
    assert disk.changed(new)
    with pytest.raises(ChangedError, match="created"):
        write_file(new, b"ours")
    path = made(tmp_path, b"a\n", "old")
    old = read(path)
    path.unlink()
    assert disk.changed(old)
    with pytest.raises(ChangedError, match="deleted"):
        write_file(old, b"ours")


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("UTF-16 LE with BOM", "utf-16-le"),
        ("Western (Windows 1252)", "cp1252"),
        ("Western (ISO 8859-1)", "iso8859-1"),
        ("Western (Mac Roman)", "mac-roman"),
        ("DOS (CP 437)", "cp437"),
        ("Cyrillic (KOI8-R)", "koi8-r"),
        ("Cyrillic (Windows 866)", "cp866"),
        ("Undefined", None),
        ("Hexadecimal", None),
        ("\0", None),
        ("\ud800", None),
        ("", None),
        ("a" * 100000, None),
        ("base64", None),
        ("idna", None),
        ("punycode", None),
        ("unicode_escape", None),
    ],
)
def test_encoding_names(name, codec):
    assert codec_of(name) == codec
