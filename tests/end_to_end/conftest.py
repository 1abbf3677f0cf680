"""A host with the package in it, a workspace, and real clients."""

from __future__ import annotations

import os

import pytest

from tests.clients.gemini import Processes
from tests.support.shared_editor import SharedEditor
from tests.tools.desktop import Desktop

pytest.register_assert_rewrite(
    "tests.end_to_end.programs.comparing",
    "tests.end_to_end.programs.hooked",
    "tests.end_to_end.programs.journeys",
    "tests.tools.unasked",
)

# Claude Code is installed and run only where the user asks for it; then the file is named on the command line.
collect_ignore = ["test_claude_program.py"]


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "greeting.py").write_bytes(b"def greet(name):\n    return 'Hello, ' + name\n")
    return os.path.realpath(str(folder))


@pytest.fixture(scope="session")
def processes():
    """The Node processes of Gemini clients, of which one serves many tests."""
    with Processes() as processes:
        yield processes


@pytest.fixture(scope="module")
def shared_editor():
    """The editor of the module, which `desktop` makes as good as new for each test."""
    shared = SharedEditor()
    yield shared
    shared.close()


@pytest.fixture
def new_editor(shared_editor):
    """For a test that would find what others have left in the editor; named before `desktop`."""
    shared_editor.close()


@pytest.fixture
def desktop(request, shared_editor, workspace, processes):
    """An editor on the workspace with the package loaded and published; at the end nothing may have gone wrong."""
    host = shared_editor.open(workspace)
    desktop = Desktop(host, workspace, processes)
    desktop.wait_published()
    failures = request.session.testsfailed
    yield desktop
    errors = host.errors() if host.running else []
    if errors or request.session.testsfailed != failures:
        shared_editor.close()
    assert errors == []


@pytest.fixture
def client(desktop):
    """A connected Gemini client."""
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        yield client
