"""What each program is told of the editor: its discovery files, its environment, and what users read of it."""

from __future__ import annotations

import json

import pytest

from companion.agents.agent import Announcement, ConnectionDetails
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI, LLXPRT_CODE
from companion.agents.opencode import OPENCODE
from companion.agents.qwen_code import QWEN_CODE
from companion.agents.registry import AGENTS
from companion.diagnosis.discovery import described
from companion.protocol.tools import Catalogue, Implementation
from companion.settings import Settings
from companion.system.platform import LINUX, WINDOWS, Platform
from tests.support.programs import disabled, with_programs

MACHINE = Platform(LINUX, {"HOME": "/home/me", "TMPDIR": "/tmp"}, "/home/me", 1000)
ON_WINDOWS = Platform(WINDOWS, {"USERPROFILE": "C:\\Users\\me", "TEMP": "C:\\Temp"}, "C:\\Users\\me")
ANNOUNCEMENT = Announcement(
    50001, "secret", ("/link",), 4321, socket="/run/x/mcp.sock", began=1234, real_folders=("/code/one", "/code/two")
)
CONNECTION = ConnectionDetails(50001, ("/code/one",), 4321, ":", {"claude": 50002})
IDE_INFO = {"name": "sublimetext", "displayName": "Sublime Text"}
COMMON = {"port": 50001, "workspacePath": "/link", "authToken": "secret", "ideInfo": IDE_INFO}
QWEN = {**COMMON, "ppid": 4321, "ideName": "Sublime Text"}
CLAUDE = {
    "pid": 4321,
    "workspaceFolders": ["/code/one", "/code/two"],
    "ideName": "Sublime Text",
    "transport": "ws",
    "authToken": "secret",
    "runningInWindows": False,
    "port": 50001,
    "ideInfo": IDE_INFO,
}
COPILOT = {
    "socketPath": "/run/x/mcp.sock",
    "scheme": "unix",
    "headers": {"X-Gemini-Companion-Secret": "secret"},
    "pid": 4321,
    "ideName": "Sublime Text",
    "timestamp": 1234,
    "workspaceFolders": ["/code/one", "/code/two"],
    "ideInfo": IDE_INFO,
}
REAL = "with a token, workspace /code/one, /code/two"


@pytest.mark.parametrize(
    ("agent", "place", "files", "reading"),
    [
        (
            GEMINI_CLI,
            ("/tmp", ("gemini", "ide"), True),
            {"gemini-ide-server-4321-50001.json": COMMON},
            "port 50001, with a token, workspace /link",
        ),
        (
            LLXPRT_CODE,
            ("/tmp", ("llxprt", "ide"), True),
            {"llxprt-ide-server-4321-50001.json": COMMON},
            "port 50001, with a token, workspace /link",
        ),
        (
            QWEN_CODE,
            ("/home/me/.qwen", ("ide",), False),
            {"50001.lock": QWEN, "4321-50001.lock": QWEN},
            "port 50001, with a token, workspace /link",
        ),
        (CLAUDE_CODE, ("/home/me/.claude", ("ide",), False), {"50001.lock": CLAUDE}, f"port 50001, {REAL}"),
        (OPENCODE, ("/home/me/.claude", ("ide",), False), {"50001.lock": CLAUDE}, f"port 50001, {REAL}"),
        (
            COPILOT_CLI,
            ("/home/me/.copilot", ("ide",), False),
            {next(iter(COPILOT_CLI.files(ANNOUNCEMENT, MACHINE))): COPILOT},
            f"socket /run/x/mcp.sock, {REAL}",
        ),
    ],
    ids=lambda value: getattr(value, "key", ""),
)
def test_where_its_files_are_what_is_in_them_and_what_a_report_reads_there(agent, place, files, reading):
    assert agent.place(MACHINE) == place
    assert agent.files(ANNOUNCEMENT, MACHINE) == files
    for name, content in files.items():
        assert agent.file_names.match(name)
        assert agent.owner(name, content) == 4321
        assert described(agent, content) == f"Sublime Text, {reading}"
        assert agent.identity(content)[1] == "secret"
    assert ", without a token, " in described(agent, {})


@pytest.mark.parametrize(
    ("agent", "variable", "value", "folder"),
    [
        (COPILOT_CLI, "COPILOT_HOME", "/opt/copilot", "/opt/copilot"),
        (QWEN_CODE, "QWEN_HOME", "/opt/qwen", "/opt/qwen"),
        (QWEN_CODE, "QWEN_HOME", "", "/home/me/.qwen"),
        (QWEN_CODE, "QWEN_HOME", "~", "/home/me"),
        (QWEN_CODE, "QWEN_HOME", "~/qwen", "/home/me/qwen"),
        (QWEN_CODE, "QWEN_HOME", "~\\qwen", "/home/me/qwen"),
        (QWEN_CODE, "QWEN_HOME", "~other/qwen", "~other/qwen"),
    ],
)
def test_a_variable_may_name_the_folder_of_its_own_files(agent, variable, value, folder):
    environment = {**MACHINE.environment, variable: value}
    assert agent.place(MACHINE._replace(environment=environment)).root == folder


