"""Messages of 30 MB that are made to take long: others wait for none of them, the main thread least of all.

Other clients are answered while such a message waits to be decoded, and no single step of that has much to do: so the
main thread has its turn in between.
"""

from __future__ import annotations

import json

import pytest

from companion.protocol.jsonrpc import AT_ONCE_BYTES, LONG, MOST_VALUES
from tests.host.waiting import until

SIZE = 30 * 1024 * 1024


def envelope(value: bytes) -> bytes:
    """A request with `value` among its arguments."""
    return (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openDiff","arguments":{"filePath":"/a",'
        b'"newContent":' + value + b"}}}"
    )


def text(part: bytes) -> bytes:
    """A string of about 30 MB."""
    return b'"' + part * (SIZE // len(part)) + b'"'


ATTACKS = {
    "nested lists": lambda: b"[" + b",".join([b"[[[[]]]]"] * (SIZE // 9)) + b"]",
    "flat lists": lambda: b"[" + b"[]," * (SIZE // 3) + b"[]]",
    "deep lists": lambda: b"[" * (SIZE // 2) + b"]" * (SIZE // 2),
    "numbers": lambda: b"[" + b"1," * (SIZE // 2) + b"1]",
    "fractions": lambda: b"[" + b"1.5," * (SIZE // 4) + b"1]",
    "strings": lambda: b"[" + b'"",' * (SIZE // 3) + b"1]",
    "keys": lambda: b"{" + b'"a":1,' * (SIZE // 6) + b'"a":1}',
    "an endless number": lambda: b"1" * SIZE,
    "unclosed lists": lambda: b"[" * SIZE,
    "quotes": lambda: b'"' * SIZE,
    "no json": lambda: b"," * SIZE,
}
TEXTS = {
    "plain text": lambda: text(b"a line of text that is about as long as lines are, with (some), [brackets]: {}; "),
    "code": lambda: text(b'\\tif (a[i] == \\"x\\", b) { f(1, 2, 3); }\\r\\n'),
    "line ends": lambda: text(b"\\r\\n"),
    "quotes in text": lambda: text(b'\\"'),
    "backslashes": lambda: text(b"\\\\"),
    "code points": lambda: text(b"\\u65e5"),
    "surrogate pairs": lambda: text(b"\\ud83d\\ude00"),
    "commas": lambda: text(b",[{"),
    "utf-8": lambda: text("日本語".encode()),
}


@pytest.fixture
def target(attack):
    return attack(holds=True)


def send(target, body):
    """Send the message. Before a long one is decoded, another client is answered. The status."""
    with target.connect() as client:
        client.sendall(target.post(body))
        until(lambda: target.gauges()["decoding"] == 1)
        target.ping()
        target.ask("go on")
        status = target.status(client)
    gauges = target.gauges()
    print(f"answered {status}; {gauges['longest']} bytes at once, {target.grown():.0f} MB more")
    return status


@pytest.mark.parametrize("name", ATTACKS)
def test_a_message_that_is_made_to_take_long_is_refused(target, name):
    assert send(target, envelope(ATTACKS[name]())) == 400
    # That a number is too long is known at its end: there is nothing quicker than to look for that.
    assert 0 < target.gauges()["longest"] <= (SIZE + 1000 if name == "an endless number" else AT_ONCE_BYTES)
    assert target.grown() < 350


@pytest.mark.parametrize("name", TEXTS)
def test_a_large_text_is_taken_and_holds_nobody_up(target, name):
    assert send(target, envelope(TEXTS[name]())) == 200
    gauges = target.gauges()
    assert gauges["calls"] == 1
    assert 0 < gauges["longest"] <= AT_ONCE_BYTES
    assert target.grown() < 600


def test_as_many_values_as_are_allowed_hold_nobody_up(target):
    """Short strings, each of which is decoded together with all others."""
    members = (b'"%d":"%s"' % (number, b'a\\"b' * 15) for number in range(49000))
    # What the tool does not take is told in its result.
    assert send(target, envelope(b"{" + b",".join(members) + b"}")) == 200
    gauges = target.gauges()
    assert gauges["calls"] == 0
    assert 0 < gauges["longest"] <= 2 * LONG * MOST_VALUES


def test_the_refusal_says_why(attack):
    target = attack()
    with target.connect() as client:
        body = envelope(b"[" + b"1," * 200000 + b"1]")
        client.sendall(target.post(body))
        answer = b""
        while b"}}" not in answer:
            part = client.recv(65536)
            assert part
            answer += part
    error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert "50000 values" in error["message"]
