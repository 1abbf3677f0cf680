"""The type stubs say of build 4200's API what the test host, which is checked against the published API, says of it.

Parameters that newer builds alone have are none of theirs: what is written with these stubs runs on 4200.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any, Iterator, List, Tuple

import pytest

STUBS = Path(__file__).resolve().parents[2] / "stubs"

#: Names of types, which only the stubs have.
SINCE_4201 = {"max_size"}
ALIASES = {"Point", "Vector", "Value", "Arguments", "Kind", "Changed"}


def of_host(module: str) -> ModuleType:
    """The host's module, without making it what `import sublime` finds."""
    return importlib.import_module("tests.host.api." + module)


def declared(module: str) -> ast.Module:
    return ast.parse((STUBS / (module + ".pyi")).read_text(encoding="utf-8"))


def functions(module: str) -> Iterator[Tuple[str, ast.FunctionDef]]:
    """Every function and method of a stub, with its dotted name."""
    for node in declared(module).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    yield f"{node.name}.{member.name}", member


def find(module: ModuleType, dotted: str) -> Any:
    found: Any = module
    for name in dotted.split("."):
        found = getattr(found, name)
    return found


def in_stub(node: ast.FunctionDef) -> List[Tuple[str, bool, bool]]:
    """Name, whether by keyword only, and whether optional, of each parameter but the first of a method."""
    arguments = node.args
    optional = [False] * (len(arguments.args) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    described = [(entry.arg, False, has) for entry, has in zip(arguments.args, optional)]
    described += [(entry.arg, True, has is not None) for entry, has in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return [entry for entry in described if entry[0] not in ("self", "cls")]


def in_host(function: Any) -> List[Tuple[str, bool, bool]]:
    parameters = inspect.signature(function).parameters.values()
    return [
        (entry.name, entry.kind is entry.KEYWORD_ONLY, entry.default is not entry.empty)
        for entry in parameters
        if entry.name not in {"self", "cls", *SINCE_4201}
    ]


@pytest.mark.parametrize("module", ["sublime", "sublime_plugin"])
def test_every_name_of_the_stubs_exists(module: str) -> None:
    host = of_host(module)
    missing = []
    for node in declared(module).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            name = node.name
        else:
            continue
        if name not in ALIASES and not hasattr(host, name):
            missing.append(name)
    assert missing == []


@pytest.mark.parametrize("module", ["sublime", "sublime_plugin"])
def test_every_signature_of_the_stubs_is_the_real_one(module: str) -> None:
    host = of_host(module)
    wrong = []
    for name, node in functions(module):
        if name.split(".")[-1].startswith("__") or name.split(".")[0] in ("EventListener", "ViewEventListener"):
            continue  # special methods go by the language; listeners' methods exist only where a plugin defines them
        if in_stub(node) != in_host(find(host, name)):
            wrong.append((name, in_stub(node), in_host(find(host, name))))
    assert wrong == []


def test_every_number_of_the_stubs_is_the_real_one() -> None:
    host = of_host("sublime")
    wrong = []
    for node in declared("sublime").body:
        if isinstance(node, ast.ClassDef) and any("enum" in ast.dump(base) for base in node.bases):
            for member in node.body:
                assert isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name)
                name = member.targets[0].id
                if int(getattr(find(host, node.name), name)) != ast.literal_eval(member.value):
                    wrong.append(f"{node.name}.{name}")
    assert wrong == []
