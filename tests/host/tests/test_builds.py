"""What differs between build 4200 and the newer ones, each on the Python that it has."""

from __future__ import annotations

from tests.host import builds

PLUGIN = """
class ShowHTMLCommand(sublime_plugin.WindowCommand):
    def run(self):
        pass


class CreateCProjectCommand(sublime_plugin.WindowCommand):
    def run(self):
        pass


class AlphaBetaCommand(sublime_plugin.WindowCommand):
    def run(self):
        pass


class ZedListener(sublime_plugin.EventListener):
    def on_new(self, view):
        told.append("zed")


class AlphaListener(sublime_plugin.EventListener):
    def on_new(self, view):
        told.append("alpha")


told = []
"""


def test_capitals_in_a_row_are_words_in_newer_builds_only(bench):
    bench.plugin(PLUGIN)
    names = ["show_html", "create_c_project"] if builds.MODERN else ["show_hTMLCommand", "create_cProject"]
    for name in ["alpha_beta", *names]:
        assert bench.host.plugins.command_class("window", name) is not None


def test_newer_builds_register_classes_by_definition_and_4200_by_name(bench):
    plugin = bench.plugin(PLUGIN)
    bench.window.new_file()
    expected = ["zed", "alpha"] if builds.MODERN else ["alpha", "zed"]
    assert plugin.told == expected
