"""What is read out of a buffer: no more than will be sent, and whatever is in it can be sent."""

from __future__ import annotations

import importlib
import json
import sys
import types
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.context.model import utf16_length
from tests.support.tracking import Region


class Selections(list):
    """The selections of a view, which note how often they are asked for one."""

    asked = 0

    def __getitem__(self, number):
        self.asked += 1
        return super().__getitem__(number)

    def __iter__(self):
        return (self[number] for number in range(len(self)))


class View:
    """A buffer with selections, which notes how much of it was read, and how often."""

    def __init__(self, text, *regions):
        self.text, self.regions, self.read, self.times = text, Selections(regions), 0, 0

    def sel(self):
        return self.regions

    def substr(self, region):
        text = self.text[region.begin() : region.end()]
        self.read += len(text)
        self.times += 1
        return text

    def rowcol_utf16(self, point):
        row = self.text.count("\n", 0, point)
        line = self.text[self.text.rfind("\n", 0, point) + 1 : point]
        return row, sum(2 if character > "\uffff" else 1 for character in line)


class Selected(NamedTuple):
    """What is told of a view: of all selections, and of the one."""

    all: Any
    start: Any
    end: Any
    text: str
    ranges: Any


@pytest.fixture
def read_selection(monkeypatch):
    """The function, on a stand-in for the one class of the editor that it makes."""
    return load(monkeypatch.setitem, monkeypatch.delitem)


def load(set_item, del_item):
    stand_in = types.ModuleType("sublime")
    stand_in.Region = Region
    set_item(sys.modules, "sublime", stand_in)
    del_item(sys.modules, "companion.context.tracker", raising=False)
    reading = importlib.import_module("companion.context.tracker")
    del_item(sys.modules, "companion.context.tracker", raising=False)

    def read_selection(view, maximum, share_text):
        every, one = reading.read_selection(view, "/a.py", maximum, share_text)
        return Selected(every, *one[1:])

    return read_selection


def test_no_more_is_copied_out_of_the_buffer_than_will_be_sent(read_selection):
    view = View("x" * 10_000_000, Region(0, 10_000_000))
    selected = read_selection(view, 16384, True)
    assert len(selected.text) == 16384
    assert selected.all.text == selected.text
    assert (view.read, view.times) == (16384, 1)


def test_nothing_is_copied_when_the_selection_is_not_shared(read_selection):
    view = View("x" * 1000, Region(0, 1000))
    assert read_selection(view, 16384, False)[:4] == ((1, 1001, ""), (0, 1000), (0, 1000), "")
    assert view.read == 0


def test_a_limit_of_nothing_shares_nothing(read_selection):
    selected = read_selection(View("abc", Region(0, 3)), 0, True)
    assert selected[:4] == ((1, 4, ""), (0, 3), (0, 3), "")


@pytest.mark.parametrize(
    ("maximum", "text"), [(0, ""), (1, "a"), (2, "ab"), (3, "ab"), (4, "ab\nc"), (5, "ab\ncd"), (7, "ab\ncd\ne")]
)
def test_the_newline_between_two_selections_counts_too(read_selection, maximum, text):
    view = View("ab--cd--ef", Region(0, 2), Region(4, 4), Region(4, 6), Region(8, 10))
    assert read_selection(view, maximum, True).all.text == text


def test_surrogates_that_stand_alone_can_be_sent(read_selection):
    selected = read_selection(View("a\ud83cb", Region(0, 3)), 100, True)
    assert selected.text == selected.all.text == "a\ufffdb"
    json.dumps(selected).encode("utf-8")


def test_a_view_without_a_selection_has_no_caret(read_selection):
    assert read_selection(View("abc"), 100, True)[:4] == (None, (0, 0), (0, 0), "")


TEXT = "import os\nimport sys\n"


