"""How the programs find the editor: their files, and which of several they would take."""

from __future__ import annotations

import json

import pytest

from companion.agents.agent import Announcement, Connection, Entry, LookupContext
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.dialect import Message
from companion.agents.gemini_forks import FORKS
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.opencode import OPENCODE
from companion.agents.registry import AGENTS
from companion.agents.shared_context import SharedContext
from companion.protocol.catalogue import Catalogue
from companion.protocol.tools import Implementation
from companion.system.platform import LINUX, Platform

MACHINE = Platform(LINUX, {"HOME": "/home/me", "TMPDIR": "/tmp"}, "/home/me", 1000)
ANNOUNCEMENT = Announcement(
    50001, "secret", ("/link",), 4321, socket="/run/x/mcp.sock", began=1234, real_folders=("/code/one", "/code/two")
)
LINUX_CONNECTION = Connection(50001, ("/code/one",), 4321, ":", {"claude": 50002})


def lookup(folder, port="", dead=()):
    return LookupContext(
        folder, 4321, port, MACHINE, lambda pid: pid not in dead, lambda path: path.replace("/link", "/code/one")
    )


def claude_file(port, *folders, written=0.0, **fields):
    content = {"pid": 1, "workspaceFolders": list(folders), "ideName": "x", "transport": "ws", "authToken": "t"}
    return Entry(f"{port}.lock", dict(content, **fields), written)


def copilot_file(name, *folders, **fields):
    content = {"socketPath": "/s", "scheme": "unix", "headers": {}, "pid": 1, "ideName": "x", "timestamp": 1}
    return Entry(name, dict(content, workspaceFolders=list(folders), **fields))


def test_claude_codes_lock_file():
    place = CLAUDE_CODE.place(MACHINE)
    assert (place.root, place.below, place.root_is_shared) == ("/home/me/.claude", ("ide",), False)
    ((name, content),) = CLAUDE_CODE.files(ANNOUNCEMENT, MACHINE).items()
    assert name == "50001.lock"
    assert CLAUDE_CODE.file_names.match(name)
    assert content == {
        "pid": 4321,
        "workspaceFolders": ["/code/one", "/code/two"],
        "ideName": "Sublime Text",
        "transport": "ws",
        "authToken": "secret",
        "runningInWindows": False,
        "port": 50001,
        "ideInfo": {"name": "sublimetext", "displayName": "Sublime Text"},
    }
    assert CLAUDE_CODE.owner(name, content) == 4321
    assert OPENCODE.files(ANNOUNCEMENT, MACHINE) == {name: content}, "the one file serves both"


def test_claude_code_takes_the_only_editor_that_fits():
    one, two, above = claude_file(1, "/code/one"), claude_file(2, "/code/two"), claude_file(3, "/code")
    assert CLAUDE_CODE.choose([one, two], lookup("/code/two/deep")) == two
    assert CLAUDE_CODE.choose([one, two], lookup("/link")) == one
    assert CLAUDE_CODE.choose([one, above], lookup("/code/one")) is None, "of two it takes none"
    assert CLAUDE_CODE.choose([one, above], lookup("/code/one", port="3")) == above
    assert CLAUDE_CODE.choose([one], lookup("/code")) is None
    assert CLAUDE_CODE.choose([claude_file(4, "/link")], lookup("/link")) is None, "a link in the file never matches"
    assert CLAUDE_CODE.choose([one], lookup("/code/one", dead=(1,))) is None
    assert CLAUDE_CODE.choose([claude_file(5, "/code/one", transport="sse")], lookup("/code/one")) is None


def test_opencode_takes_the_innermost_folder_then_the_newest_file():
    outer, inner = claude_file(1, "/code", written=9.0), claude_file(2, "/code/one", written=1.0)
    newer = claude_file(3, "/code/one", written=2.0)
    assert OPENCODE.choose([outer, inner], lookup("/code/one/deep")) == inner
    assert OPENCODE.choose([outer, inner, newer], lookup("/link")) == newer
    assert OPENCODE.choose([outer], lookup("/elsewhere")) is None
    assert OPENCODE.choose([inner], lookup("/code/one", dead=(1,))) == inner


