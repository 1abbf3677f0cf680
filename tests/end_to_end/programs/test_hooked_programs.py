"""The real programs with our hooks, each in a terminal beside an editor, with a stub for its model."""

from __future__ import annotations

import platform
import sys
import threading

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.codex_cli import CodexCli
from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.model_stub import CallTool, Later, Say
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.program import IDE_MODE, write_settings
from tests.clients.programs.qwen_code import SETTINGS, QwenCode
from tests.clients.programs.responses_api import ResponsesApi
from tests.end_to_end.programs.hooked import DOING, PROMPT, HookedJourneys, Kind, at_work

pytestmark = pytest.mark.everything  # test_reviewed_writes.py has the journeys of every run


JUDGED = CallTool("respond_in_schema", {"shouldBlock": False})
"""Qwen Code asks the model whether that may be run."""


class HasSubagents(Kind):
    #: How often its model is asked once a subagent has ended, and whether that works beside it.
    after_subagent, subagent_is_beside = 0, True

    def subagent(self):
        """The steps by which it begins a subagent."""
        raise NotImplementedError


class Gemini(Kind):
    title, command, model = "Gemini CLI", "gemini", GeminiApi

    def start(self, host, workspace, model):
        return GeminiCli(host, workspace, model, options=["--approval-mode", "yolo"])

    def edit(self, path, old, new):
        return [CallTool("replace", {"file_path": path, "old_string": old, "new_string": new, "instruction": "-"})]

    def create(self, path, content):
        return [CallTool("write_file", {"file_path": path, "content": content})]

    def shell(self, command, folder):
        return [CallTool("run_shell_command", {"command": command, "dir_path": folder, "description": "-"})]


class Qwen(HasSubagents):
    title, command, model = "Qwen Code", "qwen", OpenAiApi

    def settle(self, host):
        write_settings(host, ".qwen", dict(SETTINGS, tools={}, ide=IDE_MODE))

    def start(self, host, workspace, model):
        return QwenCode(host, workspace, model, own_mode=True)

    def edit(self, path, old, new):
        change = {"file_path": path, "old_string": old, "new_string": new}
        return [CallTool("read_file", {"file_path": path}), CallTool("edit", change)]

    def create(self, path, content):
        return [CallTool("write_file", {"file_path": path, "content": content})]

    def shell(self, command, folder):
        call = {"command": command, "directory": folder, "is_background": False}
        return [CallTool("run_shell_command", call), JUDGED]

    after_subagent = 1  # it hears of the end of its subagent

    def subagent(self):
        task = {"description": "-", "prompt": "write it", "subagent_type": "general-purpose", "run_in_background": True}
        return [CallTool("agent", task), JUDGED]


class Codex(HasSubagents):
    title, command, model = "Codex CLI", "codex", ResponsesApi

    def start(self, host, workspace, model):
        return CodexCli.with_hooks(host, workspace, model)

    def edit(self, path, old, new):
        return _patch(f"*** Update File: {path}\n@@\n-{old}\n+{new}\n")

    def create(self, path, content):
        return _patch(f"*** Add File: {path}\n" + "".join(f"+{line}\n" for line in content.splitlines()))

    def shell(self, command, folder):
        return [CallTool("exec_command", {"cmd": command, "workdir": folder})]

    def subagent(self):
        task = {"message": "write it", "task_name": "writer", "fork_turns": "none"}
        return [CallTool("collaboration.spawn_agent", task)]


def _patch(text):
    return [CallTool("apply_patch", {"input": f"*** Begin Patch\n{text}*** End Patch\n"})]


class Copilot(HasSubagents):
    title, command, model = "Copilot CLI", "copilot", OpenAiApi

    def start(self, host, workspace, model):
        return CopilotCli(host, workspace, model, options=["--allow-all-tools"])

    def edit(self, path, old, new):
        return [CallTool("edit", {"path": path, "old_str": old, "new_str": new})]

    def create(self, path, content):
        return [CallTool("create", {"path": path, "file_text": content})]

    def shell(self, command, folder):
        return [CallTool("bash", {"command": f"cd '{folder}' && {command}", "description": "-"})]

    subagent_is_beside = False

    def subagent(self):
        task = {"description": "-", "prompt": "write it", "agent_type": "general-purpose", "name": "writer"}
        return [CallTool("task", task)]


KINDS = (Gemini(), Qwen(), Codex(), Copilot())  # the first one does not tell its subagents apart
_SESSIONS = '__import__("sys").modules["Gemini Companion.plugin"].application._endpoints.hook_sessions'
SESSIONS, LAST = f"len({_SESSIONS}._sessions)", f"next(name for name, _ in {_SESSIONS}.last.values())"


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.title)
def hooked(request, tmp_path_factory):
    """The program, connected by the user before its start."""
    with at_work(request.param, str(tmp_path_factory.mktemp("hooked"))) as hooked:
        yield hooked


class TestHooked(HookedJourneys):
    @pytest.mark.parametrize("hooked", KINDS[1:], ids=lambda kind: kind.title, indirect=True)
    def test_it_is_done_once_its_subagent_is(self, hooked):
        desktop, kind, model = hooked.desktop, hooked.kind, hooked.model
        begin, thought = kind.subagent(), threading.Event()
        path = desktop.path("of_subagent.txt")
        first, *others = kind.create(path, "new\n")
        model.script_aside(PROMPT, Later(thought, first), *others, Say("The subagent is done."))
        asked = len(model.turns) + len(begin) + 1 + kind.subagent_is_beside
        hooked.work(begin)
        model.script(*[Say("The subagent was heard.")] * kind.after_subagent)
        desktop.host.wait_until(lambda: len(model.turns) >= asked)
        if kind.subagent_is_beside:
            hooked.wait_done()
            desktop.host.wait_until(lambda: desktop.host.evaluate(LAST) in ("Stop", "SubagentStart"))
        assert "is done" not in desktop.window()["status_bar"]
        assert desktop.host.evaluate(SESSIONS) == 1
        thought.set()
        desktop.wait_status(f"{kind.title} is done")
        hooked.wait_done()
        assert desktop.read("of_subagent.txt") == b"new\n"
        assert hooked.listed_of_it() == {"of_subagent.txt": "+1 \u22120, new, " + DOING.format(kind.title)}
        desktop.run("Keep All Changes")
