"""What is written without asking by programs that have no hooks: a plain script, and a real program.

Each changes three files, makes one, deletes one and renames one; then a user decides by commands
(`tests/tools/unasked.py`). One editor serves both: its window has one folder with uncommitted work in a repository, and
one without git, where the program runs.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from tests.clients.claude import ClaudeClient
from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.opencode import OpenCode
from tests.host.driver import Host
from tests.tools.desktop import Desktop
from tests.tools.unasked import BEFORE, NEW, REST, SHELL, Unasked, looked_at

DONE = "All of it is written."


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A repository with uncommitted work, and a plain folder."""
    place = os.path.realpath(str(tmp_path_factory.mktemp("unasked")))
    repository, plain = folders = [os.path.join(place, name) for name in ("repository", "plain")]
    write_all(repository, dict.fromkeys(("one.py", "gone.py", "old.py"), b"# committed\n"))
    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "first")
    write_all(repository, BEFORE)
    write_all(os.path.join(plain, "work"), BEFORE)
    write_all(plain, {"notes.txt": b"of the user\n"})
    return folders


@pytest.fixture(scope="module")
def host(folders):
    with Host.start(folders=folders) as host:
        Desktop(host, folders[1]).open("notes.txt")
        yield host


@pytest.fixture
def model():
    with OpenAiApi() as model:
        yield model
        assert model.problems == []


def git(folder, *command):
    identity = ["-c", "user.name=A", "-c", "user.email=a@localhost"]
    subprocess.run(["git", *identity, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def write_all(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def test_a_script_in_a_repository_with_uncommitted_work(host, folders):
    desktop = Desktop(host, folders[0])
    work = Unasked(desktop)
    with ClaudeClient(host.environment["HOME"], folders[0], "opencode").connect():
        desktop.wait_status("opencode")
        host.wait_until(lambda: looked_at(desktop, desktop.workspace))
        subprocess.run(["sh", "-c", SHELL], cwd=folders[0], check=True)
        work.wait_count(6)
        work.decide()


@pytest.mark.everything
def test_a_program_that_asks_nobody(host, folders, model):
    """One without hooks; those with hooks have tests of their own."""
    desktop = Desktop(host, folders[1])
    work = Unasked(desktop, "work")
    path = work.path("one.py")
    model.script(
        CallTool("read", {"filePath": path}),
        CallTool("edit", {"filePath": path, "oldString": "line 2", "newString": "LINE 2"}),
        CallTool("write", {"filePath": work.path("new.py"), "content": NEW}),
        CallTool("bash", {"command": REST, "workdir": work.folder, "description": "The rest"}),
        Say(DONE),
    )
    with OpenCode(host, desktop.workspace, model) as program:
        program.wait_ready()
        desktop.wait_status("opencode")
        host.wait_until(lambda: looked_at(desktop, desktop.workspace))
        host.call("leave_application")
        program.submit("Change the files")
        program.wait_for(DONE)
        host.call("enter_application")
        assert desktop.views_of_role("proposal") == [], "it asks nobody"
        work.decide()
