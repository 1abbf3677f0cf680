"""The trials of a report: with which client each server is tried, and what every outcome is told as."""

from __future__ import annotations

import asyncio
import errno
import os

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.diagnosis import client, programs
from companion.diagnosis.checks import DISABLED, LOG, RESTART, Check, CheckOutcome, WindowFacts, failed, passed
from companion.diagnosis.client import check_agent_server, check_answers, describe, try_server
from companion.diagnosis.discovery import DiscoverySnapshot, check_window
from companion.diagnosis.programs import check_agent
from companion.endpoint.context_answers import Holding
from companion.protocol.serving import Address
from companion.system.platform import LINUX, WINDOWS, Platform
from companion.system.programs import FoundProgram
from companion.terminals import processes

VERSION = "1.2.3"
REFUSED_BY_SYSTEM = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")


class Tried:
    """Keeps with what each client was made. One with the right secret is given `tools`, others `stranger`; either may
    be an error, which is raised."""

    def __init__(self, monkeypatch):
        self.made = []
        self.tools, self.stranger = 4, client.Refused("the handshake was answered with 401", 401)
        for name in ("HttpClient", "WebSocketClient"):
            monkeypatch.setattr(client, name, self._maker(name))

    def _maker(self, name):
        tried = self

        class Client(getattr(client, name)):
            def __init__(self, *arguments):
                super().__init__(*arguments)
                tried.made.append((name, *arguments))
                self.given = tried.tools if arguments[2] in ("t", "Bearer t") else tried.stranger

            async def count_tools(self):
                if isinstance(self.given, BaseException):
                    raise self.given
                return self.given

        return Client


@pytest.fixture
def tried(monkeypatch):
    return Tried(monkeypatch)


OUTCOMES = [
    (4, CheckOutcome.OK, "{}, 4 tools", ""),
    (
        client.Refused("the handshake was answered with 401", 401),
        CheckOutcome.FAILED,
        "{}: the handshake was answered with 401",
        RESTART,
    ),
    (REFUSED_BY_SYSTEM, CheckOutcome.FAILED, "{}: ConnectionRefusedError: Connection refused", client.UNREACHABLE),
    (OSError("odd"), CheckOutcome.FAILED, "{}: OSError: odd", client.UNREACHABLE),
    (asyncio.TimeoutError(), CheckOutcome.FAILED, "{}: no answer in time", client.UNREACHABLE),
]


SERVERS = [
    (GEMINI_CLI, {"port": 50001, "authToken": "t"}, ("HttpClient", 50001, "Authorization", "Bearer t"), "port 50001"),
    (GEMINI_CLI, {"port": "50001", "authToken": "t"}, ("HttpClient", 0, "Authorization", "Bearer t"), "port 0"),
    (GEMINI_CLI, {"port": True, "authToken": "t"}, ("HttpClient", 0, "Authorization", "Bearer t"), "port 0"),
    (CLAUDE_CODE, {"port": 50002, "authToken": "t"}, ("WebSocketClient", 50002, CLAUDE_CODE.dialect.secret_header, "t"),
     "port 50002"),
    (CLAUDE_CODE, {"authToken": "t"}, ("WebSocketClient", 0, CLAUDE_CODE.dialect.secret_header, "t"), "port 0"),
    (COPILOT_CLI, {"socketPath": "/run/x", "headers": {COPILOT_CLI.dialect.secret_header: "t"}},
     ("HttpClient", "/run/x", COPILOT_CLI.dialect.secret_header, "t"), "socket /run/x"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "outcome", "detail", "advice"), OUTCOMES)
@pytest.mark.parametrize(("agent", "content", "made", "where"), SERVERS)
def test_each_program_has_its_own_way_in(tried, agent, content, made, where, given, outcome, detail, advice):
    tried.tools = given
    check = asyncio.run(check_agent_server("its file is right", agent, content, VERSION))
    assert check == Check("its file is right", outcome, detail.format(where), advice)
    assert tried.made == [(*made, VERSION)]


class TestAServer:
    WINDOW = WindowFacts("this window", True, 50001, None, (), (), True, (), ())

    def trial(self):
        return asyncio.run(try_server(self.WINDOW, "t", VERSION))

    def test_the_right_token_is_taken_and_another_refused(self, tried):
        assert self.trial() == [
            passed("this window is served", "port 50001, 4 tools"),
            passed("this window refuses a wrong token", "the handshake was answered with 401"),
        ]
        (_, _, _, right, _), (_, port, _, wrong, _) = tried.made
        assert right == "Bearer t"
        assert wrong not in ("Bearer ", right)
        assert port == 50001
        self.trial()
        assert tried.made[-1][3] != wrong

    @pytest.mark.parametrize(
        ("given", "status"), [(4, 200), (client.Refused("the handshake was answered with 403", 403), 403)]
    )
    def test_a_server_that_lets_others_in_is_told(self, tried, given, status):
        tried.stranger = given
        detail = f"the handshake was answered with {status}"
        assert self.trial()[1] == failed("this window refuses a wrong token", detail, LOG)

    @pytest.mark.parametrize("error", [REFUSED_BY_SYSTEM, asyncio.TimeoutError()])
    def test_a_server_that_does_not_answer_is_told(self, tried, error):
        tried.stranger = error
        check = self.trial()[1]
        assert (check.outcome, check.detail, check.advice) == (CheckOutcome.FAILED, describe(error), client.UNREACHABLE)

    @pytest.mark.parametrize("problem", [None, "could not open a port"])
    def test_a_server_that_does_not_listen_is_not_tried(self, tried, problem):
        (check,) = asyncio.run(try_server(self.WINDOW._replace(port=None, problem=problem), "token", VERSION))
        assert check == failed("this window is served", problem or "its server is not running", RESTART)
        assert not tried.made


