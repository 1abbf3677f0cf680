"""The import graph of the package: layers, from the innermost to the plugin.

Rule: a module imports from its own layer's parts or from inner layers, never outward, and there is no circle, counting
what only a type checker reads and what functions import late.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest

from companion.agents.registry import AGENTS

ROOT = Path(__file__).resolve().parents[3]

#: Innermost first. An entry is a module or a folder below `companion`; entries of one row do not know each other.
LAYERS: Tuple[Tuple[str, ...], ...] = (
    ("common",),
    ("commands", "comparison", "protocol", "system"),
    ("settings", "log"),
    ("runtime",),
    ("editor", "agents", "transport", "libraries"),
    ("discovery", "context", "review", "terminals"),
    ("unreviewed",),
    ("comments",),
    ("page",),
    ("endpoint",),
    ("remotes",),
    ("diagnosis", "hooking"),
    ("actions",),
    ("application",),
    ("startup",),
)
#: These could be lifted out: of the project they import nothing but what is named here.
SELF_CONTAINED = {
    "agents": {
        "companion.common.searching",
        "companion.comparison",
        "companion.protocol.serving",
        "companion.protocol.tools",
        "companion.settings",
        "companion.system",
    },
    "discovery": {"companion.system", "companion.agents"},
    "protocol": {"companion.common.transitions"},
}
PART_LAYER = {part: number for number, row in enumerate(LAYERS) for part in row}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES: Dict[str, Path] = {module_of(path): path for path in sorted((ROOT / "companion").rglob("*.py"))}


def imported(module: str) -> Iterator[str]:
    """Every module of the package that this one imports anywhere in it, annotations included."""
    path = FILES[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            for alias in node.names:
                name = ".".join([*base, alias.name])
                yield name if name in FILES else ".".join(base)


GRAPH: Dict[str, Set[str]] = {module: {name for name in imported(module) if name != module} for module in FILES}


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def circles(graph: Dict[str, Set[str]]) -> List[List[str]]:
    """Each strongly connected set of more than one node."""
    reachable: Dict[str, Set[str]] = {}
    for start, names in graph.items():
        seen: Set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in seen and name in graph:
                seen.add(name)
                waiting.extend(graph[name])
        reachable[start] = seen
    found = {tuple(sorted(b for b in reachable[a] if a in reachable.get(b, ()))) for a in graph if a in reachable[a]}
    return [list(circle) for circle in sorted(found)]


def test_every_part_has_its_layer():
    assert {part_of(module) for module in FILES} - {""} == set(PART_LAYER)


def test_no_module_imports_outward():
    outward = [
        f"{module} imports {name}"
        for module, names in GRAPH.items()
        for name in sorted(names)
        if part_of(module)
        and part_of(name) != part_of(module)
        and PART_LAYER[part_of(name)] >= PART_LAYER[part_of(module)]
    ]
    assert outward == []


@pytest.mark.parametrize("part", SELF_CONTAINED)
def test_self_contained_parts_import_nothing_but_what_is_named(part):
    """Those of the innermost layer import nothing at all."""
    outside = {name for module, names in GRAPH.items() if part_of(module) == part for name in names}
    allowed = SELF_CONTAINED[part] | {f"companion.{part}"}
    assert {name for name in outside if not any(f"{name}.".startswith(f"{one}.") for one in allowed)} == set()


def test_no_circle_not_even_for_annotations():
    assert circles(GRAPH) == []


@pytest.mark.parametrize("room", sorted({part for part in PART_LAYER if (ROOT / "companion" / part).is_dir()}))
def test_the_rooms_inside_a_part_form_no_circle(room):
    """Folders below a part, `review/display` for one, count as wholes."""
    rooms: Dict[str, Set[str]] = {}
    for module, names in GRAPH.items():
        if part_of(module) == room:
            own = ".".join(module.split(".")[:3])
            rooms.setdefault(own, set()).update(
                ".".join(name.split(".")[:3]) for name in names if part_of(name) == room
            )
    for own, names in rooms.items():
        names.discard(own)
    assert circles(rooms) == []


def test_the_plugin_knows_the_application_only():
    """And loads not even that: its name is for the type checker, and `startup` imports it on another thread. Beside the
    table of commands, which is nothing but names."""
    tree = ast.parse((ROOT / "plugin.py").read_text(encoding="utf-8"))
    known = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level}
    assert known == {"companion.startup", "companion.application", "companion.commands"}
    assert GRAPH["companion.commands"] == set()
    at_once = {node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.level}
    assert at_once == {"companion.startup", "companion.commands"}


def test_states_change_by_one_function():
    """A table is read where it is made, and by `common.transitions`."""
    texts = {module: path.read_text(encoding="utf-8") for module, path in FILES.items()}
    assert [module for module, text in texts.items() if re.search(r"\bTRANSITIONS\[", text)] == []


@pytest.mark.parametrize("program", [*(agent.key for agent in AGENTS if agent.key != "gemini"), "aioncli"])
def test_program_names_are_used_only_in_their_folder_and_in_user_texts(program):
    """Not so "gemini", which is in the name of the package."""
    knowing = {
        path.relative_to(ROOT / "companion").parts[0]
        for path in FILES.values()
        if program in path.read_text(encoding="utf-8").lower()
    }
    assert "agents" in knowing
    assert knowing <= {"agents", "settings.py", "commands.py"}
