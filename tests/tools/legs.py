"""The legs of the test command: one kind of test on one Python, run as a process of its own.

A leg ends with counts. A leg that cannot run is not a pass: it ends as "not run", with the reason,
and the command decides what that is worth.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import cache

LEG_SECONDS = 20 * 60
LAST_LINES = 12
_NAMED = ("FAILED ", "ERROR ", "FAIL: ", "ERROR: ")  # as pytest and unittest begin such lines
_SUMMARY = "FAILED ("  # of unittest
_FATAL = ("Fatal Python error", "KILLED: ")

_lock = threading.Lock()
_running: List[Any] = []
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
        """Runs the leg to its end, or to its time limit. Any thread."""
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="leg-") as folder:
            command = [part.replace("{report}", folder) for part in self.command]
            code, output, processor_seconds = _run_limited(command, dict(os.environ, **self.env))
            counts = self.read_counts(code, folder)
        return Outcome(self.name, counts, output, time.monotonic() - started, code, processor_seconds)


def pytest_leg(name: str, python: str, paths: List[str], keyword: Optional[str], env: Dict[str, str]) -> Leg:
    """Tests outside the editor, run by pytest."""
    command = [python, "-m", "pytest", *paths, "-q", "--import-mode=importlib", "-p", "no:cacheprovider"]
    command += ["--timeout=180", "--durations=5", "--junit-xml={report}" + os.sep + "junit.xml", "-rsfE"]
    if keyword:
        command += ["-k", keyword]
    return Leg(name, command, _read_junit, dict(_environment(), **env))


def editor_leg(name: str, python: str, keyword: Optional[str], quirks: str = "") -> Leg:
    """The in-editor tests, run inside the headless host, with those `quirks` that it is to have."""
    script = os.path.join(cache.ROOT, "tests", "tools", "in_editor.py")
    command = [python, script, "--report", "{report}" + os.sep + "counts.json"]
    if quirks:
        command += ["--quirks", quirks]
    if keyword:
        command += ["-k", keyword]
    return Leg(name, command, _read_counts_file, _environment())


def check_leg(name: str, command: List[str]) -> Leg:
    """A tool that says yes or no: it counts as one test."""
    return Leg(name, command, lambda code, folder: Counts(1, 0, 0) if code == 0 else Counts(0, 1, 0), _environment())


def stop_all() -> None:
    """Ends the legs that run, with all they have started, and lets no other begin. Any thread."""
    global _stopping
    with _lock:
        _stopping = True
        for process in _running:
            _end_group(process)


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


def _run_limited(command: List[str], env: Dict[str, str]) -> Any:
    """Runs a command in a group of its own; past the limit the whole group is killed."""
    with tempfile.TemporaryFile() as output:
        group: Dict[str, Any] = {"start_new_session": True} if os.name != "nt" else {}
        with _lock:
            if _stopping:
                return -1, "not started: the run was interrupted\n", 0.0
            process = subprocess.Popen(
                command, cwd=cache.ROOT, env=env, stdout=output, stderr=subprocess.STDOUT, **group
            )
            _running.append(process)
        note, used = "", 0.0
        try:
            code, used = _wait(process, LEG_SECONDS)
        except subprocess.TimeoutExpired:
            code, note = -1, f"\nKILLED: not finished after {LEG_SECONDS} s\n"
        finally:
            _end_group(process)
            _running.remove(process)
        output.seek(0)
        return code, output.read().decode("utf-8", "replace") + note, used


def _wait(process: subprocess.Popen[bytes], seconds: float) -> Tuple[int, float]:
    """Exit code and seconds of a processor, its children's included if it waited for them. Raises TimeoutExpired."""
    if os.name == "nt":
        return process.wait(seconds), 0.0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        number, status, usage = os.wait4(process.pid, os.WNOHANG)
        if number:
            process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        time.sleep(0.02)
    raise subprocess.TimeoutExpired(process.args, seconds)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Nothing a leg has started may outlive it."""
    try:
        if os.name != "nt":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        pass  # all of it has ended already
    process.wait()


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
