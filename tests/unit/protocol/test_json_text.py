"""What counts as JSON, and what of it survives."""

from __future__ import annotations

import json

import pytest

from companion.protocol.jsonrpc import NotJson, TooDeep, decode, encode, encode_id


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"{", b"nul", b"NaN", b"[Infinity]", b"-Infinity", b"[1,]", b"{'a':1}", b"\xff\xfe1\x00",
        b"\xef\xbb\xbf1",        b"\xed\xa0\x80", b'"\xff"', b'"\x01"', b"[1] x", b"\x00", b"01",
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(body):
    with pytest.raises(NotJson):
        decode(body, 64)


@pytest.mark.parametrize(
    "text", ['"\\ud800"', '"a\\udfffb"', "12345678901234567890123", '{"a":[1,true,null,"\\u00e9"]}', "-0", "1e400"]
)
def test_values_keep_their_meaning(text):
    value = decode(text.encode(), 64)
    assert repr(value) == repr(json.loads(text))


def test_a_lone_surrogate_goes_out_as_it_came_in():
    assert encode(decode(b'"\\ud800"', 64)) == b'"\\ud800"'


def test_text_goes_out_as_ascii_on_one_line():
    assert encode({"a": "é\n\u2028\U0001f600"}) == b'{"a":"\\u00e9\\n\\u2028\\ud83d\\ude00"}'


@pytest.mark.parametrize(
    "text", ["1", "-7", "1.50", "1e3", "123456789012345678901234567890", '"x"', '"\\ud800"', "1E+2"]
)
def test_an_id_is_echoed_to_the_digit(text):
    assert encode_id(decode(b'{"id":' + text.encode() + b"}", 64)["id"]) == text.encode()


def test_nesting_is_bounded_at_the_limit_exactly():
    assert decode(b"[" * 64 + b"]" * 64, 64)
    with pytest.raises(TooDeep):
        decode(b"[" * 65 + b"]" * 65, 64)
    with pytest.raises(TooDeep):
        decode(b'{"a":' * 65 + b"1" + b"}" * 65, 64)
    with pytest.raises(TooDeep):
        decode(b'[{"a":' * 32 + b"[1]" + b"}]" * 32, 64)


def test_nesting_that_would_exhaust_the_stack_is_refused():
    with pytest.raises((TooDeep, NotJson)):
        decode(b"[" * 2_000_000, 64, 10**7)
    with pytest.raises(TooDeep):
        decode(b"[" * 200_000 + b"]" * 200_000, 64, 10**7)


def test_brackets_inside_strings_are_no_nesting():
    assert decode(json.dumps(["[" * 1000]).encode(), 2) == ["[" * 1000]


def test_an_endless_number_is_refused_at_once():
    with pytest.raises(NotJson, match="digits"):
        decode(b"1" * 5_000_000, 64)


def test_a_refusal_never_quotes_the_text():
    with pytest.raises(NotJson) as caught:
        decode(b'{"secret": "geheim', 64)
    assert "geheim" not in str(caught.value)


def test_what_json_cannot_say_is_refused_on_the_way_out():
    with pytest.raises(ValueError, match="range"):
        encode({"x": float("nan")})
    with pytest.raises(TypeError):
        encode({"x": object()})
