"""When the disk, a cleaner or another user is in the way: what the user is told, and that it ends well."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.host.driver import Host
from tests.tools.desktop import Desktop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="about owners and modes of POSIX directories")


def status(host):
    return host.evaluate("window.active_view().get_status('gemini_companion') if window.active_view() else ''")


@pytest.fixture
def place(tmp_path):
    """A temporary directory of the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir(mode=0o700)
    return folder


def test_a_directory_others_can_write_to_is_refused_told_and_tried_again(workspace, place):
    (place / "gemini" / "ide").mkdir(parents=True)
    (place / "gemini").chmod(0o777)
    with Host.start(folders=[workspace], files=[os.path.join(workspace, "greeting.py")],
                    env={"TMPDIR": str(place)}) as host:  # fmt: skip
        host.wait_until(lambda: "others can write to" in status(host))
        assert os.listdir(str(place / "gemini" / "ide")) == []
        (place / "gemini").chmod(0o700)
        Desktop(host, workspace).wait_published()
        host.wait_until(lambda: "others can write to" not in status(host))


def test_what_a_cleaner_removed_is_written_again(desktop):
    path = desktop.own_discovery_files()[0]
    os.remove(path)
    desktop.later(61)
    desktop.host.wait_until(lambda: os.path.exists(path))


def test_files_of_other_editors_dead_or_alive_are_left_alone(workspace, place):
    directory = place / "gemini" / "ide"
    directory.mkdir(parents=True)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for pid in (ended.pid, os.getpid()):
        info = {"name": "vscode", "displayName": "VS Code"}
        content = {"port": 9, "workspacePath": "/x", "authToken": "t", "ideInfo": info}
        (directory / f"gemini-ide-server-{pid}-9.json").write_text(json.dumps(content))
    left = sorted(os.listdir(str(directory)))
    with Host.start(folders=[workspace], env={"TMPDIR": str(place)}) as host:
        Desktop(host, workspace).wait_published()
        assert set(left) < set(os.listdir(str(directory)))
    assert sorted(os.listdir(str(directory))) == left


def test_a_file_left_by_a_killed_editor_is_removed_by_the_next_start(desktop):
    left = desktop.own_discovery_files()
    desktop.host.kill()
    assert desktop.discovery_files() == left
    desktop.host.restart()
    desktop.host.wait_until(lambda: not any(os.path.exists(path) for path in left))
    desktop.host.call("set_folders", folders=[desktop.workspace])  # which a killed editor does not keep
    desktop.wait_published()
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
