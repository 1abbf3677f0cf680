"""The setting `programs`: what its entries make of agents, known ones and a user's own, and what is wrong in them."""

from __future__ import annotations

import json

import pytest

from companion.agents.agent import Announcement, ConnectionDetails
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.registry import AGENTS, agents_of, agents_to_run, wanted_agents, wrong_programs
from companion.discovery.files import Publisher
from companion.settings import Settings, read
from companion.system.platform import LINUX, Platform
from tests.support.programs import disabled, with_programs

MACHINE = Platform(LINUX, {"TMPDIR": "/tmp"}, "/home/ada", 1000)
ENTRY = {"command": ["openclaude", "--fast"], "dialect": "claude", "folder": "~/.openclaude"}
USER = "the settings"
PROJECT = "the project's settings"


def own(**entries):
    return list(agents_of(with_programs(entries))[len(AGENTS) :])


def own_agent(**changes):
    (agent,) = own(OpenClaude={**ENTRY, **changes})
    return agent


def what_is_wrong(programs, of_project=False):
    """The sentences about an entry of the user's, or of a project's, and what is run in spite of it."""
    reading = read([(USER, {}), (PROJECT, {"programs": programs})] if of_project else [(USER, {"programs": programs})])
    return [*reading.complaints, *wrong_programs(reading.settings)], reading.settings


def directory(agent):
    place = agent.place(MACHINE)
    return "/".join([place.root, *place.below])


class TestKnownAgents:
    def test_one_that_is_disabled_is_not_offered_and_not_wanted(self):
        settings = disabled("Codex", "amp")
        titles = [program.title for program in agents_to_run(settings)]
        assert [agent.title for agent in AGENTS if agent not in wanted_agents(settings)] == ["Codex CLI"]
        assert "Codex CLI" not in titles
        assert "Amp" not in titles
        assert len(titles) == len(agents_to_run(Settings())) - 2
        assert agents_of(settings) == AGENTS, "it has a name all the same"

    def test_another_command_leaves_the_rest_as_it_is(self):
        settings = with_programs({"gemini": {"command": ["npx", "gemini"]}, "Amp": {"command": ["amp", "--fast"]}})
        commands = {program.title: program.command(settings) for program in agents_to_run(settings)}
        assert commands["Gemini CLI"] == ("npx", "gemini")
        assert commands["Amp"] == ("amp", "--fast")
        assert commands["Goose"] == ("goose", "session")
        assert len(commands) == len(agents_to_run(Settings()))
        assert wrong_programs(settings) == []

    def test_those_that_know_no_editor_come_last(self):
        names = [program.title for program in agents_to_run(Settings())]
        assert names[len(AGENTS) :] == ["Amp", "Antigravity CLI", "Cursor CLI", "Goose", "Kiro CLI", "Pi"]


