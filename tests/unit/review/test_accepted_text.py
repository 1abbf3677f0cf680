"""The life of one accepted text: its states, how often its file is looked at, and how long anybody is waited for.

Whether its client has written it: line ends, marks, encodings and sizes do not matter.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import pytest

from companion.common.clock import Clock
from companion.review import accepted_texts
from companion.review.accepted_texts import TRANSITIONS, AcceptedText, Holder
from companion.review.decision import Owner
from companion.review.document import disk
from companion.review.document.disk import Kind, Original
from companion.system import files

CYRILLIC = "Cyrillic (Windows 1251)"
ORIGINAL = Original("/a.py", Kind.TEXT)
OWNER = Owner("session", "A client")


def told(awaited: str = "", original: Original = ORIGINAL, path: str = "/a.py") -> AcceptedText:
    return AcceptedText(Holder.CLIENT_WRITES, OWNER, path, "text\n", original, awaited=awaited or None)


def in_state(state: Holder) -> AcceptedText:
    made = told()
    made.state = state
    return made


@pytest.mark.parametrize(("one", "other"), list(itertools.product(Holder, Holder)))
def test_there_is_no_way_but_those_of_the_table(one: Holder, other: Holder) -> None:
    made = in_state(one)
    assert made.go(other) is (other in TRANSITIONS[one])
    assert made.state is (other if other in TRANSITIONS[one] else one)


def test_the_table_in_words_has_every_state() -> None:
    documented = set(re.findall(r"\b[A-Z_]{4,}\b", accepted_texts.__doc__ or ""))
    assert documented == {state.name for state in Holder}


def test_what_was_left_or_has_ended_is_nobodys_any_more() -> None:
    assert [state for state in Holder if not TRANSITIONS[state]] == [Holder.ON_DISK, Holder.ENDED]


def test_at_first_the_file_is_looked_at_often_and_then_ever_less(clock: Clock) -> None:
    made = told()
    looks, end = 0, clock.now() + 60
    while clock.now() < end:
        clock.advance(made.pause)
        looks += 1
    assert 40 < looks < 100
    assert made.pause == pytest.approx(6, abs=1)
    clock.advance(3600)
    assert made.pause == pytest.approx(10, abs=0.1), "six times a minute, for as long as the client is there"


def test_a_formatter_that_follows_the_client_at_once_is_too_slow(clock: Clock) -> None:
    made = told()
    end = clock.now() + 0.25
    while clock.now() < end:
        assert made.pause <= 0.03
        clock.advance(made.pause)


def test_a_long_file_is_looked_at_less_often(clock: Clock) -> None:
    made = told()
    made.text = "x" * 10**7
    assert made.pause > 0.5


def test_a_client_that_is_there_is_waited_for_without_end(clock: Clock) -> None:
    made = told()
    clock.advance(10**6)
    assert not made.overdue


def test_not_so_if_edits_of_the_user_are_to_be_saved_over_what_it_writes(clock: Clock) -> None:
    made = told(awaited="proposed\n")
    clock.advance(29.9)
    assert not made.overdue
    clock.advance(0.2)
    assert made.overdue


@pytest.mark.parametrize("awaited", ["", "proposed\n"])
def test_a_client_that_has_gone_has_two_seconds(clock: Clock, awaited: str) -> None:
    made = told(awaited)
    clock.advance(25)
    made.go(Holder.CLIENT_GONE)
    assert made.pause < 0.1, "it is looked for at once"
    clock.advance(1.9)
    assert not made.overdue
    clock.advance(0.2)
    assert made.overdue


def test_a_write_that_came_too_soon_gives_nobody_more_time(clock: Clock) -> None:
    made = told(awaited="proposed\n")
    clock.advance(29)
    made.go(Holder.WRITING)
    made.go(Holder.CLIENT_WRITES)
    clock.advance(2)
    assert made.overdue


def test_what_is_written_for_a_client_that_has_gone_was_accepted_before(clock: Clock) -> None:
    made = told()
    clock.advance(59)
    assert made.may_be_written_unasked
    clock.advance(2)
    assert not made.may_be_written_unasked


def holds(path: Path, data: bytes, text: str, **options) -> bool:
    path.write_bytes(data)
    return disk.find(str(path), text, **options) is not None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\nb\n", "a\r\nb\r\n"),
        (b"a\r\nb\n", "a\nb\n"),
        (b"\xef\xbb\xbfa\n", "a\n"),
        (b"a\n", "\ufeffa\n"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", "\ufeff\ufeffa\n"),
        ("\ufeff\u0436\n".encode("utf-16-le"), "\u0436\n"),
        (b"", ""),
    ],
)
def test_line_ends_and_a_mark_do_not_matter(tmp_path, data, text):
    assert holds(tmp_path / "file", data, text)


@pytest.mark.parametrize(("data", "text"), [(b"a", "a\n"), (b"a\n", "a"), (b"a\n\n", "a\n")])
def test_the_last_line_end_does_unless_it_is_said_not_to(tmp_path, data, text):
    assert not holds(tmp_path / "file", data, text)
    assert holds(tmp_path / "file", data, text, last_line_end_matters=False)


@pytest.mark.parametrize(("encoding", "known"), [("utf-8", ""), ("utf-8", CYRILLIC), ("cp1251", CYRILLIC)])
def test_it_may_be_in_the_known_encoding_or_in_utf_8(tmp_path, encoding, known):
    assert holds(tmp_path / "file", "\u0436\n".encode(encoding), "\u0436\n", encoding=known)
    assert not holds(tmp_path / "file", "\u0448\n".encode(encoding), "\u0436\n", encoding=known)


def test_a_file_of_any_size_is_known(tmp_path):
    text = "\U0001f600\n" * 300000
    assert holds(tmp_path / "file", text.replace("\n", "\r\n").encode(), text)
    assert not holds(tmp_path / "file", (text + "x").encode(), text)


def test_one_that_is_far_too_large_is_not_read(tmp_path):
    assert not holds(tmp_path / "file", b"a\n" * 10**6, "a\n")


def test_nor_one_that_is_not_there(tmp_path):
    assert disk.find(str(tmp_path / "file"), "") is None


class TestLooking:
    """What a look at the file sees, and when it proves that the client has written."""

    @pytest.fixture
    def file(self, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(b"old\n")
        return path

    def reviewed(self, file):
        return disk.read(str(file), disk.ReadLimits(1000, 100))

    def look(self, file, text="new\n", awaited=None, original=None):
        return AcceptedText(Holder.CLIENT_WRITES, OWNER, str(file), text, original, awaited=awaited).find_text()

    def test_a_file_that_holds_the_text_is_found(self, file):
        assert self.look(file) is None
        file.write_bytes(b"new\r\n")
        assert self.look(file).text == "new\n"

    def test_a_file_that_held_it_all_the_time_does_too(self, file):
        assert self.look(file, "old\n", original=self.reviewed(file)) is not None

    @pytest.mark.parametrize("proposed", ["old\n", "old\r\n"])
    def test_what_was_there_before_was_not_written_in_place_of_the_text(self, file, proposed):
        original = self.reviewed(file)
        assert self.look(file, awaited=proposed, original=original) is None
        os.utime(str(file), (1, 1))  # as by a client that writes what is there
        assert self.look(file, awaited=proposed, original=original) is not None

    def test_a_file_that_was_replaced_by_an_equal_one_was_written(self, file, tmp_path):
        original, times = self.reviewed(file), os.stat(str(file))
        (tmp_path / "other").write_bytes(b"old\n")
        os.utime(str(tmp_path / "other"), ns=(times.st_atime_ns, times.st_mtime_ns))
        os.replace(str(tmp_path / "other"), str(file))
        assert self.look(file, awaited="old\n", original=original) is not None

    def test_in_its_place_the_client_writes_every_letter_but_line_ends(self, file):
        file.write_bytes(b"proposed")
        assert self.look(file, awaited="proposed\n") is None
        assert self.look(file, text="proposed\n") is not None, "some restore the file's own end"

    def test_a_file_that_is_as_it_was_is_not_read_again(self, file, monkeypatch):
        awaiting = told(path=str(file))
        os.utime(str(file), (1, 1))
        monkeypatch.setattr(files.time, "time_ns", lambda: 10**19)  # long after any change
        assert awaiting.find_text() is None
        monkeypatch.setattr(disk, "find", lambda *arguments, **options: pytest.fail("read again"))
        assert awaiting.find_text() is None

    def test_one_that_has_just_changed_is(self, file):
        """Two changes may bear one time, and leave one size."""
        awaiting = told(path=str(file))
        awaiting.text = "new\n"
        assert awaiting.find_text() is None
        times = os.stat(str(file))
        file.write_bytes(b"new\n")
        os.utime(str(file), ns=(times.st_atime_ns, times.st_mtime_ns))
        assert awaiting.find_text() is not None

    def test_nor_is_one_in_which_the_text_was_found_taken_for_read(self, file, monkeypatch):
        """It may have been found too soon, while the client was still writing."""
        awaiting = told(path=str(file))
        awaiting.text = "old\n"
        os.utime(str(file), (1, 1))
        monkeypatch.setattr(files.time, "time_ns", lambda: 10**19)
        assert awaiting.find_text() is not None
        assert awaiting.find_text() is not None

    def test_a_file_that_is_not_there_yet(self, file):
        file.unlink()
        assert self.look(file, "") is None
        file.write_bytes(b"")
        assert self.look(file, "") is not None

    def test_it_is_read_in_its_own_encoding(self, file):
        original = self.reviewed(file)._replace(encoding=CYRILLIC)
        file.write_bytes("\u0436\n".encode("cp1251"))
        assert self.look(file, "\u0436\n", original=original).encoding == CYRILLIC
        assert self.look(file, "text\n", "\u0436\n", original=original).encoding == CYRILLIC
