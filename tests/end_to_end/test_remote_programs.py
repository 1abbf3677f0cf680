"""The real programs on another machine, as far as namespaces can be one: what their users see, here and there.

Claude Code, whose licence reserves all rights, is not among them: `test_remotes.py` sends its messages.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
import sys

import pytest

from tests.tools import elsewhere

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.codex_cli import CodexCli
from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.gemini_cli import SETTINGS, GeminiCli, program, variables
from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.opencode import OpenCode
from tests.clients.programs.program import base_environment
from tests.clients.programs.qwen_code import QwenCode
from tests.clients.programs.responses_api import ResponsesApi
from tests.clients.programs.terminal import Terminal
from tests.end_to_end.test_remotes import Remote

pytestmark = pytest.mark.everything
TEXT = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSED = TEXT.replace("Hello", "Good day")


class There(elsewhere.Elsewhere):
    """Stands for the editor where a program is started: it has the home there, under the name that it has here."""

    def __init__(self, project, home, host) -> None:
        super().__init__(project, home)
        self._host = host
        self.home = home

    @property
    def environment(self):
        return {**self._host.environment, "HOME": self.home, "TMPDIR": elsewhere.TEMPORARY}

    def console(self):
        return self._host.console()

    editor_pid = 1  # of another machine: it is in no file there


@pytest.fixture
def workspace(request, tmp_path):
    """The folder that the editor has open: where the project of the other machine is seen, or another one."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return str(folder)


@pytest.fixture
def there(desktop, tmp_path, mount):
    problem = elsewhere.problem()
    if problem:
        pytest.skip(problem)
    project = desktop.workspace if mount else str(tmp_path / "unseen")
    os.makedirs(project, exist_ok=True)
    (tmp_path / "home").mkdir()
    with open(os.path.join(project, "greeting.py"), "w") as file:
        file.write(TEXT)
    with There(project, str(tmp_path / "home"), desktop.host) as there:
        there.read = lambda: open(os.path.join(project, "greeting.py")).read()  # noqa: SIM115
        before = there.files()
        there.remote = Remote(desktop, there.command, {there.folder: desktop.workspace if mount else None})
        yield there
        there.remote.choose("Disconnect web")
        desktop.host.wait_until(lambda: not [each for each in there.files() if "ide/" in each and each not in before])


PATH = elsewhere.FOLDER + "/greeting.py"
EDIT = {"file_path": PATH, "old_string": "Hello", "new_string": "Good day"}
PROGRAMS = {
    "gemini": (GeminiCli, GeminiApi, [CallTool("replace", {**EDIT, "instruction": "Greet politely."})]),
    "qwen": (QwenCode, OpenAiApi, [CallTool("read_file", {"file_path": PATH}), CallTool("edit", EDIT)]),
}


