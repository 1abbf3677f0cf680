"""Which window an agent belongs to: the one that answers its questions, and the one in which its hooks count."""

from __future__ import annotations

import pytest

from companion.endpoint.window_choice import best_window, window_holding
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform
from tests.unit.endpoint.sessions_world import Window


class TestBestWindow:
    """Of an agent that asks for the context in this folder."""

    @pytest.mark.parametrize(
        ("root", "expected"),
        [
            ("/code/app", 0),
            ("/code/app/", 0),
            ("/code/app/src/deep", 1),
            ("/code/app/other", 0),
            ("/code", 2),
            ("/elsewhere", 2),
            ("/code/application", 2),
            ("", 2),
        ],
    )
    def test_it_has_the_folder_or_one_above_or_one_below_or_was_last_in_front(self, root, expected):
        windows = [Window("/code/app", last=1), Window("/code/app/src", last=2), Window("/other", "/code/x", last=3)]
        assert best_window(windows, root, Platform(LINUX, {}, "/")) is windows[expected]

    def test_of_two_with_the_folder_it_is_the_one_that_was_last_in_front(self):
        windows = [Window("/code", last=1), Window("/code", last=3), Window("/code", last=2)]
        assert best_window(windows, "/code", Platform(LINUX, {}, "/")) is windows[1]

    def test_on_macos_case_does_not_matter(self):
        windows = [Window("/Users/ada/Code", last=1), Window("/Users/ada/other", last=2)]
        assert best_window(windows, "/users/ada/code/app", Platform(MACOS, {}, "/Users/ada")) is windows[0]

    def test_on_windows_case_does_not_matter(self):
        windows = [Window(r"C:\Code\App", last=1), Window(r"C:\Other", last=2)]
        assert best_window(windows, r"c:\code\app", Platform(WINDOWS, {}, "C:\\")) is windows[0]

    def test_one_with_a_folder_below_goes_before_one_that_was_last_in_front(self):
        windows = [Window("/code/app", last=1), Window("/other", last=2)]
        assert best_window(windows, "/code", Platform(LINUX, {}, "/")) is windows[0]

    def test_without_windows_there_is_none(self):
        assert best_window([], "/code", Platform(LINUX, {}, "/")) is None


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/code/app", 0),
        ("/code/app/other", 0),
        ("/code/app/src/deep", 1),
        ("/code", None),
        ("/code/application", None),
        ("/elsewhere", None),
    ],
)
def test_a_program_belongs_to_the_window_with_the_innermost_folder_around(folder, expected):
    windows = [Window("/code/app", last=1), Window("/code/app/src", last=2), Window("/other", "/code/x", last=3)]
    found = window_holding(windows, folder, Platform(LINUX, {}, "/"))
    assert found is (windows[expected] if expected is not None else None)


def test_of_equal_windows_it_is_the_one_that_was_last_in_front():
    windows = [Window("/code", last=1), Window("/code", last=3), Window("/code", last=2)]
    assert window_holding(windows, "/code", Platform(LINUX, {}, "/")) is windows[1]


def test_on_windows_case_does_not_matter():
    windows = [Window(r"C:\Code\App")]
    assert window_holding(windows, r"c:\code\app\src", Platform(WINDOWS, {}, "C:\\")) is windows[0]
