"""What programs write without asking: a plain script, and real programs in the modes in which they ask nobody.

Each changes three files, makes one, deletes one and renames one, by its own tools and by the shell; then a user decides
by commands (`tests/tools/unasked.py`). One editor serves all of them: its window has one folder with uncommitted work
in a repository, and one without git, where the programs run.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from tests.clients.claude import ClaudeClient
from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.opencode import OpenCode
from tests.clients.programs.qwen_code import QwenCode
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
    for name in PROGRAMS:
        write_all(os.path.join(plain, name), BEFORE)
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


def opencode(desktop, model, work):
    path = work.path("one.py")
    program = OpenCode(desktop.host, desktop.workspace, model)
    model.script(
        CallTool("read", {"filePath": path}),
        CallTool("edit", {"filePath": path, "oldString": "line 2", "newString": "LINE 2"}),
        CallTool("write", {"filePath": work.path("new.py"), "content": NEW}),
        CallTool("bash", {"command": REST, "workdir": work.folder, "description": "The rest"}),
    )
    return program


def qwen(desktop, model, work):
    path = work.path("one.py")
    program = QwenCode(desktop.host, desktop.workspace, model, own_mode=True)
    model.script(
        CallTool("read_file", {"file_path": path}),
        CallTool("edit", {"file_path": path, "old_string": "line 2", "new_string": "LINE 2"}),
        CallTool("write_file", {"file_path": work.path("new.py"), "content": NEW}),
        CallTool("run_shell_command", {"command": REST, "directory": work.folder, "is_background": False}),
        CallTool("respond_in_schema", {"shouldBlock": False}),  # it asks the model whether that may be run
    )
    return program


def copilot(desktop, model, work):
    path = work.path("one.py")
    program = CopilotCli(desktop.host, desktop.workspace, model, options=["--allow-all-tools"])
    model.script(
        CallTool("edit", {"path": path, "old_str": "line 2", "new_str": "LINE 2"}),
        CallTool("create", {"path": work.path("new.py"), "file_text": NEW}),
        CallTool("bash", {"command": f"cd {shlex.quote(work.folder)} && {REST}", "description": "The rest"}),
    )
    return program


PROGRAMS = {"opencode": opencode, "Qwen Code": qwen, "Copilot CLI": copilot}


@pytest.mark.parametrize("title", PROGRAMS)
def test_a_program_in_a_mode_in_which_it_asks_nobody(host, folders, model, title):
    desktop = Desktop(host, folders[1])
    work = Unasked(desktop, title)
    with PROGRAMS[title](desktop, model, work) as program:
        model.script(Say(DONE))
        program.wait_ready()
        desktop.wait_status(title)
        host.wait_until(lambda: looked_at(desktop, desktop.workspace))
        host.call("leave_application")
        program.submit("Change the files")
        program.wait_for(DONE)
        host.call("enter_application")
        assert desktop.views_of_role("proposal") == [], "it asks nobody"
        work.decide()
