"""The terminal in which the tests run real programs, and how a user types there, tried with small programs."""

from __future__ import annotations

import os
import sys
import types

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of this kind are POSIX", allow_module_level=True)

from tests.clients.programs.program import Program
from tests.clients.programs.terminal import ScreenTimeout, Terminal

# What the small programs share: raw input, and `seen()`, which returns once the terminal has drawn all of the output.
START = r"""
import os, select, sys, time, tty
tty.setraw(0)
put = lambda text: os.write(1, text.encode())
def seen():
    put("\x1b[6n")
    answer = b""
    while not answer.endswith(b"R"):
        answer += os.read(0, 1)
CLEAR, BEGIN, END = "\x1b[2J\x1b[H", "\x1b[?2026h", "\x1b[?2026l"
"""

HALF = (
    START
    + r"""
put("first")
os.read(0, 1)
for byte in BEGIN + CLEAR + "sec":
    put(byte)
seen()
open(sys.argv[1], "w").close()
os.read(0, 1)
put("ond" + END)
os.read(0, 1)
"""
)

BROKEN = (
    START
    + r"""
put("first")
put(BEGIN + CLEAR + "second")
seen()
"""
)

# Draws its old frame once more, in two pieces, before it shows what was typed, and loses an Enter that comes meanwhile.
SLOW = (
    START
    + r"""
prompt = "\r\nready?\r\n"
put("> Be polite" + prompt)
os.read(0, 4096)
put(CLEAR + "> Be polite")
seen()
time.sleep(0.3)
put(prompt)
seen()
time.sleep(0.3)
while select.select([0], [], [], 0)[0]:
    os.read(0, 4096)
put(CLEAR + "> Be polite\r\n> Be polite")
while b"\r" not in os.read(0, 4096):
    pass
open(sys.argv[1], "w").close()
put(prompt)
os.read(0, 1)
"""
)


@pytest.fixture
def done(tmp_path):
    """The file that a program makes to say that it has come so far."""
    return str(tmp_path / "done")


def command(program, done):
    return [sys.executable, "-c", program, done]


def test_a_frame_shows_when_it_is_whole(done, tmp_path):
    with Terminal(command(HALF, done), str(tmp_path), os.environ) as terminal:
        terminal.wait_for("first")
        terminal.press("enter")
        terminal.wait_until(lambda: os.path.exists(done), "half of a frame")
        assert terminal.text() == "first"
        terminal.press("enter")
        terminal.wait_for("second")
        assert terminal.text() == "second"


def test_what_a_program_has_drawn_shows_when_it_ends(done, tmp_path):
    with Terminal(command(BROKEN, done), str(tmp_path), os.environ) as terminal:
        with pytest.raises(ScreenTimeout, match="the program ended"):
            terminal.wait_for("third")
        assert terminal.text() == "second"


def test_a_line_that_stands_on_the_screen_already_is_sent_off_when_its_echo_shows(done, tmp_path):
    class Slow(Program):
        prompt = "ready?"

    class Model:
        @property
        def turns(self):
            return ["asked"] * os.path.exists(done)

    host = types.SimpleNamespace(environment=dict(os.environ), console=str)
    with Slow(command(SLOW, done), host, str(tmp_path), Model(), {}) as program:
        program.submit("Be polite")
        assert os.path.exists(done)
