"""Messages of 30 MB that are made to take long: others wait for none of them, the main thread least of all."""

from __future__ import annotations

import json
import threading
import time

import pytest

SIZE = 30 * 1024 * 1024
LONGEST_STALL = 0.5


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


def send(target, body):
    """Send the message while another client pings; status, longest wait of the other, figures.

    What holds others up does so every time, and so the best of three counts on a machine that is busy with others.
    """
    for _ in range(3):
        status, wait, gauges = send_once(target, body)
        if gauges["main_stall"] < LONGEST_STALL and wait < 2 * LONGEST_STALL:
            break
    return status, wait, gauges


def send_once(target, body):
    waits = []
    done = threading.Event()

    def others():
        while not done.is_set():
            waits.append(target.ping())
            time.sleep(0.02)

    target.gauges(reset=True)
    thread = threading.Thread(target=others)
    with target.connect() as client:
        thread.start()
        started = time.monotonic()
        client.sendall(target.post(body))
        status = target.status(client)
        seconds = time.monotonic() - started
        done.set()
        thread.join()
    gauges = target.gauges()
    print(
        "answered {} after {:.2f} s; another client waited {:.2f} s, the main thread {:.2f} s, {:.0f} MB more".format(
            status, seconds, max(waits), gauges["main_stall"], target.grown()
        )
    )
    return status, max(waits), gauges


@pytest.mark.parametrize("name", ATTACKS)
def test_a_message_that_is_made_to_take_long_is_refused_at_once(attack, name):
    target = attack()
    status, wait, gauges = send(target, envelope(ATTACKS[name]()))
    assert status == 400
    assert gauges["main_stall"] < LONGEST_STALL
    assert wait < 2 * LONGEST_STALL
    assert target.grown() < 350


@pytest.mark.parametrize("name", TEXTS)
def test_a_large_text_is_taken_and_holds_nobody_up(attack, name):
    target = attack()
    body = envelope(TEXTS[name]())
    status, wait, gauges = send(target, body)
    assert status == 200
    assert gauges["calls"] == 1
    assert gauges["main_stall"] < LONGEST_STALL
    assert wait < 2 * LONGEST_STALL
    assert target.grown() < 600


def test_as_many_values_as_are_allowed_hold_nobody_up(attack):
    """Short strings, each of which is decoded together with all others."""
    target = attack()
    members = (b'"%d":"%s"' % (number, b'a\\"b' * 15) for number in range(49000))
    status, wait, gauges = send(target, envelope(b"{" + b",".join(members) + b"}"))
    assert status == 200  # what the tool does not take is told in its result
    assert gauges["calls"] == 0
    assert gauges["main_stall"] < LONGEST_STALL
    assert wait < 2 * LONGEST_STALL


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
