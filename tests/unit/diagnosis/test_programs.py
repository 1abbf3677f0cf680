"""What a shell says about a client is read right, and a shell that says nothing holds nobody up."""

from __future__ import annotations

import os
import sys
from importlib import metadata

import pytest

from companion.agents.gemini_cli import GEMINI_CLI as GEMINI
from companion.agents.qwen_code import QWEN_CODE as QWEN
from companion.diagnosis import programs
from companion.diagnosis.checks import CheckOutcome
from companion.diagnosis.programs import MARK, ProgramAnswer, check_agent, check_libraries, judge, read_answer
from companion.system.platform import LINUX, Platform
from tests.host.waiting import until

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX systems")


def script(folder, text="echo 0.61.0\n"):
    """A program that runs these lines of a shell."""
    program = folder / "gemini"
    program.write_text("#!/bin/sh\n" + text)
    program.chmod(0o700)
    return program


def platform(**variables):
    return Platform(LINUX, {**os.environ, "SHELL": "/bin/sh", **variables}, "/home/me")


@pytest.mark.parametrize(
    ("printed", "answer"),
    [
        ("welcome 1.2.3\n|\nloading\n0.61.0\n|\nbye 9.9.9\n", "\nloading\n0.61.0\n"),
        ("\x1b[2J|\n0.61.0\n|\r\n", "\n0.61.0\n"),
        ("", ""),
        ("no such option\n", ""),
    ],
    ids=["start-up files", "codes of a terminal", "nothing", "no mark"],
)
def test_what_else_is_printed_is_passed_over(printed, answer):
    assert read_answer(printed.replace("|", MARK)) == answer


def test_a_release_is_told_from_a_program_that_fails():
    found = judge(GEMINI, ["gemini"], ProgramAnswer("/bin/gemini", "gemini 0.61.0-nightly.3 of 2025\n"))
    assert (found.outcome, found.detail) == (CheckOutcome.OK, "0.61.0-nightly.3 at /bin/gemini")
    broken = judge(GEMINI, ["gemini", "--flag"], ProgramAnswer("/bin/gemini", "Error: no Node.js\n"))
    assert (broken.outcome, broken.detail) == (CheckOutcome.FAILED, "/bin/gemini does not say its version")
    assert "“gemini --flag --version”" in broken.advice


@pytest.mark.parametrize(
    ("client", "version", "fine"),
    [
        (GEMINI, "0.4.1", False),
        (GEMINI, "0.5.0", True),
        (GEMINI, "1.0.0", True),
        (QWEN, "0.0.14", False),
        (QWEN, "0.0.15", True),
    ],
)
def test_releases_without_a_token_are_too_old(client, version, fine):
    check = judge(client, [client.program], ProgramAnswer("/bin/" + client.program, version))
    assert (check.outcome is CheckOutcome.OK) is fine
    assert ("too old: it sends no token and is refused" in check.detail) is not fine
    assert fine or client.npm_package in check.advice


@POSIX
def test_a_program_on_the_path_is_found(tmp_path):
    program = script(tmp_path)
    check = check_agent(GEMINI, [str(program)], platform())
    assert check.outcome is CheckOutcome.OK
    assert check.detail == f"0.61.0 at {program}"
    missing = check_agent(GEMINI, [str(tmp_path / "other program")], platform())
    assert missing.outcome is CheckOutcome.NOTE
    assert missing.name == "Gemini CLI is not installed"


@POSIX
def test_a_program_named_as_in_a_shell_is_found(tmp_path, monkeypatch):
    program = script(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert check_agent(GEMINI, ["~/gemini"], platform()).detail == f"0.61.0 at {program}"
    assert "“~/other”" in check_agent(GEMINI, ["~/other"], platform()).detail


@POSIX
def test_a_program_that_hangs_is_ended_with_its_children(tmp_path, later):
    noted = tmp_path / "pid"
    program = script(tmp_path, f"sleep 600 &\necho $! > {noted}\nwait\n")
    check = check_agent(GEMINI, [str(program)], platform(), (), lambda: begun(noted) and later(programs.SECONDS))
    assert check.outcome is CheckOutcome.FAILED
    assert f"no answer within {programs.SECONDS:.0f} seconds" in check.detail
    until(lambda: not _runs(int(noted.read_text())), "a child goes on")


@POSIX
def test_an_answer_that_nobody_wants_any_more_is_not_waited_for(tmp_path, clock):
    program = script(tmp_path, "touch {}\nsleep 600\n".format(tmp_path / "begun"))
    check_agent(GEMINI, [str(program)], platform(), (), (tmp_path / "begun").exists)


@POSIX
def test_much_output_and_late_output_are_read_to_the_end(tmp_path):
    program = script(tmp_path, "head -c 300000 /dev/zero | tr '\\0' x\nsleep 0.5\necho; echo 0.61.0\n")
    assert check_agent(GEMINI, [str(program)], platform()).detail.startswith("0.61.0 at ")


@POSIX
def test_what_a_program_leaves_running_is_not_waited_for(tmp_path):
    (tmp_path / "going").touch()
    program = script(tmp_path, f"(while [ -e {tmp_path}/going ]; do sleep 0.1; done) &\necho 0.61.0\n")
    assert check_agent(GEMINI, [str(program)], platform()).outcome is CheckOutcome.OK
    (tmp_path / "going").unlink()


def begun(noted):
    """Whether the program has noted the number of its child."""
    return noted.exists() and noted.read_text().endswith("\n")


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] != b"Z"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not os.path.isdir("/proc/self")


@POSIX
def test_a_program_on_the_editors_own_path_is_found(tmp_path, monkeypatch):
    program = script(tmp_path)
    profile = tmp_path / ".profile"
    profile.write_text("PATH=/usr/bin:/bin\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert check_agent(GEMINI, ["gemini"], platform()).name == "Gemini CLI is not installed"
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    check = check_agent(GEMINI, ["gemini"], platform())
    assert check.outcome is CheckOutcome.OK
    assert check.detail == f"0.61.0 at {program}, found only on the editor's PATH"


@POSIX
@pytest.mark.parametrize("of_the_shell", [True, False])
def test_a_program_that_lies_in_a_workspace_folder_is_not_run(tmp_path, monkeypatch, of_the_shell):
    project = tmp_path / "project"
    project.mkdir()
    script(project, f"touch '{tmp_path}/ran'\n")
    (tmp_path / ".profile").write_text(f"PATH='{project}:/usr/bin:/bin'\n" if of_the_shell else "PATH=/usr/bin:/bin\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    path = "/usr/bin:/bin" if of_the_shell else f"{project}:/usr/bin:/bin"
    check = check_agent(GEMINI, ["gemini"], platform(PATH=path), [str(project)])
    assert check.name == "Gemini CLI is not installed"
    assert f"{project / 'gemini'} lies in a folder of this window" in check.detail
    assert not (tmp_path / "ran").exists()


def test_the_libraries_in_use_are_named_with_their_place():
    import aiohttp

    check = check_libraries()
    assert check.outcome is CheckOutcome.OK
    place = os.path.dirname(os.path.dirname(aiohttp.__file__))
    assert check.detail.startswith(f"aiohttp {aiohttp.__version__} from {place}, jsonschema ")


def test_a_library_that_was_copied_by_hand_says_its_version_itself(monkeypatch):
    import aiohttp

    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(programs, "NEEDED", ("aiohttp", "this"))
    assert check_libraries().detail.startswith(f"aiohttp {aiohttp.__version__} from ")
    assert ", this of an unknown version from " in check_libraries().detail
