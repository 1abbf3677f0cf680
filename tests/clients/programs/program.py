"""A real client program beside a host: its environment, its settings file, and how a user talks to it.

Rule: the program sees nothing of the machine but the host's own HOME and temp folder, and reaches nothing but loopback.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any, Callable, Dict, Mapping, Sequence

from tests.clients.programs.model_stub import ModelStub
from tests.clients.programs.terminal import PATIENCE, Terminal, squeezed
from tests.host.driver import Host
from tests.tools import nodes

CONFIRMATION = "Apply this change?"
IDE_MODE = {"enabled": True, "hasSeenNudge": True}  # the programs' settings once `/ide enable` has been used
IDE_SETTINGS = {True: IDE_MODE, False: {}, None: {"hasSeenNudge": True}}  # None: the user does not want it


class ProgramEnded(AssertionError):
    """The program has ended by itself. The text is the last that it showed."""


class Program(Terminal):
    """One client program in a terminal whose working directory is `cwd`. Use the subclasses."""

    prompt = "Type your message"

    def __init__(self, command: Sequence[str], host: Host, cwd: str, model: ModelStub, env: Mapping[str, str]) -> None:
        self._host = host
        self._model = model
        self._asked = 0
        elsewhere = getattr(host, "command", None)  # the program runs on another machine
        if elsewhere is not None:
            command, cwd = [*elsewhere, *command], "/"
        super().__init__(command, cwd, dict(base_environment(host.environment), **env))

    def wait_ready(self) -> None:
        """Waits until the program takes a prompt."""
        self.wait_for(self.prompt)

    def submit(self, text: str) -> None:
        """Types a line for the model and sends it off; the model has been asked afterwards."""
        self.wait_ready()
        asked = len(self._model.turns)
        self.enter(text, lambda: len(self._model.turns) > asked)

    def enter(self, text: str, taken: Callable[[], bool]) -> None:
        """Types a line, waits for its echo, and presses Enter until it has been `taken`.

        The programs lose an Enter that comes before they have taken note of what they have just echoed. A second one
        comes late: if the line had been taken after all, it would answer the question that follows.
        """
        shown = squeezed(self.text()).count(text)
        self.type(text)
        self.wait_for(text)
        self.is_soon(lambda: squeezed(self.text()).count(text) > shown, 2.0)  # where it was on the screen before
        deadline = time.monotonic() + PATIENCE
        while not taken():
            assert time.monotonic() < deadline, f"the program does not take the line\n{self.text()}"
            # An Enter right after typed text counts as a pasted line end; after another key it is an Enter.
            self.press("end")
            self.press("enter")
            self.is_soon(taken, 10.0)

    def ask(self, command: str, *words: str) -> str:
        """Types a command; returns what the program shows below it, once that has one of these words.

        A number behind the command, of which the program takes no notice, tells its answer from earlier ones. To count
        these would not do: they scroll off the screen, and their number grows no more.
        """
        self._asked += 1
        line, below = f"{command} {self._asked:03}", ""

        def answered() -> bool:
            nonlocal below
            below = self.text().partition(line)[2]
            return any(word in below for word in words)

        self.enter(line, answered)
        return below

    def answer(self, key: str, question: str) -> None:
        """Presses a key once a question shows, and again where the program was not yet listening.

        Raises `ProgramEnded`.
        """
        self.wait_for(question)
        deadline = time.monotonic() + PATIENCE
        self.press(key)
        while not self.is_soon(lambda: question not in self.text(), 3.0):
            if not self.running:
                raise ProgramEnded(self.text())
            assert time.monotonic() < deadline, f"the program does not take the answer\n{self.text()}"
            self.press(key)

    def wait_confirmation(self, file_name: str) -> None:
        """Waits until the program asks whether it may change this file."""
        self.wait_for(CONFIRMATION)
        self.wait_for(file_name)

    def close(self) -> None:
        """Ends the program, and prints what a failed test needs to be understood; pytest keeps it for such."""
        if not self.closed:
            for title, text in (("the terminal's screen", self.text()), ("the host's console", self._host.console())):
                sys.stderr.write(f"---- {title} ----\n{text[-6000:]}\n")
        super().close()


def base_environment(environment: Mapping[str, str]) -> Dict[str, str]:
    """What a terminal has beside a host with this environment; a list of our own, since names like CI change how
    programs behave."""
    names = ("PATH", "HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP")
    variables = {name: environment[name] for name in names if name in environment}
    variables.update(LANG="C.UTF-8", COLORTERM="truecolor", NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")
    variables.update(nodes.compiled_once())
    # In a container the programs would look for the editor on the container's host; with this they stay here.
    variables["SSH_CONNECTION"] = "127.0.0.1 1 127.0.0.1 1"
    return variables


def write_settings(host: Host, folder: str, settings: Mapping[str, Any]) -> None:
    """Writes the program's user settings: `folder` is its folder in HOME. Others that stand there stay."""
    path = os.path.join(host.environment["HOME"], folder, "settings.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    others: Dict[str, Any] = {}
    with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
        others = json.load(file)
    if {**others, **settings} != others:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**others, **settings}, file, indent=2)  # as they write it themselves
