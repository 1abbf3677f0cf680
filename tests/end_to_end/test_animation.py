"""README's film of the loop: a question, a diff, an edit, both answers; and that it shows what the host shows now.

It is drawn anew with `DRAW_PICTURES=1` in the environment of the test command, as the pages' pictures are. The terminal
is a view that says what a program's screen would: the headless editor has none.
"""

from __future__ import annotations

import json
import os

import pytest

from tests.end_to_end.test_hooks import CHANGE, Hooked
from tests.end_to_end.test_pictures import PUBLISHED, header, still
from tests.host.waiting import NEVER_SECONDS
from tests.tools import animation, cache, pictures
from tests.tools.animation import Frame

pytestmark = pytest.mark.everything

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
LAST = "        return sold\n"
CHATTY = '        print("sold", len(sold))\n' + LAST
REASON = "nothing is printed in here"


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
        self.file = desktop.open("house.py")
        host.execute("window.focus_group(1)")
        self._terminal = host.evaluate("window.new_file().id()")
        settings = f"sublime.View({self._terminal})"
        host.execute(f"{settings}.set_scratch(True); {settings}.set_name('Claude Code')")
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
        self._desktop.host.call("focus_view", view=self.file)

    def show(self, caption, milliseconds, told=""):
        self.frames.append(Frame(still(self._desktop, told), caption, milliseconds))


@pytest.fixture
def house(desktop):
    """The file that the program is to change. Whatever it writes is shown before, by its hook."""
    desktop.write("house.py", BEFORE.encode())
    hooked = Hooked(desktop)
    hooked.connect()
    desktop.host.execute(CHANGE.format("review_before_writing", "always"))
    hooked.tell("SessionStart", hooked.file())
    desktop.wait_status("Claude Code")
    return hooked


def edit(hooked, old, new):
    """The hook of a change, which is held until the user has decided."""
    arguments = {"file_path": hooked.desktop.path("house.py"), "old_string": old, "new_string": new}
    payload = {"session_id": "s", "cwd": hooked.desktop.workspace, "hook_event_name": "PreToolUse", "tool_use_id": new}
    return hooked.start({**payload, "tool_name": "Edit", "tool_input": arguments}, hooked.file())


def answer(held):
    return json.loads(held.communicate(timeout=NEVER_SECONDS)[0])["hookSpecificOutput"]


def test_the_whole_loop(desktop, house):
    film, host = Film(desktop), desktop.host
    asks = "Ask the agent in your terminal"
    film.say("> ")
    film.type(QUESTION[:20])
    film.show(asks, 900)
    film.type(QUESTION[20:] + "\n")
    film.show(asks, 1400)

    film.work_in_the_file()
    held = edit(house, OLD, NEW)
    proposal = desktop.wait_proposal()
    film.say("* Update(house.py)\n")
    host.wait_until(lambda: "1 to review" in desktop.window()["status_bar"] and header(desktop))
    film.show("What it wants to change opens beside your file", 2600, "1 to review")

    desktop.wait_decidable()
    place = proposal["text"].index('seats")') + len("seats")
    host.call("select", ranges=[[place, place]], view=proposal["id"])
    for part, milliseconds in ((EDIT[:3], 1000), (EDIT[3:], 1300)):
        host.call("type_text", text=part, view=proposal["id"])
        film.show("Type into it, if you want it otherwise", milliseconds, "1 to review")

    host.call("press", keys="ctrl+s")
    accepted = answer(held)["updatedInput"]
    desktop.wait_no_review()
    written = BEFORE.replace(accepted["old_string"], accepted["new_string"])
    assert f"seats{EDIT}" in written
    desktop.write("house.py", written.encode())
    house.tell("PostToolUse", house.file(), tool_name="Edit", tool_input=accepted, tool_use_id=NEW)
    host.call("check_disk")
    host.wait_until(f"'seats{EDIT}' in sublime.View({film.file}).substr(sublime.Region(0, 999))")
    film.say("  written, with your change\n")
    film.show("Ctrl+S accepts it: the agent goes on with your text", 2300, "Claude Code")

    held = edit(house, LAST, CHATTY)
    desktop.wait_proposal()
    film.say("* Update(house.py)\n")
    host.wait_until(lambda: "1 to review" in desktop.window()["status_bar"] and header(desktop))
    film.show("The next change is not what you want", 1900, "1 to review")
    desktop.wait_decidable()
    desktop.run("Reject With Reason\u2026")
    for part, milliseconds in ((REASON[:12], 1000), (REASON[12:], 1600)):
        host.call("type_text", text=part)
        film.show("Reject it, and say why", milliseconds, "1 to review")
    host.call("press", keys="enter")
    assert REASON in answer(held)["permissionDecisionReason"]
    desktop.wait_no_review()
    film.say(f"  rejected: {REASON}\n* I leave that out.\n")
    film.show("The agent hears it, and goes on from there", 1000, "Claude Code")

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