def test_copilot_clis_lock_file():
    assert COPILOT_CLI.place(MACHINE).root == "/home/me/.copilot"
    elsewhere = MACHINE._replace(environment={"COPILOT_HOME": "/opt/copilot"})
    assert COPILOT_CLI.place(elsewhere).root == "/opt/copilot"
    ((name, content),) = COPILOT_CLI.files(ANNOUNCEMENT, MACHINE).items()
    assert COPILOT_CLI.file_names.match(name)
    assert name.startswith("sublime-text-4321-")
    assert content == {
        "socketPath": "/run/x/mcp.sock",
        "scheme": "unix",
        "headers": {"X-Gemini-Companion-Secret": "secret"},
        "pid": 4321,
        "ideName": "Sublime Text",
        "timestamp": 1234,
        "workspaceFolders": ["/code/one", "/code/two"],
        "ideInfo": {"name": "sublimetext", "displayName": "Sublime Text"},
    }
    assert COPILOT_CLI.identity(content) == ("/run/x/mcp.sock", "secret")
    assert "isTrusted" not in content


def test_copilot_cli_takes_the_first_name_and_only_the_very_folder():
    first, second = copilot_file("a.lock", "/code/one"), copilot_file("b.lock", "/code/one/", "/x")
    assert COPILOT_CLI.choose([second, first], lookup("/link")) == first
    assert COPILOT_CLI.choose([second], lookup("/code/one")) == second
    assert COPILOT_CLI.choose([first, second], lookup("/code/one/deep")) is None
    assert COPILOT_CLI.choose([first], lookup("/code/one", dead=(1,))) is None
    incomplete = Entry("a.lock", {key: value for key, value in first.content.items() if key != "scheme"})
    assert COPILOT_CLI.choose([incomplete, second], lookup("/code/one")) == second
    assert COPILOT_CLI.choose([copilot_file("a.json", "/code/one")], lookup("/code/one")) is None


def test_terminals_are_told_what_keeps_no_other_program_out():
    variables = {}
    for agent in (CLAUDE_CODE, OPENCODE, COPILOT_CLI):
        variables.update(agent.terminal_variables(LINUX_CONNECTION))
    assert variables == {"CLAUDE_CODE_AUTO_CONNECT_IDE": "true"}
    assert CLAUDE_CODE.run_variables(LINUX_CONNECTION) == {"CLAUDE_CODE_SSE_PORT": "50002"}
    assert OPENCODE.run_variables(LINUX_CONNECTION) == {}


@pytest.mark.parametrize("fork", FORKS)
def test_a_fork_differs_from_gemini_cli_by_its_names(fork):
    assert fork.place(MACHINE).below == (fork.key, "ide")
    ((name, content),) = fork.files(ANNOUNCEMENT, MACHINE).items()
    assert name == f"{fork.key}-ide-server-4321-50001.json"
    assert content["workspacePath"] == "/link"
    assert content["authToken"] == "secret"
    assert fork.owner(name, content) == 4321
    entry = Entry(name, content)
    assert fork.choose([entry], lookup("/link/deep")) == entry
    names = fork.terminal_variables(LINUX_CONNECTION)
    assert names == {"LLXPRT_CODE_IDE_SERVER_PORT": "50001", "LLXPRT_CODE_IDE_WORKSPACE_PATH": "/code/one"}


def test_every_agent_names_its_dialect():
    for agent in (*AGENTS, *FORKS, CLAUDE_CODE, OPENCODE, COPILOT_CLI):
        assert agent.dialect.key
        assert agent.dialect.tools or agent.shared_sockets(MACHINE)


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if agent.dialect.tools])
def test_its_tools_have_schemas_that_every_installed_jsonschema_takes(agent):
    catalogue = Catalogue(agent.dialect.tools, Implementation("companion", "Companion", "1"))
    catalogue.arguments.prepare()
    assert [tool["name"] for tool in json.loads(catalogue.tools_list)["tools"]]


def test_the_ide_companion_protocol_is_told_the_whole_context():
    state = {"workspaceState": {"openFiles": []}}
    assert IDE_COMPANION.messages(SharedContext(state)) == (Message("ide/contextUpdate", state, "ide/contextUpdate"),)


def test_a_report_reads_in_each_file_where_the_editor_is_and_whether_there_is_a_secret():
    for agent, address in (
        (CLAUDE_CODE, "port 50001"),
        (OPENCODE, "port 50001"),
        (COPILOT_CLI, "socket /run/x/mcp.sock"),
    ):
        (content,) = agent.files(ANNOUNCEMENT, MACHINE).values()
        assert agent.read(content) == (address, True, "/code/one, /code/two")
        assert "secret" not in str(agent.read(content))
        assert agent.read({}).has_token is False
    (content,) = FORKS[0].files(ANNOUNCEMENT, MACHINE).values()
    assert FORKS[0].read(content) == ("port 50001", True, "/link")
