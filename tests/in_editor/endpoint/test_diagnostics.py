"""What LSP and SublimeLinter have found, read from stand-ins that are made as the real packages are.

LSP as of its releases 2.8.1 and 2.13, SublimeLinter as of 4.23.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Dict, List
from unittest import mock

import sublime

from ...support.context_case import ContextCase
from ...support.diagnose_case import PACKAGE, PLUGIN

TEXT = "one\n\U0001f600 two\nthree\n"


class Config:
    def __init__(self, name: str) -> None:
        self.name = name


class Session:
    """Of a language server: what it has found stands in its `diagnostics`, which knows files by address."""

    def __init__(self, name: str, kept: Any) -> None:
        self.config = Config(name)
        self.diagnostics = kept


class Kept:
    """LSP 2.8.2 and newer."""

    def __init__(self, by_address: Dict[str, List[Any]]) -> None:
        self._by_address = by_address

    def get_diagnostics_for_uri(self, uri: str, max_severity: int = 4) -> List[Any]:
        return list(self._by_address.get(uri, []))


class KeptBefore(Dict[str, List[Any]]):
    """LSP up to 2.8.1."""

    def diagnostics_by_document_uri(self, document_uri: str) -> List[Any]:
        return self.get(document_uri, [])


class Raises:
    def get_diagnostics_for_uri(self, uri: str) -> List[Any]:
        raise RuntimeError("dictionary changed size during iteration")


def address_of(path: str) -> str:
    return "address of " + path


def lsp(sessions: Dict[int, List[Any]]) -> ModuleType:
    """`LSP.plugin` with sessions by window id."""

    class LspWindowCommand:
        def __init__(self, window: sublime.Window) -> None:
            self.window = window

        def sessions(self) -> Any:
            yield from sessions.get(self.window.id(), [])

    module = ModuleType("LSP.plugin")
    module.__dict__.update(LspWindowCommand=LspWindowCommand, filename_to_uri=address_of)
    return module


def sublime_linter(errors: Dict[str, List[Any]]) -> ModuleType:
    """`SublimeLinter.lint.persist`, which is one for all windows."""
    module = ModuleType("SublimeLinter.lint.persist")
    module.__dict__["file_errors"] = errors
    return module


def found(message: Any, line: int = 0, start: int = 0, end: int = 1, **fields: Any) -> Dict[str, Any]:
    """A `Diagnostic` of the Language Server Protocol."""
    places = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": places, "message": message, **fields}


def linted(message: str, region: sublime.Region, **fields: Any) -> Dict[str, Any]:
    """A `LintError`; `line` and `start` count characters."""
    return {"linter": "flake8", "line": 9, "start": 9, "region": region, "error_type": "error", "code": "F821",
            "msg": message, "offending_text": "", "uid": "", "priority": 0, **fields}  # fmt: skip


class Diagnostics(ContextCase):
    def setUp(self):
        yield from super().setUp()
        self.file = self.write("a.py", TEXT)
        yield from self.open("a.py")
        self.application = sys.modules[PLUGIN].application
        self.modules = mock.patch.dict(sys.modules)
        self.modules.start()
        self.addCleanup(self.modules.stop)
        for name in ("LSP.plugin", "SublimeLinter.lint.persist"):
            sys.modules.pop(name, None)

    def install(self, module):
        sys.modules[module.__name__] = module

    def serve(self, kept, name="pyright", window=None):
        self.install(lsp({(window or self.window).id(): [Session(name, kept)]}))

    def ask(self, path=None, window=None):
        """What a program is told by way of its window; by file name."""
        endpoint = self.application.endpoint_of(window or self.window)
        answers: List[Any] = []

        async def call() -> None:
            answers.append(await endpoint._agent_window.diagnostics(path))

        self.application.runtime.spawn(call)
        yield lambda: answers
        return {file.path: file.diagnostics for file in answers[0]}

    def told(self, **window):
        """What is told of the file a.py."""
        files = yield from self.ask(**window)
        self.assertLessEqual(set(files), {self.file})
        return list(files.get(self.file, []))

    # -- LSP ----------------------------------------------------------------------------------------------------------

    def test_without_either_package_nothing_is_told(self):
        told = yield from self.told()
        self.assertEqual(told, [])

    def test_what_a_language_server_has_found(self):
        first = found("no such name", 1, 3, 6, severity=2, source="Pyright", code="undefined")
        self.serve(Kept({address_of(self.file): [found("later", 2), first]}))
        told = yield from self.told()
        self.assertEqual([each.message for each in told], ["no such name", "later"])
        self.assertEqual((told[0].severity.name, told[0].source, told[0].code), ("WARNING", "Pyright", "undefined"))
        self.assertEqual((told[0].start, told[0].end), ((1, 3), (1, 6)))
        self.assertEqual((told[1].severity.name, told[1].source, told[1].code), ("ERROR", "pyright", ""))

    def test_an_older_lsp(self):
        self.serve(KeptBefore({address_of(self.file): [found("of an older one")]}))
        told = yield from self.told()
        self.assertEqual([each.message for each in told], ["of an older one"])

    def test_a_message_may_be_marked_up(self):
        self.serve(Kept({address_of(self.file): [found({"kind": "markdown", "value": "*no*"})]}))
        told = yield from self.told()
        self.assertEqual([each.message for each in told], ["*no*"])

    def test_a_server_that_raises_takes_nothing_from_the_ones_before(self):
        kept = Kept({address_of(self.file): [found("found")]})
        self.install(lsp({self.window.id(): [Session("one", kept), Session("two", Raises())]}))
        self.install(sublime_linter({self.file: [linted("by a linter", sublime.Region(0, 1))]}))
        told = yield from self.told()
        self.assertEqual({each.message for each in told}, {"found", "by a linter"})

    def test_what_looks_otherwise_than_expected_is_left_out_alone(self):
        shapes: List[Any] = [
            {},
            {"message": "no range"},
            found("a line that is no number", line="x"),  # type: ignore[arg-type]
            found("infinite", start=float("inf")),  # type: ignore[arg-type]
            {"message": {"kind": "markdown"}, "range": found("")["range"]},
            found("good", severity=17),
        ]
        self.serve(Kept({address_of(self.file): shapes}))
        told = yield from self.told()
        self.assertEqual([(each.message, each.severity.name) for each in told], [("good", "ERROR")])

    def test_other_shapes_of_the_packages_count_as_nothing(self):
        for module in (ModuleType("LSP.plugin"), lsp({self.window.id(): [object()]})):
            self.install(module)
            told = yield from self.told()
            self.assertEqual(told, [])
        sys.modules.pop("LSP.plugin")
        for errors in (None, {self.file: None}, {self.file: [None]}, {self.file: [{"msg": "no region"}]}):
            self.install(sublime_linter(errors))  # type: ignore[arg-type]
            told = yield from self.told()
            self.assertEqual(told, [])
        self.install(ModuleType("SublimeLinter.lint.persist"))
        told = yield from self.told()
        self.assertEqual(told, [])

    def test_numbers_out_of_bounds_and_long_messages(self):
        huge = found("x" * 50_000 + "\ud800", 0, -5, 1 << 40)
        self.serve(Kept({address_of(self.file): [huge]}))
        told = yield from self.told()
        self.assertEqual((told[0].start, told[0].end), ((0, 0), (0, (1 << 31) - 1)))
        self.assertEqual(told[0].message, "x" * 10_000)

    def test_of_very_many_the_worst_are_told(self):
        hints = [found(f"hint {number}", number, severity=4) for number in range(4000)]
        self.serve(Kept({address_of(self.file): [*hints, found("the error", 4000, severity=1)]}))
        told = yield from self.told()
        self.assertEqual(len(told), 500)
        self.assertEqual(told[-1].message, "the error")

    # -- SublimeLinter ------------------------------------------------------------------------------------------------

    def test_what_a_linter_has_found_is_told_where_it_stands_now(self):
        note = linted("a note", sublime.Region(10, 15), error_type="note", code="")
        errors = [linted("no such name", sublime.Region(6, 9)), linted("odd", sublime.Region(0, 3)), note]
        errors[1]["error_type"] = "warning"
        self.install(sublime_linter({self.file: errors}))
        told = yield from self.told()
        self.assertEqual([each.message for each in told], ["odd", "no such name", "a note"])
        self.assertEqual([each.severity.name for each in told], ["WARNING", "ERROR", "INFORMATION"])
        # The character before it counts twice in the units of the protocol.
        self.assertEqual((told[1].start, told[1].end), ((1, 3), (1, 6)))
        self.assertEqual([(each.source, each.code) for each in told[1:]], [("flake8", "F821"), ("flake8", "")])

    def test_what_both_have_found_is_told_once(self):
        self.serve(Kept({address_of(self.file): [found("same", 0, 0, 3)]}))
        self.install(sublime_linter({self.file: [linted("same", sublime.Region(0, 3))]}))
        told = yield from self.told()
        self.assertEqual([each.source for each in told], ["pyright"])

    # -- what is not shared -------------------------------------------------------------------------------------------

    def test_nothing_is_told_of_files_of_another_window(self):
        other = yield from self.new_window(self.new_folder())
        elsewhere = other.open_file(self.path("b.py"))
        yield lambda: not elsewhere.is_loading()
        path = self.path("b.py")
        self.install(sublime_linter({path: [linted("secret", sublime.Region(0, 3))]}))
        kept = Kept({address_of(path): [found("secret")]})
        self.install(lsp({self.window.id(): [Session("one", kept)], other.id(): [Session("one", kept)]}))
        for asked in (None, path):
            files = yield from self.ask(asked)
            self.assertEqual(files, {})

    def test_nothing_is_told_of_files_that_are_not_shared(self):
        self.install(sublime_linter({self.file: [linted("secret", sublime.Region(0, 3))]}))
        told = yield from self.told()
        self.assertEqual(len(told), 1)
        self.window.run_command("gemini_companion_pause_sharing", {"on": True})
        files = yield from self.ask(self.file)
        self.assertEqual(files, {})

    def test_the_packages_are_only_looked_at(self):
        self.assertIn(f"{PACKAGE}.companion.endpoint.diagnostics", sys.modules)
        yield from self.told()
        self.assertNotIn("LSP.plugin", sys.modules)
        self.assertNotIn("SublimeLinter.lint.persist", sys.modules)
