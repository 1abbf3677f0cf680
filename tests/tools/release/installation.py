"""Makes the `Lib` folder that a user has after Package Control has installed the package.

    python3 tests/tools/release/installation.py --python 3.8 --platform linux-x64 FOLDER

The folder is to be put on `sys.path` beside the standard library, and nothing else. Rule: what is in it came from the
generated repository file and the channel's stand-in by Package Control's rules, and from nowhere else.
"""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.tools.release.channel import channel_libraries
from tests.tools.release.index import Index, Wheel
from tests.tools.release.libraries import BY_NAME, PLATFORMS
from tests.tools.release.package_control import install, resolve
from tests.tools.release.templates import library_entry, own_libraries, pinned_releases

#: Wheels are kept here between runs; git ignores it.
WHEELS = Path(__file__).resolve().parents[3] / ".cache" / "wheels"

#: Stands for the index in a file that is not written: only the name and release after it are read.
_ANY_INDEX = "https://index.invalid"


def definitions(python: str) -> List[Dict[str, Any]]:
    """Every library's definition, from which the generated repository file is resolved and the channel built."""
    own = [library_entry(library, pinned_releases(library, _ANY_INDEX, [python])) for library in own_libraries()]
    return [*own, *channel_libraries(_ANY_INDEX, [python])]


def resolve_all(index: Index, platform_name: str, python: str) -> Dict[str, Wheel]:
    """Library name to the wheel that Package Control installs. Raises `RefusedError`, `UnreachableIndexError`."""
    return {library["name"]: resolve(library, platform_name, python, index.wheels) for library in definitions(python)}


def make_lib_folder(folder: Path, platform_name: str, python: str, index: Optional[Index] = None) -> Dict[str, Wheel]:
    """Fill a `Lib` folder for one platform and Python with what `dependencies.json` lists; returns what was installed.

    Blocking, and it needs the index. Raises `RefusedError`, `UnreachableIndexError`, OSError.
    """
    index = index or Index()
    wheels = {
        name: wheel
        for name, wheel in resolve_all(index, platform_name, python).items()
        if BY_NAME[name].needed_on(python)
    }
    for name, wheel in wheels.items():
        install(index.download(wheel, WHEELS), name, python, folder)
    return wheels


def this_platform() -> str:
    """This machine's platform as Package Control names it."""
    system = {"linux": "linux", "darwin": "osx", "win32": "windows"}[sys.platform]
    architectures = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    return "{}-{}".format(system, architectures.get(platform.machine().lower(), "x32"))


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command: fill a folder and print what went into it."""
    parser = argparse.ArgumentParser(description="Make the Lib folder that Package Control makes.")
    parser.add_argument("--python", default="{}.{}".format(*sys.version_info[:2]), help="for example 3.8")
    parser.add_argument("--platform", default=this_platform(), choices=sorted(PLATFORMS))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    for name, wheel in make_lib_folder(options.folder, options.platform, options.python).items():
        print(f"{name:20} {wheel.filename}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
