"""What a program's bare name finds: never what somebody has put into a folder of the workspace.

Windows is played: its paths are names in a set.
"""

from __future__ import annotations

import pytest

from companion.system import programs
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform
from companion.system.programs import FoundProgram, find_program, in_workspace, lies_in
from companion.terminals import processes
from companion.terminals.command_lines import Launch, system_terminal, terminus_arguments

NPM = "C:\\Users\\me\\AppData\\Roaming\\npm"
REPOSITORY = "D:\\code\\app"
PATH = f"C:\\Windows\\System32;{NPM}"


@pytest.fixture
def disk(monkeypatch):
    """The programs that there are."""
    there = {f"{REPOSITORY}\\gemini.cmd", f"{NPM}\\gemini.cmd", f"{NPM}\\gemini"}
    monkeypatch.setattr(programs, "is_program", lambda path: path.lower() in {each.lower() for each in there})
    return there


def windows(path=PATH, **variables):
    return Platform(WINDOWS, {"PATH": path, "SystemRoot": "C:\\Windows", **variables}, "C:\\Users\\me")


def find(program, *folders, path=PATH, **variables):
    return find_program(program, windows(path, **variables), folders)


def test_a_batch_file_in_a_repository_does_not_replace_the_program(disk):
    """What is started is the file that was found, by its full path and by the system's own cmd.exe."""
    client = processes.find_client(("gemini", "--flag"), windows(), [REPOSITORY], lambda: False)
    assert client.words == (f"{NPM}\\gemini.cmd", "--flag")
    launch = Launch("Gemini CLI", client.words, REPOSITORY, {})
    shell = windows().command_interpreter
    expected = ["C:\\Windows\\System32\\cmd.exe", "call", f"{NPM}\\gemini.cmd", "--flag"]
    arguments = terminus_arguments(launch, WINDOWS, shell, "tag")
    for words in (arguments["cmd"], system_terminal(launch, WINDOWS, shell, None, lambda name: False)):
        assert [words[0], *words[2:]] == expected


@pytest.mark.parametrize("entry", ["", ".", "..\\app", "\\code\\app", "D:", "D:app", '""'])
def test_what_depends_on_the_current_folder_is_not_looked_in(disk, entry, monkeypatch):
    monkeypatch.setattr(programs, "is_program", lambda path: not path.startswith(("C:", NPM)) or path in disk)
    assert find("gemini", path=f"{entry};{PATH}") == FoundProgram(f"{NPM}\\gemini.cmd")


@pytest.mark.parametrize(
    "entry", [REPOSITORY, "d:\\CODE\\App", "D:/code/app/", f'"{REPOSITORY}"', "D:\\code\\x\\..\\app"]
)
def test_nothing_in_a_workspace_folder_is_found_however_the_path_spells_it(disk, entry, monkeypatch):
    monkeypatch.setattr(programs, "is_program", lambda path: path.lower().endswith("gemini.cmd"))
    assert find("gemini", "E:\\other", REPOSITORY, path=f"{entry};{PATH}").place.endswith("\\gemini.cmd")
    assert "code" not in find("gemini", REPOSITORY, path=f"{entry};{NPM}").place.lower()
    found = find("gemini", REPOSITORY, "C:\\Windows", path=entry)
    assert found.place == ""
    assert "gemini.cmd lies in a folder of this window" in found.why
    assert find("gemini", "D:\\code\\ap", path=entry).place, "a folder whose name only begins so is another"


def test_what_the_user_names_in_full_is_taken_wherever_it_is(disk):
    assert find(f"{REPOSITORY}\\gemini", REPOSITORY) == FoundProgram(f"{REPOSITORY}\\gemini.cmd")
    assert find(f"{REPOSITORY}\\GEMINI.CMD", REPOSITORY) == FoundProgram(f"{REPOSITORY}\\GEMINI.CMD")
    assert find("E:\\none") == FoundProgram()


@pytest.mark.parametrize("program", ["bin\\gemini", ".\\gemini", "\\gemini", "D:gemini"])
def test_a_path_that_is_not_full_is_none(disk, program):
    assert find(program) == FoundProgram("", f"“{program}” is a relative path: name it in full")


def test_extensions_make_a_program(disk):
    assert find("gemini", PATHEXT=".EXE").place == ""
    disk.add(f"{NPM}\\gemini.exe")
    assert find("gemini").place == f"{NPM}\\gemini.exe"
    assert find("gemini.cmd").place == f"{NPM}\\gemini.cmd"
    assert find("gemini", PATHEXT=".CMD;;x;.EXE").place == f"{NPM}\\gemini.cmd"


def test_the_systems_own_programs_are_found_without_a_path(disk):
    disk.add("C:\\Windows\\System32\\cmd.exe")
    assert find("cmd", path="").place == "C:\\Windows\\System32\\cmd.exe"
    assert find("none", path="") == FoundProgram()


def test_programs_are_found_in_a_home_folder_that_is_the_workspace(disk):
    for folder in ("C:\\Users\\me", "c:\\users", "C:\\"):
        assert find("gemini", folder).place == f"{NPM}\\gemini.cmd"
    assert find("gemini", "C:\\Users\\me\\AppData").place == ""


def test_upper_case_counts_on_linux_alone():
    for name, inside in ((LINUX, False), (MACOS, True)):
        assert lies_in("/CODE/app/x", ["/code/app"], Platform(name, {}, "/home/me")) is inside


def test_the_first_that_may_be_started_is_taken(tmp_path):
    project, tools = tmp_path / "project", tmp_path / "tools"
    for folder in (project, tools):
        folder.mkdir()
        (folder / "gemini").write_text("")
        (folder / "gemini").chmod(0o755)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "gemini").write_text("")
    (tmp_path / "folder" / "gemini").mkdir(parents=True)
    path = ":".join(str(tmp_path / name) for name in ("plain", "folder", "project", "tools"))
    platform = Platform(LINUX, {"PATH": path}, str(tmp_path / "home"))
    assert find_program("gemini", platform, [str(project)]) == FoundProgram(str(tools / "gemini"))
    (tools / "gemini").unlink()
    assert find_program("gemini", platform, [str(project)]) == FoundProgram("", in_workspace(str(project / "gemini")))
