"""The legs of the test command: one kind of test on one Python, run as a process of its own.

A leg ends with counts. A leg that cannot run is not a pass: it ends as "not run", with the reason,
and the command decides what that is worth.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree
from typing import IO, Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import cache

#: A leg that has printed nothing for so long hangs; one that is merely slow goes on.
SILENT_SECONDS = 15 * 60
#: How long a leg that hangs has to say what its threads are doing.
LAST_WORDS_SECONDS = 10
#: A test that takes so long hangs: what a test waits for within it comes to an end long before.
TEST_SECONDS = 600
POLL_SECONDS = 0.1
LAST_LINES = 12
#: Of a leg that failed: lines that are printed, and characters of each; all of it is in its file in `.cache/output`.
SHOWN_LINES, SHOWN_CHARACTERS = 600, 400
_NAMED = ("FAILED ", "ERROR ", "FAIL: ", "ERROR: ")  # as pytest and unittest begin such lines
_SUMMARY = "FAILED ("  # of unittest
_FATAL = ("Fatal Python error", "KILLED: ")

_lock = threading.Lock()
_running: List[_Process] = []
_stopping = False


class Counts(NamedTuple):
    """How the tests of a leg ended."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


class Outcome(NamedTuple):
    """The end of a leg: what it printed, and the exit code of its process, or minus the number of a signal."""

    name: str
    counts: Counts
    output: str
    seconds: float
    code: int = 0
    processor_seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.counts.failed == 0

    @property
    def shown(self) -> str:
        """What is printed of its output: nothing of a leg that passed, else the end of it, long lines cut short."""
        if self.ok:
            return ""
        lines = [
            line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]} ... {len(line)} characters"
            for line in self.output.rstrip().splitlines()
        ]
        left_out = len(lines) - SHOWN_LINES
        if left_out > 0:
            lines[:left_out] = [f"... {left_out} lines are left out; all of them: {output_file(self.name)}"]
        return "\n".join(lines)

    @property
    def skips(self) -> List[str]:
        """A line for each place where tests were skipped, with the reason."""
        return [line for line in self.output.splitlines() if line.startswith("SKIPPED [") or " ... skipped " in line]

    @property
    def failures(self) -> List[str]:
        """A line for each test that failed; of a leg that ended without a word about one, how it ended."""
        if self.ok:
            return []
        lines = self.output.rstrip().splitlines()
        named = [line for line in lines if line.startswith(_NAMED) and not line.startswith(_SUMMARY)]
        if named and self.code >= 0:
            return named
        fatal = (number for number, line in enumerate(lines) if any(mark in line for mark in _FATAL))
        begin = next(fatal, max(0, len(lines) - LAST_LINES))
        return [_said(self.code), *lines[begin : begin + LAST_LINES]]


class Leg(NamedTuple):
    """What to run: `read_counts(code, folder)` turns exit code and report folder into counts.

    `load`: how much of one processor it keeps busy; the rest of its time it waits. `turn`: legs begin in this order,
    as far as there is room for them.
    """

    name: str
    command: List[str]
    read_counts: Callable[[int, str], Counts]
    env: Dict[str, str]
    load: float = 1.0
    turn: float = 0

    def run(self) -> Outcome:
        """Runs the leg to its end, or until it has been silent for too long. Any thread."""
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="leg-") as folder:
            command = [part.replace("{report}", folder) for part in self.command]
            code, output, processor_seconds = _run_watched(self.name, command, dict(os.environ, **self.env))
            counts = self.read_counts(code, folder)
        return Outcome(self.name, counts, output, time.monotonic() - started, code, processor_seconds)


def pytest_leg(name: str, python: str, paths: List[str], keyword: Optional[str], env: Dict[str, str]) -> Leg:
    """Tests outside the editor, run by pytest."""
    command = [python, "-m", "pytest", *paths, "-q", "--import-mode=importlib", "-p", "no:cacheprovider"]
    command += [f"--timeout={TEST_SECONDS}", "--durations=5", "--junit-xml={report}" + os.sep + "junit.xml", "-rsfE"]
    if keyword:
        command += ["-k", keyword]
    return Leg(name, command, _read_junit, dict(_environment(), **env))


def editor_leg(name: str, python: str, names: List[str], quirks: str = "") -> Leg:
    """The in-editor tests, run inside the headless host, with those `quirks` that it is to have.

    If there are `names`, only the tests whose names contain one of them.
    """
    script = os.path.join(cache.ROOT, "tests", "tools", "in_editor.py")
    command = [python, script, "--report", "{report}" + os.sep + "counts.json"]
    if quirks:
        command += ["--quirks", quirks]
    for part in names:
        command += ["-k", part]
    return Leg(name, command, _read_counts_file, _environment())


def check_leg(name: str, command: List[str]) -> Leg:
    """A tool that says yes or no: it counts as one test."""
    return Leg(name, command, lambda code, folder: Counts(1, 0, 0) if code == 0 else Counts(0, 1, 0), _environment())


def progress() -> List[str]:
    """The legs that run now, with how far they are. Any thread."""
    with _lock:
        return [f"{each.name} {each.progress()}".rstrip() for each in _running]


