"""What language servers and linters have found, as each program reads it."""

from __future__ import annotations

import pytest
from fake_window import PATH, FakeWindow, value

from companion.agents.claude_code import CLAUDE
from companion.agents.copilot_cli import COPILOT
from companion.agents.window import Diagnostic, FileDiagnostics, Severity, TextPosition


class Window(FakeWindow):
    """Has the diagnostics that the test gives it."""

    def __init__(self, *diagnostics):
        super().__init__()
        self.found = [FileDiagnostics(PATH, diagnostics)] if diagnostics else []

    async def diagnostics(self, path):
        return self.found


def diagnostic(severity=Severity.ERROR, **fields):
    return Diagnostic("no such name", severity, TextPosition(3, 0), TextPosition(4, 2), **fields)


RANGE = {"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 2}}


@pytest.mark.parametrize(
    "severity, for_claude, for_copilot",
    [
        (Severity.ERROR, "Error", "error"),
        (Severity.WARNING, "Warning", "warning"),
        (Severity.INFORMATION, "Info", "information"),
        (Severity.HINT, "Hint", "hint"),
    ],
)
def test_each_program_has_words_of_its_own_for_how_bad_it_is(severity, for_claude, for_copilot):
    window = Window(diagnostic(severity, source="pyright", code="E1"))
    told = {"message": "no such name", "range": RANGE, "source": "pyright"}
    (file,) = value(CLAUDE, window, "getDiagnostics")
    assert file == {"uri": "file:///project/one.py", "diagnostics": [{**told, "severity": for_claude}]}
    (file,) = value(COPILOT, window, "get_diagnostics")
    assert (file["uri"], file["filePath"]) == ("file:///project/one.py", PATH)
    assert file["diagnostics"] == [{**told, "severity": for_copilot, "code": "E1"}]


def test_a_code_that_nobody_gave_is_not_told():
    (file,) = value(COPILOT, Window(diagnostic()), "get_diagnostics")
    assert "code" not in file["diagnostics"][0]


@pytest.mark.parametrize("dialect, tool", [(CLAUDE, "getDiagnostics"), (COPILOT, "get_diagnostics")])
def test_nothing_found_is_an_empty_list(dialect, tool):
    assert value(dialect, Window(), tool) == []
