"""The start of the package: off the main thread, nothing told too early is lost, nothing outlives an early end."""

from __future__ import annotations

import pytest

from tests.host.driver import Host

IMPORT = """
import sys, importlib, threading, time
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


def test_loading_the_plugin_imports_nothing_but_its_start(host):
    assert host.evaluate("inner()") == ["Gemini Companion.companion", "Gemini Companion.companion.startup"]
    host.execute("plugin.plugin_loaded()")
    host.wait_until(SERVED, 20)
    assert host.errors() == []


def test_a_command_that_comes_too_early_is_run_later(host):
    host.execute(
        "plugin.plugin_loaded()\n"
        "command = plugin.GeminiCompanionShowLogCommand(window)\n"
        "enabled, early = command.is_enabled(), plugin.application is None\n"
        "command.run()\n"
        "plugin.GeminiCompanionListener().on_activated(window.active_view())"
    )
    assert host.evaluate("(enabled, early)") in [(True, True), [True, True]]
    host.wait_until("'gemini_companion' in (window.active_panel() or '').lower().replace(' ', '_')", 20)
    assert host.errors() == []


def test_what_has_to_be_answered_at_once_is_answered_without_the_package(host):
    host.execute(
        "plugin.plugin_loaded()\n"
        "listener, view = plugin.GeminiCompanionListener(), window.active_view()\n"
        "answers = [listener.on_query_context(view, 'gemini_companion.in_review', sublime.OP_EQUAL, True, False),\n"
        "           listener.on_text_command(view, 'save', None), listener.on_window_command(window, 'save', None),\n"
        "           plugin.GeminiCompanionAcceptDiffCommand(window).is_enabled()]\n"
        "listener.on_selection_modified(view)"
    )
    assert host.evaluate("answers") == [None, None, None, False]
    host.wait_until(SERVED, 20)
    assert host.errors() == []


def test_an_end_while_it_is_loading_leaves_nothing(host):
    host.execute("plugin.plugin_loaded()\nplugin.plugin_unloaded()\nleft = inner(), loading()")
    assert list(host.evaluate("left")) == [[], False]
    host.pump(1)
    assert host.evaluate("inner()") == []
    assert host.evaluate("plugin.application is None")
    assert host.errors() == []


def test_after_such_an_end_it_can_be_loaded_again(host):
    host.execute(
        "plugin.plugin_loaded()\nplugin.plugin_unloaded()\nplugin = importlib.reload(plugin)\nplugin.plugin_loaded()"
    )
    host.wait_until(SERVED, 20)
    classes = "{type(plugin.application), sys.modules['Gemini Companion.companion.application'].Application}"
    assert host.evaluate(f"len({classes})") == 1
    assert host.errors() == []
