"""Against the real index: what Package Control would install, for every platform and Python, and that it runs here.

Needs the index that pip is set up for. Without it these tests fail; they do not pass by being left out.
"""
from __future__ import annotations

import subprocess
import sys
import textwrap
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Dict

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from tests.tools.release import installation
from tests.tools.release.index import Index, Wheel
from tests.tools.release.libraries import BY_NAME, PLATFORMS, PYTHONS
from tests.tools.release.package_control import resolve

#: What markers of requirements may ask of each platform.
MARKERS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "osx": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS)
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


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_our_own_definitions_do_not_rely_on_the_check_of_requires_python(
    index: Index, platform: str, python: str,
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


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_each_library_requires_is_listed_and_new_enough(
    index: Index, platform: str, python: str, requirements: Requirements,
) -> None:
    """Package Control looks at none of this, so the table has to be complete and consistent by itself."""
    wheels = installation.resolve_all(index, platform, python)
    markers = {**MARKERS[platform.split("-")[0]], "python_version": python, "python_full_version": python + ".0",
               "platform_python_implementation": "CPython", "implementation_name": "cpython", "extra": ""}
    for name, wheel in wheels.items():
        for requirement in requirements.of(wheel):
            if requirement.marker is None or requirement.marker.evaluate(markers):
                needed = wheels.get(requirement.name.lower().replace("_", "-"))
                assert needed is not None, "{} needs {}".format(name, requirement)
                assert requirement.specifier.contains(needed.version), "{} needs {}".format(name, requirement)


class Requirements:
    """What wheels say they require, each wheel of a release read once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: Dict[str, list[Requirement]] = {}

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


def test_the_libraries_work_with_nothing_but_the_standard_library(lib_folder: Path) -> None:
    """One request to a server on loopback, with a schema checked on the way: every library is used."""
    program = textwrap.dedent("""
        import asyncio, sys
        sys.path[:] = [path for path in sys.path if "site-packages" not in path]
        sys.path.append(sys.argv[1])
        import aiohttp, jsonschema
        from aiohttp import web

        async def answer(request):
            jsonschema.Draft4Validator({"type": "object"}).validate(await request.json())
            return web.json_response({"path": str(request.url.path)})

        async def run():
            application = web.Application()
            application.router.add_post("/mcp", answer)
            runner = web.AppRunner(application)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            port = site._server.sockets[0].getsockname()[1]
            async with aiohttp.ClientSession() as session:
                async with session.post("http://127.0.0.1:%d/mcp" % port, json={}) as response:
                    print(await response.json())
            await runner.cleanup()

        asyncio.run(run())
        foreign = [name for name, module in sys.modules.items()
                   if "site-packages" in (getattr(module, "__file__", None) or "")]
        assert not foreign, foreign
        assert aiohttp.__file__.startswith(sys.argv[1]) and jsonschema.__file__.startswith(sys.argv[1])
    """)
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(lib_folder)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )
    assert answer.returncode == 0, answer.stdout.decode("utf-8", "replace")
    assert answer.stdout.decode("utf-8").strip() == "{'path': '/mcp'}"
