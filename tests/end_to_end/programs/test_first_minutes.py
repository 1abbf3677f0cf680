"""A stranger with a fresh home, one program and README: from nothing to the first accepted diff and undone change.

Rule: each step is a sentence of README, which is looked for there, and does what that sentence says, by what the editor
shows: the palette, a list, keys. There are at most ten. That Package Control installs the package is tested with
Package Control itself; here the editor has it when these steps are read. The program is a stand-in that connects as
Gemini CLI does, and then the real one, started by *Run Agent…* in what is this machine's terminal.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of this kind are POSIX", allow_module_level=True)

from tests.clients.gemini import GeminiClient
from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.gemini_cli import SETTINGS
from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.program import Program, write_settings
from tests.host.driver import Host
from tests.tools import nodes
from tests.tools.desktop import Desktop, run_agent

ROOT = Path(__file__).resolve().parents[3]
MOST_STEPS = 10
GREETING = "def greet(name):\n    return 'Hello, ' + name\n"
POLITE = GREETING.replace("Hello", "Good day")
RUDE = POLITE.replace("Good day", "Hey")
WITHOUT_ASKING = "\x19"  # Ctrl+Y, with which Gemini CLI goes on without asking

#: Whether the look that comes every other second has seen the accepted text in the file: a user is slower than it.
ARRIVED = """(lambda tracking: not any(
    workspace._expected.get(name) for workspace, name in tracking.find_by_window_path({!r})))(
    __import__('sys').modules['Gemini Companion.plugin'].application._endpoints.tracking)"""


class Readme:
    """The one page that a stranger has; counts the steps that were taken from it."""

    def __init__(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.programs = text.partition("## Agents\n")[2]
        sections = [text.partition(f"## {name}\n")[2].partition("\n## ")[0] for name in ("Install", "The first minute")]
        items = re.findall(r"^(?:\d+\. (.+(?:\n   .+)*)|(The agent went on .+))$", "\n".join(sections), re.MULTILINE)
        self._sentences = [" ".join("".join(item).split()) for item in items]
        self.taken = 0

    def step(self, *words):
        """The next sentence, which has these words."""
        sentence = self._sentences[self.taken]
        assert all(word in sentence for word in words), sentence
        self.taken += 1
        return sentence

    def is_read(self):
        return self.taken == len(self._sentences)

    def to_connect(self, program):
        """What the table says to type into a program."""
        (row,) = [line for line in self.programs.splitlines() if line.startswith(f"| [{program}]")]
        return re.findall("`([^`]+)`", row.split(" | ")[1])[0]


class StandIn:
    """What connects, asks and writes as Gemini CLI does, without its screen."""

    def __init__(self, desktop, command):
        assert "gemini" in command
        self._desktop = desktop
        self._client = GeminiClient(desktop.workspace, desktop.host.editor_pid, desktop.host.environment["TMPDIR"])

    def connect(self, line):
        assert line == "/ide enable"
        assert self._client.connect()["status"] == "connected"

    def ask_for_a_change(self):
        path = self._desktop.path("greeting.py")
        self._call = self._client.start_call("edit", path=path, before="Hello", after="Good day")

    def wait_written(self):
        self._call.result()

    def change_without_asking(self):
        self._desktop.write("greeting.py", RUDE.encode())

    def close(self):
        self._client.close()


class GeminiInTerminal(Program):
    """The real program, by the command line that *Run Agent…* has given to the terminal."""

    def __init__(self, desktop, command):
        self._desktop, model = desktop, GeminiApi()
        model.__enter__()
        write_settings(desktop.host, ".gemini", SETTINGS)  # it was signed in before
        variables = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_CLI_NO_RELAUNCH": "true"}
        super().__init__(["/bin/sh", "-c", command], desktop.host, desktop.workspace, model, variables)

    def connect(self, line):
        offers = "Do you want to connect Sublime Text to Gemini CLI?"
        self.wait_until(lambda: offers in self.text() or self.prompt in self.text(), "a prompt")
        if offers in self.text():
            self.press("escape")
        self.wait_ready()
        self.enter(line, lambda: "Connected to Sublime Text" in self.text())

    def _edit(self, old, new, said):
        edit = {
            "file_path": self._desktop.path("greeting.py"),
            "old_string": old,
            "new_string": new,
            "instruction": "x",
        }
        self._model.script(CallTool("replace", edit), Say(said))

    def ask_for_a_change(self):
        self._edit("Hello", "Good day", "It is polite now.")
        self.submit("Be more polite")

    def wait_written(self):
        self.wait_for("It is polite now.")

    def change_without_asking(self):
        self._write(WITHOUT_ASKING)
        self.wait_for("YOLO")
        self._edit("Good day", "Hey", "It is short now.")
        self.submit("Be short")
        self.wait_for("It is short now.")

    def close(self):
        super().close()
        self._model.__exit__(None, None, None)


@pytest.fixture
def editor(tmp_path):
    """An editor that was just installed, on a machine with a terminal and one program."""
    home, programs = tmp_path / "home", tmp_path / "programs"
    for folder in (home, programs, tmp_path / "work"):
        folder.mkdir()
    (tmp_path / "work" / "greeting.py").write_text(GREETING)
    script = os.path.join(nodes.packages("gemini_cli"), "node_modules", "@google", "gemini-cli", "bundle", "gemini.js")
    install(programs / "gemini", f"exec '{nodes.newer_node()}' '{script}' --model gemini-2.5-flash \"$@\"\n")
    install(
        programs / "terminal", f"printf '%s' \"$1\" > '{tmp_path}/part' && mv '{tmp_path}/part' '{tmp_path}/typed'\n"
    )
    name = "osx" if sys.platform == "darwin" else "linux"
    with Host.start(
        settings={"Gemini Companion": {"terminal_commands": {name: [str(programs / "terminal"), "$command"]}}},
        env={"PATH": f"{programs}:/usr/bin:/bin", "SHELL": "/bin/sh", "HOME": str(home)},
    ) as host:
        desktop = Desktop(host, os.path.realpath(str(tmp_path / "work")))
        desktop.typed = tmp_path / "typed"
        yield desktop
        assert host.errors() == []


def install(path, lines):
    path.write_text("#!/bin/sh\n" + lines)
    path.chmod(0o755)


@pytest.mark.parametrize("start", [StandIn, pytest.param(GeminiInTerminal, marks=pytest.mark.everything)])
def test_a_stranger_accepts_a_diff_and_undoes_a_change_in_ten_steps(editor, start):
    readme, host = Readme(), editor.host
    readme.step("**Package Control: Add Repository**", "`/releases/latest/download/repository.json`")
    readme.step("**Package Control: Install Package**", "**Gemini Companion**")
    readme.step("*File \u2192 Open Folder\u2026*")
    host.execute(f"window.set_project_data({{'folders': [{{'path': {editor.workspace!r}}}]}})")
    editor.wait_published()
    editor.open("greeting.py")

    readme.step("**Companion: Run Agent…** from the command palette, and choose Gemini CLI or another one.")
    run_agent(host, "Gemini CLI")
    host.wait_until(editor.typed.exists)
    program = start(editor, editor.typed.read_text())
    try:
        readme.step("Connect it", "the table says what to type")
        program.connect(readme.to_connect("Gemini CLI"))
        editor.wait_status("Gemini CLI")

        readme.step("Ask for a change", "opens beside your file")
        program.ask_for_a_change()
        assert editor.wait_proposal()["text"] == POLITE
        readme.step("Ctrl+S", "to accept it")
        editor.wait_decidable()
        host.wait_until(lambda: "Accept Ctrl+S" in editor.header())  # its keys are known a moment later
        host.call("press", keys="ctrl+s")
        program.wait_written()
        editor.wait_no_review()
        assert editor.read("greeting.py").decode() == POLITE

        readme.step("went on without asking", "`1 to keep or undo`")
        host.wait_until(ARRIVED.format(editor.path("greeting.py")))
        program.change_without_asking()
        editor.wait_status("1 to keep or undo")
        readme.step("**Companion: Show Unreviewed Changes**", "choose the file")
        editor.run("Show Unreviewed Changes")
        editor.rows()
        host.call("choose", item="greeting.py")
        editor.wait_shown("greeting.py")
        readme.step("**Undo** (Shift+Escape)")
        assert "Undo" in editor.header()
        host.call("press", keys="shift+escape")
        host.wait_until(lambda: editor.read("greeting.py").decode() == POLITE)
        assert readme.is_read()
        assert readme.taken <= MOST_STEPS
    finally:
        program.close()
