"""How Package Control 4 picks a library's wheel from a repository file, and how it unpacks it.

Tests resolve and install by these rules, so that what they start is what a user gets: no pip install, no dependency
resolution. Rule: a case that Package Control refuses raises `RefusedError` here, with a sentence that says why.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from tests.tools.release.index import Wheel

_BASE = re.compile(r"/project/(?P<name>[^/]+)(?:/(?P<version>[^/]+))?/?$")


class RefusedError(Exception):
    """Package Control would not install this."""


def final_version(wheel: Wheel) -> Optional[Version]:
    """The release of a wheel; None for what Package Control passes over: pre-releases and odd names."""
    try:
        version = Version(wheel.version)
    except InvalidVersion:
        return None
    return None if version.is_prerelease or version.local else version


def allows(requires_python: Optional[str], python: str) -> bool:
    """Whether a `Requires-Python` lets a Python such as "3.8" have the file. Raises `InvalidSpecifier`."""
    return SpecifierSet(requires_python or "").contains(python)


def matches(asset: str, filename: str, version: str, python: str) -> bool:
    """Whether a release's `asset` pattern names this file. The pattern is anchored at its start only."""
    pattern = asset.replace("${version}", version).replace("${py_version}", python.replace(".", ""))
    expression = re.escape(pattern).replace(r"\*", ".*?").replace(r"\?", ".")
    return re.match(expression, filename) is not None


def serves(release: Mapping[str, Any], platform: str, python: str) -> bool:
    """Whether a release is for this platform ("linux-x64") and Python."""
    accepted = {platform, platform.split("-")[0], "*"}
    return python in release["python_versions"] and bool(accepted & set(release.get("platforms", ["*"])))


def candidates(
    library: Mapping[str, Any],
    platform: str,
    python: str,
    wheels_of: Callable[[str], Sequence[Wheel]],
    *,
    heed_requires_python: bool = True,
) -> List[Wheel]:
    """The wheels that Package Control could install for a library of a repository file, the best first.

    The newest final release that has a file of the pattern's name wins. Current versions of Package Control set aside
    what does not say it runs on that Python; `heed_requires_python=False` is the rule without that check.
    """
    found: List[Tuple[Version, Wheel]] = []
    for release in library["releases"]:
        if not serves(release, platform, python):
            continue
        base = _BASE.search(release["base"])
        if base is None:
            raise RefusedError("{!r} is not the page of a project.".format(release["base"]))
        for wheel in wheels_of(base.group("name")):
            version = final_version(wheel)
            if version is None or base.group("version") not in (None, wheel.version):
                continue
            if heed_requires_python and not allows(wheel.requires_python, python):
                continue
            if matches(release["asset"], wheel.filename, wheel.version, python):
                found.append((version, wheel))
    return [wheel for _version, wheel in sorted(found, key=lambda entry: entry[0], reverse=True)]


def resolve(
    library: Mapping[str, Any],
    platform: str,
    python: str,
    wheels_of: Callable[[str], Sequence[Wheel]],
    *,
    heed_requires_python: bool = True,
) -> Wheel:
    """The wheel that is installed. Raises `RefusedError` when there is none, or when two of one release match."""
    found = candidates(library, platform, python, wheels_of, heed_requires_python=heed_requires_python)
    where = "{} for Python {} on {}".format(library["name"], python, platform)
    if not found:
        raise RefusedError(f"No wheel of {where}.")
    if len(found) > 1 and found[1].version == found[0].version:
        raise RefusedError(f"Two wheels of {where}: {found[0].filename} and {found[1].filename}.")
    return found[0]


def install(wheel: Path, name: str, python: str, lib_folder: Path) -> None:
    """Unpack a wheel into the `Lib` folder of one Python, which is all that Package Control does with it.

    Raises `RefusedError` for what Package Control refuses: an unsafe path, no record of the library's name, a file
    that differs from the record, or a Python that the metadata rules out.
    """
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder)
        with zipfile.ZipFile(str(wheel)) as archive:
            names = [entry for entry in archive.namelist() if not entry.endswith("/")]
            for entry in names:
                if entry.startswith("/") or any(part in entry for part in ("../", ":/", "..\\", ":\\")):
                    raise RefusedError(f"{wheel.name} holds the unsafe path {entry!r}.")
            archive.extractall(folder)
        dist_info = _dist_info(names, name, wheel.name)
        _verify_record(unpacked, dist_info, wheel.name)
        requires = _metadata_field(unpacked / dist_info / "METADATA", "Requires-Python")
        if not allows(requires, python):
            raise RefusedError(f"{wheel.name} needs Python {requires}, not {python}.")
        (unpacked / dist_info / "INSTALLER").write_bytes(b"Package Control\n")
        lib_folder.mkdir(parents=True, exist_ok=True)
        for top in sorted(unpacked.iterdir()):
            target = lib_folder / top.name
            if target.is_dir():
                shutil.rmtree(str(target))
            shutil.move(str(top), str(target))


def _dist_info(names: Sequence[str], name: str, wheel: str) -> str:
    """The metadata folder, found by the library's name as `dependencies.json` spells it."""
    stem = re.sub(r"[^\w.]+", "_", name)
    record = re.compile(rf"({re.escape(stem)}-[^\s/]+\.dist-info)/RECORD$", re.IGNORECASE)
    for entry in names:
        found = record.match(entry)
        if found is not None:
            return found.group(1)
    raise RefusedError(f"{wheel} has no record of a library named {name!r}.")


def _verify_record(unpacked: Path, dist_info: str, wheel: str) -> None:
    with (unpacked / dist_info / "RECORD").open(encoding="utf-8", newline="") as record:
        for path, digest, _size in csv.reader(record):
            if path == dist_info + "/RECORD":
                continue
            algorithm, _, expected = digest.partition("=")
            content = (unpacked / path).read_bytes()
            actual = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")
            if algorithm != "sha256" or actual != expected:
                raise RefusedError(f"{path} in {wheel} is not what the record says.")


def _metadata_field(metadata: Path, field: str) -> Optional[str]:
    for line in metadata.read_text(encoding="utf-8").splitlines():
        if not line:
            break
        key, _, value = line.partition(":")
        if key.lower() == field.lower():
            return value.strip()
    return None
