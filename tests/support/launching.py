"""A window, its terminals and a system for unit tests of the launcher: the test plays Terminus and the disk."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from types import ModuleType, SimpleNamespace

from companion.agents.agent import ConnectionDetails
from companion.agents.gemini_cli import GEMINI_CLI
from companion.system.platform import LINUX, Platform
from companion.system.programs import FoundProgram
from companion.terminals.command_lines import words_with_folders
from companion.terminals.processes import ClientCommand
from tests.support.programs import with_programs
from tests.support.stepping import SteppedRuntime

TITLE = "Companion: "
ONE = ConnectionDetails(50001, ("/code/one",), 4321, ":", {"claude": 50002})
TWO = ONE._replace(folders=("/code/one", "/code/two"))
SPOILED = "/code/\x1b[31m"


class View:
    """A tab, a panel or, with a tag or `running` false, a terminal."""

    def __init__(self, path=None, text_rows=(), **settings):
        self.path, self.rows, self._settings = path, list(text_rows), settings

    def settings(self):
        return self._settings

    def window(self):
        return None

    def is_scratch(self):
        return self.path is None

    def file_name(self):
        return self.path

    def sel(self):
        return self.rows

    def rowcol(self, place):
        return place

    def size(self):
        return (8, 0)  # eight lines, with a line end after the last


class Region:
    """A selection from one row and column to another."""

    def __init__(self, begin, end):
        self._begin, self._end = begin, end

    def begin(self):
        return self._begin

    def end(self):
        return self._end

    def empty(self):
        return self._begin == self._end


def tagged(agent, number, run=None):
    """The tag of a terminal that this run of the editor, or another one, has opened."""
    run = run if run is not None else importlib.import_module("companion.terminals.launcher").RUN
    return f"gemini_companion.{agent}.7.{run}.{number}"


def terminal(tag="", **settings):
    named = {"terminus_view": True}
    if tag:
        named["terminus_view.tag"] = tag
    named.update({"terminus_view." + name: value for name, value in settings.items()})
    return View(**named)


class Panel(View):
    """A panel that keeps what is appended."""

    def __init__(self):
        super().__init__()
        self.text = ""

    def run_command(self, name, args):
        if name != "append":
            raise AssertionError(f"a panel was asked for {name}")
        self.text += args["characters"]


class Window:
    """Keeps what it is asked to do and to say."""

    def __init__(self):
        self.said, self.commands, self.focused, self.picks = [], [], [], []
        self.tabs, self.output = [], {}
        self.valid = True

    def id(self):
        return 7

    def is_valid(self):
        return self.valid

    def views(self):
        return list(self.tabs)

    def panels(self):
        return ["find", *(f"output.{name}" for name in self.output), "output.gone"]

    def find_output_panel(self, name):
        return self.output.get(name)

    def create_output_panel(self, name):
        self.output[name] = Panel()
        return self.output[name]

    def status_message(self, text):
        if not text.startswith(TITLE):
            raise AssertionError(f"a message without its title: {text}")
        self.said.append(text[len(TITLE) :])

    def run_command(self, name, args):
        self.commands.append((name, args))

    def focus_view(self, view):
        self.focused.append(view)

    def show_quick_panel(self, items, picked, on_highlight, placeholder):
        self.picks.append((items, picked, placeholder))


class Bench:
    """A launcher whose disk and terminals the test plays."""

    def __init__(self, monkeypatch):
        for name in ("sublime", "sublime_plugin"):
            if name not in sys.modules:
                monkeypatch.setitem(sys.modules, name, ModuleType(name))
                sys.modules[name].Window = sys.modules[name].View = object
        self.module = importlib.import_module("companion.terminals.launcher")
        self.window, self.runtime = Window(), SteppedRuntime()
        self.copied, self.started, self.plugins = [], [], []
        self.why = ""  # why none is started
        self.folders = ""  # what is found for the program; None for none
        self.failure = None
        editor = SimpleNamespace(
            set_clipboard=self.copied.append,
            windows=lambda: [self.window],
            executable_path=lambda: "/opt/editor/sublime_text",
            packages_path=lambda: "/home/me/.config/sublime-text/Packages",
        )
        items = SimpleNamespace(QuickPanelItem=lambda *texts: texts)
        monkeypatch.setattr(importlib.import_module("companion.editor.quick_panel"), "sublime", items)
        monkeypatch.setattr(self.module, "sublime", editor)
        monkeypatch.setattr(self.module, "sublime_plugin", SimpleNamespace(window_command_classes=self.plugins))
        monkeypatch.setattr(self.module, "find_client", self.find)
        monkeypatch.setattr(self.module, "start_terminal", self.start)
        self.installed = ["xterm"]
        monkeypatch.setattr(self.module, "find_program", self.find_terminal)
        self.platform = Platform(LINUX, {"SHELL": "/bin/zsh"}, "/home/me")
        self.sought = []

    def find(self, words, platform, folders, cancelled):
        self.sought.append(words[0])
        self.left_out = folders
        return (
            ClientCommand(words_with_folders(words, self.folders))
            if self.folders is not None
            else ClientCommand(why=self.why)
        )

    def find_terminal(self, name, platform, folders):
        return FoundProgram("/usr/bin/" + name if name in self.installed else "")

    def start(self, words, folder, variables, platform, folders, cancelled):
        if self.failure is not None:
            raise self.failure
        self.started.append((words, folder, variables))
        self.inherited = platform.environment

    def with_terminus(self):
        self.plugins.append(type("TerminusOpenCommand", (), {}))

    @property
    def launcher(self):
        return self.module.Launcher(self.runtime, self.platform)

    def run(self, connection=ONE, agent=GEMINI_CLI, words=("gemini",), terminals=None):
        settings = with_programs({agent.title if agent.is_own else agent.key: {"command": words}})
        settings = dataclasses.replace(settings, terminal_commands=terminals or {})
        self.launcher.run(self.window, agent, connection, settings)
        self.go_on()

    def go_on(self, milliseconds=0):
        for milliseconds_now in (0, milliseconds):
            self.runtime.editor.step(milliseconds_now)
            for _ in range(3):
                self.runtime.workers.step()
                self.runtime.editor.step()
