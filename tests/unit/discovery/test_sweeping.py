"""What an earlier life left behind is removed, and nothing that is somebody's."""

from __future__ import annotations

import json
import os
import socket
import time

import pytest

from companion.agents.agent import Announcement
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.qwen_code import QWEN_CODE
from companion.discovery import files
from companion.discovery.files import Publisher, sweep
from companion.system.folders import YOUNG_SECONDS, is_answered

DEAD, LIVING, OWN = 1111, 2222, 3333
TWO = (GEMINI_CLI, QWEN_CODE)
THREE = (*TWO, COPILOT_CLI)


def alive(pid):
    return pid in (LIVING, OWN)


def swept(machine):
    return [os.path.basename(path) for path in sweep(OWN, THREE, machine.platform, is_alive=alive)]


def published(machine, pid, port):
    Publisher(machine.platform).publish(Announcement(port, "token-%d" % port, ("/code/one",), pid), TWO)


def test_files_of_a_dead_editor_go_and_those_of_a_living_one_stay(machine):
    published(machine, DEAD, 50001)
    published(machine, LIVING, 50002)
    assert swept(machine) == ["gemini-ide-server-1111-50001.json", "1111-50001.lock", "50001.lock"]
    assert machine.files() == ["gemini-ide-server-2222-50002.json", "2222-50002.lock", "50002.lock"]


def test_left_overs_with_our_own_process_id_go_though_it_lives(machine):
    """Clients try only the first file that fits: one with our id and a dead port makes them fail."""
    published(machine, OWN, 50001)
    assert swept(machine) == ["gemini-ide-server-3333-50001.json", "3333-50001.lock", "50001.lock"]
    assert machine.files() == []


def test_a_directory_that_cannot_be_listed_keeps_no_other_from_being_swept(machine, monkeypatch, caplog):
    published(machine, DEAD, 50001)
    listdir = os.listdir

    def failing(directory):
        if directory == str(machine.gemini):
            raise PermissionError(13, "Permission denied")
        return listdir(directory)

    monkeypatch.setattr(os, "listdir", failing)
    assert swept(machine) == ["1111-50001.lock", "50001.lock"]
    assert str(machine.gemini) in caplog.text


@pytest.mark.parametrize("pid", [DEAD, OWN])
@pytest.mark.parametrize(
    "change",
    [
        {"ideInfo": {"name": "vscode", "displayName": "VS Code"}},
        {"ideInfo": "sublimetext"},
        {"ideInfo": None},
    ],
)
def test_files_of_other_editors_stay_even_when_those_are_dead(machine, pid, change):
    published(machine, pid, 50001)
    for directory, name in [(machine.gemini, "gemini-ide-server-%d-50001.json" % pid), (machine.qwen, "50001.lock"),
                            (machine.qwen, "%d-50001.lock" % pid)]:  # fmt: skip
        content = json.loads((directory / name).read_text())
        content.update(change)
        (directory / name).write_text(json.dumps(content))
    assert swept(machine) == []
    assert len(machine.files()) == 3


def aged(machine, seconds):
    then = time.time() - seconds
    for path in machine.paths():
        os.utime(path, (then, then))


@pytest.fixture(params=["port", "socket"])
def place(request, machine, monkeypatch):
    """Where a living process has announced itself a while ago. Nobody else can take it, and nobody answers there."""
    if request.param == "port":
        bound, address = socket.socket(), ("127.0.0.1", 0)
    else:
        bound, address = socket.socket(socket.AF_UNIX), str(machine.home / "x.sock")
    with bound:
        bound.bind(address)
        if request.param == "port":
            published(machine, LIVING, bound.getsockname()[1])
        else:
            announcement = Announcement(0, "token", ("/code/one",), LIVING, socket=address)
            Publisher(machine.platform).publish(announcement, [COPILOT_CLI])
        aged(machine, 2 * YOUNG_SECONDS)
        yield bound


def test_where_nobody_answers_the_process_with_that_id_is_another_one(machine, place):
    """After a restart of the machine a dead editor's process id belongs to anything."""
    assert len(swept(machine)) == len(machine.files()) + (1 if place.family == socket.AF_UNIX else 3)
    assert machine.files() == []


def test_where_somebody_answers_the_files_of_a_living_editor_stay(machine, place):
    place.listen(5)
    before = machine.files()
    assert swept(machine) == []
    assert machine.files() == before


def test_a_young_file_of_a_living_editor_stays_whoever_answers(machine, place):
    """Its server may be starting again at this moment."""
    aged(machine, YOUNG_SECONDS / 2)
    assert swept(machine) == []


@pytest.mark.parametrize("address", [None, "50001", "a\0b", 70000, -1, 1.5, []])
def test_in_doubt_the_file_of_a_living_process_stays(machine, address):
    published(machine, LIVING, 50001)
    path = machine.gemini / "gemini-ide-server-2222-50001.json"
    path.write_text(json.dumps(dict(json.loads(path.read_text()), port=address)))
    aged(machine, 2 * YOUNG_SECONDS)
    assert path.name not in swept(machine)


def test_a_named_pipe_is_not_asked(monkeypatch):
    monkeypatch.delattr(socket, "AF_UNIX")
    assert is_answered(r"\\.\pipe\mcp")


def test_what_cannot_be_read_or_has_another_name_stays(machine, tmp_path):
    published(machine, DEAD, 50001)
    ours = (machine.gemini / "gemini-ide-server-1111-50001.json").read_text()
    machine.gemini.joinpath("gemini-ide-server-1111-50002.json").write_bytes(b"\xff\xfe")
    machine.gemini.joinpath("gemini-ide-server-1111-50003.json").write_text("[]")
    machine.gemini.joinpath("gemini-ide-server-1111.json").write_text(ours)
    machine.gemini.joinpath("gemini-ide-server-1111-50004.json.bak").write_text(ours)
    machine.gemini.joinpath("gemini-ide-server-1111-50005.json").mkdir()
    outside = tmp_path / "outside.json"
    outside.write_text(ours)
    machine.gemini.joinpath("gemini-ide-server-1111-50006.json").symlink_to(outside)
    os.mkfifo(str(machine.gemini / "gemini-ide-server-1111-50007.json"))
    machine.qwen.joinpath("notes.lock").write_text((machine.qwen / "50001.lock").read_text())
    assert swept(machine) == ["gemini-ide-server-1111-50001.json", "1111-50001.lock", "50001.lock"]
    assert outside.exists()
    assert len(machine.files()) == 8


def test_a_lock_file_that_does_not_say_whose_it_is_stays(machine):
    published(machine, DEAD, 50001)
    content = json.loads((machine.qwen / "50001.lock").read_text())
    del content["ppid"]
    (machine.qwen / "50001.lock").write_text(json.dumps(content))
    assert "50001.lock" not in swept(machine)


def test_a_file_that_was_half_written_when_its_editor_died_goes(machine):
    published(machine, LIVING, 50002)
    dead, living = files.temporary_name(DEAD), files.temporary_name(LIVING)
    (machine.gemini / dead).write_text("{")
    (machine.gemini / living).write_text("{")
    assert swept(machine) == [dead]


def test_sweeping_where_nothing_was_ever_published_does_nothing(machine):
    assert swept(machine) == []
    assert not (machine.temporary / "gemini").exists()


def test_a_second_editor_starting_does_not_disturb_the_first(machine):
    published(machine, LIVING, 50002)
    before = machine.files()
    sweep(OWN, TWO, machine.platform, is_alive=alive)
    published(machine, OWN, 50003)
    assert set(before) < set(machine.files())
