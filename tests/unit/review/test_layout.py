"""Dividing one cell of a window's layout leaves every other cell where it is, and can be undone exactly."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.review.window.layout import (
    UPPER_SHARE,
    cell_width,
    divide_above,
    divide_in_columns,
    is_division,
    undo,
)

SINGLE = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}
NINE = {
    "cols": [0.0, 0.33, 0.66, 1.0],
    "rows": [0.0, 0.33, 0.66, 1.0],
    "cells": [[x, y, x + 1, y + 1] for y in range(3) for x in range(3)],
}


def rectangle(layout, group):
    left, top, right, bottom = layout["cells"][group]
    return layout["cols"][left], layout["rows"][top], layout["cols"][right], layout["rows"][bottom]


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


@st.composite
def layouts(draw):
    """What a user can make by splitting panes again and again, every line of it used by some cell or not."""
    boxes = [(0.0, 0.0, 1.0, 1.0)]
    for _ in range(draw(st.integers(0, 8))):
        index = draw(st.integers(0, len(boxes) - 1))
        left, top, right, bottom = boxes[index]
        part = draw(st.sampled_from([0.2, 0.25, 1 / 3, 0.5, 0.6, 0.75]))
        if draw(st.booleans()):
            middle = left + (right - left) * part
            boxes[index : index + 1] = [(left, top, middle, bottom), (middle, top, right, bottom)]
        else:
            middle = top + (bottom - top) * part
            boxes[index : index + 1] = [(left, top, right, middle), (left, middle, right, bottom)]
    boxes = draw(st.permutations(boxes))
    columns = sorted({box[0] for box in boxes} | {box[2] for box in boxes})
    rows = sorted({box[1] for box in boxes} | {box[3] for box in boxes})
    return {
        "cols": columns,
        "rows": rows,
        "cells": [
            [columns.index(box[0]), rows.index(box[1]), columns.index(box[2]), rows.index(box[3])] for box in boxes
        ],
    }


divisions = st.sampled_from(
    [
        divide_in_columns,
        lambda layout, group: divide_above(layout, group, 1),
        lambda layout, group: divide_above(layout, group, 2),
    ]
)


@given(layouts(), divisions, st.data())
def test_only_the_divided_cell_changes(layout, divide, data):
    group = data.draw(st.integers(0, len(layout["cells"]) - 1))
    division = divide(layout, group)
    count = len(layout["cells"])
    for other in range(count):
        if other != group:
            assert rectangle(division.after, other) == rectangle(layout, other)
    assert division.groups == tuple(range(count, len(division.after["cells"])))
    pieces = [rectangle(division.after, piece) for piece in (group,) + division.groups]
    whole = rectangle(layout, group)
    assert sum(map(area, pieces)) == pytest.approx(area(whole))
    for piece in pieces:
        assert whole[0] <= piece[0] < piece[2] <= whole[2]
        assert whole[1] <= piece[1] < piece[3] <= whole[3]


@given(layouts(), divisions, st.data())
def test_the_lines_stay_in_order(layout, divide, data):
    group = data.draw(st.integers(0, len(layout["cells"]) - 1))
    after = divide(layout, group).after
    assert after["cols"] == sorted(after["cols"])
    assert after["rows"] == sorted(after["rows"])
    assert {type(index) for cell in after["cells"] for index in cell} == {int}


@given(layouts(), divisions, st.data())
def test_undoing_gives_exactly_the_layout_from_before(layout, divide, data):
    group = data.draw(st.integers(0, len(layout["cells"]) - 1))
    division = divide(layout, group)
    assert undo(division, division.after) == layout
    assert undo(division, {**division.after, "cells": [tuple(cell) for cell in division.after["cells"]]}) == layout


@given(layouts(), divisions, st.data())
def test_a_dragged_divider_stays_where_the_user_put_it(layout, divide, data):
    group = data.draw(st.integers(0, len(layout["cells"]) - 1))
    division = divide(layout, group)
    dragged = {
        "cols": [position**1.3 for position in division.after["cols"]],
        "rows": [position**0.8 for position in division.after["rows"]],
        "cells": division.after["cells"],
    }
    restored = undo(division, dragged)
    assert restored is not None
    assert restored["cells"] == layout["cells"]
    for other in range(len(layout["cells"])):
        if other != group:
            assert rectangle(restored, other) == rectangle(dragged, other)
    boxes = [rectangle(dragged, piece) for piece in (group,) + division.groups]
    left, top, right, bottom = zip(*boxes)
    assert rectangle(restored, group) == (min(left), min(top), max(right), max(bottom))


def test_a_layout_that_the_user_made_anew_is_left_alone():
    division = divide_in_columns(SINGLE, 0)
    assert undo(division, SINGLE) is None
    assert undo(division, NINE) is None
    rows = {"cols": [0.0, 1.0], "rows": [0.0, 0.5, 1.0], "cells": [[0, 0, 1, 1], [0, 1, 1, 2]]}
    assert undo(division, rows) is None


def test_a_single_group_becomes_two_halves():
    division = divide_in_columns(SINGLE, 0)
    assert division.after == {
        "cols": [0.0, 0.5, 1.0],
        "rows": [0.0, 1.0],
        "cells": [[0, 0, 1, 1], [1, 0, 2, 1]],
    }
    assert division.groups == (1,)


def test_a_line_that_is_there_already_is_used():
    layout = {
        "cols": [0.0, 0.5, 1.0],
        "rows": [0.0, 0.5, 1.0],
        "cells": [[0, 0, 2, 1], [0, 1, 1, 2], [1, 1, 2, 2]],
    }
    division = divide_in_columns(layout, 0)
    assert division.after["cols"] == [0.0, 0.5, 1.0]
    assert undo(division, division.after) == layout


def test_a_terminal_keeps_the_lower_part():
    division = divide_above(SINGLE, 0, 2)
    assert rectangle(division.after, 0) == (0.0, UPPER_SHARE, 1.0, 1.0)
    assert rectangle(division.after, 1) == (0.0, 0.0, 0.5, UPPER_SHARE)
    assert rectangle(division.after, 2) == (0.5, 0.0, 1.0, UPPER_SHARE)


def test_a_cell_that_was_dragged_shut_can_be_divided():
    shut = {"cols": [0.0, 1.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
    division = divide_in_columns(shut, 1)
    assert rectangle(division.after, 0) == (0.0, 0.0, 1.0, 1.0)
    assert rectangle(division.after, 1) == (1.0, 0.0, 1.0, 1.0)
    assert undo(division, division.after) == shut


def test_the_width_of_a_cell():
    assert cell_width(NINE, 4) == pytest.approx(0.33)


@given(st.data(), layouts())
def test_what_was_divided_is_one_after_it_was_stored(data, layout):
    group = data.draw(st.integers(0, len(layout["cells"]) - 1))
    for division in (divide_in_columns(layout, group), divide_above(layout, group, 2)):
        assert is_division(json.loads(json.dumps(division._asdict())))


WRONG = (None, True, 7, 1.5, "x", [], {}, [None], [[0, 0, 9, 1]], [-1], [9, "x"])


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", ["group", "before", "after", "groups", "columns", "rows"])
def test_nothing_else_is_one(name, wrong):
    stored = json.loads(json.dumps(divide_in_columns(SINGLE, 0)._asdict()))
    assert is_division({**stored, name: wrong}) is ((name, wrong) == ("groups", []))
    assert not is_division({each: value for each, value in stored.items() if each != name})
    for layout in ("before", "after"):
        for part in ("cols", "rows", "cells"):
            assert not is_division({**stored, layout: {**stored[layout], part: wrong}})


@pytest.mark.parametrize("wrong", [False, 7, "x", [], {}])
def test_none_is_the_only_other_that_may_be_stored(wrong):
    assert not is_division(wrong)
    assert is_division(None)
