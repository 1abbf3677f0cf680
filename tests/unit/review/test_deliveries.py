"""Accepted texts on their way to the client that writes them: none is lost, and none is written twice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List, Optional, Tuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.decision import Outcome, Owner, Verdict
from companion.review.deliveries import Deliveries
from companion.review.document import disk
from tests.support.stepping import SteppedRuntime

OWNER = Owner("session", "A client")
OLD, NEW = "old\n", "new\n"


class World:
    """A window with one file, whose review was accepted."""

    def __init__(self, folder: Path) -> None:
        self.runtime = SteppedRuntime()
        self.stopped = False
        self.taken_back: List[Tuple[Owner, Outcome]] = []
        self.file = folder / "a.txt"
        self.file.write_text(OLD, encoding="utf-8")
        self.deliveries = Deliveries(self, self.runtime, lambda: self.stopped)  # type: ignore[arg-type]

    def write_or_reopen(self, owner: Owner, outcome: Outcome) -> None:
        self.taken_back.append((owner, outcome))

    def outcome(self, text: Optional[str] = NEW, encoding: str = "UTF-8") -> Outcome:
        original = disk.Original(str(self.file), disk.Kind.TEXT, OLD, OLD, encoding)
        return Outcome(Verdict.ACCEPTED, str(self.file), text, original)

    def disk_answers(self) -> int:
        """Let the disk answer; returns how many questions were asked."""
        asked = len(self.runtime.workers.jobs)
        for _ in range(asked):
            self.runtime.workers.step()
        self.runtime.editor.step()
        return asked

    def after(self, seconds: int) -> int:
        """Let time pass; returns how many questions the disk has answered then."""
        self.runtime.editor.step(seconds * 1000)
        return self.disk_answers()


@pytest.fixture(name="world")
def world_of_one_file(tmp_path: Path) -> World:
    return World(tmp_path)


def test_what_was_not_read_and_not_written_is_taken_back_once(world: World) -> None:
    outcome = world.outcome()
    delivery = world.deliveries.begin(OWNER, outcome)
    world.deliveries.unread(delivery)
    world.deliveries.unread(delivery)
    assert world.disk_answers() == 2
    assert world.taken_back == [(OWNER, outcome)]
    world.deliveries.unread(delivery)
    assert world.disk_answers() == 0


def test_a_file_that_is_not_there_does_not_hold_an_empty_text(world: World) -> None:
    delivery = world.deliveries.begin(OWNER, world.outcome(""))
    world.file.unlink()
    world.deliveries.unread(delivery)
    world.disk_answers()
    assert [outcome.content for _, outcome in world.taken_back] == [""]


def test_one_that_is_there_and_empty_does(world: World) -> None:
    delivery = world.deliveries.begin(OWNER, world.outcome(""))
    world.file.write_bytes(b"")
    world.deliveries.unread(delivery)
    world.disk_answers()
    assert world.taken_back == []


def test_what_the_client_has_written_is_left_alone(world: World) -> None:
    delivery = world.deliveries.begin(OWNER, world.outcome())
    world.file.write_text(NEW, encoding="utf-8")
    world.deliveries.unread(delivery)
    world.disk_answers()
    assert world.taken_back == []


def test_what_the_file_has_held_counts_as_written_whatever_becomes_of_the_file(world: World) -> None:
    delivery = world.deliveries.begin(OWNER, world.outcome())
    world.file.write_text(NEW, encoding="utf-8")
    assert world.after(1) == 1
    assert delivery.outcome is None, "the text is kept no more"
    world.file.write_text("the user goes on\n", encoding="utf-8")
    assert world.runtime.editor.waiting == [], "what was found is looked for no more"
    world.deliveries.unread(delivery)
    assert world.disk_answers() == 0
    assert world.taken_back == []


def test_the_file_is_looked_at_for_a_minute(world: World) -> None:
    world.deliveries.begin(OWNER, world.outcome())
    assert [second for second in range(1, 200) if world.after(1)] == [1, 5, 20, 60]
    assert world.runtime.editor.waiting == []


def test_a_text_found_by_a_later_look_is_not_brought_back_over_the_edits_after_it(world: World) -> None:
    delivery = world.deliveries.begin(OWNER, world.outcome())
    assert world.after(1)
    world.file.write_text(NEW, encoding="utf-8")
    assert world.after(4)
    world.file.write_text("edited\n", encoding="utf-8")
    world.deliveries.unread(delivery)
    world.disk_answers()
    assert world.taken_back == []


def test_a_look_that_does_not_find_the_text_settles_nothing(world: World) -> None:
    outcome = world.outcome()
    delivery = world.deliveries.begin(OWNER, outcome)
    world.after(1)
    world.deliveries.unread(delivery)
    world.disk_answers()
    assert world.taken_back == [(OWNER, outcome)]
    assert not any(world.after(1) for _ in range(100))


def test_once_the_window_has_ended_nothing_is_looked_at(world: World) -> None:
    delivery = world.deliveries.begin(OWNER, world.outcome())
    world.stopped = True
    world.deliveries.unread(delivery)
    assert not any(world.after(1) for _ in range(100))
    assert world.runtime.editor.waiting == []


def test_nor_written_if_it_ends_while_the_disk_is_asked(world: World) -> None:
    world.deliveries.unread(world.deliveries.begin(OWNER, world.outcome()))
    world.stopped = True
    assert world.disk_answers() == 1
    assert world.taken_back == []


@pytest.mark.parametrize(
    ("accepted", "written"),
    [
        ("a\nb\n", b"a\r\nb\r\n"),
        ("a\nb", b"a\nb\n"),
        ("a\nb\n", b"a\nb"),
        ("a\r\nb\r\n", b"a\nb\n"),
    ],
)
def test_line_ends_do_not_matter(world: World, accepted: str, written: bytes) -> None:
    world.file.write_bytes(written)
    world.deliveries.unread(world.deliveries.begin(OWNER, world.outcome(accepted)))
    world.disk_answers()
    assert world.taken_back == []


def test_the_file_is_read_in_its_own_encoding(world: World) -> None:
    world.file.write_bytes("\u0436\n".encode("cp1251"))
    world.deliveries.unread(world.deliveries.begin(OWNER, world.outcome("\u0436\n", "Cyrillic (Windows 1251)")))
    world.disk_answers()
    assert world.taken_back == []


def test_or_in_utf_8_which_many_clients_write_whatever_it_was_in(world: World) -> None:
    world.file.write_bytes("\u0436\n".encode())
    world.deliveries.unread(world.deliveries.begin(OWNER, world.outcome("\u0436\n", "Cyrillic (Windows 1251)")))
    world.disk_answers()
    assert world.taken_back == []


def test_a_byte_order_mark_is_no_part_of_the_text(world: World) -> None:
    world.file.write_bytes(b"\xef\xbb\xbfnew\r\n")
    world.deliveries.unread(world.deliveries.begin(OWNER, world.outcome("\ufeffnew\r\n", "UTF-8 with BOM")))
    world.disk_answers()
    assert world.taken_back == []


def test_a_file_that_is_gone_does_not_hold_the_text(world: World) -> None:
    world.file.unlink()
    world.deliveries.unread(world.deliveries.begin(OWNER, world.outcome()))
    world.disk_answers()
    assert len(world.taken_back) == 1


def test_of_what_a_former_package_sent_the_message_tells(world: World) -> None:
    world.deliveries.unread({"filePath": str(world.file), "content": NEW}, OWNER)
    world.disk_answers()
    assert world.taken_back == [(OWNER, Outcome(Verdict.ACCEPTED, str(world.file), NEW))]


@pytest.mark.parametrize("tag", [{"filePath": "/a"}, "something else", None])
def test_other_messages_of_it_hold_no_text(world: World, tag: object) -> None:
    world.deliveries.unread(tag, OWNER)
    world.deliveries.unread({"filePath": str(world.file), "content": NEW})
    assert world.disk_answers() == 0
