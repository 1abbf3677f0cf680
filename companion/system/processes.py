"""Whether a process is running, and when it started.

A process id alone does not identify a process, because ids are reused, above all after a reboot. The start time helps
to tell processes with the same id apart.

Rule: a query has no side effects. `os.kill(pid, 0)` is a query on POSIX, but *ends* the process on Windows, where the
kernel is asked instead. Slow modules are imported on use, because this module is loaded with the package. The editor's
id is read once, when the package is loaded: the plugin host, whose parent the editor is, may outlive it by seconds and
then has another parent, under whose id no discovery file may be written.
"""

from __future__ import annotations

import os
import re
import sys
import time
from typing import Any, Optional

# From the Windows API: winnt.h, winerror.h, minwinbase.h.
PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
ERROR_ACCESS_DENIED = 5
STILL_ACTIVE = 259
INTERVALS_PER_SECOND = 10_000_000  # a FILETIME counts 100 ns intervals since 1601
SECONDS_FROM_1601_TO_1970 = 11_644_473_600

EDITOR_PID = os.getppid()
PS_SECONDS = 5
_ELAPSED = re.compile(r"^\s*(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s*$")  # [[days-]hours:]minutes:seconds


def is_alive(pid: int) -> bool:
    """Whether a process with this id exists, of any user. In doubt: True. Any thread; never raises."""
    if pid <= 0:
        return False  # such ids mean process groups
    if sys.platform == "win32":
        return windows_is_alive(pid)
    return posix_is_alive(pid)


def editor_is_gone() -> bool:
    """Whether the editor has exited without notice. Any thread; asks the operating system, not the editor."""
    if os.getppid() != EDITOR_PID:
        return True
    # On Windows an orphan keeps its parent's id.
    return sys.platform == "win32" and not is_alive(EDITOR_PID)


def posix_is_alive(pid: int) -> bool:
    """`is_alive` on Linux and macOS, for ids above 0."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it exists and belongs to another user
    return True


def windows_is_alive(pid: int, kernel: Optional[Any] = None) -> bool:
    """`is_alive` on Windows. `kernel` is kernel32, which tests replace."""
    import ctypes

    kernel = kernel if kernel is not None else _load_kernel()
    if pid > 0xFFFFFFFF:
        return False
    handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid)
    if not handle:
        last_error = getattr(ctypes, "get_last_error", lambda: 0)()
        return bool(last_error == ERROR_ACCESS_DENIED)
    try:
        # A process that has ended can still be opened while another process has a handle to it.
        code = ctypes.c_ulong()
        if not kernel.GetExitCodeProcess(handle, ctypes.byref(code)):
            return True
        return code.value == STILL_ACTIVE
    finally:
        kernel.CloseHandle(handle)


def began(pid: int) -> Optional[float]:
    """When a running process started, in seconds since the epoch, or None if unknown. Never raises.

    It runs `ps` on macOS: never call it on the main thread.
    """
    if sys.platform == "win32":
        return windows_began(pid)
    return linux_began(pid) if sys.platform.startswith("linux") else ps_began(pid)


def linux_began(pid: int) -> Optional[float]:
    """`began` on Linux, from `/proc` (see proc(5))."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in parentheses may have any character; starttime, field 22, is the 20th after it.
            ticks = int(file.read().rsplit(b")", 1)[1].split()[19])
        with open("/proc/uptime", "rb") as file:
            uptime = float(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return time.time() - uptime + ticks / os.sysconf("SC_CLK_TCK")


def ps_began(pid: int) -> Optional[float]:
    """`began` from `ps`, on every other POSIX system."""
    import subprocess

    try:
        answer = subprocess.run(
            ["/bin/ps", "-o", "etime=", "-p", str(pid)], stdout=subprocess.PIPE, timeout=PS_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = _ELAPSED.match(answer.stdout.decode("ascii", "replace"))
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return time.time() - (((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def windows_began(pid: int, kernel: Optional[Any] = None) -> Optional[float]:
    """`began` on Windows. `kernel` as in `windows_is_alive`."""
    import ctypes

    kernel = kernel if kernel is not None else _load_kernel()
    handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid)
    if not handle:
        return None
    try:
        created, *others = (ctypes.c_ulonglong() for _ in range(4))
        if not kernel.GetProcessTimes(handle, ctypes.byref(created), *(ctypes.byref(other) for other in others)):
            return None
        return created.value / INTERVALS_PER_SECOND - SECONDS_FROM_1601_TO_1970
    finally:
        kernel.CloseHandle(handle)


def _load_kernel() -> Any:
    import ctypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    # A handle is as wide as a pointer; the default return type would truncate it.
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.OpenProcess.argtypes = (ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong)
    kernel.GetExitCodeProcess.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.GetProcessTimes.argtypes = (ctypes.c_void_p,) * 5
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    return kernel
