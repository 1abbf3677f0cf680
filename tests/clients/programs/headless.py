"""Real programs without a terminal and an editor: one start, in which a stub for the model has them make many calls.

    for written in make_calls(HEADLESS["qwen"], folder, changes):
        print(written.change, written.told, written.after)

They ask nobody. A hook of theirs keeps what they tell of each call: some change what their model has said before.
"""

from __future__ import annotations

import json
import os
import subprocess
from itertools import islice
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Type

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.hook_proposals import WriteForm
from companion.agents.qwen_code import QWEN_CODE
from tests.clients.programs import claude_code, copilot_cli, gemini_cli, qwen_code
from tests.clients.programs.anthropic_api import AnthropicApi
from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.model_stub import CallTool, CallTools, ModelStub, Say
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.program import base_environment
from tests.host.waiting import NEVER_SECONDS
from tests.support.changes import Change

CLAUDE, GEMINI, QWEN, COPILOT = (
    agent.hooks.writes for agent in (CLAUDE_CODE, GEMINI_CLI, QWEN_CODE, COPILOT_CLI) if agent.hooks is not None
)
AT_ONCE = 40  # calls in a turn


class Written(NamedTuple):
    """What has become of it."""

    change: Change
    told: Optional[CallTool]
    """What the program's hook has told of the call; None: it has refused it before."""
    after: Optional[str]
    """What the file holds then."""


class Kind(NamedTuple):
    """A program: how it is started with a prompt alone, and where its hooks stand."""

    writes: WriteForm
    model: Type[ModelStub]
    start: Callable[[str, ModelStub], List[str]]
    """Writes its settings into this home, and returns the command line."""
    variables: Callable[[ModelStub], Dict[str, str]]
    reads: Optional[str] = None
    """The tool by which it has to read a file before it changes it."""
    others: Mapping[str, str] = {}
    """Arguments that each edit has to have."""


def make_calls(kind: Kind, folder: str, changes: Sequence[Change]) -> List[Written]:
    """Start the program, and have it make all of these changes, each of a file of its own. Raises SetupError."""
    paths = laid_out(folder, [change.before for change in changes])
    calls: List[CallTool] = []
    for path, change in zip(paths, changes):
        call = change.call(kind.writes, path)
        calls.append(call if change.old is None else call._replace(arguments={**call.arguments, **kind.others}))
    told = {call.arguments[kind.writes.tools[call.name].path]: call for call in told_of(kind, folder, calls, paths)}
    return [Written(change, told.get(path), held(path)) for path, change in zip(paths, changes)]


def laid_out(folder: str, texts: Sequence[Optional[str]]) -> List[str]:
    """The paths of new files with these texts, in a workspace below the folder."""
    workspace = os.path.join(folder, "workspace")
    os.makedirs(workspace)
    paths = [os.path.join(workspace, f"{number}.txt") for number in range(len(texts))]
    for path, text in zip(paths, texts):
        if text is not None:
            with open(path, "wb") as file:
                file.write(text.encode("utf-8"))
    return paths


def told_of(kind: Kind, folder: str, calls: Sequence[CallTool], paths: Sequence[str] = ()) -> List[CallTool]:
    """Start the program, and have it make these calls, before which it reads these files if it has to. What its hook
    told of them. Raises SetupError."""
    home, workspace = os.path.join(folder, "home"), os.path.join(folder, "workspace")
    os.mkdir(home)
    reading = [CallTool(kind.reads, {"file_path": path}) for path in paths if kind.reads and os.path.exists(path)]
    with kind.model() as model:
        model.script(*_turns(reading), *_turns(calls), Say("All is done."), Say("All is done."))
        command = kind.start(home, model)
        variables = {**base_environment({"PATH": os.environ["PATH"], "HOME": home}), **kind.variables(model)}
        subprocess.run(
            command, cwd=workspace, env=variables, stdin=-3, stdout=-1, stderr=-2, check=True, timeout=NEVER_SECONDS
        )
        assert len(model.turns) > len(_turns(reading)) + len(_turns(calls)), "it has ended before"
    return list(_told(home))


def _turns(calls: Sequence[CallTool]) -> List[CallTools]:
    pieces = iter(calls)
    return [CallTools(piece) for piece in iter(lambda: list(islice(pieces, AT_ONCE)), [])]


def _told(home: str) -> Iterator[CallTool]:
    """What the hook has kept."""
    with open(os.path.join(home, "told"), encoding="utf-8") as file:
        text = file.read().strip()
    while text:
        said, end = json.JSONDecoder().raw_decode(text)
        text = text[end:].lstrip()
        arguments = said.get("tool_input") or said.get("toolArgs")
        if isinstance(arguments, str):
            arguments = json.loads(arguments) if arguments.startswith("{") else {"input": arguments}
        yield CallTool(said.get("tool_name") or said["toolName"], arguments)


def held(path: str) -> Optional[str]:
    """What a file holds, None if there is none."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read().decode("utf-8")


def _write(home: str, name: str, settings: Mapping[str, Any]) -> None:
    path = os.path.join(home, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(settings, file)


def _keeping(home: str) -> str:
    """The command of a hook that keeps all that it receives."""
    return f"cat >> '{home}/told'"


def _hook(home: str, writes: WriteForm) -> Dict[str, Any]:
    return {"matcher": "|".join(writes.tools), "hooks": [{"type": "command", "command": _keeping(home)}]}


def _gemini(home: str, model: ModelStub) -> List[str]:
    hooks = {"BeforeTool": [_hook(home, GEMINI)]}
    _write(home, ".gemini/settings.json", {**gemini_cli.SETTINGS, "hooks": hooks})
    return [*gemini_cli.program(), "--approval-mode", "yolo", "-p", "go"]


def _qwen(home: str, model: ModelStub) -> List[str]:
    more = {"model": {"maxToolCallsPerTurn": 0}, "hooks": {"PreToolUse": [_hook(home, QWEN)]}}
    _write(home, ".qwen/settings.json", {**qwen_code.SETTINGS, **more})
    return [*qwen_code.program(), "--approval-mode", "yolo", "-p", "go"]


def _copilot(home: str, model: ModelStub) -> List[str]:
    entry = {"type": "command", "bash": _keeping(home)}
    _write(home, ".copilot/hooks/keeps.json", {"version": 1, "hooks": {"preToolUse": [entry]}})
    return [copilot_cli.program(), "--allow-all-tools", "-p", "go"]


def _with_gpt(model: ModelStub) -> Dict[str, str]:
    """It takes patches from some models."""
    return {**copilot_cli.variables(model), "COPILOT_MODEL": "gpt-5.2-codex"}


def _claude(home: str, model: ModelStub) -> List[str]:
    hooks = {"PreToolUse": [_hook(home, CLAUDE)]}
    _write(home, ".claude/settings.json", {"hooks": hooks})
    return [claude_code.program(), "--permission-mode", "acceptEdits", "-p", "go"]


#: By the key of its agent; Copilot CLI with another model as well.
HEADLESS: Mapping[str, Kind] = {
    "gemini": Kind(GEMINI, GeminiApi, _gemini, gemini_cli.variables, others={"instruction": "-"}),
    "qwen": Kind(QWEN, OpenAiApi, _qwen, qwen_code.variables, reads="read_file"),
    "copilot": Kind(COPILOT, OpenAiApi, _copilot, copilot_cli.variables),
    "copilot-gpt": Kind(COPILOT, OpenAiApi, _copilot, _with_gpt),
    "claude": Kind(CLAUDE, AnthropicApi, _claude, claude_code.variables, reads="Read"),
}