def test_on_windows_its_files_say_so():
    assert COPILOT_CLI.place(ON_WINDOWS).root == "C:\\Users\\me\\.copilot"
    assert QWEN_CODE.place(ON_WINDOWS._replace(environment={"QWEN_HOME": "~\\q"})).root == "C:\\Users\\me\\q"
    (content,) = CLAUDE_CODE.files(ANNOUNCEMENT, ON_WINDOWS).values()
    assert content["runningInWindows"] is True
    (content,) = COPILOT_CLI.files(ANNOUNCEMENT, ON_WINDOWS).values()
    assert content["scheme"] == "pipe"


@pytest.mark.parametrize("agent", [CLAUDE_CODE, COPILOT_CLI])
def test_the_file_has_the_windows_folders_if_none_was_resolved(agent):
    (content,) = agent.files(ANNOUNCEMENT._replace(real_folders=()), MACHINE).values()
    assert content["workspaceFolders"] == ["/link"]


def test_two_sockets_of_one_editor_have_two_files():
    one, other = (COPILOT_CLI.files(ANNOUNCEMENT._replace(socket=socket), MACHINE) for socket in ("/a", "/b"))
    assert set(one).isdisjoint(other)


@pytest.mark.parametrize("headers", [None, [], "x"])
def test_a_file_without_headers_is_nobodys(headers):
    assert COPILOT_CLI.identity({"socketPath": "/s", "headers": headers}) == ("/s", None)


def test_an_agent_with_a_token_of_its_own_gets_that_one():
    announcement = ANNOUNCEMENT._replace(agent_tokens={"Qwen Code": "of its own"})
    contents = [next(iter(agent.files(announcement, MACHINE).values())) for agent in (GEMINI_CLI, QWEN_CODE)]
    assert [content["authToken"] for content in contents] == ["secret", "of its own"]


def test_claude_codes_port_is_told_to_a_program_alone_in_its_terminal():
    assert CLAUDE_CODE.run_variables(CONNECTION) == {"CLAUDE_CODE_SSE_PORT": "50002"}
    assert CLAUDE_CODE.run_variables(CONNECTION._replace(ports={"copilot": 2})) == {}
    assert OPENCODE.run_variables(CONNECTION) == {}


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.key)
def test_its_tools_have_schemas_that_every_installed_jsonschema_takes(agent):
    assert agent.dialect.tools or agent.shared_sockets(MACHINE)
    catalogue = Catalogue(agent.dialect.tools, Implementation("companion", "Companion", "1"))
    catalogue.arguments.prepare()
    assert len(json.loads(catalogue.tools_list)["tools"]) == len(agent.dialect.tools)


def test_what_users_are_told():
    for agent in AGENTS:
        text = agent.how_to_install()
        assert f"npm install -g {agent.npm_package}" in text
        assert f"Node.js {agent.node}" in text
        assert text.endswith(f"{agent.how_to_connect}\n")
        assert f'"{agent.program}"' in text
        own = agent.how_to_install("~/bin/other")
        assert '"~/bin/other"' in own
        assert 'your setting "programs"' in own
        assert own.partition("needs")[2] == text.partition("needs")[2]
        assert [each for each in (own, text) if "Correct the setting, or remove it" in each] == [own]
        assert agent.profile.shows_diffs or "cannot show diffs" in agent.why_no_diffs
        assert not set("`[]") & set(agent.how_to_connect + agent.why_no_diffs)


def test_why_no_diffs_are_seen_is_said_where_it_takes_more_than_to_connect():
    for agent in (GEMINI_CLI, LLXPRT_CODE):
        assert agent.why_no_diffs == ""
    assert CLAUDE_CODE.why_no_diffs.startswith('Its diffs come with "permissions": {"defaultMode": "manual"} in ~/')
    assert OPENCODE.why_no_diffs == "It cannot show diffs: by default it writes without asking."
    assert COPILOT_CLI.how_to_connect == (
        "Copilot CLI connects to this editor by itself; below an open folder, type /ide and choose Sublime Text."
    )


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.key)
def test_a_program_is_started_by_its_name_or_as_the_user_says(agent):
    configured = ["wrapper", agent.program, "--flag"]
    settings = with_programs({agent.key: {"command": configured}})
    assert agent.command(Settings()) == agent.command(disabled(agent.key)) == (agent.program,)
    assert agent.command(settings) == tuple(configured)
    assert agent.is_wanted(Settings())
    assert agent.is_wanted(settings)
    assert not agent.is_wanted(disabled(agent.key))
