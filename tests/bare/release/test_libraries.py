"""The table of libraries, the list that Package Control reads, and the generated repository file."""
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict

import pytest

from tests.tools.release import user_settings
from tests.tools.release.libraries import BY_NAME, LIBRARIES, PLATFORMS, PYTHONS
from tests.tools.release.package_control import serves
from tests.tools.release.repository import main, repository, text

ROOT = Path(__file__).resolve().parents[3]
INDEX = "https://index.invalid"
PACKAGE = "https://code.invalid/owner/gemini-companion"

#: What schema 4.0.0 allows in a library and in one release of it.
LIBRARY_KEYS = {"name", "description", "author", "homepage", "issues", "releases"}
RELEASE_KEYS = {"base", "asset", "platforms", "python_versions", "sublime_text", "tags", "version", "url"}


@pytest.fixture(name="generated")
def generated_file() -> Dict[str, Any]:
    """The repository file, as JSON data."""
    return json.loads(text(repository(INDEX, PACKAGE)))


def test_dependencies_json_lists_the_table() -> None:
    listed = json.loads((ROOT / "dependencies.json").read_text(encoding="utf-8"))
    assert listed == {"*": {"*": [library.name for library in LIBRARIES]}}
    assert [library.name for library in LIBRARIES] == sorted(BY_NAME)


def test_the_file_defines_the_package_by_its_tags(generated: Dict[str, Any]) -> None:
    assert generated["schema_version"] == "4.0.0"
    (package,) = generated["packages"]
    assert package["name"] == "Gemini Companion"
    assert package["details"] == PACKAGE
    assert package["releases"] == [{"sublime_text": ">=4200", "tags": True}]


def test_the_file_defines_what_the_default_channel_lacks_and_nothing_else(generated: Dict[str, Any]) -> None:
    names = [library["name"] for library in generated["libraries"]]
    assert names == [library.name for library in LIBRARIES if not library.in_default_channel]
    assert set(BY_NAME) - set(names) == {"idna", "jsonschema", "typing-extensions"}


def test_libraries_have_the_keys_that_package_control_demands(generated: Dict[str, Any]) -> None:
    for library in generated["libraries"]:
        assert set(library) <= LIBRARY_KEYS
        for key in ("name", "description", "author", "issues", "releases"):
            assert library[key], (library["name"], key)
        for release in library["releases"]:
            assert set(release) <= RELEASE_KEYS
            assert re.match(r"^https://index\.invalid/project/[a-z-]+(/[0-9.]+)?$", release["base"])


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_library_has_one_release_for_each_platform_and_python(
    generated: Dict[str, Any], platform: str, python: str,
) -> None:
    for library in generated["libraries"]:
        releases = [release for release in library["releases"] if serves(release, platform, python)]
        assert len(releases) == 1, library["name"]


def test_pure_wheels_are_pinned_for_the_old_python(generated: Dict[str, Any]) -> None:
    """Their names match every Python, so the newest one would be taken even where it cannot run."""
    for library in generated["libraries"]:
        for release in library["releases"]:
            if release["asset"].endswith("py3-none-any.whl") and "3.8" in release["python_versions"]:
                assert re.search(r"/project/[^/]+/[0-9.]+$", release["base"]), library["name"]


def test_the_same_parameters_give_the_same_file() -> None:
    assert text(repository(INDEX, PACKAGE)) == text(repository(INDEX + "/", PACKAGE))


def test_the_command_writes_the_file(tmp_path: Path) -> None:
    target = tmp_path / "new" / "repository.json"
    command = [sys.executable, str(ROOT / "tests" / "tools" / "release" / "repository.py"),
               "--index", INDEX, "--package", PACKAGE]
    subprocess.run([*command, "--output", str(target)], check=True)
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    assert target.read_text(encoding="utf-8") == text(repository(INDEX, PACKAGE))
    assert printed.replace("\r\n", "\n") == text(repository(INDEX, PACKAGE))


@pytest.mark.parametrize("arguments", [
    [], ["--index", INDEX], ["--package", PACKAGE],
    ["--index", "http://index.invalid", "--package", PACKAGE], ["--index", INDEX, "--package", "git@code.invalid:a/b"],
])
def test_the_command_refuses_missing_and_insecure_addresses(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2


def test_package_control_is_told_of_the_file_before_it_is_installed(tmp_path: Path) -> None:
    repository_file = tmp_path / "a b" / "repository.json"
    arguments = ["--repository", str(repository_file), "--packages", str(tmp_path / "Packages")]
    assert user_settings.main(arguments) == 0
    written = tmp_path / "Packages" / "User" / "Package Control.sublime-settings"
    assert json.loads(written.read_text(encoding="utf-8"))["repositories"] == [repository_file.as_uri()]


def test_existing_settings_of_package_control_are_kept(tmp_path: Path) -> None:
    written = tmp_path / "User" / "Package Control.sublime-settings"
    written.parent.mkdir()
    written.write_text("{}", encoding="utf-8")
    assert user_settings.main(["--repository", str(tmp_path / "r.json"), "--packages", str(tmp_path)]) == 1
    assert written.read_text(encoding="utf-8") == "{}"
