"""Imports from a `.sublime-package` file."""

from __future__ import annotations

import importlib
import sys
import zipfile

import pytest

from tests.host.zip_importer import ZipFinder

NAME = "Sample Package"


@pytest.fixture
def installed(tmp_path):
    finder = ZipFinder()
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
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


def test_modules_of_a_zip_have_no_file(installed):
    installed({"plugin.py": "from .part.deep import value", "part/__init__.py": "", "part/deep.py": "value = 7"})
    plugin = importlib.import_module(f"{NAME}.plugin")
    assert plugin.value == 7
    assert not hasattr(plugin, "__file__")
    assert plugin.__package__ == NAME
    assert sys.modules[f"{NAME}.part.deep"].__spec__.origin.endswith("deep.py")


def test_a_folder_needs_no_init_file(installed):
    installed({"plugin.py": "from .plain import thing", "plain/thing.py": "x = 1"})
    assert importlib.import_module(f"{NAME}.plugin").thing.x == 1


def test_a_loose_file_replaces_the_zipped_module(installed):
    installed({"plugin.py": "from .part import a", "part/a.py": "x = 'zip'"}, {"part/a.py": "x = 'loose'"})
    assert importlib.import_module(f"{NAME}.plugin").a.x == "loose"


def test_a_traceback_names_the_place_in_the_zip(installed):
    installed({"plugin.py": "raise ValueError('at load')"})
    with pytest.raises(ValueError) as caught:
        importlib.import_module(f"{NAME}.plugin")
    assert str(caught.traceback[-1].path).endswith(f"{NAME}.sublime-package/plugin.py")


def test_a_missing_module_is_the_usual_error(installed):
    installed({"plugin.py": "from . import nothing"})
    with pytest.raises(ImportError):
        importlib.import_module(f"{NAME}.plugin")


def test_a_new_zip_counts_once_it_is_registered(installed):
    installed({"a.py": "x = 1"})
    assert importlib.import_module(f"{NAME}.a").x == 1
    del sys.modules[f"{NAME}.a"]
    installed({"a.py": "x = 2"})
    assert importlib.import_module(f"{NAME}.a").x == 2


def test_a_broken_zip_is_named(tmp_path):
    broken = tmp_path / "Broken.sublime-package"
    broken.write_bytes(b"not a zip")
    assert list(ZipFinder().register([str(broken)], str(tmp_path))) == [str(broken)]
