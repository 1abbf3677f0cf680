"""What the launcher asks of the editor, of Terminus and of the system, and what it says to the user."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from types import SimpleNamespace

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.dialect import Mention
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.registry import agents_to_run
from companion.settings import Settings
from companion.system.platform import LINUX, MACOS, WINDOWS
from companion.system.programs import FoundProgram
from companion.terminals.command_lines import shell_line
from tests.support.launching import ONE, SPOILED, TWO, Bench, Region, View, tagged, terminal
from tests.support.programs import with_programs


@pytest.fixture
def bench(monkeypatch):
    return Bench(monkeypatch)


def loaded_anew(module):
    """The module as a later package of the same editor has it."""
    spec = importlib.util.find_spec(module.__name__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    return again


WORDS = ("my tool", "--say", "it's 5 % of $HOME")


@pytest.mark.parametrize("platform", [LINUX, MACOS, WINDOWS])
@pytest.mark.parametrize("with_terminus", [True, False])
def test_a_program_of_the_users_own_is_quoted_for_whoever_starts_it(bench, platform, with_terminus):
    *_, program = agents_to_run(with_programs({"My Tool": {"command": WORDS}}))
    bench.platform = bench.platform._replace(name=platform)
    if with_terminus:
        bench.with_terminus()
    bench.run(agent=program, words=WORDS)
    if with_terminus:
        ((_, arguments),) = bench.window.commands
        assert arguments["title"] == "My Tool"
        assert arguments["tag"].startswith(f"{bench.module.TAG}my_tool.")
        words = [word.replace("\\$", "$") for word in arguments["cmd"]]  # Terminus expands the others
    else:
        ((words, _, _),) = bench.started
    if platform == WINDOWS:
        assert words[-4:] == ["call", *WORDS]
    else:
        line = next(word for word in words if "my tool" in word)
        line = line.replace('\\"', '"').replace("\\\\", "\\") if platform == MACOS and not with_terminus else line
        assert shell_line(WORDS) in line


class TestTheSystemsTerminal:
    def test_the_program_runs_in_the_folder_with_what_it_has_to_know(self, bench):
        bench.run(agent=CLAUDE_CODE, words=("claude", "--flag"))
        assert bench.sought == ["claude"]
        ((words, folder, variables),) = bench.started
        assert words[0] == "xterm"
        assert "claude --flag" in " ".join(words)
        assert folder == "/code/one"
        assert variables["CLAUDE_CODE_SSE_PORT"] == "50002"
        assert variables["GEMINI_CLI_IDE_SERVER_PORT"] == "50001"
        assert variables["GEMINI_CLI_IDE_PID"] == "4321"
        assert bench.window.said == ["looking for Claude Code", "Claude Code runs in xterm"]
        assert bench.window.commands == []
        assert bench.window.picks == []

    def test_what_only_one_program_may_know_another_is_not_told(self, bench):
        bench.run()
        assert "CLAUDE_CODE_SSE_PORT" not in bench.started[0][2]

    def test_the_folders_of_the_program_go_with_it(self, bench):
        bench.folders = "/opt/bin"
        bench.run()
        assert "/opt/bin" in " ".join(bench.started[0][0])

    def test_without_a_workspace_it_runs_at_home(self, bench):
        bench.run(connection=ONE._replace(folders=()))
        assert bench.started[0][1] == os.path.expanduser("~")

    def test_the_users_own_terminal_of_this_platform(self, bench):
        bench.run(terminals={MACOS: ["other"], LINUX: ["mine", "$folder"]})
        assert bench.started[0][0] == ["mine", "/code/one"]
        assert bench.window.said[-1] == "Gemini CLI runs in mine"

    def test_where_there_is_none_that_is_said(self, bench):
        bench.installed.clear()
        bench.run()
        assert not bench.started
        assert bench.window.said[-1].startswith("no terminal found")

    def test_the_main_thread_does_not_look_for_it(self, bench, monkeypatch):
        """Folders of the PATH may be on a network drive."""
        sought = []
        step = bench.runtime.workers.step

        def on_a_worker():
            with monkeypatch.context() as there:
                there.setattr(bench.module, "find_program", lambda name, *_: sought.append(name) or FoundProgram(name))
                step()

        monkeypatch.setattr(bench.module, "find_program", lambda *_: pytest.fail("on the main thread"))
        monkeypatch.setattr(bench.runtime.workers, "step", on_a_worker)
        bench.run()
        assert sought
        assert bench.started[0][0][0] == sought[-1]

    def test_a_terminal_that_fails_says_why(self, bench):
        bench.failure = OSError("cannot open display")
        bench.run(terminals={LINUX: ["/opt/mine"]})
        assert bench.window.said[-1] == "mine could not be started: cannot open display"

    @pytest.mark.parametrize("folders", [(SPOILED,), ("/code/one", SPOILED)])
    def test_nothing_is_typed_that_it_would_obey(self, bench, folders):
        bench.run(connection=ONE._replace(folders=folders))
        if bench.window.picks:
            bench.window.picks[0][1](0)
            bench.go_on()
        assert not bench.started
        assert bench.window.said[-1] == bench.module.CONTROL_CHARACTERS

    @pytest.mark.parametrize("with_terminus", [True, False])
    @pytest.mark.parametrize("platform", [LINUX, MACOS, WINDOWS])
    def test_on_windows_programs_look_for_none_in_the_current_folder(self, bench, platform, with_terminus):
        """npm's own start the bare word `node`."""
        bench.platform = bench.platform._replace(name=platform)
        if with_terminus:
            bench.with_terminus()
        bench.run()
        variables = bench.window.commands[0][1]["env"] if with_terminus else bench.started[0][2]
        assert ("NoDefaultCurrentDirectoryInExePath" in variables) is (platform == WINDOWS)


