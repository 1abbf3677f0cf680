"""Folders with files in them, with git and without, and their unreviewed changes."""

from __future__ import annotations

import importlib
import os
import stat
import subprocess
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import pytest

from companion.comparison import Hunk
from companion.system.platform import Platform
from companion.unreviewed.evidence import Doer, Moment, OpenCall, OpenCalls
from companion.unreviewed.files import Rules
from companion.unreviewed.folder import Folder, Queue, Root, Surroundings
from companion.unreviewed.git import Repository, find_git
from companion.unreviewed.listing import Listing
from companion.unreviewed.model import UnreviewedChange
from companion.unreviewed.store import STORE, Store
from companion.unreviewed.undoing import Progress, Refusal, Undoing, finish, restore, undo
from companion.unreviewed.user_acts import Saves
from companion.unreviewed.workspace import Workspace
from tests.support.at_once import AtOnce, Editor, Window

RULES = Rules(
    lambda path: os.path.basename(path) == "secret", lambda path, is_folder: os.path.basename(path) == "left-out"
)

WINDOW = 1

LINES = [b"%d\n" % number for number in range(1, 31)]
TEXT = b"".join(LINES)


def text(**lines: bytes) -> bytes:
    """The text with some of its lines replaced, `line3=b"three"`."""
    changed = list(LINES)
    for name, line in lines.items():
        changed[int(name[4:]) - 1] = line + b"\n"
    return b"".join(changed)


def never() -> bool:
    """Nobody cancels."""
    return False


def to_the_end(steps: Undoing) -> List[Refusal]:
    """What an undo has left, once it has done all its steps."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            left: List[Refusal] = ended.value
            return left


class Project:
    """A folder, and what the package knows of it."""

    def __init__(self, place: Path, with_git: bool) -> None:
        self.folder = Path(os.path.realpath(str(place))) / "project"
        self.folder.mkdir()
        self.storage = place / "storage"
        self.with_git = with_git
        self.undos = 0
        self.workspace: Any = None
        if with_git:
            self.git("init", "-q", "-b", "main")

    def git(self, *command: str, check: bool = True, asked: bytes = b"") -> str:
        """Run git as the user does."""
        settings = ["user.name=x", "user.email=x", "commit.gpgsign=false", "rebase.autoStash=false", "gc.auto=0"]
        settings += ["maintenance.auto=false"]
        line = ["git", *(word for setting in settings for word in ("-c", setting)), *command]
        done = subprocess.run(
            line,
            cwd=str(self.folder),
            check=check,
            input=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, GIT_EDITOR="true"),
        )
        return done.stdout.decode()

    def commit(self, message: str = "more") -> None:
        """Commit all there is."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def write(self, **files: Optional[bytes]) -> None:
        """Write files as any program may; a name's `_` is a dot, its `__` a slash; None deletes."""
        for name, data in files.items():
            path = self.folder / name.replace("__", "/").replace("_", ".")
            if data is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

    def save(self, **files: bytes) -> None:
        """Save files in the editor."""
        for name, data in files.items():
            path = name.replace("__", "/").replace("_", ".")
            self.saving(path)
            self.write(**{name: data})
            self.saved(path, data)

    def saving(self, name: str) -> None:
        """The editor is about to save a tab."""
        self.saves.begin(str(self.folder / name))

    def saved(self, name: str, data: bytes) -> None:
        """It has saved it."""
        self.workspace.saved(name, data)
        self.saves.ended(str(self.folder / name))

    def read(self, name: str) -> bytes:
        """What a file holds."""
        return (self.folder / name).read_bytes()

    def repository(self, folder: Optional[Path] = None) -> Repository:
        """What the package asks of git, here or in another folder. Raises `GitError`."""
        program = find_git(Platform.current(), [str(self.folder)])
        assert program is not None
        return Repository(program, str(folder or self.folder), os.environ)

    def begin(self, rules: Rules = RULES) -> Workspace:
        """Begin to track, in a new process as it were."""
        repository = self.repository() if self.with_git else None
        store = Store(str(self.storage / STORE))
        self.saves, self.calls = Saves(), OpenCalls()
        self.workspace = Workspace(str(self.folder), store, repository, self.moment, self.saves)
        finish(self.workspace, str(self.storage))
        self.workspace.use(rules)
        self.workspace.begin(never)
        return self.workspace

    def opened(self) -> Folder:
        """The folder in a window, in a new process; nothing was looked at yet."""
        store = Store(str(self.storage / STORE))
        shared = Surroundings(store, str(self.storage), Saves(), lambda names: Moment(), list)
        return Folder(str(self.folder), shared, lambda folder: Queue(Lock(), print, print, print))

    def look_as_window(self, folder: Folder, tracked: bool = True, rules: Rules = RULES) -> None:
        """A window looks at the folder, which is the project's from then on unless nothing is known of it."""
        root = Root(str(self.folder), rules)
        root.real = root.name
        folder.visit([root], tracked, never)
        self.workspace = folder.workspace or self.workspace

    def moment(self) -> Moment:
        """Now, in the only window."""
        return self.calls.moment(frozenset([WINDOW]))

    @contextmanager
    def call(
        self,
        *doer: str,
        paths: Sequence[str] = (),
        doubtful: bool = False,
        has_run: bool = True,
        just_looked: bool = True,
    ) -> Iterator[None]:
        """A tool call of a program that tells of it, with the looks before and afterwards. `paths`: the files that it
        names; `has_run`: whether the program says that it has ended; `just_looked`: whether it was looked before."""
        call = object()
        named = tuple(os.path.join(str(self.folder), path) for path in paths)
        self.calls.begins(WINDOW, call, OpenCall(Doer(*doer), named, doubtful))
        self.workspace.look(never)
        yield
        settles = has_run and self.calls.has_run(WINDOW, call, just_looked)
        self.workspace.look(never)
        self.calls.ended(WINDOW, call)
        if settles:
            self.workspace.settle(call)

    def outside(self) -> Dict[str, UnreviewedChange]:
        """What is listed apart, because it is perhaps the user's."""
        return {change.path: change for change in Listing(self.workspace).lists().outside}

    def all_listed(self) -> Dict[str, UnreviewedChange]:
        """What a look lists, in whatever part."""
        return {**self.look(), **self.outside()}

    def look(self) -> Dict[str, UnreviewedChange]:
        """What is listed after a look."""
        self.workspace.look(never)
        return self.listed()

    def listed(self) -> Dict[str, UnreviewedChange]:
        """What is listed."""
        return {change.path: change for change in Listing(self.workspace).lists().changes}

    def before(self, name: str) -> Optional[bytes]:
        """What a listed file held before."""
        data: Optional[bytes] = self.workspace.copies.data({**self.listed(), **self.outside()}[name].before)
        return data

    def undo(self, *names: str) -> List[Refusal]:
        """Undo these files, or all."""
        listed = {**self.listed(), **self.outside()}
        return self.undo_these([change for name, change in listed.items() if not names or name in names])

    def undo_these(
        self, changes: Sequence[UnreviewedChange], progress: Optional[Progress] = None, hunks: Sequence[Hunk] = ()
    ) -> List[Refusal]:
        """Undo these changes, or some hunks of the only one."""
        self.undos += 1
        steps = undo(self.workspace, changes, progress or Progress(), str(self.storage), float(self.undos), hunks)
        return to_the_end(steps)

    def restore(self) -> List[Refusal]:
        """Bring back what was undone last."""
        return to_the_end(restore(self.workspace, Progress(), str(self.storage)))


