"""What the user's language servers and linters say: taken from the packages LSP and SublimeLinter, if they are there.

Rules: we run no language server. We ask LSP through what `LSP.plugin` offers to other packages. How a session keeps
diagnostics is not part of that, and SublimeLinter offers nothing, so we rely on nothing: modules are used only if their
package has loaded them, and a diagnostic that raises or does not look as expected is left out, alone. Both packages go
on working on other threads meanwhile. The main thread only gathers, a file at a time; another thread reads what was
gathered. One question is answered at a time, and equal questions that wait get one answer.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from functools import partial
from typing import (
    Any,
    Callable,
    Collection,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

import sublime

from ..agents.window import Diagnostic, FileDiagnostics, Severity, TextPosition
from ..context.model import cut, well_formed
from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.diagnostics")

MOST = 500
"""The most diagnostics of one file that a client gets; of more, the worst."""
MOST_READ = 5000
"""Of one file and one package."""
MOST_TAKEN = 2 * MOST
"""Of one file: the worst, as both packages may have found the same."""
MOST_UNITS = 10_000
"""Of one message, in UTF-16 units."""
LARGEST = (1 << 31) - 1
"""Line or character. Language Server Protocol 3.17, `uinteger`."""
Result = TypeVar("Result")
_UNEXPECTED = (AttributeError, LookupError, OverflowError, TypeError, ValueError)

Read = Callable[[], Diagnostic]
"""Makes a diagnostic of what was found; any thread. Raises if it cannot."""


class _Found(NamedTuple):
    """A finding of another package. `take` asks the editor for what is needed to read it, and raises if it cannot; main
    thread."""

    severity: Severity
    take: Callable[[], Read]


Source = Callable[[sublime.Window, str], Iterator[_Found]]


class Diagnostics:
    """The diagnostics of one window. Loop thread."""

    def __init__(self, window: sublime.Window, runtime: Runtime, shared_files: Callable[[], Collection[str]]) -> None:
        """`shared_files` names the open files that may be shared; called on the main thread."""
        self._window = window
        self._runtime = runtime
        self._shared_files = shared_files
        self._turn: Optional[asyncio.Lock] = None  # made on the loop thread, as it then belongs to that loop
        self._waiting: Dict[Optional[Tuple[str, ...]], asyncio.Future[List[FileDiagnostics]]] = {}

    async def of(self, paths: Optional[Tuple[str, ...]]) -> List[FileDiagnostics]:
        """The diagnostics of these files, in their order; None: of all files that may be shared. Files without any are
        left out."""
        turn = self._turn = self._turn or asyncio.Lock()
        waiting = self._waiting.get(paths)
        if waiting is None:
            waiting = self._waiting[paths] = asyncio.ensure_future(self._answer(paths, turn))
        return await asyncio.shield(waiting)

    async def _answer(self, paths: Optional[Tuple[str, ...]], turn: asyncio.Lock) -> List[FileDiagnostics]:
        async with turn:
            del self._waiting[paths]  # a call that comes from now on may know of a later edit
            wanted = await self._runtime.call_main(self._shared_files) if paths is None else paths
            files = []
            for path in wanted:
                taken = await self._runtime.call_main(_taken, self._window, path)
                files.append(FileDiagnostics(path, await self._runtime.in_worker(_read, taken) if taken else ()))
            return [file for file in files if file.diagnostics]


def _taken(window: sublime.Window, path: str) -> List[Read]:
    """The worst findings in a file, ready to be read. Main thread."""
    found = [each for source in (_of_lsp, _of_sublime_linter) for each in _guarded(source, window, path)]
    found.sort(key=lambda each: each.severity.value)
    return [read for each in found[:MOST_TAKEN] for read in _tried(each.take)]


def _read(taken: Sequence[Read]) -> List[Diagnostic]:
    """Any thread."""
    known: Dict[Tuple[object, ...], Diagnostic] = {}
    for diagnostic in (diagnostic for read in taken for diagnostic in _tried(read)):
        known.setdefault((diagnostic.message, diagnostic.start), diagnostic)
        if len(known) == MOST:
            break
    return sorted(known.values(), key=lambda each: each.start)  # in one place the worst first


def _tried(step: Callable[[], Result]) -> Iterator[Result]:
    """The result of the step; nothing if it raises."""
    try:
        yield step()
    except _UNEXPECTED as error:
        logger.info("a diagnostic of another package looks otherwise than expected: %s", type(error).__name__)


def _guarded(source: Source, window: sublime.Window, path: str) -> List[_Found]:
    """The findings of the source, up to where it fails."""
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
            read = partial(_read_lsp, each, severity, session)
            yield _Found(severity, lambda read=read: read)  # type: ignore[misc]


def _read_lsp(each: Mapping[str, Any], severity: Severity, session: Any) -> Diagnostic:
    """Language Server Protocol 3.18, `Diagnostic`. LSP does not change it once it is there."""
    message = each["message"]
    text = message["value"] if isinstance(message, dict) else str(message)
    start, end = (_position(each["range"][name]) for name in ("start", "end"))
    code = each.get("code")
    source = str(each.get("source") or session.config.name)
    return Diagnostic(_message(text), severity, start, max(start, end), source, "" if code is None else str(code))


_SEVERITIES: Mapping[Any, Severity] = {each.value: each for each in Severity}


def _position(place: Mapping[str, Any]) -> TextPosition:
    return TextPosition(*(min(max(int(place[name]), 0), LARGEST) for name in ("line", "character")))


# -- SublimeLinter -----------------------------------------------------------------------------------------------------


def _of_sublime_linter(window: sublime.Window, path: str) -> Iterator[_Found]:
    persist = sys.modules.get("SublimeLinter.lint.persist")
    view = window.find_open_file(path) if persist is not None else None
    if persist is None or view is None:
        return
    for each in list(persist.file_errors.get(path, ())):
        severity = _ERROR_TYPES.get(each.get("error_type"), Severity.INFORMATION)
        yield _Found(severity, partial(_take_sublime_linter, dict(each), severity, view))


def _take_sublime_linter(each: Mapping[str, Any], severity: Severity, view: sublime.View) -> Read:
    """Its line and column count characters; its region is kept up with edits."""
    region = each["region"]
    start, end = (TextPosition(*view.rowcol_utf16(point)) for point in (region.begin(), region.end()))
    return partial(_read_sublime_linter, each, severity, start, end)


def _read_sublime_linter(
    each: Mapping[str, Any], severity: Severity, start: TextPosition, end: TextPosition
) -> Diagnostic:
    return Diagnostic(_message(each["msg"]), severity, start, end, str(each["linter"]), str(each.get("code") or ""))


_ERROR_TYPES: Mapping[Any, Severity] = {"error": Severity.ERROR, "warning": Severity.WARNING}


def _message(text: str) -> str:
    return well_formed(cut(text, MOST_UNITS))
