"""The signs of the gutter: the files show what the tool draws, and can be told apart without their colour."""

from __future__ import annotations

import itertools
import struct

import pytest

from companion.review.display.mark_style import ICONS
from tests.tools import icons


@pytest.mark.parametrize("name", icons.SHAPES)
@pytest.mark.parametrize(("suffix", "scale"), icons.SCALES.items())
def test_each_file_is_what_the_tool_draws(name: str, suffix: str, scale: int) -> None:
    data = (icons.FOLDER / f"{name}{suffix}.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (16 * scale, 16 * scale)
    assert icons.pixels_of(data) == icons.pixels(icons.SHAPES[name], scale)


def test_there_are_no_others() -> None:
    names = {f"{name}{suffix}.png" for name in icons.SHAPES for suffix in icons.SCALES}
    assert {path.name for path in icons.FOLDER.iterdir()} == names


def test_each_mark_of_the_gutter_has_one() -> None:
    assert {path.rpartition("/icons/")[2] for path in ICONS.values()} == {f"{name}.png" for name in icons.SHAPES}


def test_they_are_white_on_nothing_and_differ() -> None:
    drawn = {name: icons.pixels(shape, 1) for name, shape in icons.SHAPES.items()}
    for rows in drawn.values():
        opaque = []
        for row in range(16):
            for at in range(row * 65 + 1, row * 65 + 65, 4):
                assert rows[at : at + 3] == b"\xff\xff\xff"
                opaque.append(rows[at + 3])
        assert opaque[0] == 0
        assert max(opaque) == 255
    for one, other in itertools.combinations(drawn.values(), 2):
        assert sum(abs(a - b) for a, b in zip(one, other)) > 255 * 8


def test_other_files_are_no_signs() -> None:
    with pytest.raises(ValueError, match="no picture"):
        icons.pixels_of(b"GIF89a")
