"""One program beside one editor for the tests of a module: a start of either takes seconds of a processor.

Rule: what a test has changed is undone before the next one, or the next one has a new program: after a failure, and
where a test has ended it. What was said in the chat stays, so each test has the model say words of its own.
"""

from __future__ import annotations

import os
import shutil
from typing import Any, Callable, Optional

from tests.clients.programs.model_stub import ModelStub
from tests.clients.programs.program import Program
from tests.host.driver import Host
from tests.support.shared_editor import SharedEditor
from tests.tools.desktop import Desktop

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"


class SharedProgram:
    """Closed by its owner. `start` starts the program, which is asked by `model`, in a folder of the editor."""

    def __init__(self, workspace: str, model: ModelStub, start: Callable[[Host, str, Any], Program]) -> None:
        self.model = model
        self._workspace = workspace
        self._start = start
        self._editor = SharedEditor()
        self._program: Optional[Program] = None

    def desktop(self) -> Desktop:
        """The editor for the next test: one window on the workspace, in which the word "Hello" is selected."""
        if self._program is not None and not self._program.running:
            self._program.close()
            self._program = None
        self._write_workspace()
        host = self._editor.open(self._workspace, keep_clients=self._program is not None)
        self.model.forget()
        desktop = Desktop(host, self._workspace)
        desktop.wait_published()
        desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
        return desktop

    def program(self) -> Any:
        """The program, running; nothing is waited for."""
        if self._program is None:
            assert self._editor.host is not None, "the editor comes first"
            self._program = self._start(self._editor.host, self._workspace, self.model)
        return self._program

    def close(self) -> None:
        """Ends both."""
        if self._program is not None:
            self._program.close()
            self._program = None
        self._editor.close()

    def _write_workspace(self) -> None:
        for name in os.listdir(self._workspace):
            path = os.path.join(self._workspace, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.remove(path)
        with open(os.path.join(self._workspace, "greeting.py"), "w", encoding="utf-8") as file:
            file.write(GREETING)
