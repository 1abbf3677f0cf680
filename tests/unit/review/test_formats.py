"""What a file or a proposed text is said to hold, and that ordinary texts are never taken for something else."""

from __future__ import annotations

import base64
import random
import struct
import zlib

import pytest

from companion.review.decision import Owner, Review
from companion.review.display.header import contents_notice
from companion.review.document import disk
from companion.review.document.disk import Kind
from companion.review.document.text import BINARY, TEXT, format_of, format_of_text


def words(text):
    """A sentence with its no-break spaces as blanks."""
    return text.replace("\u00a0", " ")


def png(width=640, height=480):
    """The smallest file that says it is a PNG of this size."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


GIF = b"GIF89a" + struct.pack("<HH", 640, 480) + bytes(10)


@pytest.mark.parametrize(
    "data",
    [
        png(),
        GIF,
        b"\xff\xd8\xff\xe1 a JPEG",
        b"RIFF\x99abcWEBPVP8L",
        b"RIFF\x24\x00\x00\x00WAVEfmt ",
        b"BM" + bytes(16),
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
        b"PK\x03\x04\x14\xff",
        b"\x1f\x8b\x08\x11\x11",
        b"\xfd7zXZ\x00",
        b"7z\xbc\xaf\x27\x1c",
        b"\x7fELF\x02\x01\xff",
        b"\x20abcftypavif\xff",
        b"ID3\xff",
        b"a\x00b",
    ],
)
def test_what_is_no_text_is_known_by_its_content(data):
    assert format_of(data) is BINARY


def test_the_size_is_said_in_bytes():
    assert words(BINARY.with_size(12345)) == "binary data, 12,345 bytes"
    assert words(TEXT.with_size(1)) == "text, 1 byte"


@pytest.mark.parametrize(
    "text", ["", "GIF89a is a format\n", "%PDF-1.4\n% by hand\n", "BM", "ID3 tags\n", "MZ", "\u00e9t\u00e9\n", "RIFF"]
)
def test_text_that_begins_like_a_format_is_text(text):
    assert format_of(text.encode("utf-8")) == TEXT
    assert format_of_text(text) == TEXT


def test_text_in_an_old_encoding_is_text():
    assert format_of("\u00e9t\u00e9\n".encode("latin-1")) == TEXT


def test_bytes_in_a_string():
    assert format_of_text(png().decode("latin-1")) is BINARY


@pytest.mark.parametrize(
    "data",
    [
        png(),
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
        b"PK\x03\x04\x14\x00\x08\xff",
        b"GIF89a\x80\x02\xe0\x01\xff\x00",
        b"\x1f\x8b\x08\0",
    ],
)
def test_bytes_that_were_decoded_with_losses(data):
    assert format_of_text(data.decode("utf-8", "replace")) is BINARY


def test_noise_in_a_string_is_binary():
    source = random.Random(1)
    noise = bytes(source.randrange(256) for _ in range(2000))
    assert format_of_text(noise.decode("latin-1")) == BINARY
    assert format_of_text(noise.decode("utf-8", "replace")) == BINARY


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b\n",  # a few bytes that a test is about
        "x = '\x00\x01'\n" * 3,
        "\x1b[31mred\x1b[0m\n" * 50,
        "\ufffd\ufffd\ufffd \ufffd\ufffd\n" * 50,  # a text that lost its letters: the comparison shows that
        "data:image/png;base64,iVBORw0KGgo= is a data URL\n",
        "data:text/plain,hello",
        "iVBORw0KGgo=",
        "A" * 100,
        "deadbeef" * 20,
    ],
)
def test_what_can_be_compared_is_text(text):
    assert format_of_text(text) == TEXT


@pytest.mark.parametrize("kind", ["image/png", "font/x;charset=a", ""])
@pytest.mark.parametrize("body", [base64.b64encode(png()).decode(), "AAAA", "A", "${image}", "AAAA\n"])
def test_a_data_url_stands_for_data(kind, body):
    assert format_of_text(f"data:{kind};base64,{body}") is BINARY


@pytest.mark.parametrize("data, found", [(png(), BINARY), (b"\x1f\x8b\x08", BINARY), (b"many words ", TEXT)])
def test_base64(data, found):
    for more in range(4):
        assert format_of_text(base64.encodebytes(data + b" " * (100 + more)).decode()) is found


# -- what is said -----------------------------------------------------------------------------------------------------


def read(tmp_path, data, **options):
    path = tmp_path / "logo.png"
    if data is not None:
        path.write_bytes(data)
    return disk.read(str(path), disk.ReadLimits(1000, 100), **options)


def said(original, text):
    review = Review(Owner("1", "Gemini CLI"), original.path, text, None)
    return words(contents_notice(original, review.proposal))


def test_nothing_is_said_of_texts(tmp_path):
    assert said(read(tmp_path, b"a\n"), "b\n") == ""
    assert said(read(tmp_path, None), "b\n") == ""


def test_an_image_becomes_text(tmp_path):
    original = read(tmp_path, png())
    assert original.kind is Kind.BINARY
    assert said(original, "\u00e9\n") == (
        "logo.png is a binary file and is not shown: binary data, 33 bytes \u2192 text, 3 bytes."
    )


def test_a_text_becomes_an_image(tmp_path):
    url = "data:image/gif;base64," + base64.b64encode(GIF).decode()
    assert said(read(tmp_path, b"\xef\xbb\xbfa\n"), url) == (
        "The proposal is shown without a comparison: text, 5 bytes \u2192 binary data, 50 bytes."
    )


def test_a_new_file_has_no_size_before(tmp_path):
    text = png().decode("latin-1")
    assert said(read(tmp_path, None), text).endswith("comparison: binary data, 39 bytes.")


def test_an_image_that_is_too_large_to_be_read_says_so(tmp_path):
    original = read(tmp_path, png() + bytes(100_000))
    assert original.kind is Kind.HUGE
    assert said(original, "") == ("logo.png is too large to be shown: binary data, 100,033 bytes \u2192 text, 0 bytes.")


def test_utf_16_is_text_whatever_its_size(tmp_path):
    for data in ("a\n".encode("utf-16"), "a\n".encode("utf-16") * 5000):
        assert read(tmp_path, data).format == TEXT
    assert read(tmp_path, "a\n".encode("utf-16-le"), encoding="UTF-16 LE").format == TEXT


def test_what_the_editor_shows_as_hexadecimal_is_binary(tmp_path):
    assert read(tmp_path, b"a\n", encoding="Hexadecimal").format == BINARY
