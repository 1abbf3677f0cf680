"""The real `codex` program, with a stub for its model.

    with ResponsesApi() as model, CodexCli(host, workspace, model) as codex:
        codex.switch_on()
        codex.submit("Please explain it")

It writes whatever its model wants, and asks nobody. Its npm package is in `tests/clients/codex_cli/`: the program for
Linux on x64, whose licence is Apache-2.0.
It starts processes that would outlive it: they are ended by their numbers.
"""

from __future__ import annotations

import os
import shutil
import signal
from typing import List

from tests.clients.programs.program import Program, ProgramEnded
from tests.clients.programs.responses_api import ResponsesApi
from tests.host.driver import Host
from tests.tools import nodes

NEW_HOOKS, TRUST = "Hooks need review", "trust all"
#: With this it ends itself before its first question, if the machine is too busy for it just then.
TOO_BUSY = "timed out discarding buffered terminal input"
STARTS = 5
SETTINGS = """
model = "gpt-6-sol"
model_provider = "stub"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.stub]
name = "Stub"
base_url = "{url}/v1"
wire_api = "responses"

[projects."{folder}"]
trust_level = "trusted"
"""


class CodexCli(Program):
    """One `codex` in a terminal. Raises SetupError."""

    prompt = "? for shortcuts"

    def __init__(self, host: Host, cwd: str, model: ResponsesApi) -> None:
        self._home = os.path.join(host.environment["HOME"], ".codex")
        os.makedirs(self._home, mode=0o700, exist_ok=True)
        with open(os.path.join(self._home, "config.toml"), "w", encoding="utf-8") as file:
            file.write(SETTINGS.format(url=model.url, folder=os.path.realpath(cwd)))
        super().__init__([self.program()], host, cwd, model, {})

    @staticmethod
    def program() -> str:
        """Its path. Raises SetupError."""
        folder = nodes.packages("codex_cli")
        vendor = os.path.join(folder, "node_modules", "@openai", "codex", "vendor", "x86_64-unknown-linux-musl")
        return os.path.join(vendor, "bin", "codex")

    @classmethod
    def with_hooks(cls, host: Host, cwd: str, model: ResponsesApi) -> CodexCli:
        """One that has asked whether its hooks may run, and may. It is started again where it was too busy."""
        starts_left = STARTS
        while True:
            codex, starts_left = cls(host, cwd, model), starts_left - 1
            try:
                codex.trust_hooks(asked=True)
                return codex
            except ProgramEnded as ended:
                if TOO_BUSY not in str(ended) or not starts_left:
                    raise
                Program.close(codex)  # and not its own, which would take its hooks away

    def switch_on(self) -> None:
        """Lets it ask the editor with every prompt from now on."""
        self.wait_ready()
        self.enter("/ide", lambda: "IDE context is on" in self.text())

    def trust_hooks(self, asked: bool = False) -> None:
        """Lets the hooks run that are new to it. Only from its second start on it asks by itself, when it has
        shown its prompt."""
        if asked:
            self.answer("2", "\u203a 1. Review hooks")
            self.answer("enter", NEW_HOOKS)
        else:
            self.wait_ready()
            self.enter("/hooks", lambda: TRUST in self.text())
            self.answer("t", TRUST)
            self.press("escape")
        self.wait_ready()

    def close(self) -> None:
        super().close()
        for process in self._left():
            os.kill(process, signal.SIGKILL)
        for name in os.listdir(self._home):
            if name != "ipc":  # it copies itself, 400 MB
                path = os.path.join(self._home, name)
                shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.unlink(path)

    def _left(self) -> List[int]:
        """The processes that it has started and left behind: those with its home in their environment or command."""
        found: List[int] = []
        mark = os.path.dirname(self._home).encode()
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    variables = file.read().split(b"\0")
                program = os.readlink(f"/proc/{name}/exe")
            except (OSError, ValueError):
                continue
            if b"HOME=" + mark in variables and "codex" in program:
                found.append(int(name))
        return found
