"""Whether a path lies in a folder, by the text of both."""

from __future__ import annotations

import pytest

from companion.system.paths import is_below, path_below
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform

CASES = [
    (LINUX, "/code/app", "/code/app/src/a.py", "src/a.py"),
    (LINUX, "/code/app/", "/code/app", ""),
    (LINUX, "/code/app", "/code/apple", None),
    (LINUX, "/code/app", "/code", None),
    (LINUX, "/code/app", "/CODE/app/x", None),
    (LINUX, "/", "/code", "code"),
    (MACOS, "/code/\u0130", "/CODE/\u0130/X", "X"),  # in lower case this letter is two
    (WINDOWS, "C:\\code", "c:/Code/a/b", "a/b"),
    (WINDOWS, "C:\\", "c:\\a", "a"),
    (WINDOWS, "C:\\code", "D:\\code\\a", None),
]


@pytest.mark.parametrize(("system", "folder", "path", "rest"), CASES)
def test_a_path_lies_in_a_folder_whatever_its_case_is_but_on_linux(system, folder, path, rest):
    assert path_below(folder, path, Platform(system, {}, "")) == rest


def test_what_copies_an_agent_compares_letter_by_letter():
    windows = Platform(WINDOWS, {}, "")
    assert is_below("C:\\code", "C:\\code\\a", windows, exact=True)
    assert not is_below("C:\\code", "c:\\code\\a", windows, exact=True)
