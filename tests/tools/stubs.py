"""Compares our type stubs of the editor's API with the published ones, as far as ours go.

    python tests/tools/stubs.py        # in the environment that has the published ones, see types_newest.ini

Ours are needed as long as code is checked for Python 3.8, for which the published ones cannot be installed.
Rule: what ours declare must be in theirs, with the same parameters and numbers; theirs may have more. No types are
compared: the type checker, which runs with either, does that where it matters.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from typing import Dict, Iterator, List, NamedTuple, Tuple

MODULES = ("sublime", "sublime_plugin")
OURS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stubs")
#: Names of types that our stubs give what the published ones keep in a module of its own or write out.
TYPES_OF_OURS = {"Point", "Vector", "Value", "Arguments", "Kind", "Changed", "WindowLayout"}

Parameter = Tuple[str, bool, bool]


class Stub(NamedTuple):
    """One module: its functions and methods by dotted names, its numbers, all its names, and the bases of classes."""

    functions: Dict[str, ast.FunctionDef]
    numbers: Dict[str, object]
    names: List[str]
    bases: Dict[str, List[str]]


def read(text: str) -> Stub:
    """Reads the text of a stub. Raises SyntaxError."""
    stub = Stub({}, {}, [], {})
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            stub.functions[node.name] = node
            stub.names.append(node.name)
        elif isinstance(node, ast.ClassDef):
            stub.names.append(node.name)
            stub.bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    stub.functions[f"{node.name}.{member.name}"] = member
                elif isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
                    stub.numbers[f"{node.name}.{member.targets[0].id}"] = ast.literal_eval(member.value)
        else:
            stub.names.extend(_assigned(node))
    return stub


def parameters(function: ast.FunctionDef) -> List[Parameter]:
    """Name, whether by keyword only, and whether optional, of each parameter but the first of a method."""
    arguments = function.args
    optional = [False] * (len(arguments.args) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    described = [(entry.arg, False, has) for entry, has in zip(arguments.args, optional)]
    described += [(entry.arg, True, has is not None) for entry, has in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return [entry for entry in described if entry[0] not in ("self", "cls")]


def differences(ours: Stub, theirs: Stub) -> Iterator[str]:
    """A sentence for each thing that ours declare and theirs do not, or otherwise."""
    for name in ours.names:
        if name not in theirs.names and name not in ours.functions and name not in TYPES_OF_OURS:
            yield f"{name} is not published"
    for name, value in ours.numbers.items():
        if theirs.numbers.get(name) != value:
            yield f"{name} is {value!r} here and {theirs.numbers.get(name)!r} there"
    for name, function in ours.functions.items():
        published = _find(theirs, name)
        if name.split(".")[-1].startswith("__"):
            continue  # special methods go by the language
        if published is None:
            yield f"{name} is not published"
            continue
        here, there = parameters(function), parameters(published)
        if here != there[: len(here)] or not all(optional for _, _, optional in there[len(here) :]):
            yield f"{name} has the parameters {here} here and {there} there"


def _find(stub: Stub, name: str) -> ast.FunctionDef | None:
    if name in stub.functions or "." not in name:
        return stub.functions.get(name)
    owner, _, method = name.partition(".")
    found = (_find(stub, f"{base}.{method}") for base in stub.bases.get(owner, []))
    return next((function for function in found if function is not None), None)


def _assigned(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return (target.id for target in targets if isinstance(target, ast.Name))


def _read_file(path: str) -> Stub:
    with open(path, encoding="utf-8") as file:
        return read(file.read())


def main() -> int:
    """Prints what differs. Exit status 1 if anything does."""
    found = []
    for module in MODULES:
        published = os.path.join(sysconfig.get_paths()["purelib"], module + "-stubs", "__init__.pyi")
        ours, theirs = (_read_file(path) for path in (os.path.join(OURS, module + ".pyi"), published))
        found += [f"{module}: {text}" for text in differences(ours, theirs)]
    print("\n".join(found) or "Our stubs and the published ones say the same.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
