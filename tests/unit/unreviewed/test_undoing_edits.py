"""Undo beside the user's own edits, saved and unsaved: what the user has written stays."""

from __future__ import annotations

import pytest

from companion.unreviewed import undoing
from companion.unreviewed.model import ChangeKind


def test_files_with_unsaved_edits_are_left_to_their_tabs(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    listed = list(project.look().values())
    unsaved = undoing.Progress([str(project.folder / "a.txt")])
    refused = project.undo_these(listed, unsaved)
    assert [each.unsaved for each in refused] == [True]
    assert project.read("a.txt") == b"now\n"


def test_so_are_those_that_their_tabs_know_by_another_name(project, tmp_path):
    (tmp_path / "link").symlink_to(project.folder)
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"now\n")
    listed = list(project.look().values())
    unsaved = undoing.Progress([str(tmp_path / "link" / "a.txt")])
    refused = project.undo_these(listed, unsaved)
    assert ([each.unsaved for each in refused], project.read("a.txt")) == ([True], b"now\n")


def test_a_deleted_file_does_not_come_back_beside_unsaved_edits_of_its_tab(project):
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=None)
    listed = list(project.look().values())
    unsaved = undoing.Progress([str(project.folder / "a.txt")])
    refused = project.undo_these(listed, unsaved)
    assert [(each.unsaved, each.sentence) for each in refused] == [(True, "a.txt has unsaved edits in a tab.")]
    assert not (project.folder / "a.txt").exists()


def test_lines_the_user_adds_to_a_new_file_are_his_and_it_stays_listed(project):
    project.begin()
    project.write(new_txt=b"agent 1\nagent 2\n")
    project.look()
    project.save(new_txt=b"agent 1\nagent 2\nuser\n")
    assert project.look()["new.txt"].added == 2
    assert project.undo() == []
    assert project.read("new.txt") == b"user\n"


def test_a_new_file_in_which_the_user_has_edited_a_line_is_new_still(project):
    project.begin()
    project.write(a_txt=b"1\n2\n3\n")
    project.look()
    project.save(a_txt=b"1\ntwo\n3\n")
    assert project.look()["a.txt"].kind is ChangeKind.NEW
    assert project.undo() == []
    assert not (project.folder / "a.txt").exists()


def test_an_edit_of_the_user_inside_a_change_is_part_of_it(project):
    project.write(a_txt=b"1\n2\n3\n")
    project.begin()
    project.write(a_txt=b"1\nagent\n3\n")
    project.look()
    project.save(a_txt=b"1\nagent and user\n3\n")
    project.look()
    assert project.before("a.txt") == b"1\n2\n3\n"


def test_a_save_over_what_nobody_has_kept_leaves_what_was_there_before(project):
    """It is part of a change that no command takes that decides all."""
    project.write(a_txt=b"before\n")
    project.begin()
    project.write(a_txt=b"agent\n" * (1 << 18))
    project.look()
    project.save(a_txt=b"user\n")
    assert project.look()["a.txt"].origin.perhaps
    assert project.undo() == []
    assert project.read("a.txt") == b"before\n"
    assert project.restore() == []
    assert project.read("a.txt") == b"user\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_lines_of_an_encoding_that_is_not_by_bytes_are_not_told_apart(project, encoding):
    def text(*lines: str) -> bytes:
        return ("\ufeff" + "".join(line + "\n" for line in lines)).encode(encoding)

    project.write(a_txt=text("1", "2", "3"))
    project.begin()
    project.write(a_txt=text("agent", "2", "3"))
    project.look()
    project.save(a_txt=text("agent", "2", "\u010a user"))
    assert project.look()["a.txt"].origin.perhaps
    assert project.before("a.txt") == text("1", "2", "3")
