"""Programs of a user's own rows: what a row makes of them, and which rows are left out with a sentence."""

from __future__ import annotations

import dataclasses
import json

import pytest

from companion.agents.agent import Announcement, ConnectionDetails
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.registry import AGENTS, agents_of, programs_of, wrong_rows
from companion.discovery.files import Publisher
from companion.settings import Settings, read
from companion.system.platform import LINUX, Platform

MACHINE = Platform(LINUX, {"TMPDIR": "/tmp"}, "/home/ada", 1000)
ROW = {"name": "OpenClaude", "command": ["openclaude", "--fast"], "dialect": "claude", "folder": "~/.openclaude"}


def with_rows(*rows):
    return dataclasses.replace(Settings(), agents=rows)


def own(*rows):
    return list(agents_of(with_rows(*rows))[len(AGENTS) :])


def directory(agent):
    place = agent.place(MACHINE)
    return "/".join([place.root, *place.below])


def test_a_row_is_the_program_that_it_is_like_by_other_names():
    (agent,) = own(ROW)
    assert (agent.key, agent.title, agent.dialect) == ("openclaude", "OpenClaude", CLAUDE_CODE.dialect)
    assert agent.command(Settings()) == ("openclaude", "--fast")
    assert agent.is_wanted(Settings())
    assert directory(agent) == "/home/ada/.openclaude/ide"
    assert directory(CLAUDE_CODE) == "/home/ada/.claude/ide"
    announcement = Announcement(4000, "token", ("/code",), 77)
    assert agent.files(announcement, MACHINE) == CLAUDE_CODE.files(announcement, MACHINE)
    assert agent.run_variables(ConnectionDetails(1, (), 1, ":", {"claude": 4000})) == {"CLAUDE_CODE_SSE_PORT": "4000"}
    assert "OpenClaude" in agent.how_to_connect
    assert "Claude Code" not in agent.how_to_connect
    assert agent.how_to_install("openclaude") == (
        'OpenClaude was not found: there is no "openclaude", which your setting "agents" starts.\n'
    )
    assert "agents" in agent.how_to_update()
    assert agent.publish_setting == agent.command_setting == "agents"


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
def test_each_dialect_has_its_files_where_the_row_says_or_where_its_program_has_them(dialect, folder, expected):
    (agent,) = own({"name": "My Fork", "command": ["fork"], "dialect": dialect, "folder": folder})
    assert directory(agent) == expected
    names = list(agent.files(Announcement(4000, "token", ("/code",), 77, socket="/s"), MACHINE))
    assert names
    assert all(agent.file_names.match(name) for name in names)
    assert agent.terminal_variables(ConnectionDetails(1, ("/code",), 1, ":")) is not None


def test_equal_rows_are_the_same_objects_so_that_nothing_is_announced_anew():
    assert own(ROW)[0] is own(dict(ROW))[0]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": ""}, "its name should be a text"),
        ({"name": " OpenClaude"}, "without blanks at its ends"),
        ({"name": 3}, "its name should be a text"),
        ({"name": "a\nb"}, "one line of at most 40 visible characters"),
        ({"name": "a\u202eb"}, "one line of at most 40 visible characters"),
        ({"name": "x" * 41}, "one line of at most 40 visible characters"),
        ({"name": "!?"}, "should have a letter or a digit"),
        ({"name": "claude code"}, "another program has this name"),
        ({"name": "Gemini"}, "another program has this name"),
        ({"command": "openclaude --fast"}, "should be a list of words"),
        ({"command": []}, "should be a list of words"),
        ({"command": ["  "]}, "should be a list of words"),
        ({"command": ["a", 1]}, "should be a list of words"),
        ({"command": ["a", "b\nrm"]}, "control characters"),
        ({"dialect": "codex"}, "its dialect should be one of"),
        ({"dialect": ["claude"]}, "its dialect should be one of"),
        ({"folder": "openclaude"}, "a path such as"),
        ({"folder": "~"}, "a path such as"),
        ({"folder": "/"}, "a path such as"),
        ({"folder": "~/.."}, "a path such as"),
        ({"folder": 1}, "its folder should be a text"),
        ({"folder": "~/a\nb"}, "a path such as"),
        ({"folder": "../x", "dialect": "gemini"}, "its folder should be a name"),
        ({"folder": "..", "dialect": "gemini"}, "its folder should be a name"),
        ({"colour": "red"}, "unknown entry"),
    ],
)
def test_a_row_that_is_not_right_is_left_out_with_a_sentence_and_the_next_one_is_not(change, complaint):
    settings = with_rows({**ROW, **change}, {**ROW, "name": "Second"})
    assert [agent.title for agent in agents_of(settings)[len(AGENTS) :]] == ["Second"]
    (said,) = wrong_rows(settings)
    assert said.startswith("Row 1")
    assert complaint in said
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize("row", [None, "openclaude", 7, ["a"], {}])
def test_what_is_no_row_at_all_is_left_out(row):
    assert own(row) == []
    assert len(wrong_rows(with_rows(row))) == 1


