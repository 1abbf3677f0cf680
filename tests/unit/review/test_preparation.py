"""Which paths get a diff, what a client is told of the others, and in which encoding the file is read."""

from __future__ import annotations

import os

import pytest

from companion.review.document import disk, preparation
from companion.review.document.disk import Kind, ReadLimits
from companion.review.document.preparation import FileRequest, PathError


def request(path, tabs=(), **changes):
    found = FileRequest(str(path), ReadLimits(1000, 100), "Western (Windows 1252)", dict(tabs))
    return found._replace(**changes)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"text\n")
    return path


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("file\0.txt", "filePath contains a NUL character."),
        ("file\udc80.txt", "filePath contains half of a surrogate pair."),
        ("", "filePath is a folder, not a file."),
        ("none/", "filePath ends like a folder, not like a file."),
        ("file.txt/inner", "filePath leads through a file as if it were a folder."),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="Windows says otherwise what is wrong with a path")
def test_a_path_that_no_diff_can_be_shown_for(tmp_path, file, name, sentence):
    with pytest.raises(PathError) as caught:
        preparation.prepare(request(os.path.join(str(tmp_path), name)), "new\n")
    assert str(caught.value) == sentence


def test_nor_for_a_relative_one_even_if_a_file_has_that_name(tmp_path, file, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (file.name, "new.txt", os.path.join(os.curdir, file.name)):
        with pytest.raises(PathError, match="must be an absolute path"):
            preparation.prepare(request(name), "new\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs are POSIX's")
def test_nor_for_what_is_no_file(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(str(path))
    assert preparation.path_problem(str(path)) == "filePath is not a regular file."


def test_files_new_ones_and_what_cannot_be_looked_at_are_shown(tmp_path, file, monkeypatch):
    assert preparation.path_problem(str(file)) is None
    assert preparation.path_problem(str(tmp_path / "new" / "new.txt")) is None
    assert preparation.prepare(request(tmp_path / "new.txt"), "new\n")[1].original.kind is Kind.NEW

    def refuse(path, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refuse)
    assert preparation.path_problem(str(file)) is None


def test_the_proposal_is_made_ready_with_it(file):
    proposal, found = preparation.prepare(request(file), "new\r\n")
    assert found.original.text == "text\n"
    assert (proposal.shown, proposal.exact) == ("new\n", "new\r\n")


def test_both_texts_are_compared_unless_that_takes_long(file, later, monkeypatch):
    compared = preparation.prepare(request(file), "text\nnew\n")[1].compared
    assert compared is not None
    assert compared.analysis is not None
    assert (compared.text, compared.analysis.added) == ("text\nnew\n", 1)
    compare = preparation.compare

    def slow(question, cancelled):
        later(preparation.COMPARE_SECONDS + 1)
        return compare(question, cancelled)

    monkeypatch.setattr(preparation, "compare", slow)
    assert preparation.prepare(request(file), "text\nnew\n")[1].compared is None


def test_what_is_no_text_is_not_compared(file):
    assert preparation.prepare(request(file), "\x00\x01" * 100)[1].compared is None


class TestEncoding:
    """The file is read as the tab that shows it was."""

    CYRILLIC = "Cyrillic (Windows 1251)"

    @pytest.fixture
    def cyrillic(self, tmp_path):
        path = tmp_path / "file.txt"
        path.write_bytes("\u0436\n".encode("cp1251"))
        return path

    def test_of_the_tab(self, cyrillic):
        assert preparation.read(request(cyrillic, {str(cyrillic): self.CYRILLIC})).original.text == "\u0436\n"

    def test_not_of_a_tab_with_another_file(self, tmp_path, cyrillic):
        other = tmp_path / "other.txt"
        other.write_bytes(b"other\n")
        found = preparation.read(request(cyrillic, {str(other): self.CYRILLIC}))
        assert found.original.text == "\u00e6\n"
        assert found.same_files == frozenset()

    @pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
    def test_of_the_tab_that_is_loaded_whatever_it_calls_the_file(self, tmp_path, cyrillic):
        link = tmp_path / "link.txt"
        link.symlink_to(cyrillic)
        found = preparation.read(request(cyrillic, {str(cyrillic): "", str(link): self.CYRILLIC}))
        assert found.original.text == "\u0436\n"
        assert found.same_files == {str(cyrillic), str(link)}

    def test_else_the_fallback(self, cyrillic):
        assert preparation.read(request(cyrillic)).original.text == "\u00e6\n"
        found = preparation.read(request(cyrillic, fallback_encoding=self.CYRILLIC))
        assert found.original.text == "\u0436\n"


def test_limits_are_those_of_the_request(file):
    assert preparation.read(request(file, limits=ReadLimits(0, 100))).original.kind is Kind.HUGE
    assert preparation.read(request(file, limits=ReadLimits(1000, 0))).original.kind is Kind.HUGE
    assert preparation.read(request(file, limits=ReadLimits(5, 1))).original.kind is Kind.TEXT


def test_a_file_that_is_not_there_is_known_by_its_path(tmp_path):
    path, other = str(tmp_path / "new.txt"), str(tmp_path / "newer.txt")
    spelled = os.path.join(str(tmp_path), os.curdir, "new.txt")
    assert disk.same_files(path, [path, spelled, other]) == {path, spelled}


def test_another_look_says_what_changed_and_which_tabs_show_it(tmp_path, file):
    original = preparation.read(request(file)).original
    other = str(tmp_path / "other.txt")
    assert preparation.check_file(original, {str(file): "", other: ""}) == (False, {str(file)})
    file.write_bytes(b"longer text\n")
    assert preparation.check_file(original, {other: ""}) == (True, frozenset())
