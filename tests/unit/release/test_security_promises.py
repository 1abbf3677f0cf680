"""`SECURITY.md`: every test that it names exists, and every promise names one."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Dict, List

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")

NAMED = re.findall(r"`(tests/[^`\s]+\.py)::([^`\s]+)`", TEXT)
PROMISES: Dict[str, str] = {
    " ".join(title.split()).rstrip(".,"): body
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
    if not section.startswith(("Reporting", "Against whom", "Out of scope"))
    for title, body in re.findall(r"^- \*\*(.+?)\*\*(.*?)(?=^- |\Z)", section, flags=re.MULTILINE | re.DOTALL)
}


def found_in(path: Path) -> List[str]:
    """The tests of a file: `test_name`, or `Class::test_name`."""
    found: List[str] = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = [each.name for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
            found += [f"{node.name}::{name}" for name in methods]
    return [name for name in found if name.rpartition("::")[2].startswith("test")]


@pytest.mark.parametrize(("file", "test"), NAMED, ids=["::".join(each) for each in NAMED])
def test_every_test_that_is_named_exists(file: str, test: str) -> None:
    assert (ROOT / file).is_file()
    assert test in found_in(ROOT / file)


def test_every_promise_names_a_test() -> None:
    assert len(PROMISES) > 15, "they are written in another way now"
    assert [title for title, body in PROMISES.items() if "`tests/" not in body] == []


def test_no_name_of_a_test_is_written_in_another_way() -> None:
    assert len(re.findall(r"tests/", TEXT)) == len(NAMED)
