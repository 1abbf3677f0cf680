"""Which discovery file a program takes when what lies there is odd, old or somebody else's."""

from __future__ import annotations

import os

import pytest

from companion.agents.agent import DiscoveryFile, LookupContext, contains
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI, LLXPRT_CODE
from companion.agents.opencode import OPENCODE
from companion.agents.qwen_code import QWEN_CODE
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform

FOLDER, BELOW, LINK = "/code/one", "/code/one/deep", "/link"  # which leads to the first
DEAD = 900


def lookup(folder=FOLDER, port="", editor=1, platform=LINUX):
    def is_alive(pid):
        assert isinstance(pid, int), "asked of processes only"
        return pid != DEAD

    def real(path):
        return os.path.normpath(path.replace(LINK, FOLDER))

    return LookupContext(folder, editor, port, Platform(platform, {}, "/home/me"), is_alive, real)


def entry(name, written, content, fields):
    said = {key: value for key, value in {**content, **fields}.items() if value is not None}
    return DiscoveryFile(name, said, written)


def claude(name="1.lock", written=0.0, **fields):
    content = {"pid": 1, "workspaceFolders": [FOLDER], "transport": "ws", "authToken": "t"}
    return entry(name, written, content, fields)


def copilot(name="a.lock", **fields):
    content = {"socketPath": "/s", "scheme": "unix", "headers": {}, "pid": 1, "ideName": "x", "timestamp": 1}
    return entry(name, 0.0, content, {"workspaceFolders": [FOLDER], **fields})


def qwen(name="1.lock", written=0.0, **fields):
    return entry(name, written, {"port": 1, "workspacePath": FOLDER, "ppid": 1}, fields)


def gemini(pid=5, port=1, workspace=FOLDER):
    return DiscoveryFile(f"gemini-ide-server-{pid}-{port}.json", {"port": port, "workspacePath": workspace})


class TestOwner:
    """Whose process wrote a file, so that what a dead one left is swept away and nothing else."""

    @pytest.mark.parametrize("pid, owner", [(7, 7), (True, None), ("7", None), (None, None), (7.0, None)])
    def test_claude_codes_and_qwen_codes_file_says_it(self, pid, owner):
        assert CLAUDE_CODE.owner("1.lock", {"pid": pid}) == owner
        assert QWEN_CODE.owner("1.lock", {"ppid": pid}) == owner
        assert QWEN_CODE.owner("55-1.lock", {"ppid": pid}) == 55, "the name says it first"

    def test_the_others_have_it_in_the_name(self):
        assert GEMINI_CLI.owner("gemini-ide-server-55-1.json", {"pid": 7}) == 55
        assert GEMINI_CLI.owner("gemini-ide-server-x-1.json", {"pid": 7}) is None
        assert LLXPRT_CODE.owner("llxprt-ide-server-55-1.json", {}) == 55
        assert COPILOT_CLI.owner("sublime-text-55-0123456789abcdef.lock", {"pid": 7}) == 55
        assert COPILOT_CLI.owner("other-55-0123456789abcdef.lock", {"pid": 7}) is None


