"""What the source reads from the settings of views and windows, and where it closes tabs.

A stranger's project file can set every setting, so each that is read is one that the in-editor tests plant.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Set

from tests.support.read_settings import READ_SETTINGS

ROOT = Path(__file__).resolve().parents[3]
TREES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in [ROOT / "plugin.py", *sorted((ROOT / "companion").rglob("*.py"))]
}
#: Where the name stands among the arguments of what reads a setting.
READERS = {"get": 0, "has": 0, "own": 2, "read": 2}
#: What is closed in modules that know the editor and is no tab: a panel, a presentation, a loop.
NO_TABS = {"self", "presentation", "_log_panel", "pop", "publisher", "loop"}


def name_of(node: ast.AST) -> str:
    """The last name of `name`, `part.name`, `call().name(…)` or `name[…]`."""
    node = node.value if isinstance(node, ast.Subscript) else node
    node = node.func if isinstance(node, ast.Call) else node
    return getattr(node, "id", getattr(node, "attr", ""))


def texts(node: ast.AST, known: Dict[str, List[str]]) -> List[str]:
    """The texts that are written there, or stand behind the names there."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
    return [text for part in parts for text in texts(part, known)] or known.get(name_of(node), [])


def constants(trees: Iterable[ast.Module], known: Dict[str, List[str]]) -> Dict[str, List[str]]:
    """The texts of all constants of these modules, beside the `known` ones, of which they may be made."""
    known = {name: list(found) for name, found in known.items()}
    for tree in trees:
        for node in [node for node in tree.body if isinstance(node, ast.Assign)]:
            left, right = node.targets[0], node.value
            several = isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple)
            for target, value in zip(left.elts, right.elts) if several else [(left, right)]:  # type: ignore[attr-defined]
                known.setdefault(name_of(target), []).extend(texts(value, known))
    return known


CONSTANTS = constants(TREES.values(), constants(TREES.values(), {}))


def settings_read(tree: ast.Module) -> Iterator[str]:
    """The names of the settings that a module reads. One that cannot be told is "?"."""
    nodes, own = list(ast.walk(tree)), constants([tree], {})
    known = {**CONSTANTS, **{name: found for name, found in own.items() if found}}
    loops = {name_of(node.target): node.iter for node in nodes if isinstance(node, (ast.For, ast.comprehension))}
    kept: Set[str] = {"settings", "_settings", "marks"}
    for node in nodes:
        if isinstance(node, ast.Assign) and name_of(node.value) == "settings":
            kept |= {name_of(target) for target in node.targets}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
            place = READERS[node.func.attr]
            if name_of(node.func.value) in kept and len(node.args) > place:
                name = node.args[place]
                yield from texts(name, known) or texts(loops.get(name_of(name), name), known) or ["?"]


#: They read what others name: those names are found where they are given.
PASSED_ON = {"companion/editor/marks.py", "companion/review/display/screen.py"}


def test_every_setting_that_is_read_is_one_that_the_tests_plant() -> None:
    found = {name: path for path, tree in TREES.items() for name in settings_read(tree)}
    assert {path for path, tree in TREES.items() if "?" in settings_read(tree)} <= PASSED_ON
    found.pop("?")
    assert {name: path for name, path in found.items() if name not in READ_SETTINGS} == {}
    assert [name for name in READ_SETTINGS if name not in found] == []


def test_a_reader_of_a_new_setting_would_be_noticed() -> None:
    for line in ("view.settings().get('new')", "a = view.settings()\na.has('new')", "marks.own(a, b, 'new')"):
        assert list(settings_read(ast.parse(line))) == ["new"]
    assert list(settings_read(ast.parse("window.settings().get(what)"))) == ["?"]


def test_tabs_are_closed_in_one_place() -> None:
    closing = {
        path
        for path, tree in TREES.items()
        if any(isinstance(node, ast.Import) and node.names[0].name == "sublime" for node in ast.walk(tree))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "close"
        if not node.args and name_of(node.func.value) not in NO_TABS
    }
    assert closing == {"companion/editor/file_views.py"}
