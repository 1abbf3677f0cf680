"""What an agent's hooks tell the editor, and what has to stand in the agent's settings for that.

A hook is a command line that the agent runs at an event, with a JSON object on its standard input, and whose output
it obeys. Ours is always `curl`, which hands both on; all that changes stands in a file of ours that it reads.

Rules: the literals of an agent stand in its own module, as an instance of `HookDialect`; the base class is the form of
Claude Code, which others have taken over. What is installed never changes once it is there, as Codex CLI trusts a hook
by its text and place. Only hooks of tools that write may be held: an editor that has died never keeps an agent from
reading. What makes no sense is None: then a hook that may be held is answered by `unread`, others with nothing. Pure.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from enum import Enum
from typing import Any, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..protocol.serving import HOOK_EVENT, HOOK_HELD, HOOK_PROCESS, HOOK_TERMINAL
from ..system.platform import WINDOWS, Platform
from .hook_proposals import WriteForm

HELD_SECONDS, END_SECONDS, SIGNAL_SECONDS = 86_400, 330, 5
LONGEST_PROMPT = 20_000  # characters of it that are looked at
TERMINAL_VARIABLE = "GEMINI_COMPANION_TERMINAL"
"""By which an agent in a terminal that the editor has started says in which one."""


class Happening(Enum):
    """What an event means."""

    PROMPT = "the user has sent a prompt: a turn begins"
    TURN_ENDED = "the agent has ended its part of a turn"
    SUBAGENT_BEGINS = "a subagent begins to work"
    SUBAGENT_ENDED = "a subagent has done its work"
    GOES_ON = "the agent asks its model once more, without a prompt of the user's"
    TOOL_BEGINS = "a tool is about to run"
    TOOL_ENDED = "a tool has run, or failed"
    WAITS = "the agent asks its user something"
    SESSION_ENDED = "the agent has ended, or has begun another session"
    OTHER = "the agent has begun, or tells what changes nothing"


OF_SUBAGENT = {Happening.PROMPT: Happening.SUBAGENT_BEGINS, Happening.TURN_ENDED: Happening.SUBAGENT_ENDED}
"""What an event means that a subagent tells of itself."""


class ToolKind(Enum):
    """What a tool can do to files."""

    WRITES = "writes the files that its arguments name"
    SHELL = "runs a command, which may do anything"
    OTHER = "anything else"


class Way(Enum):
    """How an agent that is about to write comes to be reviewed."""

    ALONE = "it goes its own way"
    ASKS = "it asks its user, who sees its own diff here"
    WAITS = "it waits until the user has decided here"
    BESIDE = "it asks its user, and hears beside its diff why not"
    FOLLOWS = "it was decided a moment ago"


class HookEvent(NamedTuple):
    """One event of an agent's session."""

    happening: Happening
    session: str
    folder: str
    """In which the agent works."""
    name: str
    """The agent's own name of the event."""
    prompt: str = ""
    """Its beginning, as the user has typed it."""
    tool: str = ""
    kind: ToolKind = ToolKind.OTHER
    call: str = ""
    """The call's id; where the agent has none, a digest of tool and arguments."""
    has_id: bool = False
    """Whether it has one."""
    paths: Tuple[str, ...] = ()
    """Of the files that a tool which writes is to write. Absolute."""
    arguments: Mapping[str, Any] = {}
    mode: str = ""
    """The agent's own name for when it asks; "" if it does not say."""
    process: Optional[int] = None
    """The agent's, if the hook could say it."""
    subagent: str = ""
    """Which subagent of the session it is of; "" if it is of none, or the agent does not tell them apart."""
    background: Optional[FrozenSet[str]] = None
    """Which subagents work on though the turn ends, if the agent says so."""

    def path(self, name: str) -> str:
        """The absolute path of a file that the call names, by its letters alone: `link/../a` is `a`."""
        return os.path.normpath(os.path.join(self.folder, name))


class HookEntry(NamedTuple):
    """One hook in an agent's settings. `matcher` is a pattern of tools, or "" for an event that is of none."""

    event: str
    matcher: str
    holds: bool
    """Whether the agent waits a day for the answer; else a few seconds, and it gets one at once."""


# What ends a string in single quotes in PowerShell, unless it is doubled.
_POWERSHELL_QUOTE = re.compile("['\u2018\u2019\u201a\u201b]")


