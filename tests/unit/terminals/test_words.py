"""The words that users find typed in an agent's prompt: mentions of files and lines."""

from __future__ import annotations

import pytest

from companion.agents.dialect import Mention
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
