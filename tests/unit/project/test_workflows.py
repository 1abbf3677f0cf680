"""The workflows: what they run on, and each of their shell steps, run here as it stands in the file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, List

import pytest

from tests.tools.release import build
from tests.tools.release.repository import newest_version
from tests.unit.project.workflow_steps import ROOT, WORKFLOWS, Machine, own_jobs, steps, workflow
from tests.unit.tools.release.small_index import SmallIndex

pytestmark = pytest.mark.everything  # the steps of the workflows, run

#: The first major versions that run on Node 24. Whatever else a workflow uses has to be looked up first.
FIRST_ON_NODE_24 = {
    "actions/cache": 5,
    "actions/checkout": 5,
    "actions/download-artifact": 7,
    "actions/setup-node": 5,
    "actions/setup-python": 6,
    "actions/upload-artifact": 6,
}
ALL = sorted(path.name for path in WORKFLOWS.glob("*.yml"))
RELEASE = steps("release.yml")
TEST = steps("test.yml")
VERSION = newest_version()


@pytest.fixture(name="index", scope="module")
def small_index() -> Iterator[SmallIndex]:
    """The index that the stand-in for pip knows."""
    with SmallIndex("simple json") as index:
        yield index


@pytest.fixture(name="machine", params=["line feeds", "carriage returns too"])
def machine_of_either_kind(request: Any, index: SmallIndex, tmp_path: Path) -> Machine:
    """A machine to run steps on; the second one's programs print as they do on Windows."""
    return Machine(tmp_path, index.address, windows=request.param == "carriage returns too")


# -- What they run on


@pytest.mark.parametrize("name", ALL)
def test_no_job_waits_for_a_system_to_change_under_it(name: str) -> None:
    """The newest Ubuntu has no Python 3.8."""
    for job in own_jobs(name):
        systems = [job["runs-on"], *job.get("strategy", {}).get("matrix", {}).get("os", [])]
        linux = [system for system in systems if system.startswith("ubuntu")]
        assert set(linux) <= {"ubuntu-24.04"}
        assert linux, "every job here runs on Linux, too"


@pytest.mark.parametrize("name", ALL)
def test_actions_run_on_a_node_that_is_still_there(name: str) -> None:
    for job in own_jobs(name):
        for action in [step["uses"] for step in job["steps"] if "uses" in step]:
            if action.startswith("./UnitTesting/"):
                continue  # these are shell scripts
            project, _, version = action.partition("@")
            assert int(version.lstrip("v").split(".")[0]) >= FIRST_ON_NODE_24[project], action


def test_every_shell_step_is_run_below() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    run = set(re.findall(r'(?:RELEASE|TEST)\["(.+?)"\]', text))
    assert run == set(RELEASE) | set(TEST)


# -- test.yml


def test_the_test_command_is_what_the_ci_calls(machine: Machine) -> None:
    machine.work.rmdir()
    machine.work.symlink_to(ROOT)
    step = TEST["Run the test command"]
    (expression,) = re.findall(r"\$\{\{ (.+?) \}\}", step["run"])
    for option in ("", "--everything"):
        finished = machine.run(step, {expression: option})
        assert finished.status == 0, finished.output
        assert machine.asked("python3") == ["tests/run.py", *option.split()]


def test_everything_is_tested_for_a_release_and_once_a_week() -> None:
    (condition,) = re.findall(r"\$\{\{ \((.+?)\) && '--everything' \|\| '' \}\}", TEST["Run the test command"]["run"])
    assert condition.split(" || ") == ["github.event_name == 'schedule'", "github.ref_type == 'tag'"]
    assert "schedule" in triggers("test.yml")


def triggers(name: str) -> Any:
    """What starts a workflow. For YAML the key `on` is the value true."""
    return workflow(name)[True]  # type: ignore[index]


