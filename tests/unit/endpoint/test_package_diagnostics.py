"""What other packages have found is gathered once for all who wait, a file at a time, and no more than is told."""

from __future__ import annotations

import asyncio
import itertools
import sys
from types import ModuleType, SimpleNamespace

import pytest


class Runtime:
    """Hands everything over in a later turn of the loop, once it is free to, and notes what ran where."""

    def __init__(self):
        self.main = []
        self.workers = 0
        self.busy = False
        self.at_once = self.most_at_once = 0

    async def _turn(self):
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(0)
            while self.busy:
                await asyncio.sleep(0)
        finally:
            self.at_once -= 1

    async def call_main(self, function, *args):
        await self._turn()
        self.main.append((function.__name__, *args[1:]))
        return function(*args)

    async def in_worker(self, function, *args):
        await self._turn()
        self.workers += 1
        return function(*args)


class World:
    """A window with LSP, which has `found` the messages of each file."""

    def __init__(self, module):
        self.runtime = Runtime()
        self.found = {"a": ["first"], "b": ["second"]}
        self.shared = ["a", "b"]
        self.subject = module.Diagnostics(object(), self.runtime, self._shared_files)

    def _shared_files(self):
        return list(self.shared)

    def told(self, files):
        return {file.path: [diagnostic.message for diagnostic in file.diagnostics] for file in files}

    async def ask(self, *paths):
        return self.told(await self.subject.of(paths or None))

    def diagnostics(self, path):
        """As LSP has them."""
        for message in self.found.get(path, ()):
            yield message if isinstance(message, dict) else diagnostic(message)


def diagnostic(message, line=0, severity=1):
    place = {"line": line, "character": 0}
    return {"message": message, "severity": severity, "range": {"start": place, "end": place}}


@pytest.fixture
def world(load, monkeypatch):
    world = World(load("companion.endpoint.diagnostics"))
    kept = SimpleNamespace(get_diagnostics_for_uri=world.diagnostics)
    session = SimpleNamespace(diagnostics=kept, config=SimpleNamespace(name="a server"))
    lsp = ModuleType("LSP.plugin")
    lsp.filename_to_uri = str
    lsp.LspWindowCommand = lambda window: SimpleNamespace(sessions=lambda: [session])
    monkeypatch.setitem(sys.modules, "LSP.plugin", lsp)
    monkeypatch.delitem(sys.modules, "SublimeLinter.lint.persist", raising=False)
    return world


def test_whoever_asks_later_hears_of_what_was_found_later(world):
    assert asyncio.run(world.ask("a")) == {"a": ["first"]}
    world.found["a"] = ["later"]
    assert asyncio.run(world.ask("a")) == {"a": ["later"]}

    async def twice():
        before = await world.ask("a")
        world.found["a"] = []
        return before, await world.ask("a")

    assert asyncio.run(twice()) == ({"a": ["later"]}, {})


def test_equal_messages_at_one_place_are_told_once_with_the_worst_severity(world):
    world.found["a"] = [diagnostic("same", severity=severity) for severity in (2, 1, 3)]
    (file,) = asyncio.run(world.subject.of(("a",)))
    assert [(each.message, each.severity.name) for each in file.diagnostics] == [("same", "ERROR")]


def test_a_file_that_is_named_is_the_only_one_that_is_asked_for(world):
    assert asyncio.run(world.ask("b")) == {"b": ["second"]}
    assert world.runtime.main == [("_taken", "b")]


def test_of_all_shared_files_those_are_told_of_which_something_is_known(world):
    world.shared.append("c")
    assert asyncio.run(world.ask()) == {"a": ["first"], "b": ["second"]}
    assert world.runtime.main == [("_shared_files",), ("_taken", "a"), ("_taken", "b"), ("_taken", "c")]
    assert world.runtime.workers == 2, "nothing is read of a file in which nothing was found"


def test_equal_waiting_questions_are_answered_together_and_others_in_turn(world):
    async def ask():
        return await asyncio.gather(*(world.ask(*paths) for paths in [(), ("a",), (), ("b",), ("a",), ()]))

    everything, a, again, b, a_again, once_more = asyncio.run(ask())
    assert everything == again == once_more == {"a": ["first"], "b": ["second"]}
    assert (a, b, a_again) == ({"a": ["first"]}, {"b": ["second"]}, {"a": ["first"]})
    assert [path for name, *path in world.runtime.main] == [[], ["a"], ["b"], ["a"], ["b"]]
    assert world.runtime.most_at_once == 1


def test_an_answer_already_under_way_is_not_given_to_a_later_question(world):
    async def ask():
        first = asyncio.ensure_future(world.ask("a"))
        while not world.runtime.main:
            await asyncio.sleep(0)
        world.found["a"] = ["later"]
        return await world.ask("a"), await first

    assert asyncio.run(ask()) == ({"a": ["later"]}, {"a": ["first"]})


def test_who_gives_up_takes_nothing_from_others_who_asked_the_same(world):
    async def ask():
        world.runtime.busy = True
        impatient, patient = (asyncio.ensure_future(world.ask("a")) for _ in range(2))
        while not world.runtime.at_once:
            await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.wait([impatient])
        world.runtime.busy = False
        return await patient

    assert asyncio.run(ask()) == {"a": ["first"]}


def test_what_never_ends_is_cut_off_and_the_worst_of_it_is_told(world):
    drawn = []

    def endless():
        for number in itertools.count():
            drawn.append(number)
            yield diagnostic(f"{number}", severity=1 if number == 4999 else 4)

    world.found["a"] = endless()
    told = asyncio.run(world.ask("a"))
    assert len(drawn) == 5000
    assert len(told["a"]) == 500
    assert "4999" in told["a"]


def test_no_more_is_read_than_can_be_told(world):
    read = []

    class Counted(dict):
        def __getitem__(self, key):
            if key == "message":
                read.append(key)
            return super().__getitem__(key)

    world.found["a"] = [Counted(diagnostic("the same")) for _ in range(3000)]
    assert asyncio.run(world.ask("a")) == {"a": ["the same"]}
    assert len(read) == 1000


def test_in_the_order_of_the_lines_and_of_one_line_the_worst_first(world):
    world.found["a"] = [
        diagnostic("a hint", 7, severity=4),
        diagnostic("an error", 7, severity=1),
        diagnostic("before", 3, severity=3),
        diagnostic("a warning", 7, severity=2),
    ]
    assert asyncio.run(world.ask("a")) == {"a": ["before", "an error", "a warning", "a hint"]}


def test_the_same_on_two_lines_is_told_twice(world):
    world.found["a"] = [diagnostic("unused", 1), diagnostic("unused", 2), diagnostic("unused", 1, severity=2)]
    assert asyncio.run(world.ask("a")) == {"a": ["unused", "unused"]}
