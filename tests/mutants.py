"""Plants small faults in the package, one at a time, and says which no test notices: `python3 tests/mutants.py`.

`tests/mutants.txt` lists the faults: the file, the line, what takes its place, and the tests that should notice. A
fault whose line is not found exactly once is stale, and that is an error. Everything runs in copies of the tree; the
tests of each fault must pass without it. Ends well if at least 95 % of the faults are noticed and the list argues for
the rest. Not part of the test command, because it takes long: by hand, and weekly in the workflow.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from tests.tools import cache, pythons  # noqa: E402

LIST = os.path.join(ROOT, "tests", "mutants.txt")
TARGET = 0.95
SECONDS = 180  # for the tests of one fault: one that makes them hang is noticed
_EDITOR = "editor:"
_TESTS_FAILED = re.compile(r"\b\d+ (?:failed|errors?)\b")  # in pytest's last line


class ListError(Exception):
    """The list is wrong. The message says where and how."""


class Fault(NamedTuple):
    """One entry of the list. `lines` are those sought, of which `old` are replaced by `new`; all without indentation,
    but that of `new` relative to its first line."""

    number: int  # the line of the list where the entry begins
    path: str
    tests: Tuple[str, ...]
    before: Tuple[str, ...]
    old: Tuple[str, ...]
    new: Tuple[str, ...]
    argument: str

    def __str__(self) -> str:
        change = " / ".join(self.old) + "  ->  " + (" / ".join(line.strip() for line in self.new) or "(dropped)")
        return f"{self.path} (mutants.txt:{self.number}): {change}"


def read_list(text: str) -> List[Fault]:
    """The faults of the list. Raises `ListError`.

    `[path]` begins a file's section, `tests: ...` says what notices the faults that follow. An entry is lines that
    begin with a blank (context), `-` (replaced) and `+` (put there instead; without any, nothing is done); `?` argues
    for one that cannot be noticed. Empty lines separate entries; `#` begins a remark.
    """
    faults: List[Fault] = []
    path = ""
    tests: Tuple[str, ...] = ()
    entry: List[Tuple[int, str]] = []

    def finish() -> None:
        if entry:
            faults.append(_entry(entry, path, tests))
            entry.clear()

    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line[0] in "[#t":
            finish()
        if line.startswith("["):
            path, tests = line.strip()[1:-1], ()
        elif line.startswith("tests: "):
            tests = tuple(line.split()[1:])
        elif line.strip() and line[0] in " -+?":
            entry.append((number, line))
        elif line.strip() and line[0] != "#":
            raise ListError(f"mutants.txt:{number}: what is this? {line}")
    finish()
    first: Dict[Tuple[object, ...], Fault] = {}
    for fault in faults:
        if first.setdefault((fault.path, fault.before, fault.old, fault.new), fault) is not fault:
            raise ListError(f"twice in the list: {fault}")
    return faults


def _entry(entry: List[Tuple[int, str]], path: str, tests: Tuple[str, ...]) -> Fault:
    number = entry[0][0]
    parts: Dict[str, List[str]] = {" ": [], "-": [], "+": [], "?": []}
    for _, line in entry:
        parts[line[0]].append(line[1:].rstrip() if line[0] == "+" else line[1:].strip())
    if not path or not tests or not parts["-"]:
        raise ListError(f"mutants.txt:{number}: an entry needs a file, tests and a line to replace")
    before, old, new = tuple(parts[" "]), tuple(parts["-"]), tuple(parts["+"])
    return Fault(number, path, tests, before, old, new, " ".join(parts["?"]))


def planted(fault: Fault, text: str) -> str:
    """The file's text with the fault in it. Raises `ListError` if its line is not there exactly once."""
    lines = text.splitlines(keepends=True)
    sought = list(fault.before + fault.old)
    unit = [line.strip() for line in lines]
    places = [place for place in range(len(lines) - len(sought) + 1) if unit[place : place + len(sought)] == sought]
    if len(places) != 1:
        raise ListError(f"stale: found {len(places)} times: {fault}")
    start = places[0] + len(fault.before)
    first = lines[start]
    indent = first[: len(first) - len(first.lstrip())]
    margin = len(fault.new[0]) - len(fault.new[0].lstrip()) if fault.new else 0
    new = [indent + line[margin:] + "\n" for line in fault.new or ("pass",)]
    result = "".join(lines[:start] + new + lines[start + len(fault.old) :])
    try:
        compile(result, fault.path, "exec")
    except SyntaxError as error:
        raise ListError(f"no longer Python ({error}): {fault}") from None
    return result


