"""The real programs with our hooks, each in a terminal beside an editor, with a stub for its model."""

from __future__ import annotations

import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.codex_cli import CodexCli
from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.model_stub import CallTool
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.program import IDE_MODE, write_settings
from tests.clients.programs.qwen_code import SETTINGS, QwenCode
from tests.clients.programs.responses_api import ResponsesApi
from tests.end_to_end.programs.hooked import HookedJourneys, Kind, at_work

pytestmark = pytest.mark.everything  # test_reviewed_writes.py has the journeys of every run


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


class Qwen(Kind):
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
        judged = CallTool("respond_in_schema", {"shouldBlock": False})  # it asks the model whether that may be run
        return [CallTool("run_shell_command", call), judged]


class Codex(Kind):
    title, command, model = "Codex CLI", "codex", ResponsesApi

    def start(self, host, workspace, model):
        return CodexCli.with_hooks(host, workspace, model)

    def edit(self, path, old, new):
        return _patch(f"*** Update File: {path}\n@@\n-{old}\n+{new}\n")

    def create(self, path, content):
        return _patch(f"*** Add File: {path}\n" + "".join(f"+{line}\n" for line in content.splitlines()))

    def shell(self, command, folder):
        return [CallTool("exec_command", {"cmd": command, "workdir": folder})]


def _patch(text):
    return [CallTool("apply_patch", {"input": f"*** Begin Patch\n{text}*** End Patch\n"})]


class Copilot(Kind):
    title, command, model = "Copilot CLI", "copilot", OpenAiApi

    def start(self, host, workspace, model):
        return CopilotCli(host, workspace, model, options=["--allow-all-tools"])

    def edit(self, path, old, new):
        return [CallTool("edit", {"path": path, "old_str": old, "new_str": new})]

    def create(self, path, content):
        return [CallTool("create", {"path": path, "file_text": content})]

    def shell(self, command, folder):
        return [CallTool("bash", {"command": f"cd '{folder}' && {command}", "description": "-"})]


@pytest.fixture(scope="module", params=[Gemini(), Qwen(), Codex(), Copilot()], ids=lambda kind: kind.title)
def hooked(request, tmp_path_factory):
    """The program, connected by the user before its start."""
    with at_work(request.param, str(tmp_path_factory.mktemp("hooked"))) as hooked:
        yield hooked


class TestHooked(HookedJourneys):
    pass
