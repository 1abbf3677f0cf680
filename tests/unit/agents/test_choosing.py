"""Which discovery file a program takes when what lies there is odd, old or somebody else's."""

from __future__ import annotations

import dataclasses

import pytest

from companion.agents.agent import Announcement, Connection, Entry, LookupContext
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.gemini_forks import FORKS
from companion.agents.opencode import OPENCODE
from companion.agents.qwen_code import QWEN_CODE, home_directory
from companion.agents.registry import AGENTS
from companion.settings import Settings
from companion.system.platform import LINUX, WINDOWS, Platform

MACHINE = Platform(LINUX, {"HOME": "/home/me"}, "/home/me", 1000)
ON_WINDOWS = Platform(WINDOWS, {"USERPROFILE": "C:\\Users\\me"}, "C:\\Users\\me")
FOLDER = "/code/one"


def lookup(folder=FOLDER, port="", dead=(), editor=1, platform=MACHINE):
    def is_alive(pid):
        assert isinstance(pid, int), "asked of processes only"
        return pid not in dead

    return LookupContext(folder, editor, port, platform, is_alive, lambda path: path)


def claude(name="1.lock", written=0.0, **fields):
    content = {"pid": 1, "workspaceFolders": [FOLDER], "transport": "ws", "authToken": "t"}
    content.update(fields)
    return Entry(name, {key: value for key, value in content.items() if value is not None}, written)


def copilot(name="a.lock", **fields):
    content = {"socketPath": "/s", "scheme": "unix", "headers": {}, "pid": 1, "ideName": "x", "timestamp": 1}
    content.update({"workspaceFolders": [FOLDER], **fields})
    return Entry(name, {key: value for key, value in content.items() if value is not None})


def qwen(name, written=0.0, **fields):
    content = {"port": 1, "workspacePath": FOLDER, "ppid": 1}
    content.update(fields)
    return Entry(name, {key: value for key, value in content.items() if value is not None}, written)


class TestOwner:
    """Whose process wrote a file, so that what a dead one left is swept away and nothing else."""

    @pytest.mark.parametrize("pid, owner", [(7, 7), (True, None), ("7", None), (None, None), (7.0, None)])
    def test_claude_codes_file_says_it(self, pid, owner):
        assert CLAUDE_CODE.owner("1.lock", {"pid": pid}) == owner
        assert CLAUDE_CODE.owner("1.lock", {}) is None

    @pytest.mark.parametrize("pid, owner", [(7, 7), (True, None), ("7", None), (None, None)])
    def test_qwen_codes_too_unless_the_name_does(self, pid, owner):
        assert QWEN_CODE.owner("1.lock", {"ppid": pid}) == owner
        assert QWEN_CODE.owner("55-1.lock", {"ppid": pid}) == 55
        assert QWEN_CODE.owner("1.lock", {}) is None

    def test_the_others_have_it_in_the_name(self):
        assert GEMINI_CLI.owner("gemini-ide-server-55-1.json", {"pid": 7}) == 55
        assert GEMINI_CLI.owner("gemini-ide-server-x-1.json", {"pid": 7}) is None
        assert COPILOT_CLI.owner("sublime-text-55-0123456789abcdef.lock", {"pid": 7}) == 55
        assert COPILOT_CLI.owner("other-55-0123456789abcdef.lock", {"pid": 7}) is None


