"""What is asked for while the same is being done: `Latest`, `InOrder` and `Turns`."""

import threading

import pytest

from companion.common.waiting import InOrder, Latest, Turns


class Asked:
    """Counts how often a question is begun."""

    def __init__(self):
        self.times = 0
        self.latest = Latest(self._begin)

    def _begin(self):
        self.times += 1


def test_a_question_is_asked_at_once():
    asked = Asked()
    asked.latest.ask()
    assert asked.times == 1
    assert asked.latest.answered()
    assert asked.times == 1


def test_what_is_asked_meanwhile_is_asked_once_more():
    asked = Asked()
    for _ in range(3):
        asked.latest.ask()
    assert asked.times == 1
    assert not asked.latest.answered()
    assert asked.times == 2
    assert asked.latest.answered()
    assert asked.times == 2


def test_after_an_answer_it_is_asked_anew():
    asked = Asked()
    for times in (1, 2):
        asked.latest.ask()
        assert asked.latest.answered()
        assert asked.times == times


def test_an_answer_that_comes_within_the_asking_counts():
    """The disk may answer before the call that asked it has returned."""
    answers = []
    latest = Latest(lambda: answers.append(latest.answered()))
    latest.ask()
    latest.ask()
    assert answers == [True, True]


class Worker:
    """Takes what is handed over, and does it when it is told."""

    def __init__(self):
        self.handed_over = []
        self.errors = []
        self.in_order = InOrder(self.handed_over.append, self.errors.append)
        self.done = []

    def add(self, name, key=""):
        self.in_order.add(lambda: self.done.append(name), key)

    def work(self):
        while self.handed_over:
            self.handed_over.pop(0)()


@pytest.fixture
def worker():
    return Worker()


def test_orders_are_carried_out_in_order(worker):
    for name in "abc":
        worker.add(name)
    assert worker.done == []
    worker.work()
    assert worker.done == ["a", "b", "c"]


def test_each_key_has_one_thread_at_a_time(worker):
    for key in ("x", "y", "x", "y"):
        worker.add(key, key)
    assert len(worker.handed_over) == 2
    worker.handed_over.pop(1)()
    assert worker.done == ["y", "y"]
    worker.work()
    assert worker.done == ["y", "y", "x", "x"]


def test_what_an_order_adds_comes_after_what_waits(worker):
    worker.in_order.add(lambda: worker.add("last"))
    worker.add("first")
    worker.work()
    assert worker.done == ["first", "last"]


def test_an_order_that_fails_is_told_and_holds_up_nothing(worker):
    error = ValueError("the disk is full")

    def fail():
        raise error

    worker.in_order.add(fail)
    worker.add("next")
    worker.work()
    assert worker.errors == [error]
    assert worker.done == ["next"]


def test_orders_come_after_a_pause_as_well(worker):
    worker.add("a")
    worker.work()
    worker.add("b")
    worker.work()
    assert worker.done == ["a", "b"]


def test_catching_up_does_what_waits_on_this_thread(worker):
    worker.add("a")
    worker.in_order.catch_up()
    assert worker.done == ["a"]
    worker.work()
    assert worker.done == ["a"]


def test_catching_up_waits_for_the_order_that_is_under_way():
    began, go_on, done = threading.Event(), threading.Event(), []

    def first():
        began.set()
        go_on.wait(60)
        done.append("first")

    threads = []

    def hand_over(function):
        threads.append(threading.Thread(target=function, daemon=True))
        threads[-1].start()

    in_order = InOrder(hand_over, done.append)
    in_order.add(first)
    began.wait(60)
    in_order.add(lambda: done.append("second"))
    catching_up = threading.Thread(target=in_order.catch_up, daemon=True)
    catching_up.start()
    assert done == []
    go_on.set()
    catching_up.join(60)
    assert done == ["first", "second"]
    threads[0].join(60)
    assert done == ["first", "second"]


def test_calls_to_another_thread_are_handed_over_one_by_one():
    there, back, made = [], [], []
    turns = Turns(there.append, back.append)
    for number in range(3):
        turns.add(lambda number=number: made.append(number))
    for number in range(3):
        assert len(there) == 1, "between two of them that thread does what else is to be done"
        there.pop()()
        assert made == list(range(number + 1))
        assert not there
        back.pop()()
    assert not there
    turns.add(lambda: made.append(3))
    there.pop()()
    assert made == [0, 1, 2, 3]
