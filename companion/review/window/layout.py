"""The arithmetic of layouts: divide one cell of a window, and undo exactly that.

A layout is what `sublime.Window.layout()` gives: `cols` and `rows`, positions between 0 and 1, and `cells`, each the
indexes `[left, top, right, bottom]` into them. Groups are numbered by their place in `cells`.

Rules:
* Only one cell changes. Every other cell keeps its exact geometry, because the positions it refers to stay the same
  numbers; only their indexes move.
* New cells come last, so no group changes its number.
* Undoing gives the layout from before, number by number, but for dividers that the user has dragged meanwhile. If the
  user changed the layout otherwise, there is nothing to undo.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, TypedDict


class Layout(TypedDict):
    """What the editor gives and takes; the type has no name of its own there."""

    cols: List[float]
    rows: List[float]
    cells: List[List[int]]


Piece = Tuple[int, int, int, int]

START, MIDDLE, END = range(3)  # the lines of a cell that is divided, on each axis

_SAME = 1e-6  # positions pass through the editor as text or as floats of its own
UPPER_SHARE = 0.6  # of a cell that is divided with a terminal below: the review needs more height than a prompt


class Division(NamedTuple):
    """A layout with one cell divided. `before` and `after` are layouts.

    `group` is the number of the cell that was divided, `groups` are those of the new ones. `columns` and `rows` say
    which index a position of `before` has in `after`.
    """

    group: int
    before: Layout
    after: Layout
    groups: Tuple[int, ...]
    columns: Tuple[int, ...]
    rows: Tuple[int, ...]


def divide_in_columns(layout: Layout, group: int) -> Division:
    """Divide the cell of `group` in two columns. The group keeps the left one; the right one is new."""
    return _divide(layout, group, [(START, START, MIDDLE, END), (MIDDLE, START, END, END)], column=0.5)


def divide_above(layout: Layout, group: int, columns: int) -> Division:
    """Give the lower part of the cell to its group and divide the upper part in `columns` (1 or 2) new ones."""
    lower = (START, MIDDLE, END, END)
    if columns == 1:
        return _divide(layout, group, [lower, (START, START, END, MIDDLE)], row=UPPER_SHARE)
    upper = [(START, START, MIDDLE, MIDDLE), (MIDDLE, START, END, MIDDLE)]
    return _divide(layout, group, [lower] + upper, column=0.5, row=UPPER_SHARE)


def undo(division: Division, now: Layout) -> Optional[Layout]:
    """The layout that `now` was before `division`, or None if the user changed the layout otherwise."""
    after = division.after
    if [len(after["cols"]), len(after["rows"])] != [len(now["cols"]), len(now["rows"])]:
        return None
    if [list(cell) for cell in after["cells"]] != [list(cell) for cell in now["cells"]]:
        return None
    return {
        "cols": [now["cols"][index] for index in division.columns],
        "rows": [now["rows"][index] for index in division.rows],
        "cells": [list(cell) for cell in division.before["cells"]],
    }


def is_division(value: Any) -> bool:
    """Whether a stored value is that of a division, or None for none: of the right form, without an index astray."""
    if not isinstance(value, dict) or set(value) != set(Division._fields):
        return value is None
    before, after, columns, rows = value["before"], value["after"], value["columns"], value["rows"]
    return (
        _is_layout(before)
        and _is_layout(after)
        and is_indexes([value["group"]], below=len(before["cells"]))
        and is_indexes(value["groups"], below=len(after["cells"]))
        and is_indexes(columns, below=len(after["cols"]))
        and is_indexes(rows, below=len(after["rows"]))
        and (len(columns), len(rows)) == (len(before["cols"]), len(before["rows"]))
    )


def _is_layout(value: Any) -> bool:
    lines = [value.get("cols"), value.get("rows")] if isinstance(value, dict) else [None]
    if not all(isinstance(each, list) and {type(one) for one in each} <= {int, float} for each in lines):
        return False
    cells, most = value.get("cells"), (len(value["cols"]), len(value["rows"])) * 2
    return isinstance(cells, list) and all(
        is_indexes(cell) and len(cell) == len(most) and all(index < end for index, end in zip(cell, most))
        for cell in cells
    )


def is_indexes(value: Any, least: int = 0, below: float = float("inf")) -> bool:
    """Whether a stored value is a list of whole numbers in these bounds."""
    return isinstance(value, list) and all(type(each) is int and least <= each < below for each in value)


def cell_width(layout: Layout, group: int) -> float:
    """The width of a group's cell as a part of the window's, between 0 and 1."""
    left, _, right, _ = layout["cells"][group]
    return float(layout["cols"][right] - layout["cols"][left])


def _divide(
    layout: Layout, group: int, pieces: Sequence[Piece], column: Optional[float] = None, row: Optional[float] = None
) -> Division:
    """Divide the cell of `group` into `pieces`, the first of which stays its own.

    `column` and `row` say where, between 0 and 1, the middle line of the cell lies; None if none is needed.
    """
    before = deepcopy(layout)
    left, top, right, bottom = before["cells"][group]
    columns = _add_line(before["cols"], left, right, column)
    rows = _add_line(before["rows"], top, bottom, row)
    moved, lines = (columns.moved, rows.moved) * 2, (columns.lines, rows.lines) * 2
    cells = [[axis[index] for axis, index in zip(moved, cell)] for cell in before["cells"]]
    divided = [[axis[index] for axis, index in zip(lines, piece)] for piece in pieces]
    new = tuple(range(len(cells), len(cells) + len(divided) - 1))
    cells[group] = divided[0]
    after: Layout = {"cols": columns.positions, "rows": rows.positions, "cells": cells + divided[1:]}
    return Division(group, before, after, new, columns.moved, rows.moved)


class _Axis(NamedTuple):
    """One axis after a line was added: its positions, where each old line is now, and the cell's own three lines."""

    positions: List[float]
    moved: Tuple[int, ...]
    lines: Tuple[int, int, int]


def _add_line(positions: Sequence[float], start: int, end: int, part: Optional[float]) -> _Axis:
    """Make sure that there is a line at `part` of the way between the lines `start` and `end`."""
    unmoved = tuple(range(len(positions)))
    if part is None:
        return _Axis(list(positions), unmoved, (start, start, end))
    position = positions[start] + (positions[end] - positions[start]) * part
    for index in range(start + 1, end):
        if abs(positions[index] - position) < _SAME:
            return _Axis(list(positions), unmoved, (start, index, end))
    at = next((index for index in range(start + 1, end) if positions[index] > position), end)
    moved = tuple(index + 1 if index >= at else index for index in unmoved)
    return _Axis([*positions[:at], position, *positions[at:]], moved, (start, at, end + 1))
