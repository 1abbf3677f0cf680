"""Whether a process is running. Its id alone does not identify it: ids are reused, above all after a reboot.

Rule: a query has no side effects. `os.kill(pid, 0)` is a query on POSIX, but *ends* the process on Windows, where we
ask the kernel instead. Slow modules are imported on use, because this module is loaded with the package. The editor's
id is read once, when the package is loaded: the plugin host, whose parent the editor is, may outlive it by seconds and
then has another parent, under whose id no discovery file may be written.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

# From the Windows API: winnt.h, winerror.h.
PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
ERROR_ACCESS_DENIED = 5
STILL_ACTIVE = 259

EDITOR_PID = os.getppid()


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


def _load_kernel() -> Any:
    import ctypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    # A handle is as wide as a pointer; the default return type would truncate it.
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.OpenProcess.argtypes = (ctypes.c_ulong, ctypes.c_int, ctypes.c_ulong)
    kernel.GetExitCodeProcess.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    return kernel
