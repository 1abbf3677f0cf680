"""Codex CLI: where it asks for the context, and the messages with which it does.

Rule: all that is special to it stands here. It announces nothing and is announced nothing: once the user has typed
`/ide`, it asks with every prompt, each time on a new connection, at a socket of which there is one for each user.
Measured with release 0.169.0.
"""

from __future__ import annotations

import re
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from ..system.platform import WINDOWS, Platform
from .agent import EDITOR_NAME, Agent, Place, Profile, SharedSocket
from .claude_code import ClaudeHooks
from .dialect import ClientNotice, ContextOf, Dialect, Transport, position
from .hook_proposals import WriteForm, WriteTool
from .hooks import Happening, HookEvent, Shell, Way
from .window import SharedContext

CONTEXT_METHOD, CONTEXT_VERSION = "ide-context", 0
NO_WINDOW = "no-client-found"  # the agent says: open this project in an editor
NOT_SERVED = "no-handler-for-request"


class CodexDialect(Dialect):
    """Requests and responses in JSON. There are no tools, and nothing is sent unasked."""

    key = "codex"
    transport = Transport.FRAMES_ON_SHARED_SOCKET
    tools = ()
    trial = {"type": "client-discovery-request", "requestId": "trial", "request": {"method": CONTEXT_METHOD}}

    def messages(self, context: SharedContext) -> Sequence[ClientNotice]:
        return ()

    async def reply(self, message: Mapping[str, Any], context_of: ContextOf) -> Optional[Dict[str, Any]]:
        if message.get("type") == "client-discovery-request":
            can = _asks_for_context(message.get("request"))
            answer = {"type": "client-discovery-response", "response": {"canHandle": can}}
            return {**answer, "requestId": message.get("requestId")}
        if message.get("type") != "request":
            return None
        if message.get("method") == "initialize":  # comes first on the older socket
            return _success(message, {"clientId": EDITOR_NAME})
        if not _asks_for_context(message):
            return _failure(message, NOT_SERVED)
        params = message.get("params")
        root = params.get("workspaceRoot") if isinstance(params, Mapping) else None
        root = root if isinstance(root, str) else ""
        context = await context_of(root, str(message.get("sourceClientId", "")))
        return _failure(message, NO_WINDOW) if context is None else _success(message, ide_context(context, root))


def _asks_for_context(message: Any) -> bool:
    return (
        isinstance(message, Mapping)
        and message.get("method") == CONTEXT_METHOD
        and message.get("version", CONTEXT_VERSION) == CONTEXT_VERSION
    )


def _success(message: Mapping[str, Any], result: Dict[str, Any]) -> Dict[str, Any]:
    return {**_response(message), "resultType": "success", "result": result}


def _failure(message: Mapping[str, Any], error: str) -> Dict[str, Any]:
    return {**_response(message), "resultType": "error", "error": error}


def _response(message: Mapping[str, Any]) -> Dict[str, Any]:
    return {
        "type": "response",
        "requestId": message.get("requestId"),
        "method": message.get("method"),
        "handledByClientId": EDITOR_NAME,
    }


def ide_context(context: SharedContext, root: str) -> Dict[str, Any]:
    """The context in the agent's words. Its model reads paths below `root`, its folder, as relative ones."""
    files: List[Dict[str, Any]] = context.ide_context.get("workspaceState", {}).get("openFiles", [])
    told: Dict[str, Any] = {"openTabs": [_file(file["path"], root) for file in files]}
    active = context.active
    if active is not None:
        told["activeFile"] = {
            **_file(active.path, root),
            "selection": {"start": position(active.start), "end": position(active.end)},
            "activeSelectionContent": next((file["selectedText"] for file in files if "selectedText" in file), ""),
            "selections": [{"start": position(start), "end": position(end)} for start, end in active.selections],
        }
    return {"ideContext": told}


