"""Which directories are trusted with a secret, and what the user is told about those that are not."""

from __future__ import annotations

import os
import stat
from types import SimpleNamespace

import pytest

from companion.agents.agent import Announcement
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.qwen_code import QWEN_CODE
from companion.discovery import files
from companion.discovery.files import DiscoveryError, Publisher, sweep

ANNOUNCED = Announcement(50001, "the-secret", ("/code/one",), 4321)


def refused(machine, platform=None):
    """The sentence with which publishing for Gemini CLI is refused; and nothing was written."""
    with pytest.raises(DiscoveryError) as caught:
        Publisher(platform or machine.platform).publish(ANNOUNCED, [GEMINI_CLI])
    assert not list(machine.temporary.glob("**/*.json"))
    assert "the-secret" not in str(caught.value)
    return str(caught.value)


def accepted(machine, platform=None):
    Publisher(platform or machine.platform).publish(ANNOUNCED, [GEMINI_CLI])
    assert os.listdir(str(machine.gemini)) == ["gemini-ide-server-4321-50001.json"]
    return True


def made(machine, mode=0o755):
    """The directories as another companion has made them."""
    machine.gemini.mkdir(parents=True)
    (machine.temporary / "gemini").chmod(mode)
    machine.gemini.chmod(mode)


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o711, 0o750])
def test_directories_that_others_can_at_most_read_are_used_as_they_are(machine, mode):
    made(machine, mode)
    assert accepted(machine)
    assert stat.S_IMODE(machine.gemini.stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o770, 0o757, 0o1777, 0o702])
@pytest.mark.parametrize("which", ["gemini", "gemini/ide"])
def test_a_directory_that_others_can_write_to_is_refused(machine, mode, which):
    made(machine)
    (machine.temporary / which).chmod(mode)
    sentence = refused(machine)
    assert str(machine.temporary / which) in sentence
    assert "chmod go-w" in sentence
    assert stat.S_IMODE((machine.temporary / which).stat().st_mode) == mode


def test_a_group_with_nobody_but_the_user_is_not_others(machine):
    made(machine, 0o775)
    group = machine.gemini.stat().st_gid
    assert accepted(machine, machine.platform._replace(private_group=lambda: group))


def test_another_group_is_others_even_if_the_user_has_one_of_their_own(machine):
    made(machine, 0o775)
    group = machine.gemini.stat().st_gid
    assert "chmod go-w" in refused(machine, machine.platform._replace(private_group=lambda: group + 1))


@pytest.mark.parametrize("which", ["gemini", "gemini/ide"])
def test_a_link_is_refused_even_to_a_directory_of_ones_own(machine, tmp_path, which):
    target = tmp_path / "target"
    (target / "ide").mkdir(parents=True)
    if which == "gemini/ide":
        (machine.temporary / "gemini").mkdir()
    (machine.temporary / which).symlink_to(target)
    assert "is a link" in refused(machine)
    assert os.listdir(str(target)) == ["ide"]
    assert os.listdir(str(target / "ide")) == []


def test_so_is_a_junction_of_windows(machine, monkeypatch):
    made(machine)
    real = os.stat

    def status(path, **options):
        found = real(path, **options)
        if path != str(machine.gemini):
            return found
        values = {name: getattr(found, name) for name in dir(found) if name.startswith("st_")}
        return SimpleNamespace(**{**values, "st_file_attributes": 0x400})

    monkeypatch.setattr(os, "stat", status)
    assert "is a link" in refused(machine)


def test_a_directory_of_another_user_is_refused(machine):
    made(machine)
    assert "belongs to another user" in refused(machine, machine.platform._replace(user_id=os.getuid() + 1))


def test_a_shared_temporary_directory_needs_the_sticky_bit(machine):
    machine.temporary.chmod(0o777)
    assert "sticky" in refused(machine)
    machine.temporary.chmod(0o1777)
    assert accepted(machine)


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_temporary_directory_of_another_user_is_refused(machine, mode):
    machine.temporary.chmod(mode)
    stranger = machine.platform._replace(user_id=os.getuid() + 1)
    if os.getuid() == 0:
        os.chown(str(machine.temporary), 12345, 12345)
    assert f"{machine.temporary} belongs to another user" in refused(machine, stranger)


def test_a_temporary_directory_of_the_superuser_is_used(machine):
    if os.getuid() != 0:
        pytest.skip("only the superuser can make one")
    machine.temporary.chmod(0o1777)
    machine.gemini.mkdir(parents=True)
    for directory in (machine.temporary / "gemini", machine.gemini):
        os.chown(str(directory), 12345, 12345)
    assert accepted(machine, machine.platform._replace(user_id=12345))


def test_the_temporary_directory_itself_may_be_reached_through_a_link(machine, tmp_path):
    """On macOS /tmp is a link to private/tmp."""
    link = tmp_path / "link"
    link.symlink_to(machine.temporary)
    assert accepted(machine, machine.platform._replace(environment={"TMPDIR": str(link)}))


@pytest.mark.parametrize("directory", ["relative/tmp", "/does/not/exist"])
def test_a_temporary_directory_that_cannot_be_used_is_named_and_not_made(machine, directory):
    assert directory in refused(machine, machine.platform._replace(environment={"TMPDIR": directory}))
    assert not os.path.exists(directory)


def test_qwens_own_directory_may_be_the_users_link_but_not_the_one_below(machine, tmp_path):
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (machine.home / ".qwen").symlink_to(dotfiles)
    publisher = Publisher(machine.platform)
    publisher.publish(ANNOUNCED, [QWEN_CODE])
    assert sorted(os.listdir(str(dotfiles / "ide"))) == ["4321-50001.lock", "50001.lock"]
    publisher.withdraw()
    (dotfiles / "ide").rename(dotfiles / "elsewhere")
    (dotfiles / "ide").symlink_to(dotfiles / "elsewhere")
    with pytest.raises(DiscoveryError, match="Qwen Code cannot find this window: .* is a link"):
        publisher.publish(ANNOUNCED, [QWEN_CODE])


def test_a_directory_that_cannot_be_made_is_named_with_the_reason(machine):
    platform = machine.platform._replace(environment={"QWEN_HOME": str(machine.home / "none" / "qwen")})
    with pytest.raises(DiscoveryError, match="none/qwen cannot be created: No such file"):
        Publisher(platform).publish(ANNOUNCED, [QWEN_CODE])


def test_qwens_directory_writable_for_others_is_refused(machine):
    (machine.home / ".qwen").mkdir()
    (machine.home / ".qwen").chmod(0o777)
    with pytest.raises(DiscoveryError, match="others can write"):
        Publisher(machine.platform).publish(ANNOUNCED, [QWEN_CODE])


def test_nothing_is_swept_out_of_a_directory_that_is_not_trusted(machine):
    Publisher(machine.platform).publish(ANNOUNCED, [GEMINI_CLI])
    machine.gemini.chmod(0o777)
    assert sweep(1, [GEMINI_CLI], machine.platform, is_alive=lambda pid: False) == []
    machine.gemini.chmod(0o700)
    assert len(sweep(1, [GEMINI_CLI], machine.platform, is_alive=lambda pid: False)) == 1


def test_a_read_only_directory_is_reported(machine, monkeypatch):
    """Simulated, because the superuser, as whom tests may run, can write everywhere."""
    made(machine)

    def read_only(path, flags, mode=0o777):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(files.os, "open", read_only)
    assert "cannot be written: Read-only file system" in refused(machine)
