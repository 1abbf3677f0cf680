"""A machine of one's own for each discovery test: an empty temporary directory, an empty home, a chosen platform."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.system import folders
from companion.system.platform import LINUX, Platform


class Machine:
    """Where a test's discovery files go."""

    def __init__(self, top: Path) -> None:
        self.temporary = top / "tmp"
        self.temporary.mkdir(mode=0o700)
        self.home = top / "home"
        self.home.mkdir(mode=0o700)
        self.platform = Platform(
            LINUX, {"TMPDIR": str(self.temporary) + "/", "HOME": str(self.home)}, str(self.home), os.getuid()
        )
        self.gemini = self.temporary / "gemini" / "ide"
        self.qwen = self.home / ".qwen" / "ide"
        self.copilot = self.home / ".copilot" / "ide"

    def paths(self) -> list[str]:
        """Those of all discovery files there are, of all agents."""
        folders = [str(each) for each in (self.gemini, self.qwen, self.copilot) if each.is_dir()]
        return [os.path.join(folder, name) for folder in folders for name in sorted(os.listdir(folder))]

    def files(self) -> list[str]:
        """Their names."""
        return [os.path.basename(path) for path in self.paths()]


@pytest.fixture(autouse=True)
def no_other_place_for_sockets(monkeypatch, tmp_path):
    """What this machine's own directory for temporary files holds is nobody's affair."""
    monkeypatch.setattr(folders, "SHORT", str(tmp_path))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture(autouse=True)
def usual_umask():
    """New directories are not writable for the group, whatever the shell that runs the tests says."""
    before = os.umask(0o022)
    yield
    os.umask(before)
