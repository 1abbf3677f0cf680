"""Packages in a running editor: loading, switching off and on, upgrading, libraries, declarations."""

from __future__ import annotations

import os
import sys

import pytest

from tests.host import builds, launch
from tests.host.driver import HostError


def test_a_package_is_loaded_from_a_folder_and_from_a_zip(sample):
    with sample.start() as host:
        assert host.call("host.loaded_plugins") == {sample.name: [f"{sample.name}.plugin"]}
        folder = host.evaluate(f"__import__('sys').modules['{sample.name}.plugin'].__file__")
        assert folder == os.path.join(host.data, "Packages", sample.name, "plugin.py")
    with sample.start(package=sample.zip(), data=None) as host:
        assert host.call("host.loaded_plugins") == {sample.name: [f"{sample.name}.plugin"]}
        file = host.evaluate(f"__import__('sys').modules['{sample.name}.plugin'].__file__")
        assert file == os.path.join(host.data, "Installed Packages", f"{sample.name}.sublime-package", "plugin.py")
        assert host.evaluate(f"sublime.load_resource('Packages/{sample.name}/inner/state.py')") == "VERSION = '1'\n"


@pytest.fixture
def bytecode(monkeypatch, tmp_path):
    """The names of the files of bytecode outside of all data folders, with the times at which they were written."""
    folder = tmp_path / "bytecode"
    monkeypatch.setattr(launch, "BYTECODE", str(folder))

    def read():
        return {path.name: path.stat().st_mtime_ns for path in folder.rglob("state.*.pyc")}

    return read


def test_a_linked_package_is_compiled_once_for_all_editors(sample, tmp_path, bytecode):
    with sample.start(data=str(tmp_path / "one")):
        first = bytecode()
    assert len(first) == 1
    with sample.start(data=str(tmp_path / "two")) as host:
        assert host.evaluate("sublime.packages_path()").startswith(str(tmp_path / "two"))
        name = host.evaluate("__import__('sys').modules['Sample Package.plugin'].plugin_loaded.__code__.co_filename")
        assert name == os.path.join(host.data, "Packages", sample.name, "plugin.py")
    assert bytecode() == first
    sample.write({"inner/state.py": "VERSION = 'changed'\n"})
    with sample.start(data=str(tmp_path / "three")):
        assert sample.log()[-1] == "loaded changed"


def test_newer_builds_strip_assert_statements(sample):
    sample.write({"second.py": "assert False, 'not stripped'\n"})
    with sample.start() as host:
        assert [error["message"] for error in host.errors()] == ([] if builds.MODERN else ["not stripped"])
        host.clear_errors()


def test_a_plugin_is_told_of_its_end_before_or_after_it_has_left(sample):
    """Build 4200 takes the module away afterwards, newer ones before."""
    sample.write({"second.py": "import sys\ndef plugin_unloaded():\n    sys.seen = __name__ in sys.modules\n"})
    with sample.start() as host:
        host.disable_package(sample.name)
        assert host.evaluate("__import__('sys').seen") is (not builds.MODERN)
        assert host.evaluate("'Sample Package.second' in __import__('sys').modules") is False


def test_switching_off_and_on_leaves_inner_modules_stale(sample):
    with sample.start() as host:
        sample.write({"inner/state.py": "VERSION = '2'\n"})
        host.disable_package(sample.name)
        assert host.call("host.loaded_plugins") == {}
        assert host.evaluate("'Sample Package.plugin' in __import__('sys').modules") is False
        assert host.evaluate("'Sample Package.inner.state' in __import__('sys').modules") is True
        with pytest.raises(HostError, match="not found"):
            host.evaluate("sublime.load_resource('Packages/Sample Package/plugin.py')")
        host.enable_package(sample.name)
        assert sample.log()[1:] == ["loaded 1", "unloaded 1", sample.log()[0], "loaded 1"]


def test_the_settings_of_a_package_that_is_back_are_read_at_once(sample):
    """Else they take the place of what is set through the API in the second after it."""
    sample.write({f"{sample.name}.sublime-settings": '{"one": 1, "two": 2}'})
    settings = f"sublime.load_settings('{sample.name}.sublime-settings')"
    with sample.start() as host:
        assert host.evaluate(f"{settings}.to_dict()") == {"one": 1, "two": 2}
        host.disable_package(sample.name)
        host.call("check_disk")
        assert host.evaluate(f"{settings}.to_dict()") == {}
        host.enable_package(sample.name)
        host.execute(f"{settings}.set('one', 11)")
        host.call("check_disk")
        assert host.evaluate(f"{settings}.to_dict()") == {"one": 11, "two": 2}


@pytest.mark.parametrize("drops", [False, True])
def test_new_code_runs_after_an_upgrade_only_if_the_plugin_drops_modules(sample, drops):
    header = (
        "import sys\n"
        "for name in [n for n in sys.modules if n.startswith(__package__ + '.inner')]:\n"
        "    del sys.modules[name]\n"
    )
    with open(os.path.join(sample.folder, "plugin.py"), encoding="utf-8") as file:
        plugin = (header if drops else "") + file.read()
    with sample.start(package=sample.zip(**{"plugin.py": plugin})) as host:
        new = sample.zip(**{"plugin.py": plugin, "inner__state.py": "VERSION = 'two'\n"})
        host.upgrade_package(new, sample.name)
        assert sample.log()[-1] == ("loaded two" if drops else "loaded 1")


@pytest.mark.parametrize("version", ["3.3", None])
def test_a_package_for_another_plugin_host_is_not_loaded(sample, version):
    path = os.path.join(sample.folder, ".python-version")
    os.remove(path)
    if version:
        sample.write({".python-version": version})
    with sample.start() as host:
        assert sample.log() == []
        assert ".python-version is 3.3" in host.errors()[0]["message"]
        host.clear_errors()


def test_the_project_root_is_not_importable(sample):
    with sample.start() as host:
        for name in ("companion", "pytest_timeout_no", "plugin"):
            with pytest.raises(HostError) as caught:
                host.execute(f"import {name}")
            assert caught.value.type == "ModuleNotFoundError"


def test_libraries_are_those_that_were_chosen(sample, tmp_path):
    library = tmp_path / "Lib"
    library.mkdir()
    (library / "chosen_library.py").write_text("answer = 42\n", encoding="utf-8")

    def importable(host, name):
        return host.evaluate(f"__import__('importlib.util').util.find_spec('{name}') is not None")

    with sample.start(libraries="environment") as host:
        assert importable(host, "pytest")
    with sample.start(libraries="none") as host:
        assert not importable(host, "pytest")
    with sample.start(libraries=[str(library)]) as host:
        assert importable(host, "chosen_library")
        assert not importable(host, "pytest")


def test_the_build_is_that_of_the_python(sample):
    expected = {(3, 8): "4200", (3, 13): "4202", (3, 14): "4215"}
    with sample.start() as host:
        assert host.evaluate("sublime.version()") == expected.get(sys.version_info[:2], "4215")


def test_libraries_in_the_data_folder_are_found(sample):
    with sample.start(libraries="none") as host:
        folder = host.evaluate("'python%d%d' % __import__('sys').version_info[:2]")
        path = os.path.join(host.data, "Lib", folder)
        os.makedirs(path)
        with open(os.path.join(path, "late_library.py"), "w", encoding="utf-8") as file:
            file.write("x = 1\n")
        host.quit()
        host.restart()
        assert host.execute("import late_library", result=None) is None
