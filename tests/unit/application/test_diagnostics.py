"""What language servers and linters say, taken from packages that promise nothing about how they keep it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from companion.agents.dialect import file_url
from companion.agents.shared_context import Position
from companion.agents.window import Severity

PATH, OTHER = "/project/one.py", "/project/two.py"
WINDOW = object()


def of_lsp(message, line=0, character=0, severity=1, source="pyright", **more):
    place = {"line": line, "character": character}
    return {"message": message, "severity": severity, "source": source, "range": {"start": place, "end": place}, **more}


def of_linter(message, line=0, start=0, **more):
    return {"msg": message, "line": line, "start": start, "linter": "flake8", **more}


class Session:
    """A language server's session, with what it says of each file."""

    def __init__(self, said, name="LSP-pyright"):
        self.config = SimpleNamespace(name=name)
        self.diagnostics = SimpleNamespace(diagnostics_by_document_uri=lambda uri: said.get(uri, []))


@pytest.fixture
def module(load):
    return load("companion.endpoint.diagnostics")


@pytest.fixture
def lsp(monkeypatch):
    """Puts the package LSP there, with these sessions in our window."""

    def install(*sessions):
        manager = SimpleNamespace(get_sessions=lambda: iter(sessions))
        windows = SimpleNamespace(lookup=lambda window: manager if window is WINDOW else None)
        monkeypatch.setitem(sys.modules, "LSP.plugin.core.registry", SimpleNamespace(windows=windows))

    return install


@pytest.fixture
def linter(monkeypatch):
    """Puts the package SublimeLinter there, with these errors by file."""

    def install(errors):
        monkeypatch.setitem(sys.modules, "SublimeLinter.lint.persist", SimpleNamespace(file_errors=errors))

    return install


def test_without_either_package_nothing_is_known(module):
    assert module.diagnostics_of(WINDOW, [PATH]) == []


def test_of_language_servers(module, lsp):
    long = {"start": {"line": 3, "character": 1}, "end": {"line": 4, "character": 2}}
    first = Session({file_url(PATH): [of_lsp("undefined name", range=long), of_lsp("unused", 1, 0, severity=4)]})
    second = Session({file_url(PATH): [of_lsp("long line", 2, source=None)]}, "ruff")
    lsp(first, second)
    (file,) = module.diagnostics_of(WINDOW, [OTHER, PATH])
    assert file.path == PATH
    assert [(each.message, each.severity, each.source) for each in file.diagnostics] == [
        ("unused", Severity.HINT, "pyright"),
        ("long line", Severity.ERROR, "ruff"),
        ("undefined name", Severity.ERROR, "pyright"),
    ]
    assert (file.diagnostics[2].start, file.diagnostics[2].end) == (Position(3, 1), Position(4, 2))
    assert module.diagnostics_of(object(), [PATH]) == [], "of another window"


@pytest.mark.parametrize(
    ("value", "severity"),
    [(1, Severity.ERROR), (2, Severity.WARNING), (3, Severity.INFORMATION), (4, Severity.HINT), (None, Severity.ERROR)]
    + [(9, Severity.ERROR), ("2", Severity.ERROR)],
)
def test_a_severity_that_is_none_counts_as_an_error(module, lsp, value, severity):
    lsp(Session({file_url(PATH): [of_lsp("x", severity=value)]}))
    assert module.diagnostics_of(WINDOW, [PATH])[0].diagnostics[0].severity is severity


def test_of_linters(module, linter):
    linter(
        {
            PATH: [
                of_linter("unused", 4, 2, end=9, error_type="warning"),
                of_linter("syntax", 1, 5, error_type="error"),
                of_linter("odd", 2, 5, end=3),
            ]
        }
    )
    (file,) = module.diagnostics_of(WINDOW, [PATH, OTHER])
    assert [(each.message, each.severity, each.start, each.end, each.source) for each in file.diagnostics] == [
        ("syntax", Severity.ERROR, Position(1, 5), Position(1, 5), "flake8"),
        ("odd", Severity.ERROR, Position(2, 5), Position(2, 5), "flake8"),
        ("unused", Severity.WARNING, Position(4, 2), Position(4, 9), "flake8"),
    ]


def test_what_both_say_is_told_once_and_what_stands_elsewhere_twice(module, lsp, linter):
    lsp(Session({file_url(PATH): [of_lsp("unused", 1), of_lsp("unused", 2)]}))
    linter({PATH: [of_linter("unused", 1), of_linter("other", 1)]})
    (file,) = module.diagnostics_of(WINDOW, [PATH])
    assert [(each.message, each.start.line, each.source) for each in file.diagnostics] == [
        ("other", 1, "flake8"),
        ("unused", 1, "pyright"),
        ("unused", 2, "pyright"),
    ]


def test_files_stay_in_their_order_and_no_file_says_too_much(module, linter):
    linter({PATH: [of_linter("first", 0)], OTHER: [of_linter(str(n), n) for n in range(module.MOST + 1, -1, -1)]})
    found = module.diagnostics_of(WINDOW, [OTHER, PATH])
    assert [file.path for file in found] == [OTHER, PATH]
    assert [each.message for each in found[0].diagnostics] == [str(n) for n in range(module.MOST)]


@pytest.mark.parametrize(
    "sessions",
    [None, [None], [SimpleNamespace(diagnostics=None)], [Session({file_url(PATH): [{"message": "no range"}]})]],
)
def test_a_package_that_looks_otherwise_spoils_nothing(module, lsp, linter, monkeypatch, sessions):
    manager = SimpleNamespace(get_sessions=lambda: sessions)
    registry = SimpleNamespace(windows=SimpleNamespace(lookup=lambda window: manager))
    monkeypatch.setitem(sys.modules, "LSP.plugin.core.registry", registry)
    linter({PATH: [of_linter("known")]})
    (file,) = module.diagnostics_of(WINDOW, [PATH])
    assert [each.message for each in file.diagnostics] == ["known"]


def test_a_window_that_lsp_does_not_know(module, monkeypatch):
    registry = SimpleNamespace(windows=SimpleNamespace(lookup=lambda window: None))
    monkeypatch.setitem(sys.modules, "LSP.plugin.core.registry", registry)
    assert module.diagnostics_of(WINDOW, [PATH]) == []
