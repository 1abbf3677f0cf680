"""The functions of the module `sublime`."""

from __future__ import annotations

import platform as _platform
import re
import sys

from .. import builds
from ..model.host import current
from ..model.quirks import LATE_MILLISECONDS
from ..model.values import as_point, as_text, to_value
from ._gate import gate, on_main
from ._items import Syntax
from ._objects import Settings


def version():
    return str(builds.BUILD)


def platform():
    return {"win32": "windows", "darwin": "osx"}.get(sys.platform, "linux")


def arch():
    machine = _platform.machine().lower()
    return "arm64" if machine in ("arm64", "aarch64") else "x32" if machine in ("i386", "i686", "x86") else "x64"


def channel():
    return "stable"


def executable_path():
    return current().resources.executable_path()


def packages_path():
    return current().resources.packages_path()


def installed_packages_path():
    return current().resources.installed_packages_path()


def cache_path():
    return current().resources.cache_path()


# -- messages ------------------------------------------------------------------------------------------
def status_message(msg):
    text, window = as_text(msg), current().focus.active_window()
    if window is not None:
        window.status_message(text)


@on_main
def error_message(msg):
    current().dialogs.ask("error", as_text(msg))


@on_main
def message_dialog(msg):
    current().dialogs.ask("message", as_text(msg))


# -- commands ------------------------------------------------------------------------------------------
@on_main
def run_command(cmd, args=None):
    current().commands.run_in_application(cmd, args)


# -- clipboard -----------------------------------------------------------------------------------------
def get_clipboard(size_limit=16777216):
    text = current().clipboard
    return text if len(text) <= as_point(size_limit) else ""


def set_clipboard(text):
    current().clipboard = as_text(text)


# -- resources and values ------------------------------------------------------------------------------
if builds.MODERN:

    def load_resource(name, max_size=-1):
        return _resource_of_any_size(current().resources.load_resource, name, max_size)

    def load_binary_resource(name, max_size=-1):
        return _resource_of_any_size(current().resources.load_binary_resource, name, max_size)

else:

    def load_resource(name):
        return current().resources.load_resource(as_text(name))

    def load_binary_resource(name):
        return current().resources.load_binary_resource(as_text(name))


def _resource_of_any_size(load, name, max_size):
    if max_size != -1:
        raise NotImplementedError("the headless editor has no max_size")
    return load(as_text(name))


def find_resources(pattern):
    return list(current().resources.find_resources(as_text(pattern)))


def decode_value(data):
    return current().loads(as_text(data))


def expand_variables(value, variables):
    if isinstance(value, str):
        return re.sub(r"\\(\$)|\$(?:\{(\w+)(?::([^}]*))?\}|(\w+))", lambda found: _variable(found, variables), value)
    if isinstance(value, dict):
        return {key: expand_variables(item, variables) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [expand_variables(item, variables) for item in value]
    return to_value(value)


def _variable(found, variables):
    if found.group(1):
        return "$"
    return variables.get(found.group(2) or found.group(4), found.group(3) or "")


def load_settings(base_name):
    return Settings(current().settings_files.load(as_text(base_name)).id)


# -- time ----------------------------------------------------------------------------------------------
def set_timeout(callback, delay=0):
    _check_timer(callback, delay)
    if "late_timers" in current().quirks:
        delay += LATE_MILLISECONDS
    current().scheduler.set_timeout(callback, delay)


def set_timeout_async(callback, delay=0):
    _check_timer(callback, delay)
    current().scheduler.set_timeout_async(callback, delay)


def _check_timer(callback, delay):
    if not callable(callback):
        raise TypeError("a callable is required")
    if not isinstance(delay, (int, float)):
        raise TypeError("the delay must be a number of milliseconds")


# -- windows -------------------------------------------------------------------------------------------
def active_window():
    from ._window import Window

    window = current().focus.active_window()
    return Window(window.id if window is not None else 0)


def windows():
    from ._window import Window

    return [Window(number) for number in list(current().windows)]


# -- syntaxes ------------------------------------------------------------------------------------------
def _syntax(facts):
    return Syntax(facts.path, facts.name, facts.hidden, facts.scope)


def list_syntaxes():
    return [_syntax(facts) for facts in current().syntaxes.all()]


def syntax_from_path(path):
    facts = current().syntaxes.by_path(as_text(path))
    return _syntax(facts) if facts is not None else None


def find_syntax_for_file(path, first_line=""):
    if not isinstance(first_line, str):
        raise TypeError("a str is required for first_line")
    return syntax_from_path(current().syntaxes.for_file(as_text(path)))


NAMES = [
    name
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__ and name[0] != "_"
]
# Before the host exists only these may be called, as at the import of a plugin.
UNGATED = frozenset(("version", "platform", "arch", "channel", "format_command", "html_format_command", "command_url"))
for _name in NAMES:
    if _name not in UNGATED:
        globals()[_name] = gate(globals()[_name], "sublime." + _name)
    globals()[_name].__module__ = "sublime"
