"""What the disk held when a tab was last the same: noted when the editor reads or writes, never of a tab with edits."""

from __future__ import annotations

import importlib
import os

import pytest

from tests.support.agent_windows import View


class Runtime:
    """A disk that answers when the test says so."""

    def __init__(self):
        self.questions = []

    def use_disk(self, function, then):
        self.questions.append((function, then))

    def answer(self):
        questions, self.questions = self.questions, []
        for function, then in questions:
            then(function(lambda: False))


@pytest.fixture
def runtime():
    return Runtime()


@pytest.fixture
def module(load):
    load("companion.editor.file_views")
    return importlib.import_module("companion.endpoint.tab_origins")


@pytest.fixture
def origins(module, runtime):
    return module.TabOrigins(runtime)


@pytest.fixture
def stamp(module):
    return module.stamp


@pytest.fixture
def path(tmp_path):
    (tmp_path / "file.py").write_bytes(b"one")
    return str(tmp_path / "file.py")


def test_it_is_what_the_disk_held_when_the_tab_was_noted(origins, runtime, path, stamp):
    assert origins.of(path) is None
    origins.note(View(path), View(None))
    assert origins.of(path) is None, "nobody has looked yet"
    runtime.answer()
    before = origins.of(path)
    assert before == stamp(path) is not None
    with open(path, "wb") as file:
        file.write(b"another")
    assert origins.of(path) == before != stamp(path)
    origins.note(View(path))
    runtime.answer()
    assert origins.of(path) == stamp(path)


def test_a_tab_with_edits_keeps_what_it_had(origins, runtime, path, stamp):
    origins.note(View(path))
    runtime.answer()
    before = origins.of(path)
    os.utime(path, (1, 1))
    origins.note(View(path, dirty=True))
    runtime.answer()
    assert origins.of(path) == before != stamp(path)


def test_another_mode_is_no_other_state(path, stamp):
    before = stamp(path)
    os.chmod(path, 0o600 if os.stat(path).st_mode & 0o077 else 0o640)
    assert stamp(path).content == before.content


def test_tabs_with_edits_from_the_beginning_have_no_known_origin(origins, runtime, path):
    origins.note(View(path, dirty=True), View(None))
    assert runtime.questions == []
    assert origins.of(path) is None


def test_what_is_not_there_has_none(origins, runtime, path, stamp):
    origins.note(View(path))
    runtime.answer()
    os.unlink(path)
    origins.note(View(path))
    runtime.answer()
    assert origins.of(path) is None is stamp(path)


def test_only_the_latest_are_kept(origins, runtime, tmp_path, module, monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    paths = [str(tmp_path / str(number)) for number in range(5)]
    for path in paths:
        open(path, "wb").close()
        origins.note(View(path))
        runtime.answer()
    assert [origins.of(path) is not None for path in paths] == [False, False, True, True, True]
