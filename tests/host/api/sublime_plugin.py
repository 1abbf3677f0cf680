"""The module `sublime_plugin`: the classes that plugins derive from, and the lists of what is loaded."""

from ._plugin_classes import (  # noqa: F401
    ApplicationCommand,
    BackInputHandler,
    Command,
    CommandInputHandler,
    EventListener,
    ListInputHandler,
    TextChangeListener,
    TextCommand,
    TextInputHandler,
    ViewEventListener,
    WindowCommand,
)

# Not published, but packages look into them: whether a command is there, for instance.
_INTERNAL = frozenset(
    """all_callbacks application_command_classes el_callbacks text_change_listener_callbacks
    text_change_listener_classes text_command_classes view_event_listener_classes view_event_listeners
    window_command_classes""".split()
)


def __getattr__(name):
    if name not in _INTERNAL:
        raise AttributeError("module 'sublime_plugin' has no attribute %r" % name)
    from . import registry

    return getattr(registry, name)