class TestWhichFolder:
    @pytest.mark.parametrize("index, started", [(0, ["/code/one"]), (1, ["/code/two"]), (-1, [])])
    def test_of_several_the_user_picks_one_or_none(self, bench, index, started):
        bench.run(connection=TWO)
        ((items, picked, placeholder),) = bench.window.picks
        assert items == [("one", "/code/one", "Gemini CLI"), ("two", "/code/two", "Gemini CLI")]
        assert placeholder == "Folder to run Gemini CLI in"
        assert not bench.sought
        picked(index)
        bench.go_on()
        assert [folder for _, folder, _ in bench.started] == started

    def test_names_are_shown_and_not_obeyed(self, bench):
        bench.run(connection=ONE._replace(folders=("/code/<b>", SPOILED)))
        items = bench.window.picks[0][0]
        assert items[0][1] == "/code/&lt;b&gt;"
        assert "\x1b" not in str(items[1])


class TestWhatIsNotThere:
    def test_the_user_is_told_how_to_install_it(self, bench):
        bench.folders = None
        bench.run()
        assert bench.window.output[bench.module.INSTALL_PANEL].text == GEMINI_CLI.how_to_install()
        assert bench.window.commands == [("show_panel", {"panel": "output." + bench.module.INSTALL_PANEL})]
        assert bench.window.said[-1] == "Gemini CLI is not installed"
        assert not bench.started

    def test_where_the_users_own_is_not_there_it_is_named_with_the_setting(self, bench):
        bench.folders = None
        bench.run(words=("~/bin/my gemini", "--flag"))
        text = bench.window.output[bench.module.INSTALL_PANEL].text
        assert '"~/bin/my gemini"' in text
        assert 'your setting "programs"' in text
        assert '"gemini"' not in text
        assert "npm install -g @google/gemini-cli" in text
        assert "there is no “~/bin/" in bench.window.said[-1]
        assert "not installed" not in bench.window.said[-1]

    def test_a_program_of_the_users_own_is_named_with_the_setting_too(self, bench):
        *_, program = agents_to_run(with_programs({"My Tool": {"command": WORDS}}))
        bench.folders = None
        bench.run(agent=program, words=WORDS)
        assert 'your setting "programs"' in bench.window.output[bench.module.INSTALL_PANEL].text
        assert bench.window.said[-1] == "My Tool was not found: there is no “my tool”"

    def test_why_what_there_is_is_not_started_is_said(self, bench):
        bench.folders, bench.why = None, "/code/one/bin/\x1b[31mgemini lies in a folder of this window"
        bench.run()
        assert bench.left_out == ONE.folders
        said = "/code/one/bin/<U+001B>[31mgemini lies in a folder of this window"
        assert bench.window.said[-1] == f"Gemini CLI was not found: {said}"
        assert said in bench.window.output[bench.module.INSTALL_PANEL].text
        assert not bench.started

    def test_a_window_that_was_closed_meanwhile_gets_nothing(self, bench):
        bench.launcher.run(bench.window, GEMINI_CLI, ONE, Settings())
        bench.window.valid = False
        bench.go_on()
        assert not bench.started
        assert bench.window.said == ["looking for Gemini CLI"]


