"""Which plugins are there, and how an event or a command becomes calls of them.

Rule kept here: an exception in a plugin is printed and recorded, and the other plugins are still called.
"""

from __future__ import annotations

from .. import builds
from ..model.host import current
from . import sublime
from ._event_names import (
    BUFFER_EVENTS,
    FURTHER_EVENTS,
    LISTENER_ONLY_VIEW_EVENTS,
    VIEW_EVENTS,
    WINDOW_EVENTS,
    Callbacks,
)
from ._plugin_classes import (
    ApplicationCommand,
    EventListener,
    TextChangeListener,
    TextCommand,
    ViewEventListener,
    WindowCommand,
)

api_ready = False
application_command_classes = []
window_command_classes = []
text_command_classes = []
view_event_listener_classes = []
text_change_listener_classes = []
view_event_listeners = {}
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
        for listeners in view_event_listeners.values():
            listeners[:] = [listener for listener in listeners if type(listener) is not item]
        for buffer in list(current().buffers.values()):
            for listener in [listener for listener in buffer.listeners if type(listener) is item]:
                listener.detach()


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
    for table in (view_event_listeners, _instances, _modules):
        table.clear()


def _ready(module, found):
    if "plugin_loaded" in module.__dict__:
        _call(module.plugin_loaded)
    views = [view for window in sublime.windows() for view in window.views(include_transient=True)]
    for view in views:
        _check_view_listeners(view)
    for buffer in sublime._buffers():
        _check_text_listeners(buffer)
    loaded = [view for view in views if not view.is_loading()]
    for item in found:
        if isinstance(item, EventListener):
            _tell(item, "on_init", loaded)
    active = sublime.active_window().active_view() if sublime.active_window() else None
    for item in found:
        if active is not None and isinstance(item, EventListener):
            _tell(item, "on_activated", active)
            _tell_async(item, "on_activated_async", active)
        elif active is not None and isinstance(item, type) and issubclass(item, ViewEventListener):
            for listener in view_event_listeners.get(active.view_id, []):
                if type(listener) is item:
                    _tell(listener, "on_init")
                    _tell(listener, "on_activated")
                    _tell_async(listener, "on_activated_async")


# -- calling plugins -----------------------------------------------------------------------------------
def _call(function, *args):
    return current().scheduler.call(function, *args)


def _make(cls, *args):
    try:
        return cls(*args)
    except Exception as error:
        import traceback

        current().scheduler.record_error(
            "unable to instantiate '%s.%s': %r\n%s" % (cls.__module__, cls.__name__, error, traceback.format_exc())
        )
        return None


def _tell(listener, name, *args):
    function = getattr(listener, name, None)
    return _call(function, *args) if function is not None else None


def _tell_async(listener, name, *args):
    function = getattr(listener, name, None)
    if function is not None:
        current().scheduler.set_timeout_async(lambda: function(*args))


def _tell_view(name, view_id, *args):
    view = sublime.View(view_id)
    for listener in list(_listeners):
        _tell(listener, name, view, *args)
    for listener in list(view_event_listeners.get(view_id, [])):
        _tell(listener, name, *args)


def _make_events():
    """One module function per event, as the editor calls them; each with its `_async` twin."""

    def view_event(name):
        return lambda view_id: _tell_view(name, view_id)

    def listener_event(name, handle):
        return lambda number: [_tell(listener, name, handle(number)) for listener in list(_listeners)] and None

    made = {}
    for name in VIEW_EVENTS:
        made[name], made[name + "_async"] = view_event(name), view_event(name + "_async")
    groups = (
        (LISTENER_ONLY_VIEW_EVENTS, sublime.View),
        (WINDOW_EVENTS, sublime.Window),
        (BUFFER_EVENTS, sublime.Buffer),
    )
    for names, handle in groups:
        for name in names:
            made[name], made[name + "_async"] = listener_event(name, handle), listener_event(name + "_async", handle)
    return made


_events = _make_events()
globals().update(_events)


def on_new(view_id):
    attach_view(sublime.View(view_id))
    _events["on_new"](view_id)


def on_clone(view_id):
    attach_view(sublime.View(view_id))
    _events["on_clone"](view_id)


def on_load(view_id):
    attach_view(sublime.View(view_id))
    _events["on_load"](view_id)


def on_activated(view_id):
    attach_view(sublime.View(view_id))
    _events["on_activated"](view_id)


