"""Which plugins are there, and how an event or a command becomes calls of them.

Rule kept here: an exception in a plugin is printed and recorded, and the other plugins are still called.
"""

from __future__ import annotations

from .. import builds, errors
from ..model.host import current
from . import sublime
from ._plugin_classes import ApplicationCommand, EventListener, TextCommand, WindowCommand

VIEW_EVENTS = (
    "on_new on_clone on_load on_reload on_revert on_pre_move on_post_move on_pre_close on_pre_save on_post_save "
    "on_modified on_selection_modified on_activated on_deactivated"
).split()
WINDOW_EVENTS = (
    "on_new_project on_load_project on_pre_save_project on_post_save_project on_pre_close_project on_new_window "
    "on_pre_close_window"
).split()

api_ready = False
application_command_classes = []
window_command_classes = []
text_command_classes = []
_listeners = []
_instances = {}
_modules = {}
_waiting = []


# -- plugins come and go -------------------------------------------------------------------------------
def load_plugin_module(module):
    """Register the command and listener classes of an imported plugin, and tell it `plugin_loaded` when ready.

    They are registered in the order of their names by build 4200, in that of their definition by newer ones.
    """
    found = []
    names = getattr(module, "__all__", [name for name in dir(module) if name[0] != "_"])
    for name in list(module.__dict__) if builds.MODERN else dir(module):
        cls = module.__dict__.get(name)
        if name not in names or not isinstance(cls, type):
            continue
        if hasattr(cls, "lacking"):
            errors.record("plugin", "the headless editor knows no classes such as %s" % name)
        for base, registry in _BASES.items():
            if issubclass(cls, base) and cls is not base:
                registry.append(cls)
                found.append(cls)
        if issubclass(cls, EventListener) and cls is not EventListener:
            listener = _make(cls)
            if listener is not None:
                _listeners.append(listener)
                found.append(listener)
    _modules[module.__name__] = found
    if api_ready:
        _ready(module, found)
    else:
        _waiting.append((module, found))


def unload_plugin_module(module):
    """Tell a plugin `plugin_unloaded` and forget its classes."""
    if "plugin_unloaded" in module.__dict__:
        _call(module.plugin_unloaded)
    for item in _modules.pop(module.__name__, []):
        for registry in list(_BASES.values()) + [_listeners]:
            if item in registry:
                registry.remove(item)
        for key in [key for key in _instances if key[0] is item]:
            del _instances[key]


def on_api_ready():
    """The editor is up: tell the plugins that came before it was."""
    global api_ready
    api_ready = True
    waiting = list(_waiting)
    _waiting.clear()
    for module, found in waiting:
        _ready(module, found)


def reset():
    """Forget all plugins, without telling them; for a new Host in the same process."""
    global api_ready
    api_ready = False
    for registry in list(_BASES.values()) + [_listeners, _waiting]:
        registry.clear()
    _instances.clear()
    _modules.clear()


def _ready(module, found):
    if "plugin_loaded" in module.__dict__:
        _call(module.plugin_loaded)
    views = [view for window in sublime.windows() for view in window.views(include_transient=True)]
    loaded = [view for view in views if not view.is_loading()]
    for item in found:
        if isinstance(item, EventListener):
            _tell(item, "on_init", loaded)
    active = sublime.active_window().active_view() if sublime.active_window() else None
    for item in found:
        if active is not None and isinstance(item, EventListener):
            _tell(item, "on_activated", active)
            _tell_async(item, "on_activated_async", active)


# -- calling plugins -----------------------------------------------------------------------------------
def _call(function, *args):
    return current().scheduler.call(function, *args)


def _make(cls, *args):
    try:
        return cls(*args)
    except Exception as error:
        errors.record("instantiating '%s.%s'" % (cls.__module__, cls.__name__), error)
        return None


def _tell(listener, name, *args):
    function = getattr(listener, name, None)
    return _call(function, *args) if function is not None else None


def _tell_async(listener, name, *args):
    function = getattr(listener, name, None)
    if function is not None:
        current().scheduler.set_timeout_async(lambda: function(*args))


def _make_events():
    """One module function per event, as the editor calls them; each with its `_async` twin."""

    def event(name, handle):
        return lambda number: [_tell(listener, name, handle(number)) for listener in list(_listeners)] and None

    groups = ((VIEW_EVENTS, sublime.View), (WINDOW_EVENTS, sublime.Window))
    return {
        name + ending: event(name + ending, handle)
        for names, handle in groups
        for name in names
        for ending in ("", "_async")
    }


globals().update(_make_events())


def on_close(view_id):
    view = sublime.View(view_id)
    for listener in list(_listeners):
        _tell(listener, "on_close", view)
    for key in [key for key in _instances if key[1] == view_id and key[0] in text_command_classes]:
        del _instances[key]


def on_query_context(view_id, key, operator, operand, match_all):
    """True as soon as one listener says so."""
    view = sublime.View(view_id)
    return any(
        _tell(listener, "on_query_context", view, key, operator, operand, match_all) for listener in list(_listeners)
    )


def on_text_command(view_id, name, args):
    """("", None), or the command that a listener wants run instead."""
    view = sublime.View(view_id)
    return _first(_tell(listener, "on_text_command", view, name, args) for listener in list(_listeners)) or ("", None)


def on_window_command(window_id, name, args):
    window = sublime.Window(window_id)
    return _first(_tell(listener, "on_window_command", window, name, args) for listener in list(_listeners)) or (
        "",
        None,
    )


def _first(answers):
    for answer in answers:
        if answer:
            return answer if isinstance(answer, tuple) else (answer, None)
    return None


def on_post_text_command(view_id, name, args):
    view = sublime.View(view_id)
    for listener in list(_listeners):
        _tell(listener, "on_post_text_command", view, name, args)


def on_post_window_command(window_id, name, args):
    window = sublime.Window(window_id)
    for listener in list(_listeners):
        _tell(listener, "on_post_window_command", window, name, args)


def on_exit():
    """The editor quits; the API is no longer there for what the listeners do now."""
    for listener in list(_listeners):
        _tell(listener, "on_exit")


# -- commands ------------------------------------------------------------------------------------------
_BASES = {
    ApplicationCommand: application_command_classes,
    WindowCommand: window_command_classes,
    TextCommand: text_command_classes,
}
_KINDS = {"application": application_command_classes, "window": window_command_classes, "text": text_command_classes}
_OWNERS = {"window": sublime.Window, "text": sublime.View}


def _name_of(cls):
    try:
        return cls.name(cls.__new__(cls))
    except Exception:
        return None


def command_class(kind, name):
    """The class of a command of that kind ("text", "window", "application") and name; the last one loaded wins."""
    for cls in reversed(_KINDS[kind]):
        if _name_of(cls) == name:
            return cls
    return None


def command_instance(kind, name, owner):
    """The command object for a window's or view's model; made once and kept."""
    cls = command_class(kind, name)
    key = (cls, owner.id if owner is not None else 0)
    if key not in _instances:
        made = _make(cls, *([_OWNERS[kind](owner.id)] if owner is not None else []))
        if made is None:
            return None
        _instances[key] = made
    return _instances[key]