class TestOwnAgents:
    def test_one_with_a_dialect_is_the_agent_that_it_is_like_by_other_names(self):
        settings = with_programs({"OpenClaude": ENTRY})
        (agent,) = agents_of(settings)[len(AGENTS) :]
        assert (agent.key, agent.title, agent.dialect) == ("openclaude", "OpenClaude", CLAUDE_CODE.dialect)
        assert agent.command(settings) == ("openclaude", "--fast")
        assert agent.is_wanted(settings)
        assert directory(agent) == "/home/ada/.openclaude/ide"
        assert directory(CLAUDE_CODE) == "/home/ada/.claude/ide"
        announcement = Announcement(4000, "token", ("/code",), 77)
        assert agent.files(announcement, MACHINE) == CLAUDE_CODE.files(announcement, MACHINE)
        variables = agent.run_variables(ConnectionDetails(1, (), 1, ":", {"claude": 4000}))
        assert variables == {"CLAUDE_CODE_SSE_PORT": "4000"}
        assert "OpenClaude" in agent.how_to_connect
        assert "Claude Code" not in agent.how_to_connect
        assert agent.how_to_install("openclaude") == (
            'OpenClaude was not found: there is no "openclaude", which your setting "programs" starts.\n'
        )
        assert "programs" in agent.how_to_update()

    @pytest.mark.parametrize(
        ("dialect", "folder", "expected"),
        [
            ("gemini", "fork", "/tmp/fork/ide"),
            ("gemini", "", "/tmp/gemini/ide"),
            ("qwen", "~/.fork", "/home/ada/.fork/ide"),
            ("qwen", "", "/home/ada/.qwen/ide"),
            ("claude", "/opt/fork", "/opt/fork/ide"),
            ("opencode", "", "/home/ada/.claude/ide"),
            ("copilot", "~/.fork", "/home/ada/.fork/ide"),
        ],
    )
    def test_files_are_where_the_entry_says_or_where_the_agent_has_them(self, dialect, folder, expected):
        agent = own_agent(dialect=dialect, folder=folder)
        assert directory(agent) == expected
        names = list(agent.files(Announcement(4000, "token", ("/code",), 77, socket="/s"), MACHINE))
        assert names
        assert all(agent.file_names.match(name) for name in names)
        assert agent.terminal_variables(ConnectionDetails(1, ("/code",), 1, ":")) is not None

    def test_equal_entries_are_the_same_objects(self):
        assert own_agent() is own_agent(enabled=False) is own_agent(command=["openclaude"])

    def test_one_with_a_command_alone_is_only_run(self):
        settings = with_programs({"My Tool": {"command": ["my tool", "--x y"]}})
        tool = agents_to_run(settings)[-1]
        assert tool.command(settings) == ("my tool", "--x y")
        assert (tool.key, tool.title) == ("my_tool", "My Tool")
        assert agents_of(settings) == AGENTS
        assert tool.how_to_install("my tool") == (
            'My Tool was not found: there is no "my tool", which your setting "programs" starts.\n'
        )

    def test_an_agent_in_the_folder_of_its_model_takes_no_turns_with_it(self, tmp_path):
        machine = Platform(LINUX, {"TMPDIR": str(tmp_path)}, str(tmp_path))
        (fork,) = own(Fork={"command": ["q"], "dialect": "qwen"})
        qwen = next(agent for agent in AGENTS if agent.key == "qwen")
        publisher = Publisher(machine)
        announcement = Announcement(4000, "shared", ("/code",), 77, {"Qwen Code": "of its own"})
        publisher.publish(announcement, [qwen, fork])
        (file,) = (tmp_path / ".qwen" / "ide").glob("4000.lock")
        assert json.loads(file.read_text())["authToken"] == "of its own"
        publisher.publish(announcement, [fork])
        assert json.loads(file.read_text())["authToken"] == "shared"
        publisher.close()
        assert not file.exists()


