"""The module `sublime_plugin`: the classes that plugins derive from. `registry.py` beside it knows the plugins."""

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
