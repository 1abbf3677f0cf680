"""Programs that the user's own settings add: those that connect, and those that only run and write."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.clients.claude import ClaudeClient, lock_files
from tests.host.driver import Host
from tests.host.waiting import NEVER_SECONDS
from tests.tools.desktop import Desktop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts for a POSIX shell")

ENTRY = {"command": ["openclaude"], "dialect": "claude", "folder": "~/.openclaude"}
PROGRAM = """#!/bin/sh
echo "$0 $*" > "$REPORT"
until [ -e "$REPORT.go" ]; do sleep 0.1; done
echo "by the program" > written.py
"""
LOOKED = (
    "(lambda roots: bool(roots) and all(root.has_begun for root in roots.values()))("
    "__import__('sys').modules['Gemini Companion.plugin'].application._endpoints.tracking._roots)"
)
SET = "sublime.load_settings('Gemini Companion.sublime-settings').set('programs', {})"


@pytest.fixture
def start(tmp_path, workspace):
    """Starts an editor whose terminals are a script, with these settings and these programs on the path."""
    programs, home = tmp_path / "bin", tmp_path / "home"
    programs.mkdir()
    home.mkdir()

    def install(name, text):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)

    def started(settings, *names):
        for name in names:
            install(name, PROGRAM)
        install("my-terminal", '#!/bin/sh\nexec "$@"\n')
        terminal = {"osx" if sys.platform == "darwin" else "linux": ["my-terminal", "$shell", "-c", "$command"]}
        environment = {"PATH": f"{programs}:/usr/bin:/bin", "SHELL": "/bin/sh", "HOME": str(home)}
        return Host.start(
            folders=[workspace],
            settings={"Gemini Companion": {"terminal_commands": terminal, **settings}},
            env={**environment, "REPORT": str(tmp_path / "report")},
        )

    started.report = tmp_path / "report"
    yield started
    (tmp_path / "report.go").touch()  # programs in terminals outlive the editor


def rows(host):
    """The rows of the quick panel, once it shows: the annotations by text."""
    panel = host.wait_until(lambda: host.call("snapshot_window")["quick_panel"])
    return {row["trigger"]: row["annotation"] for row in panel["items"]}


def choices(host):
    return list(rows(host))


def run(host, program):
    """Picks a program, once it is known to be there, from the list of all of them, which is returned."""

    def first():
        host.call("run_palette", caption="Companion: Run Agent\u2026")
        found = choices(host)
        if rows(host)[program] != "not found":
            return found
        host.call("choose", item=-1)
        return None

    offered = host.wait_until(first)
    host.call("choose", item=program)
    return offered


def test_a_program_without_editor_support_runs_and_its_writes_are_listed(start, workspace):
    with start(
        {"programs": {"My Tool": {"command": ["my tool", "--x y"]}, "": {"command": ["wrong"]}}}, "my tool"
    ) as host:
        desktop = Desktop(host, workspace)
        desktop.wait_published()
        offered = run(host, "My Tool")
        assert offered[:2] == ["My Tool", "Gemini CLI"], "what is there comes first"
        assert offered[-2:] == ["Pi", "In another terminal"]
        host.wait_until(start.report.exists)
        host.wait_until(lambda: start.report.read_text().endswith("/my tool --x y\n"))
        host.wait_until(LOOKED)
        start.report.with_name("report.go").touch()
        desktop.wait_status("1 to keep or undo")
        assert host.call("press", keys="ctrl+k ctrl+r") == "gemini_companion_show_unreviewed_changes"
        assert choices(host) == ["written.py"]


def test_the_example_of_the_page_works_as_written(start, workspace):
    text = (Path(__file__).resolve().parents[2] / "docs" / "programs.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (example,) = [json.loads(block) for block in blocks if '"programs"' in block]
    with start(example, "aider") as host:
        assert host.wait_until(lambda: lock_files(host.environment["HOME"], ".openclaude"))
        offered = run(host, "Aider")
        assert offered.index("Aider") <= 1, "behind Gemini CLI, where npx is installed"
        assert "Codex CLI" not in offered
        host.wait_until(start.report.exists)
        host.wait_until(lambda: start.report.read_text().endswith("/aider --no-gitignore\n"))
        assert "is wrong" not in host.console()


def test_a_key_may_name_it_and_one_that_is_not_there_is_said(start, workspace):
    with start({}) as host:
        Desktop(host, workspace).wait_published()
        application = "__import__('sys').modules['Gemini Companion.plugin'].application"
        host.wait_until(f"{application}.endpoint_of(window).connection() is not None")
        host.evaluate("window.run_command('gemini_companion_run_agent', {'agent': 'Goose'})")
        host.wait_until("window.active_panel() is not None")
        text = "(lambda v: v.substr(sublime.Region(0, v.size())))(window.find_output_panel(window.active_panel()[7:]))"
        said = host.evaluate(text)
        assert said.startswith('Goose was not found: there is no "goose" on the PATH')


def test_an_entry_adds_an_agent_that_finds_the_window_and_goes_with_it(start, workspace):
    with start({"programs": {"OpenClaude": ENTRY}}, "openclaude") as host:
        desktop, home = Desktop(host, workspace), host.environment["HOME"]
        ((port, lock),) = host.wait_until(lambda: lock_files(home, ".openclaude")).items()
        assert lock["workspaceFolders"] == [os.path.realpath(workspace)]
        run(host, "OpenClaude")
        host.wait_until(start.report.exists)
        desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
        with ClaudeClient(home, workspace, folder=".openclaude") as client:
            client.connect()
            assert client.port == port
            client.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
            desktop.wait_status("OpenClaude")  # it says that it is Claude Code
            asked = client.open_diff(desktop.path("greeting.py"), "new\n", "a name")
            assert desktop.wait_proposal()["title"] == "greeting.py \u2190 OpenClaude (proposal)"
            host.evaluate(SET.format({}))
            host.wait_until(lambda: not lock_files(home, ".openclaude"))
            desktop.wait_no_client()
            assert asked.result(NEVER_SECONDS)["result"]["isError"], "its question goes on in its terminal"
            host.wait_until(lambda: client.ended)
            host.evaluate(SET.format({"Other": {**ENTRY, "folder": "~/.claude"}, "No": "entry", "OpenClaude": ENTRY}))
            ((_, again),) = host.wait_until(lambda: lock_files(home, ".openclaude")).items()
            assert again["authToken"] != lock["authToken"]
        with ClaudeClient(home, workspace, folder=".openclaude") as client:
            client.connect()
            desktop.wait_status("OpenClaude")
            asked = client.open_diff(desktop.path("greeting.py"), "newer\n", "a name")
            desktop.wait_proposal()
            desktop.accept()
            assert asked.result(NEVER_SECONDS) == ["FILE_SAVED", "newer\n"]
        with ClaudeClient(home, workspace) as client:
            client.connect()
            desktop.wait_status("Claude Code")
    assert not lock_files(home, ".openclaude")


def test_the_report_tries_an_own_agent_and_its_name_is_text_everywhere(start, workspace):
    name = "<b>Mine</b> & $Co."
    with start({"programs": {name: {**ENTRY, "command": ["not there"]}}}) as host:
        desktop, home = Desktop(host, workspace), host.environment["HOME"]
        ((_, lock),) = host.wait_until(lambda: lock_files(home, ".openclaude")).items()
        with ClaudeClient(home, workspace, folder=".openclaude") as client:
            client.connect()
            desktop.wait_status(name)
            client.open_diff(desktop.path("greeting.py"), "new\n", "a name")
            assert desktop.wait_proposal()["title"] == f"greeting.py \u2190 {name} (proposal)"
        host.call("run_palette", caption="Companion: Diagnose")
        text = "view.substr(sublime.Region(0, view.size()))"
        host.wait_until(lambda: f"{name} is not installed: \u201cnot there\u201d" in host.evaluate(text))
        host.wait_until(lambda: "on their way" not in host.evaluate(text))
        assert f"ok: {name} finds this window" in host.evaluate(text)
        assert lock["authToken"] not in host.evaluate(text)
