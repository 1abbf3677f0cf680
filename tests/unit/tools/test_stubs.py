"""The type stubs say of build 4200's API what the test host, which is checked against the published API, says of it.

Parameters that newer builds alone have are none of theirs: what is written with these stubs runs on 4200.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any, List, Tuple

import pytest

from tests.tools import stubs

SINCE_4201 = {"max_size"}


def of_host(module: str) -> ModuleType:
    """The host's module, without making it what `import sublime` finds."""
    return importlib.import_module("tests.host.api." + module)


def declared(module: str) -> stubs.Stub:
    return stubs.read(Path(stubs.OURS, module + ".pyi").read_text(encoding="utf-8"))


def find(module: ModuleType, dotted: str) -> Any:
    found: Any = module
    for name in dotted.split("."):
        found = getattr(found, name)
    return found


def in_host(function: Any) -> List[Tuple[str, bool, bool]]:
    parameters = inspect.signature(function).parameters.values()
    return [
        (entry.name, entry.kind is entry.KEYWORD_ONLY, entry.default is not entry.empty)
        for entry in parameters
        if entry.name not in {"self", "cls", *SINCE_4201}
    ]


@pytest.mark.parametrize("module", stubs.MODULES)
def test_every_name_of_the_stubs_exists(module: str) -> None:
    host = of_host(module)
    names = [name for name in declared(module).names if name not in stubs.TYPES_OF_OURS]
    assert [name for name in names if not hasattr(host, name)] == []


@pytest.mark.parametrize("module", stubs.MODULES)
def test_every_signature_of_the_stubs_is_the_real_one(module: str) -> None:
    host = of_host(module)
    wrong = []
    for name, node in declared(module).functions.items():
        if name.split(".")[-1].startswith("__") or name.split(".")[0] in ("EventListener", "ViewEventListener"):
            continue  # special methods go by the language; listeners' methods exist only where a plugin defines them
        if stubs.parameters(node) != in_host(find(host, name)):
            wrong.append((name, stubs.parameters(node), in_host(find(host, name))))
    assert wrong == []


def test_every_number_of_the_stubs_is_the_real_one() -> None:
    host = of_host("sublime")
    numbers = declared("sublime").numbers
    assert numbers
    assert {name: value for name, value in numbers.items() if int(find(host, name)) != value} == {}