@pytest.mark.parametrize(
    ("license_text", "expected"), [("", ["4200", "stable"]), ("A\nB\n", ["4200", "stable", "dev"])]
)
def test_the_dev_channel_is_tried_only_with_a_licence(
    machine: Machine,
    license_text: str,
    expected: List[str],
) -> None:
    step = TEST["Add the dev channel if there is a licence"]
    finished = machine.run(step, {"secrets.SUBLIME_TEXT_LICENSE": license_text})
    assert finished.status == 0, finished.output
    assert machine.outputs() == {"channels": expected}
    jobs = workflow("test.yml")["jobs"]
    assert jobs["channels"]["outputs"] == {"channels": "${{{{ steps.{}.outputs.channels }}}}".format(step["id"])}
    assert jobs["editor"]["needs"] == "channels"
    assert jobs["editor"]["strategy"]["matrix"]["channel"] == "${{ fromJSON(needs.channels.outputs.channels) }}"
    assert jobs["editor"]["continue-on-error"] == "${{ matrix.channel == 'dev' }}"


def test_the_licence_goes_to_the_editor_and_nowhere_else(machine: Machine) -> None:
    step = TEST["Give the editor its licence"]
    assert step["if"] == "matrix.channel == 'dev'"
    (machine.work / "package").symlink_to(ROOT)
    finished = machine.run(step, {"secrets.SUBLIME_TEXT_LICENSE": "BEGIN\r\nsecret\r\nEND"})
    assert finished.status == 0, finished.output
    written = list(machine.home.rglob("License.sublime_license"))
    assert [path.parent.name for path in written] == ["Local"]
    assert written[0].read_bytes() == b"BEGIN\nsecret\nEND\n"
    assert "secret" not in finished.output
    assert machine.run(step, {"secrets.SUBLIME_TEXT_LICENSE": ""}).status == 1


def test_the_dev_channel_is_downloaded_by_both_scripts(machine: Machine) -> None:
    setup = machine.work / "UnitTesting" / "actions" / "setup"
    setup.mkdir(parents=True)
    (setup / "install_sublime_text.sh").write_text('STWEB="https://www.sublimetext.com/download_thanks"\n')
    windows = setup / "install_sublime_text.ps1"
    windows.write_bytes(b'$private:SublimeTextUrl = "http://www.sublimetext.com/download_thanks"\r\n')
    step = TEST["Download the dev channel instead of the stable one"]
    finished = machine.run(step)
    assert finished.status == 0, finished.output
    assert windows.read_bytes() == b'$private:SublimeTextUrl = "http://www.sublimetext.com/dev"\r\n'
    windows.write_text("the address has moved")
    assert machine.run(step).status != 0


