"""A notification of the system, by a program of each system's name that writes down how it was started."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys

import pytest

from companion.system import notifications
from companion.system.notifications import notify
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform

PROGRAMS = {LINUX: "notify-send", MACOS: "osascript", WINDOWS: "powershell.exe"}
TEXT = "Claude Code 'waits' \"for\" $(you) --help; `x`"

if sys.platform == "win32":
    pytest.skip("the programs are scripts of a POSIX shell", allow_module_level=True)


@pytest.fixture
def started(tmp_path):
    """Put the program of a system on the PATH; what it was started with."""

    def make(name, folder="bin", status=0):
        program = tmp_path / folder / PROGRAMS[name]
        program.parent.mkdir(exist_ok=True)
        said = tmp_path / "said.json"
        names = (notifications.TITLE, notifications.TEXT)
        noting = (
            f"import json, os, sys\nnames = {{name: os.environ.get(name) for name in {names!r}}}\n"
            f"json.dump([sys.argv[1:], names], open({str(said)!r}, 'w'))\nsys.exit({status})\n"
        )
        # The path of the Python may hold blanks, which the first line of a script cannot name.
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(noting)} "$@"\n')
        program.chmod(stat.S_IRWXU)
        platform = Platform(LINUX, {"PATH": str(program.parent)}, str(tmp_path / "home"), os.getuid())
        # Which names and paths it has is Windows's affair, and tested with the search itself.
        return platform, lambda: json.loads(said.read_text()) if said.exists() else None

    return make


def test_the_text_is_data(started):
    platform, said = started(LINUX)
    notify(TEXT, [], platform)
    words, names = said()
    assert words == ["--app-name", "Sublime Text", "--", "Sublime Text", TEXT]
    assert names == {"COMPANION_TITLE": "Sublime Text", "COMPANION_TEXT": TEXT}


def test_on_macos_a_script_reads_it(started):
    platform, said = started(MACOS)
    notify(TEXT, [], platform._replace(name=MACOS))
    words, names = said()
    assert words[0] == "-e"
    assert not [word for word in words if "waits" in word]
    assert names == {"COMPANION_TITLE": "Sublime Text", "COMPANION_TEXT": TEXT}


def test_where_there_is_no_such_program_the_log_says_so(tmp_path, caplog):
    notify(TEXT, [], Platform(LINUX, {"PATH": str(tmp_path)}, "/home/me", os.getuid()))
    assert "cannot notify: there is no notify-send" in caplog.text
    assert "Claude" not in caplog.text


def test_none_of_the_workspace_is_started(started, tmp_path, caplog):
    platform, said = started(LINUX)
    notify(TEXT, [str(tmp_path / "bin")], platform)
    assert said() is None
    assert "lies in a folder of this window" in caplog.text


def test_one_that_fails_is_no_error(started, tmp_path, caplog):
    platform, said = started(LINUX, status=3)
    notify(TEXT, [], platform)
    assert said() is not None
    (tmp_path / "bin" / "notify-send").write_text("#!/nowhere/at/all\n")
    notify(TEXT, [], platform)
    assert "cannot notify: notify-send did not run (FileNotFoundError)" in caplog.text
