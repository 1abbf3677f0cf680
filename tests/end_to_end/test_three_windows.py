"""Three windows at once, each with a real client: nothing of one window reaches the client of another."""

from __future__ import annotations

import contextlib
import json
import os

import pytest

FILES = {"first": "greeting.py", "second": "second.py", "third": "third.py"}


class Windows:
    """Three windows of one editor: the first on the workspace, the others on one shared folder."""

    def __init__(self, desktop, shared):
        self.desktop = desktop
        self.shared = shared
        self.numbers = {"first": desktop.window()["id"]}
        self.ports = {"first": desktop.wait_published()["port"]}

    def open(self, name):
        """A new window on the shared folder, with a file of its own in it."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# {name}\n")
        host = self.desktop.host
        self.numbers[name] = host.call("new_window", folders=[self.shared])
        host.call("open_file", path=path, window=self.numbers[name])
        self.ports[name] = host.wait_until(self._new_port)

    def path(self, name):
        return os.path.join(self.folder(name), FILES[name])

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def folder(self, name):
        return self.desktop.workspace if name == "first" else self.shared

    def titles(self, name):
        """The titles of all tabs of a window."""
        groups = self.desktop.host.call("snapshot_window", window=self.numbers[name])["groups"]
        return [tab["title"] for group in groups for tab in group["tabs"]]

    def _new_port(self):
        for path in self.desktop.own_discovery_files():
            with open(path, encoding="utf-8") as file:
                port = json.load(file)["port"]
            if port not in self.ports.values():
                return port
        return None


@pytest.fixture
def windows(desktop, tmp_path):
    shared = os.path.realpath(str(tmp_path / "shared"))
    os.mkdir(shared)
    desktop.open("greeting.py")
    windows = Windows(desktop, shared)
    windows.open("second")
    windows.open("third")
    return windows


@pytest.fixture
def clients(desktop, windows):
    """One connected client of Gemini CLI's core for each window, by the window's name.

    The working directory tells which window is meant; of two on the same folder, the port variable.
    """
    with contextlib.ExitStack() as stack:
        clients = {}
        for name, port in windows.ports.items():
            of_two = {} if name == "first" else {"GEMINI_CLI_IDE_SERVER_PORT": str(port)}
            client = desktop.client(cwd=windows.folder(name), **of_two)
            clients[name] = stack.enter_context(client)
            assert client.connect()["status"] == "connected"
            heard = names(client.wait_event("context", names))
            assert heard == [FILES[name]], "the context of another window"
        yield clients


def names(event):
    """The names of the open files that an event tells of, newest first."""
    return [os.path.basename(file["path"]) for file in event["context"]["workspaceState"].get("openFiles", [])]


def test_each_diff_opens_in_its_own_window_and_answers_its_own_client(desktop, windows, clients):
    tabs = {name: windows.titles(name) for name in FILES}
    shown = dict(tabs)  # what each window is to show now
    pending = {}
    for name, client in clients.items():
        pending[name] = client.start_call("write", path=windows.path(name), content=f"# new {name}\n")
        assert client.wait_event("confirming")["inEditor"] is True
        desktop.host.wait_until(lambda name=name: len(windows.titles(name)) == 3)
        shown[name] = windows.titles(name)
        assert sorted(set(shown[name]) & set(tabs[name])) == sorted(tabs[name]), "what was there is still there"
        assert any(FILES[name] in title for title in set(shown[name]) - set(tabs[name]))
        assert {other: windows.titles(other) for other in FILES} == shown
    desktop.host.call("focus_window", window=windows.numbers["second"])
    desktop.accept()
    assert pending["second"].result()["outcome"] == "accepted"
    desktop.host.wait_until(lambda: windows.titles("second") == tabs["second"])
    shown["second"] = tabs["second"]
    assert {name: windows.titles(name) for name in FILES} == shown
    assert not pending["first"].done()
    assert not pending["third"].done()
    desktop.host.call("focus_window", window=windows.numbers["third"])
    desktop.reject()
    assert pending["third"].result() == {"outcome": "rejected"}
    desktop.host.wait_until(lambda: windows.titles("third") == tabs["third"])
    assert windows.titles("first") == shown["first"]
    desktop.host.call("focus_window", window=windows.numbers["first"])
    desktop.accept()
    assert pending["first"].result()["outcome"] == "accepted"
    written = [windows.text(name) for name in FILES]
    assert written == ["# new first\n", "# new second\n", "# third\n"]
    for name in FILES:
        desktop.host.wait_until(lambda name=name: windows.titles(name) == tabs[name])
