"""What the user's language servers and linters say: taken from the packages LSP and SublimeLinter, if they are there.

Rules: never from a language server of ours. Neither package has a public interface for this, so nothing is relied on:
modules are used only if their package has loaded them, and whatever does not look as expected counts as nothing. Main
thread only; nothing here blocks or starts anything.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import sublime

from ..agents.dialect import file_url
from ..agents.shared_context import Position
from ..agents.window import Diagnostic, FileDiagnostics, Severity

logger = logging.getLogger("gemini_companion.diagnostics")

MOST = 500
"""Of one file."""
_UNEXPECTED = (AttributeError, IndexError, KeyError, LookupError, TypeError, ValueError)


def diagnostics_of(window: sublime.Window, paths: Sequence[str]) -> List[FileDiagnostics]:
    """All that is known of these files, in their order; files of which nothing is known are left out."""
    found: List[FileDiagnostics] = []
    for path in paths:
        known: Dict[Tuple[object, ...], Diagnostic] = {}
        for source in (_of_lsp, _of_sublime_linter):
            for each in _guarded(source, window, path):
                known.setdefault((each.message, each.start), each)
        if known:
            ordered = sorted(known.values(), key=lambda each: (each.start, each.message))
            found.append(FileDiagnostics(path, ordered[:MOST]))
    return found


def _guarded(
    source: Callable[[sublime.Window, str], Iterator[Diagnostic]], window: sublime.Window, path: str
) -> List[Diagnostic]:
    try:
        return list(source(window, path))
    except _UNEXPECTED as error:
        logger.info("another package's diagnostics look otherwise than expected: %s", type(error).__name__)
        return []


def _of_lsp(window: sublime.Window, path: str) -> Iterator[Diagnostic]:
    registry = sys.modules.get("LSP.plugin.core.registry")
    manager = registry.windows.lookup(window) if registry is not None else None
    if manager is None:
        return
    for session in list(manager.get_sessions()):
        for each in session.diagnostics.diagnostics_by_document_uri(file_url(path)):
            places = each["range"]["start"], each["range"]["end"]
            start, end = (Position(int(place["line"]), int(place["character"])) for place in places)
            source = str(each.get("source") or session.config.name)
            yield Diagnostic(str(each["message"]), _severity(each.get("severity")), start, end, source)


def _of_sublime_linter(window: sublime.Window, path: str) -> Iterator[Diagnostic]:
    persist = sys.modules.get("SublimeLinter.lint.persist")
    errors = persist.file_errors.get(path, ()) if persist is not None else ()
    for each in list(errors):
        start = Position(int(each["line"]), int(each["start"]))
        end = Position(start.line, max(start.character, int(each.get("end") or each["start"])))
        severity = Severity.WARNING if each.get("error_type") == "warning" else Severity.ERROR
        yield Diagnostic(str(each["msg"]), severity, start, end, str(each["linter"]))


def _severity(value: Any) -> Severity:
    return Severity(value) if value in [each.value for each in Severity] else Severity.ERROR
