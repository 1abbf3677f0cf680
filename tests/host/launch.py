"""How an editor instance is set up: its folders, its environment, its package and its libraries.

Used by the command line and by the driver, so that both start the same thing. What a start needs is
one JSON object, the launch settings, handed from process to process:
  data        the data folder (created)     folders    folders of the first window
  console     the console's log file        files      files opened at the start
  bytecode    where bytecode is cached      libraries  list of folders that stand for `Lib/`
  python      runs the plugin host
Rule: standard library only, and no import of the host's other halves: this runs in any Python.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import builds

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = "Gemini Companion"
HOST_FOLDER = os.path.join(ROOT, "tests", "host")
BYTECODE = os.path.join(ROOT, ".cache", "bytecode")

Libraries = Union[str, Sequence[str]]

# What a terminal or another editor may have left in our environment and must not reach a test.
_FOREIGN_VARIABLES = ("GEMINI_", "QWEN_", "TERM_PROGRAM", "VSCODE_", "SUBLIME_", "PYTHON")


def prepare_data(data: str, package: Optional[str], libraries: Libraries, python: str) -> Dict[str, Any]:
    """Creates the data folder and installs the package; returns the launch settings.

    `package` is "tree" (this work tree, linked), a `.sublime-package` file (copied), another package
    folder (linked) or None. `libraries` is "environment" (the Python's own site-packages), "none", or
    a list of folders. Raises OSError and ValueError.
    """
    data = os.path.abspath(data)
    for name in ("Packages/User", "Installed Packages", "Cache", "Local", "home", "tmp"):
        os.makedirs(os.path.join(data, *name.split("/")), exist_ok=True)
    if package is not None:
        install_package(data, package)
    return {
        "data": data,
        "console": os.path.join(data, "console.log"),
        "libraries": library_folders(libraries, python, data),
        "bytecode": BYTECODE,
    }


def install_package(data: str, package: str, name: Optional[str] = None) -> str:
    """Puts `package` where the editor finds it, replacing what was there. Returns the package's name."""
    source = ROOT if package == "tree" else os.path.abspath(package)
    if name is None:
        name = PACKAGE if package == "tree" else os.path.splitext(os.path.basename(source))[0]
    remove_package(data, name)
    if os.path.isfile(source):
        shutil.copyfile(source, os.path.join(data, "Installed Packages", name + ".sublime-package"))
    elif os.path.isdir(source):
        target = os.path.join(data, "Packages", name)
        try:
            os.symlink(source, target, target_is_directory=True)
        except OSError:  # no right to make links: Windows without developer mode
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*", "node_modules", "__pycache__"))
            for dotted in (".python-version",):
                if os.path.isfile(os.path.join(source, dotted)):
                    shutil.copyfile(os.path.join(source, dotted), os.path.join(target, dotted))
    else:
        raise ValueError(f"there is no package at {source}")
    return name


def remove_package(data: str, name: str) -> None:
    """Takes the package away, linked, copied or zipped; nothing happens if there is none."""
    archive = os.path.join(data, "Installed Packages", name + ".sublime-package")
    folder = os.path.join(data, "Packages", name)
    if os.path.isfile(archive):
        os.remove(archive)
    if os.path.islink(folder):
        os.remove(folder)
    elif os.path.isdir(folder):
        shutil.rmtree(folder)


def library_folders(libraries: Libraries, python: str, data: str) -> List[str]:
    """The folders that stand for the editor's `Lib/python3XX`."""
    if libraries == "none":
        return []
    if libraries == "environment":
        return [site_packages(python)]
    if isinstance(libraries, str):
        raise ValueError(f"libraries: {libraries!r} is neither 'environment', 'none' nor a list of folders")
    return [os.path.abspath(folder) for folder in libraries]


_site_packages: Dict[str, str] = {}


def site_packages(python: str) -> str:
    """The folder where `python` keeps pure-Python libraries. Asks the interpreter once."""
    if python not in _site_packages:
        if os.path.abspath(python) == os.path.abspath(sys.executable):
            import sysconfig

            _site_packages[python] = sysconfig.get_paths()["purelib"]
        else:
            code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
            _site_packages[python] = subprocess.check_output([python, "-c", code], universal_newlines=True).strip()
    return _site_packages[python]


def environment(
    data: str, extra: Optional[Mapping[str, Optional[str]]] = None, base: Optional[Mapping[str, str]] = None
) -> Dict[str, str]:
    """The environment of an editor instance: a HOME and a temp folder of its own, nothing of other editors.

    A value of None in `extra` removes the variable.
    """
    source = os.environ if base is None else base
    result = {name: value for name, value in source.items() if not name.upper().startswith(_FOREIGN_VARIABLES)}
    home, temporary = os.path.join(data, "home"), os.path.join(data, "tmp")
    result.update(HOME=home, TMPDIR=temporary, TMP=temporary, TEMP=temporary)
    if os.name == "nt":
        result["USERPROFILE"] = home
    for name, value in (extra or {}).items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


def write_user_settings(data: str, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes `Packages/User/<name>.sublime-settings` for each item, before the editor starts."""
    for name, values in settings.items():
        path = os.path.join(data, "Packages", "User", name + ".sublime-settings")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dict(values), file, indent=4)


def editor_command(python: str, settings: Mapping[str, Any]) -> List[str]:
    """The command line of the editor process. Isolated: nothing but the standard library is importable."""
    return [python, "-I", "-S", os.path.join(HOST_FOLDER, "start.py"), "editor", json.dumps(settings)]


def plugin_host_command(python: str, settings: Mapping[str, Any]) -> List[str]:
    """The command line of the plugin host, likewise isolated; it adds the libraries itself. Asked by the editor."""
    options = [*builds.INTERPRETER_OPTIONS, "-I", "-S"]
    return [python, *options, os.path.join(HOST_FOLDER, "start.py"), "plugin_host", json.dumps(settings)]
