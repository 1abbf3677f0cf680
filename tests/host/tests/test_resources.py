"""Resources: loose files over zips over what ships, in the editor's order."""

from __future__ import annotations

import os
import zipfile

import pytest

from tests.host import resources


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "SHIPPED", str(tmp_path / "shipped"))
    monkeypatch.setattr(resources, "_data", "")
    resources.set_ignored_packages(set())
    resources.configure(str(tmp_path / "data"))
    yield
    resources.set_ignored_packages(set())


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def zip_package(name, files):
    with zipfile.ZipFile(os.path.join(resources.installed_packages_path(), name + ".sublime-package"), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def test_a_loose_file_hides_the_zipped_one(folders):
    zip_package("A b", {"x.txt": "zipped", "sub/y.txt": "only zipped"})
    write(os.path.join(resources.packages_path(), "A b", "x.txt"), "loose")
    assert resources.load_resource("Packages/A b/x.txt") == "loose"
    assert resources.load_resource("Packages/A b/sub/y.txt") == "only zipped"
    assert resources.find_resources("*.txt") == ["Packages/A b/sub/y.txt", "Packages/A b/x.txt"]


def test_default_comes_first_and_user_last(folders):
    for package in ("User", "zeta", "Alpha", "Default"):
        write(os.path.join(resources.packages_path(), package, "P.sublime-settings"), "{}")
    found = [name.split("/")[1] for name in resources.find_resources("P.sublime-settings")]
    assert found == ["Default", "Alpha", "zeta", "User"]


def test_an_ignored_package_is_out_of_sight(folders):
    write(os.path.join(resources.packages_path(), "Gone", "x.txt"), "")
    resources.set_ignored_packages({"Gone"})
    assert resources.find_resources("x.txt") == []
    with pytest.raises(FileNotFoundError):
        resources.load_resource("Packages/Gone/x.txt")


def test_a_missing_resource_is_said_in_the_editors_words(folders):
    with pytest.raises(FileNotFoundError, match='resource "Packages/A/none.txt" not found'):
        resources.load_resource("Packages/A/none.txt")
    with pytest.raises(FileNotFoundError):
        resources.load_binary_resource("Packages/A/../../secret")


def test_hidden_folders_and_caches_are_no_resources(folders):
    for path in (".git/x.txt", "__pycache__/x.txt", "node_modules/a/x.txt", "good/x.txt"):
        write(os.path.join(resources.packages_path(), "A", path), "")
    assert resources.find_resources("x.txt") == ["Packages/A/good/x.txt"]
