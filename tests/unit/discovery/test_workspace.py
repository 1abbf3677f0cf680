"""Which folders a window stands for, on each platform."""

from __future__ import annotations

import os

import pytest

from companion.discovery.workspace import resolved_folders, unusable_folders, workspace_folders
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform

POSIX = Platform(LINUX, {}, "/home/ada")
NT = Platform(WINDOWS, {}, "C:\\Users\\Ada")
MAC = Platform(MACOS, {}, "/Users/ada")


def folders(given=(), platform=POSIX, existing=(), **more):
    return workspace_folders(given, platform=platform, exists=lambda path: path in existing, **more)


def test_the_windows_folders_are_the_workspace_whatever_else_there_is():
    given = ["/code/one", "/code/two"]
    assert folders(given, project_file="/p/x.sublime-project", active_file="/q/a.py") == ("/code/one", "/code/two")


def test_folders_are_tidied_and_named_once():
    given = ["/code/one/", "/code/two", "/code/one", "/code/./two/x"]
    assert folders(given) == ("/code/one", "/code/two", "/code/two/x")


@pytest.mark.parametrize("platform, bad", [(POSIX, "/code/a:b"), (MAC, "/Users/ada/a:b"), (NT, "C:\\a;b")])
def test_a_folder_with_the_separator_in_its_name_is_left_out(platform, bad):
    """A client would take it for two folders."""
    good = "D:\\good" if platform is NT else "/good"
    assert folders([bad, good], platform) == (good,)
    assert unusable_folders([bad, good], platform) == [bad]
    assert folders([bad], platform, active_file=good + "/a") == ()


def test_relative_folders_are_left_out():
    assert folders(["one", "./two", ""]) == ()
    assert folders(["one", "\\one", "C:one"], NT) == ()


def test_what_is_the_name_of_no_folder_is_left_out():
    assert folders(["/nothing \0", "/good"]) == ("/good",)


def test_windows_folders_keep_drives_and_are_compared_without_case():
    given = ["C:\\Code\\One", "c:/code/one/", "\\\\server\\share\\Two", "\\\\SERVER\\share\\two\\", "D:\\"]
    assert folders(given, NT) == ("C:\\Code\\One", "\\\\server\\share\\Two", "D:\\")


def test_without_folders_the_project_files_folder_comes_first():
    more = {"project_file": "/p/x.sublime-project", "active_file": "/q/r/a.py", "existing": ["/q/.git"]}
    assert folders(**more) == ("/p",)


def test_the_top_of_the_working_copy_comes_after_the_project_file():
    assert folders(active_file="/q/r/s/a.py", existing=["/q/.git"]) == ("/q",)
    assert folders(active_file="/q/r/s/a.py", existing=["/q/.git", "/q/r/.hg"]) == ("/q/r",)
    assert folders(active_file="C:\\q\\r\\a.py", platform=NT, existing=["C:\\q\\.git"]) == ("C:\\q",)
    assert folders(active_file="\\\\server\\share\\q\\a.py", platform=NT) == ("\\\\server\\share\\q",)


def test_the_active_files_directory_comes_last():
    assert folders(active_file="/q/r/a.py") == ("/q/r",)


def test_a_working_copy_is_not_looked_for_when_the_setting_says_so():
    assert folders(active_file="/q/r/a.py", existing=["/q/.git"], fallback="directory") == ("/q/r",)
    assert folders(project_file="/p/x.sublime-project", fallback="directory") == ("/p",)


def test_no_fallback_at_all_when_the_setting_says_so():
    assert folders(project_file="/p/x.sublime-project", active_file="/q/r/a.py", fallback="none") == ()


def test_nothing_at_all_is_nothing():
    assert folders() == ()


def test_a_real_working_copy(tmp_path):
    (tmp_path / "copy" / ".git").mkdir(parents=True)
    (tmp_path / "copy" / "deep" / "down").mkdir(parents=True)
    active = str(tmp_path / "copy" / "deep" / "down" / "a.py")
    assert workspace_folders([], active_file=active) == (os.path.join(str(tmp_path), "copy"),)


def test_folders_with_their_links_resolved_are_named_once(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    real = os.path.realpath(str(tmp_path / "real"))
    assert resolved_folders([str(tmp_path / "link"), real]) == (real,)


def test_a_drive_that_stands_for_a_share_is_named_as_well():
    """Windows resolves it to the share; programs do that, or resolve links alone, and compare the text."""
    real = {"Z:\\app": "\\\\server\\share\\app", "C:\\link": "C:\\real", "c:\\other": "C:\\other"}
    assert resolved_folders(list(real), NT, real.__getitem__) == (
        "\\\\server\\share\\app",
        "Z:\\app",
        "C:\\real",
        "C:\\other",
    )
