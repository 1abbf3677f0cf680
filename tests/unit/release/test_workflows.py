"""The workflows: what they run on, and each of their shell steps, run here as it stands in the file."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.tools.release import build
from tests.tools.release.repository import newest_version
from tests.unit.release.small_index import SmallIndex
from tests.unit.release.workflow_steps import ROOT, WORKFLOWS, Machine, steps, workflow

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


def test_a_release_publishes_the_package_and_the_repository_file_that_names_it(checkout: Machine) -> None:
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
