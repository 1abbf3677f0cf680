"""The two names of a file: what is told, what is not, and that no name leads out of a folder."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.agents.dialect import file_url, path_of_url
from companion.agents.window import ActiveFile, SharedContext, TextPosition
from companion.remotes.path_map import PathMap
from companion.system.platform import LINUX, MACOS, WINDOWS

ON_LINUX = PathMap([("/srv/app", "/home/me/app"), ("/srv/app/inner", "/mnt/inner")])
ON_WINDOWS = PathMap([("/srv/app", r"\\wsl.localhost\Debian\srv\app"), ("/data", r"D:\data")], WINDOWS)


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("/srv/app", "/home/me/app"),
        ("/srv/app/a b/ü.py", "/home/me/app/a b/ü.py"),
        ("/srv/app/inner/x", "/mnt/inner/x"),
    ],
)
def test_a_name_goes_both_ways(there, here):
    assert ON_LINUX.to_local(there) == here
    assert ON_LINUX.to_remote(here) == there


def test_an_address_with_percent_signs_is_the_same_file():
    assert ON_LINUX.to_local(path_of_url(file_url("/srv/app/a b%/#1.py"))) == "/home/me/app/a b%/#1.py"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "srv/app/x",
        "/srv/apple/x",
        "/srv/app/../x",
        "/srv/app/x/../../y",
        "/srv/app/\0",
        "/etc/passwd",
        "~/x",
        "C:/x",
    ],
)
def test_what_is_outside_or_not_plain_has_no_name_here(path):
    assert ON_LINUX.to_local(path) is None


@pytest.mark.parametrize("local", ["mnt/app", "$HOME/app", "~nobody/app", "/home/me/../app", "C:/app", ""])
def test_a_folder_that_is_not_plain_here_holds_nothing(local):
    found = PathMap([("/srv/app", local)])
    assert found.to_remote("/home/me/secret") is None
    assert found.to_local("/srv/app/x") is None


@pytest.mark.parametrize("path", ["/home/me/apple/x", "/home/me/app/../x", "app/x", "", "/home/me"])
def test_what_is_outside_has_no_name_there(path):
    assert ON_LINUX.to_remote(path) is None


@pytest.mark.parametrize(
    "path",
    [
        r"\\wsl.localhost\Debian\srv\app\x.py",
        r"\\wsl$\Debian\srv\app\x.py",
        "//WSL.LOCALHOST/debian/srv/App/x.py",
        r"\\?\UNC\wsl.localhost\Debian\srv\app\x.py",
    ],
)
def test_every_way_to_write_a_share_is_the_same_file(path):
    assert ON_WINDOWS.to_remote(path) == "/srv/app/x.py"


def test_a_drive_and_its_separators():
    assert ON_WINDOWS.to_remote("d:/Data/x.py") == "/data/x.py"
    assert ON_WINDOWS.to_local("/data/x.py") == r"D:\data\x.py"


@pytest.mark.parametrize("name", ["a:b", "c:", "x\\y", "nul", "COM1.txt", "dot.", "blank ", "q?", "\x01"])
def test_what_windows_takes_for_something_else_has_no_name_there(name):
    assert ON_WINDOWS.to_local(f"/data/{name}") is None


def test_case_counts_on_linux_alone():
    assert PathMap([("/a", "/Users/me/app")], MACOS).to_remote("/users/ME/app/X") == "/a/X"
    assert PathMap([("/a", "/home/me/app")], LINUX).to_remote("/home/me/App/x") is None


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=8), max_size=6))
def test_no_name_leads_out_of_the_folder(names):
    for here in (ON_LINUX.to_local("/srv/app/" + "/".join(names)),):
        if here is not None:
            assert posixpath.normpath(here) == "/home/me/app" or posixpath.normpath(here).startswith(
                ("/home/me/app/", "/mnt/inner")
            )


def test_a_context_has_the_shared_files_alone():
    place = TextPosition(0, 0)
    files = [{"path": "/home/me/app/x", "timestamp": 1}, {"path": "/home/me/.ssh/key", "timestamp": 2}]
    context = SharedContext(
        {"workspaceState": {"openFiles": files}}, ActiveFile("/home/me/.ssh/key", place, place, "k")
    )
    told = ON_LINUX.context(context)
    assert told.active is None
    assert told.ide_context == {"workspaceState": {"openFiles": [{"path": "/srv/app/x", "timestamp": 1}]}}
