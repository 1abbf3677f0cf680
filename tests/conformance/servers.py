"""Runs the server under test, and client programs, as processes of their own."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

from tests.host.waiting import NEVER_SECONDS
from tests.tools import nodes

FOLDER = Path(__file__).resolve().parent
CLIENTS = FOLDER.parent / "clients"


class Server:
    """A running `demo_tools.py`."""

    def __init__(self, arguments: List[str]) -> None:
        self.token = secrets.token_urlsafe(32)
        environment = dict(os.environ, COMPANION_TEST_TOKEN=self.token)
        command = [sys.executable, str(FOLDER / "demo_tools.py"), *arguments]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}/mcp"

    def environment(self, packages: str) -> Dict[str, str]:
        """For a Node program that talks to this server and imports from these packages."""
        return nodes.environment(packages, {"COMPANION_TEST_TOKEN": self.token, "COMPANION_TEST_URL": self.url})

    def close(self) -> None:
        """The end of its standard input ends it, and cleanly."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        assert self._process.wait(NEVER_SECONDS) == 0
        self._process.stdout.close()


def run_program(command: List[str], environment: Dict[str, str], seconds: float = 60) -> Any:
    """What a program printed, with its exit code."""
    return subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        timeout=seconds,
    )