class TestTerminus:
    def tag(self, bench):
        return bench.window.commands[-1][1]["tag"]

    def test_terminus_is_asked_first(self, bench):
        bench.with_terminus()
        bench.run(agent=CLAUDE_CODE, words=("claude",))
        ((name, arguments),) = bench.window.commands
        assert name == "terminus_open"
        assert arguments["cwd"] == "/code/one"
        assert arguments["title"] == "Claude Code"
        assert arguments["cmd"][0] == "/bin/zsh"
        assert arguments["env"]["CLAUDE_CODE_SSE_PORT"] == "50002"
        assert arguments["tag"].startswith("gemini_companion.claude.7.")
        assert arguments["reactivable"] is False
        assert not bench.started

    def test_each_terminal_has_a_tag_of_its_own(self, bench):
        bench.with_terminus()
        bench.run()
        first = self.tag(bench)
        bench.run()
        assert first != self.tag(bench)

    def test_after_an_upgrade_too(self, bench, monkeypatch):
        """Terminus ends the program in the terminal that has the tag already."""
        bench.with_terminus()
        ours = []
        for seconds in (1763760000, 1763760060):
            monkeypatch.setattr(time, "time", lambda seconds=seconds: seconds)
            monkeypatch.setattr(bench.module, "_numbers", loaded_anew(bench.module)._numbers)
            bench.run()
            ours.insert(0, terminal(self.tag(bench)))
            bench.window.tabs = list(ours)
            bench.go_on(5000)
        assert len({str(view.settings()) for view in ours}) == 2
        assert bench.module.terminal_of(bench.window) is ours[0], "the last one started is meant"

    @pytest.mark.parametrize("in_panel", [False, True])
    def test_once_its_terminal_is_there_nothing_else_is_started(self, bench, in_panel):
        bench.with_terminus()
        bench.run()
        view = terminal(self.tag(bench))
        if in_panel:
            bench.window.output["Terminus"] = view
        else:
            bench.window.tabs.append(view)
        bench.go_on(5000)
        assert not bench.started
        assert bench.runtime.editor.waiting == []

    def test_the_systems_terminal_is_started_if_none_of_terminus_comes(self, bench):
        bench.with_terminus()
        bench.run()
        bench.window.tabs.append(terminal(tagged("gemini", 0)))
        bench.go_on(1999)
        assert not bench.started
        bench.go_on(2)
        assert len(bench.started) == 1
        bench.go_on(5000)
        assert len(bench.started) == 1

    def test_a_window_that_has_gone_gets_no_terminal(self, bench):
        bench.with_terminus()
        bench.run()
        bench.window.valid = False
        bench.go_on(5000)
        assert not bench.started

    def test_another_packages_command_is_not_terminus(self, bench):
        bench.plugins.append(type("OpenCommand", (), {}))
        bench.run()
        assert bench.started