@pytest.mark.parametrize(
    ("agent", "odd", "good"),
    [
        *(
            (CLAUDE_CODE, odd, claude("2.lock"))
            for odd in (
                claude("notes.lock"),
                claude("123456.lock"),
                DiscoveryFile("1.lock", None),
                claude(pid=DEAD),
                claude(transport="sse"),
                claude(transport=None),
                claude(workspaceFolders=FOLDER),
                claude(workspaceFolders=[7, None]),
                claude(workspaceFolders=None),
                claude(workspaceFolders=["/code/one/deeper"]),
                claude(workspaceFolders=["/code/on"]),
                claude(workspaceFolders=[LINK]),
            )
        ),
        *(
            (OPENCODE, odd, claude("2.lock"))
            for odd in (
                claude("notes.lock"),
                DiscoveryFile("1.lock", None),
                claude(transport="sse"),
                claude(workspaceFolders=["/code/on"]),
                claude(workspaceFolders=None),
            )
        ),
        *(
            (COPILOT_CLI, odd, copilot("b.lock"))
            for odd in (
                *(copilot(**{name: None}) for name in copilot().content),
                DiscoveryFile("a.lock", None),
                copilot("a.json"),
                copilot(pid="1"),
                copilot(pid=DEAD),
                copilot(workspaceFolders=FOLDER),
                copilot(workspaceFolders=[7]),
                copilot(workspaceFolders=["/code"]),
            )
        ),
        *(
            (QWEN_CODE, odd, qwen("2.lock"))
            for odd in (
                qwen("55-1.lock", 9.0),
                qwen("1.json", 9.0),
                qwen("x.lock", 9.0),
                qwen(written=9.0, ppid=DEAD),
                DiscoveryFile("1.lock", None, 9.0),
                *(
                    qwen(written=9.0, workspacePath=path)
                    for path in (7, "", "relative", "/other", "[1]", '["relative"]', "{", '{"a": 1}', "/other::.")
                ),
            )
        ),
        *(
            (GEMINI_CLI, odd, gemini(4, 2))
            for odd in (
                DiscoveryFile("gemini-ide-server-9-1.json", None),
                DiscoveryFile("notes.json", gemini().content),
                gemini(workspace="/code/on"),
                gemini(workspace="/code/one/deeper"),
                gemini(workspace=""),
                gemini(workspace=None),
            )
        ),
    ],
)
def test_what_a_program_passes_over(agent, odd, good):
    assert agent.choose([odd], lookup()) is None
    assert agent.choose([odd, good], lookup()) == good


@pytest.mark.parametrize(
    ("agent", "found", "folder"),
    [
        (CLAUDE_CODE, claude(pid=None), FOLDER),
        (CLAUDE_CODE, claude(workspaceFolders=[7, FOLDER]), BELOW),
        (CLAUDE_CODE, claude(), LINK),
        (OPENCODE, claude(transport=None, pid=DEAD), LINK),
        (COPILOT_CLI, copilot(workspaceFolders=[7, "/code/./one/"]), "/code/one/"),
        (COPILOT_CLI, copilot(), LINK),
        (QWEN_CODE, qwen(ppid=None), LINK),
        (QWEN_CODE, qwen(ppid=str(DEAD)), FOLDER),
        (QWEN_CODE, qwen(ppid=True), FOLDER),
        (QWEN_CODE, qwen(workspacePath=' ["/other", "/code"]'), BELOW),
        (QWEN_CODE, qwen(workspacePath="[/odd:/code/one"), BELOW),
        (GEMINI_CLI, gemini(workspace="/other:/code/one"), BELOW),
        (GEMINI_CLI, gemini(workspace="/other:"), FOLDER),  # relative ones count from where it runs
        (GEMINI_CLI, gemini(workspace="/other:.."), FOLDER),
        (GEMINI_CLI, gemini(workspace=LINK), BELOW),
        (LLXPRT_CODE, gemini()._replace(name="llxprt-ide-server-5-1.json"), BELOW),
    ],
)
def test_what_a_program_takes_however_it_is_spelled(agent, found, folder):
    assert agent.choose([found], lookup(folder)) == found


def test_copilot_cli_takes_the_first_name_and_only_the_very_folder():
    assert COPILOT_CLI.choose([copilot("b.lock"), copilot("a.lock")], lookup()) == copilot("a.lock")
    assert COPILOT_CLI.choose([copilot()], lookup(BELOW)) is None


