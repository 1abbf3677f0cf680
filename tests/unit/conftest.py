"""What unit tests share: the names of an editor, an editor and a loop that the test steps through, names of cases."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Iterator, Optional

import hypothesis
import pytest

from companion.common.clock import Clock
from companion.common.clock import clock as the_clock
from tests.support.stepping import SteppedEditor, SteppedLoop, SteppedRuntime
from tests.unit.slow_package import Package, slow_package

LONGEST = 100


class NoEditor(ModuleType):
    """Modules may name what the editor has when they are imported. Nothing of it works."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {}) if name[:1].isupper() and not name.isupper() else 0


# A busy machine fails no test: how long an example takes is not looked at.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

for needed in ("sublime", "sublime_plugin"):
    sys.modules.setdefault(needed, NoEditor(needed))


def with_editor(name: str, monkeypatch: Any, editor: Any) -> ModuleType:
    """The module `name` of the package, with `editor` for its `sublime`, whoever has imported it before."""
    module = importlib.import_module(name)
    monkeypatch.setattr(module, "sublime", editor)
    return module


@pytest.fixture(autouse=True)
def _time_goes_on() -> Iterator[None]:
    """Each test has the machine's time at first, and what an earlier one has left behind hears of the clock no more."""
    yield
    the_clock.__init__()  # type: ignore[misc]


@pytest.fixture
def later(monkeypatch: Any) -> Callable[[float], None]:
    """Lets so many seconds pass at once, by the package's clock, and for loops that are not a runtime's."""
    monkeypatch.setattr(asyncio.BaseEventLoop, "time", lambda loop: the_clock.now())
    return the_clock.advance


@pytest.fixture
def clock(later: Callable[[float], None]) -> Clock:
    """The package's clock, which stands still but when the test moves it on: what waits for a timer cannot happen."""
    the_clock.freeze()
    return the_clock


@pytest.fixture
def editor() -> SteppedEditor:
    """The editor of this test."""
    return SteppedEditor()


@pytest.fixture
def runtime() -> SteppedRuntime:
    """A runtime that hands nothing over by itself."""
    return SteppedRuntime()


@pytest.fixture
def loop() -> Iterator[SteppedLoop]:
    """A loop whose time the test moves on."""
    stepped = SteppedLoop()
    yield stepped
    for task in asyncio.all_tasks(stepped):
        task.cancel()  # else each complains in whatever test runs when it is collected
    stepped.step()
    stepped.close()


@pytest.fixture
def package(tmp_path: Path, editor: SteppedEditor, monkeypatch: Any) -> Iterator[Package]:
    """A package whose modules are imported when the test says so."""
    yield from slow_package(tmp_path, editor, monkeypatch)


@pytest.fixture
def load(monkeypatch: Any, editor: SteppedEditor) -> Any:
    """Loads a module of the package that needs an editor: this one."""
    return lambda name: with_editor(name, monkeypatch, editor)


def pytest_make_parametrize_id(val: Any, argname: str) -> Optional[str]:
    """A long text gives a case its length as a name, where older releases of pytest would take all of it."""
    return f"{argname} of {len(val)}" if isinstance(val, (str, bytes)) and len(val) > LONGEST else None
