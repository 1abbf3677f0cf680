"""Makes the package's parts importable from the top of the project."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from tests.support.tracking import Bench, Region


@pytest.fixture
def bench(monkeypatch):
    if "sublime" not in sys.modules:
        monkeypatch.setitem(sys.modules, "sublime", ModuleType("sublime"))
    monkeypatch.setattr(sys.modules["sublime"], "Region", Region, raising=False)
    module = importlib.import_module("companion.context.tracker")
    reading = importlib.import_module("companion.context.tracker")
    monkeypatch.setattr(reading, "sublime", sys.modules["sublime"])
    return Bench(module)
