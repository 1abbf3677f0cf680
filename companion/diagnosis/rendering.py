"""Renders the report, as Markdown that is easy to read as it is.

Rules: pure. The home directory is written as `~`, and known secrets are removed wherever they might appear. Hidden
characters of names are made visible.
"""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Sequence

from ..common.display_names import shown
from .checks import Check, Facts, Outcome, WindowFacts, summary
from .discovery import FileFact
from .programs import Library

TITLE = "Gemini Companion: Diagnose"
NOTE = "This report holds no token, selected text or file content: you can paste it into a bug report."
WAITING = "…"


class Findings(NamedTuple):
    """What has been found so far. `checks` by topic, in the order shown; None: still under way."""

    checks: Dict[str, Optional[List[Check]]]
    libraries: Sequence[Library] = ()
    files: Sequence[FileFact] = ()


def render(facts: Facts, findings: Findings, home: str, secrets: Sequence[str] = ()) -> str:
    """The whole report."""
    checks = [check for found in findings.checks.values() if found for check in found]
    waiting = [name for name, found in findings.checks.items() if found is None]
    lines = ["# " + TITLE, "", facts.time, NOTE, "", summary(checks, len(waiting)), "", "## Checks", ""]
    for name, found in findings.checks.items():
        if found is None:
            lines.append(f"- {WAITING} {name}")
        for check in found or ():
            lines.extend(_check_lines(check))
    lines += ["", "## Versions", ""]
    lines += ["- {}: {}".format(*entry) for entry in facts.versions]
    lines += [f"- {library.name}: {library.version}, from {library.place}" for library in findings.libraries]
    for window in facts.windows:
        lines += ["", f"## {window.title[:1].upper()}{window.title[1:]}", ""]
        lines += _window_lines(window)
    lines += ["", "## Discovery files", ""]
    lines += [_file_line(file) for file in findings.files] or [WAITING]
    lines += ["", "## Recent problems", ""]
    lines += _problem_lines(facts.problems)
    return _without(secrets, "\n".join(map(shown, lines)), shown(home)) + "\n"


def _check_lines(check: Check) -> List[str]:
    detail = ": " + check.detail if check.detail else ""
    lines = [f"- {check.outcome.value}: {check.name}{detail}"]
    return [*lines, f"    what to do: {check.advice}"] if check.outcome is Outcome.FAILED else lines


def _window_lines(window: WindowFacts) -> List[str]:
    port = f"port {window.port}" if window.port is not None else "not served"
    lines = ["- endpoint: {}{}".format(port, "" if window.sharing else ", sharing is paused")]
    if window.problem is not None:
        lines.append(f"- problem: {window.problem}")
    lines += [f"- workspace folder: {folder}" for folder in window.folders] or ["- no workspace folder"]
    lines += [f"- client: {client}" for client in window.clients] or ["- no client"]
    lines += [f"- to review: {review}" for review in window.reviews] or ["- no diff to review"]
    return lines


def _file_line(file: FileFact) -> str:
    line = "- {} ({})".format(file.path, ", ".join(part for part in (file.owner, file.mode) if part))
    return f"{line}: {file.content}" if file.content else line


def _problem_lines(problems: Sequence[str]) -> List[str]:
    if not problems:
        return ["none"]
    return ["```"] + [line for problem in problems for line in problem.split("\n")] + ["```"]


def _without(secrets: Sequence[str], text: str, home: str) -> str:
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[secret]")
    if len(home) > 1:
        text = re.sub(re.escape(home) + r"(?![\w.-])", "~", text)
    return text
