"""What a report holds: checks with their outcomes, facts, and how all that reads.

Rules: pure. A check that failed says what to do about it. "ok" stands only before what was checked and is so. The home
directory is written as `~`, and known secrets are removed wherever they might appear. Hidden characters of names are
made visible.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum
from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..commands import COMMANDS
from ..common.display_names import shown
from ..protocol.serving import Address

TITLE = "Companion: Diagnose"
NOTE = "This report holds no token, selected text or file content: you can paste it into a bug report."
WAITING = "…"
LOG = "See “Show Log”. If it happens again, please report it and include this page."
DISABLED = "disabled by the setting “programs”"
RESTART = "Follow “Restart Server”."
LINKS = {
    f"“{COMMANDS[name].caption}”": name
    for name in ("show_log", "toggle_log_details", "restart_server", "disconnect_agents")
}
"""The commands of the package that the words of a report lead to: their names by the words."""


# -- checks -----------------------------------------------------------------------------------------------------------


class CheckOutcome(Enum):
    """The outcome of a check, as the report shows it."""

    OK = "ok"
    FAILED = "FAILED"
    NOTE = "note"
    """Nothing was checked, but there is something to say."""
    NOT_TRIED = "not tried"
    """Not tried, because something that it needs is missing."""


class Check(NamedTuple):
    """`name` says what should be the case, `detail` what was found, `advice` what to do; empty unless it failed."""

    name: str
    outcome: CheckOutcome
    detail: str = ""
    advice: str = ""


def passed(name: str, detail: str = "") -> Check:
    """A check that passed."""
    return Check(name, CheckOutcome.OK, detail)


def failed(name: str, detail: str, advice: str) -> Check:
    """A check that failed. `advice` is a sentence: what the user can do."""
    return Check(name, CheckOutcome.FAILED, detail, advice)


def noted(name: str, detail: str) -> Check:
    """Something to know where there was nothing to check."""
    return Check(name, CheckOutcome.NOTE, detail)


def not_tried(name: str, reason: str) -> Check:
    """A check that would fail for a reason that the report gives already."""
    return Check(name, CheckOutcome.NOT_TRIED, reason)


def too_slow(name: str, seconds: float) -> Check:
    """A check that had no answer after so many `seconds`."""
    advice = "A slow disk, a slow start-up file of the shell, or a busy machine may hold it up. Try once more."
    return failed(name, f"no answer within {seconds:g} seconds", advice)


# -- facts ------------------------------------------------------------------------------------------------------------


class WindowFacts(NamedTuple):
    """One window's endpoint. `title` names it in sentences; `all_ports` are those of this editor's windows."""

    title: str
    is_this: bool  # the one in which the report is shown
    port: Optional[int]
    problem: Optional[str]
    folders: Tuple[str, ...]
    published_for: Tuple[str, ...]  # keys of agents
    sharing: bool
    clients: Tuple[str, ...]  # each in words
    all_ports: Tuple[int, ...]
    addresses: Mapping[str, Address] = {}
    """Where its servers listen, by the key of their dialect. `port` is that of the first."""

    def address(self, agent: Agent) -> Address:
        """Where this agent would find it; both parts empty if it is not served."""
        return self.addresses.get(agent.dialect.key, Address())


class Facts(NamedTuple):
    """The facts that need no check. None of them is secret. The window of the report comes first."""

    time: str
    versions: Tuple[Tuple[str, str], ...]
    windows: Tuple[WindowFacts, ...]
    active_file: Optional[str]
    problems: Tuple[str, ...]
    hooks: Tuple[str, ...] = ()
    """The state of the hooks, in words."""


# -- the report -------------------------------------------------------------------------------------------------------


def render(
    facts: Facts,
    checks: Mapping[str, Optional[Sequence[Check]]],
    files: Sequence[str],
    home: str,
    secrets: Sequence[str] = (),
) -> str:
    """The whole report, as Markdown. `checks` are by topic, in order; None: still under way. `files` are in words."""
    done = [check for found in checks.values() for check in found or ()]
    lines = ["# " + TITLE, "", facts.time, NOTE, "", summary(done, None in checks.values()), ""]
    lines += ["From here: " + ", ".join(LINKS), "", "## Checks", ""]
    for topic, found in checks.items():
        lines += [f"- {WAITING} {topic}"] if found is None else [line for check in found for line in _lines(check)]
    lines += ["", "## Versions", "", *("- {}: {}".format(*entry) for entry in facts.versions)]
    for window in facts.windows:
        lines += ["", f"## {window.title[:1].upper()}{window.title[1:]}", "", *_window_lines(window)]
    lines += ["", "## Discovery files", "", *([f"- {file}" for file in files] or [WAITING])]
    if facts.hooks:
        lines += ["", "## Hooks", "", *(f"- {hook}" for hook in facts.hooks)]
    problems = [line for problem in facts.problems for line in problem.split("\n")]
    lines += ["", "## Recent problems", "", *(["```", *problems, "```"] if problems else ["none"])]
    return _without(secrets, "\n".join(map(shown, lines)), shown(home)) + "\n"


def links(report: str) -> List[Tuple[int, str]]:
    """Where words of a report end that lead to a command, and its name."""
    return [(found.end(), LINKS[found[0]]) for found in re.finditer("|".join(map(re.escape, LINKS)), report)]


def summary(checks: Sequence[Check], waiting: bool) -> str:
    """The outcome of all checks in one sentence. `waiting`: some are still under way."""
    counts = Counter(check.outcome for check in checks)
    failures, untried = counts[CheckOutcome.FAILED], counts[CheckOutcome.NOT_TRIED]
    carried_out = failures + counts[CheckOutcome.OK]
    found = ""
    if failures:
        more = f", and {untried} could not be tried" if untried else ""
        found = f"{failures} of {carried_out} checks failed{more}: see “what to do” below each failure."
    elif carried_out:
        found = f"All {carried_out} checks passed." if carried_out > 1 else "The check passed."
    return f"{found} More are on their way …".strip() if waiting else found


def _lines(check: Check) -> List[str]:
    line = f"- {check.outcome.value}: {check.name}" + (f": {check.detail}" if check.detail else "")
    return [line, f"    what to do: {check.advice}"] if check.advice else [line]


def _window_lines(window: WindowFacts) -> List[str]:
    port = f"port {window.port}" if window.port is not None else "not served"
    lines = ["- endpoint: {}{}".format(port, "" if window.sharing else ", sharing is paused")]
    lines += [f"- problem: {window.problem}"] if window.problem is not None else []
    lines += [f"- workspace folder: {folder}" for folder in window.folders] or ["- no workspace folder"]
    return lines + ([f"- agent: {client}" for client in window.clients] or ["- no agent"])


def _without(secrets: Sequence[str], text: str, home: str) -> str:
    for secret in filter(None, secrets):
        text = text.replace(secret, "[secret]")
    return re.sub(re.escape(home) + r"(?![\w.-])", "~", text) if len(home) > 1 else text
