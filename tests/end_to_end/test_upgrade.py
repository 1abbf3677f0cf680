"""The package is replaced in a running editor: connected clients go on, and nothing of the old one is left."""

from __future__ import annotations

import os
import shutil
import socket

import pytest

from tests.host.driver import Host
from tests.host.waiting import NEVER_SECONDS
from tests.support import taken_port
from tests.tools.cache import ROOT
from tests.tools.desktop import Desktop

THREADS = "[thread.name for thread in __import__('threading').enumerate() if thread.name.startswith('gemini')]"
MODULES = "[name for name in __import__('sys').modules if name.startswith('Gemini Companion.companion')]"
PAUSE, RESUME = "Companion: Pause Sharing", "Companion: Resume Sharing"
STATUSES = "[view.get_status('gemini_companion') for window in sublime.windows() for view in window.views()]"


def version_of_package(folder: str, version: str) -> str:
    """A copy of the package that says it is `version`, in its server's introduction."""
    target = os.path.join(folder, version, "Gemini Companion")
    os.makedirs(target)
    for name in os.listdir(ROOT):
        if name == "companion":
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(os.path.join(ROOT, name), os.path.join(target, name), ignore=ignored)
        elif name in ("plugin.py", ".python-version") or name.endswith((".sublime-commands", ".sublime-settings")):
            shutil.copyfile(os.path.join(ROOT, name), os.path.join(target, name))
    path = os.path.join(target, "companion", "application.py")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    changed = text.replace('VERSION = "1.0.0"', f'VERSION = "{version}"')
    assert changed != text
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed)
    # Python takes a file of the same size and second for the same file.
    second = 1700000000 + int(version.partition(".")[0])
    os.utime(path, (second, second))
    return target


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Two versions of the package, which all editors have compiled only once."""
    folder = str(tmp_path_factory.mktemp("versions"))
    made = version_of_package(folder, "7.0.0"), version_of_package(folder, "8.0.0")
    with Host.start(package=made[1], folders=[folder]) as host:
        Desktop(host, folder).wait_published()  # it is compiled: a client waits only so long for an upgrade
    return made


@pytest.fixture
def upgraded(workspace, versions, processes):
    """An editor with version 7.0.0 of the package, and a folder with its version 8.0.0."""
    old, new = versions
    with Host.start(package=old, folders=[workspace]) as host:
        desktop = Desktop(host, workspace, processes)
        desktop.wait_published()
        yield desktop, new


def version_in_memory(desktop):
    return desktop.host.evaluate("__import__('sys').modules['Gemini Companion.companion.application'].VERSION")


def test_a_connected_client_goes_on(upgraded):
    desktop, new = upgraded
    before = desktop.wait_published()
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        desktop.host.upgrade_package(new)
        assert desktop.wait_published() == before  # the same port and token
        assert version_in_memory(desktop) == "8.0.0"
        desktop.open("greeting.py", row=0, column=4, end_row=0, end_column=9)
        desktop.host.wait_until(lambda: [file.get("selectedText") for file in client.open_files()] == ["greet"])
        assert client.call("status")["status"] == "connected"
        pending = client.start_call("edit", path=desktop.path("greeting.py"), before="Hello", after="Welcome")
        desktop.wait_proposal()
        desktop.accept()
        assert pending.result()["outcome"] == "accepted"
        assert b"Welcome" in desktop.read("greeting.py")


def files_told(client):
    """The files of the latest context, by name; None before the first one."""
    context = client.call("context")
    return (
        None if context is None else [os.path.basename(file["path"]) for file in context["workspaceState"]["openFiles"]]
    )


def test_sharing_that_the_user_has_paused_stays_paused(upgraded):
    desktop, new = upgraded
    desktop.open("greeting.py", row=0, column=4, end_row=0, end_column=9)
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        desktop.host.wait_until(lambda: files_told(client) == ["greeting.py"])
        desktop.host.call("run_palette", caption=PAUSE)
        desktop.wait_status("sharing paused")
        desktop.host.wait_until(lambda: files_told(client) == [])
        desktop.host.upgrade_package(new)
        desktop.wait_published()
        desktop.wait_status("Gemini CLI, sharing paused")
        assert version_in_memory(desktop) == "8.0.0"
        with desktop.client() as later:
            assert later.connect()["status"] == "connected"
            desktop.host.wait_until(lambda: files_told(later) is not None)
            assert files_told(later) == files_told(client) == []
        desktop.host.disable_package()
        desktop.host.enable_package()
        desktop.wait_published()
        desktop.wait_status("sharing paused")
        desktop.host.call("run_palette", caption=RESUME)
        desktop.host.wait_until(lambda: files_told(client) == ["greeting.py"])


def test_sharing_stays_paused_after_a_restart_until_the_user_resumes_it(workspace, processes):
    with Host.start(folders=[workspace]) as host:
        desktop = Desktop(host, workspace, processes)
        for caption, paused in ((PAUSE, True), (RESUME, False)):
            desktop.wait_published()
            desktop.open("greeting.py")
            host.call("run_palette", caption=caption)
            host.quit()
            host.restart()
            desktop.wait_published()
            with desktop.client() as client:
                client.connect()
                desktop.wait_status("Gemini CLI")
                assert ("sharing paused" in desktop.window()["status_bar"]) is paused
                host.wait_until(lambda: files_told(client) is not None)
                assert files_told(client) == ([] if paused else ["greeting.py"])


def test_an_open_review_is_rejected_and_the_window_given_back(upgraded):
    desktop, new = upgraded
    desktop.open("greeting.py")
    before = desktop.arrangement()
    with desktop.client() as client:
        client.connect()
        pending = client.start_call("edit", path=desktop.path("greeting.py"), before="Hello", after="Welcome")
        desktop.wait_proposal()
        desktop.host.upgrade_package(new)
        assert pending.result()["outcome"] == "rejected"
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_disabling_leaves_nothing_behind(upgraded):
    desktop, _ = upgraded
    desktop.open("greeting.py")
    announced = desktop.wait_published()
    with desktop.client() as client:
        client.connect()
        desktop.host.disable_package()
    assert desktop.own_discovery_files() == []
    desktop.host.wait_until(lambda: desktop.host.evaluate(THREADS) == [])  # one may still be looking at files
    assert desktop.host.evaluate(MODULES) == []
    assert set(desktop.host.evaluate(STATUSES)) == {""}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", announced["port"]), timeout=NEVER_SECONDS).close()
    home = os.path.join(desktop.host.environment["HOME"], ".qwen", "ide")
    assert os.listdir(home) == []


@pytest.mark.everything
def test_many_upgrades_leave_one_of_everything(upgraded):
    desktop, new = upgraded
    for _ in range(5):
        desktop.host.upgrade_package(new)
        desktop.wait_published()
    assert len(desktop.own_discovery_files()) == 1
    assert sum("loop" in name for name in desktop.host.evaluate(THREADS)) == 1


def test_a_port_that_is_taken_meanwhile_is_given_up(upgraded):
    desktop, _ = upgraded
    before = desktop.wait_published()
    desktop.host.disable_package()
    with taken_port.take(before["port"]):
        desktop.host.enable_package()
        assert desktop.wait_published()["port"] != before["port"]


def test_an_answer_that_the_client_no_longer_heard_is_not_lost(desktop):
    """The client is killed while the user accepts: then the companion writes the accepted text, unasked."""
    with desktop.client() as client:
        client.connect()
        client.start_call("edit", path=desktop.path("greeting.py"), before="Hello", after="Welcome")
        desktop.wait_proposal()
        client.kill()
    desktop.accept()
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: b"Welcome" in desktop.read("greeting.py"))
    assert not desktop.views_of_role("proposal")