class TestClaudeCode:
    @pytest.mark.parametrize(
        "entry",
        [
            claude("notes.lock"),
            claude("123456.lock"),
            Entry("1.lock", None),
            claude(transport="sse"),
            claude(transport=None),
            claude(workspaceFolders=FOLDER),
            claude(workspaceFolders=[7, None]),
            claude(workspaceFolders=None),
            claude(workspaceFolders=["/code/one/deeper"]),
            claude(workspaceFolders=["/code/on"]),
        ],
    )
    def test_what_it_passes_over(self, entry):
        assert CLAUDE_CODE.choose([entry], lookup()) is None
        assert CLAUDE_CODE.choose([entry, claude("2.lock")], lookup()) == claude("2.lock")

    def test_a_file_without_a_process_counts_as_one_of_the_living(self):
        assert CLAUDE_CODE.choose([claude(pid=None)], lookup(dead=(1,))) == claude(pid=None)

    def test_odd_folders_spoil_no_others(self):
        entry = claude(workspaceFolders=[7, FOLDER])
        assert CLAUDE_CODE.choose([entry], lookup("/code/one/deep")) == entry

    def test_the_inherited_port_wins_whatever_folder_it_has_unless_its_editor_is_dead(self):
        elsewhere = claude("2.lock", workspaceFolders=["/other"], pid=2)
        assert CLAUDE_CODE.choose([claude(), elsewhere], lookup(port="2")) == elsewhere
        assert CLAUDE_CODE.choose([claude(), elsewhere], lookup(port="2", dead=(2,))) == claude()
        assert CLAUDE_CODE.choose([claude(), elsewhere], lookup(port="3")) == claude()
        assert CLAUDE_CODE.choose([claude(".lock"), claude()], lookup()) == claude()

    def test_the_file_has_the_folders_as_the_window_has_them_if_none_was_resolved(self):
        announcement = Announcement(1, "secret", ("/link",), 4321)
        (content,) = CLAUDE_CODE.files(announcement, MACHINE).values()
        assert (content["workspaceFolders"], content["runningInWindows"]) == (["/link"], False)
        (content,) = CLAUDE_CODE.files(announcement, ON_WINDOWS).values()
        assert content["runningInWindows"] is True

    def test_without_a_server_of_its_own_it_is_told_no_port(self):
        assert CLAUDE_CODE.run_variables(Connection(1, (FOLDER,), 4321, ":")) == {}
        assert CLAUDE_CODE.run_variables(Connection(1, (FOLDER,), 4321, ":", {"copilot": 2})) == {}


class TestOpenCode:
    @pytest.mark.parametrize(
        "entry",
        [
            claude("notes.lock"),
            Entry("1.lock", None),
            claude(transport="sse"),
            claude(workspaceFolders=["/code/on"]),
            claude(workspaceFolders=None),
        ],
    )
    def test_what_it_passes_over(self, entry):
        assert OPENCODE.choose([entry], lookup()) is None

    def test_a_file_that_names_no_transport_counts(self):
        assert OPENCODE.choose([claude(transport=None)], lookup()) is not None

    def test_it_looks_at_no_port_and_at_the_longest_of_a_files_folders(self):
        outer, inner = claude("1.lock", 9.0, workspaceFolders=["/code"]), claude("2.lock", 1.0)
        assert OPENCODE.choose([outer, inner], lookup(port="1")) == inner
        both = claude("3.lock", 2.0, workspaceFolders=["/code", FOLDER, "/x"])
        assert OPENCODE.choose([outer, inner, both], lookup()) == both
        assert OPENCODE.choose([both, inner], lookup()) == both
        assert OPENCODE.choose([claude("1.lock", 2.0), claude("2.lock", 2.0)], lookup()) is not None