@pytest.fixture(params=["git", "no git"])
def project(request: Any, tmp_path: Path, monkeypatch: Any) -> Project:
    """A folder in which nothing is tracked yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Project(tmp_path, request.param == "git")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: Any) -> Project:
    """A folder with git."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Project(tmp_path, with_git=True)


@pytest.fixture
def rules() -> Rules:
    """What is left out."""
    return RULES


@pytest.fixture
def everything() -> Callable[[Path], Dict[str, Tuple[object, ...]]]:
    """What lists a whole tree, `.git` included: kinds, modes, sizes, times, numbers and bytes."""

    def found(folder: Path) -> Dict[str, Tuple[object, ...]]:
        listed: Dict[str, Tuple[object, ...]] = {}
        for here, folders, files in os.walk(str(folder)):
            for path in [here, *(os.path.join(here, name) for name in [*folders, *files])]:
                status = os.lstat(path)
                data = Path(path).read_bytes() if stat.S_ISREG(status.st_mode) else b""
                listed[path] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino, data)
        return listed

    return found


@pytest.fixture
def module(monkeypatch: Any) -> Any:
    """What tracks, with an editor that has no window."""
    views = importlib.import_module("companion.editor.file_views")
    monkeypatch.setattr(views, "sublime", Editor)
    return importlib.import_module("companion.unreviewed.tracking")


@pytest.fixture
def decisions(module: Any, tracking: Any) -> Any:
    """Makes what a window decides, by its number."""
    deciding = importlib.import_module("companion.unreviewed.deciding")
    made = deciding.ChangeDecisions
    return lambda number, of=tracking: made(Window(number), of, lambda *undone: None, lambda: None)


@pytest.fixture
def tabs(module: Any) -> Any:
    """What the events of tabs mean."""
    return importlib.import_module("companion.unreviewed.tabs")


@pytest.fixture
def runtime() -> Any:
    """A runtime that does everything at once."""
    made = AtOnce()
    yield made
    made.loop.close()


@pytest.fixture
def tracking(module: Any, runtime: Any, tmp_path: Path, monkeypatch: Any) -> Any:
    """Nothing is tracked yet."""
    monkeypatch.setattr(module, "processor_seconds", lambda: 0.0)
    return module.Tracking(runtime, lambda: None, lambda: str(tmp_path / "storage"))
