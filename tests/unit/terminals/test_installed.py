"""Which programs are installed: by the editor's PATH, else by one question to the login shell; and never by waiting."""

from __future__ import annotations

import pytest

from companion.agents.registry import agents_to_run
from companion.settings import Settings
from companion.system import programs
from companion.system.platform import LINUX, WINDOWS, Platform
from companion.terminals import installed
from companion.terminals.installed import InstalledPrograms, find_installed
from tests.support.programs import with_programs
from tests.support.stepping import SteppedRuntime


def install(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def machine(tmp_path):
    """A platform with programs on the editor's PATH, and a login shell that has more."""
    home = tmp_path / "home"
    home.mkdir()
    seen, only_in_shell = install(tmp_path / "seen", "gemini"), install(tmp_path / "own", "claude", "it's mine")
    (home / ".profile").write_text(f"echo hello\nPATH='{only_in_shell}':$PATH\ngoose() {{ true; }}\n")
    environment = {"PATH": f"{seen}:/usr/bin:/bin", "SHELL": "/bin/sh", "HOME": str(home)}
    return Platform(LINUX, environment, str(home))


def found(machine, monkeypatch, *names):
    for name, value in machine.environment.items():
        monkeypatch.setenv(name, value)
    return find_installed(names, machine, lambda: False)


def test_what_the_path_or_the_login_shell_has_is_installed(machine, monkeypatch):
    names = ("gemini", "claude", "it's mine", "goose", "codex", "/no/such/program")
    assert found(machine, monkeypatch, *names) == {"gemini", "claude", "it's mine", "goose"}


def test_a_home_in_a_setting_is_put_in(machine, monkeypatch, tmp_path):
    install(tmp_path / "home" / "tools", "qwen")
    assert found(machine, monkeypatch, "~/tools/qwen", "$HOME/tools/none") == {"~/tools/qwen"}


def test_the_shell_is_asked_once_and_only_for_what_is_left(machine, monkeypatch):
    asked = []
    monkeypatch.setattr(installed, "output_of", lambda words, *rest: asked.append(words[-1]) or (0, ""))
    assert found(machine, monkeypatch, "gemini") == {"gemini"}
    assert asked == []
    assert found(machine, monkeypatch, "gemini", "claude", "codex") == {"gemini"}
    ((line),) = asked
    assert "gemini" not in line.replace(installed.MARK, "")
    assert "command -v claude" in line
    assert "command -v codex" in line


def test_a_shell_that_cannot_be_asked_leaves_what_the_path_has(machine, monkeypatch):
    def fail(*_):
        raise OSError("no shell")

    monkeypatch.setattr(installed, "output_of", fail)
    assert found(machine, monkeypatch, "gemini", "claude") == {"gemini"}


def test_on_windows_no_shell_is_asked(monkeypatch):
    platform = Platform(WINDOWS, {"PATH": "C:\\npm", "SystemRoot": "C:\\Windows"}, "C:\\Users\\me")
    monkeypatch.setattr(programs, "is_program", lambda path: path == "C:\\npm\\gemini.cmd")
    assert find_installed(["gemini", "claude"], platform, lambda: False) == {"gemini"}


def test_the_answer_is_that_of_the_last_look_and_takes_none(monkeypatch):
    runtime = SteppedRuntime()
    disk = {"gemini"}
    monkeypatch.setattr(installed, "find_installed", lambda names, platform, cancelled: frozenset(disk & set(names)))
    known, settings = InstalledPrograms(runtime), Settings()
    gemini, qwen = agents_to_run(settings)[:2]

    def look():
        for _ in range(3):
            runtime.workers.step()
            runtime.editor.step()

    known.settings_changed(settings)
    assert not known.has(gemini, settings), "nothing counts before the first look"
    look()
    assert known.has(gemini, settings)
    disk.add("qwen")
    known.settings_changed(settings)
    look()
    assert not known.has(qwen, settings), "these settings name no other programs"
    known.search(settings)
    look()
    assert known.has(qwen, settings)
    other = with_programs({"gemini": {"command": ["my-gemini"]}})
    known.settings_changed(other)
    look()
    assert not known.has(gemini, other)