class TestTheEnvironment:
    @pytest.mark.parametrize(
        "certificates, stays",
        [
            ("/opt/editor/lib/cacert.pem", False),
            ("/home/me/.config/sublime-text/Lib/python314/certifi/cacert.pem", False),
            ("/somewhere/cacert.pem", False),
            ("/etc/ssl/company.pem", True),
            ("/opt/editors/company.pem", True),
        ],
    )
    def test_the_plugin_hosts_certificates_are_not_handed_on(self, bench, monkeypatch, certificates, stays):
        monkeypatch.setitem(sys.modules, "certifi", SimpleNamespace(where=lambda: "/somewhere/cacert.pem"))
        bench.platform = bench.platform._replace(environment={"SHELL": "/bin/zsh", "SSL_CERT_FILE": certificates})
        bench.run()
        assert ("SSL_CERT_FILE" in bench.inherited) is stays
        bench.with_terminus()
        bench.run()
        line = bench.window.commands[-1][1]["cmd"][-1]
        assert line == ("gemini" if stays else "/usr/bin/env -u SSL_CERT_FILE gemini")

    def test_a_copied_environment_names_the_editors_process(self, bench):
        bench.launcher.copy_environment(bench.window, ONE)
        (lines,) = bench.copied
        assert "export GEMINI_CLI_IDE_SERVER_PORT=50001\n" in lines
        assert "export GEMINI_CLI_IDE_PID=4321\n" in lines
        assert bench.window.said == ["copied; paste it into a terminal and start the agent there"]

    def test_an_environment_that_a_terminal_would_obey_is_not_copied(self, bench):
        bench.launcher.copy_environment(bench.window, ONE._replace(folders=("/code/one", SPOILED)))
        assert not bench.copied
        assert bench.window.said == [bench.module.CONTROL_CHARACTERS]


