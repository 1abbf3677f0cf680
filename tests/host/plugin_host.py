"""The plugin host process: packages, the editor's model and the plugin API, and their main loop.

Here the editor's model runs in the same process as the plugins; only the process boundary that a
plugin can see (its parent, its end) is kept. Order of a start, as in the editor: plugins are
imported, then the API becomes ready, then `plugin_loaded` is called.
Rule: this file wires the parts together; each part is told what it needs and looks for nothing.
"""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import json
import os
import signal
import sys
import sysconfig
import traceback
from typing import Any, Callable, Dict, Optional

from . import bytecode, errors, resources
from .control import Control, HostCalls, Reply
from .packages import Packages

HOST_PREFIX = "host."
QUIT_POLL_MILLISECONDS = 50
EXIT_NOT_STARTED = 70
#: Names a Python file that this process runs before it imports any plugin.
PRELOAD = "HOST_PRELOAD"


def run(settings: Dict[str, Any]) -> None:
    """Entry point of the plugin host process, see `start.py`. Ends the process; never returns normally."""
    signal.signal(signal.SIGINT, lambda number, frame: None)  # Ctrl-C is for the editor, which then quits
    requests, answers = _take_over_streams(settings["console"])
    errors.watch_threads()
    _set_search_path(settings)
    bytecode.keep(os.path.join(settings["data"], "Packages"), os.path.join(settings["data"], "Cache", "bytecode"))
    resources.configure(settings["data"])
    _preload(os.environ.get(PRELOAD))
    host = PluginHost(settings, requests, answers)
    host.start()
    host.scheduler.run_main()


def _take_over_streams(console: str) -> Any:
    """The control channel is standard input and output; what plugins print goes to the console file."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    log = os.open(console, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    for name in ("stdout", "stderr"):
        number = 1 if name == "stdout" else 2
        stream = os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        stream.reconfigure(line_buffering=True)
        setattr(sys, name, stream)
    faulthandler.enable(file=sys.stderr)
    if hasattr(signal, "SIGUSR1"):
        faulthandler.register(signal.SIGUSR1, file=sys.stderr, all_threads=True)
    return requests, answers


def _set_search_path(settings: Dict[str, Any]) -> None:
    """The standard library, the libraries, `Packages/`: what the editor gives its plugin host."""
    paths = sysconfig.get_paths()
    standard = [path for path in sys.path if path and path != paths.get("purelib")]
    folder = "python{}{}".format(*sys.version_info[:2])
    own = os.path.join(settings["data"], "Lib", folder)
    sys.path[:] = [*standard, own, *settings.get("libraries", ()), os.path.join(settings["data"], "Packages")]


def _preload(path: Optional[str]) -> None:
    """Runs the file that a test wants to have run first."""
    if path:
        spec = importlib.util.spec_from_file_location("host_preload", path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{PRELOAD} names no Python file: {path}")
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


class PluginHost:
    """Everything in this process. Methods run on the main thread unless they say otherwise."""

    def __init__(self, settings: Dict[str, Any], requests: Any, answers: Any) -> None:
        from . import api, lenient_json
        from .model.host import Host
        from .scheduler import Scheduler

        self._settings = settings
        self.scheduler = Scheduler()
        self.model = Host(resources, self.scheduler, lenient_json.loads)
        api.install()
        self.namespace = {name: importlib.import_module(name) for name in ("sublime", "sublime_plugin", "os", "json")}
        self.plugin_api: Any = self.model.plugins
        self.packages = Packages(self.plugin_api)
        self._gestures = importlib.import_module("tests.host.gestures")
        self.namespace["gestures"] = self._gestures
        self._quitting = False
        self.control = Control(requests, answers, lambda call: self.scheduler.set_timeout(call, 0, hidden=True))

    def start(self) -> None:
        """Loads the packages, brings the windows back, makes the API ready, and begins to serve."""
        gestures = self._gestures
        calls = HostCalls(self)
        calls_by_name = {name: getattr(calls, name) for name in dir(calls) if not name.startswith("_")}

        def find(name: str) -> Callable[..., Any]:
            if name.startswith(HOST_PREFIX):
                return calls_by_name[name[len(HOST_PREFIX) :]]
            if name.startswith("_") or not callable(getattr(gestures, name, None)):
                raise LookupError(f"there is no gesture {name!r}")
            return getattr(gestures, name)  # type: ignore[no-any-return]

        self.scheduler.set_timeout(self._begin, 0, hidden=True)
        self.control.start(find)  # what has been asked already is answered once the editor is up

    def _begin(self) -> None:
        """The start proper, on the main loop. An error here is ours, not a plugin's: the process ends with it."""
        try:
            self.packages.load_all()
            self._open_windows()
            self.plugin_api.on_api_ready()
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(EXIT_NOT_STARTED)
        self._quit_if_asked()
        self.control.event("ready", editor_pid=os.getppid(), plugin_host_pid=os.getpid())

    # ---- what the control calls need ------------------------------------------------------------------

    def post_later(self, milliseconds: int, call: Callable[[], None]) -> None:
        self.scheduler.set_timeout(call, milliseconds, hidden=True)

    def run_tests(self, options: Dict[str, Any], reply: Reply, fail: Callable[[BaseException], None]) -> None:
        """Runs in-editor tests; `options` are those of `run_package_tests`."""
        from . import unittesting  # not before: a plugin must not find asyncio imported by its host
        from .unittesting import runner

        sys.modules["unittesting"] = unittesting

        def finished(result: Any) -> None:
            reply(runner.counts(result))

        try:
            runner.run_package_tests(stream=_EventStream(self.control), finished=finished, **options)
        except Exception as error:
            fail(error)

    # ---- start and end ---------------------------------------------------------------------------------

    def _open_windows(self) -> None:
        """Brings the last session back, or opens the first window; then what the start asked for."""
        session = _read_json(resources.session_path())
        folders, files = self._settings.get("folders", []), self._settings.get("files", [])
        if session is not None:
            self._gestures.restore_session(session)
        if folders or not self.model.windows:
            self.model.new_window(list(folders))
        for file in files:
            self.namespace["sublime"].active_window().open_file(file)

    def quit(self) -> None:
        """Keeps the session, shuts the API down, calls `on_exit`, and ends the process."""
        if self._quitting:
            return
        self._quitting = True
        with open(resources.session_path(), "w", encoding="utf-8") as file:
            json.dump(self._gestures.save_session(), file)
        self.model.shut_down()
        self.plugin_api.on_exit()
        self.post_later(0, self._end)

    def _quit_if_asked(self) -> None:
        """The `exit` command only leaves a mark in the model; the process ends here."""
        if self.model.quit_requested:
            self.quit()
        else:
            self.post_later(QUIT_POLL_MILLISECONDS, self._quit_if_asked)

    def _end(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        # As the editor ends: no atexit functions, no waiting for threads.
        os._exit(0)


class _EventStream:
    """A text stream whose writes go to the driver as events."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def write(self, text: str) -> int:
        self._control.event("test_output", text=text)
        return len(text)

    def flush(self) -> None:
        return None


def _read_json(path: str) -> Any:
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)
