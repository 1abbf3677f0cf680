"""The wait for the libraries: shown at once, said once it lasts, and over by itself as soon as they are there."""

from __future__ import annotations

import importlib

import pytest

from companion import libraries
from companion.libraries import RETRY_SECONDS, Libraries, missing_libraries


@pytest.fixture
def missing(monkeypatch):
    """What is missing now; the test changes it."""
    names = ["aiohttp"]
    monkeypatch.setattr(libraries, "missing_libraries", lambda: list(names))
    return names


async def call(function):
    """Stands for the thread for imports."""
    return function()


@pytest.fixture
def said():
    return []


@pytest.fixture
def shown():
    """What the status bar has shown, None for that nothing is wrong."""
    return []


@pytest.fixture
def made(said, shown):
    found = Libraries(call, lambda: shown.append(found.problem), said.append)
    return found


@pytest.fixture
def waiting(loop, made, missing):
    """Somebody who waits for the libraries."""
    task = loop.create_task(made.imported(lambda: None))
    loop.step()
    return task


def test_what_is_missing_is_shown_for_as_long_as_it_is(waiting, loop, missing, shown):
    advice = "run “Package Control: Satisfy Libraries” from the command palette"
    assert shown == ["the library aiohttp is missing: " + advice]
    for _ in range(10):
        loop.step(RETRY_SECONDS)
    assert len(shown) == 1
    missing.append("jsonschema")
    loop.step(RETRY_SECONDS)
    assert shown[-1].startswith("the libraries aiohttp and jsonschema are missing: run")
    missing.clear()
    loop.step(RETRY_SECONDS)
    assert shown[2:] == [None]


def test_nobody_hears_of_libraries_that_come_within_seconds(waiting, loop, missing, said):
    loop.step(RETRY_SECONDS)
    assert not waiting.done()
    missing.clear()
    loop.step(RETRY_SECONDS)
    assert waiting.done()
    assert said == []


def test_what_stays_away_is_said_once_and_waited_for_all_the_same(waiting, loop, missing, said):
    for _ in range(10):
        loop.step(RETRY_SECONDS)
    assert len(said) == 1
    assert said[0].startswith("the library aiohttp is missing: run")
    missing.clear()
    loop.step(RETRY_SECONDS)
    assert waiting.done()


def test_something_else_that_is_missing_is_said_too(waiting, loop, missing, said):
    for _ in range(5):
        loop.step(RETRY_SECONDS)
    missing[:] = ["jsonschema"]
    loop.step(RETRY_SECONDS)
    assert [sentence.split(":")[0] for sentence in said] == [
        "the library aiohttp is missing",
        "the library jsonschema is missing",
    ]


def test_what_needs_them_is_imported_apart_once_they_are_there(loop, missing):
    called = []

    async def importing(function):
        called.append(function)
        return function()

    def load():
        return "imported"

    made = Libraries(importing, lambda: None, print)
    task = loop.create_task(made.imported(load))
    loop.step()
    assert called == [libraries.obstacle]
    assert not task.done()
    missing.clear()
    loop.step(RETRY_SECONDS)
    assert task.result() == "imported"
    assert called == [libraries.obstacle, libraries.obstacle, load]


def test_everybody_who_waits_goes_on(loop, made, missing, said):
    tasks = [loop.create_task(made.imported(lambda: None)) for _ in range(5)]
    loop.step()
    assert said == [], "however many wait, it is one wait"
    missing.clear()
    loop.step(RETRY_SECONDS)
    assert all(task.done() for task in tasks)
    later = loop.create_task(made.imported(lambda: None))
    loop.step()
    assert later.done()


def test_what_a_library_itself_needs_is_named(monkeypatch):
    def import_module(name):
        raise ImportError("no", name="yarl._quoting")

    monkeypatch.setattr(importlib, "import_module", import_module)
    assert missing_libraries() == ["yarl"]
