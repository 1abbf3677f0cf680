"""One stream by itself: what it writes in which portions, what it keeps to send again, and what it knows was read."""

from __future__ import annotations

import re

import pytest

from companion.protocol.limits import Limits
from companion.protocol.streams import CHUNK_BYTES, Outbox, QueuedMessage, Stream

ID = re.compile(rb"^id: a-(\d+)$", re.MULTILINE)


class Bench:
    """A stream of a session, to which the test gives messages."""

    def __init__(self, **limits):
        self.limits = Limits(**limits)
        self.outbox = Outbox(self.limits)
        self.stream = Stream("a", self.outbox, self.limits, numbered=True, primes=False)
        self.count = 0

    def add(self, size=10, collapse=None):
        self.count += 1
        self.outbox.add(QueuedMessage(self.count, b"x" * size, collapse))

    def attach(self, received=None):
        """A connection; gives what is written at once, as numbers."""
        self.stream.attach(received)
        return self.take()

    def take(self):
        return [int(number) for number in ID.findall(self.stream.take(True))]

    def take_all(self):
        taken = []
        while True:
            portion = self.take()
            if not portion:
                return taken
            taken += portion

    def lose(self):
        self.stream.detach(True)


class TestPortions:
    def test_what_is_sent_again_comes_in_order_and_before_what_is_new(self):
        bench = Bench()
        bench.attach()
        for _ in range(8):
            bench.add(CHUNK_BYTES // 3)
            assert len(bench.take()) == 1
        bench.lose()
        bench.add()
        portions = [bench.attach()]
        while portions[-1]:
            portions.append(bench.take())
        assert portions == [[1, 2, 3, 4], [5, 6, 7, 8], [9], []]

    @pytest.mark.parametrize(("size", "portions"), [(CHUNK_BYTES, [[1], [2]]), (CHUNK_BYTES - 1, [[1, 2], []])])
    def test_a_portion_that_is_full_takes_nothing_new(self, size, portions):
        bench = Bench()
        bench.attach()
        bench.add(size)
        bench.take()
        bench.lose()
        bench.add()
        assert [bench.attach(), bench.take()] == portions

    def test_another_streams_messages_are_not_taken(self):
        bench = Bench()
        bench.stream.attach()
        bench.add()
        assert ID.findall(bench.stream.take(False)) == []
        assert bench.take() == [1]


class TestKeeping:
    @pytest.mark.parametrize(("sent", "again"), [(3, [1, 2, 3]), (4, [2, 3, 4]), (9, [7, 8, 9])])
    def test_as_many_as_the_limit_says_and_of_more_the_newest(self, sent, again):
        bench = Bench(replay_messages=3)
        bench.attach()
        for _ in range(sent):
            bench.add()
        bench.take_all()
        bench.lose()
        assert bench.attach() == again

    @pytest.mark.parametrize(("size", "again"), [(10, [1, 2, 3]), (11, [2, 3]), (40, [3])])
    def test_as_many_bytes_and_the_newest_whatever_its_size(self, size, again):
        bench = Bench(replay_bytes=30)
        bench.attach()
        for each in (10, 10, size):
            bench.add(each)
        bench.take_all()
        bench.lose()
        assert bench.attach() == again

    def test_what_was_replaced_or_named_counts_no_more(self):
        bench = Bench(replay_bytes=30)
        bench.attach()
        for _ in range(5):
            bench.add(10, "selection")
            bench.take_all()
        bench.add(20)
        bench.take_all()
        bench.lose()
        assert bench.attach() == [5, 6]
        bench.lose()
        assert bench.attach(received=5) == [6]
        bench.add(10)
        bench.take_all()
        bench.lose()
        assert bench.attach() == [6, 7]
