"""Where tests stand: in the room of what they test, where one looks for them, and where their runner finds them."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Iterator, Set

import pytest

ROOT = Path(__file__).resolve().parents[3]
TESTS = ROOT / "tests"
ROOMS = {path.parent.name for path in (ROOT / "companion").glob("*/__init__.py")}
#: Folders of unit tests that are about no room: what goes wrong on purpose, rules of the project, its tools.
BESIDE_THE_ROOMS = {"hostile", "project", "tools"}


def folders(path: Path) -> Set[str]:
    """The folders in one that hold files of tests, at whatever depth."""
    return {file.relative_to(path).parts[0] for file in path.glob("*/**/test_*.py")}


def test_unit_tests_have_the_rooms_of_the_package():
    assert folders(TESTS / "unit") == ROOMS | BESIDE_THE_ROOMS


@pytest.mark.parametrize("kind", ["in_editor", "unit/hostile"])
def test_no_other_test_stands_in_a_room_that_the_package_has_not(kind):
    found = folders(TESTS / kind)
    assert found
    assert found <= ROOMS


def found_in_the_editor(folder: Path, pattern: str) -> Iterator[Path]:
    """What unittest finds below a folder, and so UnitTesting: it enters none that is no package."""
    yield from folder.glob(pattern)
    for package in folder.glob("*/__init__.py"):
        yield from found_in_the_editor(package.parent, pattern)


def test_unittesting_finds_every_in_editor_test_and_no_other():
    """A unit test that it found would be imported in the editor, where there is no pytest."""
    configured = json.loads((ROOT / "unittesting.json").read_text(encoding="utf-8"))
    start = ROOT / configured["tests_dir"]
    assert (start / "__init__.py").is_file(), "they import what the plugin runs, so they are modules of its package"
    found = list(found_in_the_editor(start, configured["pattern"]))
    assert set(found) == set((TESTS / "in_editor").rglob("test_*.py"))
    assert len(found) > 40


def imported(path: Path) -> Iterator[str]:
    """What a file imports of the project, as the names of modules."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_the_headless_editor_knows_neither_the_package_nor_any_other_test():
    """It is a product of its own, and its tests are, too."""
    files = list((TESTS / "host").rglob("*.py"))
    assert len(files) > 80
    foreign = {
        f"{path.relative_to(ROOT).as_posix()} imports {name}"
        for path in files
        for name in imported(path)
        if name.split(".")[0] in ("companion", "plugin")
        or (name.split(".")[0] == "tests" and not f"{name}.".startswith("tests.host."))
    }
    assert foreign == set()
