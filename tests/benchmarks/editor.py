"""What the package costs the editor's main thread, in the headless editor and through the real plugin.

    python tests/benchmarks/editor.py [--json]

Counted is the package's own time (see `probe`); of the headless editor's, which has nothing to do with the real one's,
only the listeners' calls hold a little. A client is connected where one is said to be.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Iterator, List

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from ratio import Measurement, show, summary  # noqa: E402
from resident import Listener  # noqa: E402
from traffic import Client, Target, message  # noqa: E402

from tests.host.driver import Host  # noqa: E402
from tests.tools.desktop import Desktop  # noqa: E402
from tests.tools.release import packing  # noqa: E402
from tests.tools.unasked import looked_at  # noqa: E402

PLUGIN = "Gemini Companion.plugin"
SLOW_IMPORTS = ("aiohttp", "asyncio", "jsonschema")
LOADS = 5
REVIEWS = 5
LINES, HUNKS = 20_000, 500
LONG_LINES = 500_000
FILES, HUNKS_PER_FILE = 200, 25  # of a page
EVENTS = 3000

PREPARE = """
import sys, importlib
if {folder!r} not in sys.path:
    sys.path.append({folder!r})
import probe
plugin = sys.modules.get({plugin!r})
"""
LOAD = """
import os, sublime
archive = os.path.join(sublime.installed_packages_path(), "Gemini Companion.sublime-package")
if os.path.isfile(archive):  # the package is ignored, so that it is loaded here and not before
    finder = next(each for each in sys.meta_path if type(each).__name__ == "ZipFinder")
    finder.register([archive], sublime.packages_path())
imports = probe.Imports()
sys.meta_path.insert(0, imports)
began = probe.time.perf_counter()
plugin = importlib.import_module({plugin!r})
imported = probe.time.perf_counter()
plugin.plugin_loaded()
loaded = probe.time.perf_counter()
seconds = [imported - began, loaded - imported]
"""
INSTALL = """
listener = plugin.GeminiCompanionListener
instance = listener()
reviews = plugin.application.endpoints()[0].reviews
"""
WATCH_API = """
watch = probe.Probe()
watch.install()
"""
WATCH = """
watch.wrap(plugin.GeminiCompanionListener)
for value in list(vars(plugin).values()):
    if isinstance(value, type) and value.__module__ == plugin.__name__:
        watch.wrap(value)
"""
WATCH_DRAWING = """
display = importlib.import_module("Gemini Companion.companion.review.display")
presentation = display.presentation.Presentation
real_open, real_drawn = presentation.show_proposal, presentation._end_drawing
drawn = []
def open_watched(self, prepared):
    drawn[:] = [probe.time.perf_counter()]
    real_open(self, prepared)
def drawn_watched(self, *what):
    real_drawn(self, *what)
    drawn.append(probe.time.perf_counter())
presentation.show_proposal, presentation._end_drawing = open_watched, drawn_watched
"""
DRAWN_AFTER = "drawn[1] - drawn[0]"
ZOOM = """
shown = next(iter(reviews.shown.values()))
for view in shown.views:
    view.settings().set("font_size", 14)
