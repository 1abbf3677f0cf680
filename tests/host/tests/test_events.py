"""In which order the editor tells of a view, and what is left of it then."""

from __future__ import annotations


def test_events_of_opening_and_closing(bench):
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_new(self, view): seen.append((view, "new"))
    def on_activated(self, view): seen.append((view, "activated"))
    def on_deactivated(self, view): seen.append((view, "deactivated"))
    def on_pre_close(self, view): seen.append((view, "pre_close", view.is_valid(), view.window() is not None))
    def on_close(self, view): seen.append((view, "close", view.window() is not None))
    def on_modified(self, view): seen.append((view, "modified"))
    def on_selection_modified(self, view): seen.append((view, "selection"))
""")
    view = bench.window.new_file()
    view.run_command("insert", {"characters": "x"})
    view.set_scratch(True)
    view.close()
    assert [event[1:] for event in module.seen if event[0] == view] == [
        ("new",),
        ("activated",),
        ("modified",),
        ("selection",),
        ("pre_close", True, True),
        ("deactivated",),
        ("close", False),
    ]
    assert not view.is_valid()
    assert view.size() == 0
    assert view.window() is None
    view.settings().get("anything")
