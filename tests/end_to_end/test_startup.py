"""The start of the package: off the main thread, nothing told too early is lost, nothing outlives an early end."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.host.driver import Host
from tests.tools.release.build import package, time_of

IMPORT = """
import gc, sys, importlib, threading, time
packages = next(found for found in gc.get_objects() if type(found).__name__ == "Packages")
plugin = importlib.import_module("Gemini Companion.plugin")
window = sublime.active_window()
def inner():
    return sorted(name for name in sys.modules if name.startswith("Gemini Companion.companion"))
def loading():
    return any(thread.name == "gemini-companion-loading" for thread in threading.enumerate())
"""
SERVED = "plugin.application is not None and len(plugin.application.endpoints()) == 1"


@pytest.fixture
def host(tmp_path):
    """An editor in which the package is there and nobody has loaded it."""
    settings = {"Preferences": {"ignored_packages": ["Gemini Companion"]}}
    with Host.start(data=str(tmp_path / "data"), settings=settings) as started:
        started.execute(IMPORT)
        yield started
        started.execute("plugin.plugin_unloaded()")


def test_loading_the_plugin_imports_its_start_and_command_names_only(host):
    early = ["Gemini Companion.companion" + name for name in ("", ".commands", ".startup")]
    assert sorted(host.evaluate("inner()")) == early
    host.execute("plugin.plugin_loaded()")
    host.wait_until(SERVED)


def test_a_command_that_comes_too_early_is_run_later(host):
    host.execute(
        "packages.enable('Gemini Companion')\n"
        "command = plugin.GeminiCompanionShowLogCommand(window)\n"
        "enabled, early = command.is_enabled(), plugin.application is None\n"
        "command.run()\n"
        "plugin.GeminiCompanionListener().on_activated(window.active_view())"
    )
    assert host.evaluate("(enabled, early)") in [(True, True), [True, True]]
    host.wait_until("'gemini_companion' in (window.active_panel() or '').lower().replace(' ', '_')")


def test_what_has_to_be_answered_at_once_is_answered_without_the_package(host):
    host.execute(
        "plugin.plugin_loaded()\n"
        "listener, view = plugin.GeminiCompanionListener(), window.active_view()\n"
        "answers = [listener.on_query_context(view, 'gemini_companion.in_review', sublime.OP_EQUAL, True, False),\n"
        "           listener.on_text_command(view, 'save', None), listener.on_window_command(window, 'save', None),\n"
        "           plugin.GeminiCompanionAcceptCommand(window).is_enabled()]\n"
        "listener.on_selection_modified(view)"
    )
    assert host.evaluate("answers") == [None, None, None, False]
    host.wait_until(SERVED)


def test_an_end_while_it_is_loading_leaves_nothing(host):
    host.execute("plugin.plugin_loaded()\nplugin.plugin_unloaded()\nleft = inner()")
    assert host.evaluate("left") in [[], ["Gemini Companion.companion"]]  # closed while an import is under way
    host.wait_until("not loading()")
    assert host.evaluate("[name for name in inner() if sys.modules[name] is not None]") == []
    assert host.evaluate("plugin.application is None")


#: In milliseconds after a package was enabled.
PAUSES = [0, 5, 20, 50, 100, 300]
#: Disabled, and enabled at once.
AGAIN = """
packages.disable("Gemini Companion")
packages.enable("Gemini Companion")
"""
#: At the end of each module. Its size is another for each load, because cached code is known by size and time.
MARK = "\nLOAD_OF_THIS_TEST = {number}\n"
#: Two that the disk lets us wait for: one before and one after the libraries.
SLOW = "import time; time.sleep(1.2)\n"
SLOW_MODULES = ["companion/context/model.py", "companion/transport/gate.py"]
SERVED_NOW = """(lambda plugin: plugin.application is not None and bool(plugin.application.endpoints())
    and all(endpoint.port for endpoint in plugin.application.endpoints()))(sys.modules["Gemini Companion.plugin"])"""


def archive(folder, number):
    """The package as a zip, of whose modules each says that it belongs to the load `number`."""
    folder.mkdir()
    path = folder / "Gemini Companion.sublime-package"
    with zipfile.ZipFile(path, "w") as target, zipfile.ZipFile(io.BytesIO(package())) as source:
        for entry in source.infolist():
            inner = entry.filename.startswith("companion/") and entry.filename.endswith(".py")
            mark = MARK.format(number=number) + "\n" * number if inner else ""
            slow = SLOW if entry.filename in SLOW_MODULES else ""
            text = source.read(entry) + (mark + slow).encode()
            entry.date_time = time_of(text)  # as in a release: the editor keeps bytecode by time and size
            target.writestr(entry, text)
    return path


def unpacked(folder, number):
    target = folder / "Gemini Companion"
    with zipfile.ZipFile(archive(folder, number)) as source:
        source.extractall(target)
    return target


@pytest.fixture(params=["zip", pytest.param("folder", marks=pytest.mark.everything)])
def installed(request, tmp_path):
    """An editor with the package in one of the two ways, which has come up."""
    install = archive if request.param == "zip" else unpacked
    with Host.start(package=str(install(tmp_path / "first", 1)), data=str(tmp_path / "data")) as started:
        started.execute(IMPORT)
        started.install = lambda number: install(tmp_path / f"load {number}", number)
        yield started
        started.wait_until(SERVED_NOW)
        modules = started.evaluate(
            "{name: getattr(module, 'LOAD_OF_THIS_TEST', None) for name, module in sys.modules.items()"
            " if name.startswith('Gemini Companion.companion') and module is not None}"
        )
        assert len(set(modules.values())) == 1, modules
        assert len(modules) > 150, modules


class TestDisabledAndEnabledAtOnce:
    def test_it_keeps_its_port_when_reloaded_twenty_times_soon_after_the_start(self, installed):
        installed.wait_until(SERVED_NOW)
        port = "sys.modules['Gemini Companion.plugin'].application.endpoints()[0].port"
        before = installed.evaluate(port)
        for number in range(20):
            installed.execute(AGAIN)
            installed.pump(PAUSES[number % len(PAUSES)] / 1000)
        installed.wait_until(SERVED_NOW)
        assert installed.evaluate(port) == before

    def test_an_upgrade_works_with_its_own_modules_only(self, installed):
        for number, milliseconds in enumerate(PAUSES, 2):
            installed.execute(AGAIN)
            installed.pump(milliseconds / 1000)
            installed.upgrade_package(str(installed.install(number)))
        installed.wait_until(SERVED_NOW)
        assert installed.evaluate("sys.modules['Gemini Companion.companion.transport.server'].LOAD_OF_THIS_TEST") == 7


def test_after_such_an_end_it_can_be_loaded_again(host):
    host.execute(
        "plugin.plugin_loaded()\nplugin.plugin_unloaded()\nplugin = importlib.reload(plugin)\nplugin.plugin_loaded()"
    )
    host.wait_until(SERVED)
    classes = "{type(plugin.application), sys.modules['Gemini Companion.companion.application'].Application}"
    assert host.evaluate(f"len({classes})") == 1


def test_settings_changed_after_the_end_reach_nobody(host):
    host.execute("plugin.plugin_loaded()")
    host.wait_until(SERVED)
    host.execute(
        "heard, application = [], plugin.application\n"
        "application._read_own_settings = lambda: heard.append('settings')\n"
        "settings = sublime.load_settings('Gemini Companion.sublime-settings')\n"
        "settings.set('notify', 'unfocused')"
    )
    host.wait_until("heard == ['settings']")
    host.execute("plugin.plugin_unloaded()\nsettings.set('notify', 'never')")
    host.pump(0.3)
    assert host.evaluate("heard") == ["settings"]