"""
TIMES = """
import gc
gc.collect()
functions = (probe.BareListener().on_selection_modified, {function})
times = [probe.time_each(function, view, {count}) for function in functions]
"""


def prepare(host: Host, code: str) -> None:
    """Run code in the plugin host, with the probe at hand."""
    host.execute((PREPARE + code).format(folder=str(HERE), plugin=PLUGIN))


def loads() -> Iterator[Measurement]:
    """The package's load in fresh plugin hosts: from a folder whose bytecode is cached, and as Package Control installs
    it, from a zip whose modules are compiled at every start.

    Raises AssertionError if something is imported on the main thread that must not be.
    """
    yield from loads_of("tree", "package load", 30)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        packed_file = os.path.join(folder, "Gemini Companion.sublime-package")
        with zipfile.ZipFile(packed_file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in packing.packed(HERE.parents[1]):
                archive.write(str(HERE.parents[1] / name), name)
        yield from loads_of(packed_file, "zipped package load", 25)


def loads_of(package: str, title: str, target: float) -> Iterator[Measurement]:
    """The load of one kind of package."""
    settings = {"Preferences": {"ignored_packages": ["Gemini Companion"]}}
    there = "'aiohttp' in sys.modules and plugin.application is not None"
    served = there + " and any(endpoint.port for endpoint in plugin.application.endpoints())"
    parts = []
    with tempfile.TemporaryDirectory(prefix="benchmark-") as data:
        for number in range(LOADS + 2):
            with Host.start(data=data, package=package, settings=settings) as host:
                last = number > LOADS
                prepare(host, (WATCH_API if last else "") + LOAD)
                host.wait_until(served, 30)
                for name in SLOW_IMPORTS:
                    assert name not in host.evaluate("imports.on_main"), name + " was imported on the main thread"
                assert "aiohttp" in host.evaluate("imports.elsewhere"), "nobody has imported aiohttp"
                if last:
                    longest = max(own for _, own, _ in host.evaluate("watch.slices"))
                elif number:  # the first one compiled the modules
                    parts.append(host.evaluate("seconds"))
                host.execute("plugin.plugin_unloaded()")
    yield summary(title, [1e3 * sum(one) for one in parts], target=target, unit="ms")
    yield summary("  of it the import", [1e3 * one[0] for one in parts], target=None, unit="ms")
    yield summary("  longest slice after it", [1e3 * longest], target=None, unit="ms")


def event_costs(host: Host, name: str, function: str, target: float) -> Measurement:
    """Microseconds of an event beyond those of a listener that does nothing."""
    differences = []
    for _ in range(9):
        host.execute(TIMES.format(count=EVENTS // 9, function=function))
        bare, ours = (statistics.median(times) for times in host.evaluate("times"))
        differences.append((ours - bare) * 1e6)
    return summary(name, differences, target=target, unit="us")


def texts() -> List[str]:
    """A file of 1 MB, and the same with 500 scattered changes."""
    lines = ["    value_%05d = compute(%05d)  # a line, as of a program\n" % (n, n * 7 % 9973) for n in range(LINES)]
    edited = list(lines)
    for number in range(HUNKS):
        edited[number * (LINES // HUNKS) + 3] = "    changed_%d = nothing_of_the_old_one\n" % number
    return ["".join(lines), "".join(edited)]


def long_texts() -> List[str]:
    """A file of 20 MB, which is compared coarsely, and the same with 500 scattered changes."""
    lines = ["    value_%06d = compute(%05d)     \n" % (n, n * 7 % 9973) for n in range(LONG_LINES)]
    edited = list(lines)
    for number in range(HUNKS):
        edited[number * (LONG_LINES // HUNKS) + 3] = "    changed_%d = nothing_of_the_old_one\n" % number
    return ["".join(lines), "".join(edited)]


class Bench:
    """A host with the package, a file of 1 MB in front, and a client's end of the network."""

    def __init__(self, host: Host, desktop: Desktop) -> None:
        self.host = host
        self.desktop = desktop
        announcement = desktop.wait_published()
        self._target = Target(int(announcement["port"]), announcement["authToken"])

    def connect(self) -> Client:
        """A client that reads what it is sent."""
        client = Listener(self._target).client
        self.host.wait_until("plugin.application._endpoints.listening != ()")
        return client

    def slices(self, name: str) -> List[Any]:
        """What was counted since the last time; raises AssertionError if nothing was."""
        self.host.pump(0.3)
        self.host.execute("slices, watch.slices = watch.slices, []")
        slices: List[Any] = self.host.evaluate("slices")
        assert slices, "nothing was counted for: " + name
        return slices


def reviews(bench: Bench, client: Client, path: str, proposed: str) -> Iterator[Measurement]:
    """Opening and accepting a large review."""
    call = message("tools/call", {"name": "openDiff", "arguments": {"filePath": path, "newContent": proposed}})
    opening: List[List[Any]] = []
    accepting: List[List[Any]] = []
    zooming: List[List[Any]] = []
    drawing: List[float] = []
    bench.host.execute(WATCH_DRAWING)
    for _ in range(REVIEWS):
        bench.host.execute("watch.slices = []")
        client.post(call)
        ready = "len(reviews.shown) == 1 and all(shown.hunks.ready for shown in reviews.shown.values())"
        bench.host.wait_until(ready, 60)
        bench.host.pump(2)
        drawing.append(bench.host.evaluate(DRAWN_AFTER))
        opening.append(bench.slices("opening a review"))
        bench.host.execute(ZOOM)
        bench.host.execute("sides = shown._drawing")
        zoomed = "sides.levelled.sizes.right.line_height == shown.proposal_view.line_height()"
        bench.host.wait_until(f"shown.settled and sides.levelled and {zoomed}", 60)
        zooming.append(bench.slices("zooming a review"))
        bench.host.execute("window.run_command('gemini_companion_accept')")
        bench.host.wait_until("not reviews.shown", 30)
        accepting.append(bench.slices("accepting a review"))
    longest = [max(own for _, own, _ in slices) for slices in opening]
    assert all(len(slices) > 5 for slices in opening), "the review was not opened in slices: nothing is measured"
    yield summary("open 1 MB, 500 hunks: longest slice", [1e3 * x for x in longest], target=20, unit="ms")
    yield summary("  until all of it is marked", [1e3 * x for x in drawing], target=600, unit="ms")
    whole = [sum(own for _, own, _ in slices) for slices in opening]
    yield summary("  all of its slices", [1e3 * x for x in whole], target=None, unit="ms")
    with_editor = [max(own + editor for _, own, editor in slices) for slices in opening]
    yield summary("  longest, headless editor included", [1e3 * x for x in with_editor], target=None, unit="ms")
    longest = [max(own for _, own, _ in slices) for slices in zooming]
    yield summary("zooming it: longest slice", [1e3 * x for x in longest], target=20, unit="ms")
    accepted = [sum(own for _, own, _ in slices) for slices in accepting]
    yield summary("accept 1 MB, 500 hunks: all slices", [1e3 * x for x in accepted], target=20, unit="ms")