def test_build_4200_is_downloaded_by_both_scripts(machine: Machine) -> None:
    setup = machine.work / "UnitTesting" / "actions" / "setup"
    setup.mkdir(parents=True)
    posix, windows = setup / "install_sublime_text.sh", setup / "install_sublime_text.ps1"
    posix.write_text(
        'URL="https://download.invalid/sublime_text_build_4215_x64.tar.xz"\n'
        'if true; then\n    echo "downloading $URL"\nfi\n'
    )
    windows.write_bytes(b"$downloadUrl = [Uri]::EscapeUriString($downloadUrl)\r\n")
    step = TEST["Download build 4200 instead of the newest one"]
    assert step["if"] == "matrix.channel == '4200'"
    finished = machine.run(step)
    assert finished.status == 0, finished.output
    assert windows.read_bytes() == (
        b'$downloadUrl = [Uri]::EscapeUriString($downloadUrl) -replace "_build_\\d+_", "_build_4200_"\r\n'
    )
    said = subprocess.run(["bash", str(posix)], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    assert said == "downloading https://download.invalid/sublime_text_build_4200_x64.tar.xz\n"
    windows.write_text("the name has changed")
    assert machine.run(step).status != 0


@pytest.mark.parametrize(("said", "status"), [("Sublime Text Build 4200", 0), ("Sublime Text Build 4215", 1)])
def test_a_leg_of_build_4200_fails_in_another_build(machine: Machine, said: str, status: int) -> None:
    step = TEST["The editor is the build that is to be tested"]
    assert step["if"] == "matrix.channel == '4200'"
    machine.program("subl", f"#!/bin/bash\necho '{said}'\n")
    finished = machine.run(step)
    assert finished.status == status
    assert said in finished.output


def test_package_control_will_find_every_library_without_a_look_up(machine: Machine) -> None:
    (machine.work / "package").symlink_to(ROOT)
    finished = machine.run(TEST["Define the package's libraries"])
    assert finished.status == 0, finished.output
    (settings_file,) = machine.home.rglob("Package Control.sublime-settings")
    (address,) = json.loads(settings_file.read_text(encoding="utf-8"))["repositories"]
    assert address == (machine.work / "repository.json").as_uri()
    written = json.loads((machine.work / "repository.json").read_text(encoding="utf-8"))
    releases = [release for library in written["libraries"] for release in library["releases"]]
    assert len(written["libraries"]) == 9
    assert all(release["url"].startswith("http") and "\r" not in release["url"] for release in releases)


def test_what_tests_print_is_utf_8_on_every_system() -> None:
    """In Python's UTF-8 mode no system's own encoding counts, neither for what is printed nor for what is read."""
    environment = workflow("test.yml")["jobs"]["editor"]["env"]
    program = "import sys, locale; print(sys.flags.utf8_mode, sys.stdout.encoding, locale.getpreferredencoding(False))"
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    answer = subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        check=True,
        env={**plain, "LC_ALL": "C.UTF-8", **environment},
    )
    assert answer.stdout.decode("ascii").lower().split() == ["1", "utf-8", "utf-8"]


# -- release.yml


def test_a_release_waits_for_the_tests_of_its_tag() -> None:
    jobs = workflow("release.yml")["jobs"]
    assert jobs["release"]["needs"] == "tests"
    assert jobs["tests"] == {"uses": "./.github/workflows/test.yml", "secrets": "inherit"}
    assert "workflow_call" in triggers("test.yml")


@pytest.fixture(name="checkout")
def checkout_of_the_project(machine: Machine) -> Machine:
    """A machine whose working folder is a copy of the project."""
    machine.work.rmdir()
    leave = shutil.ignore_patterns(".git", ".cache", "dist", "node_modules", "__pycache__", ".hypothesis", ".*_cache")
    shutil.copytree(str(ROOT), str(machine.work), ignore=leave)
    return machine


def test_a_tag_must_be_the_version_of_the_code_and_of_the_change_log(checkout: Machine) -> None:
    step = RELEASE["The code and the change log are of this version"]
    finished = checkout.run(step, GITHUB_REF_NAME=VERSION)
    assert finished.status == 0, finished.output
    assert checkout.run(step, GITHUB_REF_NAME="9.9.9").status != 0


def test_a_release_publishes_the_package_and_the_repository_file_naming_it(checkout: Machine) -> None:
    for step in (RELEASE["Build the package"], RELEASE["Write the repository file"]):
        finished = checkout.run(step, GITHUB_REF_NAME=VERSION)
        assert finished.status == 0, finished.output
    finished = checkout.run(RELEASE["Publish both"], {"github.token": "a token"}, GITHUB_REF_NAME=VERSION)
    assert finished.status == 0, finished.output
    asked = checkout.asked("gh")
    assert asked[:3] == ["release", "create", VERSION]
    attached = [checkout.work / word for word in asked if word.startswith("dist/")]
    assert attached
    assert all(path.is_file() for path in attached)
    uploaded = {re.sub(r"\s", ".", path.name): path for path in attached}  # as the host of releases names them
    assert set(uploaded) >= {"repository.json"}
    (package,) = json.loads(uploaded["repository.json"].read_text(encoding="utf-8"))["packages"]
    folder, _, name = package["releases"][0]["url"].rpartition("/")
    assert folder == "https://code.invalid/owner/gemini-companion/releases/download/" + VERSION
    assert uploaded[name].read_bytes() == build.package(checkout.work)
    assert "." not in name[: -len(".sublime-package")]