def test_claude_code_takes_the_only_fit_or_the_port_it_inherits():
    elsewhere, dead = claude("2.lock", workspaceFolders=["/other"]), claude("2.lock", pid=DEAD)
    above = claude("3.lock", workspaceFolders=["/code"])
    assert CLAUDE_CODE.choose([claude(), above], lookup()) is None, "of two it takes none"
    assert CLAUDE_CODE.choose([claude(), above], lookup(port="3")) == above
    assert CLAUDE_CODE.choose([claude(), elsewhere], lookup(port="2")) == elsewhere, "whatever folder it has"
    assert CLAUDE_CODE.choose([claude(), dead], lookup(port="2")) == claude()
    assert CLAUDE_CODE.choose([claude(), elsewhere], lookup(port="3")) == claude()
    assert CLAUDE_CODE.choose([claude(".lock"), claude()], lookup()) == claude()


def test_opencode_takes_the_innermost_folder_then_the_newest_file():
    outer, inner = claude("1.lock", 9.0, workspaceFolders=["/code"]), claude("2.lock", 1.0)
    newer = claude("3.lock", 2.0, workspaceFolders=["/code", FOLDER, "/x"])
    assert OPENCODE.choose([outer, inner], lookup(BELOW, port="1")) == inner
    assert OPENCODE.choose([outer, inner, newer], lookup()) == newer
    assert OPENCODE.choose([newer, inner], lookup()) == newer
    assert OPENCODE.choose([claude("1.lock", 2.0), claude("2.lock", 2.0)], lookup()) is not None


def test_qwen_code_takes_the_newest_or_the_one_whose_port_it_inherits():
    older, newer = qwen("1.lock", 1.0), qwen("2.lock", 2.0)
    assert QWEN_CODE.choose([older, newer], lookup()) == newer
    assert QWEN_CODE.choose([newer, older], lookup()) == newer
    assert QWEN_CODE.choose([older, newer], lookup(port="1")) == older
    elsewhere, nowhere = qwen("1.lock", workspacePath="/other"), qwen("1.lock", workspacePath=None)
    assert QWEN_CODE.choose([elsewhere, newer], lookup(port="1")) == newer
    assert QWEN_CODE.choose([DiscoveryFile("1.lock", None), newer], lookup(port="1")) == newer
    assert QWEN_CODE.choose([newer], lookup(port="1")) == newer
    assert QWEN_CODE.choose([nowhere], lookup(port="1")) == nowhere
    assert QWEN_CODE.choose([nowhere], lookup()) is None


def test_gemini_cli_takes_its_own_editor_then_a_living_one():
    files = [gemini(5), gemini(DEAD), gemini(7), gemini(3)]
    assert GEMINI_CLI.choose(files, lookup(editor=3)) == gemini(3)
    assert GEMINI_CLI.choose(files, lookup(editor=DEAD)) == gemini(DEAD)
    assert GEMINI_CLI.choose(files, lookup()) == gemini(7)
    assert GEMINI_CLI.choose([gemini(5, 1), gemini(9, 2)], lookup(port="1")) == gemini(5, 1)
    assert GEMINI_CLI.choose([gemini(5, 1), gemini(9, 2)], lookup(port="3")) == gemini(9, 2)
    assert GEMINI_CLI.choose([gemini(5, 1, "/x"), gemini(9, 2)], lookup(port="1")) == gemini(9, 2)


@pytest.mark.parametrize(
    ("platform", "folder", "path", "inside"),
    [
        (LINUX, "/code", "/code", True),
        (LINUX, "/code/", "/code/a", True),
        (LINUX, "/code", "/codes", False),
        (LINUX, "/Code", "/code/a", False),
        (LINUX, FOLDER, "/link/src", True),
        (LINUX, LINK, FOLDER, True),
        (MACOS, "/Code", "/code/a", True),
        (WINDOWS, "C:\\Code", "c:\\code\\a", True),
        (LINUX, "/", "/anything", True),
    ],
)
def test_a_folder_contains_what_is_below_it(platform, folder, path, inside):
    assert contains(folder, path, lookup(platform=platform)) is inside
