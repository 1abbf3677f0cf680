"""The rules by which Package Control picks wheels, on small examples; no index is needed."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pytest

from tests.tools.release.index import Wheel, parse_wheels
from tests.tools.release.package_control import RefusedError, matches, resolve

pytestmark = pytest.mark.everything


def wheel(filename: str, requires_python: Optional[str] = None) -> Wheel:
    return Wheel(filename, "https://index.invalid/" + filename, requires_python)


def library(asset: str, base: str = "https://index.invalid/project/thing", **more: Any) -> Dict[str, Any]:
    release = {"base": base, "asset": asset, "platforms": ["*"], "python_versions": ["3.8"], **more}
    return {"name": "thing", "releases": [release]}


@pytest.mark.parametrize(
    ("asset", "filename", "expected"),
    [
        ("thing-*-py3-none-any.whl", "thing-1.0-py3-none-any.whl", True),
        ("thing-*-py3-none-any.whl", "thing-1.0-py2.py3-none-any.whl", False),
        (
            "thing-*-cp38-cp38-manylinux*_x86_64.whl",
            "thing-1.0-cp38-cp38-manylinux1_x86_64.manylinux2014_x86_64.whl",
            True,
        ),
        ("thing-*-cp38-cp38-manylinux*_x86_64.whl", "thing-1.0-cp38-cp38-musllinux_1_1_x86_64.whl", False),
        ("thing-*-cp314-cp314-win32.whl", "thing-1.0-cp314-cp314t-win32.whl", False),
        ("thing-${version}-cp${py_version}-*.whl", "thing-1.0-cp38-abi3-win32.whl", True),
        ("thing-?.?-py3-none-any.whl", "thing-1.0-py3-none-any.whl", True),
        ("thing-*-py3-none-any.whl", "another-thing-1.0-py3-none-any.whl", False),
    ],
)
def test_patterns_of_assets(asset: str, filename: str, expected: bool) -> None:
    assert matches(asset, filename, "1.0", "3.8") is expected


def test_the_newest_final_release_with_a_matching_wheel_is_taken() -> None:
    versions = ("1.9", "1.10", "2.0rc1", "2.0.dev1", "0.1")
    wheels = [wheel(f"thing-{version}-py3-none-any.whl") for version in versions]
    wheels.append(wheel("thing-3.0-cp314-cp314-win32.whl"))
    found = resolve(library("thing-*-py3-none-any.whl"), "linux-x64", "3.8", lambda name: wheels)
    assert found.version == "1.10"


def test_a_base_with_a_version_pins_it() -> None:
    wheels = [wheel("thing-1.0-py3-none-any.whl"), wheel("thing-2.0-py3-none-any.whl")]
    pinned = library("thing-*-py3-none-any.whl", base="https://index.invalid/project/thing/1.0")
    assert resolve(pinned, "linux-x64", "3.8", lambda name: wheels).version == "1.0"


def test_a_wheel_that_cannot_run_is_taken_without_the_python_version_check() -> None:
    wheels = [wheel("thing-1.0-py3-none-any.whl", ">=3.8"), wheel("thing-2.0-py3-none-any.whl", ">=3.9")]
    unpinned = library("thing-*-py3-none-any.whl")
    assert resolve(unpinned, "linux-x64", "3.8", lambda name: wheels).version == "1.0"
    careless = resolve(unpinned, "linux-x64", "3.8", lambda name: wheels, heed_requires_python=False)
    assert careless.version == "2.0"


@pytest.mark.parametrize(
    ("platforms", "serving"),
    [
        (["linux-x64"], True),
        (["linux"], True),
        (["*"], True),
        (["linux-arm64"], False),
        (["windows"], False),
    ],
)
def test_platforms(platforms: List[str], serving: bool) -> None:
    wheels = [wheel("thing-1.0-py3-none-any.whl")]
    definition = library("thing-*.whl", platforms=platforms)
    if serving:
        assert resolve(definition, "linux-x64", "3.8", lambda name: wheels) == wheels[0]
    else:
        with pytest.raises(RefusedError, match="No wheel"):
            resolve(definition, "linux-x64", "3.8", lambda name: wheels)


def test_two_wheels_of_one_release_are_refused_as_chance_would_decide() -> None:
    wheels = [wheel("thing-1.0-cp38-cp38-win32.whl"), wheel("thing-1.0-cp38-cp38-win_amd64.whl")]
    with pytest.raises(RefusedError, match="Two wheels"):
        resolve(library("thing-*-cp38-cp38-win*.whl"), "windows-x64", "3.8", lambda name: wheels)


def test_wheels_are_read_off_what_pip_says_of_a_project() -> None:
    log = """
* https://index.invalid/simple/thing/
  Found link https://files.invalid/a/thing-1.0.tar.gz#sha256=00 (from https://index.invalid/simple/thing/), version: 1.0
  Found link https://files.invalid/b/thing-1.0-py3-none-any.whl#sha256=01 (from https://index.invalid/simple/thing/) (requires-python:>=3.8), version: 1.0
  Link requires a different Python (3.8.1 not in: '>=3.9'): https://files.invalid/c/thing-2.0-py3-none-any.whl (from https://index.invalid/simple/thing/) (requires-python:>=3.9)
  Skipping link: none of the wheel's tags (cp314-cp314-win32) are compatible (run pip debug to show): https://files.invalid/d/thing-2.0-cp314-cp314-win32.whl#sha256=02 (from https://index.invalid/simple/thing/)
  Found link file:///mirror/thing-1.0-py3-none-any.whl (from file:///mirror/index.html), version: 1.0
"""  # noqa: E501
    assert [(found.url, found.requires_python) for found in parse_wheels(log)] == [
        ("https://files.invalid/b/thing-1.0-py3-none-any.whl#sha256=01", ">=3.8"),
        ("https://files.invalid/c/thing-2.0-py3-none-any.whl", ">=3.9"),
        ("https://files.invalid/d/thing-2.0-cp314-cp314-win32.whl#sha256=02", None),
    ]