class TestCopilotCli:
    @pytest.mark.parametrize(
        "missing", ["socketPath", "scheme", "headers", "pid", "ideName", "timestamp", "workspaceFolders"]
    )
    def test_each_field_is_needed(self, missing):
        assert COPILOT_CLI.choose([copilot(**{missing: None})], lookup()) is None

    @pytest.mark.parametrize(
        "entry",
        [
            Entry("a.lock", None),
            copilot("a.json"),
            copilot(pid="1"),
            copilot(workspaceFolders=FOLDER),
            copilot(workspaceFolders=[7]),
            copilot(workspaceFolders=["/code"]),
        ],
    )
    def test_what_it_passes_over(self, entry):
        assert COPILOT_CLI.choose([entry], lookup()) is None
        assert COPILOT_CLI.choose([entry, copilot("b.lock")], lookup()) == copilot("b.lock")

    def test_the_folder_may_be_spelled_otherwise(self):
        entry = copilot(workspaceFolders=[7, "/code/./one/"])
        assert COPILOT_CLI.choose([entry], lookup("/code/one/")) == entry

    def test_the_file_names_what_the_socket_is(self):
        announcement = Announcement(0, "secret", ("/link",), 4321, socket="/run/x/mcp.sock")
        (content,) = COPILOT_CLI.files(announcement, MACHINE).values()
        assert (content["scheme"], content["workspaceFolders"]) == ("unix", ["/link"])
        (content,) = COPILOT_CLI.files(announcement, ON_WINDOWS).values()
        assert content["scheme"] == "pipe"

    def test_two_sockets_of_one_editor_have_two_files(self):
        names = [
            next(iter(COPILOT_CLI.files(Announcement(0, "s", (), 4321, socket=socket), MACHINE)))
            for socket in ("/a", "/b", "/a")
        ]
        assert names[0] != names[1]
        assert names[0] == names[2]

    @pytest.mark.parametrize("headers", [None, [], "x"])
    def test_a_file_without_headers_is_nobodys(self, headers):
        assert COPILOT_CLI.identity({"socketPath": "/s", "headers": headers}) == ("/s", None)

    def test_its_folder(self):
        assert COPILOT_CLI.place(ON_WINDOWS).root == "C:\\Users\\me\\.copilot"
        assert COPILOT_CLI.place(MACHINE)[1:] == (("ide",), False)


class TestQwenCode:
    def test_of_several_the_newest(self):
        older, newer = qwen("1.lock", 1.0), qwen("2.lock", 2.0, port=2)
        assert QWEN_CODE.choose([older, newer], lookup()) == newer
        assert QWEN_CODE.choose([newer, older], lookup()) == newer

    def test_the_named_one_without_a_workspace_is_taken(self):
        named = qwen("1.lock", workspacePath=None)
        assert QWEN_CODE.choose([named], lookup(port="1")) == named
        assert QWEN_CODE.choose([named], lookup()) is None

    @pytest.mark.parametrize("name", ["55-1.lock", "1.json", "x.lock"])
    def test_other_names_are_not_scanned(self, name):
        assert QWEN_CODE.choose([qwen(name)], lookup()) is None

    @pytest.mark.parametrize("workspace", [7, "", "relative", "[1]", '["relative"]', "{", '{"a": 1}'])
    def test_a_workspace_that_holds_no_folder(self, workspace):
        assert QWEN_CODE.choose([qwen("1.lock", workspacePath=workspace)], lookup()) is None

    def test_nor_one_that_cannot_be_read(self):
        assert QWEN_CODE.choose([Entry("1.lock", None)], lookup()) is None
        assert QWEN_CODE.choose([Entry("1.lock", None)], lookup(port="1")) is None

    @pytest.mark.parametrize("pid, taken", [(1, False), (2, True), (None, True), ("1", True), (True, True)])
    def test_only_a_file_that_names_a_dead_editor_is_stale(self, pid, taken):
        entry = qwen("1.lock", ppid=pid)
        assert (QWEN_CODE.choose([entry], lookup(dead=(1,))) == entry) is taken

    def test_the_folders_may_be_a_json_array(self):
        entry = qwen("1.lock", workspacePath=' ["/other", "/code"]')
        assert QWEN_CODE.choose([entry], lookup()) == entry

    @pytest.mark.parametrize(
        ("configured", "home"),
        [
            ("", "/home/me/.qwen"),
            ("~", "/home/me"),
            ("~/qwen", "/home/me/qwen"),
            ("~\\qwen", "/home/me/qwen"),
            ("~other/qwen", "~other/qwen"),
            ("/opt/qwen", "/opt/qwen"),
        ],
    )
    def test_its_home(self, configured, home):
        assert home_directory(MACHINE._replace(environment={"QWEN_HOME": configured})) == home


