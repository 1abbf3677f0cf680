"""A host with the package in it, a workspace, and real clients."""

from __future__ import annotations

import os

import pytest

from tests.host.driver import Host
from tests.tools.desktop import Desktop

# Claude Code is installed and run only where the user asks for it; then the file is named on the command line.
collect_ignore = ["test_claude_program.py"]


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "greeting.py").write_bytes(b"def greet(name):\n    return 'Hello, ' + name\n")
    return os.path.realpath(str(folder))


@pytest.fixture
def desktop(workspace):
    """An editor on the workspace with the package loaded and published; at the end nothing may have gone wrong."""
    with Host.start(folders=[workspace]) as host:
        desktop = Desktop(host, workspace)
        desktop.wait_published()
        yield desktop
        if host.running:
            assert host.errors() == []
            assert host.call("problems")["unexpected_dialogs"] == []


@pytest.fixture
def client(desktop):
    """A connected Gemini client."""
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        yield client
