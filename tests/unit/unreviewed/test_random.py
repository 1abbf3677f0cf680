"""Random days: an agent writes, the user saves, git moves, the package ends without a word; whose is each line?

An oracle knows who wrote each line. What the package calls "before" must be exactly the user's text: no line of his is
ever undone, no line of the agent's kept silently.
"""

from __future__ import annotations

import copy
import os
import random
import subprocess
from typing import Dict, List, NamedTuple, Optional

import pytest

from companion.system.platform import Platform
from companion.unreviewed.contents import NOTHING
from companion.unreviewed.files import Rules
from companion.unreviewed.git import Repository, find_git
from companion.unreviewed.listing import Listing
from companion.unreviewed.merging import hunks_between
from companion.unreviewed.store import Store
from companion.unreviewed.undoing import Refusal, restore, undo
from companion.unreviewed.workspace import Workspace

STEPS = {True: 150, False: 5000}  # with git each step starts several processes
RULES = Rules(lambda path: False, lambda path, is_folder: os.path.basename(path) == ".git")


class Line(NamedTuple):
    """A line of the oracle: `added` or `removed` by the agent and not reviewed."""

    text: str
    added: bool = False
    removed: bool = False


class Oracle:
    """What one file holds, line by line."""

    def __init__(self) -> None:
        self.lines: List[Line] = []
        self.exists = self.existed = False

    @property
    def now(self) -> Optional[bytes]:
        return "".join(line.text for line in self.lines if not line.removed).encode() if self.exists else None

    @property
    def before(self) -> Optional[bytes]:
        return "".join(line.text for line in self.lines if not line.added).encode() if self.existed else None

    def keep(self) -> None:
        self.lines = [Line(line.text) for line in self.lines if not line.removed]
        self.existed = self.exists

    def undo(self) -> None:
        self.lines = [Line(line.text) for line in self.lines if not line.added]
        self.exists = self.existed


