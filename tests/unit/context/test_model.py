"""What clients are told, sentence by sentence; each test is named after what a user would notice."""

from __future__ import annotations

import json
import ntpath

from companion.context.model import ContextModel, Selection
from companion.settings import Settings

A, B, C = "/code/a.py", "/code/b.py", "/code/c.py"
NOW = 1_700_000_000_000


def model(**views):
    """A model in which view 1 shows A, view 2 shows B, ... all existing, none focused."""
    made = ContextModel(NOW)
    for view, path in enumerate((A, B, C), 1):
        made.show(view, path)
    made.set_found({A: A, B: B, C: C})
    return made


def files(made, settings=Settings(), selection=None):
    context = made.payload(settings, selection)
    json.dumps(context).encode("ascii")
    return context["workspaceState"]["openFiles"]


def paths(made, settings=Settings()):
    return [file["path"] for file in files(made, settings)]


def active(made, settings=Settings()):
    return [file["path"] for file in files(made, settings) if file["isActive"]]


def test_a_tab_renamed_to_a_newer_one_does_not_make_that_older():
    made = model()
    made.focus(1, A, NOW + 10)
    made.focus(3, C, NOW + 20)
    made.focus(2, B, NOW + 30)
    made.show(1, B)
    assert paths(made) == [B, C]


def test_the_active_file_is_the_newest_whatever_the_clock_does():
    made = model()
    for view, path, now in [(1, A, NOW), (2, B, NOW), (3, C, NOW - 5000), (1, A, NOW)]:
        made.focus(view, path, now)
        stamps = [file["timestamp"] for file in files(made)]
        assert active(made) == [path] == paths(made)[:1]
        assert len(set(stamps[:2])) == 2


def test_a_file_saved_as_another_is_newer_than_its_origin():
    """Its old name may still be open in another tab, and clients take the newest file for the active one."""
    made = model()
    made.show(10, B)
    made.focus(2, B, NOW + 10)
    made.show(2, C)
    assert active(made) == [C] == paths(made)[:1]
    assert [file["timestamp"] for file in files(made)] == [NOW + 11, NOW + 10, NOW - 1]


def test_a_file_split_off_is_older_than_the_active_one():
    made = model()
    made.show(10, B)
    made.focus(2, B, NOW + 10)
    made.show(10, C)
    assert active(made) == [B]
    assert [(file["path"], file["timestamp"]) for file in files(made)] == [(B, NOW + 10), (C, NOW + 9), (A, NOW - 1)]


def test_a_file_saved_over_an_open_one_has_the_later_time():
    made = model()
    made.focus(1, A, NOW + 10)
    made.focus(2, B, NOW + 20)
    made.show(2, A)
    assert [(file["path"], file["timestamp"]) for file in files(made)] == [(A, NOW + 20), (C, NOW - 1)]


def test_clones_count_once_and_closing_one_leaves_the_file_active():
    made = model()
    made.show(10, A)
    made.focus(10, A, NOW + 10)
    assert paths(made) == [A, B, C]
    assert made.views_of_active() == {1, 10}
    made.close(10)
    assert active(made) == [A]
    assert made.active_view == 1
    made.close(1)
    assert active(made) == []
    assert paths(made) == [B, C]


def test_no_selection_is_no_selected_text():
    made = model()
    made.focus(2, B, NOW + 10)
    assert "selectedText" not in files(made, selection=Selection(3, 7))[0]


def test_two_spellings_are_one_file_where_the_platform_says_so():
    made = ContextModel(NOW, ntpath.normcase)
    made.show(1, "C:\\Code\\A.py")
    made.focus(2, "c:/code/a.py", NOW + 10)
    made.set_found({"C:\\CODE\\A.PY": "C:\\CODE\\A.PY"})
    assert files(made) == [{"path": "C:\\Code\\A.py", "timestamp": NOW + 10, "isActive": True}]
    made.show(3, "\\\\server\\share\\b.py")
    made.set_found({"\\\\SERVER\\share\\b.py": "\\\\SERVER\\share\\b.py"})
    assert paths(made) == ["C:\\Code\\A.py", "\\\\server\\share\\b.py"]


def test_a_file_name_that_is_not_text_is_left_out():
    made = model()
    made.show(4, "/code/\udcff.py")
    made.set_found({"/code/\udcff.py": "/code/\udcff.py"})
    assert paths(made) == [A, B, C]


def test_at_most_so_many_files():
    made = ContextModel(NOW)
    for number in range(12):
        made.focus(number, f"/code/{number}", NOW + number)
        made.set_found({f"/code/{number}": f"/code/{number}"})
    assert paths(made) == [f"/code/{number}" for number in range(11, 1, -1)]


def test_files_that_are_not_on_disk_are_left_out_until_they_are():
    made = model()
    made.focus(2, B, NOW + 10)
    assert made.set_found({B: ""})
    assert paths(made) == [A, C]
    assert active(made) == []
    assert not made.shares_active(Settings())
    assert made.set_found({B: B})
    assert active(made) == [B]
    assert not made.set_found({B: B})


def test_an_excluded_file_is_left_out_and_no_other_is_active():
    made = model()
    made.show(4, "/code/.env")
    made.set_found({"/code/.env": "/code/.env"})
    made.focus(1, A, NOW + 10)
    made.focus(4, "/code/.env", NOW + 20)
    settings = Settings(context_exclude=(".env*",))
    assert paths(made, settings) == [A, B, C]
    assert active(made, settings) == []
    assert not made.shares_active(settings)


def test_an_answer_about_a_closed_file_does_not_count_once_it_is_reopened():
    made = model()
    made.close(1)
    assert not made.set_found({A: A})
    made.show(1, A)
    assert made.unchecked() == [A]
    assert paths(made) == [B, C]
