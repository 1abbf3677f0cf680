"""Whether a process is alive.

A process id alone does not tell who it is: after a restart of the machine yesterday's numbers belong to others. So when
a process began can be asked, too.

Rule: asking must be harmless. `os.kill(pid, 0)` asks on POSIX; on Windows the same call *ends* the process, so there
the kernel is asked instead. Slow modules are imported where they are needed: this one is loaded with the package.
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

PS_SECONDS = 5
_ELAPSED = re.compile(r"^\s*(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s*$")  # [[days-]hours:]minutes:seconds


def is_alive(pid: int) -> bool:
    """Whether a process with this id exists, whoever owns it. Any thread; never raises. In doubt: True."""
    if pid <= 0:
        return False  # to the system these mean groups of processes
    if sys.platform == "win32":
        return windows_is_alive(pid)
    return posix_is_alive(pid)


def posix_is_alive(pid: int) -> bool:
    """`is_alive` on Linux and macOS, for ids above 0."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it exists and belongs to somebody else
    return True


def windows_is_alive(pid: int, kernel: Optional[Any] = None) -> bool:
    """`is_alive` on Windows. `kernel` is the loaded kernel32 library, which tests replace."""
    import ctypes

    kernel = kernel if kernel is not None else _load_kernel()
    if pid > 0xFFFFFFFF:
        return False
    handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid)
    if not handle:
        last_error = getattr(ctypes, "get_last_error", lambda: 0)()
        return bool(last_error == ERROR_ACCESS_DENIED)
    try:
        # A process that has ended stays known for as long as anybody holds a handle to it.
        code = ctypes.c_ulong()
        if not kernel.GetExitCodeProcess(handle, ctypes.byref(code)):
            return True
        return code.value == STILL_ACTIVE
    finally:
        kernel.CloseHandle(handle)


def began(pid: int) -> Optional[float]:
    """When a living process began, in seconds since the epoch; None where the system does not say. Never raises.

    Blocks for a moment on macOS: not for the main thread.
    """
    if sys.platform == "win32":
        return windows_began(pid)
    return linux_began(pid) if sys.platform.startswith("linux") else ps_began(pid)


def linux_began(pid: int) -> Optional[float]:
    """`began` from the kernel's own files."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name, in parentheses, may hold anything; the 22nd field is the 20th after it.
            ticks = int(file.read().rsplit(b")", 1)[1].split()[19])
        with open("/proc/uptime", "rb") as file:
            uptime = float(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return time.time() - uptime + ticks / os.sysconf("SC_CLK_TCK")


def ps_began(pid: int) -> Optional[float]:
    """`began` as `ps` knows it, which every POSIX system has."""
    import subprocess

    try:
        answer = subprocess.run(
            ["ps", "-o", "etime=", "-p", str(pid)], stdout=subprocess.PIPE, timeout=PS_SECONDS, check=True
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
    # A handle is as wide as a pointer; the default return type would cut it.
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.OpenProcess.argtypes = (ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong)
    kernel.GetExitCodeProcess.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.GetProcessTimes.argtypes = (ctypes.c_void_p,) * 5
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    return kernel