@pytest.mark.parametrize("mount", [True, False], ids=["mounted", "unseen"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_there_shows_a_diff_here_and_takes_edits_back(name, mount, desktop, there):
    make, make_model, calls = PROGRAMS[name]
    if mount:
        desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with make_model() as model, make(there, there.folder, model) as program:
        program.wait_ready()
        desktop.host.wait_until(lambda: "on web" in desktop.window()["status_bar"])
        model.script(*calls, Say("It is polite now."))
        program.submit("Be more polite")
        proposal = desktop.wait_proposal()
        assert proposal["text"] == PROPOSED
        assert desktop.views_of_role("original")[0]["text"] == TEXT
        desktop.type_at_end(proposal["id"], "# reviewed\n")
        desktop.accept()
        program.wait_for("It is polite now.")
        assert there.read() == PROPOSED + "# reviewed\n"
        desktop.wait_no_review()
        assert (PATH in str(model.turns[0])) == mount
        assert model.problems == []


@pytest.mark.parametrize("mount", [True, False], ids=["mounted", "unseen"])
def test_edits_of_what_copilot_wrote_there_are_saved_over_it(mount, desktop, there):
    with OpenAiApi() as model, CopilotCli(there, there.folder, model) as copilot:
        copilot.wait_ready()
        desktop.host.wait_until(lambda: "on web" in desktop.window()["status_bar"])
        model.script(CallTool("edit", {"path": PATH, "old_str": "Hello", "new_str": "Good day"}), Say("It is polite."))
        copilot.submit("Be more polite")
        proposal = desktop.wait_proposal()
        assert proposal["text"] == PROPOSED
        assert desktop.views_of_role("original")[0]["text"] == TEXT
        desktop.type_at_end(proposal["id"], "# reviewed\n")
        desktop.accept()
        copilot.wait_for("It is polite.")
        desktop.host.wait_until(lambda: there.read() == PROPOSED + "# reviewed\n")
        assert model.problems == []


@pytest.mark.parametrize("mount", [True])
def test_opencode_there_hears_of_the_selection_here(mount, desktop, there):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with OpenAiApi() as model, OpenCode(there, there.folder, model) as opencode:
        opencode.wait_connected("greeting.py#1")
        model.script(Say("I see."))
        opencode.submit("What is selected?")
        assert PATH in str(model.turns[-1])
        assert model.problems == []


@pytest.mark.parametrize("mount", [True])
def test_codex_there_asks_for_the_selection_here(mount, desktop, there):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with ResponsesApi() as model, CodexCli(there, there.folder, model) as codex:
        codex.switch_on()
        model.script(Say("I see."))
        codex.submit("What is selected?")
        assert "greeting.py" in str(model.turns[-1])
        assert "Codex CLI on web" in desktop.window()["status_bar"]
        assert model.problems == []


@pytest.mark.parametrize("mount", [True])
def test_programs_come_back_after_the_connection_broke(mount, desktop, there):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with contextlib.ExitStack() as stack:
        models = [stack.enter_context(make()) for make in (OpenAiApi, OpenAiApi, GeminiApi)]
        copilot = stack.enter_context(CopilotCli(there, there.folder, models[0]))
        opencode = stack.enter_context(OpenCode(there, there.folder, models[1]))
        gemini = stack.enter_context(GeminiCli(there, there.folder, models[2]))
        copilot.wait_connected("@greeting.py:2")
        opencode.wait_connected("greeting.py#1")
        gemini.wait_connected()
        there.run("pkill", "-f", "exec.zlib")
        there.remote.wait_said("web connected", times=2)
        desktop.open("greeting.py", row=0, column=4, end_row=0, end_column=9)
        opencode.wait_for("greeting.py#0")
        gemini.enter("/ide enable", lambda: "Connected to Sublime Text" in gemini.text())
        # It tries twice, within seconds: on a slow machine that is too early.
        back_or_lost = ("@greeting.py:1", "IDE connection lost")
        copilot.wait_until(lambda: any(each in copilot.text() for each in back_or_lost), "an end of the break")


ATTACK = """
import glob, json, os, socket
for path in glob.glob("/home/dev/.claude/ide/*") + glob.glob("/home/dev/.copilot/ide/*"):
    print("sees", path)
for place in glob.glob("/tmp/companion-*/*"):
    print("sees", place)
connection = socket.create_connection(("127.0.0.1", {port}), 5)
connection.sendall(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n")
try:
    print("hears", connection.recv(9))
except ConnectionError:
    print("hears", b"")
"""


@pytest.fixture
def behind_ssh(desktop, tmp_path):
    problem = elsewhere.problem() or ("" if elsewhere.server() else "there is no OpenSSH server")
    if problem:
        pytest.skip(problem)
    (tmp_path / "keys").mkdir()
    with open(desktop.path("greeting.py"), "w") as file:
        file.write(TEXT)
    with elsewhere.SshServer(desktop.workspace, str(tmp_path / "keys")) as there:
        yield there


@pytest.mark.parametrize("mount", [True, False], ids=["mounted", "unseen"])
def test_behind_ssh_another_user_is_served_and_a_third_one_is_not(mount, desktop, behind_ssh):
    there = behind_ssh
    remote = Remote(desktop, there.command, {there.folder: desktop.workspace if mount else None})
    locks = there.as_user("dev", "sh", "-c", "cat ~dev/.claude/ide/*.lock")
    port = json.loads(locks)["port"]
    attacked = there.as_user("other", "/usr/bin/python3", "-c", ATTACK.format(port=port))
    assert attacked.split() == ["hears", "b''"]

    model = GeminiApi()
    with model, Behind(desktop, there, model) as gemini:
        gemini.wait_for("Type your message")
        desktop.host.wait_until(lambda: "Gemini CLI on web" in desktop.window()["status_bar"])
        model.script(CallTool("replace", {**EDIT, "instruction": "Greet politely."}), Say("It is polite now."))
        gemini.submit("Be more polite")
        proposal = desktop.wait_proposal()
        assert (proposal["text"], desktop.views_of_role("original")[0]["text"]) == (PROPOSED, TEXT)
        desktop.type_at_end(proposal["id"], "# reviewed\n")
        desktop.accept()
        gemini.wait_for("It is polite now.")
        assert desktop.read("greeting.py").decode() == PROPOSED + "# reviewed\n"
    remote.choose("Disconnect web")
    desktop.host.wait_until(
        lambda: not there.as_user("dev", "sh", "-c", "ls -d ~dev/.claude /tmp/companion-* 2>/dev/null")
    )


class Behind(GeminiCli):
    """The program in a terminal of ssh."""

    def __init__(self, desktop, there, model) -> None:
        settings = json.dumps({**SETTINGS, "ide": {"enabled": True, "hasSeenNudge": True}})
        made = "mkdir -p ~dev/.gemini; cat > ~dev/.gemini/settings.json"
        subprocess.run([*there.command, made], input=settings.encode(), check=True)
        words = [
            "env",
            *(f"{name}={value}" for name, value in variables(model).items()),
            "NO_PROXY=127.0.0.1",
            *program(),
        ]
        command = [
            *there.command[:1],
            "-tt",
            *there.command[2:],
            f"cd {there.folder} && TERM=xterm-256color {' '.join(words)}",
        ]
        self._model, self._asked, self._host = model, 0, desktop.host
        Terminal.__init__(self, command, "/", base_environment(desktop.host.environment))
