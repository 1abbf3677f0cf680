"""What the in-editor tests of programs' hooks share: the hooks as programs run them, with the real `curl`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Dict, Iterator

from ...companion.agents.agent import Agent
from ...companion.agents.claude_code import CLAUDE_CODE
from ...companion.agents.dialect import Dialect
from ...companion.protocol.tools import ClientSession
from ...companion.system.platform import Platform
from .review_case import PLUGIN
from .unreviewed_case import ChangesTestCase

PROMPT = "make the tests pass"


class HookCase(ChangesTestCase):
    """Claude Code is connected by its hooks, and by nothing else."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.application = sys.modules[PLUGIN].application
        self.sessions = self.application._endpoints.hook_sessions
        self.answers = self.application._endpoints.hook_answers
        self.endpoint.workspace_changed()
        yield lambda: self.endpoint.folders() == (self.folder,)  # what the window had before it is no folder of its own
        yield from self.connect(CLAUDE_CODE)
        self.view = yield from self.open_file("mine.py")

    def connect(self, agent: Agent) -> Iterator[Any]:
        """Let this program find the editor, until the test is over."""
        outcome: Any = []
        make, tell = self.answers.make, outcome.append
        self.application.runtime.use_disk(lambda cancelled: make(agent), then=tell, failed=tell)
        yield lambda: outcome
        self.assertEqual(outcome, [None])
        self.addCleanup(os.unlink, self.answers.file(agent))
        self.addCleanup(self.answers.forget, agent)  # first: it would be written again

    def connects(self, name: str, dialect: Dialect) -> ClientSession:
        """An agent that introduces itself so connects to the editor, until the test is over."""
        session = ClientSession(f"{name} {id(self)}", name, "1", "", 0.0)
        self.endpoint.agents.came(session, dialect)
        self.addCleanup(self.endpoint.agents.went, session)
        return session

    def start(self, event: str, agent: Agent = CLAUDE_CODE, **fields: Any) -> Any:
        """The process of a hook that has been told of this. No test has the session of another one."""
        payload: Dict[str, Any] = {"session_id": self.folder, "cwd": self.folder, "hook_event_name": event, **fields}
        hooks, tool, command = agent.hooks, fields.get("tool_name"), ""
        if hooks is not None:
            held = [each.matcher.split("|") for each in hooks.entries() if each.holds and each.event == event]
            holds = any(tool in tools for tools in held)
            command = hooks.command(self.answers.file(agent), event, Platform.current(), holds=holds)
        process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        if process.stdin is not None:
            process.stdin.write(json.dumps(payload).encode())
            process.stdin.close()
        return process

    def tell(self, event: str, agent: Agent = CLAUDE_CODE, **fields: Any) -> Iterator[Any]:
        """A hook as a program runs it. `yield from` gives what it says."""
        process = self.start(event, agent, **fields)
        yield lambda: process.poll() is not None
        self.assertEqual(process.returncode, 0)
        with process.stdout as said:
            return said.read()

    def status(self) -> str:
        return str(self.view.get_status("gemini_companion"))
