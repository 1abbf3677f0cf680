"""Accepted texts that outlive the editor: private, whole, in one pair of hands, and gone once they are not needed."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, Callable, List

import pytest

from companion.common.workers import Computation
from companion.review.document.journal import KeptTexts, LeftTexts, Text
from companion.system.files import PrivateFile
from tests.host.waiting import NEVER_SECONDS


class AtOnce:
    """Stands for the runtime: what goes to a disk thread is done at once, unless the test holds it."""

    def __init__(self) -> None:
        self.held: List[Callable[[], None]] = []
        self.holding = False

    def use_disk(self, function: Callable[..., Any], *args: Any, then: Callable[[Any], Any]) -> Computation:
        computation = Computation()

        def work() -> None:
            result = function(*args, computation.cancelled)
            computation.end(lambda: then(result))
            computation.deliver()

        if self.holding:
            self.held.append(work)
        else:
            work()
        return computation


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Package Storage" / "Gemini Companion"


@pytest.fixture
def keeper(folder: Path) -> Callable[[], KeptTexts]:
    """Makes keepers: each is another window, or another editor."""
    return lambda: KeptTexts(AtOnce(), str(folder))  # type: ignore[arg-type]


def text(content: str = "mine\n", name: str = "file.py", session: str = "") -> Text:
    return Text(os.path.abspath(os.path.join(os.sep, "project", name)), "A client", content, session)


def keep(kept: KeptTexts, content: Text, name: str = "") -> str:
    name = name or f"{time.monotonic_ns():x}"
    kept.keep(name, content)
    return name


def take(kept: KeptTexts, wanted: Callable[[str], bool] = lambda path: True) -> LeftTexts:
    found: List[LeftTexts] = []
    kept.take(wanted, found.append)
    return found[0]


def left(kept: KeptTexts) -> List[Text]:
    return [content for _, content in take(kept).texts]


def texts_in(folder: Path) -> List[Path]:
    return sorted(folder.glob("*.json")) if folder.exists() else []


def content_of(file: Path) -> str:
    return "".join(map(json.loads, file.read_text().splitlines()[1:]))


@pytest.mark.parametrize("content", ["mine\r\n", "", "\u00fc \U0001f600 \ud800", "\x00", "\ud800\r\n" * 200000])
def test_a_text_that_was_left_is_found_to_the_letter(keeper: Callable[[], KeptTexts], content: str) -> None:
    first = keeper()
    keep(first, text(content, session="a session"))
    first.leave()
    assert left(keeper()) == [text(content, session="a session")]


def test_a_crash_while_one_text_replaces_another_leaves_the_newer(
    folder: Path, keeper: Callable[[], KeptTexts], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = keeper()
    name = keep(first, text("older\n"))
    with monkeypatch.context() as patch:
        patch.setattr(PrivateFile, "remove", PrivateFile.release)  # as if the process ended here
        keep(first, text("newer\n"), name)
    first.leave()
    assert len(texts_in(folder)) == 2
    second = keeper()
    assert left(second) == [text("newer\n")]
    assert len(texts_in(folder)) == 1


def test_a_write_that_fails_leaves_the_older_text(
    folder: Path, keeper: Callable[[], KeptTexts], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = keeper()
    name = keep(kept, text("old\n"))

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    keep(kept, text("new\n"), name)
    assert "could not be kept: No space left" in caplog.text
    assert [content_of(file) for file in folder.iterdir()] == ["old\n"]


def test_what_is_asked_for_is_done_in_that_order_on_whatever_thread(folder: Path) -> None:
    runtime = AtOnce()
    runtime.holding = True
    kept = KeptTexts(runtime, str(folder))  # type: ignore[arg-type]
    for content in ("one", "two"):
        kept.keep("a", text(f"{content}\n"))
    runtime.held[-1]()
    (file,) = texts_in(folder)
    assert content_of(file) == "two\n"
    runtime.held[0]()
    assert texts_in(folder) == [file]
    kept.drop("a")
    kept.catch_up()
    assert not folder.exists(), "whoever waits for it does it"


class TestTwoKeepers:
    def test_what_is_in_use_is_taken_by_nobody(self, keeper: Callable[[], KeptTexts]) -> None:
        first = keeper()
        keep(first, text())
        assert take(keeper()) == take(first) == LeftTexts([], [])

    def test_what_was_left_is_taken_once(self, folder: Path, keeper: Callable[[], KeptTexts]) -> None:
        first, second, third = keeper(), keeper(), keeper()
        keep(first, text())
        first.leave()
        ((name, found),) = take(second).texts
        assert found == text()
        assert take(third).texts == []
        second.drop(name)
        assert not folder.exists()

    def test_what_belongs_elsewhere_stays_for_others(self, keeper: Callable[[], KeptTexts]) -> None:
        first = keeper()
        keep(first, text(name="a.py"))
        keep(first, text(name="b.py"))
        first.leave()
        assert [content.path for _, content in take(keeper(), lambda path: path.endswith("a.py")).texts] == [
            text(name="a.py").path
        ]
        assert left(keeper()) == [text(name="b.py")]


def test_a_newer_text_is_on_the_disk_before_the_older_one_goes(
    folder: Path, keeper: Callable[[], KeptTexts], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, there = keeper(), []
    name = keep(kept, text("old\n"))
    real = PrivateFile.remove
    monkeypatch.setattr(PrivateFile, "remove", lambda file: (there.append(len(texts_in(folder))), real(file)))
    keep(kept, text("new\n"), name)
    assert there == [2]
    (file,) = texts_in(folder)
    assert content_of(file) == "new\n"


def test_a_text_of_the_release_before_is_found(folder: Path, keeper: Callable[[], KeptTexts]) -> None:
    folder.mkdir(parents=True)
    fields = {"path": text().path, "client": "A client", "content": "mine\n"}
    (folder / "0123456789abcdef.json").write_text(json.dumps(fields))
    kept = keeper()
    ((name, found),) = take(kept).texts
    assert found == text()
    kept.drop(name)
    assert not folder.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"path": "/a", "client": "b"}',
        b'{"path": "a", "client": "b", "content": "c"}',
        b'{"path": "/a", "client": 1, "content": "c"}',
        b'{"path": "/a", "client": "b", "content": ""}\n1',
        b'{"path": "/a", "client": "b", "content": "", "since": "a release to come"}\n"c"',
        b"\xff",
    ],
)
def test_what_cannot_be_read_is_set_aside_and_said(
    folder: Path, keeper: Callable[[], KeptTexts], content: bytes
) -> None:
    folder.mkdir(parents=True)
    (folder / "other.json").write_bytes(content)
    found = take(keeper())
    assert (found.texts, found.unreadable) == ([], [str(folder / "other.json.unreadable")])
    assert (folder / "other.json.unreadable").read_bytes() == content
    assert take(keeper()).unreadable == [], "said once"


def test_what_the_disk_does_not_give_now_stays_for_later(
    keeper: Callable[[], KeptTexts], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = keeper()
    keep(first, text("one\n"))
    keep(first, text("other\n"))
    first.leave()
    real, failing = PrivateFile.read, [OSError(5, "Input/output error")]

    def read(file: PrivateFile) -> bytes:
        if failing:
            raise failing.pop()
        return real(file)

    monkeypatch.setattr(PrivateFile, "read", read)
    second = keeper()
    assert len(left(second)) == 1
    assert "could not be read: Input/output error" in caplog.text
    assert len(left(second)) == 1


def test_the_end_waits_for_what_was_asked_for(folder: Path, monkeypatch: Any) -> None:
    runtime = AtOnce()
    runtime.holding = True
    kept = KeptTexts(runtime, str(folder))  # type: ignore[arg-type]
    kept.keep("a", text())
    asked: List[float] = []
    with monkeypatch.context() as patched:
        patched.setattr(Computation, "wait", lambda self, seconds: asked.append(seconds))
        kept.wait(1000.0)
    assert 0 < asked[0] <= 1000.0
    runtime.held[0]()
    kept.wait(NEVER_SECONDS)