def test_two_rows_of_one_name_are_one_program_and_many_wrong_ones_a_few_sentences():
    assert len(own(ROW, {**ROW, "name": "openclaude"})) == 1
    said = wrong_rows(with_rows(*[{**ROW, "name": ""}] * 10))
    assert len(said) == 4
    assert said[-1] == "7 more rows of “agents” are left out."


def test_a_name_that_only_its_blanks_and_signs_tell_from_an_earlier_one_is_taken():
    rows = with_rows(*[{**ROW, "name": name} for name in ("My Claude", "my-claude", "MY CLAUDE!", "My Claude 2")])
    assert [agent.title for agent in agents_of(rows)[len(AGENTS) :]] == ["My Claude", "My Claude 2"]
    assert list(wrong_rows(rows)) == [
        f"Row {number} of “agents” is left out: another program has this name." for number in (2, 3)
    ]


def test_what_is_no_list_of_rows_is_no_setting():
    reading = read([("the settings", {"agents": {"name": "x"}})])
    assert reading.settings.agents == ()
    assert reading.complaints == ['"agents" in the settings should be a list of objects.']
    project = read([("the settings", {}), ("the project's settings", {"agents": [ROW], "run_commands": {"X": ["x"]}})])
    assert project.settings == Settings()
    assert len(project.complaints) == 2


class TestPublishing:
    def test_a_row_that_shares_the_folder_of_its_program_does_not_take_turns_with_it(self, tmp_path):
        machine = Platform(LINUX, {"TMPDIR": str(tmp_path)}, str(tmp_path))
        (fork,) = own({"name": "My Qwen", "command": ["q"], "dialect": "qwen"})
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


class TestRunCommands:
    def test_programs_that_do_not_connect_are_known_by_name(self):
        names = [program.title for program in programs_of(Settings())]
        assert names[len(AGENTS) :] == ["Antigravity CLI", "Amp", "Goose", "Pi", "Cursor CLI", "Kiro CLI"]

    def test_what_is_not_right_is_left_out_with_a_sentence(self):
        rows = {"My Tool": ["my tool", "--x y"], "": ["x"], "a\nb": ["x"], "No Words": [], "Line": "goose session"}
        reading = read([("the settings", {"run_commands": rows})])
        (tool,) = programs_of(reading.settings)[len(AGENTS) :]
        assert tool.command(reading.settings) == ("my tool", "--x y")
        assert tool.key == "run-my_tool"
        assert len(reading.complaints) == 4
        assert reading.complaints[-1].endswith("leaves out 1 more entries.")
        assert "leaves out “a<U+000A>b”" in " ".join(reading.complaints)
        assert tool.how_to_install("my tool") == (
            'My Tool was not found: there is no "my tool", which your setting "run_commands" starts.\n'
        )
