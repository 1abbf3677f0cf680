"""Looking for files on disks that answer, answer late, or never."""

from __future__ import annotations

import os

from companion.common.workers import NOTHING_TO_TELL
from companion.context.existence import Existence, real_paths


class Runtime:
    """Keeps the questions until the test answers them."""

    def __init__(self):
        self.questions = []
        self.work = []

    def use_disk(self, function, question, then, failed):
        self.questions.append((list(question.paths), then, failed))
        self.work.append(lambda: function(question, lambda: False))

    def answer(self, number, **found):
        paths, then, _ = self.questions[number]
        then({path: found.get(path, path) for path in paths})


def begin():
    runtime, answers = Runtime(), []
    return runtime, Existence(runtime, answers.append), answers


def test_a_file_is_looked_for_once_at_a_time():
    runtime, existence, answers = begin()
    existence.ask(["a", "b"])
    existence.ask(["a", "b"])
    assert len(runtime.questions) == 1
    runtime.answer(0, b="")
    assert answers == [{"a": "a", "b": ""}]
    existence.ask(["a"])
    assert len(runtime.questions) == 2


def test_a_disk_that_never_answers_does_not_hold_up_files_opened_later():
    runtime, existence, answers = begin()
    existence.ask(["on the dead disk"])
    existence.ask(["on the dead disk", "new"])
    assert [paths for paths, _, _ in runtime.questions] == [["on the dead disk"], ["new"]]
    runtime.answer(1)
    assert answers == [{"new": "new"}]


def test_dead_disks_do_not_take_all_workers():
    runtime, existence, _ = begin()
    for name in "abcdef":
        existence.ask([name])
    assert len(runtime.questions) == 2


def test_an_answer_older_than_a_save_is_no_answer():
    runtime, existence, answers = begin()
    existence.ask(["a", "b"])
    existence.saved("a")
    runtime.answer(0, a="", b="")
    assert answers == [{"b": ""}]
    existence.ask(["a"])
    runtime.answer(1, a="")
    assert answers[1:] == [{"a": ""}]


def test_an_error_closes_the_question():
    runtime, existence, answers = begin()
    existence.ask(["a"])
    runtime.questions[0][2](OSError("out of order"))
    existence.ask(["a"])
    assert answers == []
    assert len(runtime.questions) == 2


def test_what_is_known_already_wakes_nobody(tmp_path):
    there, missing = os.path.realpath(str(tmp_path / "there")), str(tmp_path / "missing")
    (tmp_path / "there").write_text("x")
    runtime, existence, _ = begin()
    for paths, known, expected in (
        ([there], {there: there}, NOTHING_TO_TELL),
        ([there], {}, {there: there}),
        ([there], {there: missing}, {there: there}),
        ([missing], {missing: missing}, {missing: ""}),
        ([missing], {}, {missing: ""}),  # which may come back under another name at any time
    ):
        existence.ask(paths, known=known)
        result = runtime.work[-1]()
        assert result == expected
        if result is not NOTHING_TO_TELL:
            runtime.questions[-1][1](result)
    assert len(runtime.questions) == 5, "a question without news is closed"


def test_who_asks_while_nobody_is_to_be_told_is_told_all_the_same(tmp_path):
    path = os.path.realpath(str(tmp_path / "there"))
    (tmp_path / "there").write_text("x")
    runtime, existence, _ = begin()
    existence.ask([path], known={path: path})
    existence.ask([path])
    assert len(runtime.questions) == 1
    assert runtime.work[0]() == {path: path}

    existence.ask([path], known={path: path})  # is still waiting for the first answer
    runtime.questions[0][1]({path: path})
    existence.ask([path], known={path: path})
    assert runtime.work[1]() is NOTHING_TO_TELL
    existence.ask([path])
    assert len(runtime.questions) == 3
    assert runtime.work[2]() == {path: path}


def test_what_is_found_on_a_real_disk(tmp_path):
    (tmp_path / "there").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "dangling").symlink_to(tmp_path / "missing")
    paths = [str(tmp_path / name) for name in ("there", "link", "missing", "dangling", ".")]
    there = os.path.realpath(paths[0])
    assert real_paths(paths, lambda: False) == dict(zip(paths, [there, there, "", "", ""]))
    assert real_paths(paths, lambda: True) == {}
