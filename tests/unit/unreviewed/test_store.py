"""What is kept in the package's storage: within its bounds, for the user alone, and believed only if it is whole."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest

from companion.unreviewed import store as store_module
from companion.unreviewed.content import Content, identity
from companion.unreviewed.evidence import Origin
from companion.unreviewed.model import SAVED_FIELDS, Made, Row
from companion.unreviewed.store import Record, Step, Store, Undone, read_record, write_record

CONTENT = ["x", 1, 2]
ROW = json.loads(json.dumps(Row(Content(*CONTENT))[:SAVED_FIELDS]))
STEPS = [[["a", CONTENT, CONTENT, ROW[3]]]]
RECORD = {"rows": {"a": ROW}, "undone": [STEPS, 1.5, False], "blobs": {}, "head": "", "unkept": None, "patterns": ""}
OUTSIDE = ("../x", "a/../../x", "/x", "..", "", "a//x", "./x", "a\0")


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path / "storage" / "store"))


def kept_long_ago(store: Store, data: bytes, seconds: float) -> str:
    name = identity(data)
    store.keep(name, data)
    path = Path(store._path(name + ".kept"))
    past = time.time() - seconds
    os.utime(str(path), (past, past))
    return name


def noted(store: Store, folder: str, *names: str) -> None:
    rows = {name: Row(Content(""), Content(name, 0o600, 1)) for name in names}
    write_record(store, folder, Record(rows), secure=False)


def test_what_no_record_needs_goes_and_what_another_folder_needs_stays(store):
    mine, other, nobody = (kept_long_ago(store, data, 3600) for data in (b"mine", b"other", b"nobody"))
    noted(store, "/one", mine)
    noted(store, "/two", other)
    assert store.tidy() == set()
    assert store.kept(mine)
    assert store.kept(other)
    assert store.kept(nobody) is None
    noted(store, "/one")
    store.tidy()
    assert store.kept(mine) is None
    assert store.kept(other) == b"other"


def test_what_was_kept_just_now_stays_until_a_record_names_it(store):
    name = identity(b"new")
    store.keep(name, b"new")
    assert store.tidy() == set()
    assert store.kept(name) == b"new"


def test_after_seven_days_it_goes_and_that_is_said(store):
    young, old = kept_long_ago(store, b"young", 6 * 86400), kept_long_ago(store, b"old", 8 * 86400)
    noted(store, "/one", young, old)
    assert store.tidy() == {old}
    assert store.kept(young) == b"young"
    assert store.kept(old) is None


def test_what_is_needed_again_is_kept_for_seven_days_from_then_on(store):
    old = kept_long_ago(store, b"old", 8 * 86400)
    store.keep(old, b"old")
    noted(store, "/one", old)
    assert store.tidy() == set()
    assert store.kept(old) == b"old"


def test_of_too_much_the_oldest_goes(store, monkeypatch):
    monkeypatch.setattr(store_module, "MAXIMUM_BYTES", 3000)
    names = [kept_long_ago(store, os.urandom(1000), 3600 * (5 - number)) for number in range(5)]
    noted(store, "/one", *names)
    assert store.tidy() == set(names[:3])
    assert [store.kept(name) is not None for name in names] == [False] * 3 + [True] * 2
    left = sum(os.stat(store._path(name + ".kept")).st_size for name in names[3:])
    for room, gone in ((left, set()), (left - 1, {names[3]})):
        monkeypatch.setattr(store_module, "MAXIMUM_BYTES", room)
        assert store.tidy() & set(names[3:]) == gone


def test_what_is_no_longer_kept_is_listed_and_cannot_be_undone(project, later):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    later(store_module.MAXIMUM_SECONDS)
    Store(str(project.storage / "Unreviewed")).tidy()
    project.begin()
    assert "not kept" in project.look()["a.txt"].obstacle
    assert len(project.undo()) == 1
    assert project.read("a.txt") == b"now\n"


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
def test_only_the_user_can_read_it(store):
    store.keep(identity(b"text"), b"text")
    noted(store, "/one", identity(b"text"))
    folder = Path(store._folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_bytes_that_a_failure_of_the_power_has_emptied_are_kept_anew(store):
    name = identity(b"text")
    store.keep(name, b"text")
    Path(store._path(name + ".kept")).write_bytes(b"")
    store.keep(name, b"text")
    assert store.kept(name) == b"text"


def test_damaged_bytes_are_none(store):
    name = identity(b"text")
    store.keep(name, b"text")
    other = identity(b"other")
    store.keep(other, b"other")
    os.replace(store._path(other + ".kept"), store._path(name + ".kept"))
    assert store.kept(name) is None


@pytest.mark.parametrize(
    "record",
    [
        [],
        "text",
        {"rows": []},
        {"rows": {"a": []}},
        {"rows": {"a": [["x", 1, 2], ["y", "z", 3], None, None, False, False]}},
        {"undone": {}},
        {"undone": [[["a"]], 1.5, False]},
        {"undone": [STEPS, [], False]},
        {"rows": {"a": [["x", 1, 2], None, None, ["a", 1, True, True], False, False]}},
        {"blobs": {"a": 1}},
        *({"rows": {path: ROW}} for path in OUTSIDE),
        *({"undone": [[[[path, *STEPS[0][0][1:]]]], 1.5, False]} for path in OUTSIDE),
        *({"rows": {"a": [[name, 1, 2], *ROW[1:]]}} for name in ("../x", "/x", "..\\x", "a\0", "a\nb")),
        {"blobs": {"a": "a\nb"}},
    ],
)
def test_a_record_that_makes_no_sense_is_none(store, record):
    noted(store, "/one", "a")
    path = next(path for path in Path(store._folder).iterdir() if path.suffix == ".changes")
    path.write_text(json.dumps(RECORD))
    assert set(read_record(store, "/one").rows) == {"a"}
    path.write_text(json.dumps({**RECORD, **record} if isinstance(record, dict) else record))
    assert read_record(store, "/one") == Record()
    assert path.exists() == isinstance(record, dict)  # else it is set aside


def test_a_record_comes_back_as_it_was(store):
    origin = Origin("Claude Code", "make the tests pass", counted=True, perhaps=True)
    step = Step("c", Content("y", 3, 4), Content(""), origin)
    known = Content("x", 1, 2)
    rows = {
        "a/b\udcff": Row(Content(""), known),
        "d": Row(known, known, known, origin, True, True, Made(known, known, origin)),
    }
    record = Record(rows, Undone(((step,),), 1.5, under_way=True), {}, head="1a2b")
    write_record(store, "/one", record, secure=True)
    assert read_record(store, "/one") == record


def test_the_changes_of_two_folders_do_not_mix(tmp_path, project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    (tmp_path / "more").mkdir()
    other = type(project)(tmp_path / "more", project.with_git)
    other.storage = project.storage
    other.write(a_txt=b"another\n")
    other.begin()
    assert other.look() == {}
    other.write(a_txt=b"other\n")
    other.look()
    project.begin()
    assert project.before("a.txt") == b"before\n"
    assert other.before("a.txt") == b"another\n"


def test_an_unreadable_record_is_not_set_aside_and_its_bytes_are_kept(store, monkeypatch):
    """As when a process has too many files open."""
    name = kept_long_ago(store, b"mine", 3600)
    noted(store, "/one", name)

    def too_many(path: str, *args: object) -> None:
        raise OSError(24, os.strerror(24))

    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", too_many)
        assert store.tidy() == set()
        with pytest.raises(OSError, match=os.strerror(24)):
            read_record(store, "/one")
    assert set(read_record(store, "/one").rows) == {name}
    assert store.kept(name) == b"mine"


def test_a_folder_whose_record_cannot_be_read_now_is_not_begun_anew(tmp_path, project, rules, monkeypatch):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    project.look()
    folder = project.opened()
    record = Store.record

    def too_many(self: Store, name: str) -> None:
        raise OSError(24, os.strerror(24))

    monkeypatch.setattr(Store, "record", too_many)
    project.look_as_window(folder)
    assert folder.workspace is None
    monkeypatch.setattr(Store, "record", record)
    project.look_as_window(folder)
    assert project.before("a.txt") == b"before\n"


def test_nothing_goes_while_the_records_cannot_be_listed(store, monkeypatch):
    name = kept_long_ago(store, b"mine", 3600)
    noted(store, "/one", name)
    listdir, refused = os.listdir, [True]

    def refused_once(path: str) -> object:
        if refused:
            refused.clear()
            raise OSError(24, os.strerror(24))
        return listdir(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", refused_once)
        assert store.tidy() == set()
    assert store.kept(name) == b"mine"
