"""A text that is decoded in pieces means what it means when it is decoded at once, wherever the pieces end."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from companion.protocol import jsonrpc
from companion.protocol.jsonrpc import NotJson, TooManyValues, decode

MARKS = ["a", "b", "\\", '"', "\\\\", "\n", "\r\n", "[", "{", ",", "é", "日", "\U0001f600", "\ud83d", "\ude00", "\0"]


@pytest.fixture(autouse=True)
def pieces(monkeypatch):
    """Pieces so small that many ends fall into every string, and every text is taken to be large."""
    monkeypatch.setattr(jsonrpc, "PIECE", 40)
    monkeypatch.setattr(jsonrpc, "LONG", 6)
    monkeypatch.setattr(jsonrpc, "AT_ONCE_BYTES", 0)


def random_value(numbers, depth=0):
    kind = numbers.randrange(7 if depth < 4 else 4)
    if kind < 3:
        return "".join(numbers.choice(MARKS) for _ in range(numbers.randrange(120)))
    if kind == 3:
        return numbers.choice([0, -1, 1.5, True, None, 10**30])
    if kind < 5:
        return [random_value(numbers, depth + 1) for _ in range(numbers.randrange(5))]
    return {
        "".join(numbers.choice(MARKS) for _ in range(numbers.randrange(30))): random_value(numbers, depth + 1)
        for _ in range(numbers.randrange(5))
    }


def test_random_values_keep_their_meaning():
    for seed, ascii_only in itertools.product(range(400), (True, False)):
        text = json.dumps(random_value(random.Random(seed)), ensure_ascii=ascii_only)
        if not ascii_only:  # a lone surrogate has no UTF-8; as an escape it is JSON
            text = "".join("\\u%04x" % ord(mark) if 0xD800 <= ord(mark) < 0xE000 else mark for mark in text)
        body = text.encode("utf-8")
        assert decode(body, 64) == json.loads(body), seed


@pytest.mark.parametrize("text", ["\\ud83d\\ude00", "\\ud83d\\ud83d\\ude00", "日", "\\\\", '\\"', "\\u65e5x"])
def test_no_cut_falls_into_a_character(text):
    for shift in range(45):
        body = ('"' + "x" * shift + text * 60 + '"').encode("utf-8")
        assert decode(body, 64) == json.loads(body)


@pytest.mark.parametrize(
    "body",
    [
        b'"' + b"x" * 100, b'"' + b"x" * 50 + b"\n" + b"x" * 50 + b'"', b'"' + b"\xff" * 100 + b'"',
        b'"' + b"\x80" * 200 + b'"', b'"' + b"x" * 100 + b'\\"', b'"' + b"x" * 100 + b'"y', b'["' + b"x" * 100 + b'"',
        b'"' + b"\\x" * 100 + b'"', b'"' + b"\\" * 101 + b'"',
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(body):
    with pytest.raises(NotJson) as caught:
        decode(body, 64)
    assert "xx" not in str(caught.value)


def test_values_are_counted_outside_of_strings_to_the_last():
    assert decode(b"[" + b",".join([b'"[{,"'] * 99) + b"]", 64, 99)
    with pytest.raises(TooManyValues):
        decode(b"[" + b",".join([b'"[{,"'] * 100) + b"]", 64, 99)


def test_each_bracket_and_comma_of_the_structure_counts():
    body = json.dumps([[{}, {"a,[": '\\",[{' * 30, "\\": 1}], "x\\", 5]).encode()
    structure = 8  # four brackets and braces, four commas
    assert decode(body, 64, structure) == json.loads(body)
    with pytest.raises(TooManyValues):
        decode(body, 64, structure - 1)


def test_a_long_key_is_kept():
    body = json.dumps({"k" * 500: "v" * 500, "short": 1}).encode()
    assert list(decode(body, 64).items()) == [("k" * 500, "v" * 500), ("short", 1)]


def test_too_many_strings_are_refused_before_the_text_is_read_to_its_end():
    with pytest.raises(TooManyValues):
        jsonrpc._outline(b'""' * 1000, 10)
