"""Whether a process is alive.

Rule: asking must be harmless. `os.kill(pid, 0)` asks on POSIX; on Windows the same call *ends* the process, so there
the kernel is asked instead.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

# From the Windows API: winnt.h, winerror.h, minwinbase.h.
PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
ERROR_ACCESS_DENIED = 5
STILL_ACTIVE = 259


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

    if kernel is None:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
        # A handle is as wide as a pointer; the default return type would cut it.
        kernel.OpenProcess.restype = ctypes.c_void_p
        kernel.OpenProcess.argtypes = (ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong)
        kernel.GetExitCodeProcess.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
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