class Day:
    """A folder, its workspace, and the oracle of each file."""

    def __init__(self, folder: str, store: str, seed: int, with_git: bool) -> None:
        self.folder, self.store_folder = folder, store
        self.random = random.Random(seed)
        self.with_git = with_git
        self.files: Dict[str, Oracle] = {f"{name}.txt": Oracle() for name in "abcd"}
        self.count = 0
        self.committed: Dict[str, Optional[bytes]] = {}
        for oracle in self.files.values():
            oracle.lines = [Line(self.text("first")) for _ in range(8)]
            oracle.exists = oracle.existed = True
        for name in self.files:
            self.write(name)
        if with_git:
            self.git("init", "-q")
            self.git("add", "-A")
            self.git("commit", "-q", "-m", "first")
            self.committed = {name: oracle.now for name, oracle in self.files.items()}
        self.workspace = self.begin()

    def begin(self) -> Workspace:
        repository = None
        if self.with_git:
            program = find_git(Platform.current(), [self.folder])
            assert program is not None
            repository = Repository(program, self.folder, os.environ)
        workspace = Workspace(self.folder, Store(self.store_folder), repository)
        workspace.use(RULES)
        workspace.begin(lambda: False)
        return workspace

    def git(self, *command: str) -> None:
        identity = ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *command], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def text(self, who: str) -> str:
        self.count += 1
        return f"{who} {self.count}\n"

    def write(self, name: str) -> None:
        path, data = os.path.join(self.folder, name), self.files[name].now
        if data is None:
            if os.path.exists(path):
                os.unlink(path)
            return
        with open(path, "wb") as file:
            file.write(data)

    def look(self) -> None:
        self.workspace.look(lambda: False)

    def step(self) -> None:
        name = self.random.choice(sorted(self.files))
        steps = [self.agent_writes] * 4 + [self.user_saves] * 4 + [self.decide] * 3 + [self.crash]
        steps += [self.agent_creates_or_deletes] * 2 + ([self.commit] if self.with_git else [])
        self.random.choice(steps)(name)
        self.look()
        self.check()

    def agent_writes(self, name: str) -> None:
        oracle = self.files[name]
        if not oracle.exists:
            return
        for _ in range(self.random.randrange(1, 3)):
            place = self.random.randrange(len(oracle.lines) + 1)
            new = [Line(self.text("agent"), added=True) for _ in range(self.random.randrange(1, 3))]
            oracle.lines[place:place] = new
        if self.random.random() < 0.6 and oracle.lines:
            place = self.random.randrange(len(oracle.lines))
            line = oracle.lines[place]
            oracle.lines[place : place + 1] = [] if line.added else [line._replace(removed=True)]
        self.write(name)

    def user_saves(self, name: str) -> None:
        oracle = self.files[name]
        free = [place for place in range(len(oracle.lines) + 1) if self.untouched(oracle, place)]
        if not oracle.exists or not free:
            return
        place = self.random.choice(free)
        oracle.lines.insert(place, Line(self.text("user")))
        if self.random.random() < 0.4:
            own = [place for place in range(len(oracle.lines)) if self.lone(oracle, place)]
            if own:
                del oracle.lines[self.random.choice(own)]
        self.workspace.saving(name)
        self.write(name)
        data = oracle.now
        assert data is not None
        if self.random.random() < 0.5:
            self.look()  # before the editor's event has come
        self.workspace.saved(name, data)

    @staticmethod
    def untouched(oracle: Oracle, place: int) -> bool:
        """Whether no line beside the place is the agent's, or was taken by it."""
        return all(not (line.added or line.removed) for line in oracle.lines[max(0, place - 1) : place + 1])

    def lone(self, oracle: Oracle, place: int) -> bool:
        return self.untouched(oracle, place) and self.untouched(oracle, place + 1)

    def agent_creates_or_deletes(self, name: str) -> None:
        oracle = self.files[name]
        if oracle.exists:
            oracle.exists = False
            # Whatever it deletes is as the user left it.
            oracle.lines = [line._replace(removed=False) for line in oracle.lines if not line.added]
        elif not oracle.existed:
            oracle.exists = True
            oracle.lines = [Line(self.text("agent"), added=True) for _ in range(4)]
        self.write(name)

    def decide(self, name: str) -> None:
        oracle = self.files[name]
        now, before = self.workspace._model.now(name), self.workspace._model.before(name)
        if now == before:
            return
        if self.random.random() < 0.5:
            assert self.workspace.keep(name, before, now)
            oracle.keep()
            return
        change = next((each for each in Listing(self.workspace).lists().changes if each.path == name), None)
        if change is None or change.old_path:
            return  # a rename is another file's, too
        if self.random.random() < 0.5 or not (now.there and before.there):
            former = copy.copy(oracle)
            self.assert_undone(undo(self.workspace, [change], (), self.store_folder, float(self.count)))
            oracle.undo()
            if self.random.random() < 0.3:
                self.look()
                self.check()
                self.assert_undone(restore(self.workspace, (), self.store_folder))
                self.files[name] = former
            return
        old, new = self.workspace.data(before), self.workspace.data(now)
        assert old is not None
        assert new is not None
        hunks = hunks_between(old, new)
        some = self.random.sample(hunks, self.random.randrange(1, len(hunks) + 1))
        if self.random.random() < 0.5:
            assert self.workspace.keep(name, before, now, some)
        else:
            self.assert_undone(undo(self.workspace, [change], (), self.store_folder, float(self.count), some))
        self.look()
        self.relearn(name)

    @staticmethod
    def assert_undone(refused: List[Refusal]) -> None:
        assert refused == []

    def relearn(self, name: str) -> None:
        """After a hunk the oracle takes over the two texts: which lines a hunk holds is the comparison's to say."""
        oracle = self.files[name]
        old = self.workspace.data(self.workspace._model.before(name))
        with open(os.path.join(self.folder, name), "rb") as file:
            new = file.read()
        assert old is not None
        before, now = old.decode().splitlines(True), new.decode().splitlines(True)
        mine = {line.text for line in oracle.lines if not line.added}
        assert all(line in mine or line in now for line in before if line.startswith("agent"))
        lines: List[Line] = []
        place = 0
        for hunk in hunks_between(old, new):
            lines += [Line(text) for text in before[place : hunk.left_start]]
            lines += [Line(text, removed=True) for text in before[hunk.left_start : hunk.left_end]]
            lines += [Line(text, added=True) for text in now[hunk.right_start : hunk.right_end]]
            place = hunk.left_end
        oracle.lines = lines + [Line(text) for text in before[place:]]

    def commit(self, name: str) -> None:
        self.git("add", "-A")
        if subprocess.run(["git", "diff", "--cached", "--quiet"], cwd=self.folder, check=False).returncode:
            self.git("commit", "-q", "-m", "more")
            for name, oracle in self.files.items():
                # A file that no commit has had, and that has gone, is in this one neither.
                if self.committed.get(name) != oracle.now:
                    oracle.keep()
                self.committed[name] = oracle.now

    def crash(self, name: str) -> None:
        self.workspace = self.begin()

    def check(self) -> None:
        for name, oracle in self.files.items():
            before = self.workspace._model.before(name)
            held = None if before == NOTHING else self.workspace.data(before)
            assert held == oracle.before, name
        listed = {change.path for change in self.workspace.changes()}
        assert listed == {name for name, oracle in self.files.items() if oracle.before != oracle.now}


@pytest.mark.parametrize("with_git", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_line_changes_hands(tmp_path, monkeypatch, seed, with_git):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))  # of the trash
    folder = tmp_path / "folder"
    folder.mkdir()
    day = Day(str(folder), str(tmp_path / "store"), seed, with_git)
    for _ in range(STEPS[with_git]):
        day.step()
