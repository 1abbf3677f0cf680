"""Pictures of a review, drawn from what the host shows, and a look at them that a program can take.

They are written to `.cache/pictures`; two of them are README's. The program checks that there is a picture of the asked
size with many colors in it, and that the page it was made from shows what a user has to see.
"""

from __future__ import annotations

import os
import struct
import zlib

import pytest

from tests.tools import cache, pictures

FOLDER = os.path.join(cache.CACHE, "pictures")

BEFORE = '''"""The ticket office of a small theatre."""

from dataclasses import dataclass


@dataclass
class Seat:
    row: str
    number: int
    taken: bool = False


class House:
    def __init__(self, rows, seats_per_row):
        self.seats = [Seat(row, number + 1) for row in rows for number in range(seats_per_row)]

    def free(self):
        return [seat for seat in self.seats if not seat.taken]

    def sell(self, count):
        sold = []
        for seat in self.free()[:count]:
            seat.taken = True
            sold.append(seat)
        return sold

    def report(self):
        print("%d of %d seats are free" % (len(self.free()), len(self.seats)))


if __name__ == "__main__":
    house = House("ABC", 8)
    house.sell(3)
    house.report()
'''

AFTER = '''"""The ticket office of a small theatre."""

from dataclasses import dataclass
from typing import List


@dataclass
class Seat:
    row: str
    number: int
    taken: bool = False


class SoldOut(Exception):
    """There are not as many free seats as were asked for."""


class House:
    def __init__(self, rows: str, seats_per_row: int) -> None:
        self.seats = [Seat(row, number + 1) for row in rows for number in range(seats_per_row)]

    def free(self) -> List[Seat]:
        return [seat for seat in self.seats if not seat.taken]

    def sell(self, count: int) -> List[Seat]:
        free = self.free()
        if len(free) < count:
            raise SoldOut("%d seats are free, not %d" % (len(free), count))
        for seat in free[:count]:
            seat.taken = True
        return free[:count]


if __name__ == "__main__":
    house = House("ABC", 8)
    house.sell(3)
'''


@pytest.fixture
def theatre(desktop):
    """The editor with a file in it that an agent proposes to change."""
    desktop.write("theatre.py", BEFORE.encode())
    desktop.write("test_theatre.py", b"from theatre import House\n")
    desktop.open("test_theatre.py")
    desktop.open("theatre.py", row=12)
    return desktop


def propose(desktop, client, name, content):
    """Opens a diff as the client does, and waits until it is drawn."""
    client.start_call("open_diff", path=desktop.path(name), content=content)
    proposal = desktop.wait_proposal()
    desktop.host.wait_until(lambda: "\u2212" in header(desktop))
    return proposal


def header(desktop):
    """The HTML of everything that floats in the proposal."""
    views = desktop.views_of_role("proposal")
    return "".join(phantom["content"] for phantom in views[-1]["phantoms"]) if views else ""


def picture(desktop, name, size=(1600, 900)):
    """Draws the front window; returns the page's HTML."""
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, name + ".png")
    try:
        html = pictures.draw(desktop.host, path, size)
    except pictures.NoBrowser as error:
        if cache.in_ci():
            raise
        pytest.skip(str(error))
    width, height, colors = read_png(path)
    assert (width, height) == size
    assert colors > 20, "a picture that shows nothing"
    return html


def read_png(path):
    """Width, height and how many different pixels a PNG of 8 bits a channel has."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6)
    channels = 3 if kind == 2 else 4
    compressed, place = b"", 8
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        if data[place + 4 : place + 8] == b"IDAT":
            compressed += data[place + 8 : place + 8 + length]
        place += 12 + length
    raw = zlib.decompress(compressed)
    pixels = {raw[start : start + channels] for start in range(1, len(raw) - channels, channels)}
    return width, height, len(pixels)


def test_side_by_side(theatre, client):
    propose(theatre, client, "theatre.py", AFTER)
    html = picture(theatre, "side-by-side")
    assert "SoldOut" in html and "report" in html


def test_inline(theatre, client):
    theatre.host.call("resize_window", width=900, height=800)
    propose(theatre, client, "theatre.py", AFTER)
    assert theatre.views_of_role("original") == []
    html = picture(theatre, "inline", (900, 800))
    assert "SoldOut" in html and "report" in html


def test_a_new_file(theatre, client):
    propose(theatre, client, "prices.py", "ADULT = 24\nCHILD = 12\n")
    html = picture(theatre, "new-file")
    assert "ADULT" in html


def test_a_warning(theatre, client):
    propose(theatre, client, "theatre.py", AFTER)
    view = next(view for view in theatre.tabs() if view["file"] == theatre.path("theatre.py"))
    theatre.host.call("select", ranges=[[0, 0]], view=view["id"])
    theatre.host.call("type_text", text="# not saved\n", view=view["id"])
    theatre.host.wait_until(lambda: "unsaved" in header(theatre))
    html = picture(theatre, "warning")
    assert "unsaved" in html
