"""What a client may have written on its own word: files inside the workspace, as the disk has them at that time."""

from __future__ import annotations

import os

import pytest

from companion.discovery.workspace import inside_workspace


@pytest.fixture
def place(tmp_path):
    """A workspace beside a folder that is none."""
    for name in ("work/deep", "work-too", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def inside(place, path, *folders):
    return inside_workspace(str(place / path), [str(place / folder) for folder in folders or ("work",)])


@pytest.mark.parametrize(
    "path", ["work/a.py", "work/deep/a.py", "work/new/er/a.py", "work/../work/a.py", "work/deep/../a.py"]
)
def test_files_of_the_workspace_are_inside(place, path):
    assert inside(place, path)


@pytest.mark.parametrize(
    "path",
    [
        "elsewhere/a.py",
        "a.py",
        "work-too/a.py",
        "work",
        "work/../a.py",
        "work/../elsewhere/a.py",
        "work/deep/../../a.py",
    ],
)
def test_all_others_are_outside(place, path):
    assert not inside(place, path)


def test_any_of_several_folders_will_do(place):
    assert inside(place, "elsewhere/a.py", "work", "elsewhere")


@pytest.mark.parametrize("path", ["relative.py", "", "\0", "/a\0b", "/" + "x/" * 3000, "\ud800"])
def test_what_cannot_be_looked_at_is_outside(place, path):
    assert not inside_workspace(path, [str(place)])


def test_a_relative_path_is_outside_wherever_the_process_stands(place, monkeypatch):
    monkeypatch.chdir(place / "work")
    assert not inside_workspace("a.py", [str(place / "work")])


def test_a_folder_that_is_gone_does_not_hide_the_others(place):
    assert inside(place, "work/a.py", "gone", "work")


def test_without_folders_everything_is_outside(place):
    assert not inside_workspace(str(place / "work" / "a.py"), [])
    assert not inside(place, "gone/a.py", "gone")


def test_a_link_in_the_workspace_that_leads_out_is_outside(place):
    (place / "work" / "link").symlink_to(place / "elsewhere")
    (place / "elsewhere" / "a.py").write_text("")
    (place / "work" / "a.py").symlink_to(place / "elsewhere" / "a.py")
    (place / "work" / "dangling.py").symlink_to(place / "elsewhere" / "new.py")
    assert not inside(place, "work/link/a.py")
    assert not inside(place, "work/a.py")
    assert not inside(place, "work/dangling.py")
    assert not inside(place, "work/link/../a.py")  # which is beside the link's target, not beside the link


def test_a_link_that_leads_in_is_inside(place):
    (place / "elsewhere" / "link").symlink_to(place / "work")
    assert inside(place, "elsewhere/link/a.py")


def test_a_workspace_folder_may_be_a_link_itself(place):
    (place / "named").symlink_to(place / "work")
    assert inside(place, "work/a.py", "named")
    assert inside(place, "named/a.py", "named")
    assert inside(place, "named/a.py", "work")


def test_a_link_is_followed_anew_each_time(place):
    link = place / "work" / "current"
    link.symlink_to(place / "work" / "deep")
    assert inside(place, "work/current/a.py")
    link.unlink()
    link.symlink_to(place / "elsewhere")
    assert not inside(place, "work/current/a.py")


def test_links_without_an_end_are_outside(place):
    (place / "work" / "one").symlink_to(place / "work" / "two")
    (place / "work" / "two").symlink_to(place / "work" / "one")
    assert not inside(place, "work/one")


def test_the_same_folder_under_another_name_is_the_same(place, monkeypatch):
    """As on disks that do not tell upper from lower case: only the folder's identity says that it is the same."""
    look = os.stat

    def careless(path, *rest, **more):
        return look(str(path).replace("WORK", "work"), *rest, **more)

    monkeypatch.setattr(os, "stat", careless)
    assert inside_workspace(str(place / "WORK" / "a.py"), [str(place / "work")])
