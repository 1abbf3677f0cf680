"""Directories as Node.js decides them, on each platform. Two tests ask a real Node.js where one is installed."""

from __future__ import annotations

import ntpath
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from companion.agents.agent import Announcement
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.qwen_code import QWEN_CODE
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform, _private_group
from tests.host.waiting import NEVER_SECONDS

MAC_TEMPORARY = "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/"


def platform(name, home="/home/ada", **environment):
    return Platform(name, environment, home)


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({}, "/tmp"),
        ({"TMPDIR": "/a"}, "/a"),
        ({"TMPDIR": "/a/"}, "/a"),
        ({"TMPDIR": "/a//"}, "/a/"),
        ({"TMPDIR": "/"}, "/"),
        ({"TMPDIR": "", "TMP": "/b"}, "/b"),
        ({"TMP": "/b", "TEMP": "/c"}, "/b"),
        ({"TEMP": "/c/"}, "/c"),
        ({"TMPDIR": "/does/not/exist", "TMP": "/b"}, "/does/not/exist"),
        ({"TMPDIR": MAC_TEMPORARY}, MAC_TEMPORARY[:-1]),
    ],
)
def test_temporary_directory_is_nodes(environment, expected):
    assert platform(LINUX, **environment).temporary_directory() == expected


@pytest.mark.parametrize(
    "environment",
    [{}, {"TMPDIR": "/a/"}, {"TMPDIR": "/a//"}, {"TMPDIR": "/"}, {"TMPDIR": "", "TMP": "/b"}, {"TEMP": "/c/"}],
)
def test_temporary_directory_agrees_with_the_node_installed(environment):
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js on PATH")
    answer = subprocess.run(
        [node, "-p", "os.tmpdir() + '|' + path.join(os.tmpdir(), 'gemini', 'ide')"],
        env=environment, stdout=subprocess.PIPE, check=True, timeout=NEVER_SECONDS,
    ).stdout.decode().strip()  # fmt: skip
    here = platform(LINUX, **environment)
    place = GEMINI_CLI.place(here)
    directory = here.path.normpath(here.path.join(place.root, *place.below))
    assert answer.split("|") == [here.temporary_directory(), directory]


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({"TEMP": "C:\\Users\\Ada\\AppData\\Local\\Temp\\", "TMP": "D:\\tmp"}, "C:\\Users\\Ada\\AppData\\Local\\Temp"),
        ({"TMP": "D:\\tmp"}, "D:\\tmp"),
        ({"Temp": "D:\\tmp"}, "D:\\tmp"),
        ({"TEMP": "D:\\"}, "D:\\"),
        ({"TMPDIR": "D:\\elsewhere", "SystemRoot": "C:\\Windows"}, "C:\\Windows\\temp"),
        ({"windir": "C:\\Windows"}, "C:\\Windows\\temp"),
    ],
)
def test_temporary_directory_on_windows(environment, expected):
    assert platform(WINDOWS, **environment).temporary_directory() == expected


@pytest.mark.parametrize(
    "name, folders, expected",
    [
        (LINUX, ("/a", "/b c"), "/a:/b c"),
        (MACOS, ("/Users/ada/One", "/Users/ada/Two"), "/Users/ada/One:/Users/ada/Two"),
        (WINDOWS, ("C:\\a", "\\\\server\\share\\b"), "C:\\a;\\\\server\\share\\b"),
    ],
)
@pytest.mark.parametrize("agent", [GEMINI_CLI, QWEN_CODE])
def test_workspace_path_is_joined_with_the_platforms_separator(name, folders, expected, agent):
    announcement = Announcement(4711, "secret", folders, 99)
    for content in agent.files(announcement, platform(name)).values():
        assert content["workspacePath"] == expected


def test_the_machine_at_hand_can_be_described():
    here = Platform.current()
    assert here.name in (LINUX, MACOS, WINDOWS)
    assert here.path.isabs(here.home_directory())
    assert platform(LINUX, HOME="/elsewhere").home_directory() == "/elsewhere"
    assert platform(LINUX).home_directory() == "/home/ada"


def test_a_machine_without_user_ids_is_windows(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "getuid", raising=False)
    here = Platform.current()
    assert here.name == WINDOWS
    assert here.user_id is None
    assert here.list_separator == ";"
    assert here.path is ntpath


def test_a_mac_is_told_from_linux(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert Platform.current().name == MACOS


@pytest.mark.parametrize(
    ("user", "group", "members", "private"),
    [
        (1000, "ada", [], 2000),
        (1000, "ada", ["ada"], 2000),
        (1000, "ada", ["ada", "eve"], None),
        (1000, "users", [], None),
        (0, "root", [], None),  # in which system accounts may be
        (4321, "ada", [], None),  # of whom the machine knows nothing
    ],
)
def test_a_group_is_the_users_alone_if_it_has_their_name_and_nobody_else(monkeypatch, user, group, members, private):
    grp, pwd = pytest.importorskip("grp"), pytest.importorskip("pwd")
    known = {0: SimpleNamespace(pw_name="root", pw_gid=0), 1000: SimpleNamespace(pw_name="ada", pw_gid=2000)}
    monkeypatch.setattr(os, "getuid", lambda: user)
    monkeypatch.setattr(pwd, "getpwuid", known.__getitem__)
    monkeypatch.setattr(grp, "getgrgid", lambda gid: SimpleNamespace(gr_gid=gid, gr_name=group, gr_mem=members))
    _private_group.cache_clear()
    assert Platform.current().private_group() == private
    _private_group.cache_clear()
