"""What the user's language servers and linters say: taken from the packages LSP and SublimeLinter, if they are there.

Rules: never from a language server of ours. LSP is asked through what `LSP.plugin` offers to other packages; how a
session keeps diagnostics is not part of that, and SublimeLinter offers nothing, so nothing is relied on: modules are
used only if their package has loaded them, and whatever raises or does not look as expected counts as nothing, alone.
Both packages go on with their own work on other threads meanwhile. Main thread only; nothing here blocks or starts
anything.
"""

from __future__ import annotations

import logging
import sys
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import sublime

from ..agents.shared_context import Position
from ..agents.window import Diagnostic, FileDiagnostics, Severity
from ..context.units import cut, well_formed

logger = logging.getLogger("gemini_companion.diagnostics")

MOST = 500
"""The most diagnostics of one file that are told; of more, the worst."""
MOST_READ = 5000
"""Of one file and one package."""
MOST_UNITS = 10_000
"""Of one message, in UTF-16 units."""
LARGEST = (1 << 31) - 1
"""Line or character. Language Server Protocol 3.17, `uinteger`."""
_UNEXPECTED = (AttributeError, LookupError, OverflowError, TypeError, ValueError)


class _Found(NamedTuple):
    """Something another package has found. `read` makes a diagnostic of it, and raises if it cannot."""

    severity: Severity
    read: Callable[[], Diagnostic]


Source = Callable[[sublime.Window, str], Iterator[_Found]]


def diagnostics_of(window: sublime.Window, paths: Sequence[str]) -> List[FileDiagnostics]:
    """All that is known of these files, in their order; files of which nothing is known are left out."""
    files = [FileDiagnostics(path, _of_file(window, path)) for path in paths]
    return [file for file in files if file.diagnostics]


def _of_file(window: sublime.Window, path: str) -> List[Diagnostic]:
    found = [each for source in (_of_lsp, _of_sublime_linter) for each in _guarded(source, window, path)]
    found.sort(key=_badness)
    known: Dict[Tuple[object, ...], Diagnostic] = {}
    for each in found:
        if len(known) == MOST:
            break
        try:
            diagnostic = each.read()
        except _UNEXPECTED as error:
            logger.info("a diagnostic of another package looks otherwise than expected: %s", type(error).__name__)
        else:
            known.setdefault((diagnostic.message, diagnostic.start), diagnostic)
    return sorted(known.values(), key=lambda each: (each.start, each.message))


def _badness(found: _Found) -> int:
    return found.severity.value


def _guarded(source: Source, window: sublime.Window, path: str) -> List[_Found]:
    """What the source has, up to where it fails."""
    found: List[_Found] = []
    try:
        for each in source(window, path):
            found.append(each)
            if len(found) == MOST_READ:
                break
    except Exception as error:  # noqa: BLE001 - the code of another package may raise anything
        logger.info("another package's diagnostics cannot be read: %s", type(error).__name__)
    return found


# -- LSP ---------------------------------------------------------------------------------------------------------------


def _of_lsp(window: sublime.Window, path: str) -> Iterator[_Found]:
    lsp = sys.modules.get("LSP.plugin")
    if lsp is None:
        return
    address = lsp.filename_to_uri(path)
    for session in list(lsp.LspWindowCommand(window).sessions()):
        kept = session.diagnostics
        ask = getattr(kept, "get_diagnostics_for_uri", None)
        if ask is None:
            ask = kept.diagnostics_by_document_uri  # LSP up to 2.8.1
        for each in ask(address):
            severity = _SEVERITIES.get(each.get("severity"), Severity.ERROR)
            yield _Found(severity, partial(_read_lsp, each, severity, session))


def _read_lsp(each: Mapping[str, Any], severity: Severity, session: Any) -> Diagnostic:
    """Language Server Protocol 3.18, `Diagnostic`."""
    message = each["message"]
    text = message["value"] if isinstance(message, dict) else str(message)
    start, end = (_position(each["range"][name]) for name in ("start", "end"))
    code = each.get("code")
    source = str(each.get("source") or session.config.name)
    return Diagnostic(_message(text), severity, start, max(start, end), source, "" if code is None else str(code))


_SEVERITIES: Mapping[Any, Severity] = {each.value: each for each in Severity}


def _position(place: Mapping[str, Any]) -> Position:
    return Position(*(min(max(int(place[name]), 0), LARGEST) for name in ("line", "character")))


# -- SublimeLinter -----------------------------------------------------------------------------------------------------


def _of_sublime_linter(window: sublime.Window, path: str) -> Iterator[_Found]:
    persist = sys.modules.get("SublimeLinter.lint.persist")
    view = window.find_open_file(path) if persist is not None else None
    if persist is None or view is None:
        return
    for each in list(persist.file_errors.get(path, ())):
        severity = _ERROR_TYPES.get(each.get("error_type"), Severity.INFORMATION)
        yield _Found(severity, partial(_read_sublime_linter, each, severity, view))


def _read_sublime_linter(each: Mapping[str, Any], severity: Severity, view: sublime.View) -> Diagnostic:
    """Its line and column count characters; its region is kept up with edits."""
    region = each["region"]
    start, end = (Position(*view.rowcol_utf16(point)) for point in (region.begin(), region.end()))
    return Diagnostic(_message(each["msg"]), severity, start, end, str(each["linter"]), str(each.get("code") or ""))


_ERROR_TYPES: Mapping[Any, Severity] = {"error": Severity.ERROR, "warning": Severity.WARNING}


def _message(text: str) -> str:
    return well_formed(cut(text, MOST_UNITS))