def test_gemini_cli_takes_its_own_editor_then_a_living_one_then_the_larger_number():
    def file(pid, port=1, workspace=FOLDER):
        return Entry(f"gemini-ide-server-{pid}-{port}.json", {"port": port, "workspacePath": workspace})

    files = [file(5), file(9), file(7), file(3)]
    assert GEMINI_CLI.choose(files, lookup(editor=3, dead=(3, 9))) == file(3)
    assert GEMINI_CLI.choose(files, lookup(editor=1, dead=(9,))) == file(7)
    assert GEMINI_CLI.choose(files, lookup(editor=1, dead=(3, 5, 7, 9))) == file(9)
    assert GEMINI_CLI.choose([file(5, 1), file(9, 2)], lookup(editor=1, port="1")) == file(5, 1)
    assert GEMINI_CLI.choose([file(5, 1, "/x"), file(9, 2)], lookup(editor=1, port="1")) == file(9, 2)
    assert GEMINI_CLI.choose([Entry("gemini-ide-server-9-1.json", None), file(5)], lookup()) == file(5)


@pytest.mark.parametrize("fork", FORKS)
def test_a_fork_needs_no_process_id_and_is_refused_without_a_token(fork):
    assert fork.client_variables(Connection(1, (FOLDER,), 4321, ":")) == {}
    assert fork.last_without_token == (0, 0, 0)
    assert fork.place(MACHINE).root_is_shared is True


def test_what_users_are_told_and_what_tells_the_agents_apart():
    assert [
        (agent.key, agent.node, agent.can_be_told_which, agent.takes_the_only_one, agent.last_without_token)
        for agent in AGENTS
    ] == [
        ("gemini", 20, True, False, (0, 4, 999)),
        ("qwen", 20, True, False, (0, 0, 14)),
        ("llxprt", 24, True, False, (0, 0, 0)),
        ("claude", 22, True, True, (0, 0, 0)),
        ("opencode", 18, False, False, (0, 0, 0)),
        ("kilo", 18, False, False, (0, 0, 0)),
        ("copilot", 22, False, False, (0, 0, 0)),
        ("codex", 16, False, False, (0, 0, 0)),
    ]
    for agent in AGENTS:
        text = agent.how_to_install()
        assert f"npm install -g {agent.npm_package}" in text
        assert f"Node.js {agent.node}" in text
        assert text.endswith(f"{agent.how_to_connect}\n")
        assert f'"{agent.program}"' in text
        own = agent.how_to_install("~/bin/other")
        assert '"~/bin/other"' in own
        assert f'"{agent.key}_command"' in own
        assert own.partition("needs")[2] == text.partition("needs")[2]
    assert [agent.key for agent in AGENTS if agent.why_no_diffs()] == ["claude", "opencode", "kilo", "copilot", "codex"]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.key)
def test_a_program_is_started_by_its_name_or_as_the_user_says(agent):
    assert agent.command(Settings()) == (agent.program,)
    assert agent.command(dataclasses.replace(Settings(), **{f"{agent.key}_command": ()})) == (agent.program,)
    configured = ("wrapper", agent.program, "--flag")
    assert agent.command(dataclasses.replace(Settings(), **{f"{agent.key}_command": configured})) == configured


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.key)
def test_the_user_may_not_want_its_files(agent):
    assert agent.is_wanted(Settings())
    assert not agent.is_wanted(dataclasses.replace(Settings(), **{f"publish_for_{agent.key}": False}))


def test_an_agent_with_a_token_of_its_own_gets_that_one():
    announcement = Announcement(1, "shared", (FOLDER,), 4321, {"Qwen Code": "of its own"})
    contents = [next(iter(agent.files(announcement, MACHINE).values())) for agent in (GEMINI_CLI, QWEN_CODE)]
    assert [content["authToken"] for content in contents] == ["shared", "of its own"]
    assert QWEN_CODE.identity(contents[1]) == (1, "of its own")
