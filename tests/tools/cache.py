"""The project's own folder for everything that a command sets up: `.cache/`, safe to delete at any time.

Rule: a thing is set up completely or not at all. A stamp with the digest of what it was made from is
written last; without a fitting stamp the thing is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import threading
from typing import Callable, Dict, Iterator, List, Optional

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(ROOT, ".cache")

STAMP = ".ready"

_print_lock = threading.Lock()


class SetupError(Exception):
    """Something that a command needs cannot be had. The message says what, and what to do."""


def say(text: str) -> None:
    """Prints one line of progress at once. Any thread."""
    with _print_lock:
        print(text, flush=True)


def set_up(name: str, made_from: List[str], make: Callable[[str], None], what: str, needs: str = "") -> str:
    """Returns the folder `.cache/<name>`, made by `make(folder)` unless one of the same digest is there.

    `made_from` are the texts that the result depends on; `needs` is a file below the folder without which it
    is of no use, such as a link to what may have been removed since. Raises SetupError.
    """
    folder = _folder(name)
    if is_set_up(name, made_from, needs):
        return folder
    with _only_here(name):
        if is_set_up(name, made_from, needs):  # another process has made it while we waited
            return folder
        say(f"Setting up {what} in {os.path.relpath(folder, ROOT)} ...")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        make(folder)
        with open(os.path.join(folder, STAMP), "w", encoding="utf-8") as file:
            file.write(_digest(made_from))
    return folder


def is_set_up(name: str, made_from: List[str], needs: str = "") -> bool:
    """Whether `set_up` would find it there."""
    folder = _folder(name)
    return read_text(os.path.join(folder, STAMP)) == _digest(made_from) and os.path.exists(os.path.join(folder, needs))


def _folder(name: str) -> str:
    return os.path.join(CACHE, *name.split("/"))


def _digest(made_from: List[str]) -> str:
    return hashlib.sha256("\0".join(made_from).encode("utf-8")).hexdigest()


@contextlib.contextmanager
def _only_here(name: str) -> Iterator[None]:
    """While this holds, no other process sets up the same thing. The lock ends with its process."""
    locks = os.path.join(CACHE, "locks")
    os.makedirs(locks, exist_ok=True)
    with open(os.path.join(locks, name.replace("/", "-")), "w", encoding="ascii") as file:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run(command: List[str], doing: str, cwd: Optional[str] = None, env: Optional[Dict[str, str]] = None) -> str:
    """Runs a command quietly and returns its output. Raises SetupError with the end of the output."""
    try:
        done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as error:
        raise SetupError(f"{doing}: {command[0]} cannot be started: {error}") from None
    if done.returncode != 0:
        raise SetupError(f"{doing} failed (exit code {done.returncode}):\n{done.stdout[-3000:]}")
    return done.stdout


def read_text(path: str) -> Optional[str]:
    """The text of a file, or None if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def in_ci() -> bool:
    """Whether a missing part is a failure: the variable CI is set to something."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def platform_name() -> str:
    """`linux`, `darwin` or `win`, as Node's packages call them."""
    return {"win32": "win", "darwin": "darwin"}.get(sys.platform, "linux")
