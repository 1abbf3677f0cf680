"""The editor's folders and the resources in them: `Packages/<package>/<path>` names.

A resource comes from the first place that has it: a loose file below `Packages/`, the package's
zip below `Installed Packages/`, the editor's own default packages (`default_packages/` beside
this file, which stand for what ships with the editor).
Rules: names use `/` on every platform; packages come in the editor's order (Default first, User
last); hidden folders and caches are no resources. Any thread may call.
"""

from __future__ import annotations

import fnmatch
import os
import zipfile
from typing import Dict, Iterator, List, Optional, Set, Tuple

SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "default_packages")
ZIP_SUFFIX = ".sublime-package"
_NO_RESOURCES = {"__pycache__", "node_modules"}


_data = ""  # the editor's data folder: all that one instance keeps is below it
_ignored: Set[str] = set()


def configure(data: str) -> None:
    """Says which data folder this plugin host belongs to. Called once, before any package is loaded."""
    global _data
    _data = data
    for folder in (user_path(), installed_packages_path(), cache_path(), os.path.dirname(session_path())):
        os.makedirs(folder, exist_ok=True)


def packages_path() -> str:
    return os.path.join(_data, "Packages")


def installed_packages_path() -> str:
    return os.path.join(_data, "Installed Packages")


def cache_path() -> str:
    return os.path.join(_data, "Cache")


def user_path() -> str:
    return os.path.join(_data, "Packages", "User")


def session_path() -> str:
    return os.path.join(_data, "Local", "Session.sublime_session")


def executable_path() -> str:
    """The editor's executable. A path of the right shape; nothing is there to be run."""
    return os.path.join(os.sep, "opt", "sublime_text", "sublime_text")


def set_ignored_packages(names: Set[str]) -> None:
    _ignored.clear()
    _ignored.update(names)


def package_names(include_ignored: bool = False) -> List[str]:
    """Every package there is, in the order in which the editor loads them."""
    names: Set[str] = set()
    for place in (SHIPPED, packages_path()):
        names.update(_subfolders(place))
    for entry in _listdir(installed_packages_path()):
        if entry.endswith(ZIP_SUFFIX):
            names.add(entry[: -len(ZIP_SUFFIX)])
    if not include_ignored:
        names -= _ignored
    return sorted(names, key=_load_order)


def zip_of(package: str) -> Optional[str]:
    """The path of the package's zip below `Installed Packages/`, or None."""
    path = os.path.join(installed_packages_path(), package + ZIP_SUFFIX)
    return path if os.path.isfile(path) else None


def paths_in(package: str) -> List[str]:
    """The resources of one package, relative to it, sorted."""
    found: Set[str] = set()
    for place in (SHIPPED, packages_path()):
        found.update(_files_below(os.path.join(place, package)))
    archive = zip_of(package)
    if archive:
        found.update(_zip_index(archive))
    return sorted(found)


def find_resources(pattern: str) -> List[str]:
    """The names of all resources whose file name matches the shell-like `pattern`."""
    return [
        f"Packages/{package}/{path}"
        for package in package_names()
        for path in paths_in(package)
        if fnmatch.fnmatchcase(path.rsplit("/", 1)[-1], pattern)
    ]


def load_binary_resource(name: str) -> bytes:
    """The bytes of one resource. Raises FileNotFoundError in the editor's words."""
    content = _read(name)
    if content is None:
        raise FileNotFoundError(f'resource "{name}" not found')
    return content


def load_resource(name: str) -> str:
    """The text of one resource, which is UTF-8; line endings come as `\\n`. Raises FileNotFoundError."""
    return load_binary_resource(name).decode("utf-8").replace("\r\n", "\n")


def _read(name: str) -> Optional[bytes]:
    root, _, rest = name.partition("/")
    package, _, path = rest.partition("/")
    if root != "Packages" or not path or package in _ignored or ".." in path.split("/"):
        return None
    loose = _read_file(os.path.join(packages_path(), package, *path.split("/")))
    if loose is not None:
        return loose
    archive = zip_of(package)
    if archive and path in _zip_index(archive):
        with zipfile.ZipFile(archive) as opened:
            return opened.read(path)
    return _read_file(os.path.join(SHIPPED, package, *path.split("/")))


def _read_file(path: str) -> Optional[bytes]:
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def _files_below(folder: str) -> Iterator[str]:
    for parent, subfolders, files in os.walk(folder, followlinks=False):
        subfolders[:] = [name for name in subfolders if not name.startswith(".") and name not in _NO_RESOURCES]
        prefix = os.path.relpath(parent, folder).replace(os.sep, "/")
        for file in files:
            yield file if prefix == "." else f"{prefix}/{file}"


_zip_indexes: Dict[str, Tuple[Tuple[int, int], Set[str]]] = {}


def _zip_index(archive: str) -> Set[str]:
    status = os.stat(archive)
    stamp = (status.st_mtime_ns, status.st_size)
    known = _zip_indexes.get(archive)
    if known is None or known[0] != stamp:
        with zipfile.ZipFile(archive) as opened:
            names = {name for name in opened.namelist() if not name.endswith("/")}
        known = _zip_indexes[archive] = (stamp, names)
    return known[1]


def _subfolders(place: str) -> List[str]:
    return [name for name in _listdir(place) if os.path.isdir(os.path.join(place, name)) and name[0] not in "._"]


def _listdir(place: str) -> List[str]:
    return os.listdir(place) if os.path.isdir(place) else []


def _load_order(package: str) -> Tuple[int, str, str]:
    rank = {"Default": 0, "User": 2}.get(package, 1)
    return rank, package.lower(), package
