"""The table of libraries and what is generated of it, against a small index of its own; no network is needed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

from tests.tools.release import channel_entries, user_settings
from tests.tools.release.index import UnreachableIndexError
from tests.tools.release.libraries import BY_NAME, FIRST_NEW_BUILD, LIBRARIES, OLD_PYTHON, PLATFORMS, platforms_of
from tests.tools.release.package_control import RefusedError, resolve
from tests.tools.release.pages import Pages
from tests.tools.release.readers import chosen, listed_libraries, python_of, read_by_4_2, read_by_later_ones
from tests.tools.release.repository import ATTACHED_NAME, Release, repository, text
from tests.unit.tools.release.small_index import SmallIndex

ROOT = Path(__file__).resolve().parents[4]
TOOLS = ROOT / "tests" / "tools" / "release"
PACKAGE = "https://code.invalid/owner/gemini-companion"
RELEASE = Release("1.2.3", "2026-07-31 12:00:00", "ab" * 32)

#: One build of each Python that Package Control installs for.
BUILDS = (4200, 4201, 4202, 4203, 4215)
PLATFORMS_AND_BUILDS = [(platform, build) for build in BUILDS for platform in platforms_of(python_of(build))]
READERS = (read_by_4_2, read_by_later_ones)
Reader = Callable[[Dict[str, Any], str, int], List[Dict[str, Any]]]


@pytest.fixture(name="index", scope="module")
def small_index() -> Any:
    """An index with the wheels that the table needs and some that must not be taken."""
    with SmallIndex() as index:
        yield index


@pytest.fixture(name="generated", scope="module")
def generated_file(index: SmallIndex) -> Dict[str, Any]:
    """The repository file, as JSON data."""
    return json.loads(text(repository(Pages(index.address).wheels, PACKAGE, RELEASE)))


# -- dependencies.json


@pytest.mark.parametrize("build", BUILDS)
def test_dependencies_json_lists_what_the_table_says_is_needed(build: int) -> None:
    dependencies = json.loads((ROOT / "dependencies.json").read_text(encoding="utf-8"))
    needed = [library.name for library in LIBRARIES if library.needed_on(python_of(build))]
    for platform in PLATFORMS:
        assert listed_libraries(dependencies, platform, build) == needed


def test_dependencies_json_has_the_first_build_with_another_python() -> None:
    dependencies = json.loads((ROOT / "dependencies.json").read_text(encoding="utf-8"))
    assert set(dependencies["*"]) == {"*", f">={FIRST_NEW_BUILD}"}
    assert python_of(FIRST_NEW_BUILD - 1) == OLD_PYTHON != python_of(FIRST_NEW_BUILD)
    assert [library.name for library in LIBRARIES] == sorted(BY_NAME)


# -- The repository file


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("platform", "build"), PLATFORMS_AND_BUILDS)
def test_every_package_control_finds_a_file_for_every_library(
    generated: Dict[str, Any],
    platform: str,
    build: int,
    reader: Reader,
) -> None:
    """And looks nothing up for it: a release that is not resolved is refused by one and passed over by the other."""
    python = python_of(build)
    for library in generated["libraries"]:
        offered = reader(library, platform, build)
        release = chosen(offered, python)
        row = BY_NAME[library["name"]]
        tag = "cp" + python.replace(".", "") if row.compiled_for(python, platform) else "py3-none-any"
        assert tag in release["url"].rsplit("/", 1)[-1]
        assert row.pin(python) in (None, release["version"])
        assert re.match(r"[0-9a-f]{64}$", release["sha256"])
        assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$", release["date"])
        assert len([one for one in offered if python in one["python_versions"]]) == 1, "the choice would be by chance"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("build", BUILDS)
def test_every_package_control_finds_the_package(generated: Dict[str, Any], build: int, reader: Reader) -> None:
    (package,) = generated["packages"]
    assert (package["name"], package["homepage"]) == ("Gemini Companion", PACKAGE)
    assert package["author"] in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert package["labels"] == ["ai", "diff", "gemini", "mcp", "qwen"]
    (release,) = reader(package, "linux-x64", build)
    assert release["url"] == f"{PACKAGE}/releases/download/1.2.3/{ATTACHED_NAME}"
    assert (release["version"], release["sha256"], release["date"]) == ("1.2.3", "ab" * 32, "2026-07-31 12:00:00")
    assert reader(package, "linux-x64", 4199) == []


def test_what_is_not_resolved_is_of_no_use_to_either() -> None:
    """So the readers above can tell: this is how the file was before."""
    page = {
        "name": "thing",
        "author": "somebody",
        "releases": [
            {"base": "https://index.invalid/project/thing", "asset": "thing-*.whl", "python_versions": ["3.8"]},
        ],
    }
    with pytest.raises(RefusedError, match="looked up"):
        read_by_4_2(page, "linux-x64", 4200)
    assert read_by_later_ones(page, "linux-x64", 4200) == []
    with pytest.raises(RefusedError, match="looked up"):
        read_by_4_2({"name": "thing", "labels": [], "details": PACKAGE, "releases": []}, "linux-x64", 4200)


def test_the_file_defines_what_the_default_channel_lacks_and_nothing_else(generated: Dict[str, Any]) -> None:
    names = [library["name"] for library in generated["libraries"]]
    assert names == [library.name for library in LIBRARIES if not library.in_default_channel]
    assert set(BY_NAME) - set(names) == {"idna", "jsonschema", "typing-extensions"}
    assert generated["schema_version"] == "4.0.0"
    for library in generated["libraries"]:
        assert list(library) == ["name", "description", "author", "issues", "releases"]
        assert all(library.values())
        for release in library["releases"]:
            assert list(release) == ["url", "version", "sha256", "date", "platforms", "python_versions"]


@pytest.mark.parametrize("form", ["json pages", "simple json", "simple html", "simple html without digests"])
def test_the_same_file_comes_of_every_form_of_index(generated: Dict[str, Any], form: str) -> None:
    with SmallIndex(form) as index:
        again = json.loads(text(repository(Pages(index.address).wheels, PACKAGE, RELEASE)))
        elsewhere = text(again).replace(index.address, "")
    assert elsewhere == re.sub(r"http://127\.0\.0\.1:\d+", "", text(generated))


def test_withdrawn_and_unfinished_wheels_are_not_taken(index: SmallIndex, generated: Dict[str, Any]) -> None:
    offered = {wheel.version for wheel in Pages(index.address).wheels("aiohttp")}
    assert offered == {"3.10.11", "3.14.5", "3.15.0rc1", "3.14.6"}, "the small index has what must not be taken"
    taken = {
        release["version"]
        for library in generated["libraries"]
        for release in library["releases"]
        if library["name"] == "aiohttp"
    }
    assert taken == {"3.10.11", "3.14.5"}


def test_what_the_index_does_not_have_is_said() -> None:
    with SmallIndex(without="propcache") as index, pytest.raises(UnreachableIndexError, match="propcache"):
        repository(Pages(index.address).wheels, PACKAGE, RELEASE)


def test_the_command_writes_the_file(index: SmallIndex, tmp_path: Path) -> None:
    target = tmp_path / "new" / "repository.json"
    command = [
        sys.executable,
        str(TOOLS / "repository.py"),
        "--index",
        index.address + "\r",
        "--package",
        PACKAGE,
        "--version",
        "1.2.3\r",
    ]
    subprocess.run([*command, "--output", str(target)], check=True)
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    assert target.read_bytes() == printed
    (package,) = json.loads(printed.decode("utf-8"))["packages"]
    assert package["releases"][0]["url"] == f"{PACKAGE}/releases/download/1.2.3/{ATTACHED_NAME}"


def test_the_readme_gives_the_one_address_that_stays_right() -> None:
    """The file has the same name in every release, so that the newest one's is always there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install = readme.partition("## Install\n")[2].partition("\n## ")[0]
    assert "`/releases/latest/download/repository.json`" in install
    assert "../.." not in install, "no link that works on one page of one web site only"
    by_hand = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8").partition("## Install by hand")[2]
    assert ATTACHED_NAME in by_hand


