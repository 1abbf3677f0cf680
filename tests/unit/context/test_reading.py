"""What is read out of a buffer: no more than will be sent, and whatever is in it can be sent."""

from __future__ import annotations

import json
import sys
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.context.units import utf16_length


class Region:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def begin(self):
        return min(self.a, self.b)

    def end(self):
        return max(self.a, self.b)


class View:
    """A buffer with selections, which notes how much of it was read."""

    def __init__(self, text, *regions):
        self.text, self.regions, self.read = text, list(regions), 0

    def sel(self):
        return self.regions

    def substr(self, region):
        text = self.text[region.begin() : region.end()]
        self.read += len(text)
        return text

    def rowcol_utf16(self, point):
        row = self.text.count("\n", 0, point)
        line = self.text[self.text.rfind("\n", 0, point) + 1 : point]
        return row, sum(2 if character > "\uffff" else 1 for character in line)


@pytest.fixture
def read_selection(monkeypatch):
    """The function, on a stand-in for the one class of the editor that it makes."""
    return load(monkeypatch.setitem, monkeypatch.delitem)


def load(set_item, del_item):
    stand_in = types.ModuleType("sublime")
    stand_in.Region = Region
    set_item(sys.modules, "sublime", stand_in)
    del_item(sys.modules, "companion.context.reading", raising=False)
    from companion.context import reading

    del_item(sys.modules, "companion.context.reading", raising=False)
    return reading.read_selection


def test_no_more_is_copied_out_of_the_buffer_than_will_be_sent(read_selection):
    view = View("x" * 10_000_000, Region(0, 10_000_000))
    assert len(read_selection(view, 16384, True).text) == 16384
    assert view.read == 16384


def test_nothing_is_copied_when_the_selection_is_not_shared(read_selection):
    view = View("x" * 1000, Region(0, 1000))
    assert read_selection(view, 16384, False) == (1, 1001, "")
    assert view.read == 0


def test_a_limit_of_nothing_shares_nothing(read_selection):
    assert read_selection(View("abc", Region(0, 3)), 0, True).text == ""


@pytest.mark.parametrize(
    ("maximum", "text"), [(0, ""), (1, "a"), (2, "ab"), (3, "ab"), (4, "ab\nc"), (5, "ab\ncd"), (7, "ab\ncd\ne")]
)
def test_the_newline_between_two_selections_counts_too(read_selection, maximum, text):
    view = View("ab--cd--ef", Region(0, 2), Region(4, 4), Region(4, 6), Region(8, 10))
    assert read_selection(view, maximum, True).text == text


def test_surrogates_that_stand_alone_can_be_sent(read_selection):
    selection = read_selection(View("a\ud83cb", Region(0, 3)), 100, True)
    assert selection.text == "a\ufffdb"
    json.dumps(selection).encode("utf-8")


def test_a_view_without_a_selection_has_none(read_selection):
    assert read_selection(View("abc"), 100, True) is None


@settings(max_examples=200, deadline=None)
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
        selection = function(view, maximum, True)
    finally:
        if former is None:
            sys.modules.pop("sublime", None)
        else:
            sys.modules["sublime"] = former
    whole = "\n".join(text[region.a : region.b] for region in regions if region.a != region.b)
    assert utf16_length(selection.text) <= maximum
    assert whole.startswith(selection.text)
    if utf16_length(whole) <= maximum:
        assert selection.text == whole
    else:
        # What is missing of the limit is no more than a character and the newline before it.
        assert maximum - utf16_length(selection.text) <= 2
    assert view.read <= maximum
