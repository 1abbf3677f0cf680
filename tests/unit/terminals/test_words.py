"""The words that users read or find typed: mentions, the status bar, how to install a client."""

from __future__ import annotations

import pytest

from companion.agents.dialect import Mention
from companion.endpoint.clients import status_text
from companion.system.platform import LINUX, WINDOWS, Platform
from companion.terminals.command_lines import mentions, selected_lines

POSIX = Platform(LINUX, {}, "/home/ada")
NT = Platform(WINDOWS, {}, "C:\\Users\\Ada")


@pytest.mark.parametrize(
    "path, folders, lines, platform, expected",
    [
        ("/code/src/a.py", ["/code"], (3, 7), POSIX, "@src/a.py (lines 3-7) "),
        ("/code/src/a.py", ["/code/"], (3, 3), POSIX, "@src/a.py (line 3) "),
        ("/code/src/a.py", ["/code"], None, POSIX, "@src/a.py "),
        ("/elsewhere/a.py", ["/code"], None, POSIX, "@/elsewhere/a.py "),
        ("/workshop/a.py", ["/code"], None, POSIX, "@/workshop/a.py "),
        ("/code/a.py", [], None, POSIX, "@/code/a.py "),
        ("/code/a.py", ["/co", "/other", "/code"], None, POSIX, "@a.py "),
        ("/code/my file (1).py", ["/code"], (1, 2), POSIX, "@my\\ file\\ \\(1\\).py (lines 1-2) "),
        ("/code/日本.py", ["/code"], None, POSIX, "@日本.py "),
        ("/code/a\\b.py", ["/code"], None, POSIX, "@a\\\\b.py "),
        ("C:\\Code\\src\\a.py", ["c:\\code"], (3, 7), NT, "@src/a.py (lines 3-7) "),
        ("C:\\Code\\my file.py", ["C:\\Code"], None, NT, '@"my file.py" '),
        ("\\\\server\\share\\a.py", ["C:\\Code"], None, NT, "@//server/share/a.py "),
    ],
)
def test_a_mention_is_what_one_would_type(path, folders, lines, platform, expected):
    place = Mention(path, (lines[0] - 1, lines[1] - 1) if lines else None)
    assert mentions([place], folders, platform) == expected


def test_several_lines_of_a_file_are_typed_behind_its_name_once():
    places = [Mention("/code/a.py", (0, 0)), Mention("/code/a.py", (4, 8)), Mention("/code/b")]
    assert mentions(places, ["/code"], POSIX) == "@a.py (lines 1, 5-9) @b "


@pytest.mark.parametrize(
    "selection, expected",
    [((0, 0, 5), (1, 1)), ((2, 6, 1), (3, 7)), ((2, 6, 0), (3, 6)), ((2, 2, 0), (3, 3))],
)
def test_the_lines_of_a_selection(selection, expected):
    assert selected_lines(*selection) == expected


@pytest.mark.parametrize(
    "state, expected",
    [
        ({}, ""),
        ({"sharing": False}, ""),
        ({"changed": 1}, "1 to keep or undo"),
        ({"clients": ["Gemini CLI"]}, "Gemini CLI"),
        ({"clients": ["Qwen Code", "Gemini CLI", "Gemini CLI"]}, "2 Gemini CLI + Qwen Code"),
        ({"clients": ["Gemini CLI"], "pending": 2}, "Gemini CLI, 2 to review"),
        ({"clients": ["Gemini CLI"], "sharing": False}, "Gemini CLI, sharing paused"),
        ({"problem": "could not open a port"}, "could not open a port"),
    ],
)
def test_the_status_bar_says_what_matters(state, expected):
    assert status_text(**state) == expected
