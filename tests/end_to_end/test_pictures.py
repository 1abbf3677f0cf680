"""Pictures of reviews, in a dark and a light scheme, at 100 % and at 150 %, and that README shows them as they are now.

All are drawn into `.cache/pictures`, for eyes: one picture for each review, with all its looks. A program looks whether
a page shows what a user has to see, and whether the picture has the asked size and many colors in it. README's pictures
are drawn anew with `DRAW_PICTURES=1` in the environment of the test command; without it they must have been made from
the very pages that the host shows.
"""

from __future__ import annotations

import os
import re
import struct
import time
import zlib
from pathlib import Path

import pytest

from tests.host.model import palette_colors
from tests.tools import cache, pictures
from tests.tools.unasked import looked_at

FOLDER = os.path.join(cache.CACHE, "pictures")
pytestmark = pytest.mark.everything

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PUBLISHED = os.path.join(ROOT, ".github", "pictures")
STANDARD_LINE = 20  # pixels, of the host's font at 100 %
WIDE, NARROW, LOW, PAGE = (1600, 900), (900, 800), (1200, 420), (1200, 800)
LOOKS = [("dark", 1.0), ("light", 1.0), ("dark", 1.5), ("light", 1.5)]
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\x00\x00\x00" + bytes(12000)

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


PRICES = '''"""What a seat costs, in euros."""

ADULT, CHILD = 24, 12


def total(adults: int, children: int) -> int:
    return adults * ADULT + children * CHILD
'''


@pytest.fixture
def theatre(desktop):
    """The editor with a file in it that an agent proposes to change."""
    desktop.write("theatre.py", BEFORE.encode())
    desktop.write("test_theatre.py", b"from theatre import House\n")
    desktop.open("test_theatre.py")
    desktop.open("theatre.py", row=12)
    return desktop


def propose(desktop, client, name, content, drawn="\u2212"):
    """Opens a diff as the client does, and waits until it is drawn."""
    client.start_call("open_diff", path=desktop.path(name), content=content)
    proposal = desktop.wait_proposal()
    desktop.host.wait_until(lambda: drawn in header(desktop))
    return proposal


def header(desktop):
    """The HTML of everything that floats in the proposal."""
    views = desktop.views_of_role("proposal")
    return "".join(phantom["content"] for phantom in views[-1]["phantoms"]) if views else ""


def look_like(desktop, scheme, zoom, told="1 to review"):
    """Switches the scheme and zooms, and waits until the review fits again. Returns the page."""
    desktop.host.call("use_scheme", name=scheme)
    desktop.host.call("zoom", factor=zoom)
    height = f"line-height: {STANDARD_LINE * zoom:g}px"
    desktop.host.wait_until(lambda: height in header(desktop))
    strange = colors_of("light" if scheme == "dark" else "dark") - colors_of(scheme)
    desktop.host.wait_until(lambda: not any(color in desktop.host.call("render") for color in strange))
    return still(desktop, told)


def colors_of(scheme):
    """The colours of the text, and of what marks it."""
    found = palette_colors.SCHEMES[scheme]
    return {*found.style.values(), *(look["foreground"] for look in found.scopes.values() if "foreground" in look)}


def still(desktop, told):
    """The page, once nothing moves any more and the status bar says what there is to review."""
    pages = ["", desktop.host.call("render")]

    def same():
        time.sleep(0.25)
        pages.append(desktop.host.call("render"))
        return pictures.mark_of(pages[-1]) == pictures.mark_of(pages[-2]) == pictures.mark_of(pages[-3])

    desktop.host.wait_until(lambda: told in desktop.host.call("render"))
    desktop.host.wait_until(same)
    return pages[-1]