def output_file(name: str) -> str:
    """Where the whole output of the leg of this name is kept, from the project's folder on."""
    return os.path.join(".cache", "output", re.sub(r"[^A-Za-z0-9.]+", "-", name) + ".txt")


def keep(outcome: Outcome) -> None:
    """Writes down all that a leg has printed."""
    path = os.path.join(cache.ROOT, output_file(outcome.name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(outcome.output)


def stop_all() -> None:
    """Ends the legs that run, with all they have started, and lets no other begin. Any thread."""
    global _stopping
    with _lock:
        _stopping = True
        for process in _running:
            process.end_group()


def _said(code: int) -> str:
    if code >= 0:
        how = f"with exit code {code}"
    else:
        names = {number.value: number.name for number in signal.Signals}
        how = f"by {names.get(-code, f'signal {-code}')}"
    return f"ended {how}; the last that it said:"


def _environment() -> Dict[str, str]:
    """Bytecode is kept, also where the surroundings say otherwise: most tests start processes that import aiohttp."""
    bytecode = os.path.join(cache.CACHE, "bytecode")
    return {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": "", "PYTHONUNBUFFERED": "1"}


class _Process:
    """The process of a leg, in a group of its own, and what it took."""

    def __init__(self, name: str, command: List[str], env: Dict[str, str], output: IO[bytes]) -> None:
        self.name = name
        group: Dict[str, Any] = {"start_new_session": True} if os.name != "nt" else {}
        self._process = subprocess.Popen(
            command, cwd=cache.ROOT, env=env, stdout=output, stderr=subprocess.STDOUT, **group
        )
        self._output = output
        self.processor_seconds = 0.0

    @property
    def code(self) -> int:
        """Its exit code once it has ended, or minus the number of a signal."""
        return int(self._process.returncode)

    def has_ended(self) -> bool:
        """Whether it has; then its code and processor time are known (with that of children that it waited for)."""
        if os.name == "nt" or self._process.returncode is not None:
            return self._process.poll() is not None
        number, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        if number:
            self._process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            self.processor_seconds = usage.ru_utime + usage.ru_stime
        return bool(number)

    def progress(self) -> str:
        """How many of its tests it has done, as pytest says it: "45%"; "" if it does not say it. Any thread."""
        if os.name == "nt":
            return ""
        size = os.fstat(self._output.fileno()).st_size
        end = os.pread(self._output.fileno(), 400, max(0, size - 400)).decode("utf-8", "replace")
        found = re.findall(r"\[ *(\d+%)\]", end)
        return found[-1] if found else ""

    def ends_by_itself(self) -> bool:
        """Waits for its end; False as soon as it has been silent for too long."""
        printed, since = 0, time.monotonic()
        while not self.has_ended():
            size = os.fstat(self._output.fileno()).st_size
            if size != printed:
                printed, since = size, time.monotonic()
            elif time.monotonic() - since > SILENT_SECONDS:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def say_last_words(self) -> None:
        """Has Python print what its threads are doing, which it does when it is told to abort."""
        self._process.send_signal(getattr(signal, "SIGABRT", signal.SIGTERM))
        deadline = time.monotonic() + LAST_WORDS_SECONDS
        while not self.has_ended() and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)

    def end_group(self) -> None:
        """Kills what is left of it: nothing that a leg has started may outlive it."""
        try:
            if os.name != "nt":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except OSError:
            pass  # all of it has ended already
        self._process.wait()


def _run_watched(name: str, command: List[str], env: Dict[str, str]) -> Tuple[int, str, float]:
    """Runs a command to its end, or until it is silent for too long: exit code, output, seconds of a processor."""
    with tempfile.TemporaryFile() as output:
        with _lock:
            if _stopping:
                return -1, "not started: the run was interrupted\n", 0.0
            process = _Process(name, command, env, output)
            _running.append(process)
        note = ""
        try:
            if not process.ends_by_itself():
                note = f"\nKILLED: silent for {SILENT_SECONDS:g} s\n"
                process.say_last_words()
        finally:
            process.end_group()
            with _lock:
                _running.remove(process)
        output.seek(0)
        text = output.read().decode("utf-8", "replace") + note
        return -1 if note else process.code, text, process.processor_seconds


def _read_junit(code: int, folder: str) -> Counts:
    path = os.path.join(folder, "junit.xml")
    if not os.path.isfile(path):
        return Counts(0, 0, 0) if code == 5 else Counts(0, 1, 0)
    tests = failed = skipped = 0
    for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
        tests += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    if code not in (0, 5) and failed == 0:
        failed = 1  # pytest itself failed
    return Counts(max(0, tests - failed - skipped), failed, skipped)


def _read_counts_file(code: int, folder: str) -> Counts:
    text = cache.read_text(os.path.join(folder, "counts.json"))
    if text is None:
        return Counts(0, 1, 0)
    counts = json.loads(text)
    failed = counts["failed"] or (1 if code != 0 else 0)
    return Counts(counts["passed"], failed, counts["skipped"])
