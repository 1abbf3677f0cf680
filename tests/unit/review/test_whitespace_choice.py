"""Whether whitespace is hidden: as the settings say, until the user says otherwise in a review."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.comparison import Whitespace
from companion.review.display.leveling import gaps_of
from companion.review.document.analysis import WhitespaceChoice, analyse
from companion.settings import IGNORED_WHITESPACE, Settings
from tests.support.applying import apply_hunks

NONE, TRAILING, ALL = Whitespace.NONE, Whitespace.TRAILING, Whitespace.ALL
LINES = st.lists(st.sampled_from(["a\n", "b\n", " a\n", "a \n", "\n", "  b x\n"]), max_size=10).map("".join)


class Choice(WhitespaceChoice):
    def __init__(self, setting):
        self.settings = Settings(review_ignore_whitespace=setting)
        super().__init__(lambda: self.settings)

    def use(self, setting):
        self.settings = dataclasses.replace(self.settings, review_ignore_whitespace=setting)
        return self.settings_changed()


def test_every_value_of_the_setting_is_known():
    assert sorted(IGNORED_WHITESPACE) == sorted(kind.value for kind in Whitespace)
    assert [Choice(name).ignored.value for name in IGNORED_WHITESPACE] == list(IGNORED_WHITESPACE)


@pytest.mark.parametrize(("setting", "toggled"), [("none", ALL), ("trailing", NONE), ("all", NONE)])
def test_it_can_be_turned_round_and_back(setting, toggled):
    choice = Choice(setting)
    choice.toggle()
    assert choice.ignored is toggled
    assert choice.shown_here is (setting != "none")
    choice.toggle()
    assert choice.ignored is Whitespace(setting)
    assert not choice.shown_here


def test_another_setting_ends_the_choice():
    choice = Choice("trailing")
    choice.toggle()
    assert choice.use("all")
    assert choice.ignored is ALL


def test_the_same_setting_does_not():
    choice = Choice("trailing")
    choice.toggle()
    assert not choice.use("trailing")
    assert choice.shown_here


def test_nothing_is_new_if_the_same_holds():
    choice = Choice("trailing")
    choice.toggle()
    assert not choice.use("none")
    assert not choice.shown_here
    assert choice.use("all")


def test_parts_of_changed_lines_are_counted_with_what_is_hidden():
    left, right = "  return first\n  y\nz\n", "    return second\ny\nz \n"
    analysis = analyse(left, right, ignored=ALL)
    assert (len(analysis.hidden), analysis.hidden_parts, analysis.hidden_count) == (1, 1, 2)  # y and z are one change
    assert (analysis.added, analysis.removed) == (1, 1)
    assert [right[start:end] for start, end in analysis.changes[0].right_parts] == ["second"]
    assert analyse(left, right).hidden_count == 0


@given(LINES, LINES, st.sampled_from(list(Whitespace)))
def test_what_differs_rebuilds_the_proposal_and_gives_the_file_back(left, right, ignored):
    analysis = analyse(left, right, ignored=ignored)
    assert analysis.ignored is ignored
    assert "".join(apply_hunks(analysis.left_lines, analysis.differing, analysis.right_lines)) == right
    lines = list(analysis.right_lines)
    for hunk in reversed(analysis.differing):
        lines[hunk.right_start : hunk.right_end] = analysis.left_lines[hunk.left_start : hunk.left_end]
    assert "".join(lines) == left


@given(LINES, LINES, st.sampled_from(list(Whitespace)))
def test_both_sides_stay_equally_high(left, right, ignored):
    analysis = analyse(left, right, ignored=ignored)
    left_rows, right_rows = len(analysis.left_lines), len(analysis.right_lines)
    gaps = gaps_of(analysis.differing, left_rows, right_rows)
    assert left_rows + sum(gap.left_rows for gap in gaps) == right_rows + sum(gap.right_rows for gap in gaps)