def _file(path: str, root: str) -> Dict[str, str]:
    separator = "\\" if "\\" in root else "/"
    inside = root.rstrip(separator) + separator
    relative = path[len(inside) :] if root and path.startswith(inside) else path
    return {"label": re.split(r"[/\\]" if separator == "\\" else "/", path)[-1], "path": relative, "fsPath": path}


CODEX = CodexDialect()


class CodexHooks(ClaudeHooks):
    """Each is trusted by its text and its place in the list. The user's own shell runs it, which may know neither `||`
    nor `$PPID`; one that fails is shown, and blocks nothing. A failed command tells of its end, too."""

    events = {
        "UserPromptSubmit": Happening.PROMPT,
        "PreToolUse": Happening.TOOL_BEGINS,
        "PermissionRequest": Happening.WAITS,
        "PostToolUse": Happening.TOOL_ENDED,
        "Stop": Happening.TURN_ENDED,
        "Interrupt": Happening.TURN_ENDED,
        "SessionEnd": Happening.SESSION_ENDED,
        "SubagentStart": Happening.SUBAGENT_BEGINS,
        "SubagentStop": Happening.SUBAGENT_ENDED,
    }
    writes = WriteForm({"apply_patch": WriteTool(patch="command")})
    windows_shell = Shell.CMD
    hides_failure = names_process = reads_while_running = False
    below_home = ("hooks.json",)
    trust_note = "It runs no hook that you have not trusted: press 2 if it asks, else type /hooks and press t."
    can_ask = False
    may_be_gone_after_seconds = 30.0
    may_be_gone = "The model of {} may have gone on meanwhile, and not read why you reject. Nothing is written before."

    def way(self, event: HookEvent, connected: bool) -> Way:
        return Way.FOLLOWS if event.name == self.permission_event else Way.WAITS

    def _going_on(self, text: str) -> Dict[str, Any]:
        return {"decision": "block", "reason": text}  # other answers it does not take

    def queue_words(self, session: str, text: str) -> Tuple[str, ...]:
        return "queue", "--thread", session, "--message", text

    def _background(self, payload: Mapping[str, Any]) -> Optional[FrozenSet[str]]:
        """Who interrupts it is not told whom else that has stopped: those who go on will tell."""
        return frozenset() if payload.get("hook_event_name") == "Interrupt" else None

    def _decision(
        self, event: HookEvent, decision: str, reason: str, arguments: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        """Before a tool it takes no question, and no leave without arguments: its own rules hold then."""
        is_question = event.name == self.permission_event
        if decision == "ask" or (decision == "allow" and arguments is None and not is_question):
            return self.nothing()
        return super()._decision(event, decision, reason, arguments)

    def is_same(self, event: HookEvent, accepted: HookEvent) -> bool:
        patch = self.writes.tools[accepted.tool].patch
        return event.tool == accepted.tool and event.arguments.get(patch) == accepted.arguments.get(patch)


class CodexCli(Agent):
    """Asks at `~/.codex/ipc/ipc.sock`, or below `CODEX_HOME`, and without an answer where earlier releases did."""

    key = "codex"
    title = "Codex CLI"
    dialect = CODEX
    client_names = ("codex-tui",)
    program = "codex"
    npm_package = "@openai/codex"
    node = 16
    can_be_told_which = False
    profile = Profile(
        "`/ide`",
        works="context, once you have typed `/ide`",
        cannot="show diffs: it asks in the terminal; use two editors at once",
        link="https://github.com/openai/codex",
    )
    home_variable, usual_home = "CODEX_HOME", ".codex"
    hooks = CodexHooks()

    def place(self, platform: Platform) -> Place:
        return Place(self.home(platform), ("ipc",), False)

    def shared_sockets(self, platform: Platform) -> Sequence[SharedSocket]:
        if platform.name == WINDOWS:
            return (SharedSocket(None, r"\\.\pipe\codex-ipc"),)
        older = Place(platform.temporary_directory(), ("codex-ipc",), True)
        return (SharedSocket(self.place(platform), "ipc.sock"), SharedSocket(older, f"ipc-{platform.user_id}.sock"))


CODEX_CLI = CodexCli()
