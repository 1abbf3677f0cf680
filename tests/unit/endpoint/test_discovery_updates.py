"""One window's discovery files: the latest request is carried out, one at a time, and a failure is tried again."""

from __future__ import annotations

import pytest

from companion.agents.ide_companion import IDE_COMPANION
from companion.discovery.files import DiscoveryError
from companion.editor.scope import Scope
from companion.endpoint import discovery_updates
from companion.endpoint.servers import Service
from companion.protocol.serving import Address
from companion.settings import Settings
from tests.support.programs import disabled

TOKENS = {"Gemini CLI": "one", "Qwen Code": "another", "LLxprt Code": "a third"}
ALL = ["gemini", "qwen", "llxprt"]


class Window:
    """A window with one folder, at first."""

    def __init__(self):
        self.opened = ["/code"]
        self.project = None

    def folders(self):
        return list(self.opened)

    def project_file_name(self):
        return self.project


class Publisher:
    """Stands for the writer of the files, which tests of its own cover."""

    def __init__(self):
        self.published = []
        self.broken = None
        self.closed = False

    def publish(self, announcement, agents):
        if self.broken is not None:
            raise self.broken
        self.published.append((announcement.port, tuple(announcement.folders), [agent.key for agent in agents]))

    def close(self):
        self.closed = True


class World:
    """A discovery updater and all around it."""

    def __init__(self, module, runtime):
        self.runtime = runtime
        self.window = Window()
        self.settings = Settings()
        self.active = None
        self.asked = 0
        self.reports = []
        self.discovery_updater = module.DiscoveryUpdater(
            Scope(self.window, runtime, lambda: self.settings), self.active_file, self.reports.append
        )
        self.publisher = self.discovery_updater._publishers["ide_companion"]

    def active_file(self):
        self.asked += 1
        return self.active

    def announce(self, port=1):
        self.discovery_updater.announce((Service(IDE_COMPANION, Address(port), TOKENS, 0),))

    def work(self):
        """Everything that waits for a worker runs, and its end is told to the main thread."""
        while self.runtime.workers.jobs:
            self.runtime.workers.step()
            self.runtime.editor.step()


@pytest.fixture
def module(monkeypatch):
    monkeypatch.setattr(discovery_updates, "Publisher", Publisher)
    return discovery_updates


@pytest.fixture
def world(module, clock, runtime):
    return World(module, runtime)


def test_what_the_window_is_like_is_published_by_a_worker(world):
    world.announce()
    assert world.publisher.published == []
    assert not world.discovery_updater.has_announced
    world.work()
    assert world.publisher.published == [(1, ("/code",), ALL)]
    assert world.discovery_updater.folders == ("/code",)
    assert world.discovery_updater.has_announced
    assert world.reports == [None]


def test_folders_that_are_not_published_yet_are_not_the_windows(world):
    world.announce()
    world.work()
    assert world.discovery_updater.is_current
    world.window.opened = ["/code", "/more"]
    world.announce()
    assert not world.discovery_updater.is_current
    world.work()
    assert world.discovery_updater.is_current


def test_an_equal_request_is_repeated_only_after_a_minute_or_when_wanted(world, clock):
    def announced():
        world.announce()
        world.work()
        return len(world.publisher.published)

    assert (announced(), announced()) == (1, 1)
    clock.advance(59)
    assert announced() == 1
    clock.advance(2)
    assert (announced(), announced()) == (2, 2)
    world.discovery_updater.expire()
    assert (announced(), announced()) == (3, 3)


@pytest.mark.parametrize("change", ["port", "folders", "project", "gemini", "qwen"])
def test_whatever_changes_is_published(world, change):
    if change == "project":
        world.window.opened = []  # with folders the project's file does not matter
    world.announce()
    world.work()
    if change == "folders":
        world.window.opened = ["/code", "/more"]
    elif change == "project":
        world.window.project = "/code/a.sublime-project"
    elif change in ("gemini", "qwen"):
        world.settings = disabled(change)
    world.announce(2 if change == "port" else 1)
    world.work()
    assert len(world.publisher.published) == 2


@pytest.mark.parametrize("error", [DiscoveryError, RuntimeError])
def test_a_failure_is_said_and_tried_again_although_nothing_else_happens(world, error):
    world.publisher.broken = error("The disk is full.")
    world.announce()
    world.work()
    assert world.reports == ["The disk is full."]
    assert world.runtime.editor.waiting == [5000]
    world.runtime.editor.step(5000)
    world.work()
    assert world.reports == ["The disk is full."] * 2
    world.publisher.broken = None
    world.runtime.editor.step(4999)
    assert not world.runtime.workers.jobs
    world.runtime.editor.step(1)
    world.work()
    assert world.publisher.published == [(1, ("/code",), ALL)]
    assert world.reports[-1] is None
    assert world.runtime.editor.waiting == [], "all is well, so nothing is tried again"


def test_folders_are_known_even_if_one_of_the_agents_could_not_be_told(world):
    world.publisher.broken = DiscoveryError("Not allowed.")
    world.announce()
    world.work()
    assert world.discovery_updater.folders == ("/code",)


def test_only_the_latest_request_that_comes_meanwhile_is_carried_out_next(world):
    world.announce(1)
    for port in (2, 3, 4):
        world.announce(port)
    assert len(world.runtime.workers.jobs) == 1, "one at a time"
    world.work()
    assert [port for port, *_ in world.publisher.published] == [1, 4]


def test_a_wish_that_comes_while_one_fails_is_not_kept_waiting(world):
    world.publisher.broken = DiscoveryError("The disk is full.")
    world.announce(1)
    world.runtime.workers.step()
    world.announce(2)
    world.publisher.broken = None
    world.runtime.editor.step()
    assert len(world.runtime.workers.jobs) == 1
    world.work()
    assert [port for port, *_ in world.publisher.published] == [2]
    assert world.runtime.editor.waiting == []


def test_the_active_file_matters_only_without_folders_and_project(world):
    world.announce()
    assert world.asked == 0
    world.window.opened = []
    world.announce()
    assert world.asked == 1
    world.window.project = "/code/a.sublime-project"
    world.announce()
    assert world.asked == 1


def test_once_withdrawn_nothing_is_published_any_more(world):
    world.discovery_updater.withdraw()
    assert world.publisher.closed


def test_a_folder_whose_name_no_client_can_take_apart_is_said_once(world, caplog, module):
    world.window.opened = ["/a" + module.os.pathsep + "b", "/code"]
    for port in (1, 2, 3):
        world.announce(port)
        world.work()
    assert len([record for record in caplog.records if "agents cannot find" in record.getMessage()]) == 1
    assert world.publisher.published[0][1] == ("/code",)
