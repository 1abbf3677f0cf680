"""What a WebSocket may bring before anybody has taken it, however its bytes are cut."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.transport.connections import MOST_FRAMES, Breach, FrameBounds

LARGEST = 100_000


def frame(length, masked=True, said=None):
    said = length if said is None else said
    mask = 0x80 if masked else 0
    if said < 126:
        head = struct.pack("!BB", 0x81, mask | said)
    elif said < 1 << 16:
        head = struct.pack("!BBH", 0x81, mask | 126, said)
    else:
        head = struct.pack("!BBQ", 0x81, mask | 127, said)
    return head + (b"mask" if masked else b"") + b"\x81\xff" * (length // 2) + b"\x81" * (length % 2)


LENGTHS = st.one_of(st.integers(0, 3), st.integers(124, 128), st.integers(65534, 65538))


@given(st.lists(LENGTHS, max_size=4), st.lists(st.integers(1, 70_000), max_size=30))
def test_frames_are_counted_the_same_however_they_are_cut(frames, cuts):
    data = b"".join(map(frame, frames))
    bounds = FrameBounds(1 << 30)
    for size in cuts:
        assert bounds.feed(data[:size]) is None
        data = data[size:]
    assert bounds.feed(data) is None
    assert bounds.held == sum(frames)
    assert bounds._frames == len(frames)
    assert bounds._head == b""
    assert bounds._to_come == 0


@pytest.mark.parametrize("said, breach", [(LARGEST, None), (LARGEST + 1, Breach.TOO_BIG), (1 << 62, Breach.TOO_BIG)])
def test_a_frame_is_judged_by_its_head(said, breach):
    assert FrameBounds(LARGEST).feed(frame(1, said=said)) is breach


@given(st.booleans(), LENGTHS, st.integers(1, 20))
def test_a_frame_without_a_mask_is_a_breach_of_the_protocol(is_first, length, cut):
    """RFC 6455, 5.1."""
    data = (b"" if is_first else frame(3)) + frame(length, masked=False)
    bounds = FrameBounds(1 << 30)
    assert Breach.NOT_MASKED in [bounds.feed(part) for part in (data[:cut], data[cut:])]


def test_the_frames_of_a_message_are_counted_together_until_it_is_taken():
    bounds = FrameBounds(LARGEST)
    assert bounds.feed(frame(60_000)) is None
    bounds.taken()
    assert bounds.feed(frame(60_000)) is None
    assert bounds.feed(frame(60_000)) is Breach.TOO_BIG


def test_empty_frames_are_counted():
    bounds = FrameBounds(LARGEST)
    assert bounds.feed(frame(0) * MOST_FRAMES) is None
    bounds.taken()
    assert bounds.feed(frame(0) * MOST_FRAMES) is None
    assert bounds.feed(frame(0)) is Breach.TOO_BIG
