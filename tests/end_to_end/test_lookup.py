"""The look for a window that Diagnose does over again gives what the published client gives, in any situation."""

from __future__ import annotations

import json
import os
import random

import pytest

from companion.agents.agent import DiscoveryFile, LookupContext
from companion.agents.gemini_cli import GEMINI_CLI
from companion.discovery import files
from companion.system.platform import Platform
from companion.system.processes import is_alive
from tests.clients.json_lines import Program
from tests.tools import cache, nodes

SCRIPT = os.path.join(cache.ROOT, "tests", "clients", "gemini_core", "lookup.mjs")
SITUATIONS = 250


@pytest.fixture
def client(tmp_path):
    environment = dict(nodes.environment(nodes.packages("gemini_core")))
    with Program([nodes.node(), SCRIPT], cwd=str(tmp_path), env=environment) as program:
        yield program


class World:
    """Folders that contain one another, links among them, and processes alive and dead."""

    def __init__(self, top, seed):
        self.random = random.Random(seed)
        self.top = os.path.realpath(str(top))
        self.folders = [os.path.join(self.top, *parts) for parts in (("w",), ("w", "a"), ("w", "a", "b"), ("w", "ab"))]
        for folder in self.folders:
            os.makedirs(folder)
        link = os.path.join(self.top, "link")
        os.symlink(os.path.join(self.top, "w", "a"), link, target_is_directory=True)
        self.folders += [link, os.path.join(link, "b"), os.path.join(self.top, "w a")]
        os.mkdir(self.folders[-1])
        self.processes = [os.getpid(), os.getppid(), 1, 4000001, 4000002]

    def workspace(self):
        choices = [*self.folders, os.path.join(self.top, "none"), ""]
        return os.pathsep.join(self.random.choice(choices) for _ in range(self.random.randint(1, 3)))

    def write_files(self, directory):
        os.makedirs(directory)
        for _ in range(self.random.randint(0, 5)):
            port = self.random.randint(1, 4)
            content = {"port": self.random.choice([port, str(port)]), "workspacePath": self.workspace()}
            if self.random.random() < 0.1:
                del content["workspacePath"]
            text = json.dumps(content) if self.random.random() < 0.9 else self.random.choice(["{", "3", ""])
            name = f"gemini-ide-server-{self.random.choice(self.processes)}-{port}.json"
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.everything)])
def test_the_same_file_as_the_published_client(client, tmp_path, seed):
    world, platform = World(tmp_path, seed), Platform.current()
    found = 0
    for number in range(SITUATIONS):
        temporary = os.path.join(world.top, f"tmp-{number}")
        directory = os.path.join(temporary, "gemini", "ide")
        world.write_files(directory)
        folder = world.random.choice(world.folders)
        pid, port = world.random.choice(world.processes), world.random.choice(["", "1", "2", "9"])
        entries = [
            DiscoveryFile(name, files.read(os.path.join(directory, name), platform)) for name in os.listdir(directory)
        ]
        entries.sort(key=lambda entry: entry.name)
        lookup = LookupContext(folder, pid, port, platform, is_alive, os.path.realpath)
        chosen = GEMINI_CLI.choose(entries, lookup)
        read = client.call("look", temporary=temporary, folder=folder, pid=pid, port=port)
        assert read == (chosen.content if chosen is not None else None), (folder, pid, port, entries)
        found += chosen is not None
    assert SITUATIONS // 4 < found < SITUATIONS
