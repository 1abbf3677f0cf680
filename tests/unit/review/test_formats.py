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
from companion.review.document.text import BINARY, TEXT, format_of_bytes, format_of_text


def words(text):
    """A sentence with its no-break spaces as blanks."""
    return text.replace("\u00a0", " ")


def png(width=640, height=480):
    """The smallest file that says it is a PNG of this size."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


def jpeg(width=640, height=480, before=20):
    """A JPEG's first segments, some of which are to be passed over."""
    table = b"\xff\xc4" + struct.pack(">H", 2 + before) + bytes(before)
    return (
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"
        + bytes(9)
        + table
        + b"\xff\xc2\x00\x11\x08"
        + struct.pack(">HH", height, width)
    )


def webp(kind, body):
    return b"RIFF" + struct.pack("<I", 100) + b"WEBP" + kind + struct.pack("<I", 80) + body + bytes(20)


LOSSLESS = struct.pack("<I", (640 - 1) | (480 - 1) << 14)
IMAGES = {
    "PNG image": png(),
    "JPEG image": jpeg(),
    "GIF image": b"GIF89a" + struct.pack("<HH", 640, 480) + bytes(10),
    "WebP image, lossy": webp(b"VP8 ", b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", 640 | 1 << 14, 480)),
    "WebP image, lossless": webp(b"VP8L", b"\x2f" + LOSSLESS),
    "WebP image, extended": webp(b"VP8X", bytes(4) + b"\x7f\x02\x00\xdf\x01\x00"),
    "BMP image": b"BM" + bytes(16) + struct.pack("<ii", 640, -480),
}


@pytest.mark.parametrize("name", IMAGES)
def test_images_say_how_big_they_are(name):
    found = format_of_bytes(IMAGES[name])
    assert words(found.with_size(12345)) == f"{name.partition(',')[0]}, 640 \u00d7 480, 12,345 bytes"
    assert found.binary


@pytest.mark.parametrize("name", IMAGES)
def test_images_that_break_off_have_a_name_and_no_size(name):
    for length in range(12, len(IMAGES[name])):
        data = IMAGES[name][:length]
        found = format_of_bytes(data)
        assert found.name == name.partition(",")[0] or found in (BINARY, TEXT)
        assert (found.width, found.height) in ((0, 0), (640, 480))


def test_a_jpeg_of_nothing_but_segments_ends():
    assert words(format_of_bytes(b"\xff\xd8" + b"\xff\xe0\x00\x00" * 50).with_size(202)) == "JPEG image, 202 bytes"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF document"),
        (b"PK\x03\x04\x14\x00", "ZIP archive"),
        (b"\x1f\x8b\x08\x00\x00", "gzip archive"),
        (b"\x7fELF\x02\x01\x01\x00", "ELF program"),
        (b"SQLite format 3\x00\x10\x00", "SQLite database"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "WAVE sound"),
        (b"\x00\x00\x00\x20ftypavif\x00", "AVIF image"),
        (b"\x00\x00\x00\x20ftypisom\x00", "MP4 video"),
        (b"a\x00b", "binary data"),
    ],
)
def test_other_formats(data, name):
    assert words(format_of_bytes(data).with_size(1)) == f"{name}, 1 byte"


@pytest.mark.parametrize(
    "text", ["", "GIF89a is a format\n", "%PDF-1.4\n% by hand\n", "BM", "ID3 tags\n", "MZ", "\u00e9t\u00e9\n", "RIFF"]
)
def test_text_that_begins_like_a_format_is_text(text):
    assert format_of_bytes(text.encode("utf-8")) == TEXT
    assert format_of_text(text) == TEXT


def test_text_in_an_old_encoding_is_text():
    assert format_of_bytes("\u00e9t\u00e9\n".encode("latin-1")) == TEXT


def test_bytes_in_a_string():
    found = format_of_text(png().decode("latin-1"))
    assert (found.name, found.width, found.height) == ("PNG image", 640, 480)


@pytest.mark.parametrize(
    "data", [png(), b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", b"PK\x03\x04\x14\x00\x08\xff", b"GIF89a\x80\x02\xe0\x01\xff\x00"]
)
def test_bytes_that_were_decoded_with_losses(data):
    found = format_of_text(data.decode("utf-8", "replace"))
    assert found.name == format_of_bytes(data).name
    assert found.binary
    assert not found.width


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


def test_data_urls():
    url = "data:image/png;base64," + base64.b64encode(png()).decode()
    assert words(format_of_text(url).with_size(60)) == "PNG image as a data URL, 640 \u00d7 480, 60 bytes"
    assert format_of_text(url + "\n").binary
    assert format_of_text("data:font/x;charset=a;base64,AAAA").name == "font/x as a data URL"
    assert format_of_text("data:;base64,AAAA").name == "binary data as a data URL"
    for body in ("A", "${image}"):
        assert format_of_text("data:image/png;base64," + body).name == "image/png as a data URL"


def test_base64():
    text = base64.encodebytes(png() + bytes(100)).decode()
    assert words(format_of_text(text).with_size(60)) == "PNG image in Base64, 640 \u00d7 480, 60 bytes"


# -- what is said -----------------------------------------------------------------------------------------------------


def read(tmp_path, data, **options):
    path = tmp_path / "logo.png"
    if data is not None:
        path.write_bytes(data)
    return disk.read(str(path), disk.Limits(1000, 100), **options)


def said(original, text):
    review = Review(Owner("1", "Gemini CLI"), original.path, text)
    return words(contents_notice(original, review.proposal))


def test_nothing_is_said_of_texts(tmp_path):
    assert said(read(tmp_path, b"a\n"), "b\n") == ""
    assert said(read(tmp_path, None), "b\n") == ""


def test_an_image_becomes_text(tmp_path):
    original = read(tmp_path, png())
    assert original.kind is Kind.BINARY
    assert said(original, "\u00e9\n") == (
        "logo.png is a binary file and is not shown: PNG image, 640 \u00d7 480, 33 bytes \u2192 text, 3 bytes."
    )


def test_a_text_becomes_an_image(tmp_path):
    url = "data:image/gif;base64," + base64.b64encode(IMAGES["GIF image"]).decode()
    assert said(read(tmp_path, b"\xef\xbb\xbfa\n"), url) == (
        "The proposal is shown without a comparison: text, 5 bytes \u2192 "
        "GIF image as a data URL, 640 \u00d7 480, 50 bytes."
    )


def test_a_new_file_has_no_size_before(tmp_path):
    text = png().decode("latin-1")
    assert said(read(tmp_path, None), text).endswith("comparison: PNG image, 640 \u00d7 480, 39 bytes.")


def test_an_image_that_is_too_large_to_be_read_says_so(tmp_path):
    original = read(tmp_path, png() + bytes(100_000))
    assert original.kind is Kind.HUGE
    assert said(original, "") == (
        "logo.png is too large to be shown: PNG image, 640 \u00d7 480, 100,033 bytes \u2192 text, 0 bytes."
    )


def test_utf_16_is_text_whatever_its_size(tmp_path):
    for data in ("a\n".encode("utf-16"), "a\n".encode("utf-16") * 5000):
        assert read(tmp_path, data).format == TEXT
    assert read(tmp_path, "a\n".encode("utf-16-le"), encoding="UTF-16 LE").format == TEXT


def test_what_the_editor_shows_as_hexadecimal_is_binary(tmp_path):
    assert read(tmp_path, b"a\n", encoding="Hexadecimal").format == BINARY