class TestSendingTheSelection:
    PATH = "/code/one/deep/a file.py"

    def send(self, bench, tell=lambda place, agent: None, path=PATH, rows=(), folders=("/code/other", "/code/one")):
        return bench.launcher.send(bench.window, bench.module.selected_places(View(path, rows)), folders, tell)

    def test_a_client_that_listens_is_told(self, bench):
        told = []

        def tell(place, agent):
            told.append((place, agent))
            return "Claude Code"

        assert self.send(bench, tell, rows=[Region((3, 0), (5, 0))]) is None
        assert self.send(bench, tell, rows=[Region((3, 1), (3, 1))]) is None
        assert told == [(Mention(self.PATH, (3, 4), 7), ""), (Mention(self.PATH, None, 7), "")]
        assert not bench.window.commands
        assert not bench.window.focused

    def test_a_client_that_listens_is_told_of_each_selection(self, bench):
        told = []
        rows = [Region((0, 2), (0, 4)), Region((1, 0), (2, 1)), Region((4, 0), (4, 0)), Region((6, 0), (7, 0))]
        assert self.send(bench, lambda place, agent: told.append(place.lines) or "Claude Code", rows=rows) is None
        assert told == [(0, 2), (6, 6)]  # neighbours are one place, and a caret selects nothing

    def test_of_very_many_carets_only_some_are_asked_for(self, bench):
        told, asked = [], []

        class Carets(list):
            def __getitem__(self, number):
                asked.append(number)
                return super().__getitem__(number)

            def __iter__(self):
                return (self[number] for number in range(len(self)))

        carets = Carets(Region((row, 0), (row, 1)) for row in range(20000))
        view = View(self.PATH)
        view.rows = carets
        places = bench.module.selected_places(view)
        bench.launcher.send(bench.window, places, (), lambda place, agent: told.append(place) or "Claude Code")
        assert told == [Mention(self.PATH, (0, 19999), 7)]
        assert len(asked) <= 101

    def test_the_terminal_of_a_told_client_gets_the_focus(self, bench):
        ours, theirs = terminal(tagged("claude", 1)), terminal("theirs")
        told = []
        bench.window.tabs = [theirs, ours]
        assert self.send(bench, lambda place, agent: told.append(agent) or "Claude Code") is None
        assert told == ["claude"]
        assert bench.window.focused == [ours]

    def test_somebody_elses_terminal_gets_no_focus(self, bench):
        bench.window.tabs = [terminal("theirs")]
        told = []
        assert self.send(bench, lambda place, agent: told.append(agent) or "opencode") is None
        assert told == [""]
        assert not bench.window.focused
        assert not bench.window.commands

    def test_a_mention_is_typed_into_the_terminal_of_a_deaf_client(self, bench):
        ours = terminal(tagged("gemini", 1), args={"cwd": "/code/one/deep"})
        bench.window.tabs = [ours]
        assert self.send(bench, rows=[Region((0, 0), (0, 4)), Region((6, 0), (7, 2))]) is None
        assert bench.window.commands == [
            ("terminus_send_string", {"string": "@a\\ file.py (lines 1, 7-8) ", "tag": tagged("gemini", 1)})
        ]
        assert bench.window.focused == [ours]

    @pytest.mark.parametrize("arguments", [None, {}, {"cwd": None}, "cwd"])
    def test_an_unknown_terminal_folder_counts_as_the_workspace_folder(self, bench, arguments):
        bench.window.tabs = [terminal(tagged("gemini", 1), args=arguments)]
        assert self.send(bench) is None
        assert [each["string"] for _, each in bench.window.commands] == ["@deep/a\\ file.py "]

    def test_a_folder_whose_name_only_begins_so_is_another(self, bench):
        bench.window.tabs = [terminal(tagged("gemini", 1))]
        assert self.send(bench, folders=("/code/on",)) is None
        assert bench.window.commands[0][1]["string"] == "@/code/one/deep/a\\ file.py "

    def test_the_last_one_that_this_editor_started_is_meant_and_no_other(self, bench):
        ours = [terminal(tagged(key, number)) for key, number in (("qwen", 9), ("gemini", 10))]
        theirs, finished = terminal(), terminal(tagged("claude", 11), finished=True)
        bench.window.tabs = [theirs, *ours, View(), finished]
        assert bench.module.terminal_of(bench.window) is ours[1]
        earlier = [terminal(tagged("gemini", 99, "1-2")), terminal("gemini_companion.gemini.7.99")]
        bench.window.tabs = [View(), finished, theirs, terminal(), *earlier]
        assert bench.module.terminal_of(bench.window) is None
        assert "no agent runs in a terminal" in self.send(bench)
        assert not bench.window.commands
        bench.window.output["Terminus"] = ours[0]
        assert bench.module.terminal_of(bench.window) is ours[0]

    def test_whose_terminal_it_is(self, bench):
        assert bench.module.key_in(terminal(tagged("qwen", 1))) == "qwen"
        for tag in ("", "qwen.7.1", tagged("qwen", 1, "1-2")):
            assert bench.module.key_in(terminal(tag)) == ""

    def test_without_a_terminal_that_is_said(self, bench):
        assert "no agent runs in a terminal of this window" in self.send(bench)

    def test_files_and_folders_are_typed_one_after_the_other(self, bench):
        bench.window.tabs = [terminal(tagged("gemini", 1))]
        places = [Mention("/code/one/a.py", None, 7), Mention("/code/one/deep/folder")]
        assert bench.launcher.send(bench.window, places, ["/code/one"], lambda place, agent: None) is None
        assert [each["string"] for _, each in bench.window.commands] == ["@a.py @deep/folder "]

    def test_what_the_client_that_listens_does_not_take_is_said(self, bench):
        places = [Mention("/code/one/a.py", (0, 1), 7), Mention("/code/one/folder")]
        problem = bench.launcher.send(bench.window, places, (), lambda place, agent: place.lines and "opencode")
        assert "none that is connected takes this" in problem

    def test_a_view_without_a_file_and_a_path_that_a_terminal_would_obey(self, bench):
        def tell(place, agent):
            raise AssertionError("nobody is told")

        bench.window.tabs = [terminal()]
        assert "no file" in self.send(bench, tell, path=None)
        assert "is not typed" in self.send(bench, tell, path=SPOILED + "/a.py")
        assert not bench.window.commands
        assert not bench.window.focused
