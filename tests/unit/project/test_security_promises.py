"""`SECURITY.md`: each promise is followed up by tests in the table at its end, and every test there exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Dict, List, Set

ROOT = Path(__file__).resolve().parents[3]
PROSE, _, TABLE = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## The tests that show it\n")


def promised() -> List[str]:
    """The promises: the sentences in bold with which paragraphs begin."""
    found = re.findall(r"^\*\*(.+?)\*\*", PROSE, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(sentence.split()).rstrip(".") for sentence in found]


def rows() -> Dict[str, List[str]]:
    """The tests of each promise, in the order of the table. A row without a promise goes on with the one above."""
    found: Dict[str, List[str]] = {}
    promise = ""
    for name, test in re.findall(r"^\| (.*?) ?\| `(tests/[^`]+)` \|$", TABLE, flags=re.MULTILINE):
        promise = name or promise
        found.setdefault(promise, []).append(test)
    return found


ROWS = rows()
NAMED = [test for tests in ROWS.values() for test in tests]


def found_in(path: Path) -> Set[str]:
    """The tests of a file: `test_name`, or `Class::test_name`."""
    found: Set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = [each.name for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
            found |= {f"{node.name}::{name}" for name in methods}
    return {name for name in found if name.rpartition("::")[2].startswith("test")}


def test_every_test_that_is_named_exists() -> None:
    by_file: Dict[str, Set[str]] = {}
    for named in NAMED:
        file, _, test = named.partition("::")
        by_file.setdefault(file, set()).add(test)
    assert [file for file in by_file if not (ROOT / file).is_file()] == []
    missing = {file: tests - found_in(ROOT / file) for file, tests in by_file.items()}
    assert {file: tests for file, tests in missing.items() if tests} == {}


def test_every_promise_has_tests_and_the_table_keeps_their_order() -> None:
    assert len(promised()) > 15, "they are written in another way now"
    assert list(ROWS) == promised()


def test_no_row_of_the_table_is_written_in_another_way() -> None:
    assert len(re.findall(r"tests/", PROSE + TABLE)) == len(NAMED)
    assert len(TABLE[TABLE.index("| --- |") :].splitlines()) == len(NAMED) + 1
