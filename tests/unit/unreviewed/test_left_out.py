"""Files that are not listed, or not by more than their names: excluded ones, and those that are ignored by now."""

from __future__ import annotations

import os

import pytest

from companion.unreviewed import reading
from companion.unreviewed.files import Rules
from companion.unreviewed.model import ChangeKind
from companion.unreviewed.store import STORE, Store
from companion.unreviewed.texts import change_item
from tests.unit.unreviewed.conftest import TEXT, text

NOTHING_EXCLUDED = Rules(lambda path: False, lambda path, is_folder: os.path.basename(path) == "left-out")


def everything_kept(project):
    store = project.storage / STORE
    texts = [Store(str(store)).kept(path.stem) or b"" for path in store.glob("*.kept")]
    return b"".join([*texts, *(path.read_bytes() for path in store.glob("*.changes"))])


@pytest.fixture(params=["ignored", "listed by git"])
def secretive(request, project):
    """A folder with a file that `context_exclude` names."""
    project.write(secret=b"SECRET=1\n", a_txt=TEXT)
    if project.with_git:
        if request.param == "ignored":
            project.write(_gitignore=b"secret\n")
        project.commit()
    project.begin()
    return project


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"SECRET=2\n", "changed, not shown: excluded"), (None, "deleted, not shown: excluded")],
    ids=["rewritten", "removed"],
)
def test_an_excluded_file_that_has_changed_is_listed_by_its_name_alone(secretive, data, said):
    with secretive.call("Claude Code", "go on"):
        secretive.write(secret=data)
    change = secretive.look()["secret"]
    assert change_item(change) == (change.obstacle, f'{said}, Claude Code: "go on"')
    assert (change.added, change.removed, secretive.before("secret")) == (0, 0, None)
    assert b"SECRET" not in everything_kept(secretive)
    (refusal,) = secretive.undo("secret")
    assert "“context_exclude”" in refusal.sentence
    assert (secretive.folder / "secret").exists() is (data is not None)


def test_a_new_one_is_listed_too_and_keep_takes_it_off_the_list(secretive):
    secretive.write(sub__secret=b"SECRET=3\n")
    change = secretive.look()["sub/secret"]
    assert (change.kind, change.excluded) == (ChangeKind.NEW, True)
    assert secretive.workspace.keep("sub/secret", change.before, change.now)
    assert secretive.look() == {}
    assert b"SECRET" not in everything_kept(secretive)


def test_nothing_is_read_of_it(secretive, monkeypatch):
    read, opened = [], reading.opened
    monkeypatch.setattr(
        reading, "opened", lambda path, flags: read.append(os.path.basename(path)) or opened(path, flags)
    )
    secretive.write(secret=b"SECRET=2\n", a_txt=text(line1=b"one"))
    assert sorted(secretive.look()) == ["a.txt", "secret"]
    assert "a.txt" in read
    assert "secret" not in read


def test_it_is_listed_in_a_later_process_too(secretive):
    secretive.write(secret=b"SECRET=2\n")
    secretive.look()
    secretive.begin()
    assert secretive.look()["secret"].excluded
    secretive.write(a_txt=text(line1=b"one"))
    assert sorted(secretive.look()) == ["a.txt", "secret"]


def test_what_the_user_saves_in_it_is_not_listed(secretive):
    secretive.save(secret=b"SECRET=mine\n")
    assert secretive.look() == {}
    secretive.write(secret=b"SECRET=2\n")
    assert sorted(secretive.look()) == ["secret"]
    assert b"SECRET" not in everything_kept(secretive)


def test_nor_is_a_proposal_that_the_user_has_accepted(secretive):
    secretive.workspace.expect("secret", b"SECRET=accepted\n")
    secretive.write(secret=b"SECRET=accepted\n")
    assert secretive.look() == {}
    assert b"SECRET" not in everything_kept(secretive)


@pytest.mark.parametrize("names", [("a.txt", "new/secret"), ("secret", "b.txt")], ids=["comes", "goes"])
def test_a_side_bar_rename_across_excluded_names_is_not_listed(project, names):
    old, new = names
    (project.folder / "new").mkdir()
    project.write(**{old.replace(".", "_"): TEXT})
    project.begin()
    project.workspace.side_bar.renames(old)
    os.rename(str(project.folder / old), str(project.folder / new))
    assert project.all_listed() == {}
    (project.folder / new).write_bytes(text(line3=b"agent"))
    assert set(project.look()) == {new}


def test_what_is_not_excluded_any_more_has_been_seen(secretive):
    secretive.workspace.use(NOTHING_EXCLUDED)
    assert secretive.all_listed() == {}
    secretive.write(a_txt=text(line1=b"one"))
    assert sorted(secretive.all_listed()) == ["a.txt"]


def test_what_is_excluded_in_an_ignored_folder_is_not_listed(repository):
    repository.write(_gitignore=b"modules/\n", a_txt=TEXT)
    repository.commit()
    repository.begin()
    repository.write(modules__secret=b"a certificate\n", a_txt=text(line1=b"one"))
    assert sorted(repository.look()) == ["a.txt"]


# -- ignored by now ----------------------------------------------------------------------------------------------------


@pytest.fixture
def ignoring(repository):
    """A program has made a file, and has its name ignored then."""
    repository.write(_gitignore=b"", a_txt=TEXT)
    repository.commit()
    repository.begin()
    repository.write(made_log=b"made\n")
    repository.look()
    return repository


def test_a_file_that_is_ignored_by_now_stays_in_the_list_and_says_so(ignoring):
    assert not ignoring.listed()["made.log"].ignored
    ignoring.write(_gitignore=b"*.log\n", other_log=b"other\n")
    assert sorted(ignoring.look()) == [".gitignore", "made.log"]
    change = ignoring.listed()["made.log"]
    assert change.ignored
    assert "ignored by now" in change_item(change)[0]
    assert not ignoring.listed()[".gitignore"].ignored
    ignoring.begin()
    assert ignoring.look()["made.log"].ignored
    assert ignoring.undo("made.log") == []  # one by one it can be
    assert not (ignoring.folder / "made.log").exists()


@pytest.mark.parametrize("where", [".gitignore", ".git/info/exclude"])
def test_a_file_just_found_to_be_ignored_is_not_undone_unsaid(ignoring, where):
    (ignoring.folder / where).write_bytes(b"*.log\n")
    (refusal,) = ignoring.undo("made.log")
    assert "ignored by now" in refusal.sentence
    assert ignoring.read("made.log") == b"made\n"
    assert ignoring.listed()["made.log"].ignored
    assert ignoring.undo("made.log") == []


def test_what_the_editor_leaves_out_by_now_is_said_too(project):
    project.write(a_txt=TEXT)
    if project.with_git:
        return  # there git says what is left out
    project.begin()
    project.write(made_log=b"made\n")
    project.look()
    project.workspace.use(Rules(lambda path: False, lambda path, is_folder: path.endswith(".log")))
    assert project.look()["made.log"].ignored


def test_a_new_file_that_comes_back_is_not_taken_for_ignored(project):
    """When all files were listed last it was not there."""
    project.begin()
    project.write(made_txt=b"made\n")
    project.look()
    assert project.undo("made.txt") == []
    assert project.look() == {}
    assert project.restore() == []
    assert not project.listed()["made.txt"].ignored