class TestWhatIsWrong:
    @pytest.mark.parametrize(
        ("name", "entry", "complaint"),
        [
            ("", ENTRY, "its name should have a letter or a digit"),
            (" OpenClaude", ENTRY, "its name should have no blanks at its ends"),
            ("a\nb", ENTRY, "one line of at most 40 visible characters"),
            ("a\u202eb", ENTRY, "one line of at most 40 visible characters"),
            ("x" * 41, ENTRY, "one line of at most 40 visible characters"),
            ("!?", ENTRY, "its name should have a letter or a digit"),
            ("claude code", ENTRY, "its key is “claude”"),
            ("Copilot CLI", {"enabled": False}, "its key is “copilot”"),
            ("claude", ENTRY, "it is known already"),
            ("openclaude", None, "it should be an object"),
            ("openclaude", ["openclaude"], "it should be an object"),
            ("openclaude", {}, "it needs a “command”"),
            ("openclaude", {"command": "openclaude --fast"}, "its “command” should be a list of words"),
            ("openclaude", {"command": []}, "its “command” should be a list of words"),
            ("openclaude", {"command": ["  "]}, "its “command” should be a list of words"),
            ("codex", {"command": ["a", 1]}, "its “command” should be a list of words"),
            ("codex", {"command": ["a", "b\nrm"]}, "it has control characters"),
            ("codex", {"enabled": "no"}, "its “enabled” should be true or false"),
            ("openclaude", {**ENTRY, "dialect": "codex"}, "its “dialect” should be one of"),
            ("openclaude", {**ENTRY, "dialect": ["claude"]}, "should be texts"),
            ("openclaude", {**ENTRY, "dialect": ""}, "a “folder” needs a “dialect”"),
            ("openclaude", {**ENTRY, "folder": "openclaude"}, "a path such as"),
            ("openclaude", {**ENTRY, "folder": "~"}, "a path such as"),
            ("openclaude", {**ENTRY, "folder": "/"}, "a path such as"),
            ("openclaude", {**ENTRY, "folder": "~/.."}, "a path such as"),
            ("openclaude", {**ENTRY, "folder": 1}, "should be texts"),
            ("openclaude", {**ENTRY, "folder": "~/a\nb"}, "it has control characters"),
            ("openclaude", {**ENTRY, "folder": "../x", "dialect": "gemini"}, "its “folder” should be a name"),
            ("openclaude", {**ENTRY, "folder": "..", "dialect": "gemini"}, "its “folder” should be a name"),
            ("openclaude", {**ENTRY, "colour": "red"}, "unknown entry “colour”"),
        ],
    )
    def test_it_is_said_in_a_sentence_and_the_rest_counts(self, name, entry, complaint):
        (said,), settings = what_is_wrong({name: entry, "qwen": {"enabled": False}, "Second": ENTRY})
        assert said.startswith('"programs" in the settings is wrong for “')
        assert complaint in said
        assert said.endswith(".")
        assert "\n" not in said
        assert [agent.title for agent in agents_of(settings)[len(AGENTS) :]] == ["Second"]
        kept = {agent.key for agent in wanted_agents(settings)}
        assert {each.key for each in AGENTS} - kept == {"qwen"}

    def test_a_disabled_agent_stays_so_though_its_entry_is_wrong(self):
        (said,), settings = what_is_wrong({"codex": {"enabled": False, "comand": ["codex"]}})
        assert "“codex”: it has an unknown entry “comand”" in said
        assert "codex" not in [agent.key for agent in wanted_agents(settings)]

    def test_two_entries_for_one_agent_are_the_first(self):
        said, settings = what_is_wrong(
            {"My Claude": ENTRY, "my-claude": ENTRY, "Codex": {}, "codex": {"enabled": False}}
        )
        assert said == [
            '"programs" in the settings is wrong for “my-claude”: “My Claude” stands for the same agent.',
            '"programs" in the settings is wrong for “codex”: “Codex” stands for the same agent.',
        ]
        assert [agent.title for agent in agents_of(settings)[len(AGENTS) :]] == ["My Claude"]
        assert "codex" not in [agent.key for agent in wanted_agents(settings)]

    def test_of_many_a_few_are_said(self):
        for entry in (3, {}):
            said, _ = what_is_wrong({f"agent {number}": entry for number in range(10)})
            assert len(said) == 4
            assert said[-1] == '"programs" in the settings is wrong for 7 more agents.'

    def test_what_is_no_object_is_no_setting(self):
        said, settings = what_is_wrong([ENTRY])
        assert settings == Settings()
        assert said == [
            '"programs" in the settings should be an object of objects, such as {"codex": {"enabled": false}}.'
        ]


class TestProjects:
    @pytest.mark.parametrize(
        "entry", [ENTRY, {}, None, {"enabled": True}, {"command": ["sh"]}, {"enabled": False, "command": ["sh"]}]
    )
    @pytest.mark.parametrize("name", ["codex", "OpenClaude"])
    def test_they_may_only_disable(self, name, entry):
        said, settings = what_is_wrong({name: entry}, of_project=True)
        assert said == [f'"programs" in {PROJECT} may say nothing of “{name}” but "enabled": false.']
        assert settings == Settings()

    def test_what_they_disable_keeps_the_command_that_the_user_has_given_it(self):
        user = {"openclaude": ENTRY, "codex": {"command": ["codex", "--fast"]}}
        project = {"OpenClaude": {"enabled": False}, "CODEX": {"enabled": False}, "nobody has": {"enabled": False}}
        reading = read([(USER, {"programs": user}), (PROJECT, {"programs": project})])
        settings = reading.settings
        assert [*reading.complaints, *wrong_programs(settings)] == []
        assert {agent.title for agent in agents_of(settings) if not agent.is_wanted(settings)} == {
            "Codex CLI",
            "openclaude",
        }
        assert agents_of(settings)[-1].command(settings) == ("openclaude", "--fast")

    def test_what_the_user_has_disabled_stays_disabled(self):
        user = {"codex": {"enabled": False}}
        for entry in ({"enabled": True}, {"enabled": False}):
            reading = read([(USER, {"programs": user}), (PROJECT, {"programs": {"codex": entry}})])
            assert "codex" not in [agent.key for agent in wanted_agents(reading.settings)]
