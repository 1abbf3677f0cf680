"""Real clients find the right one of several windows, and hear of that window alone."""

from __future__ import annotations

import json
import os

import pytest


def published(desktop):
    """Window workspace to port, as discovery files say."""
    found = []
    for path in desktop.own_discovery_files():
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        found.append((content["workspacePath"], content["port"]))
    return sorted(found)


@pytest.fixture
def windows(desktop, tmp_path):
    """Three windows: one on the workspace, and two on the same other folder; each with a file of its own open."""
    shared = os.path.realpath(str(tmp_path / "shared"))
    os.mkdir(shared)
    for name in ("second.py", "third.py"):
        with open(os.path.join(shared, name), "w", encoding="utf-8") as file:
            file.write("# " + name + "\n")
    desktop.open("greeting.py")
    second = desktop.host.call("new_window", folders=[shared])
    desktop.host.call("open_file", path=os.path.join(shared, "second.py"), window=second)
    desktop.host.wait_until(lambda: len(published(desktop)) == 2)
    port = next(port for folder, port in published(desktop) if folder == shared)
    third = desktop.host.call("new_window", folders=[shared])
    desktop.host.call("open_file", path=os.path.join(shared, "third.py"), window=third)
    desktop.host.wait_until(lambda: len(published(desktop)) == 3)
    ports = {folder_port[1] for folder_port in published(desktop) if folder_port[0] == shared}
    return {"shared": shared, "second": (second, port), "third": (third, (ports - {port}).pop())}


def names_of(client):
    """The names of the open files, once there are some."""
    event = client.wait_event("context", lambda event: event["context"]["workspaceState"].get("openFiles"))
    return [os.path.basename(file["path"]) for file in event["context"]["workspaceState"]["openFiles"]]


def test_the_working_directory_decides(desktop, windows):
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        assert names_of(client) == ["greeting.py"]


@pytest.mark.parametrize("which", ["second", "third"])
def test_with_the_same_folder_in_two_windows_the_port_variable_decides(desktop, windows, which):
    port = windows[which][1]
    with desktop.client(cwd=windows["shared"], GEMINI_CLI_IDE_SERVER_PORT=str(port)) as client:
        assert client.connect()["status"] == "connected"
        assert names_of(client) == [which + ".py"]


def test_a_window_is_not_told_what_happens_in_another(desktop, windows):
    number, port = windows["second"]
    with desktop.client(cwd=windows["shared"], GEMINI_CLI_IDE_SERVER_PORT=str(port)) as client:
        client.connect()
        assert names_of(client) == ["second.py"]
        path = os.path.join(windows["shared"], "third.py")
        other = desktop.host.call("open_file", path=path, window=windows["third"][0])
        desktop.host.call("select", view=other, ranges=[[0, 5]])
        mine = desktop.host.call("open_file", path=desktop.path("greeting.py"), window=number)
        desktop.host.call("focus_view", view=mine)
        heard = []

        def of_my_window(event):
            heard.append(json.dumps(event["context"]))
            return "greeting.py" in heard[-1]

        client.wait_event("context", of_my_window)
        assert "third.py" not in "".join(heard)


def test_a_folder_added_lets_a_client_in_that_was_outside(desktop, windows, tmp_path):
    added = os.path.realpath(str(tmp_path / "added"))
    os.mkdir(added)
    with desktop.client(cwd=added) as client:
        assert client.connect()["status"] == "disconnected"
    number, port = windows["second"]
    desktop.host.call("set_folders", folders=[windows["shared"], added], window=number)
    desktop.host.wait_until(lambda: (os.pathsep.join([windows["shared"], added]), port) in published(desktop))
    with desktop.client(cwd=added) as client:
        assert client.connect()["status"] == "connected"
        assert names_of(client) == ["second.py"]


def test_a_closed_window_lets_nobody_in_any_more(desktop, windows):
    for which in ("second", "third"):
        desktop.host.call("close_window", window=windows[which][0])
    desktop.host.wait_until(lambda: len(published(desktop)) == 1)
    with desktop.client(cwd=windows["shared"]) as client:
        assert client.connect()["status"] == "disconnected"
