"""The user's text goes over what a client has just written: not before, not over anything else, and not for ever."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.document import disk
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
        self.request = FileRequest(str(path), 1000, 100, "Western (Windows 1252)", {})
        self.module = module
        self.subject = self.make()

    def make(self, proposed=PROPOSED, original=None, **known):
        """`known` are fields of what the main thread knows of the file."""
        request = self.request._replace(**known)
        return self.module.SaveAfterClient(self.runtime, request, proposed, EDITED, self.told.append, original)

    def read(self):
        """The file as a review has it."""
        return disk.read(str(self.path), maximum_bytes=1000, maximum_lines=100)

    def write(self, runtime, original, text, done):
        bench = self

        class Write:
            def start(self):
                bench.written.append((original.text, text))
                bench.original = original
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
    monkeypatch.setattr(module, "storage_folder", lambda: str(tmp_path / "storage"))
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


@pytest.mark.parametrize("proposed", ["x" * 5000 + "\n", "x\n" * 200], ids=["bytes", "lines"])
def test_how_much_a_review_compares_does_not_matter(bench, proposed):
    bench.subject = bench.make(proposed)
    bench.subject.start()
    bench.path.write_text(proposed, encoding="utf-8")
    bench.look()
    bench.look()
    assert bench.written == [(proposed, EDITED)]
    assert bench.original.kind is disk.Kind.TEXT, "it is written as any other file"


def test_a_long_file_is_looked_at_less_often(bench):
    bench.runtime.editor.step(10**6)
    del bench.runtime.workers.jobs[:]
    bench.make("x" * 10**6).start()
    bench.look(0)
    assert bench.runtime.editor.waiting == [100]


@pytest.mark.parametrize("written", ["utf-8", "cp1251"])
def test_nor_does_it_in_which_encoding_a_tab_has_the_file(bench, written):
    proposed = "\u043f\u0440\u0438\u0432\u0435\u0442\n"
    bench.subject = bench.make(proposed, tabs={str(bench.path): "Cyrillic (Windows 1251)"})
    bench.subject.start()
    bench.path.write_bytes(proposed.encode(written))
    bench.look()
    bench.look()
    assert bench.written == [(proposed, EDITED)]
    assert bench.original.encoding == {"utf-8": "UTF-8", "cp1251": "Cyrillic (Windows 1251)"}[written]


def test_the_file_that_was_reviewed_is_left_to_a_client_that_is_there(bench):
    bench.subject = bench.make(original=bench.read())
    bench.subject.start()
    bench.look(30100)
    bench.look()
    assert not bench.written and "was not written" in bench.told[0]


class TestAClientThatGoes:
    @pytest.fixture
    def going(self, bench):
        bench.runtime.editor.step(10**6)
        del bench.runtime.workers.jobs[:]
        bench.subject = bench.make(original=bench.read())
        bench.subject.start()
        bench.look()
        bench.subject.client_gone()
        return bench

    def test_having_written_it_stays_one_that_has_written(self, bench):
        bench.path.write_bytes(b"proposed\n")
        bench.look(100)
        bench.subject.client_gone()
        assert bench.subject.client.name == "WRITTEN"

    def test_it_has_a_moment_to_write(self, going):
        going.look(1900)
        going.path.write_bytes(b"proposed\n")
        going.look(50)
        assert going.written == [("proposed\n", EDITED)]
        assert going.subject.client.name == "WRITTEN"

    def test_then_the_users_text_goes_over_what_was_reviewed(self, going):
        going.look(1900)
        assert not going.written
        going.look(150)
        assert going.written == [("old\n", EDITED)] and not going.told
        assert going.subject.client.name == "GONE"
        going.done(None)
        assert going.told == [""]

    def test_what_was_never_read_is_not_written_over(self, going):
        going.subject = going.make()
        going.subject.start()
        going.subject.client_gone()
        going.look(2100)
        going.look(50)
        assert "was not written" in going.told[0] and going.subject.client.name == "GONE"

    def test_going_gives_nobody_more_time(self, bench):
        bench.look(29900)
        bench.subject.client_gone()
        bench.look(200)
        assert len(bench.told) == 1


def test_a_write_that_fails_says_why(bench):
    bench.path.write_bytes(b"proposed\n")
    bench.look()
    bench.done(DiskError("file.txt cannot be written."))
    assert bench.told == ["file.txt cannot be written."]


def test_a_look_that_fails_is_said_and_reported(bench, monkeypatch):
    module = sys.modules["companion.review.after_client"]

    def fail(*arguments, **options):
        raise LookupError("nothing")

    monkeypatch.setattr(module.written, "find", fail)
    with pytest.raises(LookupError):
        bench.look()
    assert "could not be looked at" in bench.told[0] and len(bench.told) == 1