def on_close(view_id):
    view = sublime.View(view_id)
    for listener in view_event_listeners.pop(view_id, []):
        _tell(listener, "on_close")
    view.settings().clear_on_change("check_view_event_listeners")
    for listener in list(_listeners):
        _tell(listener, "on_close", view)
    for key in [key for key in _instances if key[1] == view_id and key[0] in text_command_classes]:
        del _instances[key]
    sublime.set_timeout(_check_all_view_listeners)


def on_new_buffer(buffer_id):
    _check_text_listeners(sublime.Buffer(buffer_id))
    _events["on_new_buffer"](buffer_id)


def on_associate_buffer(buffer_id):
    _check_text_listeners(sublime.Buffer(buffer_id))
    _events["on_associate_buffer"](buffer_id)


def on_query_context(view_id, key, operator, operand, match_all):
    """True as soon as one listener says so."""
    view = sublime.View(view_id)
    for listener in list(_listeners):
        if _tell(listener, "on_query_context", view, key, operator, operand, match_all):
            return True
    return any(
        _tell(listener, "on_query_context", key, operator, operand, match_all)
        for listener in list(view_event_listeners.get(view_id, []))
    )


def on_text_command(view_id, name, args):
    """("", None), or the command that a listener wants run instead."""
    view = sublime.View(view_id)
    answers = (
        _tell(listener, "on_text_command", name, args) for listener in list(view_event_listeners.get(view_id, []))
    )
    more = (_tell(listener, "on_text_command", view, name, args) for listener in list(_listeners))
    return _first(answers) or _first(more) or ("", None)


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
    _tell_view("on_post_text_command", view_id, name, args)


def on_post_window_command(window_id, name, args):
    window = sublime.Window(window_id)
    for listener in list(_listeners):
        _tell(listener, "on_post_window_command", window, name, args)


def on_hover(view_id, point, hover_zone):
    _tell_view("on_hover", view_id, point, hover_zone)


def el_callbacks(name, listener_only=False):
    """The handlers of that name, of all listeners or of those that belong to no view."""
    listeners = list(_listeners)
    if not listener_only:
        listeners += [listener for found in view_event_listeners.values() for listener in found]
    return [getattr(listener, name) for listener in listeners if hasattr(listener, name)]


all_callbacks = Callbacks(
    set(_events) | set(FURTHER_EVENTS),
    lambda name: [handler.__self__ for handler in el_callbacks(name, listener_only=True)],
)
text_change_listener_callbacks = [
    name + ending for name in ("on_text_changed", "on_revert", "on_reload") for ending in ("", "_async")
]


def on_exit():
    """The editor quits; the API is no longer there for what the listeners do now."""
    for listener in list(_listeners):
        _tell(listener, "on_exit")


# -- listeners per view and per buffer -----------------------------------------------------------------
def attach_view(view):
    """Make the listeners that apply to a view, now and whenever its settings change."""
    if view.view_id not in view_event_listeners:
        view_event_listeners[view.view_id] = []
        view.settings().add_on_change("check_view_event_listeners", lambda: _check_view_listeners(view))
    _check_view_listeners(view)


def _check_view_listeners(view):
    if not view.is_valid():
        return
    listeners = view_event_listeners.setdefault(view.view_id, [])
    for cls in list(view_event_listener_classes):
        present = next((listener for listener in listeners if type(listener) is cls), None)
        wanted = _call(cls.is_applicable, view.settings()) and (
            view.is_primary() or not cls.applies_to_primary_view_only()
        )
        if wanted and present is None:
            made = _make(cls, view)
            if made is not None:
                listeners.append(made)
        elif present is not None and not wanted:
            listeners.remove(present)


def _check_all_view_listeners():
    for window in sublime.windows():
        for view in window.views(include_transient=True):
            _check_view_listeners(view)


def _check_text_listeners(buffer):
    model = current().buffers.get(buffer.buffer_id)
    if model is None:
        return
    for cls in list(text_change_listener_classes):
        present = next((listener for listener in model.listeners if type(listener) is cls), None)
        wanted = _call(cls.is_applicable, buffer)
        if wanted and present is None:
            made = _make(cls)
            if made is not None:
                made.attach(buffer)
        elif present is not None and not wanted:
            present.detach()


# -- commands ------------------------------------------------------------------------------------------
_BASES = {
    ApplicationCommand: application_command_classes,
    WindowCommand: window_command_classes,
    TextCommand: text_command_classes,
    ViewEventListener: view_event_listener_classes,
    TextChangeListener: text_change_listener_classes,
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


def command_names():
    """Every command that a plugin brings, as (kind, name, module)."""
    return [(kind, _name_of(cls), cls.__module__) for kind, classes in _KINDS.items() for cls in classes]
