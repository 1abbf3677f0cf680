"""Runs the shell steps of the workflows as the host of workflows does, with stand-ins for what is not here.

Stand-ins: `python` is the Python of the tests, whose pip knows one index, on loopback; `gh` and `python3` write down
what they are asked for. Rule: a step is run as it stands in the file. On "Windows" every line that Python prints ends
in a carriage return and a line feed, of which `$(...)` takes only the latter away.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = ROOT / ".github" / "workflows"

_PIP = '''"""A pip that knows one index and installs nothing."""
import os, sys
words = [word for word in sys.argv[1:] if not word.startswith("-")]
if words[0] == "install":
    print("Requirement already satisfied: " + ", ".join(words[1:]))
elif words[:2] == ["index", "versions"]:
    lines = ["1 location(s) to search for versions of pip:", "* {0}/simple/pip/", "pip (99.0)"]
    sys.stdout.write("".join(line + os.environ["PIP_LINE_END"] for line in lines).format(os.environ["INDEX"]))
else:
    sys.exit("not this: " + " ".join(words))
'''
_PYTHON = '#!/bin/bash\nset -o pipefail\n{python} "$@" | {filter}\n'
_RECORDER = '#!/bin/bash\nprintf "%s\\n" "$@" > "$RECORDS/$(basename "$0")"\n'


class Finished(NamedTuple):
    """A step that was run: its exit status and all that it printed."""

    status: int
    output: str


def workflow(name: str) -> Dict[str, Any]:
    """A workflow's file as data."""
    return yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def own_jobs(name: str) -> List[Dict[str, Any]]:
    """The jobs of a workflow but those that another workflow defines."""
    return [job for job in workflow(name)["jobs"].values() if "uses" not in job]


def steps(name: str) -> Dict[str, Dict[str, Any]]:
    """The shell steps of a workflow by their names, in order. Every one must have a name of its own."""
    found: Dict[str, Dict[str, Any]] = {}
    for job in own_jobs(name):
        for step in job["steps"]:
            if "run" in step:
                assert step.get("name", "") not in ("", *found), step
                found[step["name"]] = step
    return found


class Machine:
    """A throw-away machine that runs steps in one folder; `home` is its user's, `records` what stand-ins were asked."""

    def __init__(self, folder: Path, index: str, windows: bool = False) -> None:
        self.work = folder / "work"
        self.home = folder / "home"
        self.records = folder / "records"
        self._bin = folder / "bin"
        pip = folder / "modules" / "pip"
        for directory in (self.work, self.home, self.records, self._bin, pip):
            directory.mkdir(parents=True)
        (pip / "__init__.py").write_bytes(b"")
        (pip / "__main__.py").write_text(_PIP, encoding="utf-8")
        end_of_line = "sed 's/$/\\r/'" if windows else "cat"
        self.program("python", _PYTHON.format(python=shlex.quote(sys.executable), filter=end_of_line))
        for recorded in ("gh", "python3"):
            self.program(recorded, _RECORDER)
        self.output_file = folder / "output"
        self.output_file.write_bytes(b"")
        self.environment = {
            "PATH": "{}{}{}".format(self._bin, os.pathsep, os.environ["PATH"]),
            "HOME": str(self.home),
            "PYTHONPATH": str(folder / "modules"),
            "RECORDS": str(self.records),
            "INDEX": index,
            "PIP_LINE_END": "\r\n" if windows else "\n",
            "GITHUB_OUTPUT": str(self.output_file),
            "GITHUB_SERVER_URL": "https://code.invalid",
            "GITHUB_REPOSITORY": "owner/gemini-companion",
        }

    def run(self, step: Dict[str, Any], values: Optional[Dict[str, str]] = None, **environment: str) -> Finished:
        """Run a step. `values` are those of the expressions in it; `environment` is added to the machine's."""
        own = {key: _filled(str(value), values or {}) for key, value in step.get("env", {}).items()}
        script = self.work.parent / "step.sh"
        script.write_text(_filled(step["run"], values or {}), encoding="utf-8")
        options: List[str] = ["--noprofile", "--norc", "-eo", "pipefail"] if step.get("shell") == "bash" else ["-e"]
        answer = subprocess.run(
            ["bash", *options, str(script)],
            cwd=str(self.work),
            env={**self.environment, **own, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return Finished(answer.returncode, answer.stdout.decode("utf-8"))

    def asked(self, program: str) -> List[str]:
        """The words with which a recorded program was called."""
        return (self.records / program).read_text(encoding="utf-8").splitlines()

    def outputs(self) -> Dict[str, Any]:
        """What steps wrote as their outputs, which here is JSON."""
        lines = self.output_file.read_text(encoding="utf-8").splitlines()
        return {key: json.loads(value) for key, _, value in (line.partition("=") for line in lines)}

    def program(self, name: str, text: str) -> None:
        """Puts a program on the machine's path."""
        path = self._bin / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)


def _filled(text: str, values: Dict[str, str]) -> str:
    return re.sub(r"\$\{\{\s*(.+?)\s*\}\}", lambda found: values[found.group(1)], text)