def test_a_program_without_a_server_is_not_said_to_find_another(tmp_path):
    window = TestAServer.WINDOW._replace(
        folders=(str(tmp_path),), published_for=("copilot",), addresses={"ide_companion": Address(50001)}
    )
    snapshot = DiscoverySnapshot(Platform(LINUX, {}, str(tmp_path), os.getuid()), os.getppid(), {"copilot": []})
    check, entry = check_window(window, COPILOT_CLI, snapshot)
    assert check == failed("Copilot CLI finds this window", "no server is running for it", RESTART)
    assert entry is None


class Asked:
    """Where Codex CLI asks, as far as a report looks at it."""

    agent, problem = CODEX_CLI, "the path is somebody else's"

    def __init__(self, holding, error=None):
        self.holding, self._error = holding, error

    async def tried(self):
        if self._error is not None:
            raise self._error
        return "at /run/ipc.sock"


@pytest.mark.parametrize(
    ("asked", "outcome", "detail"),
    [
        (Asked(Holding.OFF), CheckOutcome.NOTE, DISABLED),
        (Asked(Holding.STANDBY), CheckOutcome.NOTE, "another editor answers it; this one does when that has ended"),
        (Asked(Holding.REFUSED), CheckOutcome.FAILED, Asked.problem),
        (Asked(Holding.HELD), CheckOutcome.OK, "at /run/ipc.sock"),
        (Asked(Holding.HELD, REFUSED_BY_SYSTEM), CheckOutcome.FAILED, "ConnectionRefusedError: Connection refused"),
    ],
)
def test_whether_codex_cli_can_ask_this_editor(asked, outcome, detail):
    check = asyncio.run(check_answers(asked))
    assert check[:3] == ("Codex CLI can ask this editor", outcome, detail)
    assert bool(check.advice) is (outcome is CheckOutcome.FAILED)


class TestPrograms:
    def on_windows(self, monkeypatch, place, printed=""):
        asked = []
        monkeypatch.setattr(programs, "find_program", lambda *_: FoundProgram(place))
        monkeypatch.setattr(programs, "output_of", lambda command, *_: (asked.append(command), printed))
        check = check_agent(GEMINI_CLI, ["gemini", "--flag"], Platform(WINDOWS, {}, "C:\\Users\\me"))
        return check, asked

    def test_on_windows_the_batch_file_is_asked(self, monkeypatch):
        check, asked = self.on_windows(monkeypatch, "C:\\npm\\gemini.cmd", "0.61.0\r\n")
        assert check == passed("Gemini CLI is installed", "0.61.0 at C:\\npm\\gemini.cmd")
        assert asked == [
            ["C:\\Windows\\System32\\cmd.exe", "/d", "/c", "call", "C:\\npm\\gemini.cmd", "--flag", "--version"]
        ]

    def test_on_windows_too_it_need_not_be_there(self, monkeypatch):
        check, asked = self.on_windows(monkeypatch, "")
        assert check.outcome is CheckOutcome.NOTE
        assert check.name == "Gemini CLI is not installed"
        assert not asked

    @pytest.mark.parametrize(
        ("error", "reason"),
        [(OSError(errno.ENOENT, os.strerror(errno.ENOENT)), os.strerror(errno.ENOENT)), (OSError("odd"), "odd")],
    )
    def test_a_shell_that_cannot_be_asked_is_told(self, monkeypatch, error, reason):
        def fail(command, *_):
            raise error

        monkeypatch.setattr(processes, "output_of", fail)
        check = check_agent(GEMINI_CLI, ["gemini"], Platform(LINUX, {"SHELL": "/bin/sh"}, "/home/me"))
        assert check.outcome is CheckOutcome.FAILED
        assert check.detail == f"the login shell could not be asked: {reason}"
        assert "npm install -g @google/gemini-cli@latest" in check.advice
        assert "Node.js 20" in check.advice

    def test_what_is_asked_of_the_shell_is_quoted(self, monkeypatch):
        asked = []
        for module in (processes, programs):
            monkeypatch.setattr(module, "output_of", lambda command, *_: (asked.append(command), (0, "/a b/gemini"))[1])
        check_agent(GEMINI_CLI, ["my gemini", "$HOME"], Platform(LINUX, {"SHELL": "/bin/zsh"}, "/home/me"))
        assert [command[:4] for command in asked] == [["/bin/zsh", "-l", "-i", "-c"]] * 2
        assert asked[0][4] == "command -v 'my gemini'"
        assert "'/a b/gemini' '$HOME' --version;" in asked[1][4]
