"""The user's text goes over what a client has just written: not before, not over anything else, and not for ever."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.document.disk import DiskError
from companion.review.document.preparation import FileRequest
from tests.support.stepping import SteppedRuntime

PROPOSED, EDITED = "proposed\r\n", "edited\n"


class Bench:
    """A file, a client that writes it when the test says so, and what was told."""

    def __init__(self, module, monkeypatch, path):
        self.path, self.now, self.told, self.written = path, 1000.0, [], []
        self.runtime = SteppedRuntime()
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(module, "Write", self.write)
        request = FileRequest(str(path), 1000, 100, "Western (Windows 1252)", {})
        self.subject = module.SaveAfterClient(self.runtime, request, PROPOSED, EDITED, self.told.append)

    def write(self, runtime, original, text, done):
        bench = self

        class Write:
            def start(self):
                bench.written.append((original.text, text))
                bench.done = done

        return Write()

    def look(self, milliseconds=50):
        self.now += milliseconds / 1000
        self.runtime.editor.step(milliseconds)
        self.runtime.workers.step()
        self.runtime.editor.step()


@pytest.fixture
def bench(monkeypatch, tmp_path):
    if "sublime" not in sys.modules:
        monkeypatch.setitem(sys.modules, "sublime", ModuleType("sublime"))
        sys.modules["sublime"].Window = sys.modules["sublime"].View = object
    module = importlib.import_module("companion.review.after_client")
    path = tmp_path / "file.txt"
    path.write_bytes(b"old\n")
    made = Bench(module, monkeypatch, path)
    made.subject.start()
    return made


def test_it_waits_until_the_client_has_written_what_it_proposed(bench):
    for content in (b"old\n", b"prop", b"proposed\r\nand more\n", b""):
        bench.path.write_bytes(content)
        bench.look()
        assert not bench.written and not bench.told
    bench.path.write_bytes(b"proposed\n")
    bench.look()
    assert bench.written == [("proposed\n", EDITED)] and not bench.told
    bench.done(None)
    assert bench.told == [""]
    assert bench.runtime.editor.waiting == [] and not bench.runtime.workers.jobs


@pytest.mark.parametrize("content", [b"proposed\r\n", b"\xef\xbb\xbfproposed\r\n"])
def test_line_endings_and_a_mark_are_the_files_own(bench, content):
    bench.path.write_bytes(content)
    bench.look()
    assert len(bench.written) == 1


def test_a_file_that_is_not_there_yet_is_waited_for(bench):
    bench.path.unlink()
    bench.look()
    assert not bench.told
    bench.path.write_bytes(b"proposed\n")
    bench.look()
    assert len(bench.written) == 1


def test_nor_is_one_that_is_to_become_empty_there_before_the_client_has_made_it(bench):
    bench.subject._proposed = ""
    bench.path.unlink()
    bench.look()
    assert not bench.written
    bench.path.write_bytes(b"")
    bench.look()
    assert bench.written == [("", EDITED)]


def test_it_does_not_wait_for_ever(bench):
    bench.look()
    bench.look(29900)
    assert not bench.told
    bench.look(200)
    (sentence,) = bench.told
    assert "was not written" in sentence and "accept again" in sentence
    bench.path.write_bytes(b"proposed\n")
    bench.look(60000)
    assert not bench.written and len(bench.told) == 1


def test_a_write_that_fails_says_why(bench):
    bench.path.write_bytes(b"proposed\n")
    bench.look()
    bench.done(DiskError("file.txt cannot be written."))
    assert bench.told == ["file.txt cannot be written."]


def test_a_look_that_fails_is_said_and_reported(bench, monkeypatch):
    module = sys.modules["companion.review.after_client"]

    def fail(request):
        raise LookupError("nothing")

    monkeypatch.setattr(module, "read", fail)
    with pytest.raises(LookupError):
        bench.look()
    assert "could not be looked at" in bench.told[0] and len(bench.told) == 1
