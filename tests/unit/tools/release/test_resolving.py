"""Against the real index: what Package Control would install, for every platform and Python, and what that requires.

Needs the index that pip is set up for. Without it these tests fail; they do not pass by being left out.
"""

from __future__ import annotations

import json
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Dict, Iterator, Set

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from tests.tools.release import installation
from tests.tools.release.index import Index, Wheel
from tests.tools.release.libraries import BY_NAME, PAIRS, PYTHONS, platforms_of
from tests.tools.release.package_control import resolve
from tests.tools.release.readers import listed_libraries, python_of

pytestmark = pytest.mark.everything  # the index

#: What markers of requirements may ask of each platform.
MARKERS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "osx": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}


@pytest.mark.parametrize(("platform", "python"), PAIRS)
def test_every_library_resolves_to_a_wheel_that_runs_there(index: Index, platform: str, python: str) -> None:
    wheels = installation.resolve_all(index, platform, python)
    assert set(wheels) == set(BY_NAME)
    for name, wheel in wheels.items():
        project, _version, _build, tags = parse_wheel_filename(wheel.filename)
        assert project == canonicalize_name(name)
        for tag in tags:
            if BY_NAME[name].compiled_for(python, platform):
                assert tag.interpreter == tag.abi == "cp" + python.replace(".", "")
                assert "musl" not in tag.platform
            else:
                assert (tag.abi, tag.platform) == ("none", "any")


@pytest.mark.parametrize(("platform", "python"), PAIRS)
def test_our_own_definitions_do_not_rely_on_the_check_of_requires_python(
    index: Index,
    platform: str,
    python: str,
) -> None:
    """A Package Control that takes the newest matching wheel, whatever Python it needs, gets the same ones."""
    for library in installation.definitions(python):
        if not BY_NAME[library["name"]].in_default_channel:
            careful = resolve(library, platform, python, index.wheels)
            careless = resolve(library, platform, python, index.wheels, heed_requires_python=False)
            assert careless == careful


def test_jsonschema_is_the_release_of_the_default_channel(index: Index) -> None:
    for python in PYTHONS:
        assert installation.resolve_all(index, "linux-x64", python)["jsonschema"].version == "2.6.0"


@pytest.mark.parametrize(
    ("platform", "build"),
    [(platform, build) for build in (4200, 4201, 4202, 4203, 4215) for platform in platforms_of(python_of(build))],
)
def test_what_the_libraries_require_is_exactly_what_is_listed(
    index: Index,
    platform: str,
    build: int,
    requirements: Requirements,
) -> None:
    """Package Control looks at none of this, so the list has to be complete and consistent by itself."""
    python = python_of(build)
    wheels = installation.resolve_all(index, platform, python)
    reached: Set[str] = set()
    waiting = ["aiohttp", "jsonschema"]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        for requirement in requirements.needed(wheels[name], platform, python):
            needed = canonicalize_name(requirement.name)
            assert needed in wheels, f"{name} needs {requirement}"
            assert requirement.specifier.contains(wheels[needed].version), f"{name} needs {requirement}"
            if needed not in reached:
                waiting.append(needed)
    dependencies = json.loads((Path(__file__).resolve().parents[4] / "dependencies.json").read_text(encoding="utf-8"))
    assert listed_libraries(dependencies, platform, build) == sorted(reached)


class Requirements:
    """What wheels say they require, each wheel of a release read once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: Dict[str, list[Requirement]] = {}

    def needed(self, wheel: Wheel, platform: str, python: str) -> Iterator[Requirement]:
        """What a wheel requires on a platform and Python."""
        markers = {
            **MARKERS[platform.split("-")[0]],
            "python_version": python,
            "python_full_version": python + ".0",
            "platform_python_implementation": "CPython",
            "implementation_name": "cpython",
            "extra": "",
        }
        return (one for one in self.of(wheel) if one.marker is None or one.marker.evaluate(markers))

    def of(self, wheel: Wheel) -> list[Requirement]:
        """The requirements of a wheel; those of one release are taken to be the same on all platforms."""
        key = "-".join(wheel.filename.split("-")[:2])
        if key not in self._known:
            self._known[key] = self._read(wheel)
        return self._known[key]

    def _read(self, wheel: Wheel) -> list[Requirement]:
        with zipfile.ZipFile(str(self._index.download(wheel, installation.WHEELS))) as archive:
            (name,) = [entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA")]
            headers = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
        return [Requirement(text) for text in headers.get_all("Requires-Dist") or []]


@pytest.fixture(name="requirements", scope="module")
def requirements_of_wheels(index: Index) -> Requirements:
    """A reader of requirements."""
    return Requirements(index)
