"""Imports from a `.sublime-package` file."""

from __future__ import annotations

import importlib
import sys
import zipfile
from pathlib import Path

import pytest

from tests.host.zip_importer import ZipFinder

NAME = "Sample Package"


@pytest.fixture(params=["build 4200", "newer builds"])
def cache(request, tmp_path):
    """The cache folder of the finder, which build 4200 has not; either is tried on every Python."""
    return str(tmp_path / "Cache") if request.param == "newer builds" else None


@pytest.fixture
def installed(tmp_path, cache, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    finder = ZipFinder(cache)
    sys.meta_path.insert(0, finder)

    def install(files, loose=()):
        archive = tmp_path / f"{NAME}.sublime-package"
        with zipfile.ZipFile(str(archive), "w") as opened:
            for path, text in files.items():
                opened.writestr(path, text)
        for path, text in dict(loose).items():
            file = tmp_path / "Packages" / NAME / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return finder.register([str(archive)], str(tmp_path / "Packages"))

    yield install
    sys.meta_path.remove(finder)
    forget()


def forget():
    """As a restart of the editor would."""
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


def cached(cache):
    return sorted(path.name.split(".")[0] for path in Path(cache).rglob("*.pyc")) if cache else []


def test_the_file_of_a_module_is_a_place_inside_the_zip(installed, tmp_path):
    installed({"plugin.py": "from .part.deep import value", "part/__init__.py": "", "part/deep.py": "value = 7"})
    plugin = importlib.import_module(f"{NAME}.plugin")
    assert plugin.value == 7
    archive = tmp_path / f"{NAME}.sublime-package"
    assert plugin.__file__ == str(archive / "plugin.py")
    assert plugin.__package__ == NAME
    assert sys.modules[f"{NAME}.part"].__file__ == str(archive / "part" / "__init__.py")
    assert sys.modules[f"{NAME}.part.deep"].__spec__.origin == str(archive / "part" / "deep.py")


def test_only_newer_builds_keep_bytecode_and_none_of_folders(installed, cache):
    for _ in range(2):
        installed({"plugin.py": "from .plain.thing import x", "plain/thing.py": "x = 1", "part/__init__.py": ""})
        assert importlib.import_module(f"{NAME}.plugin").x == 1
        assert cached(cache) == (["plugin", "thing"] if cache else [])
        forget()


def test_newer_builds_take_bytecode_for_fresh_if_time_and_size_are_equal(installed, cache):
    def value(text, year):
        installed({zipfile.ZipInfo("a.py", (year, 1, 1, 0, 0, 0)): text})
        forget()
        return importlib.import_module(f"{NAME}.a").x

    assert value("x = 1", 2026) == 1
    assert value("x = 2", 2026) == (1 if cache else 2)
    assert value("x = 3", 2027) == 3
    assert value("x = 44", 2027) == 44


def test_a_folder_without_init_file_is_a_namespace_package_in_newer_builds(installed, cache):
    installed({"plugin.py": "from .plain import thing", "plain/thing.py": "x = 1"})
    importlib.import_module(f"{NAME}.plugin")
    for name in (NAME, f"{NAME}.plain"):
        assert (getattr(sys.modules[name], "__file__", None) is None) == bool(cache)


def test_a_loose_file_replaces_the_zipped_module(installed):
    installed({"plugin.py": "from .part import a", "part/a.py": "x = 'zip'"}, {"part/a.py": "x = 'loose'"})
    assert importlib.import_module(f"{NAME}.plugin").a.x == "loose"


def test_a_broken_zip_is_named(tmp_path):
    broken = tmp_path / "Broken.sublime-package"
    broken.write_bytes(b"not a zip")
    assert list(ZipFinder(None).register([str(broken)], str(tmp_path))) == [str(broken)]
