"""README's film of the loop: a question, a diff, an edit, the answer; and that it shows what the host shows now.

It is drawn anew with `DRAW_PICTURES=1` in the environment of the test command, as the pages' pictures are. The terminal
is a view that says what a program's screen would: the headless editor has none.
"""

from __future__ import annotations

import os

import pytest

from tests.end_to_end.test_pictures import PUBLISHED, header, still
from tests.tools import animation, cache, pictures
from tests.tools.animation import Frame

NAME = "loop.png"
SIZE = (1100, 620)
MOST_BYTES = 2 * 1024 * 1024
MILLISECONDS = 15000
TERMINAL_BELOW = {"cols": [0.0, 1.0], "rows": [0.0, 0.74, 1.0], "cells": [[0, 0, 1, 1], [0, 1, 1, 2]]}
QUESTION = "Refuse to sell more seats than there are"
BEFORE = """class House:
    def free(self):
        return [seat for seat in self.seats if not seat.taken]

    def sell(self, count):
        sold = []
        for seat in self.free()[:count]:
            seat.taken = True
            sold.append(seat)
        return sold
"""
OLD = "        sold = []\n"
NEW = '        if count > len(self.free()):\n            raise ValueError("no seats")\n        sold = []\n'
EDIT = " left"


class Film:
    """What is shown, one frame after the other."""

    def __init__(self, desktop):
        self.frames = []
        self._desktop, self._screen = desktop, ""
        host = desktop.host
        host.call("resize_window", width=SIZE[0], height=SIZE[1])
        host.execute("window.set_sidebar_visible(False)")
        host.execute("window.set_minimap_visible(False)")
        host.execute(f"window.set_layout({TERMINAL_BELOW!r})")
        self._file = desktop.open("house.py")
        host.execute("window.focus_group(1)")
        self._terminal = host.evaluate("window.new_file().id()")
        settings = f"sublime.View({self._terminal})"
        host.execute(f"{settings}.set_scratch(True); {settings}.set_name('Gemini CLI')")
        host.execute(f"{settings}.settings().set('terminus_view', True); {settings}.settings().set('gutter', False)")
        host.call("focus_view", view=self._terminal)

    def type(self, text):
        """Types into the terminal."""
        self._desktop.host.call("focus_view", view=self._terminal)
        self.say(text)

    def say(self, text):
        """The program says something there."""
        self._desktop.host.execute(f"sublime.View({self._terminal}).run_command('append', {{'characters': {text!r}}})")

    def work_in_the_file(self):
        self._desktop.host.call("focus_view", view=self._file)

    def show(self, caption, milliseconds, told=""):
        self.frames.append(Frame(still(self._desktop, told), caption, milliseconds))


@pytest.fixture
def client(desktop):
    """A connected client, for which the file was there before."""
    desktop.write("house.py", BEFORE.encode())
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        yield client


def test_the_whole_loop(desktop, client):
    film = Film(desktop)
    asks = "Ask the agent in your terminal"
    film.say("> ")
    film.type(QUESTION[:20])
    film.show(asks, 1200)
    film.type(QUESTION[20:] + "\n")
    film.show(asks, 1800)

    film.work_in_the_file()
    asked = client.start_call("edit", path=desktop.path("house.py"), before=OLD, after=NEW)
    proposal = desktop.wait_proposal()
    film.say("\nEdit house.py: waiting for your answer\n")
    desktop.host.wait_until(lambda: "1 to review" in desktop.window()["status_bar"] and header(desktop))
    film.show("What it wants to change opens beside your file", 3500, "1 to review")

    desktop.wait_decidable()
    place = proposal["text"].index('seats")') + len("seats")
    desktop.host.call("select", ranges=[[place, place]], view=proposal["id"])
    for part in (EDIT[:3], EDIT[3:]):
        desktop.host.call("type_text", text=part, view=proposal["id"])
        film.show("Type into it, if you want it otherwise", 1500, "1 to review")

    desktop.host.call("press", keys="ctrl+s")
    asked.result()
    desktop.wait_no_review()
    assert desktop.read("house.py").decode() == BEFORE.replace(OLD, NEW.replace("seats", "seats" + EDIT))
    desktop.host.wait_until(f"not sublime.View({film._file}).is_dirty()")
    desktop.host.wait_until(f"'seats{EDIT}' in sublime.View({film._file}).substr(sublime.Region(0, 999))")
    film.say("Edited house.py, with your change\n")
    film.show("Ctrl+S accepts it: the agent writes the file, and goes on with your text", 5500, "Gemini CLI")

    published(film.frames)


def published(frames):
    """The film on the page is one of these frames. Draws it first if that was asked for."""
    path = os.path.join(PUBLISHED, NAME)
    if os.environ.get("DRAW_PICTURES"):
        try:
            animation.draw(frames, path, SIZE)
        except pictures.NoBrowser as error:
            if cache.in_ci():
                raise
            pytest.skip(str(error))
    assert pictures.mark_in(path) == animation.mark_of(frames), f"{NAME} is not what the host shows: DRAW_PICTURES=1"
    assert animation.milliseconds_of(path) == sum(frame.milliseconds for frame in frames) == MILLISECONDS
    assert os.path.getsize(path) < MOST_BYTES
