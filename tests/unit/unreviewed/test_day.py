"""A day of one user in twenty steps, with a program that is connected and idle: nothing is counted."""

from __future__ import annotations

import os
from functools import partial

import pytest

from companion.unreviewed.schedule import INTERVAL_SECONDS
from tests.unit.unreviewed.conftest import TEXT, text


class UserDay:
    """What the user does, in the editor and in a terminal."""

    def __init__(self, repository, tracking, tabs, runtime):
        self.repository, self.tracking, self.tabs, self.runtime = repository, tracking, tabs, runtime
        self.git = repository.git
        self.events = tabs.Tabs(tracking)

    def save(self, name, data):
        """Save a tab."""
        path = str(self.repository.folder / name)
        self.tracking.saves.begin(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        self.tracking.carry_out_at(path, partial(self.tabs.take_over, path, data.decode(), "UTF-8", "Unix"))
        self.tracking.saves.ended(path)

    def rename(self, old, new):
        """Rename a file in the side bar."""
        folder = self.repository.folder
        self.events.commanded("rename_path", {"paths": [str(folder / old)]})
        self.runtime.step(INTERVAL_SECONDS)  # the user types
        (folder / old).rename(folder / new)

    def delete(self, name):
        """Delete a file in the side bar."""
        (self.repository.folder / name).unlink()
        self.events.commanded("delete_file", {"files": [str(self.repository.folder / name)]})

    def build(self):
        """What is built is ignored."""
        (self.repository.folder / "build").mkdir(exist_ok=True)
        (self.repository.folder / "build" / "out.o").write_bytes(os.urandom(100))

    def leave(self):
        """Close the window, which stores the workspace beside the project."""
        (self.repository.folder / "mine.sublime-workspace").write_bytes(os.urandom(100))

    def steps(self):
        """The day."""
        git, save = self.git, self.save
        yield lambda: save("one.py", text(line1=b"user"))
        yield lambda: save("sub/new.py", b"user\n")
        yield lambda: git("add", "-A")
        yield lambda: git("commit", "-q", "-m", "of the morning")
        yield lambda: save("two.py", text(line5=b"user"))
        yield lambda: git("stash", "-q")
        yield lambda: git("merge", "-q", "--no-edit", "theirs")
        yield lambda: git("stash", "pop", "-q")
        yield lambda: git("status")
        yield self.build
        yield lambda: git("commit", "-q", "-a", "-m", "of noon")
        yield lambda: git("checkout", "-q", "feature")
        yield lambda: git("rebase", "-q", "main")
        yield lambda: save("one.py", text(line1=b"user", line9=b"user again"))
        yield lambda: self.rename("three.py", "four.py")
        yield lambda: self.delete("gone.py")
        yield lambda: git("stash", "-q", "-u")
        yield lambda: git("checkout", "-q", "main")
        yield lambda: git("cherry-pick", "feature")
        yield self.leave


@pytest.mark.parametrize("hooked", [True, False])
@pytest.mark.parametrize("quick", [True, False], ids=["a look each hour", "a look after each step"])
def test_nothing_is_counted(repository, tracking, tabs, runtime, rules, hooked, quick):
    names = ("one.py", "two.py", "three.py", "gone.py", "theirs.py", "feature.py")
    repository.write(_gitignore=b"build/\n")
    for name in names:
        (repository.folder / name).write_bytes(TEXT)
    repository.commit("first")
    for branch in ("theirs", "feature"):
        repository.git("checkout", "-q", "-b", branch, "main")
        (repository.folder / f"{branch}.py").write_bytes(text(line20=branch.encode()))
        repository.commit(branch)
    repository.git("checkout", "-q", "main")
    tracking.track(1, [str(repository.folder)], rules, tracked=True)
    tracking.only_hooked(1, hooked)
    runtime.step(INTERVAL_SECONDS)
    day = UserDay(repository, tracking, tabs, runtime)
    steps = list(day.steps())
    assert len(steps) == 20
    for number, step in enumerate(steps):
        step()
        if not quick or number % 5 == 4:
            tracking.sign()
            runtime.step(INTERVAL_SECONDS)
        assert tracking.lists(1).changes == (), number
    tracking.sign()
    runtime.step(INTERVAL_SECONDS)
    assert tracking.lists(1).changes == ()