def long_review(bench: Bench, client: Client, path: str, proposed: str) -> Iterator[Measurement]:
    """Opening a review of a text ten times as long as the limits, and typing into it."""
    call = message("tools/call", {"name": "openDiff", "arguments": {"filePath": path, "newContent": proposed}})
    bench.host.execute("watch.slices = []")
    client.post(call)
    bench.host.wait_until("len(reviews.shown) == 1", 120)
    bench.host.execute("shown = next(iter(reviews.shown.values()))")
    compared = "shown.settled and shown.analysis.coarse and len(shown.analysis.changes) == %d"
    bench.host.wait_until(compared % HUNKS, 120)
    opening = bench.slices("opening a long review")
    bench.host.execute("shown.proposal_view.run_command('insert', {'characters': 'typed'})")
    bench.host.wait_until(compared % HUNKS, 120)
    typing = bench.slices("typing into a long review")
    bench.host.execute("reviews.commands.reject(shown.review)")
    bench.host.wait_until("not reviews.shown", 30)
    for name, slices in (("open 20 MB, 500 hunks", opening), ("typing into it", typing)):
        yield summary(name + ": longest slice", [1e3 * max(own for _, own, _ in slices)], target=20, unit="ms")
        yield summary("  all of its slices", [1e3 * sum(own for _, own, _ in slices)], target=None, unit="ms")


def page(bench: Bench, workspace: str) -> Iterator[Measurement]:
    """Opening the page of all changes, and a key that is pressed on it. An agent is at work."""
    count = "len(plugin.application.endpoints()[0].changes.reviews.lists.changes)"
    paths = [Path(workspace, f"file{number:03}.py") for number in range(FILES)]
    bench.host.execute("plugin.application.endpoints()[0].agents.started('gemini')")
    bench.host.wait_until(lambda: looked_at(bench.desktop, workspace))
    for word, left in (("line", "keep_all_changes"), ("LINE", "review_changes")):
        lines = [f"{'line' if row % 20 else word} {row}\n" for row in range(20 * HUNKS_PER_FILE)]
        for path in paths:
            path.write_text("".join(lines), encoding="ascii")
        bench.host.wait_until(f"{count} == {FILES}", 120)
        bench.host.execute("watch.slices = []")
        bench.host.execute(f"window.run_command('gemini_companion_{left}')")
        bench.host.wait_until(f"{count} == {0 if left == 'keep_all_changes' else FILES}", 120)
    text = "window.active_view().substr(sublime.Region(0, window.active_view().size()))"
    bench.host.wait_until(f"{text}.count('@@ -') == {FILES * HUNKS_PER_FILE}", 120)
    opening = bench.slices("opening the page")
    bench.host.execute("window.run_command('gemini_companion_act_on_page', {'act': 'keep_hunk'})")
    bench.host.wait_until(f"{text}.count('@@ -') == {FILES * HUNKS_PER_FILE - 1}", 30)
    keeping = bench.slices("keeping a hunk on the page")
    for name, slices in ((f"page of {FILES} files, 5,000 hunks", opening), ("keep a hunk on it", keeping)):
        yield summary(name + ": longest slice", [1e3 * max(own for _, own, _ in slices)], target=20, unit="ms")
        yield summary("  all of its slices", [1e3 * sum(own for _, own, _ in slices)], target=None, unit="ms")
    for path in paths:
        path.unlink()


def measurements() -> Iterator[Measurement]:
    """All that is measured, with its targets."""
    yield from loads()
    workspace = os.path.realpath(tempfile.mkdtemp(prefix="benchmark-"))
    path = os.path.join(workspace, "large.py")
    text, proposed = texts()
    Path(path).write_bytes(text.encode("ascii"))
    try:
        with Host.start(folders=[workspace], files=[path]) as host:
            host.wait_until("not view.is_loading()")
            bench = Bench(host, Desktop(host, workspace))
            prepare(host, INSTALL)
            for name in ("selection", "edit"):
                function = "instance.on_{}modified".format("selection_" if name == "selection" else "")
                yield event_costs(host, name + " event, no client", function, 5)
            client = bench.connect()
            for name in ("selection", "edit"):
                function = "instance.on_{}modified".format("selection_" if name == "selection" else "")
                yield event_costs(host, name + " event, a client", function, 20)
            host.execute(WATCH_API + WATCH)
            yield from reviews(bench, client, path, proposed)
            text, proposed = long_texts()
            Path(path).write_bytes(text.encode("ascii"))
            yield from long_review(bench, client, path, proposed)
            yield from page(bench, workspace)
            client.end()
    finally:
        os.remove(path)
        os.rmdir(workspace)


if __name__ == "__main__":
    sys.exit(show(measurements()))