INDEX = "https://index.invalid"


# -- The default channel


def test_the_entries_for_the_channel_choose_the_same_wheels(index: SmallIndex, generated: Dict[str, Any]) -> None:
    entries = {entry["name"]: entry for entry in channel_entries.libraries(INDEX)["libraries"]}
    wheels_of = Pages(index.address).wheels
    assert len(entries) == len(generated["libraries"]) == 9
    for library in generated["libraries"]:
        for platform, build in PLATFORMS_AND_BUILDS:
            ours = chosen(read_by_4_2(library, platform, build), python_of(build))
            theirs = resolve(entries[library["name"]], platform, python_of(build), wheels_of)
            assert theirs.url == ours["url"]


def test_windows_on_arm_gets_compiled_libraries_for_all_but_the_old_python(generated: Dict[str, Any]) -> None:
    (aiohttp,) = [library for library in generated["libraries"] if library["name"] == "aiohttp"]
    offered = [release for release in aiohttp["releases"] if release["platforms"] == ["windows-arm64"]]
    assert [release["python_versions"] for release in offered] == [["3.14"], ["3.13"]]
    assert all(release["url"].endswith("win_arm64.whl") for release in offered)


def test_the_entries_are_written_as_the_channel_writes_them(tmp_path: Path) -> None:
    assert channel_entries.main(["--index", INDEX, "--package", PACKAGE, "--output", str(tmp_path)]) == 0
    libraries = (tmp_path / "libraries.json").read_text(encoding="utf-8")
    assert '\t\t\t\t\t"python_versions": ["3.8", "3.13", "3.14"]\n' in libraries
    assert '"asset": "yarl-*-cp${py_version}-cp${py_version}-win_amd64.whl"' in libraries
    assert not re.search(r"/project/[^/\"]+/", libraries), "the channel pins nothing"
    (package,) = json.loads((tmp_path / "packages.json").read_text(encoding="utf-8"))["packages"]
    assert package["releases"] == [{"sublime_text": ">=4200", "tags": True}]
    assert package["labels"] == ["ai", "diff", "gemini", "mcp", "qwen"]


# -- What a CI tells Package Control


def test_package_control_is_told_of_the_file_before_it_is_installed(tmp_path: Path) -> None:
    repository_file = tmp_path / "a b" / "repository.json"
    arguments = ["--repository", str(repository_file), "--packages", str(tmp_path / "Packages")]
    assert user_settings.main(arguments) == 0
    written = tmp_path / "Packages" / "User" / "Package Control.sublime-settings"
    assert json.loads(written.read_text(encoding="utf-8"))["repositories"] == [repository_file.as_uri()]
