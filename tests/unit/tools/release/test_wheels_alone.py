"""The built package serves with the wheels that Package Control unpacks, and nothing else, on every Python found here.

Needs the index that pip is set up for, for wheels that are not kept from an earlier run. A Python that the editor runs
and this machine lacks has no test here; the one that runs the tests always has.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Dict

import pytest

from tests.tools import pythons
from tests.tools.release import build, installation
from tests.tools.release.index import Index
from tests.tools.release.libraries import BY_NAME, PYTHONS
from tests.unit.tools.release.conftest import RUNNING

pytestmark = pytest.mark.everything  # wheels from the index

FOUND: Dict[str, str] = {python.name: python.executable for python in pythons.find_all().values()}
PROGRAM = Path(__file__).with_name("wheels_alone.py")


@pytest.mark.parametrize("python", [name for name in PYTHONS if name in FOUND])
def test_the_package_on_wheels_alone_answers_a_tool_call(index: Index, python: str, tmp_path: Path) -> None:
    package = tmp_path / build.FILE_NAME
    package.write_bytes(build.package())
    lib = tmp_path / "Lib"
    installed = installation.make_lib_folder(lib, installation.this_platform(), python, index)
    assert sorted(installed) == [name for name, library in BY_NAME.items() if library.needed_on(python)]
    answer = subprocess.run(
        [FOUND[python], "-I", "-S", str(PROGRAM), str(package), str(lib)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=60,
    )
    assert answer.returncode == 0, answer.stdout.decode("utf-8", "replace")
    result = json.loads(answer.stdout.decode("utf-8"))["result"]
    assert not result.get("isError"), result


def test_the_python_of_this_run_is_one_of_them() -> None:
    assert RUNNING in FOUND
