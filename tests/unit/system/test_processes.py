"""Whether a process lives, as each system says it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from companion.system.processes import is_alive, posix_is_alive, windows_is_alive
from tests.host.waiting import NEVER_SECONDS


def test_processes_living_and_ended():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_alive(child.pid)
    assert is_alive(os.getpid())
    child.communicate(b"\n", timeout=NEVER_SECONDS)
    assert not is_alive(child.pid)


def test_numbers_that_are_no_process_are_dead():
    for pid in (0, -1, 2**31 - 1, 2**70):
        assert not is_alive(pid)


def test_a_process_of_another_user_is_alive(monkeypatch):
    def denied(pid, number):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "kill", denied)
    assert posix_is_alive(4321)


class Kernel:
    """Windows' kernel32 as far as it is asked: one process, its exit code, and what is still held."""

    def __init__(self, exit_code, handle=77):
        self.exit_code, self.handle, self.held, self.asked = exit_code, handle, 0, []

    def OpenProcess(self, access, inherit, pid):  # noqa: N802
        self.asked.append((access, pid))
        self.held += 1 if self.handle else 0
        return self.handle

    def GetExitCodeProcess(self, handle, reference):  # noqa: N802
        assert handle == self.handle
        reference._obj.value = self.exit_code
        return 1

    def CloseHandle(self, handle):  # noqa: N802
        self.held -= 1


def test_on_windows_the_kernel_is_asked_and_nothing_is_killed(monkeypatch):
    monkeypatch.setattr(os, "kill", lambda *arguments: pytest.fail("this would end the process"))
    running, ended, gone = Kernel(259), Kernel(0), Kernel(0, handle=None)
    assert windows_is_alive(4321, running)
    assert not windows_is_alive(4321, ended)
    assert not windows_is_alive(4321, gone)
    assert not windows_is_alive(2**40, Kernel(259))
    assert running.asked == [(0x1000, 4321)]
    assert running.held == ended.held == 0


def test_on_windows_a_process_that_may_not_be_opened_is_alive(monkeypatch):
    monkeypatch.setattr(ctypes, "get_last_error", lambda: 5, raising=False)
    assert windows_is_alive(4321, Kernel(0, handle=None))
