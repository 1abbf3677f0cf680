"""Comments on the disk."""

from __future__ import annotations

import json
import logging
import os
import stat
import sys
from pathlib import Path

import pytest

from companion.comments.model import Comment, CommentState, NoteKind, TextSide
from companion.comments.store import MOST_SENT, CommentStore, Stored
from tests.support.made_comments import comment

FOLDER = "/home/me/project"


def without_numbers(comments: object) -> list[Comment]:
    return [each._replace(number=0) for each in comments]  # type: ignore[attr-defined]


@pytest.fixture
def store(tmp_path: Path) -> CommentStore:
    return CommentStore(str(tmp_path))


def stored_file(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "comments").iterdir()
    return path


def test_what_is_written_is_read_back(store: CommentStore) -> None:
    comments = [
        comment('"<ü>\t\r\n\U0001f44d\udc80', changed=True, side=TextSide.OLD, last=9),
        comment(kind=NoteKind.QUESTION, state=CommentState.SENT, sent=12.5),
    ]
    store.write(FOLDER, Stored(comments, ["/home/me/project/rest.md"]))
    found = store.read(FOLDER)
    assert without_numbers(found.comments) == without_numbers(comments)
    assert list(found.left) == ["/home/me/project/rest.md"]
    assert len({each.number for each in found.comments}) == 2
    assert store.read("/home/me/other") == Stored()


def test_what_waited_is_a_draft_after_a_restart(store: CommentStore) -> None:
    store.write(FOLDER, Stored([comment(state=CommentState.WAITING)]))
    assert [each.state for each in store.read(FOLDER).comments] == [CommentState.DRAFT]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_only_the_user_can_read_them(store: CommentStore, tmp_path: Path) -> None:
    store.write(FOLDER, Stored([comment()]))
    assert stat.S_IMODE(os.stat(stored_file(tmp_path)).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "comments").st_mode) == 0o700


def test_nothing_is_left_of_a_folder_without_comments(store: CommentStore, tmp_path: Path) -> None:
    store.write(FOLDER, Stored([comment()]))
    store.write(FOLDER, Stored())
    assert list((tmp_path / "comments").iterdir()) == []


def test_of_what_was_sent_the_last_ones_are_kept(store: CommentStore) -> None:
    sent = [comment(str(number), state=CommentState.SENT, sent=float(number)) for number in range(MOST_SENT + 5)]
    store.write(FOLDER, Stored([*reversed(sent), comment("draft")]))
    texts = [each.text for each in store.read(FOLDER).comments]
    assert texts == [*(str(number) for number in range(MOST_SENT + 4, 4, -1)), "draft"]


@pytest.mark.parametrize(
    "wrong", [b"", b"[]", b'{"comments": [{}], "left": []}', b"\xff", b"[" * 100000, b'{"comments": 1, "left": []}']
)
def test_what_makes_no_sense_is_set_aside_and_not_logged(
    store: CommentStore, tmp_path: Path, wrong: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    store.write(FOLDER, Stored([comment("secret")]))
    stored_file(tmp_path).write_bytes(wrong)
    with caplog.at_level(logging.DEBUG):
        assert store.read(FOLDER) == Stored()
    assert stored_file(tmp_path).name.endswith(".unreadable")
    assert "set aside" in caplog.text


def test_a_record_with_a_wrong_value_is_set_aside(store: CommentStore, tmp_path: Path) -> None:
    store.write(FOLDER, Stored([comment("secret")]))
    record = json.loads(stored_file(tmp_path).read_text())
    for field, value in (("side", "left"), ("first", "x"), ("text", 3), ("state", None)):
        broken = json.loads(json.dumps(record))
        broken["comments"][0][field] = value
        path = tmp_path / "comments" / stored_file(tmp_path).name.replace(".unreadable", "")
        stored_file(tmp_path).rename(path)
        path.write_text(json.dumps(broken))
        assert store.read(FOLDER) == Stored(), field
