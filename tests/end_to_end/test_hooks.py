"""Hooks of programs, with the real `curl` and the commands that PROTOCOL.md shows, through the life of an editor."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.registry import AGENTS
from companion.system.platform import Platform
from tests.clients.claude import ClaudeClient
from tests.host.driver import Host
from tests.host.waiting import NEVER_SECONDS
from tests.tools.desktop import TITLE, Desktop

DOCUMENT = Path(__file__).resolve().parents[2] / "PROTOCOL.md"
CHANGE = "sublime.load_settings('Gemini Companion.sublime-settings').set({!r}, {!r})"
ANSWERS = "__import__('sys').modules['Gemini Companion.plugin'].application._endpoints.hook_answers"

if sys.platform == "win32":
    pytest.skip("the commands are for a POSIX shell", allow_module_level=True)


def agent_of(key):
    return next(agent for agent in AGENTS if agent.key == key)


class Hooked:
    """An editor to which programs are connected by their hooks."""

    def __init__(self, desktop):
        self.desktop = desktop
        desktop.wait_published()

    def file(self, key="claude"):
        place = f"(lambda agents: {ANSWERS}.file(next(each for each in agents if each.key == '{key}')))"
        return self.desktop.host.evaluate(f"{place}({ANSWERS}._sessions.agents())")

    def connect(self, key="claude"):
        self.desktop.host.execute(
            f"answers = {ANSWERS}\n"
            f"agent = next(each for each in answers._sessions.agents() if each.key == '{key}')\n"
            "answers._runtime.use_disk(lambda cancelled: answers.make(agent), then=lambda made: None)"
        )
        self.desktop.host.wait_until(lambda: os.path.exists(self.file(key)))
        return self.file(key)

    def run(self, command):
        """What a command of the document says."""
        command = command.replace("/code/app", self.desktop.workspace)
        ran = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, timeout=NEVER_SECONDS, check=True)
        return ran.stdout.decode()

    def start(self, payload, file):
        """The process of a hook of Claude Code that may be held; its shell was started by this process."""
        command = CLAUDE_CODE.hooks.command(file, payload["hook_event_name"], Platform.current(), holds=True)
        held = subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        held.stdin.write(json.dumps(payload).encode())
        held.stdin.close()
        held.stdin = None
        return held

    def tell(self, event, file, **fields):
        """The same of a hook as Claude Code has it."""
        payload = {"session_id": "s", "cwd": self.desktop.workspace, "hook_event_name": event, **fields}
        command = CLAUDE_CODE.hooks.command(file, event, Platform.current())
        return self.run(f"printf %s {shlex.quote(json.dumps(payload))} | {command}")


@pytest.fixture
def hooked(desktop):
    desktop.open("greeting.py")
    return Hooked(desktop)


def documented():
    """The commands of the document, in its order, each with the key of the program whose file it names."""
    blocks = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    calls = [call for block in blocks for call in re.split(r"^(?=curl )", block, flags=re.M) if "{file of " in call]
    return [(re.findall(r"\{file of (\w+)\}", call)[0], call) for call in calls]


def test_the_commands_of_the_document(hooked):
    says = ["Claude Code", "Claude Code", "Claude Code", "Claude Code", "Claude Code is done", "Copilot CLI"]
    commands = documented()
    assert [key for key, _ in commands] == ["claude"] * 5 + ["copilot"]
    files = {key: hooked.connect(key) for key in ("claude", "copilot")}
    for (key, command), status in zip(commands, says):
        # The document shows what a program's command adds, in the form of the program.
        line = agent_of(key).hooks.command("FILE", "preToolUse", Platform.current())
        assert command.startswith(line[: line.index("'FILE'")])
        assert hooked.run(command.replace("{file of %s}" % key, shlex.quote(files[key]))) == "{}"
        hooked.desktop.wait_status(status)


def test_the_file_is_as_the_document_says(hooked):
    shown = re.findall(r"```conf\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    with open(hooked.connect(), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:{port}", text)
    assert re.sub(r"Secret: .*\"", 'Secret: {secret}"', text) == shown[0]


def test_the_writes_of_the_document(hooked):
    """What each answer says, after what the user has done."""
    section = DOCUMENT.read_text(encoding="utf-8").split("### Writes that wait for the user")[1].split("\n## ")[0]
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section, re.S)]
    write, accepted, edited, rejected, undecided, question, refused = json.loads(
        json.dumps(blocks).replace("{folder}", hooked.desktop.workspace)
    )
    desktop, file = hooked.desktop, hooked.connect()
    desktop.write("main.py", b"one\ntwo\n")
    desktop.run("Review Every Write")
    chosen = "Review as the Agent Asks"  # the status bar says so once the program is there
    desktop.host.wait_until(
        lambda: any(each["caption"] == TITLE + chosen and each["visible"] for each in desktop.host.call("palette"))
    )

    def edit():
        desktop.host.call("select", ranges=[[0, 6]], view=desktop.wait_proposal()["id"])
        desktop.host.call("type_text", text="one\nzwei\n", view=desktop.wait_proposal()["id"])
        desktop.accept()

    def reject():
        desktop.run("Reject With Reason\u2026")
        desktop.host.call("type_text", text="keep the words")
        desktop.host.call("press", keys="enter")

    def switch_off():
        desktop.host.execute(CHANGE.format("programs", {"claude": {"enabled": False}}))

    for act, expected in ((desktop.accept, accepted), (edit, edited), (reject, rejected), (switch_off, undecided)):
        held = hooked.start(write, file)
        assert desktop.wait_proposal()["text"] == "one\n2\n"
        desktop.wait_decidable()
        act()
        assert json.loads(held.communicate(timeout=NEVER_SECONDS)[0]) == expected
        desktop.wait_no_review()
    desktop.host.execute(CHANGE.format("programs", {}))

    with ClaudeClient(desktop.host.environment["HOME"], desktop.workspace) as client:
        client.connect()
        asked = client.open_diff(desktop.path("main.py"), "one\n2\n", "its own")
        desktop.wait_proposal()
        held = hooked.start(question, file)
        desktop.host.wait_until(lambda: "Why\u2026" in desktop.header())
        desktop.wait_decidable()
        reject()
        assert json.loads(held.communicate(timeout=NEVER_SECONDS)[0]) == refused
        assert asked.result(NEVER_SECONDS)["result"]["isError"]
        desktop.wait_no_review()


def test_a_programs_writes_are_listed_with_name_and_reason_and_no_others(hooked):
    file, desktop = hooked.connect(), hooked.desktop
    hooked.tell("UserPromptSubmit", file, prompt="greet\n\nthem")
    shell = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "1"}
    desktop.write("before.txt", b"the user's\n")
    assert hooked.tell("PreToolUse", file, **shell) == "{}"
    desktop.write("made.txt", b"made\n")
    assert hooked.tell("PostToolUse", file, **shell) == "{}"
    desktop.write("after.txt", b"the user's\n")
    hooked.tell("Stop", file)
    desktop.wait_status("Claude Code is done", "1 to keep or undo")
    desktop.run("Show Unreviewed Changes")
    _, said = desktop.rows()["made.txt"]
    assert said == '+1 \u22120, new, Claude Code: "greet them"'
    assert not {"before.txt", "after.txt"} & set(desktop.rows())


def test_two_windows_and_none(hooked, tmp_path):
    file = hooked.connect()
    other = os.path.realpath(str(tmp_path / "other"))
    os.mkdir(other)
    front = hooked.desktop.window()["id"]
    hooked.desktop.host.call("new_window", folders=[other])
    hooked.desktop.host.wait_until(
        f"any({other!r} in each.discovery.all_folders for each in {ANSWERS}._sessions._endpoints())"
    )
    assert hooked.tell("SessionStart", file, cwd=other) == "{}"
    hooked.desktop.host.wait_until(
        f"[agent.agent.key for each in {ANSWERS}._sessions._endpoints() if each.window.id() != {front}"
        " for agent in each.agents.hooked] == ['claude']"
    )
    assert hooked.tell("SessionStart", file, session_id="elsewhere", cwd=str(tmp_path)) == "{}"
    assert len(hooked.desktop.host.evaluate(f"[*{ANSWERS}._sessions._sessions]")) == 1


def test_a_session_is_heard_by_an_editor_that_was_started_again(workspace, processes):
    """Whether it has quit or was killed meanwhile; the program's settings stay as they are."""
    with Host.start(folders=[workspace]) as host:
        desktop = Desktop(host, workspace, processes)
        hooked = Hooked(desktop)
        file = hooked.connect()
        for end, said in ((host.quit, "{}"), (host.kill, "")):
            desktop.open("greeting.py")
            assert hooked.tell("UserPromptSubmit", file, prompt="x") == "{}"
            desktop.wait_status("Claude Code")
            end()
            assert hooked.tell("PreToolUse", file).strip() == said
            host.restart()
            desktop.wait_published()
            host.wait_until(f"{ANSWERS}.port != 0 and {ANSWERS}.serving.value == 'serving'")
        desktop.open("greeting.py")
        assert hooked.tell("UserPromptSubmit", file, prompt="x") == "{}"
        desktop.wait_status("Claude Code")


def test_a_disabled_package_leaves_the_program_alone_until_it_is_back(hooked):
    file = hooked.connect()
    host = hooked.desktop.host
    hooked.tell("SessionStart", file)
    hooked.desktop.wait_status("Claude Code")
    host.disable_package()
    with open(file, encoding="utf-8") as opened:
        assert opened.read().startswith('url = "file:///')
    assert hooked.tell("PreToolUse", file).strip() == "{}"
    host.enable_package()
    hooked.desktop.wait_published()
    host.wait_until(f"{ANSWERS}.serving.value == 'serving'")
    assert hooked.tell("SessionStart", file) == "{}"
    hooked.desktop.wait_status("Claude Code")


def test_the_editor_says_when_another_application_comes_to_the_front(hooked):
    front = f"{ANSWERS}._sessions.in_front"
    hooked.desktop.host.call("leave_application")
    hooked.desktop.host.wait_until(f"not {front}")
    hooked.desktop.host.call("enter_application")
    hooked.desktop.host.wait_until(front)
