"""Copies of the tree in which faults are planted and tests are run; several may work at a time.

Rule: the tree itself is never touched, and nothing that tests have started outlives them.
"""

from __future__ import annotations

import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .. import cache
from .operators import Fault

SECONDS = 300  # for the tests of one fault: one that makes them hang is noticed
EDITOR = "editor:"
_TESTS_FAILED = re.compile(r"\b\d+ (?:failed|errors?)\b")  # in pytest's last line


class Outcome(NamedTuple):
    """Whether a test failed, and what was printed last."""

    noticed: bool
    output: str


class Copies:
    """`jobs` copies below `folder`, whose tests run with the executable `python`. Raises `SetupError`."""

    def __init__(self, folder: str, python: str, jobs: int) -> None:
        self._free: queue.Queue[_Copy] = queue.Queue()
        for number in range(jobs):
            self._free.put(_Copy(os.path.join(folder, str(number)), python))
        self._pool = ThreadPoolExecutor(jobs)

    def run(self, jobs: Sequence[Tuple[Optional[Fault], Sequence[str]]]) -> List[Outcome]:
        """The outcome of the tests with each fault (None: without any), in order."""
        return list(self._pool.map(self._run, jobs))

    def _run(self, job: Tuple[Optional[Fault], Sequence[str]]) -> Outcome:
        fault, tests = job
        copy = self._free.get()
        started = time.monotonic()
        try:
            outcome = copy.run(fault, tests)
        finally:
            self._free.put(copy)
        if fault is not None:
            cache.say(f"{'noticed ' if outcome.noticed else 'SURVIVED'} {time.monotonic() - started:5.1f} s  {fault}")
        return outcome


class _Copy:
    def __init__(self, folder: str, python: str) -> None:
        self._folder = folder
        self._python = python
        self._time = int(time.time())
        for name in tree():
            target = os.path.join(folder, *name.split("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(cache.ROOT, *name.split("/")), target)
        if tree():
            commit = ["-c", "user.name=mutants", "-c", "user.email=", "commit", "-q", "-m", "a copy"]
            for command in (["init", "-q"], ["add", "-A"], commit):  # some tests ask git for the tree
                subprocess.run(["git", *command], cwd=folder, check=True, stderr=subprocess.DEVNULL)

    def run(self, fault: Optional[Fault], tests: Iterable[str]) -> Outcome:
        if fault is None:
            return self._test(tests)
        path = os.path.join(self._folder, *fault.path.split("/"))
        with open(path, encoding="utf-8", newline="") as file:
            right = file.read()
        try:
            self._write(path, fault.text)
            return self._test(tests)
        finally:
            self._write(path, right)

    def _write(self, path: str, text: str) -> None:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # Bytecode is told by size and whole seconds: without this, one fault would be tested for the one before it.
        self._time += 2
        os.utime(path, (self._time, self._time))

    def _test(self, tests: Iterable[str]) -> Outcome:
        output = ""
        for command in commands(self._python, tests):
            code, output = self._execute(command)
            if code > 0 and "pytest" in command and not _TESTS_FAILED.search(output):
                raise cache.SetupError(f"The tests could not be run, which is no fault's doing:\n{output[-3000:]}")
            if code != 0 or "\nRan 0 tests" in output:
                return Outcome(True, output)
        return Outcome(False, output)

    def _execute(self, command: List[str]) -> Tuple[int, str]:
        env = dict(os.environ, PYTHONPYCACHEPREFIX=os.path.join(self._folder, ".cache", "bytecode"))
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command, cwd=self._folder, env=env, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
            try:
                code = process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                code = -1
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except OSError:
                    pass  # all of it has ended already
                process.wait()
            output.seek(0)
            return code, output.read().decode("utf-8", "replace")


def tree() -> List[str]:
    """What git knows of the tree, and what it will know."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, cwd=cache.ROOT).decode("utf-8").split("\0")
    return sorted({name for name in names if name and os.path.isfile(os.path.join(cache.ROOT, name))})


def commands(python: str, tests: Iterable[str]) -> Iterator[List[str]]:
    """Bare tests first, because they are quick. `editor:FILE` names in-editor tests."""
    unit = [test for test in tests if not test.startswith(EDITOR)]
    if unit:
        pytest = [python, "-m", "pytest", "-q", "-x", "--import-mode=importlib", "-p", "no:cacheprovider"]
        yield [*pytest, "--timeout=60", *unit]
    for test in tests:
        if test.startswith(EDITOR):
            script = os.path.join("tests", "tools", "in_editor.py")
            yield [python, script, "--failfast", "--pattern", test[len(EDITOR) :]]
