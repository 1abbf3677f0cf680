"""Another state of the repository, beside this one, for as long as it is measured.

Rule: the repository itself is only read. An archive would leave out what is not shipped, the benchmarks among it.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class State(NamedTuple):
    """A state of the repository: what it is called in a table, and where its files are."""

    name: str
    folder: str


def git(*arguments: str) -> bytes:
    """What git says. Raises SystemExit with its complaint."""
    done = subprocess.run(["git", *arguments], cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout


@contextlib.contextmanager
def checked_out(commit: str) -> Iterator[State]:
    """The files of a commit in a folder of their own."""
    name = git("rev-parse", "--short", "--verify", commit + "^{commit}").decode("ascii").strip()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        git("clone", "--quiet", "--shared", "--no-checkout", str(ROOT), folder)
        git("-C", folder, "checkout", "--quiet", "--detach", name)
        yield State(name, folder)
