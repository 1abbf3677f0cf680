"""Discovery files as clients find them: names, content, modes, and what happens to them in an endpoint's life."""

from __future__ import annotations

import json
import os
import stat
import threading

import pytest

from companion.agents.agent import Announcement
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.qwen_code import QWEN_CODE
from companion.discovery import files
from companion.discovery.files import DiscoveryError, Publisher
from tests.host.waiting import NEVER_SECONDS

TWO = (GEMINI_CLI, QWEN_CODE)
TOKEN = "a-token-of-this-endpoint"
FIRST = Announcement(50001, TOKEN, ("/code/one", "/code/two"), 4321)
NAMES = ["gemini-ide-server-4321-50001.json", "4321-50001.lock", "50001.lock"]


def content(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_both_agents_find_what_they_look_for(machine):
    Publisher(machine.platform).publish(FIRST, TWO)
    assert machine.files() == NAMES
    common = {
        "port": 50001,
        "workspacePath": "/code/one:/code/two",
        "authToken": TOKEN,
        "ideInfo": {"name": "sublimetext", "displayName": "Sublime Text"},
    }
    assert content(machine.gemini / NAMES[0]) == common
    for name in NAMES[1:]:
        assert content(machine.qwen / name) == dict(common, ppid=4321, ideName="Sublime Text")


def test_what_belongs_to_another_user_is_not_even_read(machine):
    Publisher(machine.platform).publish(FIRST, TWO)
    path = str(machine.gemini / NAMES[0])
    assert files.read(path, machine.platform)["port"] == FIRST.port
    assert files.read(path, machine.platform._replace(user_id=os.getuid() + 1)) is None


def test_files_and_new_directories_are_the_users_alone(machine):
    os.umask(0)
    Publisher(machine.platform).publish(FIRST, TWO)
    directories = (machine.temporary / "gemini", machine.gemini, machine.home / ".qwen", machine.qwen)
    for directory in directories:
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700, directory
    for path in [machine.gemini / NAMES[0], machine.qwen / NAMES[1], machine.qwen / NAMES[2]]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_a_file_with_the_right_content_but_open_to_others_is_replaced(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    (machine.gemini / NAMES[0]).chmod(0o644)
    publisher.publish(FIRST, TWO)
    assert stat.S_IMODE((machine.gemini / NAMES[0]).stat().st_mode) == 0o600


def test_publishing_the_same_again_writes_nothing(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    before = (machine.gemini / NAMES[0]).stat()
    publisher.publish(FIRST, TWO)
    after = (machine.gemini / NAMES[0]).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_looking_at_the_files_leaves_none_open(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    free = os.dup(0)
    os.close(free)
    publisher.publish(FIRST, TWO)
    publisher.withdraw()
    next_free = os.dup(0)
    os.close(next_free)
    assert next_free == free


def test_publishing_again_heals_what_a_cleaner_removed(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    (machine.gemini / NAMES[0]).unlink()
    machine.gemini.rmdir()
    publisher.publish(FIRST, TWO)
    assert machine.files() == NAMES


def test_a_changed_workspace_replaces_the_file_in_one_step(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    before = (machine.gemini / NAMES[0]).stat().st_ino
    with (machine.gemini / NAMES[0]).open() as reader:
        publisher.publish(FIRST._replace(folders=("/code/three",)), TWO)
        assert json.load(reader)["workspacePath"] == "/code/one:/code/two"  # whoever was reading got the old one whole
    assert content(machine.gemini / NAMES[0])["workspacePath"] == "/code/three"
    assert (machine.gemini / NAMES[0]).stat().st_ino != before
    assert machine.files() == NAMES  # nothing temporary is left


def test_a_new_port_takes_the_old_ports_files_away(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    publisher.publish(FIRST._replace(port=50002), TWO)
    assert machine.files() == [name.replace("50001", "50002") for name in NAMES]


def test_a_former_ports_file_is_gone_before_the_new_one_is_there(machine, monkeypatch):
    """Some programs look as soon as a file appears, and no further than one that leads nowhere."""
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, [GEMINI_CLI])
    there, write = [], files.write

    def watched(*args):
        there.append(machine.files())
        write(*args)

    monkeypatch.setattr(files, "write", watched)
    publisher.publish(FIRST._replace(port=50002), [GEMINI_CLI])
    assert there == [[]]
    publisher.publish(FIRST._replace(port=50002, folders=("/code/three",)), [GEMINI_CLI])
    assert there[1:] == [["gemini-ide-server-4321-50002.json"]], "the same server's is replaced in one step"


@pytest.mark.parametrize("others, left", [([QWEN_CODE], NAMES[1:]), ([GEMINI_CLI], NAMES[:1])])
def test_each_agent_can_be_switched_off_at_any_time(machine, others, left):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    publisher.publish(FIRST, others)
    assert machine.files() == left


def test_an_agent_switched_off_from_the_start_gets_no_directory(machine):
    Publisher(machine.platform).publish(FIRST, [GEMINI_CLI])
    assert not (machine.home / ".qwen").exists()


def test_a_window_without_folders_is_not_published(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST._replace(folders=()), TWO)
    assert not (machine.temporary / "gemini").exists()
    publisher.publish(FIRST, TWO)
    publisher.publish(FIRST._replace(folders=()), TWO)
    assert machine.files() == []


def test_withdrawing_removes_our_files_and_no_others(machine):
    mine, other = Publisher(machine.platform), Publisher(machine.platform)
    mine.publish(FIRST, TWO)
    other.publish(FIRST._replace(port=50002, token="another"), TWO)
    (machine.qwen / "readme").write_text("keep")
    mine.withdraw()
    assert machine.files() == ["gemini-ide-server-4321-50002.json", "4321-50002.lock", "50002.lock", "readme"]


def test_withdrawing_leaves_a_file_that_another_server_has_taken_over(machine):
    """A reloaded package may have the same port in the same editor: what it wrote is not the old package's."""
    old, new = Publisher(machine.platform), Publisher(machine.platform)
    old.publish(FIRST, TWO)
    new.publish(FIRST._replace(token="newer"), TWO)
    old.withdraw()
    assert machine.files() == NAMES
    assert content(machine.gemini / NAMES[0])["authToken"] == "newer"


def test_withdrawing_never_raises(machine):
    publisher = Publisher(machine.platform)
    publisher.withdraw()
    publisher.publish(FIRST, TWO)
    for name in NAMES:
        for directory in (machine.gemini, machine.qwen):
            if (directory / name).exists():
                (directory / name).write_bytes(b"\xff{" if name == NAMES[0] else b"[" * 100000)
    publisher.withdraw()
    assert machine.files() == NAMES  # no longer ours as far as one can tell


def test_publishing_goes_on_after_withdrawing_but_not_after_closing(machine):
    publisher = Publisher(machine.platform)
    publisher.publish(FIRST, TWO)
    publisher.withdraw()
    publisher.publish(FIRST, TWO)
    assert machine.files() == NAMES
    publisher.close()
    publisher.publish(FIRST, TWO)
    assert machine.files() == []


def test_closing_does_not_wait_for_a_hanging_disk_and_leaves_nothing(machine, monkeypatch):
    publisher = Publisher(machine.platform)
    hangs, answers = threading.Event(), threading.Event()
    write = files.write

    def write_late(*arguments):
        hangs.set()
        assert answers.wait(NEVER_SECONDS)
        write(*arguments)

    monkeypatch.setattr(files, "write", write_late)
    writer = threading.Thread(target=publisher.publish, args=(FIRST, TWO))
    writer.start()
    assert hangs.wait(NEVER_SECONDS)
    publisher.close()
    assert writer.is_alive()
    answers.set()
    writer.join(NEVER_SECONDS)
    assert not writer.is_alive()
    assert machine.files() == []


def test_a_folder_whose_name_is_not_utf8_does_not_break_the_file(machine):
    Publisher(machine.platform).publish(FIRST._replace(folders=("/code/\udcff", "/code/日本 🎈")), TWO)
    assert content(machine.gemini / NAMES[0])["workspacePath"] == "/code/\udcff:/code/日本 🎈"


def test_a_full_disk_is_reported_and_leaves_nothing_half_written(machine, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    publisher = Publisher(machine.platform)
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", full)
        with pytest.raises(DiscoveryError) as caught:
            publisher.publish(FIRST, TWO)
    sentence = str(caught.value)
    assert "Gemini CLI cannot find this window" in sentence
    assert "Qwen Code cannot find this window" in sentence
    assert "No space left on device" in sentence
    assert TOKEN not in sentence
    assert machine.files() == []
    publisher.publish(FIRST, TWO)  # once there is room again
    assert machine.files() == NAMES


def test_one_agent_in_trouble_does_not_keep_the_other_from_its_files(machine):
    (machine.temporary / "gemini").write_text("a file where a directory should be")
    publisher = Publisher(machine.platform)
    with pytest.raises(DiscoveryError, match="Gemini CLI cannot find this window: .* is not a directory"):
        publisher.publish(FIRST, TWO)
    assert machine.files() == NAMES[1:]
    publisher.withdraw()
    assert machine.files() == []


def test_a_planted_link_at_the_files_name_is_replaced_not_followed(machine, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    machine.gemini.mkdir(parents=True, mode=0o700)
    (machine.gemini / NAMES[0]).symlink_to(victim)
    Publisher(machine.platform).publish(FIRST, TWO)
    assert victim.read_text() == "precious"
    assert not (machine.gemini / NAMES[0]).is_symlink()


def test_publishing_works_without_user_ids_as_on_windows(machine, monkeypatch):
    for flag in ("O_NOFOLLOW", "O_NONBLOCK"):
        monkeypatch.delattr(os, flag, raising=False)
    publisher = Publisher(machine.platform._replace(user_id=None))
    publisher.publish(FIRST, TWO)
    assert machine.files() == NAMES
    publisher.withdraw()
    assert machine.files() == []


@pytest.mark.parametrize(("mode", "private"), [(0o600, True), (0o400, True), (0o640, False), (0o604, False)])
def test_a_file_that_anybody_else_can_read_is_not_private(tmp_path, mode, private):
    file = tmp_path / "lock"
    file.write_text("{}")
    file.chmod(mode)
    assert files.is_private(str(file)) is private