@pytest.mark.parametrize(
    ("regions", "start", "end", "text", "caret", "joined"),
    [
        ([Region(0, 9), Region(15, 15)], (0, 0), (0, 9), "import os", (2, 6), "import os"),
        ([Region(9, 0), Region(15, 15), Region(17, 17)], (0, 0), (0, 9), "import os", (2, 8), "import os"),
        ([Region(2, 2), Region(20, 17)], (1, 7), (1, 10), "sys", (2, 8), "sys"),
        ([Region(7, 9), Region(17, 20)], (1, 7), (1, 10), "sys", (2, 11), "os\nsys"),
        ([Region(7, 9), Region(15, 15), Region(17, 20)], (1, 7), (1, 10), "sys", (2, 11), "os\nsys"),
        ([Region(7, 7), Region(17, 17)], (1, 7), (1, 7), "", (2, 8), ""),
    ],
)
def test_of_several_selections_the_last_that_is_not_empty_is_the_one(
    read_selection, regions, start, end, text, caret, joined
):
    """Who is told of one selection takes the text for what is in the range."""
    view = View(TEXT, *regions)
    assert read_selection(view, 100, True)[:4] == ((*caret, joined), start, end, text)
    assert view.regions.asked == len(regions)


def test_what_of_the_last_does_not_fit_does_not_fit_behind_others_either(read_selection):
    view = View("ab--cdef", Region(0, 2), Region(4, 8))
    assert read_selection(view, 4, True)[:4] == ((1, 9, "ab\nc"), (0, 4), (0, 8), "cdef")
    balloon = View("a-\U0001f388", Region(0, 1), Region(2, 3))
    assert read_selection(balloon, 1, True)[:4] == ((1, 5, "a"), (0, 4), (0, 4), "")


@pytest.mark.parametrize("length", [0, 1])
@pytest.mark.parametrize("count", [99, 100, 101, 20000])
def test_of_many_selections_the_first_hundred_and_the_last_are_read(read_selection, count, length):
    view = View("e " * count, *(Region(2 * number, 2 * number + length) for number in range(count)))
    selected = read_selection(view, 16384, True)
    looked_at = min(count, 101)
    assert view.regions.asked == looked_at
    assert view.times <= length * (looked_at + 1)
    assert selected.all == (1, 2 * count - 1 + length, "\n".join("e" * looked_at) if length else "")
    assert (selected.end.character, selected.text) == (2 * (count - 1) + length, "e" * length)


def test_a_word_selected_before_very_many_carets_is_still_the_selection(read_selection):
    view = View("word " + "e " * 500, Region(0, 4), *(Region(5 + 2 * number, 5 + 2 * number) for number in range(500)))
    selected = read_selection(view, 100, True)
    assert (selected.start, selected.end, selected.text) == ((0, 0), (0, 4), "word")


@settings(max_examples=200)
@given(st.text(st.sampled_from("ab\n🎈é"), max_size=40), st.lists(st.integers(0, 40), max_size=8), st.integers(0, 60))
def test_the_text_is_the_beginning_of_all_selections_joined(text, ends, maximum):
    ends = sorted(min(end, len(text)) for end in ends)
    regions = [Region(a, b) for a, b in zip(ends[::2], ends[1::2])]
    if not regions:
        return
    former = sys.modules.get("sublime")
    try:
        function = load(lambda modules, name, value: modules.__setitem__(name, value),
                        lambda modules, name, raising: modules.pop(name, None))  # fmt: skip
        view = View(text, *regions)
        selected = function(view, maximum, True)
    finally:
        if former is None:
            sys.modules.pop("sublime", None)
        else:
            sys.modules["sublime"] = former
    selection = selected.all
    filled = [text[region.a : region.b] for region in regions if region.a != region.b]
    whole = "\n".join(filled)
    assert utf16_length(selection.text) <= maximum
    assert whole.startswith(selection.text)
    if utf16_length(whole) <= maximum:
        assert selection.text == whole
    else:
        # What is missing of the limit is no more than a character and the newline before it.
        assert maximum - utf16_length(selection.text) <= 2
    assert view.read <= maximum * (1 if len(filled) == 1 else 2)
    assert filled[-1].startswith(selected.text) if filled else not selected.text
    assert (selected.start != selected.end) is bool(selected.text)