class Copy:
    """A copy of the tree in which faults are planted. One thread at a time."""

    def __init__(self, folder: str, python: str) -> None:
        self._folder = folder
        self._python = python
        self._time = int(time.time())
        for name in _files():
            target = os.path.join(folder, *name.split("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, *name.split("/")), target)

    def noticed(self, fault: Optional[Fault], tests: Iterable[str]) -> Tuple[bool, str]:
        """Whether one of the tests fails with the fault (None: without any), and the output of the last one."""
        if fault is None:
            return self._fails(tests)
        path = os.path.join(self._folder, *fault.path.split("/"))
        with open(path, encoding="utf-8", newline="") as file:
            right = file.read()
        try:
            self._write(path, planted(fault, right))
            return self._fails(tests)
        finally:
            self._write(path, right)

    def _write(self, path: str, text: str) -> None:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # Bytecode is told by size and whole seconds: without this, one fault would be tested for the one before it.
        self._time += 2
        os.utime(path, (self._time, self._time))

    def _fails(self, tests: Iterable[str]) -> Tuple[bool, str]:
        output = ""
        for command in _commands(self._python, tests):
            code, output = self._run(command)
            if code > 0 and "pytest" in command and not _TESTS_FAILED.search(output):
                raise ListError(f"The tests could not be run, which is not the fault's doing:\n{output[-3000:]}")
            if code != 0 or "\nRan 0 tests" in output:
                return True, output
        return False, output

    def _run(self, command: List[str]) -> Tuple[int, str]:
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
                _end(process)
            output.seek(0)
            return code, output.read().decode("utf-8", "replace")


def _files() -> List[str]:
    """What git knows of the tree, and what it will know."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, cwd=ROOT).decode("utf-8").split("\0")
    return sorted({name for name in names if name and os.path.isfile(os.path.join(ROOT, name))})


def _commands(python: str, tests: Iterable[str]) -> Iterator[List[str]]:
    """Bare tests first, because they are quick. `editor:FILE` or `editor:FILE:WORD` names in-editor tests."""
    unit = [test for test in tests if not test.startswith(_EDITOR)]
    if unit:
        pytest = [python, "-m", "pytest", "-q", "-x", "--import-mode=importlib", "-p", "no:cacheprovider"]
        yield [*pytest, "--timeout=60", *unit]
    for test in tests:
        if test.startswith(_EDITOR):
            pattern, _, word = test[len(_EDITOR) :].partition(":")
            script = os.path.join("tests", "tools", "in_editor.py")
            yield [python, script, "--failfast", "--pattern", pattern] + (["-k", word] if word else [])


def _end(process: subprocess.Popen[bytes]) -> None:
    """Nothing that tests have started may outlive them."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass  # all of it has ended already
    process.wait()


class Work:
    """Runs jobs on several copies of the tree."""

    def __init__(self, folder: str, python: str, jobs: int) -> None:
        self._copies: queue.Queue[Copy] = queue.Queue()
        for number in range(jobs):
            self._copies.put(Copy(os.path.join(folder, str(number)), python))
        self._pool = ThreadPoolExecutor(jobs)
        self._lock = threading.Lock()

    def map(self, jobs: List[Tuple[Optional[Fault], Tuple[str, ...]]]) -> List[Tuple[bool, str]]:
        """Whether each was noticed, in order, and the output."""
        return list(self._pool.map(self._one, jobs))

    def _one(self, job: Tuple[Optional[Fault], Tuple[str, ...]]) -> Tuple[bool, str]:
        copy = self._copies.get()
        started = time.monotonic()
        try:
            noticed, output = copy.noticed(*job)
        finally:
            self._copies.put(copy)
        if job[0] is not None:
            word = "noticed " if noticed else "SURVIVED"
            cache.say(f"{word} {time.monotonic() - started:5.1f} s  {job[0]}")
        return noticed, output


def main() -> int:
    parser = argparse.ArgumentParser(description="Plants faults and says which of them no test notices.")
    help_text = "only faults in files whose path contains this; may be given several times"
    parser.add_argument("--only", metavar="FILE", action="append", default=[], help=help_text)
    parser.add_argument("--jobs", type=int, default=2, help="how many copies of the tree work at a time (default: 2)")
    parser.add_argument("--list", action="store_true", help="check and print the list, and run nothing")
    parser.add_argument("--python", help="the executable of an environment to test with (default: Python 3.8's)")
    options = parser.parse_args()
    text = cache.read_text(LIST) or ""
    faults = [
        fault for fault in read_list(text) if not options.only or any(part in fault.path for part in options.only)
    ]
    wrong = [problem for problem in map(_stale, faults) if problem]
    if wrong:
        raise ListError("\n".join(wrong))
    if options.list:
        print("\n".join(map(str, faults)) + f"\n{len(faults)} faults")
        return 0
    python = os.path.abspath(options.python) if options.python else pythons.environment(_python())
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        work = Work(folder, python, max(1, options.jobs))
        selections = list(dict.fromkeys(fault.tests for fault in faults))
        cache.say(f"{len(faults)} faults; first {len(selections)} selections of tests without any")
        broken = []
        for selection, (failed, output) in zip(selections, work.map([(None, each) for each in selections])):
            if failed:
                broken.append(selection)
                cache.say(f"{output[-3000:]}\nFails without a fault, so these are NOT TRIED: {' '.join(selection)}")
        faults = [fault for fault in faults if fault.tests not in broken]
        outcomes = [noticed for noticed, _ in work.map([(fault, fault.tests) for fault in faults])]
    return max(report(faults, outcomes), 1 if broken else 0)


def _stale(fault: Fault) -> str:
    """What is wrong with an entry of the list, or nothing."""
    try:
        planted(fault, cache.read_text(os.path.join(ROOT, *fault.path.split("/"))) or "")
    except ListError as error:
        return str(error)
    return ""


def _python() -> pythons.Python:
    found = pythons.find_all()
    return found.get((3, 8)) or pythons.newest()


def report(faults: List[Fault], outcomes: List[bool]) -> int:
    """Prints the survivors and the count; returns the exit code."""
    survivors = [fault for fault, noticed in zip(faults, outcomes) if not noticed]
    for fault, noticed in zip(faults, outcomes):
        if noticed and fault.argument:
            print(f"noticed after all, so it needs no argument: {fault}")
    for fault in survivors:
        print(f"survived: {fault}\n    {fault.argument or 'WITHOUT AN ARGUMENT'}")
    noticed_count = len(faults) - len(survivors)
    share: Any = noticed_count / len(faults) if faults else 0.0
    print(f"{len(faults)} planted, {noticed_count} noticed ({share:.1%}), {len(survivors)} survived")
    return 0 if share >= TARGET and all(fault.argument for fault in survivors) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ListError, cache.SetupError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
