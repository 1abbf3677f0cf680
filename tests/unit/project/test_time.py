"""Time belongs to the test: the package has one clock, and no test shortens what is waited for.

What a test would have to wait for it moves the clock on to (`later`), and what must not happen it makes impossible
(`freeze`). What takes real time is at the edge: sockets, processes, real programs.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Iterator, List

import pytest

ROOT = Path(__file__).resolve().parents[3]
CLOCK = "companion/common/clock.py"
TIME = {"monotonic", "monotonic_ns", "sleep"}
#: What else a module may not take from a library, since it would wait by a clock of its own.
TIMERS = {"Timer"}
BOUND = re.compile(r"(^|_)(MILLI)?SECONDS$|_(milli)?seconds$")
#: The tools of the tests and the headless editor wait for processes, and have no clock but the machine's.
WITH_REAL_TIME = ("tests/unit/tools", "tests/host", "tests/tools", "tests/benchmarks")
#: What is no bound, though its name ends so: how long a look has kept a processor busy.
NO_BOUNDS = {"processor_seconds"}


def python_files(folder: str) -> List[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def trees(folder: str) -> Iterator[tuple]:
    for path in python_files(folder):
        name = path.relative_to(ROOT).as_posix()
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def own_time(tree: ast.AST) -> Iterator[str]:
    """Where a module asks for the time, or waits, by another clock than the package's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if (node.value.id == "time" and node.attr in TIME) or (
                node.value.id == "threading" and node.attr in TIMERS
            ):
                yield f"{node.value.id}.{node.attr}, line {node.lineno}"
        elif isinstance(node, ast.ImportFrom) and node.module in ("time", "threading"):
            yield from (f"{each.name}, line {node.lineno}" for each in node.names if each.name in TIME | TIMERS)


def shortened(tree: ast.AST) -> Iterator[str]:
    """Where a test gives a number of seconds another value."""
    for node in ast.walk(tree):
        names: List[str] = []
        if isinstance(node, ast.Call):
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if function in ("setattr", "object", "patch", "multiple", "setitem"):
                names = [each.value.rpartition(".")[2] for each in node.args if isinstance(each, ast.Constant)
                         and isinstance(each.value, str)]  # fmt: skip
                names += [each.arg for each in node.keywords if each.arg and function == "multiple"]
        elif isinstance(node, ast.Assign):
            names = [each.attr for each in node.targets if isinstance(each, ast.Attribute) and each.attr.isupper()]
        yield from (f"{name}, line {node.lineno}" for name in names if BOUND.search(name) and name not in NO_BOUNDS)


def test_no_module_but_the_clock_asks_for_the_time_or_waits_by_itself():
    found = {name: list(own_time(tree)) for name, tree in trees("companion")}
    assert {name: uses for name, uses in found.items() if uses and name != CLOCK} == {}
    assert found[CLOCK], "else this finds nothing"


def test_no_test_shortens_what_is_waited_for():
    found = {name: list(shortened(tree)) for name, tree in trees("tests") if not name.startswith(WITH_REAL_TIME)}
    assert {name: uses for name, uses in found.items() if uses} == {}


@pytest.mark.parametrize(
    "line",
    [
        "monkeypatch.setattr(module, 'LOOK_SECONDS', 0.1)",
        "monkeypatch.setattr('companion.module.SECONDS', 0.1)",
        "mock.patch.object(module, 'RETRY_MILLISECONDS', 1)",
        "mock.patch.multiple(module, GONE_SECONDS=0.05)",
        "monkeypatch.setattr(type(agent.hooks), 'patience_seconds', 0)",
        "module.STOP_SECONDS = 0",
    ],
)
def test_each_way_to_do_so_is_noticed(line):
    assert list(shortened(ast.parse(line)))
