"""Calls of the editor's API are counted for the package that made them."""

from __future__ import annotations

ASKING = """
class Listener(sublime_plugin.EventListener):
    def on_activated(self, view):
        view.file_name()
        view.id()
class AskCommand(sublime_plugin.WindowCommand):
    def run(self):
        view = self.window.active_view()
        [view.substr(region) for region in view.sel()]
        sublime.PhantomSet(view, "k").update([sublime.Phantom(sublime.Region(0), "x", 2)])
"""


def test_calls_are_counted_by_name(bench):
    bench.plugin(ASKING, "Sample.plugin")
    bench.window.new_file()
    bench.gestures.clear_api_calls()
    bench.window.run_command("ask")
    assert bench.gestures.api_calls("Sample") == {
        "Window.active_view": 1,
        "Selection.__len__": 1,
        "Selection.__getitem__": 1,
        "View.substr": 1,
        "View.query_phantoms": 1,
        "View.add_phantom": 1,
        "View.erase_phantom_by_id": 1,
    }
    assert bench.gestures.api_calls("Other") == {}
    assert bench.gestures.api_calls("Samp") == {}
    assert bench.gestures.api_calls("Sample", ["Sample.plugin"]) == {}


def test_what_a_listener_asks_counts_also_inside_another_call(bench):
    """Neither what is kept in a handle nor what the host asks for itself does."""
    a, _ = bench.window.new_file(), bench.window.new_file()
    bench.plugin(ASKING, "Sample.plugin")
    bench.gestures.clear_api_calls()
    bench.window.focus_view(a)
    assert bench.gestures.api_calls("Sample") == {"View.file_name": 1}


def test_the_packages_own_tests_do_not_count(bench):
    module = bench.plugin("def ask(): sublime.windows()", "Sample.tests.test_x")
    module.ask()
    assert bench.gestures.api_calls("Sample") == {}