def picture(pages, name, size, folder=FOLDER, scale=1):
    """Draws pages below each other, and looks whether each is a picture."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".png")
    try:
        page = pages[0] if len(pages) == 1 else pictures.sheet(pages, size)
        pictures.draw(page, path, (size[0], len(pages) * size[1]), scale)
    except pictures.NoBrowser as error:
        if cache.in_ci():
            raise
        pytest.skip(str(error))
    width, rows, channels = read_png(path)
    assert (width, len(rows)) == (scale * size[0], scale * len(pages) * size[1])
    for number in range(len(pages)):
        part = rows[number * scale * size[1] : (number + 1) * scale * size[1]]
        assert has_colors(part, channels, 20), f"a picture that shows nothing: {name}, {number}"


def has_colors(rows, channels, count):
    """Whether there are more than `count` different pixels."""
    pixels = set()
    for row in rows:
        pixels.update(row[start : start + channels] for start in range(1, len(row) - channels, channels))
        if len(pixels) > count:
            return True
    return False


def read_png(path):
    """Width, rows and bytes a pixel of a PNG of 8 bits a channel."""
    with open(path, "rb") as file:
        data = file.read()
    parts = list(pictures.chunks(data))
    width, height, depth, kind = struct.unpack(">IIBB", parts[0][1][:10])
    assert depth == 8
    assert kind in (2, 6)
    channels = 3 if kind == 2 else 4
    raw = zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT"))
    length = 1 + width * channels
    assert len(raw) == height * length
    return width, [raw[start : start + length] for start in range(0, len(raw), length)], channels


def published(page, name, size):
    """The pages' pictures of this name, at 1x and at 2x, are of this page. Draws them first if that was asked for."""
    pages = [Path(ROOT, "README.md"), *Path(ROOT, "docs").glob("*.md")]
    shown = "".join(page.read_text(encoding="utf-8") for page in pages)
    for scale, file_name in ((1, name), (2, name + "-2x")):
        if os.environ.get("DRAW_PICTURES"):
            picture([page], file_name, size, PUBLISHED, scale)
        made_from = pictures.mark_in(os.path.join(PUBLISHED, file_name + ".png"))
        assert made_from == pictures.mark_of(page), f"{file_name}.png is not what the host shows: DRAW_PICTURES=1"
        assert f".github/pictures/{file_name}.png" in shown


def draw_all(desktop, name, size, told="1 to review"):
    """Draws the review in every look; the ones at 100 % are published. Returns the pages."""
    pages = {look: look_like(desktop, *look, told) for look in LOOKS}
    for (scheme, zoom), page in pages.items():
        if zoom == 1.0:
            published(page, name if scheme == "dark" else f"{name}-{scheme}", size)
    picture(list(pages.values()), name, size)
    return list(pages.values())


def test_side_by_side(theatre, client):
    propose(theatre, client, "theatre.py", AFTER)
    for page in draw_all(theatre, "side-by-side", WIDE):
        assert "SoldOut" in page
        assert re.search(r'class="minimap".*?<u .*class="minimap".*?<u ', page, re.DOTALL), "both minimaps show changes"


def test_inline(theatre, client):
    theatre.host.call("resize_window", width=NARROW[0], height=NARROW[1])
    propose(theatre, client, "theatre.py", AFTER)
    assert theatre.views_of_role("original") == []
    for page in draw_all(theatre, "inline", NARROW):
        assert "SoldOut" in page
        assert re.search(r'class="minimap".*?<u ', page, re.DOTALL)


def test_unchanged_lines_that_are_folded(theatre, client):
    before = "".join(f"def seat_{number}():\n    return {number}\n" for number in range(200))
    after = re.sub(r"return (\d*5)\n", r"return seat(\1)\n", before)
    theatre.write("seats.py", before.encode())
    propose(theatre, client, "seats.py", after)
    page = look_like(theatre, "dark", 1.0)
    assert len(re.findall(r'class="fold"', page)) >= 12, "six and more on either side"
    assert 'class="fold"' in look_like(theatre, "light", 1.5)
    picture([page, look_like(theatre, "light", 1.0)], "folded", WIDE)


