"""Where points of a text stand after edits."""

from __future__ import annotations

import pytest

from companion.editor.edits import Edit, moved

EDITS = [Edit(20, 20, "inserted"), Edit(5, 10, "ab"), Edit(12, 14, "longer")]  # in any order


@pytest.mark.parametrize(
    ("point", "after"),
    [
        (0, 0),
        (5, 5),  # before what is replaced
        (7, 5),  # inside of it: at its start
        (10, 7),  # behind it
        (11, 8),
        (13, 9),
        (14, 15),
        (20, 21),  # where something comes in: before it
        (21, 30),
    ],
)
def test_a_point_stays_with_the_text_that_it_stands_in(point, after):
    assert moved(point, EDITS) == after
