"""Asks git about a folder: which files it has, with which blobs, and what is checked out.

Rule: git only reads. Nothing that a repository's configuration names is run: no hook, no filter, no monitor, no diff
program, no alias, nothing that fetches. Only such commands are used as would run none of them, and what could is
switched off besides. The program is looked for outside of the folders that it is asked about, and started elsewhere, so
that no program of that name in a repository ever runs. Where git refuses a folder, there is no repository.

These calls block on the disk and on a process. Disk threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..system.files import Stamp
from ..system.paths import is_below
from ..system.platform import WINDOWS, Platform
from ..system.programs import find_program
from .content import UNKNOWN, Content, identity

SECONDS = 20.0
LOCK_SECONDS = 30.0
OLDEST = (2, 25)
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_LINK, _REPOSITORY = "120000", "160000"  # modes of entries that are no files

# Each of these could run a program, or write. `GIT_ALLOW_PROTOCOL` also ends the fetch of an object that a partial
# clone lacks, where git is older than `GIT_NO_LAZY_FETCH`.
_SWITCHED_OFF = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=" + os.devnull,
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=",
    "credential.helper=",
    "diff.external=",
    "submodule.recurse=false",
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

# Files in a repository's own folder that stand there while an operation is under way.
_OPERATIONS = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)


class GitError(Exception):
    """Git could not be asked, or refused. The message says what it said."""


class Entries(NamedTuple):
    """The index: identities of the staged files by path, and the folders that are repositories of their own."""

    files: Dict[str, str]
    repositories: Tuple[str, ...]


def find_git(platform: Platform, folders: Iterable[str]) -> Optional[str]:
    """The `git` program on the search path that lies in none of `folders`, or None."""
    return find_program("git.exe" if platform.name == WINDOWS else "git", platform, folders).place or None


def git_of(folder: str) -> Optional[Tuple[int, int]]:
    """Which file or folder a folder has for git, if there is one."""
    try:
        return Stamp.of(os.lstat(os.path.join(folder, ".git"))).file
    except OSError:
        return None


class Repository:
    """The work tree around `folder`, seen from there: all paths are relative to it, with `/`."""

    def __init__(self, program: str, folder: str, environment: Mapping[str, str]) -> None:
        """Raises `GitError` if git refuses the folder, or it is not in a work tree."""
        self._program = program
        self.folder = folder
        self._environment = {name: value for name, value in environment.items() if not name.upper().startswith("GIT_")}
        self._environment.update(_ENVIRONMENT)
        if self._version() < OLDEST:
            raise GitError(f"git is older than {'.'.join(map(str, OLDEST))}")
        top, self.own_folder = self._lines("rev-parse", "--show-toplevel", "--absolute-git-dir")
        # A configuration may name a work tree elsewhere, whose files are none of this window's.
        if not is_below(os.path.realpath(top), os.path.realpath(folder)):
            raise GitError("its configuration names a work tree elsewhere")
        common = self._lines("rev-parse", "--git-common-dir")[0]
        self._common_folder = os.path.join(folder, common)

    def entries(self) -> Entries:
        """What is staged. Raises `GitError`."""
        files: Dict[str, str] = {}
        repositories: List[str] = []
        for record in self._records("ls-files", "--stage", "-z"):
            about, _, path = record.partition("\t")
            mode, name, stage = about.split()
            if mode == _REPOSITORY:
                repositories.append(path)
            elif mode != _LINK and (stage == "0" or path not in files):
                files[path] = name if stage == "0" else ""
        return Entries(files, tuple(repositories))

    def untracked(self) -> Entries:
        """The files that git has not and does not ignore, with the identity "". Raises `GitError`."""
        found = self._records("ls-files", "--others", "--exclude-standard", "-z")
        files = {path: "" for path in found if not path.endswith("/")}
        return Entries(files, tuple(path[:-1] for path in found if path.endswith("/")))

    def ignored(self) -> FrozenSet[str]:
        """What is there and ignored; a folder ends with `/` and stands for all in it. Raises `GitError`."""
        return frozenset(self._records("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"))

    def ignored_folders(self, ignored: Iterable[str]) -> FrozenSet[str]:
        """Those of the folders that were told as `ignored` in which whatever comes is ignored, too; raises `GitError`.

        In the others there is only by chance nothing else.
        """
        return self.ignored_among([path[:-1] for path in ignored if path.endswith("/")])

    def ignored_among(self, paths: Iterable[str]) -> FrozenSet[str]:
        """Those of these paths that git ignores; what is staged it does not. Raises `GitError`."""
        here = "./"  # else a name may begin as what is more than a name to git
        asked = "".join(f"{here}{path}\0" for path in paths)
        found = self._run(["check-ignore", "-z", "--stdin"], os.fsencode(asked), (0, 1)) if asked else b""
        return frozenset(path[len(here) :] for path in os.fsdecode(found).split("\0")[:-1])

    def at_work(self) -> bool:
        """Whether git is changing files at this moment. A lock that was left behind is soon taken for that."""
        try:
            since = os.lstat(os.path.join(self.own_folder, "index.lock")).st_mtime
        except OSError:
            return False
        return -LOCK_SECONDS < time.time() - since < LOCK_SECONDS

    def index_stamp(self) -> Stamp:
        """What changes whenever the index does: as long as it does not, `entries` need not be asked for again."""
        return _stamp(os.path.join(self.own_folder, "index"))

    def head(self) -> str:
        """The commit that is checked out, "" before the first one. Raises `GitError`."""
        return "".join(self._lines("rev-parse", "--verify", "--quiet", "HEAD", allowed=(0, 1)))

    def position_stamp(self) -> Tuple[Stamp, ...]:
        """What changes whenever the head, its branch or the stash does, or an operation begins or ends.

        Raises `OSError`.
        """
        own = [os.path.join(self.own_folder, name) for name in ("HEAD", "logs/HEAD", *_OPERATIONS)]
        shared = ["packed-refs", "refs/stash", "logs/refs/stash", "reftable/tables.list", self._branch()]
        return tuple(map(_stamp, own + [os.path.join(self._common_folder, name) for name in shared]))

    def _branch(self) -> str:
        with open(os.path.join(self.own_folder, "HEAD"), encoding="utf-8", errors="replace") as file:
            return file.read(4096).partition("ref: ")[2].strip()

    def uncommitted(self, head: str) -> FrozenSet[str]:
        """The paths whose staged content is not that of this commit; none if git cannot say."""
        command = ("diff-index", "--cached", "--name-only", "--relative", "--no-renames", "-z", head, "--")
        try:
            return frozenset(self._records(*command))
        except GitError:
            return frozenset()

    def committed(self, former: str, latest: str) -> Dict[str, Tuple[str, str]]:
        """The paths that two commits have as something else, with the identities in both, "" where it is not there.

        None of them if a commit has gone.
        """
        commits = [each or identity(b"", former or latest, b"tree") for each in (former, latest)]
        try:
            command = ("diff-tree", "-r", "--raw", "--relative", "--no-renames", "-z", *commits, "--")
            records = iter(self._records(*command))
        except GitError:
            return {}
        found = {}
        for about in records:
            old, new = about.split()[2:4]
            found[next(records)] = (old.strip("0") and old, new.strip("0") and new)
        return found

    def tree(self, commit: str) -> Dict[str, Content]:
        """What a commit has at its paths, of no known size; nothing if that is "". Raises `GitError`."""
        found: Dict[str, Content] = {}
        for record in self._records("ls-tree", "-r", "-z", commit) if commit else ():
            about, _, path = record.partition("\t")
            mode, _, name = about.split()
            found[path] = UNKNOWN if mode in (_LINK, _REPOSITORY) else Content(name, int(mode, 8) & 0o777)
        return found

    def with_crlf(self, paths: Sequence[str]) -> List[str]:
        """Those to which a checkout gives CR LF where git has line feeds (gitattributes(5), "End-of-line conversion").

        Raises `GitError`.
        """
        lines = os.fsencode("".join(f"{path}\0" for path in paths))
        words = os.fsdecode(self._run(["check-attr", "-z", "--stdin", "text", "eol"], lines)).split("\0")
        automatic = "".join(self._lines("config", "core.autocrlf", allowed=(0, 1))).lower()
        converts = automatic in ("true", "yes", "on", "1", "input")
        usual = "".join(self._lines("config", "core.eol", allowed=(0, 1))).lower()
        if converts:
            usual = "lf" if automatic == "input" else "crlf"
        elif usual not in ("lf", "crlf"):
            usual = "crlf" if sys.platform == "win32" else "lf"
        found = []
        for path, text, eol in zip(words[0::6], words[2::6], words[5::6]):
            is_text = text in ("set", "auto") or eol in ("lf", "crlf") or converts
            if text != "unset" and is_text and (eol if eol in ("lf", "crlf") else usual) == "crlf":
                found.append(path)
        return found

    def blobs(self, names: Sequence[str]) -> Dict[str, bytes]:
        """What git has of these identities. All of it is in memory at once."""
        try:
            answer = self._run(["cat-file", "--batch"], "".join(f"{name}\n" for name in names).encode())
        except GitError:  # one that cannot be read ends it
            half = len(names) // 2
            return {**self.blobs(names[:half]), **self.blobs(names[half:])} if half else {}
        found: Dict[str, bytes] = {}
        place = 0
        while place < len(answer):
            end = answer.index(b"\n", place)
            name, kind, *size = answer[place:end].decode("ascii").split()
            place = end + 1
            if size:  # else it is missing
                if kind == "blob":
                    found[name] = answer[place : place + int(size[0])]
                place += int(size[0]) + 1
        return found

    def _version(self) -> Tuple[int, ...]:
        words = self._run(["--version"]).decode("ascii", "replace").split()
        numbers = words[2].split(".")[:2] if len(words) > 2 else []
        return tuple(int(number) for number in numbers if number.isdigit())

    def _lines(self, *command: str, allowed: Tuple[int, ...] = (0,)) -> List[str]:
        return os.fsdecode(self._run(list(command), allowed=allowed)).splitlines()

    def _records(self, *command: str) -> List[str]:
        return os.fsdecode(self._run(list(command))).split("\0")[:-1]

    def _run(self, command: List[str], data: bytes = b"", allowed: Tuple[int, ...] = (0,)) -> bytes:
        switches = [word for setting in _SWITCHED_OFF for word in ("-c", setting)]
        line = [self._program, "--no-pager", *switches, "-C", self.folder, *command]
        try:
            done = subprocess.run(
                line,
                input=data,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=os.path.dirname(self._program),
                env=self._environment,
                timeout=SECONDS,
                check=False,
                creationflags=_NO_WINDOW if sys.platform == "win32" else 0,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise GitError(f"git could not be asked: {error}") from None
        if done.returncode not in allowed:
            raise GitError(done.stderr.decode("utf-8", "replace").strip()[:500] or f"git ended with {done.returncode}")
        return done.stdout


def _stamp(path: str) -> Stamp:
    try:
        return Stamp.of(os.lstat(path))
    except OSError:
        return Stamp()