def test_blue_and_orange(theatre, client):
    theatre.host.call("resize_window", width=NARROW[0], height=NARROW[1])
    propose(theatre, client, "theatre.py", AFTER)
    settings = "sublime.load_settings('Gemini Companion.sublime-settings')"
    theatre.host.execute(settings + ".set('review_colors', 'blue_orange')")
    theatre.host.wait_until(lambda: "var(--orangish)" in header(theatre))
    pages = draw_all(theatre, "blue-orange", NARROW)
    for (scheme, _), page in zip(LOOKS, pages):
        style = palette_colors.SCHEMES[scheme].style
        marks = set(re.findall(r'class="(?:mark|edge|icon picture)" style="[^"]*background:(#\w+)', page))
        assert marks == {style["bluish"], style["yellowish"]}  # what is removed stands between the lines
        assert not {"var(--greenish)", "var(--redish)"} & set(re.findall(r"var\(--\w+\)", page))


def test_a_new_file(theatre, client):
    theatre.host.call("resize_window", width=LOW[0], height=LOW[1])
    propose(theatre, client, "prices.py", PRICES)
    assert theatre.views_of_role("original") == []
    for page in draw_all(theatre, "new-file", LOW):
        assert "ADULT" in page


def test_a_warning(theatre, client):
    theatre.host.call("resize_window", width=LOW[0], height=LOW[1])
    propose(theatre, client, "theatre.py", AFTER, drawn="removed")  # in so narrow a half no count has room
    view = next(view for view in theatre.tabs() if view["file"] == theatre.path("theatre.py"))
    theatre.host.call("select", ranges=[[0, 0]], view=view["id"])
    theatre.host.call("type_text", text="# not saved\n", view=view["id"])
    theatre.host.wait_until(lambda: "unsaved" in header(theatre))
    for page in draw_all(theatre, "warning", LOW):
        assert "unsaved" in page


def test_unreviewed_changes(theatre, client):
    theatre.host.wait_until(lambda: looked_at(theatre, theatre.workspace))
    theatre.write("theatre.py", AFTER.encode())
    theatre.write("prices.py", PRICES.encode())
    theatre.wait_status("2 to keep or undo")
    theatre.show_change("theatre.py")
    for page in draw_all(theatre, "unreviewed", WIDE, "2 to keep or undo"):
        assert all(word in page for word in ("SoldOut", "Keep", "Undo", "Next: prices.py"))


def test_all_changes_on_one_page(theatre, client):
    """An agent whose hooks tell of its prompt has written three files, of which the user has kept one."""
    theatre.host.wait_until(lambda: looked_at(theatre, theatre.workspace))
    theatre.write("seats.txt", b"A 8\nB 8\n")
    theatre.wait_status("1 to keep or undo")
    theatre.write("theatre.py", AFTER.encode())
    theatre.write("prices.py", PRICES.encode())
    theatre.wait_status("3 to keep or undo")
    theatre.run("Review Changes / Review Last Turn")
    text = "window.active_view().substr(sublime.Region(0, 9999))"
    theatre.host.wait_until(lambda: "+def total" in theatre.host.evaluate(text))
    theatre.host.call("resize_window", width=PAGE[0], height=PAGE[1])
    theatre.host.call("press", keys="shift+k")
    theatre.host.wait_until(lambda: "\u2713 kept seats.txt" in theatre.host.evaluate(text))
    for scheme in ("dark", "light"):
        theatre.host.call("use_scheme", name=scheme)
        page = still(theatre, "2 to keep or undo")
        assert all(word in page for word in ("kept seats.txt", "SoldOut"))
        published(page, "page" if scheme == "dark" else f"page-{scheme}", PAGE)


def test_an_image(theatre, client):
    theatre.write("seats.png", PNG)
    propose(theatre, client, "seats.png", "Rows A to C, 8 seats each.\n", "binary data")
    page = look_like(theatre, "dark", 1.0)
    (original,) = theatre.views_of_role("original")
    said = " ".join(" ".join(phantom["text"] for phantom in original["phantoms"]).split())
    assert "binary data, 12,029 bytes" in said
    picture([page], "image", WIDE)
