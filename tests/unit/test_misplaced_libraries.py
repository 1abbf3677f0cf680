"""Libraries that are missing, or that stand in the folder of another Python."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from companion import libraries
from companion.diagnosis import programs as diagnosis
from companion.diagnosis.checks import Outcome
from tests.host.waiting import NEVER_SECONDS

ROOT = Path(__file__).resolve().parents[2]
OTHER = "python314" if sys.version_info[:2] != (3, 14) else "python38"
OWN = "python{}{}".format(*sys.version_info[:2])


@pytest.mark.parametrize(
    "path, version, expected",
    [
        ("/home/u/.config/sublime-text/Lib/python38/aiohttp/__init__.py", (3, 14), True),
        ("/home/u/.config/sublime-text/Lib/python314/aiohttp/__init__.py", (3, 14), False),
        ("/home/u/.config/sublime-text/Lib/python314/aiohttp/__init__.py", (3, 8), True),
        ("/home/u/.config/sublime-text/Lib/python3.14/aiohttp/__init__.py", (3, 14), False),
        ("C:\\Users\\u\\AppData\\Roaming\\Sublime Text\\Lib\\python38\\aiohttp\\__init__.py", (3, 13), True),
        ("C:\\Users\\u\\AppData\\Roaming\\Sublime Text\\Lib\\Python38\\aiohttp\\__init__.py", (3, 8), False),
        ("/opt/python3.8/lib/python3.14/site-packages/aiohttp/__init__.py", (3, 14), False),
        ("/somewhere/else/aiohttp/__init__.py", (3, 14), False),
        ("/somewhere/python311.zip/aiohttp/__init__.py", (3, 14), False),
    ],
)
def test_a_library_belongs_to_the_python_whose_folder_it_stands_in(path, version, expected):
    assert libraries.is_misplaced(path, version) is expected


def in_a_fresh_python(tmp_path, folder, code):
    """What `code` prints in a Python that looks into a `Lib` folder first, as early builds after 4200 do."""
    package = tmp_path / "Lib" / folder / "aiohttp"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("print('imported')\n")
    before = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(package.parent)!r}]\n"
    answer = subprocess.run([sys.executable, "-c", before + code], stdout=subprocess.PIPE, check=True)
    return answer.stdout.decode("utf-8")


def test_a_library_in_another_pythons_folder_is_said_and_not_imported(tmp_path):
    code = "from companion.libraries import obstacle; sys.stdout.buffer.write(obstacle().encode('utf-8'))"
    said = in_a_fresh_python(tmp_path, OTHER, code)
    assert said.startswith("aiohttp belongs to another Python ({}): ".format(tmp_path / "Lib" / OTHER)), said


def test_a_library_in_this_pythons_folder_is_imported(tmp_path):
    code = "from companion.libraries import missing_libraries, misplaced_libraries\n"
    code += "print(misplaced_libraries(), 'aiohttp' in missing_libraries())"
    assert in_a_fresh_python(tmp_path, OWN, code).split("\n")[:2] == ["imported", "[] False"]


def test_a_misplaced_library_that_another_package_has_imported_is_said_too(tmp_path):
    code = "import aiohttp; from companion.libraries import misplaced_libraries; print(misplaced_libraries()[0][0])"
    assert in_a_fresh_python(tmp_path, OTHER, code).split() == ["imported", "aiohttp"]


def test_the_package_waits_until_it_is_in_place_and_says_why(monkeypatch):
    said, misplaced = [], [("aiohttp", f"/data/Lib/{OTHER}/aiohttp/__init__.py")]
    monkeypatch.setattr(libraries, "RETRY_SECONDS", 0.001)
    monkeypatch.setattr(libraries, "misplaced_libraries", lambda: misplaced)

    async def call(function):
        return function()

    waiting = libraries.Libraries(call, lambda: None, said.append)

    async def run():
        task = asyncio.ensure_future(waiting.available())
        while not said:
            await asyncio.sleep(0.001)
        assert not task.done()
        del misplaced[:]
        await asyncio.wait_for(task, NEVER_SECONDS)

    asyncio.run(run())
    assert len(said) == 1
    assert "another Python" in said[0]


def test_diagnose_names_the_folder_and_what_to_do(monkeypatch):
    path = f"/data/Lib/{OTHER}/aiohttp/__init__.py"
    monkeypatch.setattr(diagnosis, "misplaced_libraries", lambda: [("aiohttp", path)])
    found, check = diagnosis.libraries()
    assert "aiohttp" not in [library.name for library in found]
    assert check.outcome is Outcome.FAILED
    assert check.detail == f"aiohttp: of another Python, in /data/Lib/{OTHER}"
    assert "Update Sublime Text" in check.advice
