"""One text is looked for in another in time that grows with both and no faster, whatever they hold."""

from __future__ import annotations

import random

import pytest

from companion.common.searching import MOST_WORK, Needle


class Counted(str):  # noqa: SLOT000 - it counts
    """Counts what Python's own search is given, and what is compared."""

    def __init__(self, _text):
        self.work, self.longest = 0, 0

    def _count(self, characters):
        self.work += characters
        self.longest = max(self.longest, characters)

    def find(self, wanted, start, end):
        found = super().find(wanted, start, end)
        self._count((found if found >= 0 else end) - start + len(wanted))
        return found

    def startswith(self, wanted, start):
        self._count(len(wanted))
        return super().startswith(wanted, start)

    def __getitem__(self, place):
        found = super().__getitem__(place)
        self._count(len(found))
        return found


HOSTILE = {
    "an end that is not there": lambda size: ("a" * (size // 2) + "b", "a" * size),
    "a beginning that is not there": lambda size: ("b" + "a" * (size // 2), "a" * size),
    "a middle that is not there": lambda size: (
        "a" * (size // 4) + "b" + "a" * (size // 4),
        ("a" * 999 + "c") * (size // 1000),
    ),
    "almost, again and again": lambda size: (("a" * 99 + "b") * (size // 400) + "c", ("a" * 99 + "b") * (size // 100)),
    "equal lines": lambda size: ("    pass\n" * (size // 40) + "end\n", "    pass\n" * (size // 9)),
    "equal lines but one": lambda size: (
        "    pass\n" * (size // 40) + "end\n" + "    pass\n" * (size // 40),
        ("    pass\n" * (size // 50) + "enb\n") * 5,
    ),
    "two letters": lambda size: ("ab" * (size // 4) + "aa", "ab" * (size // 2)),
    "a short one everywhere": lambda size: (" " * 30 + "x", " " * size),
}


@pytest.mark.parametrize("texts", HOSTILE.values(), ids=HOSTILE)
def test_the_work_grows_with_the_length_and_no_faster(texts):
    for size in (100_000, 400_000):
        wanted, text = texts(size)
        counted, needle = Counted(text), Needle(wanted)
        assert needle.find(counted) == -1
        # Each character of both costs at most twice what looking it up in the table does.
        assert max(counted.work, needle.work) < 2 * 256 * (len(text) + len(wanted)) < MOST_WORK
        assert counted.longest <= 1 << 17


def test_what_is_found_often_is_found_once_each():
    text, needle = Counted("a" * 100_000), Needle("a" * 100)
    assert list(needle.places(text)) == list(range(0, 100_000, 100))
    assert text.work < 10 * len(text)


@pytest.mark.parametrize("seed", range(10))
def test_it_finds_what_python_finds(seed):
    random_ = random.Random(seed)
    for _ in range(300):
        letters = random_.choice(["a", "ab", "aab", "abc\n", "a\u00e9\U0001f600"])
        wanted = "".join(random_.choice(letters) for _ in range(random_.randrange(1, random_.choice((4, 30, 80)))))
        text = "".join(random_.choice(letters) for _ in range(random_.randrange(300)))
        if random_.random() < 0.4:
            place = random_.randrange(len(text) + 1)
            text = text[:place] + wanted + text[place:]
        start, end = random_.randrange(len(text) + 2), random_.choice((None, random_.randrange(len(text) + 3)))
        needle = Needle(wanted)
        assert needle.find(text, start, end) == text.find(wanted, start, end), (wanted, text, start, end)
        assert needle._find_by_table(text, start, len(text)) == text.find(wanted, start), (wanted, text, start)
        places = list(needle.places(text))
        assert len(places) == text.count(wanted)
        assert all(text.startswith(wanted, place) for place in places)


def test_it_stands_across_portions():
    text = "x" * 65_530 + "needle in a haystack of two portions" + "x" * 65_530
    for start in range(65_530, 65_560):
        assert Needle(text[start : start + 200]).find(text) == start


def test_the_empty_text_is_not_looked_for():
    with pytest.raises(ValueError, match="empty"):
        Needle("")
