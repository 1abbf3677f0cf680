"""The folders of sockets: refused if they are not the user's alone, and found again when their editor was killed."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import sys
import time

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has named pipes instead", allow_module_level=True)

from companion.agents.registry import AGENTS
from companion.discovery.files import sweep
from companion.system import folders
from companion.system.platform import LINUX, Platform
from companion.transport import listening as local_sockets


def test_the_folders_of_killed_editors_are_found_by_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folders, "SHORT", str(tmp_path))
    dead, living, strange, empty = (folders.make_folder() for _ in range(4))
    later = time.time() + 2 * folders.YOUNG_SECONDS
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as ended:
        listening.bind(os.path.join(living, folders.NAME))
        listening.listen(1)
        ended.bind(os.path.join(dead, folders.NAME))
        with open(os.path.join(strange, folders.NAME), "w", encoding="utf-8") as file:
            file.write("no socket")
        assert folders.left_over(str(tmp_path), later) == [dead]
        assert folders.left_over(str(tmp_path), time.time()) == [], "it may be about to listen"
        os.chmod(dead, 0o750)  # noqa: S103
        assert folders.left_over(str(tmp_path), later) == [], "others may use its folder"
    assert os.path.isdir(empty)


def test_a_sweep_removes_the_empty_folder_of_a_killed_editor(tmp_path, monkeypatch):
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folders, "SHORT", str(tmp_path))
    folder = folders.make_folder()
    path = os.path.join(folder, folders.NAME)
    with socket.socket(socket.AF_UNIX) as ended:
        ended.bind(path)
    long_ago = time.time() - 2 * folders.YOUNG_SECONDS
    os.utime(path, (long_ago, long_ago))
    platform = Platform(LINUX, {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}, str(tmp_path), os.getuid())
    assert sweep(os.getpid(), AGENTS, platform) == [folder]
    assert not os.path.exists(folder)


@pytest.mark.parametrize("fault", [0o750, 0o705, 0o711, 0o777, "a link", "somebody else's"])
def test_nothing_is_served_in_a_folder_of_another_kind(fault, tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    if isinstance(fault, int):
        folder.chmod(fault)
    elif fault == "a link":
        (tmp_path / "link").symlink_to(folder)
        folder = tmp_path / "link"
    else:
        user = os.getuid()
        monkeypatch.setattr(folders.os, "getuid", lambda: user + 1)
    monkeypatch.setattr(local_sockets, "make_folder", lambda: str(folder))

    async def scenario():
        with pytest.raises(OSError, match="not used"):
            await local_sockets.listen_locally(asyncio.Protocol)

    asyncio.run(scenario())
    assert not os.path.exists(tmp_path / "folder" / folders.NAME)


@pytest.mark.parametrize(("mode", "owner", "fine"), [
    (0o700, "user", True), (0o755, "superuser", True), (0o1777, "superuser", True), (0o755, "another", False),
    (0o1777, "another", False), (0o777, "user", False), (0o770, "user", False),
])  # fmt: skip
def test_no_folder_is_made_where_another_user_could_replace_it(tmp_path, monkeypatch, mode, owner, fine):
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folders, "SHORT", str(tmp_path))
    tmp_path.chmod(mode)
    status = list(os.stat(str(tmp_path)))
    status[stat.ST_UID] = {"user": os.getuid(), "superuser": 0, "another": os.getuid() + 1}[owner]
    monkeypatch.setattr(folders.os, "stat", lambda path, **more: os.stat_result(status))
    try:
        folder = folders.make_folder()
    except OSError as error:
        assert not fine
        assert str(tmp_path) in str(error)
        assert os.listdir(str(tmp_path)) == []
    else:
        assert fine
        assert os.listdir(str(tmp_path)) == [os.path.basename(folder)]


def test_a_folder_is_not_made_again_where_a_link_leads_to_another(tmp_path, monkeypatch):
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folders, "SHORT", str(tmp_path))
    removed, other = folders.make_folder(), folders.make_folder()
    os.rmdir(removed)
    os.symlink(other, removed)
    with pytest.raises(OSError, match="is a link"):
        folders.make_folder(removed)