class Shell(Enum):
    """What reads a command line: how a word is quoted in it, and what makes it succeed whatever happens."""

    POSIX = "sh"
    POWERSHELL = "powershell"
    CMD = "cmd"

    def quoted(self, word: str) -> str:
        """The word in quotes. A path of Windows holds no double quote."""
        if self is Shell.CMD:
            # A variable is put in for %NAME% between quotes, too. Outside of them the caret becomes part of the name,
            # which no variable has, and goes with the next step.
            return '"' + word.replace("%", '"^%"') + '"'
        if self is Shell.POWERSHELL:
            return "'" + _POWERSHELL_QUOTE.sub(r"\g<0>\g<0>", word) + "'"
        return "'" + word.replace("'", "'\\''") + "'"

    @property
    def succeed(self) -> str:
        """What is put behind the command."""
        return {Shell.POSIX: " || true", Shell.POWERSHELL: "; exit 0", Shell.CMD: " || ver >nul"}[self]


_NAME = {"type": "string", "minLength": 1, "maxLength": 4096}
_TEXT = {"type": "string"}


class HookDialect:
    """The hooks of one agent. This is Claude Code's form, with what differs in the attributes and methods below."""

    events: Mapping[str, Happening]
    """The events that we want to hear of, in the order in which they are installed."""
    permission_event = ""
    """The one by which it can be asked instead of the user, if it has one."""
    writes: WriteForm
    """The tools that write, and how each says what."""
    shell_tools: Tuple[str, ...]
    session_names: Tuple[str, ...] = ("session_id",)
    tool_names: Tuple[str, ...] = ("tool_name",)
    arguments_names: Tuple[str, ...] = ("tool_input",)
    call_names: Tuple[str, ...] = ("tool_use_id",)
    prompt_name = "prompt"
    subagent_name = "agent_id"
    """What the fields of its objects are called, and those that stand for one where it says another."""
    idle_notices: Tuple[str, ...] = ("idle_prompt", "auth_success")
    """Kinds of notifications that ask nothing."""
    units_per_second = 1
    """Of its time limits."""
    windows_shell = Shell.POSIX
    hides_failure = True
    """Whether the command succeeds although the editor has died: some agents take a failure for a refusal."""
    below_home: Tuple[str, ...] = ("settings.json",)
    """Where hooks are configured, below `Agent.configuration`."""
    is_own_file = False
    """Whether that file is ours alone."""
    other_members: Mapping[str, Any] = {}
    """What stands beside `hooks` in a file of ours."""
    manifest_below_home: Tuple[str, ...] = ()
    manifest: Mapping[str, Any] = {}
    """A second file of ours, without which the agent does not read the first one, if it needs that."""
    reads_while_running = False
    """Whether sessions that are running see a change of their settings."""
    trust_note = ""
    """What its user has to do before it runs a new hook, in a sentence."""
    names_event = True
    """Whether what it sends names the event; else the command does, as it does for each hook that may be held."""
    names_process = True
    """Whether the command can say which process has started its shell, and in which terminal of the editor that is."""

    @property
    def schema(self) -> Dict[str, Any]:
        """Of what it sends. Other fields are looked at one by one: a newer release may send anything."""
        names = dict.fromkeys((*self.session_names, "cwd"), _NAME)
        return {"type": "object", "required": ["cwd"], "properties": {**names, **dict.fromkeys(self.tool_names, _TEXT)}}

    # -- what is installed --------------------------------------------------------------------------------------------

    def entries(self) -> Sequence[HookEntry]:
        """All that is installed, in its order, which never changes."""
        writing, shell = "|".join(self.writes.tools), "|".join(self.shell_tools)
        found: List[HookEntry] = []
        for event, happening in self.events.items():
            if happening is Happening.TOOL_BEGINS or event == self.permission_event:
                found += [HookEntry(event, writing, True), HookEntry(event, shell, False)]
            elif happening is Happening.TOOL_ENDED:
                found.append(HookEntry(event, f"{writing}|{shell}", False))
            else:
                found.append(HookEntry(event, "", False))
        return found

    def command(self, file: str, event: str, platform: Platform, *, holds: bool = False) -> str:
        """The command line of a hook, for the shell that reads it. `file` is the path of what `curl` reads; `holds`
        is as in a `HookEntry`."""
        shell = self.windows_shell if platform.name == WINDOWS else Shell.POSIX
        return self._line(file, event, holds, platform, shell)

    def _line(self, file: str, event: str, holds: bool, platform: Platform, shell: Shell) -> str:
        is_windows = platform.name == WINDOWS
        # The user's own settings of curl could add to the output, which the agent would then not understand (-q).
        words = ["curl.exe" if is_windows else "curl", "-q", "-sS", "-K"]
        words.append(shell.quoted(file.replace("\\", "/") if is_windows else file))
        if self.names_process and shell is Shell.POSIX and not is_windows:
            words += ["-H", f'"{HOOK_PROCESS}: $PPID"', "-H", f'"{HOOK_TERMINAL}: ${TERMINAL_VARIABLE}"']
        if holds or not self.names_event:
            words += ["-H", shell.quoted(f"{HOOK_HELD if holds else HOOK_EVENT}: {event}")]
        words += ["--data-binary", shell.quoted("@-") if shell is Shell.POWERSHELL else "@-"]
        return " ".join(words) + (shell.succeed if self.hides_failure else "")

    def seconds(self, entry: HookEntry) -> int:
        """The time limit of a hook, in the agent's unit."""
        signal = END_SECONDS if entry.event == self.end_event and self.holds_end else SIGNAL_SECONDS
        return (HELD_SECONDS if entry.holds else signal) * self.units_per_second

    def definition(self, entry: HookEntry, file: str, platform: Platform) -> Dict[str, Any]:
        """A hook as it stands in the list of its event, in the object `hooks` of the file."""
        command = self.command(file, entry.event, platform, holds=entry.holds)
        hook = {"type": "command", "command": command, "timeout": self.seconds(entry)}
        return {**({"matcher": entry.matcher} if entry.matcher else {}), "hooks": [hook]}

    # -- what it tells ------------------------------------------------------------------------------------------------

    def read(self, payload: Any, event: str = "", process: Optional[int] = None) -> Optional[HookEvent]:
        """What it sends, once it fits the schema. `event` and `process` are what its command says. None for what makes
        no sense, or says nothing."""
        name = event or _text(payload, "hook_event_name")
        session, folder, tool = (_text(payload, *each) for each in (self.session_names, ("cwd",), self.tool_names))
        happening = self.events.get(name)
        if happening is None or not session or not os.path.isabs(folder):
            return None
        subagent = _text(payload, self.subagent_name)
        if subagent:
            happening = OF_SUBAGENT.get(happening, happening)
        elif happening in OF_SUBAGENT.values():
            return None
        if happening is Happening.WAITS and _text(payload, "notification_type") in self.idle_notices:
            return None
        mode = _text(payload, "permission_mode")
        read = HookEvent(happening, session, folder, name, mode=mode, process=process, subagent=subagent)
        if happening is Happening.TURN_ENDED:
            return read._replace(background=self._background(payload))
        if happening is Happening.PROMPT:
            return read._replace(prompt=_text(payload, self.prompt_name)[:LONGEST_PROMPT])
        if not tool:
            return None if happening in (Happening.TOOL_BEGINS, Happening.TOOL_ENDED) else read
        kind, arguments, call = self.kind(tool), self._arguments(payload), _text(payload, *self.call_names)
        return read._replace(
            tool=tool,
            kind=kind,
            call=call or _digest(tool, arguments),
            has_id=bool(call),
            paths=tuple(map(read.path, self.writes.paths(tool, arguments))),
            arguments=arguments,
        )

    def _background(self, payload: Mapping[str, Any]) -> Optional[FrozenSet[str]]:
        """The subagents that work on though the turn ends; None if it does not say."""
        return None

    def _arguments(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Those of the tool."""
        found = next((payload[name] for name in self.arguments_names if name in payload), None)
        return found if isinstance(found, dict) else {}

    def kind(self, tool: str) -> ToolKind:
        """What the tool of this name can do."""
        if tool in self.writes.tools:
            return ToolKind.WRITES
        return ToolKind.SHELL if tool in self.shell_tools else ToolKind.OTHER

    # -- what it is answered ------------------------------------------------------------------------------------------

    patience_seconds = HELD_SECONDS - 60.0
    """How long the agent waits; once its own limit is reached, it writes."""
    can_ask = True
    """Whether it can be told to ask its user."""
    asks_when_late = False
    """Whether the companion then has it ask its user, and does not refuse."""
    edits_by: Tuple[str, ...] = ("PreToolUse",)
    """The events that take changed arguments."""
    asking_modes: Tuple[str, ...] = ("default", "plan")
    """Those in which it asks its user before it writes."""
    may_be_gone_after_seconds = 0.0
    """After so long it may have gone on without an answer, and tells nothing of that; 0: it tells, or it does not."""
    may_be_gone = "{} may have gone on without this: it tells nothing of that. Reject frees it."
    """What is said then, of the agent of this name."""

    def way(self, event: HookEvent, connected: bool) -> Way:
        """How the user comes to review what a tool is about to write, if every write is to be reviewed. `connected`:
        the agent's own diffs come here."""
        raise NotImplementedError

    def nothing(self) -> Dict[str, Any]:
        """The answer that lets the agent go on as if there were no hook."""
        return {}

    def ask(self, event: HookEvent) -> Dict[str, Any]:
        """The one that makes it ask its user, if one does."""
        return self._decision(event, "ask", "The user is asked before anything is written.")

    def unread(self, name: str, reason: str) -> Dict[str, Any]:
        """The answer to a hook of the event `name` that may be held, and of which no more is known: its user is asked,
        or it is refused. `reason` is a sentence for both."""
        if name not in self.events:
            return self.nothing()
        event = HookEvent(self.events[name], "", "", name)
        is_question = name == self.permission_event  # which its user is asked anyway
        return self._decision(event, "ask" if self.can_ask or is_question else "deny", reason)

    def deny(self, event: HookEvent, reason: str) -> Dict[str, Any]:
        """The one that refuses, and whose reason its model reads."""
        return self._decision(event, "deny", reason)

    def allow(self, event: HookEvent, arguments: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """The one that lets the tool run, with these arguments if there are any: it is given only for what the user
        has accepted."""
        return self._decision(event, "allow", "", arguments)

    def _decision(
        self, event: HookEvent, decision: str, reason: str, arguments: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        changed = {} if arguments is None else {"updatedInput": dict(arguments)}
        if event.name != self.permission_event:
            told: Dict[str, Any] = {"permissionDecision": decision, **changed}
            if reason:
                told["permissionDecisionReason"] = reason
        elif decision == "ask":
            return self.nothing()  # it does so by itself
        else:
            message = {"message": reason} if reason else {}
            told = {"decision": {"behavior": decision, **message, **changed}}
        return {"hookSpecificOutput": {"hookEventName": event.name, **told}}

    # -- what its user says to it meanwhile ----------------------------------------------------------------------------

    text_events: Tuple[str, ...] = ("UserPromptSubmit", "PostToolUse")
    """The events whose answer may hold a text for its model."""
    end_event = "Stop"
    """The one whose answer makes it go on instead of ending its turn."""
    holds_end = True
    """Whether it waits `END_SECONDS` for that answer."""

    def with_text(self, event: HookEvent, text: str) -> Optional[Dict[str, Any]]:
        """The answer that lets the agent go on, and gives its model a text of the user; None if there is none."""
        if event.subagent:
            return None
        if event.name == self.end_event:
            return self._going_on(text)
        return self._adding(event, text) if event.name in self.text_events else None

    def _going_on(self, text: str) -> Dict[str, Any]:
        return {"decision": "block", "reason": text}

    def _adding(self, event: HookEvent, text: str) -> Dict[str, Any]:
        return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}

    def queue_words(self, session: str, text: str) -> Tuple[str, ...]:
        """What stands behind the agent's command to send a text to a session that waits for a prompt; none if it has
        no such command."""
        return ()

    def is_same(self, event: HookEvent, accepted: HookEvent) -> bool:
        """Whether a question is about what the user has accepted, with the arguments that the agent has got."""
        return event.tool == accepted.tool and event.arguments == accepted.arguments


def _text(payload: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that is a text and not empty."""
    values = (payload.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def _digest(tool: str, arguments: Mapping[str, Any]) -> str:
    said = json.dumps([tool, arguments], sort_keys=True)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]
