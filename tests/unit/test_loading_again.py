"""A load that follows another one at once: modules of the two never mix, and the main thread does not wait."""

from __future__ import annotations

import importlib
import sys
import threading

import pytest

from tests.host.waiting import NEVER_SECONDS, until


def is_loading(thread):
    """Whether it has come as far as to import, or to wait for its turn to do so."""
    frame = sys._current_frames().get(thread.ident)
    while frame is not None and frame.f_code.co_name != "_load":
        frame = frame.f_back
    return frame is not None


class TestALoadThatFollowsAtOnce:
    """Nothing of the load before it is what it works with, whatever that one was doing."""

    def end_and_load(self, package):
        """Disable, replace the files and enable. If the main thread waited for an import, it would for ever."""
        plugin = sys.modules["package_of_this_test.plugin"]
        plugin.plugin_unloaded()
        package.write(2)
        return package.load()

    def assert_served_by_the_second(self, package, plugin):
        package.parts.release(30)
        package.join()
        package.editor.step()
        assert plugin.application.heard == ["start"]
        modules = package.modules()
        assert {name: getattr(modules[name], "VERSION", 2) for name in modules} == dict.fromkeys(modules, 2)
        assert set(modules) == {"", "startup", "inside", "middle", "outside", "application"}
        assert modules["outside"].middle is modules["middle"]
        assert modules["middle"].inside is modules["inside"]
        assert modules["application"].outside is modules["outside"] is modules[""].outside
        assert modules[""].middle is modules["middle"]
        assert modules[""].inside is modules["inside"]

    @pytest.mark.parametrize("begun", [["outside"], ["outside", "middle"], ["outside", "middle", "inside"]])
    def test_it_waits_for_the_module_under_way_and_imports_all_anew(self, package, begun):
        package.load()
        package.parts.release(len(begun) - 1)
        package.parts.wait_for(*begun)
        plugin = self.end_and_load(package)
        until(lambda: all(map(is_loading, package.threads())))
        assert package.parts.begun == begun
        assert plugin.application is None
        package.parts.release(1)
        package.parts.wait_for(*begun, "outside")
        self.assert_served_by_the_second(package, plugin)
        assert package.parts.begun == [*begun, "outside", "middle", "inside"]

    def test_so_it_does_after_a_load_that_was_waiting_itself(self, package):
        package.load()
        package.parts.wait_for("outside")
        for count in range(2, 6):
            plugin = self.end_and_load(package)
            until(lambda: all(map(is_loading, package.threads())))
            assert len(package.threads()) == count
        self.assert_served_by_the_second(package, plugin)
        assert package.parts.begun == ["outside", "outside", "middle", "inside"]

    def test_and_after_loads_that_ended_before_their_threads_began(self, package, monkeypatch):
        package.load()
        package.parts.wait_for("outside")
        begin, run = threading.Event(), threading.Thread.run
        monkeypatch.setattr(threading.Thread, "run", lambda thread: begin.wait(NEVER_SECONDS) and run(thread))
        for _ in range(4):
            plugin = self.end_and_load(package)
        begin.set()
        until(lambda: len(package.threads()) == 2, package.threads)
        assert package.parts.begun == ["outside"]
        self.assert_served_by_the_second(package, plugin)
        assert package.parts.begun == ["outside", "outside", "middle", "inside"]

    @pytest.mark.parametrize("ends", [False, True])
    def test_what_is_imported_before_the_start_is_forgotten(self, package, ends):
        plugin = package.load()
        package.parts.wait_for("outside")
        plugin.plugin_unloaded()
        sys.modules.pop("package_of_this_test.plugin", None)
        plugin = importlib.import_module("package_of_this_test.plugin")
        package.parts.release(2)
        package.parts.wait_for("outside", "middle", "inside")
        if ends:
            package.parts.release(1)
            package.join()
        package.write(2)
        plugin.plugin_loaded()
        self.assert_served_by_the_second(package, plugin)

    def test_a_load_that_has_served_leaves_nothing_either(self, package):
        plugin = package.load()
        package.parts.release()
        package.join()
        package.editor.step()
        plugin.application.serving()
        self.assert_served_by_the_second(package, self.end_and_load(package))

    def test_what_is_told_meanwhile_is_kept(self, package):
        package.load()
        package.parts.wait_for("outside")
        plugin = self.end_and_load(package)
        plugin.tell(lambda application: application.heard.append("early"))
        package.parts.release(30)
        package.join()
        package.editor.step()
        plugin.application.serving()
        assert plugin.application.heard == ["start", "early"]

    def test_disabled_for_good_it_leaves_no_module(self, package):
        plugin = package.load()
        package.parts.wait_for("outside")
        plugin.plugin_unloaded()
        package.parts.release()
        package.join()
        package.editor.step()
        assert {name for name, module in package.modules().items() if module is not None} == set()
        assert plugin.application is None
        assert package.parts.begun == ["outside"]

    def test_what_fails_because_of_the_end_is_no_error(self, package, editor):
        plugin = package.load()
        package.parts.wait_for("outside")
        plugin.plugin_unloaded()
        package.parts.error = ImportError("what it needs has gone")
        package.parts.release()
        package.join()
        editor.step()
